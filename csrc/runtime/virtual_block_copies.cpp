// Copies that end later: when they are made, and what arrives then.
#include <selvage/base/check.h>
#include <selvage/runtime/virtual_block.h>
#include <selvage/runtime/virtual_check.h>
#include <selvage/runtime/virtual_map.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace selvage {

namespace {

// CU_TENSOR_MAP_DATA_TYPE_..., by number.
enum MapType { kUInt32 = 2, kInt32 = 3, kUInt64 = 4, kInt64 = 5, kFloat = 7, kDouble = 8 };
struct PtxType {
  std::string_view word;
  MapType type;
  int bytes;
};
constexpr PtxType kPtxTypes[] = {{"u32", kUInt32, 4}, {"s32", kInt32, 4}, {"u64", kUInt64, 8},
                                 {"s64", kInt64, 8},  {"f32", kFloat, 4}, {"f64", kDouble, 8}};

// *to = f(*to, *from). `Sum`: the type in which they are added, void: they cannot be.
template <class T, class Sum>
void combine_as(char* to, const char* from, std::string_view function) {
  T a, b;
  std::memcpy(&a, to, sizeof a);
  std::memcpy(&b, from, sizeof b);
  if (function == "min") {
    a = std::min(a, b);
  } else if (function == "max") {
    a = std::max(a, b);
  } else {
    SELVAGE_CHECK(function == "add");
    if constexpr (std::is_void_v<Sum>) {
      SELVAGE_CHECK(false);
    } else {
      a = static_cast<T>(static_cast<Sum>(a) + static_cast<Sum>(b));
    }
  }
  std::memcpy(to, &a, sizeof a);
}

// As cp.reduce.async.bulk does in these types, by their numbers in tensor maps, and in no others.
void combine(char* to, const char* from, int type, std::string_view function) {
  switch (type) {
    case kUInt32: return combine_as<std::uint32_t, std::uint32_t>(to, from, function);
    case kInt32: return combine_as<std::int32_t, std::uint32_t>(to, from, function);
    case kUInt64: return combine_as<std::uint64_t, std::uint64_t>(to, from, function);
    case kInt64: return combine_as<std::int64_t, void>(to, from, function);
    case kFloat:
      SELVAGE_CHECK(function == "add");
      return combine_as<float, float>(to, from, function);
    case kDouble:
      SELVAGE_CHECK(function == "add");
      return combine_as<double, double>(to, from, function);
    default: SELVAGE_CHECK(false);
  }
}

}  // namespace

void VirtualBlock::Queue::make_below(int group) {
  const auto made =
      std::ranges::stable_partition(copies, [&](const Copy& c) { return c.group >= group; });
  for (const Copy& c : made) c.make();
  copies.erase(made.begin(), made.end());
}

bool VirtualBlock::Queue::make_to_arrival() {
  const auto last = std::ranges::find_if(copies, &Copy::is_arrival);
  if (last == copies.end()) return false;
  const auto end = last + 1;
  const std::vector<Copy> made(copies.begin(), end);
  copies.erase(copies.begin(), end);
  for (const Copy& c : made) c.make();
  return true;
}

// Made when a thread asks for one: most kernels have no copies that end later.
VirtualBlock::Queue& VirtualBlock::queue(Way way, std::size_t thread) {
  if (queues_.empty()) queues_.resize(3 * threads_.size());
  return queues_[thread + std::size_t(way) * threads_.size()];
}

void VirtualBlock::put(std::function<void()> copy, Way way) {
  if (is_made_at_once()) return copy();
  Queue& own = own_queue(way);
  own.copies.push_back({std::move(copy), own.closed});
}

void VirtualBlock::begin_copy(void* to, const void* from, unsigned bytes) {
  VirtualBlock& block = *running_;
  if (block.check_ != nullptr) {
    access(from, bytes, 0);
    access(to, bytes, 1);
  }
  block.put([=] { std::memcpy(to, from, bytes); }, Way::Copy);
}
void VirtualBlock::end_copy_group() { ++running_->own_queue(Way::Copy).closed; }
void VirtualBlock::wait_for_copy_groups(int pending) {
  Queue& queue = running_->own_queue(Way::Copy);
  queue.make_below(queue.closed - pending);
}

void VirtualBlock::arrive_with_copies(void* object) {
  VirtualBlock& block = *running_;
  Queue& own = block.own_queue(Way::Copy);
  own.copies.push_back(
      {[&block, object] { block.objects_.arrive(object, 0, 1); }, own.closed, true});
  if (!block.is_made_at_once()) return;
  while (own.make_to_arrival()) continue;
}

