#include <tests/support/static_counts.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <iterator>
#include <stdexcept>
#include <vector>

namespace selvage {

namespace {

enum : std::uint32_t {
  kLdg = 0x981,
  kStg = 0x986,
  kLds = 0x984,
  kSts = 0x388,
  kLdl = 0x983,
  kStl = 0x387,
  kBar = 0xb1d,
  kLdgsts = 0xfae,
  kLdgdepbar = 0x9af,
  kUblkcp = 0x3ba,
  kUblkred = 0x3bb,
  kUtmaldg = 0x5b4,
  kUtmastg = 0x3b5,
  kUtmaredg = 0x3b6,
  kUsetmaxreg = 0x9c8,
  kHgmma = 0x9f0,
  kHgmmaOfRegisters = 0xdf0,
  kUcgabarWait = 0xdc7,
  kSyncsExchange = 0x5b2,
  kSyncsArrive = 0x9a7,
  kSyncsPhase = 0x5a7,
  kElect = 0x82f,
  kBra = 0x947,
  kNop = 0x918,
  kCall = 0x944,
  kExit = 0x94d,
  kRet = 0x950,
};
// ISETP with a register, a constant or an immediate for its second operand.
bool compares_integers(std::uint32_t operation) {
  return operation == 0x20c || operation == 0x80c || operation == 0xc0c;
}

// SHFL with registers or immediates for its lane and mask.
bool shuffles(std::uint32_t operation) { return (operation & 0x1ff) == 0x189; }
// ATOMS, ATOMG, each alone and as a compare and swap; RED of integers and of floats.
bool is_atomic(std::uint32_t operation) {
  constexpr std::uint32_t kAtomics[] = {0x38c, 0x38d, 0x3a8, 0x9a8, 0x3a9, 0x98e, 0x9a6};
  return std::find(std::begin(kAtomics), std::end(kAtomics), operation) != std::end(kAtomics);
}

// 8 and 16 bits signed and unsigned, then 32, 64 and 128.
int bytes_of(std::uint64_t width) {
  constexpr int kBytes[] = {1, 1, 2, 2, 4, 8, 16, 0};
  return kBytes[width & 7];
}

struct Instruction {
  std::uint64_t word[2];

