#pragma once

#include <selvage/base/array.h>
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
  Emulate,  // the Kernel itself, every access checked
  Virtual,  // the emitted text, compiled for the CPU
  Gpu,
};
std::string_view to_string(Machine machine);  // emulate, virtual, gpu
std::optional<Machine> parse_machine(std::string_view name);
// Gpu where there is one, else Virtual.
Machine default_machine();

// Who asks for a run: helps speak of what they have at hand, members of a request or options of a
// command line.
enum class Asker : std::uint8_t { Program, Command };

// `sizes`: those that no input tells by its shape; strides that are left open are dense.
struct RunRequest {
  std::map<std::string, std::int64_t> sizes = {};
  std::map<std::string, Array> inputs =
      {};  // row-major by logical shape; what is missing is made up
  // Bytes by which a tensor's address misses an alignment of kAlignment; 0 if not said. For the
  // virtual device; a GPU's allocations are aligned.
  static constexpr std::int64_t kAlignment = 256;
  std::map<std::string, std::int64_t> offsets = {};
  std::uint64_t seed = 1;
  std::optional<Machine> on = {};  // default_machine() if not said
  bool on_all = false;             // on Emulate and Virtual as well
  // On Virtual, every access checked (VirtualKernel::launch_checked): the first that is wrong is a
  // fault of the result and ends the run there. By gcc, E701 where it is missing; times are those
  // of checked launches.
  bool checks = false;
  bool times = false;  // measure
  // Outputs as they lie in memory, gaps 0, instead of by logical shape: a tensor laid out densely
  // over its allocation domain has that shape, any other is flat.
  bool as_in_memory = false;
  Asker asker = Asker::Program;
};

// One output of one run beside the unscheduled program.
struct Comparison {
  std::string output;
  Machine machine;
  std::int64_t points = 0;      // compared
  std::int64_t unvisited = 0;   // items that no loop point visits, where that is allowed
  std::int64_t mismatches = 0;  // not equal to the last bit (NaNs count as equal)
  std::int64_t failures = 0;    // of those, beyond what is allowed
  std::int64_t open = 0;        // of the points: a near tie decides, and nothing bounds them
  // Of the failures, or, where there are none, of the mismatches: the largest, NaN against a number
  // being infinite; where the first of that size is, and both values. Empty: nowhere.
  double max_difference = 0;
  std::string first;
};

// How long it took, in seconds, on the machine that was asked for, each kernel run once; emulation
// compiles nothing.
struct KernelTime {
  std::string name;
  double seconds = 0;
};
struct RunTimes {
  double compile = 0;
  std::vector<KernelTime> kernels;  // in the order in which they were run
};

struct RunResult {
  std::map<std::string, std::int64_t> sizes;
  std::map<std::string, Array> inputs;   // as they were used
  std::map<std::string, Array> outputs;  // of the machine that was asked for
  Machine machine;
  std::string device;                   // the GPU's name; empty elsewhere
  std::vector<Comparison> comparisons;  // the machine that was asked for first
  std::vector<std::string> faults;      // what emulation and checks have found
  int launches = 0;                     // kernels run; 0: all outputs are empty
  std::optional<RunTimes> times = {};   // if asked for

  bool passed() const;
};

// Runs a program and compares every output, bit for bit, with run_reference, but for what
// emulate/error_bounds.h allows: results that depend on folds of floats, which depend on the order
// of addition, and, on a GPU, results of exp and the like. Multiplication and addition are not
// contracted.
// Throws BadInput: E601 a size too large for this machine, E611 to E615 as run_reference says, E621
// sizes that a launch check rules out, E622 sizes that no variant of a kernel allows, E623 no GPU,
// E624 an item outside its tensor's memory, E626 two items of an output at one address.
// Where a size or an extent is 0, the kernels of lower_specialised() are run instead.
RunResult run(const Fusion& fusion, const Program& program, const RunRequest& request);

// The array that an input left out is filled with: floats in [-1, 1), integers in [-8, 8), unsigned
// ones in [0, 16). The same for the same name, type, shape and seed, on every machine.
Array made_up_input(const std::string& name, DataType type, std::vector<std::int64_t> shape,
                    std::uint64_t seed);

}  // namespace selvage
