// Who the threads of a case are, what regions it has, and for whom each is: by looking at every
// thread.
#pragma once

#include "tests/threads/thread_case.h"

namespace selvage::thread_oracle {

// Finds each level's kind by the rules of the format, and adds the threads of warps and warpgroups
// that have none. To be called once a case is complete.
void complete_levels(ThreadCase& program);

// The numbers of threads: flat over all levels, the last index of the last level fastest.
class Numbering {
 public:
  explicit Numbering(const ThreadCase& program);

  std::int64_t threads() const { return threads_; }  // on all devices
  std::int64_t block_threads() const { return in_block_; }
  std::int64_t device_threads() const { return on_device_; }
  // All indices of a thread, those of levels side by side included; everything else is 0.
  const Values& values_of(std::int64_t thread) const { return values_[std::size_t(thread)]; }
  // How many threads an instance of the levels of this Parallel has inside.
  std::int64_t inside(const Item& parallel) const;

 private:
  void decode(const Item& parallel, std::int64_t thread, Values& values) const;
  const ThreadCase& case_;
  std::int64_t threads_ = 1, in_block_ = 1, on_device_ = 1;
  std::vector<Values> values_;  // by thread
};

// What a thread must fulfil: a term, or that the indices inside of a Parallel are all 0.
struct Condition {
  TermRef term = {};
  const Item* zero_inside = nullptr;
};
bool holds(const Condition& condition, const Numbering& numbering, std::int64_t thread,
           const Values& values);

struct Region {
  const Item* item = nullptr;
  std::string when;
  bool is_implicit = false, is_async = false;
  bool is_iteration = false;          // of a For with an if
  std::vector<Condition> conditions;  // of all that is around, and its own
  std::vector<const Item*> loops;     // For, outer first
  std::vector<Level> levels;          // of its mask
  bool is_in_inthreads = false;
};
// In the order of the file.
std::vector<Region> regions_of(const ThreadCase& program);

// The Parallel items directly inside of one, wherever in its body.
std::vector<const Item*> parallels_in(const Item& item);

struct Mask {
  std::vector<bool> active;           // by thread
  std::vector<std::int64_t> extents;  // of levels

  std::int64_t count() const;
  bool is_product() const;
  std::string text() const;  // of a product
  std::vector<std::string> rows() const;
  friend bool operator==(const Mask&, const Mask&) = default;
};
// With these values of symbols and loops.
Mask mask_of(const Region& region, const ThreadCase& program, const Numbering& numbering,
             const Values& others);

}  // namespace selvage::thread_oracle