  std::uint32_t operation() const { return std::uint32_t(word[0] & 0xfff); }
  // A branch and an exit may have a second predicate, in bits 87 to 90.
  bool is_predicated() const {
    const bool has_second =
        (operation() == kBra || operation() == kExit) && (word[1] >> 23 & 0xf) != 7;
    return (word[0] >> 12 & 0xf) != 7 || has_second;
  }
  // By how many instructions a branch jumps, counted from the next one. The distance, in units of
  // four bytes, has its low byte in bits 16 to 23 and 42 more bits from bit 34 on.
  std::int64_t jump() const {
    const std::uint64_t high = word[0] >> 34 | (word[1] & 0xfff) << 30;
    return std::int64_t((high << 8 | (word[0] >> 16 & 0xff)) << 14) / (1 << 16);
  }
};

std::vector<Instruction> instructions_of(std::span<const std::byte> code) {
  std::vector<Instruction> all(code.size() / sizeof(Instruction));
  if (!all.empty()) std::memcpy(all.data(), code.data(), all.size() * sizeof(Instruction));
  return all;
}

// The fewest instructions from the first one to an exit, itself counted; 0 if there is no way. A
// thread that leaves early, under a predicate, has done its work only if it has stored something.
int shortest_path(const std::vector<Instruction>& code) {
  struct Place {
    std::size_t at;
    int steps;
    bool has_stored;
  };
  std::vector<bool> seen[2] = {std::vector<bool>(code.size()), std::vector<bool>(code.size())};
  std::deque<Place> open = {{0, 0, false}};  // in order of their steps
  while (!open.empty()) {
    const auto [at, steps, has_stored] = open.front();
    open.pop_front();
    if (at >= code.size() || seen[has_stored][at]) continue;
    seen[has_stored][at] = true;
    const Instruction& i = code[at];
    switch (i.operation()) {
      case kNop: open.push_front({at + 1, steps, has_stored}); break;
      case kCall:
      case kRet: break;
      case kExit:
        if (!i.is_predicated() || has_stored) return steps + 1;
        open.push_back({at + 1, steps + 1, has_stored});
        break;
      case kBra:
        open.push_back({std::size_t(std::int64_t(at) + 1 + i.jump()), steps + 1, has_stored});
        if (i.is_predicated()) open.push_back({at + 1, steps + 1, has_stored});
        break;
      case kStg: open.push_back({at + 1, steps + 1, true}); break;
      default: open.push_back({at + 1, steps + 1, has_stored}); break;
    }
  }
  return 0;
}

StaticCounts count_code(std::span<const std::byte> text) {
  StaticCounts counts;
  const std::vector<Instruction> code = instructions_of(text);
  counts.on_shortest_path = shortest_path(code);
  for (const Instruction& i : code) {
    const auto& word = i.word;
    const std::uint32_t operation = i.operation();
    const bool is_predicated = i.is_predicated();
    if (operation == kNop) continue;
    // The last branch, to itself, is never reached.
    if (operation == kBra && i.jump() < -1) ++counts.loops;
    ++counts.instructions;
    if (is_predicated) ++counts.predicated;
    if (is_predicated && operation == kBra) ++counts.branches;
    if (compares_integers(operation)) ++counts.comparisons;
    if (shuffles(operation)) ++counts.shuffles;
    if (is_atomic(operation)) ++counts.atomics;
    const int bytes = bytes_of(word[1] >> 9);
    switch (operation) {
      case kLdg: ++counts.global_loads[bytes]; break;
      case kStg: ++counts.global_stores[bytes]; break;
      case kLds: ++counts.shared_loads[bytes]; break;
      case kSts: ++counts.shared_stores[bytes]; break;
      case kLdl: ++counts.local_loads; break;
      case kStl: ++counts.local_stores; break;
      case kBar: ++counts.barriers; break;
      case kLdgsts: ++counts.copies[bytes]; break;
      case kLdgdepbar: ++counts.copy_groups; break;
      case kUblkcp: ++counts.bulk_copies; break;
      case kUblkred: ++counts.bulk_reductions; break;
      case kUtmaldg: ++counts.box_loads; break;
      case kUtmastg: ++counts.box_stores; break;
      case kUtmaredg: ++counts.box_reductions; break;
      case kUcgabarWait: ++counts.cluster_barriers; break;
      case kUsetmaxreg: ++counts.register_changes; break;
      case kHgmma:
      case kHgmmaOfRegisters: ++counts.multiplications; break;
      case kSyncsExchange:
      case kSyncsArrive:
      case kSyncsPhase: ++counts.object_events; break;
      case kElect: ++counts.elections; break;
      default: break;
    }
  }
  return counts;
}

// Little-endian ELF of 64 bits, as far as its sections.
class Elf {
 public:
  explicit Elf(std::span<const std::byte> file) : file_(file) {
    constexpr unsigned char kMagic[] = {0x7f, 'E', 'L', 'F', 2, 1};
    if (file.size() < 64 || std::memcmp(file.data(), kMagic, sizeof kMagic) != 0) {
      throw std::invalid_argument("no cubin: no 64-bit ELF file");
    }
    table_ = at<std::uint64_t>(0x28);
    entry_ = at<std::uint16_t>(0x3a);
    sections_ = at<std::uint16_t>(0x3c);
    names_ = contents(at<std::uint16_t>(0x3e));
  }
  std::size_t sections() const { return sections_; }
  std::string_view name(std::size_t k) const {
    const std::uint32_t from = field<std::uint32_t>(k, 0);
    if (from >= names_.size()) throw std::invalid_argument("no cubin: a section without a name");
    const std::string_view all(reinterpret_cast<const char*>(names_.data()), names_.size());
    return all.substr(from, all.find('\0', from) - from);
  }
  std::span<const std::byte> contents(std::size_t k) const {
    return part(field<std::uint64_t>(k, 0x18), field<std::uint64_t>(k, 0x20));
  }

 private:
  std::span<const std::byte> part(std::uint64_t from, std::uint64_t size) const {
    if (from > file_.size() || size > file_.size() - from) {
      throw std::invalid_argument("no cubin: the file ends too early");
    }
    return file_.subspan(std::size_t(from), std::size_t(size));
  }
  template <class T>
  T at(std::uint64_t offset) const {
    T value;
    std::memcpy(&value, part(offset, sizeof value).data(), sizeof value);
    return value;
  }
  template <class T>
  T field(std::size_t section, std::uint64_t offset) const {
    return at<T>(table_ + section * entry_ + offset);
  }

  std::span<const std::byte> file_;
  std::uint64_t table_ = 0;
  std::size_t entry_ = 0, sections_ = 0;
  std::span<const std::byte> names_;
};

}  // namespace

std::map<std::string, StaticCounts> count_sass(std::span<const std::byte> cubin) {
  constexpr std::string_view kText = ".text.";
  const Elf elf(cubin);
  std::map<std::string, StaticCounts> kernels;
  for (std::size_t k = 0; k < elf.sections(); ++k) {
    const std::string_view name = elf.name(k);
    if (name.starts_with(kText)) {
      kernels[std::string(name.substr(kText.size()))] = count_code(elf.contents(k));
    }
  }
  return kernels;
}

}  // namespace selvage
