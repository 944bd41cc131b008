#include <selvage/base/check.h>
#include <selvage/base/points.h>
#include <selvage/base/refuse.h>
#include <selvage/base/words.h>
#include <selvage/driver/contracts.h>
#include <selvage/driver/error_model.h>
#include <selvage/driver/machine.h>
#include <selvage/driver/run_arguments.h>
#include <selvage/emulate/reference.h>
#include <selvage/lower/programs_by_size.h>
#include <selvage/lower/specialised.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace selvage {

namespace {

// The initial bytes of memory that a kernel writes: hardly ever a right result.
constexpr std::byte kUnwritten{0xA5};

std::string element_text(const Array& a, std::int64_t k) {
  if (!is_floating(a.type)) return std::to_string(a.get_int(k));
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", a.get(k));
  return text;
}

bool same_bits(const Array& a, const Array& b, std::int64_t k) {
  const std::size_t bytes = std::size_t(size_of(a.type)), at = std::size_t(k) * bytes;
  return std::memcmp(a.bytes.data() + at, b.bytes.data() + at, bytes) == 0;
}

// `visited`: by point, whether to compare it; empty: all.
Comparison compare(const std::string& name, Machine machine, const BoundedArray& reference,
                   const Array& actual, const std::vector<bool>& visited) {
  Comparison c{.output = name, .machine = machine, .first = {}};
  const Array& expected = reference.values;
  for (std::int64_t k = 0; k < expected.size(); ++k) {
    if (!visited.empty() && !visited[std::size_t(k)]) {
      ++c.unvisited;
      continue;
    }
    ++c.points;
    const double error = reference.errors.empty() ? 0 : reference.errors[std::size_t(k)];
    if (error == kOpen) ++c.open;
    if (same_bits(expected, actual, k)) continue;
    const double e = expected.get(k), a = actual.get(k);
    if (is_floating(expected.type) && std::isnan(e) && std::isnan(a)) continue;
    const double difference = std::isnan(a - e) ? HUGE_VAL : std::abs(a - e);
    ++c.mismatches;
    const bool fails = !(error > 0 && is_within(e, a, error, expected.type));
    c.failures += fails ? 1 : 0;
    // A failure is named rather than a mismatch within the bound.
    const bool is_first = c.first.empty() || (fails && c.failures == 1);
    if (c.failures > 0 && !fails) continue;
    if (!is_first && difference <= c.max_difference) continue;
    c.max_difference = difference;
    c.first = name + point_text(k, expected.shape) + " is " + element_text(actual, k) +
              ", the unscheduled program has " + element_text(expected, k);
  }
  return c;
}

class Run {
 public:
  Run(const Fusion& fusion, const Program& program, const RunRequest& request)
      : fusion_(fusion), original_(&program), program_(&program), request_(request) {}

  RunResult run() {
    result_.machine = request_.on.value_or(default_machine());
    check_machine(result_.machine, request_.asker);
    RunArguments arguments = arguments_of(fusion_, request_);
    sizes_ = std::move(arguments.sizes);
    result_.inputs = std::move(arguments.inputs);
    result_.sizes = request_.sizes;
    for (std::size_t k = 0; k < sizes_.symbols.size(); ++k) {
      result_.sizes[std::string(sizes_.symbols[k].name())] = sizes_.values[k];
    }
    const bool is_special = have_zero_extent(fusion_, sizes_);
    if (!is_special) take_program_for_sizes();
    if (!request_.trusts_offsets) check_contracts(fusion_, result_.inputs, sizes_);
    expected_on(result_.machine);  // says what is wrong with sizes and inputs
    if (is_special) specialise();
    check_launch_conditions(fusion_, program_->checks, sizes_);
    take_offsets();
    for (const ProgramBuffer& b : program_->buffers) {
      const Schedule& schedule = *program_->schedule;
      layouts_.emplace_back(schedule.fusion(), schedule.graph(), b.holds.tensor, sizes_);
      if (b.role != Role::Input) check_no_overlap(b.name, layouts_.back());
    }
    launches_ = launches_of(program_->steps, program_->buffers, sizes_, offsets_);
    result_.launches = int(launches_.size());
    find_visited();
    run_on(result_.machine);
    // Offsets that were computed promise the same as those that are given.
    if (!request_.trusts_offsets) check_contracts(fusion_, result_.outputs, sizes_);
    if (request_.on_all) {
      for (Machine other : {Machine::Emulate, Machine::Virtual}) {
        if (other != result_.machine) run_on(other);
      }
    }
    return std::move(result_);
  }

