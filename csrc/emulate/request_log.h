#pragma once

#include <selvage/kernel/requests.h>
#include <selvage/kernel/touched_bytes.h>

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace selvage {

// Counts the requests of warps while a kernel is emulated: accesses of one warp by the same access
// of the text, in the same iteration of all loops around it, are one request.
class RequestLog {
 public:
  // `elements`: the number of each buffer's.
  RequestLog(const Kernel& kernel, std::size_t statements,
             const std::vector<std::int64_t>& elements);

  // A thread of the block runs a statement, in these iterations of the loops around.
  void begin(PlaceId place, std::uint32_t thread, std::vector<std::int64_t> iterations);
  // An access of that statement; `number` tells it from the others.
  void access(std::uint32_t number, AccessKind kind, BufferId buffer, std::int64_t address,
              std::int64_t width);
  void end_block();
  // By statement, kind and buffer; those that do not happen are left out.
  KernelRequests take();

 private:
  struct Run {
    PlaceId place = 0;
    std::uint32_t warp = 0;
    std::vector<std::int64_t> iterations;
    auto operator<=>(const Run&) const = default;
  };
  struct Access {
    BufferId buffer = 0;
    AccessKind kind = AccessKind::Read;
    std::uint32_t number = 0;
    auto operator<=>(const Access&) const = default;
  };

  const Kernel& kernel_;
  KernelRequests result_;
  std::vector<TouchedBytes> touched_;
  std::map<Run, std::map<Access, WarpRequest>> of_block_;
  std::map<Access, WarpRequest>* present_ = nullptr;  // of the statement that runs
  int lane_ = 0;
  std::map<std::pair<PlaceId, Access>, AccessRequests> counts_;
};

}  // namespace selvage
