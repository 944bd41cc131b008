#pragma once

#include <selvage/ir/sizes.h>
#include <selvage/lower/program.h>
#include <selvage/runtime/driver.h>

#include <span>
#include <vector>

namespace selvage {

class BoundKernel;   // runtime/bound_kernel.h
class CompileCache;  // runtime/compile_cache.h

// Times the kernels of programs on a GPU. Inputs are made up, and repeat where they are long: a GPU
// may be faster with zeros than with numbers.
class KernelTimer {
 public:
  // All must outlive it. `cache`: of compiled kernels; null: CompileCache::instance().
  KernelTimer(const Driver& driver, CompileCache* cache, const SizeValues& sizes, int runs);

  // Compiles what times() will launch of these programs, several kernels at once.
  void compile(std::span<const Program* const> programs);
  // Seconds of each launch: the median of the runs. Before each run a buffer twice as large as L2
  // is written. Throws what compiling and launching throw.
  std::vector<double> times(const Program& program);

 private:
  struct Memory;
  void fill(const Program& program, Memory& memory) const;
  std::vector<BoundKernel> launches(const Program& program,
                                    std::span<const std::uint64_t> addresses) const;
  CompileCache& cache() const;

  const Driver& driver_;
  CompileCache* cache_;
  const SizeValues& sizes_;
  int runs_;
  DeviceBuffer flushed_;
};

}  // namespace selvage
