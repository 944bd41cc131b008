#pragma once

#include <selvage/runtime/argument.h>
#include <selvage/runtime/handles.h>

#include <cstdint>
#include <initializer_list>
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
// Gpu where there is one, else Virtual.
Target default_target();

struct CompileOptions {
  std::optional<Target> target = {};  // default_target() if not said
  const Driver* driver = nullptr;     // of the GPU to run on; Driver::instance() if not said
  CompileCache* cache = nullptr;      // of what a GPU runs; CompileCache::instance() if not said
  // Of the virtual device: every access is checked (VirtualKernel::launch_checked); and if other
  // than 0, blocks and threads run in an order drawn from this.
  bool checks = false;
  std::uint64_t order_seed = 0;
  // What is neither proved nor refuted of the program's kernels (lower/proof.h) is taken to be so:
  // Executable::taken_on_trust says what that was.
  bool is_trusted = false;
  bool fmad = false;  // contract a*b + c on a GPU: faster, no longer equal to the virtual device
};

// How a call is to be made.
struct CallOptions {
  NamedSizes sizes = {};          // those that no shape tells
  StreamHandle stream = nullptr;  // on a GPU; null: the default one
};

// A program that runs. It refers to nothing that it was made from: fusion, schedule and program may
// go. Copies share everything. Calls may come from several threads at once.
class Executable {
 public:
  // Inputs, then outputs, in order of declaration. On a GPU it returns when all is launched, else
  // when all is done. What shapes, strides, sizes and alignments ask for (which kernels, launch
  // shapes, conditions) is worked out at the first call with them and kept. Where a size or an
  // extent is 0, what is left is computed by kernels of its own.
  // Throws BadInput before anything is launched: what Signature::bind says, E631 an output that
  // shares memory with another argument, E621 a launch check,
  // E622 no kernel for these sizes; Error: E701, E704 a kernel does not compile, E705 the driver,
  // E715 a kernel that was launched before has gone wrong; if checked, E721, E722 an access.
  void operator()(std::span<const Argument> arguments, const CallOptions& call = {}) const;
  void operator()(std::initializer_list<Argument> arguments, const CallOptions& call = {}) const {
    (*this)(std::span(arguments.begin(), arguments.size()), call);
  }

  const Signature& signature() const;
  Target target() const;
  // What nobody has proved of the kernels, a sentence each; empty: everything is proved.
  const std::vector<std::string>& taken_on_trust() const;
  // How many combinations of shapes, strides, sizes and alignments are kept.
  std::size_t kept() const;
  // What each kernel uses that has been compiled so far, in that order; of one that the driver has
  // compiled from PTX, stack_bytes has the spills in it. Nothing is known of the virtual device's.
  std::vector<KernelResources> resources() const;

 private:
  friend Executable compile(const Program& program, const CompileOptions& options);
  class State;
  explicit Executable(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

// Compiles the first variant of every step at once, others when sizes ask for them; beside the
// compiler, all kernels are proved to go right. Throws BadInput E623 where there is no such target,
// what the compilers throw (E713 without NVRTC), and Illegal: E445 where a kernel goes wrong, E446
// where that is not decided and options do not trust it.
Executable compile(const Program& program, const CompileOptions& options = {});

}  // namespace selvage
