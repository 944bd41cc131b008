#pragma once

#include <selvage/base/shuffle.h>
#include <selvage/runtime/kernel_source.h>
#include <selvage/runtime/virtual_prelude.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace selvage {

class Fiber;

// The threads of one block after the other, on fibers, as VirtualKernel says.
class VirtualBlock {
 public:
  VirtualBlock(const KernelSource& source, VirtualMachine& machine, VirtualThread entry,
               const std::vector<VirtualIndex>& threads);

  // Runs the machine's block to its end. Throws Error (E702).
  void run(SplitMix64* random);

 private:
  // Where a thread stands.
  struct Stop {
    enum class Kind { Exited, Barrier, WarpBarrier, Shuffle };
    Kind kind = Kind::Exited;
    int line = kExited;
    std::byte* value = nullptr;  // of a shuffle, on the thread's stack
    unsigned bytes = 0;
    int lanes = 0;
    static constexpr int kExited = -1;
    bool is_of_warp() const { return kind == Kind::WarpBarrier || kind == Kind::Shuffle; }
  };
  using Threads = std::vector<std::size_t>;

  static std::vector<std::unique_ptr<Fiber>>& fibers();
  static void wait(int line);
  static void wait_for_warp(int line);
  static void exchange(void* value, unsigned bytes, int lanes, int line);
  static void stop(Stop at);

  void run_warp(Threads& warp, SplitMix64* random);
  void exchange(const Threads& warp);
  [[noreturn]] void refuse(Threads threads, const std::string& whose) const;
  [[noreturn]] void refuse_narrow(const Threads& warp) const;
  std::string note(std::size_t thread, std::ptrdiff_t more) const;
  [[noreturn]] void refuse(std::string message, std::vector<std::string> notes,
                           std::string help) const;

  static thread_local Stop running_;  // where the thread that ran last stands
  const KernelSource& source_;
  VirtualMachine& machine_;
  VirtualThread entry_;
  const std::vector<VirtualIndex>& threads_;
  std::vector<Threads> warps_;
  std::vector<Stop> stops_;  // of each thread
  std::vector<std::byte> given_;
};

}  // namespace selvage
