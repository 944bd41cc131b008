#include <selvage/base/refuse.h>
#include <selvage/base/words.h>
#include <selvage/driver/machine.h>
#include <selvage/driver/run_threads.h>
#include <selvage/driver/work.h>
#include <selvage/threads/region_counts.h>

#include <algorithm>
#include <cstdio>
#include <numeric>

namespace selvage {

namespace {

constexpr std::int64_t kMostCounts = std::int64_t{1} << 24;

// What a machine does in a day, or less.
double most_statements(Machine machine) {
  switch (machine) {
    case Machine::Emulate: return 0x1p36;
    case Machine::Virtual: return 0x1p40;
    case Machine::Gpu: return 0x1p52;
  }
  return 0;
}

class ThreadRunner {
 public:
  ThreadRunner(const ThreadProgram& program, const ThreadRunRequest& request)
      : program_(program), request_(request) {}

  ThreadRun run() {
    result_.machine = request_.on.value_or(default_machine());
    check_machine(result_.machine, request_.asker);
    lower();
    take_symbols();
    check_work();
    take_arrays();
    for_each_device(0);
    for (std::size_t a = 0; a < program_.arrays.size(); ++a) {
      if (kernel().buffers[a].memory == Memory::Global && kernel().buffers[a].is_written) {
        result_.outputs[program_.arrays[a].name] = memory_[a];
      }
    }
    if (counts_) take_counts();
    return std::move(result_);
  }

 private:
  const Kernel& kernel() const { return *lowered_.kernel; }

  void lower() {
    if (request_.runs_refused) {
      lowered_ = lower_threads(program_, {.verifies = false});
      if (lowered_.kernel) return;
    }
    lowered_ = lower_threads(program_, {.counts = true});
    for (const Diagnostic& d : lowered_.diagnostics) {
      if (d.severity == Severity::Error) throw Illegal(d);
    }
    const std::optional<std::int64_t> all = SizeValues{}(kernel().buffers.back().elements);
    counts_ = all && *all > 0 && *all <= kMostCounts;
    if (!counts_) lowered_ = lower_threads(program_);
  }

  void take_symbols() {
    for (const auto& [name, value] : request_.symbols) {
      const auto is_it = [&](Expr s) { return s.name() == name; };
      if (std::any_of(program_.symbols.begin(), program_.symbols.end(), is_it)) continue;
      refuse<BadInput>("E614", "the program has no symbol " + name, "correct its name");
    }
    for (Expr s : program_.symbols) {
      const std::string name(s.name());
      const auto it = request_.symbols.find(name);
      if (it == request_.symbols.end()) {
        refuse<BadInput>("E614", "the symbol " + name + " has no value",
                         request_.asker == Asker::Command
                             ? "give it one, --size " + name + "=VALUE, or under sizes: in the file"
                             : "give it one, .symbols = {{\"" + name + "\", ...}}");
      }
      const Facts::Symbol* known = program_.facts.find(s);
      if (known != nullptr && !known->range.contains(it->second)) {
        refuse<BadInput>("E615",
                         "the value " + std::to_string(it->second) + " of the symbol " + name +
                             " is outside of its range",
                         "give it one between its min and its max");
      }
      sizes_.add(s, it->second);
      result_.symbols[name] = it->second;
    }
  }

  void check_work() const {
    double statements = statements_of_launch(kernel(), sizes_);
    for (std::size_t d = program_.symbols.size(); d < kernel().sizes.size(); ++d) {
      statements *= double(devices(d));
    }
    if (statements <= most_statements(result_.machine)) return;
    char text[32];
    std::snprintf(text, sizeof text, "%.2g", statements);
    refuse<BadInput>("E617",
                     std::string("the run comes to ") + text + " statements, more than " +
                         std::string(to_string(result_.machine)) + " does in a day",
                     "make extents smaller, or give symbols smaller values");
  }
  // The extent of a device's index, which is one of the kernel's sizes.
  std::int64_t devices(std::size_t size) const {
    return kernel().facts.find(kernel().sizes[size])->range.hi + 1;
  }