void VirtualBlock::begin_bulk_copy(void* to, const void* from, long long bytes, void* object) {
  VirtualBlock& block = *running_;
  const auto n = static_cast<unsigned long>(bytes);
  if (block.check_ != nullptr) {
    access(from, n, 0);
    access(to, n, 1);
  }
  block.objects_.copy([=] { std::memcpy(to, from, n); }, bytes, object, block.is_made_at_once());
}
void VirtualBlock::begin_box_copy(void* to, const void* map, const int* corner, void* object) {
  VirtualBlock& block = *running_;
  const VirtualMap box = block.map_at(map);
  if (block.check_ != nullptr) {
    access(to, static_cast<unsigned long>(box.box_bytes()), 1);
    box.visit(corner, [&](std::int64_t, const char* item) {
      if (item != nullptr) access(item, box.element_bytes, 0);
    });
  }
  std::array<int, VirtualMap::kRank> at{};
  std::copy_n(corner, box.rank, at.begin());
  const auto make = [=] {
    box.visit(at.data(), [&](std::int64_t k, const char* item) {
      char* const place = static_cast<char*>(to) + k;
      if (item != nullptr) {
        std::memcpy(place, item, box.element_bytes);
      } else {
        std::memset(place, 0, box.element_bytes);
      }
    });
  };
  block.objects_.copy(make, box.box_bytes(), object, block.is_made_at_once());
}
void VirtualBlock::store_bytes(void* to, const void* from, long long bytes) {
  VirtualBlock& block = *running_;
  const auto n = static_cast<unsigned long>(bytes);
  if (block.check_ != nullptr) {
    access(from, n, 0);
    access(to, n, 1);
  }
  block.put([=] { std::memcpy(to, from, n); }, Way::Store);
}
void VirtualBlock::combine_bytes(void* to, const void* from, long long bytes, const char* function,
                                 const char* type) {
  VirtualBlock& block = *running_;
  const auto* const own = std::ranges::find(kPtxTypes, type, &PtxType::word);
  SELVAGE_CHECK(own != std::end(kPtxTypes));
  const PtxType t = *own;
  if (block.check_ != nullptr) {
    access(from, static_cast<unsigned long>(bytes), 0);
    access(to, static_cast<unsigned long>(bytes), 0);
    access(to, static_cast<unsigned long>(bytes), 1);
  }
  const auto make = [=] {
    for (long long k = 0; k < bytes; k += t.bytes) {
      combine(static_cast<char*>(to) + k, static_cast<const char*>(from) + k, t.type, function);
    }
  };
  block.put(make, Way::Store);
}

void VirtualBlock::store_box(const void* from, const void* map, const int* corner) {
  put_box(from, map, corner, nullptr);
}
void VirtualBlock::combine_box(const void* from, const void* map, const int* corner,
                               const char* function) {
  put_box(from, map, corner, function);
}
// `function`: null if items are replaced.
void VirtualBlock::put_box(const void* from, const void* map, const int* corner,
                           const char* function) {
  VirtualBlock& block = *running_;
  const VirtualMap box = block.map_at(map);
  if (block.check_ != nullptr) {
    box.visit(corner, [&](std::int64_t k, const char* item) {
      if (item == nullptr) return;
      access(static_cast<const char*>(from) + k, box.element_bytes, 0);
      if (function != nullptr) access(item, box.element_bytes, 0);
      access(item, box.element_bytes, 1);
    });
  }
  std::array<int, VirtualMap::kRank> at{};
  std::copy_n(corner, box.rank, at.begin());
  const auto make = [=] {
    box.visit(at.data(), [&](std::int64_t k, const char* item) {
      if (item == nullptr) return;
      char* const to = const_cast<char*>(item);
      const char* const element = static_cast<const char*>(from) + k;
      if (function == nullptr) {
        std::memcpy(to, element, box.element_bytes);
      } else {
        combine(to, element, box.type, function);
      }
    });
  };
  block.put(make, Way::Store);
}
void VirtualBlock::end_store_group() { ++running_->own_queue(Way::Store).closed; }
void VirtualBlock::wait_for_store_groups(int pending) {
  Queue& queue = running_->own_queue(Way::Store);
  queue.make_below(queue.closed - pending);
}
// A checked launch has copies of all buffers.
VirtualMap VirtualBlock::map_at(const void* map) const {
  VirtualMap box;
  std::memcpy(&box, map, sizeof box);
  if (check_ != nullptr) {
    box.address =
        reinterpret_cast<std::uint64_t>(check_->moved(reinterpret_cast<const char*>(box.address)));
  }
  return box;
}

}  // namespace selvage
