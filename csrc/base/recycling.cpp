#include <selvage/base/recycling.h>

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

namespace selvage {

namespace {

struct Block {
  Block* next;
};

constexpr std::size_t kSizes = 14;  // of 2^0 to 2^13 bytes

// Destroyed trivially, so that a thread's other objects can still use them in their destructors.
thread_local Block* free_blocks[kSizes] = {};
thread_local bool ending = false;

struct FreeAtTheEnd {
  ~FreeAtTheEnd() {
    ending = true;
    for (Block*& block : free_blocks) {
      while (block != nullptr) ::operator delete(std::exchange(block, block->next));
    }
  }
};

std::size_t size_class(std::size_t bytes) {
  return std::size_t(std::bit_width(std::max(bytes, sizeof(Block)) - 1));
}

// Off under AddressSanitizer, so that it sees uses of blocks that were given back.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kRecycles = false;
#elif defined(__has_feature)
constexpr bool kRecycles = !__has_feature(address_sanitizer);
#else
constexpr bool kRecycles = true;
#endif

}  // namespace

void* take_block(std::size_t bytes) {
  const std::size_t c = size_class(bytes);
  if (c >= kSizes || !kRecycles) return ::operator new(bytes);
  if (Block* block = free_blocks[c]; block != nullptr) {
    free_blocks[c] = block->next;
    return block;
  }
  return ::operator new (std::size_t{1} << c);
}

void give_back_block(void* block, std::size_t bytes) {
  const std::size_t c = size_class(bytes);
  if (c >= kSizes || !kRecycles || ending) return ::operator delete(block);
  thread_local const FreeAtTheEnd end;
  free_blocks[c] = ::new (block) Block{free_blocks[c]};
}

}  // namespace selvage
