#pragma once

#include <selvage/base/array.h>
#include <selvage/emulate/emulate.h>
#include <selvage/ir/sizes.h>
#include <selvage/lower/program.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace selvage {

// Where a program is run.
enum class Machine : std::uint8_t {
  Emulate,  // interprets the Kernel, every access checked
  Virtual,  // the emitted text, compiled for the CPU
  Gpu,
};
std::string_view to_string(Machine machine);  // emulate, virtual, gpu
std::optional<Machine> parse_machine(std::string_view name);
// Gpu if the machine has a GPU, else Virtual.
Machine default_machine();

// Who asks for a run. The help in messages names members of RunRequest for a Program, options of
// the command line for a Command.
enum class Asker : std::uint8_t { Program, Command };

// `sizes`: the sizes that neither an input's shape nor a fact determines. A stride that is a size
// without a value gets the value that it has in a dense array.
struct RunRequest {
  std::map<std::string, std::int64_t> sizes = {};
  std::map<std::string, Array> inputs =
      {};  // row-major by logical shape; a missing input is made_up_input()
  // By tensor: its address modulo kAlignment, in bytes; 0 if absent. For the virtual device; a
  // GPU's allocations are aligned.
  static constexpr std::int64_t kAlignment = 256;
  std::map<std::string, std::int64_t> offsets = {};
  std::uint64_t seed = 1;
  std::optional<Machine> on = {};  // if absent: default_machine()
  bool on_all = false;             // run on Emulate and Virtual as well
  // Virtual checks every access (VirtualKernel::launch_checked): the first wrong access becomes a
  // fault of the result and ends that machine's run. Kernels are then compiled by gcc (E701 if it
  // is missing), and times are those of checked launches.
  bool checks = false;
  bool times = false;  // measure RunResult::times
  // Offsets of rows that do not keep what they promise are run with, where they would be refused.
  bool trusts_offsets = false;
  // Returns outputs as they lie in memory, gaps 0, instead of by logical shape: a tensor laid out
  // densely over its allocation domain has the shape of that domain, any other is flat.
  bool as_in_memory = false;
  Asker asker = Asker::Program;
  EmulationOptions emulation = {};  // of Emulate
};

// One output of one run, compared with the same output of the unscheduled program.
struct Comparison {
  std::string output;
  Machine machine;
  std::int64_t points = 0;      // items compared
  std::int64_t unvisited = 0;   // items that no loop point visits, if the schedule allows that
  std::int64_t mismatches = 0;  // points not equal to the last bit (NaNs count as equal)
  std::int64_t failures = 0;    // mismatches beyond the error bound
  std::int64_t open = 0;        // points without a finite error bound, as a near tie decides
  // Over the failures or, if there are none, over the mismatches: the largest difference (a NaN
  // against a number counts as infinite), and a sentence that names the first item with it and both
  // values. `first` is empty if there are no mismatches.
  double max_difference = 0;
  std::string first;
};

// Seconds on the requested machine, each kernel run once. Emulation has no time to compile.
struct KernelTime {
  std::string name;
  double seconds = 0;
};
struct RunTimes {
  double compile = 0;
  std::vector<KernelTime> kernels;  // in the order in which they run
};

struct RunResult {
  std::map<std::string, std::int64_t> sizes;
  std::map<std::string, Array> inputs;   // given and made up
  std::map<std::string, Array> outputs;  // of the requested machine
  Machine machine;
  std::string device;                   // the GPU's name; empty elsewhere
  std::vector<Comparison> comparisons;  // those of the requested machine come first
  std::vector<std::string> faults;      // wrong accesses that emulation and checks find
  int launches = 0;                     // kernels run; 0: all outputs are empty
  std::optional<RunTimes> times = {};   // if RunRequest::times

  bool passed() const;
};

// Runs a program and compares every output with run_reference, bit for bit, except where
// emulate/error_bounds.h allows an error: results that depend on folds of floats, since these
// depend on the order of addition, and, on a GPU, results of exp and the like. Multiplication and
// addition are not contracted.
// Throws BadInput: E601 a size too large for this machine, E611 to E615 as run_reference says, E621
// sizes that a launch check rules out, E622 sizes that no variant of a kernel allows, E623 no GPU,
// E624 an item outside its tensor's memory, E626 two items of an output at one address.
// If a size or an extent is 0, the kernels of lower_specialised() run instead.
RunResult run(const Fusion& fusion, const Program& program, const RunRequest& request);

// The values of an input that a request leaves out: floats in [-1, 1), integers in [-8, 8),
// unsigned integers in [0, 16). They depend on name, type, shape and seed only, not on the machine.
Array made_up_input(const std::string& name, DataType type, std::vector<std::int64_t> shape,
                    std::uint64_t seed);
// The same for an input whose elements are indices of an axis, as far as its type has them: in
// [0, extent) or, if they `may_leave` it, in [-2, extent + 2).
struct MadeUpIndices {
  std::int64_t extent = 0;
  bool may_leave = true;
};
Array made_up_indices(const std::string& name, DataType type, std::vector<std::int64_t> shape,
                      MadeUpIndices within, std::uint64_t seed);
// The same for offsets of rows (ir/ragged.h), which rise from 0 to `items`.
Array made_up_offsets(const std::string& name, DataType type, std::vector<std::int64_t> shape,
                      std::int64_t items, std::uint64_t seed);
// The same for an input of a fusion, by what the fusion does with it: offsets that tell rows,
// indices that are read at, or values. Of several axes that are read at, the shortest counts.
// `offsets`: of the rows whose items it has, in each of which indices may have to rise.
Array made_up_input_of(const Fusion& fusion, TensorId input, std::vector<std::int64_t> shape,
                       const SizeValues& sizes, std::uint64_t seed, const Array* offsets = nullptr);

}  // namespace selvage
