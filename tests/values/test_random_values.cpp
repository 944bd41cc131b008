// Random fusions over all types against an evaluation of their own (page_program.h), which follows
// doc/values.md and shares no code with the engine: whatever else is an output, however it is
// scheduled, on every machine, in one kernel or two, by calls and by files alike.
#include <selvage/base/diagnostic.h>
#include <selvage/driver/run.h>
#include <selvage/frontend/schedule_file.h>
#include <selvage/ir/schedule.h>

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>

#include "tests/lower/random_whole_schedule.h"
#include "tests/support/counts.h"
#include "tests/values/engine_program.h"
#include "tests/values/random_page_program.h"
#include "tests/values/shrunk.h"

namespace selvage::values {
namespace {

enum class Variant : std::uint8_t { Calls, File, MoreOutputs, Scheduled, TwoKernels };
constexpr const char* kVariants[] = {"by calls", "as a file", "with another output",
                                     "under a random schedule", "in two kernels"};

struct Figures {
  int fusions = 0, runs = 0, steps = 0, split = 0, beyond_tolerance = 0;
  std::int64_t items = 0, exact = 0, bounded = 0, open = 0;
  std::map<std::string, int> refused;
};

using Inputs = std::map<std::string, Array>;

// The outputs of a run beside those of the page. The kind of a failure is its first word.
std::string held(const std::vector<Output>& expected, const Fusion& fusion, const Program& program,
                 const Inputs& inputs, Figures& figures) {
  for (const Machine machine : {Machine::Emulate, Machine::Virtual}) {
    RunRequest request{.inputs = inputs};
    request.on = machine;
    const RunResult result = run(fusion, program, request);
    ++figures.runs;
    const std::string where = "values on " + std::string(to_string(machine)) + ": ";
    for (const std::string& fault : result.faults) return "fault: " + fault;
    for (const Output& output : expected) {
      const Array& array = result.outputs.at(output.name);
      if (array.size() != std::int64_t(output.elements.size())) return where + "another shape";
      bool is_exact = true, has_open = false;
      for (std::size_t k = 0; k < output.elements.size(); ++k) {
        const Element& e = output.elements[k];
        ++figures.items;
        ++(e.slack == 0 ? figures.exact : is_open(e) ? figures.open : figures.bounded);
        is_exact = is_exact && e.slack == 0;
        has_open = has_open || is_open(e);
        if (e.type != array.type) return "type of " + output.name + ": another one";
        const Element actual = item_of(array, std::int64_t(k));
        if (is_as_expected(e, actual)) continue;
        return where + output.name + " item " + std::to_string(k) + " is " + to_text(actual) +
               ", by the page " + to_text(e);
      }
      for (const Comparison& c : result.comparisons) {
        if (c.output != output.name) continue;
        if (is_exact && c.mismatches > 0) return "reference: " + c.first;
        // Sums that cancel: emulate/error_bounds.h bounds them by the size of the items.
        figures.beyond_tolerance += !has_open && c.failures > 0 ? 1 : 0;
      }
    }
  }
  return "";
}

// Some primitives, as many as are not refused.
Schedule scheduled(const Fusion& fusion, std::uint64_t seed, Figures& figures) {
  std::mt19937_64 rng(seed);
  Schedule s(fusion);
  for (int k = 0; k < 8; ++k) {
    Schedule next = s;
    std::string name;
    try {
      if (!test::take_step(next, rng, name)) continue;
      lower(fusion, next);
    } catch (const Illegal&) {
      continue;
    }
    ++figures.steps;
    s = std::move(next);
  }
  return s;
}

// Something that is kept between two kernels.
Schedule split(const Fusion& fusion, std::uint64_t seed, Figures& figures) {
  std::vector<TensorId> inner;
  for (std::size_t k = 0; k < fusion.size(); ++k) {
    const TensorInfo& t = fusion[TensorId(k)];
    if (!t.is_input && !t.is_output) inner.push_back(TensorId(k));
  }
  Schedule s(fusion);
  for (int tries = 0; tries < 3 && !inner.empty(); ++tries) {
    Schedule next = s;
    try {
      const TensorId t = inner[std::size_t(seed + std::uint64_t(tries)) % inner.size()];
      next.materialize(t).keep_in(t, Memory::Global);
      lower(fusion, next);
    } catch (const Illegal&) {
      continue;
    }
    s = std::move(next);
    ++figures.split;
  }
  return s;
}

PageProgram with_more_outputs(PageProgram program, std::uint64_t seed) {
  const std::size_t n = program.statements.size();
  for (std::size_t k = 0; k < 2; ++k) {
    program.statements[std::size_t(seed / (k + 1)) % n].is_output = true;
  }
  return program;
}

std::string outcome_of_file(const PageProgram& program, const std::vector<Output>& expected,
                            const Inputs& inputs, Figures& figures) {
  for (const char* schedule : {"auto", "{}"}) {
    const ScheduleFile file = read_schedule_text(file_text(program, schedule), "values.yaml");
    try {
      if (!file.schedule) throw Illegal(file.illegal.at(0));
      return held(expected, *file.fusion, lower(*file.fusion, *file.schedule), inputs, figures);
    } catch (const Illegal& refusal) {
      if (schedule != std::string("auto")) throw;
      ++figures.refused["auto " + refusal.diagnostic().code];
    }
  }
  return "";
}

// What is wrong with a variant, "" if nothing is.
std::string outcome(const PageProgram& given, Variant variant, std::uint64_t seed,
                    Figures& figures) {
  const bool has_more = variant == Variant::MoreOutputs;
  const PageProgram program = has_more ? with_more_outputs(given, seed) : given;
  const std::vector<Output> expected = evaluated(program);
  Inputs inputs;
  for (const Input& input : program.inputs) inputs.emplace(input.name, input.values);
  try {
    if (variant == Variant::File || (has_more && seed % 2 == 0)) {
      return outcome_of_file(program, expected, inputs, figures);
    }
    const std::shared_ptr<Fusion> fusion = built(program);
    const Schedule s = variant == Variant::Scheduled    ? scheduled(*fusion, seed, figures)
                       : variant == Variant::TwoKernels ? split(*fusion, seed, figures)
                                                        : Schedule(*fusion);
    return held(expected, *fusion, lower(*fusion, s), inputs, figures);
  } catch (const Illegal& refusal) {
    // What no schedule was said of, and is refused all the same.
    ++figures.refused[refusal.diagnostic().code];
    return "";
  } catch (const Error& e) {
    return "refused " + e.diagnostic().code + ": " + e.what();
  } catch (const std::exception& e) {
    return std::string("throws: ") + e.what();
  }
}

std::string kind(const std::string& text) { return text.substr(0, text.find(':')); }

std::string shown(const PageProgram& program, Variant variant, std::uint64_t seed,
                  const std::string& text) {
  Figures ignored;
  const PageProgram small = shrunk(program, [&](const PageProgram& less) {
    return kind(outcome(less, variant, seed, ignored)) == kind(text);
  });
  return outcome(small, variant, seed, ignored) + "\n" + file_text(small, "auto") +
         inputs_text(small);
}

// In quarters, which run side by side.
class RandomValues : public testing::TestWithParam<int> {};
constexpr int kQuarters = 4;

TEST_P(RandomValues, AreThoseOfThePage) {
  Figures figures;
  const char* first = std::getenv("FIRST");
  const int begin = first == nullptr ? 1 : std::atoi(first);
  const char* more = std::getenv("FAILURES");
  const int most = more == nullptr ? 5 : std::atoi(more);
  int failures = 0;
  for (int i = begin + GetParam(); i < begin + count(200, 20'000) && failures < most;
       i += kQuarters) {
    const auto seed = std::uint64_t(i);
    const PageProgram program = random_page_program(seed);
    ASSERT_TRUE(types_of(program).has_value()) << i;
    ++figures.fusions;
    for (std::size_t v = 0; v < std::size(kVariants); ++v) {
      const std::string text = outcome(program, Variant(v), seed, figures);
      if (text.empty()) continue;
      ++failures;
      ADD_FAILURE() << "seed " << i << ", " << kVariants[v] << ": " << text
                    << "\nshrunk: " << shown(program, Variant(v), seed, text);
      break;
    }
  }
  std::printf(
      "[FIGURE] random values: %d fusions in %zu variants, %d runs, %d steps of schedules, %d "
      "split "
      "over kernels; %lld items, %.1f %% compared to the last bit, %.1f %% within a bound, %.1f %% "
      "open; %d outputs right by the page and beyond the tolerance of a comparison\n",
      figures.fusions, std::size(kVariants), figures.runs, figures.steps, figures.split,
      static_cast<long long>(figures.items), 100.0 * double(figures.exact) / double(figures.items),
      100.0 * double(figures.bounded) / double(figures.items),
      100.0 * double(figures.open) / double(figures.items), figures.beyond_tolerance);
  for (const auto& [what, n] : figures.refused) {
    std::printf("[FIGURE] random values: refused %s: %d\n", what.c_str(), n);
    const bool is_tried_again = what.starts_with("auto ");
    if (!is_tried_again) {
      EXPECT_LE(n, figures.fusions / 50) << what;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Quarter, RandomValues, testing::Range(0, kQuarters));

}  // namespace
}  // namespace selvage::values