  void take_arrays() {
    for (const auto& [name, array] : request_.inputs) {
      const auto is_it = [&](const ThreadArray& a) {
        return a.name == name && a.memory == Memory::Global;
      };
      if (std::any_of(program_.arrays.begin(), program_.arrays.end(), is_it)) continue;
      refuse<BadInput>("E611", "the program has no global array " + name, "correct its name");
    }
    for (const ThreadArray& a : program_.arrays) {
      if (a.memory != Memory::Global) {
        memory_.emplace_back();
        continue;
      }
      std::vector<std::int64_t> shape;
      for (Expr n : a.shape) shape.push_back(sizes_(n).value_or(0));
      memory_.push_back(initial(a, shape));
      result_.inputs[a.name] = memory_.back();
    }
    memory_.resize(memory_.size() + program_.events.size());
    if (counts_) {
      memory_.emplace_back(DataType::Int32,
                           std::vector{*SizeValues{}(kernel().buffers.back().elements)});
    }
  }
  Array initial(const ThreadArray& a, const std::vector<std::int64_t>& shape) const {
    const auto it = request_.inputs.find(a.name);
    if (it == request_.inputs.end()) return Array(a.type, shape);
    const Array& given = it->second;
    const std::string help =
        "give " + std::string(to_string(a.type)) + bracketed(shape) + " for it";
    if (given.type != a.type) {
      refuse<BadInput>("E613",
                       "the array " + a.name + " is of type " + std::string(to_string(given.type)) +
                           ", not " + std::string(to_string(a.type)),
                       help);
    }
    if (given.shape != shape) {
      refuse<BadInput>("E612",
                       "the array " + a.name + " has shape " + bracketed(given.shape) + ", not " +
                           bracketed(shape),
                       help);
    }
    return given;
  }

  // All values of the devices' indices, outer first.
  void for_each_device(std::size_t k) {
    const std::size_t first = program_.symbols.size();
    if (first + k == kernel().sizes.size()) return launch();
    const std::int64_t n = devices(first + k);
    sizes_.symbols.push_back(kernel().sizes[first + k]);
    for (std::int64_t d = 0; d < n; ++d) {
      sizes_.values.push_back(d);
      for_each_device(k + 1);
      sizes_.values.pop_back();
    }
    sizes_.symbols.pop_back();
  }

  void launch() {
    std::vector<std::size_t> numbers(kernel().buffers.size());
    std::iota(numbers.begin(), numbers.end(), std::size_t(0));
    const BoundKernel launch(kernel(), sizes_, std::move(numbers));
    const std::vector<std::int64_t> offsets(memory_.size(), 0);
    Outcome outcome = execute(
        result_.machine, {launch}, sizes_, memory_, offsets,
        request_.checks ? std::optional(std::vector<bool>(memory_.size(), true)) : std::nullopt,
        request_.emulation);
    for (std::string& fault : outcome.faults) result_.faults.push_back(std::move(fault));
    result_.device = outcome.device;
    if (!request_.times) return;
    if (!result_.times) result_.times.emplace();
    result_.times->compile += outcome.times.compile;
    for (KernelTime& t : outcome.times.kernels) result_.times->kernels.push_back(std::move(t));
  }

  // ---- who ran what ----

  void take_counts() {
    const Array& all = memory_.back();
    const std::int64_t regions = std::int64_t(lowered_.regions.size());
    const std::int64_t threads = all.size() / std::max<std::int64_t>(regions, 1);
    for (std::int64_t r = 0; r < regions; ++r) {
      std::vector<std::int64_t>& own = result_.executed.emplace_back();
      for (std::int64_t t = 0; t < threads; ++t) own.push_back(all.get_int(r * threads + t));
      compare(std::size_t(r), own);
    }
  }

  void compare(std::size_t region, const std::vector<std::int64_t>& executed) {
    const ThreadRegion& own = lowered_.regions[region];
    const RegionCounts counts = region_counts(own, with_values(program_.facts, sizes_));
    if (!counts.is_known()) {
      result_.not_compared[region] = counts.unknown;
      return;
    }
    const std::string wrong = difference(own, counts, executed);
    if (!wrong.empty()) result_.differences.push_back(wrong);
  }

  const ThreadProgram& program_;
  const ThreadRunRequest& request_;
  LoweredThreads lowered_;
  bool counts_ = false;
  SizeValues sizes_;
  ProgramMemory memory_;  // by kernel buffer
  ThreadRun result_;
};

}  // namespace

ThreadRun run_threads(const ThreadProgram& program, const ThreadRunRequest& request) {
  return ThreadRunner(program, request).run();
}

std::vector<std::string> differences(const ThreadRun& a, const ThreadRun& b) {
  std::vector<std::string> out;
  const std::string where =
      " by " + std::string(to_string(a.machine)) + " and " + std::string(to_string(b.machine));
  for (const auto& [name, array] : a.outputs) {
    if (array != b.outputs.at(name)) out.push_back(name + " is not the same" + where);
  }
  for (std::size_t r = 0; r < a.executed.size(); ++r) {
    if (a.executed[r] == b.executed.at(r)) continue;
    out.push_back("region " + std::to_string(r) + " is not run alike" + where);
  }
  return out;
}

}  // namespace selvage
