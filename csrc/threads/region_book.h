#pragma once

#include <selvage/threads/region.h>
#include <selvage/threads/thread_place.h>

#include <span>
#include <vector>

namespace selvage {

// Collects the regions of a program, with their masks, groups and diagnostics, while the program is
// walked through.
class RegionBook {
 public:
  RegionBook(const Facts& facts, std::vector<ThreadRegion>& regions,
             std::vector<AsyncGroup>& groups, std::vector<Diagnostic>& diagnostics)
      : facts_(facts), regions_(regions), groups_(groups), diagnostics_(diagnostics) {}

  // Adds a region and returns its number. `when`: its condition besides the place's, including that
  // inner indices are 0. Warns (E813) if no thread runs it, or every thread that gets there.
  std::size_t add(ThreadRegion region, const ThreadPlace& at, Expr when);
  // The threads for which a condition holds at a place.
  RegionThreads threads(Expr condition, const ThreadPlace& at) const;

  // The facts at a place about symbols, indices and loops; if `is_guarded`, its condition as well.
  Facts facts_at(const ThreadPlace& at, bool is_guarded) const;

  // An asynchronous region begins. All threads of the block meet: the group of regions ends.
  void note_async(std::size_t region);
  void close_group();
  // A serial loop begins and ends. Regions left open by one iteration run beside the first regions
  // of the next. `may_be_skipped`: some threads or values may skip the loop, so threads need not
  // have met in it. `may_be_left`: a break or continue may leave it in the middle.
  void enter_loop();
  void leave_loop(bool may_be_skipped, bool may_be_left);

 private:
  struct OpenLoop {
    std::vector<std::size_t> before;  // regions open when the loop began
    std::vector<std::size_t> head;    // regions before all threads meet in it for the first time
    std::vector<std::size_t> all;
    std::vector<bool> had_met;  // have_met_ when the loop began
  };
  void add_group(std::vector<std::size_t> regions, bool is_of_two_iterations);
  void warn(const ThreadRegion& region, const ThreadPlace& at, Expr when);

  const Facts& facts_;
  std::vector<ThreadRegion>& regions_;
  std::vector<AsyncGroup>& groups_;
  std::vector<Diagnostic>& diagnostics_;
  std::vector<std::vector<const SerialFor*>> loops_;  // around each region
  std::vector<std::size_t> open_;
  std::vector<OpenLoop> open_loops_;
  std::vector<bool> have_met_;  // by open loop: whether all threads have met in it
};

}  // namespace selvage
