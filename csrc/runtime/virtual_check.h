#pragma once

#include <selvage/runtime/kernel_source.h>
#include <selvage/runtime/virtual_prelude.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace selvage {

// The memory that a pointer argument points at: its bytes, and whether they hold values before the
// kernel writes them.
struct VirtualBound {
  std::size_t bytes = 0;
  bool is_filled = true;
};

// The memory that one checked launch may access. For its time the buffers are copied far from one
// another, so that a wrong address of one is no address of another; buffers that overlap stay
// together.
class VirtualCheck {
 public:
  // `bounds`: one for each argument, absent if it is no pointer. `shared`: the block's dynamic
  // shared memory. `image`: the unit's own memory, from VirtualImage.
  VirtualCheck(const KernelSource& source, std::span<void* const> arguments,
               std::span<const std::optional<VirtualBound>> bounds, std::span<std::byte> shared,
               char* const image[4]);
  ~VirtualCheck();  // copies the buffers back
  VirtualCheck(const VirtualCheck&) = delete;

  // The arguments, those with a bound pointing at the copies.
  std::span<void* const> arguments() const { return addresses_; }

  // Where the copy of a place in a buffer lies; the place itself, if it is in none.
  const char* moved(const char* place) const;

  void begin_block();  // makes shared memory unwritten
  // To be called before an access: whether it is right. Notes the bytes that it writes. After
  // false, refuse() throws the reason.
  bool allows(const void* place, std::size_t bytes, bool writes);
  // Throws Error: E721 an access outside of all buffers, E722 a read of bytes never written.
  [[noreturn]] void refuse(const KernelSource& source, VirtualIndex block,
                           VirtualIndex thread) const;

 private:
  struct Region {
    std::string name;
    char* begin;
    std::size_t bytes;
    std::vector<bool> written = {};  // by byte; empty: all are
    bool is_shared = false;
  };
  struct Copy {
    char *from, *to;
    std::size_t bytes;
  };
  struct Access {
    const char* place = nullptr;
    std::size_t bytes = 0;
    bool writes = false;
    const Region* unwritten = nullptr;  // read before it was written; null: an access outside
  };
  void copy_buffers(std::span<void* const> arguments,
                    std::span<const std::optional<VirtualBound>> bounds);

  std::vector<Region> regions_;
  std::vector<Copy> copies_;
  std::vector<void*> pointers_, addresses_;
  const char* image_[2];   // the unit's own memory: its beginning and its end
  const char* shared_[2];  // its __shared__ arrays with their edges
  char* memory_ = nullptr;
  std::size_t memory_bytes_ = 0;
  Access bad_;
};

}  // namespace selvage
