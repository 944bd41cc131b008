#pragma once

#include <selvage/kernel/participants.h>
#include <selvage/lower/barriers.h>
#include <selvage/threads/region_book.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace selvage {

// Which barriers threads wait at: at places of a program, and inside of tests.
class ThreadBarriers {
 public:
  // `lowered`: the regions of the book, and their groups.
  // `has_any_number`: of sets of threads that wait, where what comes out is never run.
  ThreadBarriers(const RegionBook& book, const LoweredThreads& lowered, bool has_any_number = false)
      : book_(book),
        lowered_(lowered),
        numbers_(has_any_number ? std::numeric_limits<int>::max() : BarrierNumbers::kIds) {}

  // The threads of a block for whom a condition holds at a place; nothing as participants_of says.
  std::optional<Participants> members(Expr condition, const ThreadPlace& at,
                                      std::string& why) const;

  // Where all threads that run the code at a place wait for one another. Beside an inner level
  // those are the elected ones, if they are one or in one warp; else all that get there, who have
  // come anyway, for a warp meets other warps as a whole.
  struct Waiting {
    std::optional<Barrier> barrier;  // none: there is only one
    bool is_of_elected = false;
  };
  // `what`: "sync: region". Throws Illegal E816.
  Waiting at_place(const Place& place, const ThreadPlace& at, const std::string& what);

  // All threads of the block have met, outside of all loops.
  void block_has_joined() { numbers_.block_has_joined(); }

  // What is wrong with those of several warps that have been given: E816, one shares a warp with
  // another region that runs at the same time.
  std::vector<Diagnostic> check_sharing() const;

  // The barriers of those who pass a test, where they have any; `inside`: of the test, whose region
  // and place these are.
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
