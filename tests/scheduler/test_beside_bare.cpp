// Random fusions, scheduled automatically: none is refused that is not refused without a schedule,
// and few take longer, by the counts of the kernels' requests. Those are fusions of a few items,
// whose folds are cheaper repeated by each thread than in a kernel of their own.
#include <selvage/base/diagnostic.h>
#include <selvage/frontend/schedule_writer.h>
#include <selvage/lower/cost.h>
#include <selvage/lower/program.h>
#include <selvage/scheduler/automatic.h>

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "tests/lower/random_whole_fusion.h"
#include "tests/support/counts.h"

namespace selvage {
namespace {

constexpr double kTolerance = 1.05;
constexpr double kShareSlower = 0.06, kWorst = 3;

struct BesideBare {
  std::optional<double> automatic, bare;  // seconds; nothing where it is refused or not counted
  double ratio() const { return automatic && bare ? *automatic / *bare : 0; }
};

std::optional<double> seconds_of(const Schedule& schedule,
                                 const std::map<std::string, std::int64_t>& sizes) {
  try {
    const auto cost = cost_of(lower(schedule), sizes);
    return cost ? std::optional(cost->seconds) : std::nullopt;
  } catch (const Illegal&) {
    return std::nullopt;
  }
}

BesideBare compared(const test::WholeRecipe& recipe) {
  const test::WholeFusion random(recipe);
  const Schedule bare(*random.fusion);
  return {seconds_of(filled_in(bare, random.sizes).schedule, random.sizes),
          seconds_of(bare, random.sizes)};
}

std::string shown(const test::WholeRecipe& recipe) {
  const test::WholeFusion random(recipe);
  const AutomaticSchedule s = filled_in(Schedule(*random.fusion), random.sizes);
  std::string text;
  for (const auto& [name, n] : random.sizes) text += name + " = " + std::to_string(n) + " ";
  text += "\n" + to_schedule_file(*random.fusion, s.schedule);
  for (const AutomaticKernel& k : s.kernels) {
    text += k.taken.plan.text() + ": " + std::to_string(1e6 * k.taken.time.seconds) + " us\n";
  }
  const auto add = [&](const Schedule& schedule) {
    if (const auto cost = cost_of(lower(schedule), random.sizes)) {
      for (const KernelCost& k : cost->kernels) {
        text += k.name + " " + std::to_string(1e6 * k.time.seconds) + " us\n";
      }
    }
  };
  add(s.schedule);
  text += "bare:\n";
  add(Schedule(*random.fusion));
  return text;
}

TEST(BesideBare, FewAutomaticSchedulesTakeLonger) {
  const char* first = std::getenv("FIRST");
  const int begin = first == nullptr ? 1 : std::atoi(first);
  const int n = count(60, 3'000);
  int both = 0, slower = 0;
  double worst = 0;
  for (int i = begin; i < begin + n; ++i) {
    const test::WholeRecipe recipe{.seed = std::uint64_t(i), .steps = 0};
    const BesideBare found = compared(recipe);
    EXPECT_TRUE(found.automatic || !found.bare) << "seed " << i << " is refused";
    both += found.automatic && found.bare;
    worst = std::max(worst, found.ratio());
    if (found.ratio() <= kTolerance) continue;
    ++slower;
    if (first != nullptr) std::printf("seed %d\n%s\n", i, shown(recipe).c_str());
  }
  EXPECT_LE(slower, both * kShareSlower);
  EXPECT_LE(worst, kWorst);
  std::printf("[FIGURE] beside bare schedules: %d compared, %d slower, at most %.2f times\n", both,
              slower, worst);
}

}  // namespace
}  // namespace selvage
