#pragma once

#include <selvage/lower/program.h>

#include <map>
#include <string>
#include <vector>

namespace selvage {

// A tensor that a kernel computes again and again: by threads or blocks of which each computes all
// of it for itself, or by iterations of a loop that it does not depend on.
struct RepeatedWork {
  TensorId tensor{};
  // What repeats it, outer to inner; the product of `times` is how often each element is computed.
  struct By {
    ScheduledLoop loop;
    ParallelType parallel = ParallelType::Serial;  // a block or thread index, or none of the two
    double times = 1;                              // the extent of the loop
  };
  std::vector<By> by = {};
  double points = 0;  // of its nest, what it folds included, each once

  double times() const;
};

// What is worth a warning: a tensor that is computed twice or more, where that is more work than
// all that the program has to compute, each point once, and more than kFewPoints. So recomputed
// values of a broadcast operand, partial results that every thread folds, and small arrays are left
// out. A tensor that is inlined has no points of its own and is no such tensor; neither is what a
// kernel of its own stores. The worst comes first. `sizes`: as cost_of() takes them.
std::vector<RepeatedWork> repeated_work(const Program& program,
                                        const std::map<std::string, std::int64_t>& sizes = {});
inline constexpr double kFewPoints = 1 << 16;

}  // namespace selvage
