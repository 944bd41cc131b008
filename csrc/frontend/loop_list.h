#pragma once

#include <list>
#include <span>
#include <vector>

namespace selvage {

// The loops of one tensor, outer to inner, by numbers, while a list of schedule items is read. Each
// change takes constant time, so that a long list is read in linear time.
class LoopList {
 public:
  LoopList() = default;
  explicit LoopList(std::span<const std::size_t> loops) {
    for (std::size_t d : loops) put(loops_.end(), d);
  }
  LoopList(const LoopList& other) {
    for (std::size_t d : other.loops_) put(loops_.end(), d);
  }
  LoopList& operator=(const LoopList&) = delete;

  // Replaces the loops `in` of a transform by its results `out`: those of a split stand where the
  // loop stood; that of a merge, where the outer loop stood; each of a swizzle (`paired`), in place
  // of its own input.
  void replace(std::span<const std::size_t> in, std::span<const std::size_t> out, bool paired) {
    const auto first = at_[in[0]];
    put(first, out[0]);
    if (!paired && out.size() > 1) put(first, out[1]);
    if (in.size() > 1) {
      const auto second = at_[in[1]];
      if (paired) put(second, out[1]);
      remove(in[1]);
    }
    remove(in[0]);
  }
  void remove(std::size_t d) {
    loops_.erase(at_[d]);
    at_[d] = loops_.end();
  }
  // Replaces all loops.
  void set(std::span<const std::size_t> order) {
    for (std::size_t d : loops_) at_[d] = loops_.end();
    loops_.clear();
    for (std::size_t d : order) put(loops_.end(), d);
  }
  bool has(std::size_t d) const { return d < at_.size() && at_[d] != loops_.end(); }
  const std::list<std::size_t>& loops() const { return loops_; }

 private:
  void put(std::list<std::size_t>::iterator before, std::size_t d) {
    if (at_.size() <= d) at_.resize(d + 1, loops_.end());
    at_[d] = loops_.insert(before, d);
  }

  std::list<std::size_t> loops_;
  std::vector<std::list<std::size_t>::iterator> at_;  // the end: no loop
};

}  // namespace selvage
