// Rings of bulk copies, which belong to barrier objects.
#pragma once

#include "tests/support/event_kernels.h"

namespace selvage::test {

// Tile k is copied in iteration k of the ring and used in iteration k + ahead. Each thread copies
// four elements of a tile and uses one that another thread has copied.
struct BulkRing : EventKernel {
  enum class Part : std::uint8_t { Wait, Fence, Meet, Copy, Arrive, Use };
  using Parts = std::vector<Part>;

  explicit BulkRing(std::int64_t threads = 32) : EventKernel("bulk", threads), arrivals(threads) {}

  std::int64_t stages = 3, ahead = 2;
  std::int64_t objects = 3;    // in the ring
  std::int64_t arrivals;       // of a phase
  std::int64_t waits_for = 2;  // the phase that was arrived at so many iterations before
  bool announces = true;
  bool by_one = false;        // the first thread copies a whole tile, and arrives alone
  bool by_each_warp = false;  // the first of each warp
  std::int64_t left_out = 0;  // so many last tiles are not copied
  Parts parts = {Part::Wait, Part::Fence, Part::Meet, Part::Copy, Part::Arrive, Part::Use};
  std::optional<std::int64_t> tiles = {};  // absent: any number from 1 on

  const Kernel& make() {
    const Expr n = tiles ? c(*tiles) : size("n");
    if (!tiles) kernel.facts.bound(n, c(1), c(600));
    const Expr end = n + ahead, k = variable("k", end);
    const std::int64_t width = 4 * threads;
    const BufferId x = input("x", DataType::Float, n * width),
                   y = output("y", DataType::Float, n * threads);
    const BufferId s = shared("s", DataType::Float, width * stages);
    const BufferId full = this->objects_named("full");
    const BarrierObject own{full, k % objects};
    const Expr later = k + (2 * objects - waits_for);  // not negative
    Body body;
    for (Part part : parts) {
      switch (part) {
        case Part::Wait: body.push_back(wait({full, later % objects}, later / objects - 2)); break;
        case Part::Fence: body.push_back({ProxyFence{}}); break;
        case Part::Meet: body.push_back(barrier()); break;
        case Part::Copy: body.push_back(guard(of(k < n - left_out), {copy(s, x, k, own)})); break;
        case Part::Arrive: body.push_back(guard(of(k < n - left_out), {arrive(own)})); break;
        case Part::Use: {
          const Expr tile = k - ahead;
          body.push_back(
              guard(0 <= tile, {store(y, tile * threads + t,
                                      read(s, tile % stages * width + (width - 1) - t * 4))}));
          break;
        }
      }
    }
    return with({loop(k, end, std::move(body))});
  }

 private:
  BufferId objects_named(const std::string& name) {
    return EventKernel::objects(name, objects, arrivals);
  }
  Expr of(Expr condition) const {
    return !by_one ? condition : by_each_warp ? condition && t % 32 <= 0 : condition && t <= 0;
  }
  Statement copy(BufferId s, BufferId x, Expr k, const BarrierObject& own) {
    const std::int64_t width = 4 * threads;
    const Expr first = by_one ? c(0) : t * 4;
    Statement begun =
        begin(s, k % stages * width + first, x, k * width + first, by_one ? width : 4, 4, own);
    std::get<AsyncCopy>(begun.node).announces = announces;
    return begun;
  }
};

}  // namespace selvage::test
