#pragma once

#include <selvage/kernel/kernel.h>

#include <string>
#include <unordered_set>
#include <vector>

namespace selvage {

// The loop statements around, outer to inner, with the labels that a Leave in an inner loop jumps
// to: `behind` to end the loop, `next` for its next iteration; empty: nothing jumps there.
class LoopLabels {
 public:
  struct Labels {
    std::string behind, next;
  };
  // `name`: of the loop's variable in C.
  Labels open(const Loop& loop, const std::string& name);
  void close() { loops_.pop_back(); }
  // The statement in C that a Leave is.
  std::string leave(const Leave& leave) const;

 private:
  std::string declare_label(const std::string& wanted);

  struct Opened {
    Expr variable;
    Labels labels;
  };
  std::vector<Opened> loops_;
  std::unordered_set<std::string> labels_;
};

}  // namespace selvage
