#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace selvage {

// How many threads of this machine may run one launch of the virtual device, the caller included:
// SELVAGE_VIRTUAL_THREADS, else the number of cores, 1 to kMaxVirtualThreads. Throws Error (E723)
// when the variable is no such number.
inline constexpr int kMaxVirtualThreads = 16;  // each keeps up to 1,024 stacks
int virtual_threads();

// Threads that help callers, made when first asked for and kept until the process ends. A process
// that has forked makes its own.
//
//   VirtualCrew crew;
//   crew.call(3, work);   // up to three threads of the pool call work(), as soon as they are free
//   work();               // so does the caller
//   crew.dismiss();       // whoever has not begun is not needed any more; waits for the others
//
// `work` must throw nothing, and may be called fewer times than asked for: not at all if no thread
// can be made.
class VirtualCrew {
 public:
  VirtualCrew();
  ~VirtualCrew();  // dismisses
  VirtualCrew(const VirtualCrew&) = delete;

  void call(int helpers, std::function<void()> work);
  void dismiss();

 private:
  struct Job;
  friend class VirtualPool;
  std::unique_ptr<Job> job_;
};

}  // namespace selvage
