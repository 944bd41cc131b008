#include <selvage/base/check.h>
#include <selvage/runtime/virtual_check.h>

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>

namespace selvage {

namespace {

// Bytes between two copies, reserved and never accessed. A wrong address that is off by more may be
// taken for one of another buffer.
constexpr std::size_t kGap = std::size_t{1} << 30;
// A copy has the same address as the original modulo this.
constexpr std::size_t kAlignment = 256;

std::size_t whole_pages(std::size_t bytes) {
  const auto page = std::size_t(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

}  // namespace

VirtualCheck::VirtualCheck(const KernelSource& source, std::span<void* const> arguments,
                           std::span<const std::optional<VirtualBound>> bounds,
                           std::span<std::byte> shared, char* const image[4])
    : image_{image[0], image[1]}, shared_{image[2] - kVirtualEdge, image[3] + kVirtualEdge} {
  SELVAGE_CHECK(bounds.size() == arguments.size());
  copy_buffers(arguments, bounds);
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    if (!bounds[i]) continue;
    Region region{fmt::format("argument {} ({})", i, source.parameter_types[i]),
                  static_cast<char*>(pointers_[i]), bounds[i]->bytes};
    if (!bounds[i]->is_filled) region.written.resize(region.bytes);
    regions_.push_back(std::move(region));
  }
  const auto add_shared = [&](const char* name, char* begin, std::size_t bytes) {
    if (bytes > 0) regions_.push_back({name, begin, bytes, std::vector<bool>(bytes), true});
  };
  add_shared("the shared memory of the launch", reinterpret_cast<char*>(shared.data()),
             shared.size());
  add_shared("the kernel's shared memory", image[2], std::size_t(image[3] - image[2]));
}

// Bytes that have not changed are not written: the memory may be read-only.
VirtualCheck::~VirtualCheck() {
  for (const Copy& copy : copies_) {
    if (copy.bytes > 0 && std::memcmp(copy.from, copy.to, copy.bytes) != 0) {
      std::memcpy(copy.from, copy.to, copy.bytes);
    }
  }
  if (memory_ != nullptr) munmap(memory_, memory_bytes_);
}

void VirtualCheck::copy_buffers(std::span<void* const> arguments,
                                std::span<const std::optional<VirtualBound>> bounds) {
  pointers_.assign(arguments.size(), nullptr);
  addresses_.assign(arguments.begin(), arguments.end());
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    if (!bounds[i]) continue;
    std::memcpy(&pointers_[i], arguments[i], sizeof(void*));
    order.push_back(i);
  }
  const auto begin = [&](std::size_t i) { return static_cast<char*>(pointers_[i]); };
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::uintptr_t(begin(i)); });

  std::vector<std::size_t> copy_of(bounds.size());
  memory_bytes_ = kGap;
  for (std::size_t i : order) {
    char* const end = begin(i) + bounds[i]->bytes;
    if (copies_.empty() || begin(i) >= copies_.back().from + copies_.back().bytes) {
      copies_.push_back({begin(i), nullptr, 0});
    }
    Copy& copy = copies_.back();
    copy.bytes = std::max(copy.bytes, std::size_t(end - copy.from));
    copy_of[i] = copies_.size() - 1;
  }
  for (const Copy& copy : copies_) memory_bytes_ += whole_pages(copy.bytes + kAlignment) + kGap;
  void* memory =
      mmap(nullptr, memory_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  memory_ = static_cast<char*>(memory);
  char* at = memory_ + kGap;
  for (Copy& copy : copies_) {
    const std::size_t bytes = whole_pages(copy.bytes + kAlignment);
    if (mprotect(at, bytes, PROT_READ | PROT_WRITE) != 0) {
      munmap(memory_, memory_bytes_);
      throw std::bad_alloc();
    }
    copy.to = at + std::uintptr_t(copy.from) % kAlignment;
    if (copy.bytes > 0) std::memcpy(copy.to, copy.from, copy.bytes);
    at += bytes + kGap;
  }
  for (std::size_t i : order) {
    const Copy& copy = copies_[copy_of[i]];
    pointers_[i] = copy.to + (begin(i) - copy.from);
    addresses_[i] = &pointers_[i];
  }
}

