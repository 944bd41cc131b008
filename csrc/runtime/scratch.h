#pragma once

#include <selvage/runtime/driver.h>

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace selvage {

// Memory between the kernels of one call, kept from call to call. On a GPU each stream has its own
// memory, which calls on that stream use in turn; on the virtual device each running call has.
class ScratchPool {
  struct Set;

 public:
  explicit ScratchPool(const Driver* driver);  // null: the virtual device
  ~ScratchPool();

  struct GiveBack {
    ScratchPool* pool;
    void operator()(Set* set) const { pool->give_back(set); }
  };
  // The holder has the memory to itself; take() for the same stream waits for it. Null if no bytes
  // were asked for.
  using Lease = std::unique_ptr<Set, GiveBack>;
  struct Wanted {
    std::size_t bytes = 0;
    bool begins_at_zero = false;  // 0 when it is allocated; as the last call left it from then on
  };
  // Appends the address of each buffer to `addresses`.
  Lease take(std::span<const Wanted> buffers, Driver::Stream stream,
             std::vector<std::uint64_t>& addresses);

 private:
  void give_back(Set* set);

  const Driver* driver_;
  std::mutex lock_;
  std::list<Set> sets_;
  std::vector<Set*> free_;  // of the virtual device
  std::map<Driver::Stream, Set*> of_stream_;
};

}  // namespace selvage
