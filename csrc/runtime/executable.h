#pragma once

#include <selvage/runtime/argument.h>
#include <selvage/runtime/handles.h>

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace selvage {

class CompileCache;      // runtime/compile_cache.h
class Driver;            // runtime/driver.h
struct KernelResources;  // runtime/ptxas_log.h

enum class Target : std::uint8_t { Gpu, Virtual };
std::string_view to_string(Target target);  // gpu, virtual
// Gpu if the machine has a GPU, else Virtual.
Target default_target();

struct CompileOptions {
  std::optional<Target> target = {};  // absent: Gpu if `driver` is given, else default_target()
  const Driver* driver = nullptr;     // of the GPU to run on; null: Driver::instance()
  CompileCache* cache = nullptr;      // of kernels for a GPU; null: CompileCache::instance()
  // Virtual device only. `checks`: every access is checked (VirtualKernel::launch_checked).
  // `order_seed`, if not 0: blocks and threads run in an order drawn from this seed.
  bool checks = false;
  std::uint64_t order_seed = 0;
  // Claims about the program's kernels that are neither proved nor refuted (lower/proof.h) are
  // assumed to hold; Executable::taken_on_trust() lists them.
  bool is_trusted = false;
  bool fmad = false;  // contract a*b + c on a GPU: faster, no longer equal to the virtual device
};

// The options of one call.
struct CallOptions {
  NamedSizes sizes = {};          // the sizes that no argument's shape determines
  StreamHandle stream = nullptr;  // on a GPU; null: the default stream
};

// A compiled program. An Executable keeps no reference to the fusion, schedule or program that it
// was made from. Copies share all state. Several threads may call one Executable at the same time.
class Executable {
 public:
  // `arguments`: inputs, then outputs, in order of declaration. On a GPU the call returns when all
  // kernels are launched; on the virtual device, when all have ended. The first call with given
  // shapes, strides, sizes and alignments chooses kernels and launch shapes and checks the
  // conditions; later calls with the same reuse that. If a size or an extent is 0, special kernels
  // (lower/specialised.h) compute the outputs that have items.
  // Throws BadInput before anything is launched: what Signature::bind throws, E631 an output that
  // shares memory with another argument, E621 a failed launch check, E622 no kernel for these
  // sizes, E629 an address aligned less than its tensor was declared; Error: E701, E704 a kernel
  // does not compile, E705 the driver fails, E715 an earlier kernel failed; if checked, E721, E722
  // a wrong access.
  void operator()(std::span<const Argument> arguments, const CallOptions& call = {}) const;
  void operator()(std::initializer_list<Argument> arguments, const CallOptions& call = {}) const {
    (*this)(std::span(arguments.begin(), arguments.size()), call);
  }

  const Signature& signature() const;
  Target target() const;
  // The claims about the kernels that are not proved, one sentence each; empty: all are proved.
  const std::vector<std::string>& taken_on_trust() const;
  // The number of combinations of shapes, strides, sizes and alignments that calls have met so far.
  std::size_t kept() const;
  // The resources of each kernel compiled so far, in order of compilation. If the driver compiled a
  // kernel from PTX, its stack_bytes include spills. Unknown on the virtual device.
  std::vector<KernelResources> resources() const;

 private:
  friend Executable compile(const Program& program, const CompileOptions& options);
  class State;
  explicit Executable(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

// Compiles the first variant of every step now, and other variants when the sizes of a call need
// them. While the compiler runs, another thread proves that all kernels are correct (prove()).
// Throws BadInput E623 if there is no GPU to compile for, what the compilers throw (E713 without
// NVRTC), and Illegal: E445 a kernel is refuted, E446 a kernel is undecided and not is_trusted.
Executable compile(const Program& program, const CompileOptions& options = {});
// Schedules a fusion for the device that it runs on, lowers and compiles it. `sizes`: as
// auto_schedule() takes them. On the virtual device the schedule is for default_device(). Plans
// that tune() has kept on disk are used. Where the lengths of rows are open, a call takes the
// program for such rows (lower/programs_by_size.h), which is compiled when it is first needed.
Executable compile(const Fusion& fusion, const CompileOptions& options = {},
                   const std::map<std::string, std::int64_t>& sizes = {});

}  // namespace selvage
