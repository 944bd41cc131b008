#pragma once

#include <selvage/kernel/participants.h>
#include <selvage/lower/barriers.h>
#include <selvage/threads/region_book.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace selvage {

// Chooses the barriers of a program: at places of the program, and inside of guards.
class ThreadBarriers {
 public:
  // `lowered`: the regions of the book, and their groups.
  // `has_any_number`: ids are not limited to the hardware's; for kernels that never run.
  ThreadBarriers(const RegionBook& book, const LoweredThreads& lowered, bool has_any_number = false)
      : book_(book),
        lowered_(lowered),
        numbers_(has_any_number ? std::numeric_limits<int>::max() : BarrierNumbers::kIds) {}

  // The threads of a block for which a condition holds at a place; nullopt and `why` as in
  // participants_of().
  std::optional<Participants> members(Expr condition, const ThreadPlace& at,
                                      std::string& why) const;

  // The barrier at which all threads that run the code at a place wait for one another. Beside an
  // inner level these are the elected threads, if they are one thread or in one warp. Otherwise all
  // threads that get there wait, as a warp meets other warps as a whole.
  struct Waiting {
    std::optional<Barrier> barrier;  // absent: there is only one thread
    bool is_of_elected = false;
  };
  // `what`: "sync: region". Throws Illegal E816.
  Waiting at_place(const Place& place, const ThreadPlace& at, const std::string& what);

  // To be called where all threads of the block have met, outside of all loops.
  void block_has_joined() { numbers_.block_has_joined(); }

  // E816 for each barrier of several warps given so far that shares a warp with another region that
  // runs at the same time.
  std::vector<Diagnostic> check_sharing() const;

  // The barriers for the threads that pass a guard, if there are any. `inside`: the place of the
  // guard's body; `region`, `place`: those of the guard.
  GuardBarriers within(const ThreadPlace& inside, std::optional<std::size_t> region,
                       const Place& place);

 private:
  struct Named {
    std::optional<std::size_t> region;  // the asynchronous one around
    Participants members;
    Place place;
  };
  std::optional<Diagnostic> sharing(const Named& named) const;

  const RegionBook& book_;
  const LoweredThreads& lowered_;
  BarrierNumbers numbers_;
  std::vector<Named> named_;
};

}  // namespace selvage