 private:
  using Role = ProgramBuffer::Role;

  void take_offsets() {
    for (const ProgramBuffer& b : program_->buffers) {
      const std::string& name = b.in_place_of ? program_->buffers[*b.in_place_of].name : b.name;
      const auto offset = request_.offsets.find(name);
      offsets_.push_back(offset == request_.offsets.end() ? 0 : offset->second);
    }
  }

  void take_program_for_sizes() {
    if (original_->by_size) {
      sized_ = original_->by_size->of_sizes(with_longest_rows(fusion_, sizes_, result_.inputs));
    }
    if (sized_) original_ = program_ = sized_.get();
  }

  // A kernel takes every extent for at least 1. Where one is not, others are run.
  void specialise() {
    specialised_ = lower_specialised(fusion_, sizes_);
    program_ = &specialised_->program;
  }

  static void check_no_overlap(const std::string& name, const Layout& layout) {
    const auto shared = layout.overlap();
    if (!shared) return;
    const std::vector<std::int64_t> apart = layout.strides_apart();
    refuse<BadInput>("E626",
                     name + point_text(shared->first, layout.shape()) + " and " + name +
                         point_text(shared->second, layout.shape()) + " would lie at one address",
                     "choose strides that keep the items of " + name + " apart" +
                         (apart.empty() ? "" : ", such as " + bracketed(apart)));
  }

  // The buffer of the fusion's output with that number; nullopt: it has no items.
  std::optional<std::size_t> buffer_of(TensorId output, std::size_t number) const {
    for (std::size_t b = 0; b < program_->buffers.size(); ++b) {
      if (program_->buffers[b].role != Role::Output) continue;
      const TensorId own = program_->buffers[b].holds.tensor;
      if (specialised_ ? specialised_->origins[index_of(own)] == output : number-- == 0) return b;
    }
    SELVAGE_CHECK(specialised_.has_value());
    return std::nullopt;
  }

  // The number of the memory that a program buffer lies in.
  std::size_t place_of(std::size_t b) const { return program_->buffers[b].in_place_of.value_or(b); }

  ProgramMemory memory() const {
    ProgramMemory memory;
    for (std::size_t b = 0; b < program_->buffers.size(); ++b) {
      const ProgramBuffer& buffer = program_->buffers[b];
      if (buffer.role == Role::Input) {
        memory.push_back(layouts_[b].to_memory(result_.inputs.at(buffer.name)));
      } else if (buffer.begins_at_zero) {
        memory.emplace_back(buffer.type, std::vector{*sizes_(buffer.elements)});
      } else {
        const bool is_tensor = buffer.holds.is_of_items();
        memory.emplace_back(buffer.type, std::vector{is_tensor ? layouts_[b].elements()
                                                               : *sizes_(buffer.elements)});
        std::fill(memory.back().bytes.begin(), memory.back().bytes.end(), kUnwritten);
      }
    }
    return memory;
  }

  std::vector<bool> are_filled() const {
    std::vector<bool> filled;
    for (const ProgramBuffer& b : program_->buffers) filled.push_back(b.role == Role::Input);
    return filled;
  }

  // If a nest may lose items, emulates the kernels to find the items that are stored: only these
  // are compared.
  void find_visited() {
    visited_.resize(program_->buffers.size());
    std::vector<bool> loses;
    for (const ProgramBuffer& b : program_->buffers) {
      loses.push_back(std::ranges::any_of(program_->tensors, [&](const TensorAnalysis& a) {
        return TensorPart{a.tensor} == b.holds && !is_proved(a.coverage.verdict);
      }));
    }
    if (std::find(loses.begin(), loses.end(), true) == loses.end()) return;
    ProgramMemory scratch = memory();
    const Outcome outcome = execute(Machine::Emulate, launches_, sizes_, scratch, offsets_);
    for (std::size_t b = 0; b < loses.size(); ++b) {
      if (!loses[b]) continue;
      const Layout& layout = layouts_[b];
      for (std::int64_t k = 0; k < layout.points(); ++k) {
        const auto at = std::size_t(layout.address(k));
        const std::vector<std::uint32_t>& visits = outcome.visits[place_of(b)];
        visited_[b].push_back(at < visits.size() && visits[at] > 0);
      }
    }
  }