const char* VirtualCheck::moved(const char* place) const {
  for (const Copy& copy : copies_) {
    if (copy.from <= place && place < copy.from + copy.bytes) return copy.to + (place - copy.from);
  }
  return place;
}

void VirtualCheck::begin_block() {
  for (Region& region : regions_) {
    if (region.is_shared) region.written.assign(region.bytes, false);
  }
}

// Two arguments may be one buffer: what is allowed through one of them is allowed.
bool VirtualCheck::allows(const void* place, std::size_t bytes, bool writes) {
  const auto* p = static_cast<const char*>(place);
  bool is_inside = false;
  bad_ = {p, bytes, writes};
  for (Region& region : regions_) {
    const std::size_t at = std::uintptr_t(p) - std::uintptr_t(region.begin);
    if (at >= region.bytes || bytes > region.bytes - at) continue;
    const auto first = region.written.begin() + std::ptrdiff_t(region.written.empty() ? 0 : at);
    if (writes) {
      is_inside = true;
      if (!region.written.empty()) std::fill_n(first, bytes, true);
    } else if (region.written.empty() ||
               std::all_of(first, first + std::ptrdiff_t(bytes), [](bool w) { return w; })) {
      return true;
    } else {
      bad_.unwritten = &region;
    }
  }
  if (is_inside) return true;
  // Constants of the text, and what the machine holds.
  return bad_.unwritten == nullptr && !writes && p >= image_[0] && p + bytes <= image_[1] &&
         (p + bytes <= shared_[0] || p >= shared_[1]);
}

void VirtualCheck::refuse(const KernelSource& source, VirtualIndex block,
                          VirtualIndex thread) const {
  const std::string who =
      fmt::format("thread {} of block {} {} {} byte{}", to_text(thread), to_text(block),
                  bad_.writes ? "writes" : "reads", bad_.bytes, bad_.bytes == 1 ? "" : "s");
  const auto offset = [&](const Region& region) {
    return std::int64_t(std::uintptr_t(bad_.place) - std::uintptr_t(region.begin));
  };
  const auto note = [&](const Region& region) {
    const std::int64_t first = offset(region);
    return fmt::format("bytes {} to {} of {}", first, first + std::int64_t(bad_.bytes) - 1,
                       region.bytes);
  };
  if (bad_.unwritten != nullptr) {
    refuse_run(source, "E722",
               fmt::format("{} of {} that nobody has written", who, bad_.unwritten->name),
               {note(*bad_.unwritten)},
               bad_.unwritten->is_shared ? "write them before they are read"
                                         : "write them before they are read, or launch with a "
                                           "buffer that is filled");
  }
  // The nearest one: how many bytes lie between it and the access.
  const auto distance = [&](const Region& region) {
    const std::int64_t at = offset(region);
    return at < 0 ? std::uint64_t(-at)
                  : std::uint64_t(at) - std::min(std::uint64_t(at), region.bytes);
  };
  const auto nearest = std::ranges::min_element(regions_, {}, distance);
  if (nearest == regions_.end() || distance(*nearest) > kGap / 2) {
    refuse_run(source, "E721", who + " that belong to no argument", {},
               "read and write through the pointers that are passed");
  }
  const bool is_before = offset(*nearest) < 0;
  refuse_run(source, "E721",
             fmt::format("{} {} {}", who, is_before ? "before the beginning of" : "past the end of",
                         nearest->name),
             {note(*nearest)},
             fmt::format("guard the access, or give the {} the bytes that it needs",
                         nearest->is_shared ? "block" : "argument"));
}

}  // namespace selvage
