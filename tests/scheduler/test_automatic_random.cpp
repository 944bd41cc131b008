// Random fusions, scheduled automatically: all lower, verify, and agree with the reference.
#include <selvage/base/diagnostic.h>
#include <selvage/frontend/schedule_writer.h>
#include <selvage/ir/ops.h>
#include <selvage/lower/programs_by_size.h>
#include <selvage/scheduler/automatic.h>

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "tests/lower/random_whole_fusion.h"
#include "tests/oracle/draws.h"
#include "tests/support/counts.h"
#include "tests/support/lowered.h"

namespace selvage {
namespace {

using oracle::chance;
using oracle::draw;
using test::WholeFusion;
using test::WholeRecipe;

using Sizes = std::map<std::string, std::int64_t>;

struct Figures {
  int kernels = 0, kept = 0, shared_by_folds = 0, vectors = 0, runs = 0, unproved = 0;
};

std::string wrong_run(const WholeFusion& random, const Program& program, const Sizes& sizes,
                      Figures& figures) {
  RunRequest request{.sizes = sizes, .inputs = random.inputs_at(sizes), .on = Machine::Emulate};
  request.on_all = true;
  std::string text;
  try {
    const RunResult result = run(*random.fusion, program, request);
    ++figures.runs;
    for (const std::string& fault : result.faults) text += "fault: " + fault + "\n";
    for (const Comparison& c : result.comparisons) {
      // At other sizes than those drawn, sums and products need not be exact.
      const bool is_inexact = random.inexact.contains(c.output) || sizes != random.sizes;
      if (c.max_difference > 0 && (c.failures > 0 || !is_inexact)) {
        text += "value " + std::string(to_string(c.machine)) + ": " + c.first + "\n";
      }
    }
  } catch (const BadInput& refusal) {
    // A launch check of the fusion itself may rule these sizes out.
    const std::string code = refusal.diagnostic().code;
    if (code != "E615" && code != "E616" && code != "E621" && code != "E622") throw;
  }
  return text;
}

// Whether a fusion is refused with that code without a schedule, too.
bool is_refused_bare(const Fusion& fusion, const std::string& code) {
  try {
    lower(Schedule(fusion));
  } catch (const Illegal& e) {
    return e.diagnostic().code == code;
  }
  return false;
}

// Those that a fusion was drawn with, and others: 0, 1 and primes, of one size or of all.
std::vector<Sizes> sizes_for(const WholeFusion& random) {
  constexpr std::int64_t kOthers[] = {0, 1, 7, 2, 3, 5, 11, 13, 17, 19, 23, 29, 31, 37};
  std::vector<Sizes> list = {random.sizes};
  const auto most = random.sizes.empty() ? 1 : std::size_t(count(4, 20));
  for (std::size_t k = 0; list.size() < most && k < std::size(kOthers); ++k) {
    Sizes all = random.sizes;
    for (auto& [name, size] : all) size = kOthers[k];
    for (const auto& [name, size] : random.sizes) {
      Sizes one = random.sizes;
      one[name] = kOthers[k];
      list.push_back(one);
    }
    if (random.sizes.size() > 1) list.push_back(all);
  }
  std::erase_if(list, [&](const Sizes& sizes) { return !random.has_shapes(sizes); });
  list.resize(std::min(list.size(), most));
  return list;
}

// What is wrong with the automatic schedule of a random fusion; "" if nothing is.
std::string outcome(const WholeRecipe& recipe, bool with_sizes, Figures& figures) {
  try {
    const WholeFusion random(recipe);
    const AutomaticSchedule automatic =
        filled_in(Schedule(*random.fusion),
                  with_sizes ? random.sizes : std::map<std::string, std::int64_t>());
    for (const AutomaticKernel& kernel : automatic.kernels) {
      ++figures.kernels;
      figures.kept += kernel.taken.plan.kept.has_value();
      figures.shared_by_folds += kernel.tensors.size() > 1;
      figures.vectors += kernel.taken.plan.vector > 1;
    }
    Program program = lower(automatic.schedule);
    if (!with_sizes) program.by_size = programs_by_size(*random.fusion, {}, usual_device(), {});
    std::string text;
    for (const ProgramStep& step : program.steps) {
      for (const Kernel& kernel : step.variants) {
        for (const KernelFinding& f : verify(kernel).findings) {
          ++figures.unproved;
          if (is_refuted(f.verdict)) text += "verify: " + f.text + "\n";
        }
      }
    }
    for (const Sizes& sizes : sizes_for(random)) text += wrong_run(random, program, sizes, figures);
    return text;
  } catch (const Illegal& e) {
    if (is_refused_bare(*WholeFusion(recipe).fusion, e.diagnostic().code)) return {};
    return std::string("throws: ") + e.what() + "\n";
  } catch (const std::exception& e) {
    return std::string("throws: ") + e.what() + "\n";
  }
}

std::string shown(const WholeRecipe& recipe, bool with_sizes) {
  std::string text;
  try {
    const WholeFusion random(recipe);
    for (const auto& [name, n] : random.sizes) text += name + " = " + std::to_string(n) + " ";
    const Schedule bare(*random.fusion);
    text += "\n" + to_schedule_file(*random.fusion, bare);
    const Schedule s =
        filled_in(bare, with_sizes ? random.sizes : std::map<std::string, std::int64_t>()).schedule;
    text += "\n" + to_schedule_file(*random.fusion, s);
    for (const ProgramStep& step : lower(s).steps) text += "\n" + loop_nest(step.variants.back());
  } catch (const std::exception& e) {
    text += e.what();
  }
  return text;
}

TEST(AutomaticSchedules, AgreeWithTheReference) {
  Figures figures;
  const char* first = std::getenv("FIRST");
  const int begin = first == nullptr ? 1 : std::atoi(first);
  const int n = count(100, 5'000);
  int failures = 0;
  for (int i = begin; i < begin + n && failures < 8; ++i) {
    const WholeRecipe recipe{.seed = std::uint64_t(i), .steps = 0};
    const bool with_sizes = i % 2 == 0;
    const std::string text = outcome(recipe, with_sizes, figures);
    if (text.empty()) continue;
    ++failures;
    Figures ignored;
    const WholeRecipe small =
        test::shrunk(recipe, [&](const WholeRecipe& r) { return outcome(r, with_sizes, ignored); });
    ADD_FAILURE() << "seed " << i << ": " << text.substr(0, 1000)
                  << "shrunk: " << outcome(small, with_sizes, ignored).substr(0, 1000)
                  << shown(small, with_sizes).substr(0, 4000);
  }
  std::printf(
      "%d kernels: %d keep rows, %d of several tensors, %d with vectors; %d runs, %d "
      "findings not proved\n",
      figures.kernels, figures.kept, figures.shared_by_folds, figures.vectors, figures.runs,
      figures.unproved);
  EXPECT_GT(figures.shared_by_folds, more_than(20));
  EXPECT_GT(figures.vectors, more_than(10));
}

// A tensor whose rows are folded, some of the results folded into it, and folded again: rows along
// any axes, of lengths that divide and do not divide what a plan cuts them into.
struct RandomRows {
  explicit RandomRows(std::mt19937_64& rng) {
    const std::size_t rank = std::size_t(draw(rng, 2, 3));
    std::vector<Expr> shape;
    for (std::size_t k = 0; k < rank; ++k) {
      const std::int64_t n = chance(rng, 2) ? draw(rng, 1, 70) : 8 * draw(rng, 1, 40);
      shape.push_back(f.constant(k + 1 < rank ? n % 9 + 1 : n));
    }
    std::swap(shape[std::size_t(draw(rng, 0, std::int64_t(rank) - 1))], shape.back());
    const DataType type = chance(rng, 2) ? DataType::Half : DataType::Float;
    const Tensor x = f.input("x", shape, type);
    Axes axes;
    for (std::size_t k = 0; k < rank; ++k) {
      if (chance(rng, 2)) axes.push_back(int(k));
    }
    if (axes.empty() || axes.size() == rank) axes = {int(rank) - 1};
    Tensor y = x;
    const std::int64_t folds = draw(rng, 1, 3);
    for (std::int64_t k = 0; k < folds; ++k) {
      constexpr Reduction kFolds[] = {Reduction::Max, Reduction::Mean, Reduction::Variance};
      const Tensor row = reduce(kFolds[draw(rng, 0, 2)], y, axes, keepdim, 0);
      y = chance(rng, 2) ? y - row : y * rsqrt(row * row + 1.0f);
      if (chance(rng, 4)) f.output("row" + std::to_string(k), row);
    }
    f.output("y", y, type);
  }
  Fusion f;
};

TEST(AutomaticSchedules, OfRandomRowsKeepThem) {
  std::mt19937_64 rng(7);
  int kept = 0, one_kernel = 0;
  const int n = count(40, 2'000);
  for (int k = 0; k < n; ++k) {
    const RandomRows rows(rng);
    const AutomaticSchedule s = filled_in(Schedule(rows.f));
    one_kernel += s.kernels.size() == 1;
    for (const AutomaticKernel& kernel : s.kernels) kept += kernel.taken.plan.kept.has_value();
    test::expect_agreement(rows.f, s.schedule);
    if (HasFailure()) {
      FAIL() << "case " << k << "\n" << to_schedule_file(rows.f, s.schedule);
    }
  }
  std::printf("of %d fusions %d are one kernel, %d keep rows\n", n, one_kernel, kept);
  EXPECT_GT(one_kernel, more_than(20));
  EXPECT_GT(kept, more_than(20));
}

}  // namespace
}  // namespace selvage