  void run_on(Machine machine) {
    const std::vector<BoundedArray>& expected = expected_on(machine);
    ProgramMemory arrays = memory();
    const bool is_first = result_.comparisons.empty() && result_.outputs.empty();
    const Outcome outcome =
        execute(machine, launches_, sizes_, arrays, offsets_,
                request_.checks ? std::optional(are_filled()) : std::nullopt, request_.emulation);
    for (const std::string& fault : outcome.faults) result_.faults.push_back(fault);
    if (!outcome.device.empty()) result_.device = outcome.device;
    if (is_first && request_.times) result_.times = outcome.times;
    // Outputs come back in the order of their tensors.
    std::size_t next = 0;
    for (std::size_t i = 0; i < fusion_.size(); ++i) {
      const TensorInfo& tensor = fusion_[TensorId(i)];
      if (!tensor.is_output) continue;
      const std::optional<std::size_t> b = buffer_of(TensorId(i), next);
      const BoundedArray& reference = expected.at(next++);
      if (!b) {  // it has no items
        result_.comparisons.push_back({.output = tensor.name, .machine = machine, .first = {}});
        if (is_first) result_.outputs[tensor.name] = reference.values;
        continue;
      }
      const Array by_point = visited_items(*b, layouts_[*b].from_memory(arrays[place_of(*b)]));
      result_.comparisons.push_back(
          compare(tensor.name, machine, reference, by_point, visited_[*b]));
      if (!is_first) continue;
      Array& output = result_.outputs[tensor.name];
      output = request_.as_in_memory ? layouts_[*b].to_memory(by_point) : by_point;
      if (request_.as_in_memory) output.shape = layouts_[*b].memory_shape();
    }
  }

  // The unscheduled program, with what a machine may be off by.
  const std::vector<BoundedArray>& expected_on(Machine machine) {
    auto& expected = machine == Machine::Gpu ? expected_on_gpu_ : expected_;
    if (!expected) {
      expected = run_reference_bounded(fusion_, result_.sizes, result_.inputs,
                                       error_model(*original_, machine));
    }
    return *expected;
  }

  // Sets items that were never stored to 0.
  Array visited_items(std::size_t b, Array by_point) const {
    const std::size_t bytes = std::size_t(size_of(by_point.type));
    for (std::size_t k = 0; k < visited_[b].size(); ++k) {
      if (!visited_[b][k]) std::memset(by_point.bytes.data() + k * bytes, 0, bytes);
    }
    return by_point;
  }

  const Fusion& fusion_;  // as it was built: what the reference computes
  const Program* original_;
  const Program* program_;                  // that is run
  std::shared_ptr<const Program> sized_;    // for these sizes alone
  std::optional<Specialised> specialised_;  // where an extent is 0
  const RunRequest& request_;
  SizeValues sizes_;
  std::vector<std::int64_t> offsets_;  // by program buffer
  std::vector<Layout> layouts_;        // by program buffer
  std::optional<std::vector<BoundedArray>> expected_, expected_on_gpu_;
  std::vector<BoundKernel> launches_;
  std::vector<std::vector<bool>> visited_;  // by program buffer and point; empty: all
  RunResult result_;
};

}  // namespace

std::string_view to_string(Machine machine) {
  switch (machine) {
    case Machine::Emulate: return "emulate";
    case Machine::Virtual: return "virtual";
    case Machine::Gpu: return "gpu";
  }
  return {};
}

std::optional<Machine> parse_machine(std::string_view name) {
  for (Machine m : {Machine::Emulate, Machine::Virtual, Machine::Gpu}) {
    if (name == to_string(m)) return m;
  }
  return std::nullopt;
}

bool RunResult::passed() const {
  return faults.empty() && std::all_of(comparisons.begin(), comparisons.end(),
                                       [](const Comparison& c) { return c.failures == 0; });
}

RunResult run(const Fusion& fusion, const Program& program, const RunRequest& request) {
  return Run(fusion, program, request).run();
}

}  // namespace selvage
