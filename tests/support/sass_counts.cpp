#include <tests/support/static_counts.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <stdexcept>

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
  kBra = 0x947,
  kNop = 0x918,
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

StaticCounts count_code(std::span<const std::byte> code) {
  StaticCounts counts;
  for (std::size_t at = 0; at + 16 <= code.size(); at += 16) {
    std::uint64_t word[2];
    std::memcpy(word, code.data() + at, sizeof word);
    const auto operation = std::uint32_t(word[0] & 0xfff);
    const bool is_predicated = (word[0] >> 12 & 0xf) != 7;
    if (operation == kNop) continue;
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
