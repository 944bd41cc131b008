#pragma once

#include <selvage/ir/sizes.h>
#include <selvage/lower/program.h>
#include <selvage/runtime/driver.h>

#include <vector>

namespace selvage {

class CompileCache;

// Times the kernels of programs of one fusion on a GPU. Inputs and outputs are allocated once;
// inputs are 0, except for the indices of gathers, which are made up.
class KernelTimer {
 public:
  // All must outlive it. `cache`: of compiled kernels; null: CompileCache::instance().
  KernelTimer(const Driver& driver, CompileCache* cache, const SizeValues& sizes, int runs);

  // Seconds of each launch: the median of the runs. Before each run a buffer twice as large as L2
  // is written. Throws what compiling and launching throw.
  std::vector<double> times(const Program& program);

 private:
  struct Memory;
  void fill(const Program& program, Memory& memory) const;

  const Driver& driver_;
  CompileCache* cache_;
  const SizeValues& sizes_;
  int runs_;
  DeviceBuffer flushed_;
};

}  // namespace selvage
