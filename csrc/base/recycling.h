#pragma once

#include <cstddef>

namespace selvage {

// Blocks of memory. A block that is given back is kept, by size, and given out again to the same
// thread. The blocks that a thread keeps are freed when it ends.
void* take_block(std::size_t bytes);
void give_back_block(void* block, std::size_t bytes);

// An allocator for small vectors that come and go by the million.
template <class T>
struct Recycling {
  using value_type = T;
  Recycling() = default;
  template <class U>
  Recycling(const Recycling<U>&) {}  // NOLINT(google-explicit-constructor)

  T* allocate(std::size_t n) { return static_cast<T*>(take_block(n * sizeof(T))); }
  void deallocate(T* p, std::size_t n) { give_back_block(p, n * sizeof(T)); }
  friend bool operator==(const Recycling&, const Recycling&) { return true; }
};

}  // namespace selvage
