#pragma once

#include <selvage/emulate/compiled.h>
#include <selvage/emulate/emulate.h>
#include <selvage/kernel/block_run.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace selvage {

class RunView;
class RunWatcher;

using Index3 = std::array<std::int64_t, 3>;

// The blocks and threads of a launch by number, x fastest.
struct LaunchGeometry {
  Index3 grid{}, block{};
  std::int64_t blocks() const { return count(grid); }
  std::int64_t threads() const { return count(block); }
  FaultThread thread(std::int64_t of_the_launch) const;

  static std::int64_t count(const Index3& extents);
  static Index3 at(std::int64_t number, const Index3& extents);
};

// The position of a run, and its faults so far.
class FaultLog {
 public:
  FaultLog(const Kernel& kernel, const CompiledKernel& compiled, Emulation& out)
      : kernel_(kernel), compiled_(compiled), out_(out) {}

  LaunchGeometry geometry;
  std::int64_t thread = 0;                      // the running thread, by its number in the launch
  const std::int64_t* slots = nullptr;          // its variables
  const std::vector<PlaceId>* scope = nullptr;  // the statements whose variables are in scope
  std::optional<std::uint32_t> lane = {};       // the slot of a Transfer's lane, which is, too
  // Null: nobody is told.
  RunWatcher* watcher = nullptr;
  const RunView* view = nullptr;

  // "y[7] WHAT, at block (0, 0, 0), thread (7, 0, 0), tx = 7"
  void report(FaultKind kind, BufferId b, std::int64_t address, const std::string& what,
              std::int64_t other = kNoThread);
  // "WHAT, at ..."
  void report(FaultKind kind, const std::string& what, std::int64_t other = kNoThread);
  // What the running thread does wrong where threads meet. `other`: by its number in the launch.
  std::string parting(const RunFault& fault, std::int64_t other, bool gives_a_value) const;
  // "thread (3, 0, 0)"; with "of block (1, 0, 0)" if that is not the running thread's block.
  std::string name(std::int64_t of_the_launch) const;

  static constexpr std::int64_t kNoThread = -1;

 private:
  // Counts a fault; whether it is kept.
  bool is_kept(FaultKind kind) {
    const bool is_first = ++out_.counts[kind] == 1;
    return ++out_.fault_count <= std::int64_t(Emulation::kMostFaults) || is_first;
  }
  void keep(Fault fault, const std::string& what, std::int64_t other);

  const Kernel& kernel_;
  const CompiledKernel& compiled_;
  Emulation& out_;
};

}  // namespace selvage
