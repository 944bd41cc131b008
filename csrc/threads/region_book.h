#pragma once

#include <selvage/threads/region.h>
#include <selvage/threads/thread_place.h>

#include <span>
#include <vector>

namespace selvage {

// The regions of a program, with masks, and what there is to be said of them.
class RegionBook {
 public:
  RegionBook(const Facts& facts, std::vector<ThreadRegion>& regions,
             std::vector<AsyncGroup>& groups, std::vector<Diagnostic>& diagnostics)
      : facts_(facts), regions_(regions), groups_(groups), diagnostics_(diagnostics) {}

  // `when`: what is asked for on top of the place's condition, inner indices being 0 included.
  // Warns (E813) of one that no thread runs, or every one that gets there.
  std::size_t add(ThreadRegion region, const ThreadPlace& at, Expr when);
  // The threads for which a condition holds at a place.
  RegionThreads threads(Expr condition, const ThreadPlace& at) const;

  // Facts at a place: of symbols, indices and loops; `is_guarded`: and what its condition says.
  Facts facts_at(const ThreadPlace& at, bool is_guarded) const;

  // Asynchronous regions as they come; all threads of the block have met.
  void note_async(std::size_t region);
  void close_group();
  // A serial loop begins and ends: what one iteration leaves open runs beside what the next begins
  // with. `may_be_skipped`: for some threads or values; nobody has met in it for sure, then.
  // `may_be_left`: in the middle, by break or continue.
  void enter_loop();
  void leave_loop(bool may_be_skipped, bool may_be_left);

 private:
  struct OpenLoop {
    std::vector<std::size_t> before;  // open when it began
    std::vector<std::size_t> head;    // up to where all have met for the first time
    std::vector<std::size_t> all;
    std::vector<bool> had_met;  // in each loop around
  };
  void add_group(std::vector<std::size_t> regions, bool is_of_two_iterations);
  void warn(const ThreadRegion& region, const ThreadPlace& at, Expr when);

  const Facts& facts_;
  std::vector<ThreadRegion>& regions_;
  std::vector<AsyncGroup>& groups_;
  std::vector<Diagnostic>& diagnostics_;
  std::vector<std::vector<const SerialFor*>> loops_;  // around, by region
  std::vector<std::size_t> open_;
  std::vector<OpenLoop> open_loops_;
  std::vector<bool> have_met_;  // in each of these
};

}  // namespace selvage
