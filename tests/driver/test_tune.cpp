// Plans that are tried, on the stand-in of a GPU and by counts, and what is kept of them.
#include <selvage/driver/tune.h>
#include <selvage/ir/ops.h>
#include <selvage/lower/program.h>
#include <selvage/runtime/cache_entry.h>
#include <selvage/runtime/compile_cache.h>
#include <selvage/runtime/kept_plans.h>
#include <tests/runtime/stub_driver.h>
#include <tests/support/temporary_folder.h>

#include <fstream>

#include "tests/support/lowered.h"

namespace selvage {
namespace {

// y = x - its row's maximum, for 4,096 rows.
struct Centred {
  explicit Centred(std::int64_t columns = 1024, std::int64_t rows = 4096) {
    const auto n = [&](std::int64_t value) { return f.pool().constant(value); };
    const Tensor x = f.input("x", {n(rows), n(columns)}, DataType::Float);
    f.output("y", x - unsqueeze(max(x, {1}), 1));
  }
  Fusion f;
};

class Tuned : public test::StubbedDriver {
 protected:
  static CompiledKernels compiled(std::span<const KernelSource> sources,
                                  const NvrtcOptions& options) {
    std::string text = ".version 8.0\n.target " + options.arch + "\n.address_size 64\n";
    for (const KernelSource& s : sources) {
      text += ".visible .entry " + s.name + "(";
      for (std::size_t k = 0; k < s.parameter_types.size(); ++k) {
        text += std::string(k > 0 ? ", " : "") + ".param .u64 p" + std::to_string(k);
      }
      text += ") { ret; }\n";
    }
    CompiledKernels kernels;
    kernels.cubin = test::cubin(text);
    return kernels;
  }

  TuneRequest counted() { return {.device = *find_device("h100"), .kept = &kept_}; }

  TemporaryFolder folder_;
  DiskCache kept_{folder_.path()};
  CompileCache compiled_{DiskCache::instance(),
                         {.toolkit =
                              [] {
                                return Toolkit{13000, ""};
                              },
                          .compile = compiled}};
};

TEST_F(Tuned, TakesThePlanThatRunsFastest) {
  const auto driver = Driver::open(test::kStub);
  stub.set_duration([](const driver_stub::Run& run) {
    return run.block[0] == 128 && run.block[1] == 1 ? 2.0 : 7.0;
  });
  const Centred c;
  const TuneResult result =
      tune(c.f, {.driver = driver.get(), .compiled = &compiled_, .runs = 3, .kept = &kept_});
  EXPECT_TRUE(result.is_timed);
  EXPECT_EQ(result.device.name, "Stub");
  ASSERT_EQ(result.kernels.size(), 1u);
  const std::vector<TriedPlan>& plans = result.kernels[0].plans;
  EXPECT_EQ(plans.size(), 8u);
  // A launch, and the mark behind it.
  for (const TriedPlan& p : plans) {
    const bool is_fast = p.plan.threads == 128 && p.plan.folders == 1;
    EXPECT_NEAR(p.measured, is_fast ? 4e-3 : 9e-3, 1e-6) << p.plan.text();
  }
  EXPECT_TRUE(plans[0].is_taken);
  EXPECT_EQ(plans[0].measured, std::ranges::min(plans, {}, &TriedPlan::measured).measured);
  EXPECT_EQ(result.made.kernels[0].taken.plan.threads, plans[0].plan.threads);
}

TEST_F(Tuned, ASchedulesResultsAreThoseOfTheFusion) {
  for (const std::int64_t columns : {1, 5, 64, 333}) {
    const Centred c(columns, 7);
    const TuneResult result = tune(c.f, counted());
    test::expect_agreement(c.f, lower(result.made.schedule), {});
  }
}

TEST_F(Tuned, RunsEachPlanSoOftenAndFlushesL2) {
  const auto driver = Driver::open(test::kStub);
  const Centred c;
  tune(c.f, {.driver = driver.get(), .compiled = &compiled_, .most = 2, .runs = 5, .kept = &kept_});
  // Two runs more warm it up.
  EXPECT_EQ(stub.count("cuLaunchKernel"), 2 * (5 + 2));
  std::string flush = "cuMemsetD8Async(";
  EXPECT_NE(calls(flush).find(std::to_string(100 << 20)), std::string::npos) << calls(flush);
}

TEST_F(Tuned, WithoutAGpuCountsWhatKernelsAsk) {
  const Centred c;
  int shown = 0;
  TuneRequest request = counted();
  request.progress = [&](const TuneProgress& p) {
    ++shown;
    EXPECT_EQ(p.kernel, "y");
    EXPECT_LE(p.done, p.all);
  };
  const TuneResult result = tune(c.f, request);
  EXPECT_FALSE(result.is_timed);
  ASSERT_EQ(result.kernels.size(), 1u);
  EXPECT_GE(shown, int(result.kernels[0].plans.size()));
  const auto& plans = result.kernels[0].plans;
  EXPECT_TRUE(std::ranges::is_sorted(plans, {}, &TriedPlan::measured));
  EXPECT_EQ(std::ranges::count_if(plans, &TriedPlan::is_taken), 1);
  for (const TriedPlan& p : plans) EXPECT_GT(p.predicted, 0);
}

TEST_F(Tuned, IsFoundAgainForTheClassOfSizesAndTheDevice) {
  const Device& h100 = *find_device("h100");
  PlanChoice wanted = {.threads = 64, .vector = 2};
  wanted = PlanChoice::of(
      filled_in(Schedule(Centred().f), {}, h100, {{"y", wanted}}).kernels[0].taken.plan);
  keep_plans(Centred().f, {}, h100, {{"y", wanted}}, kept_);
  const auto plan_of = [&](const Fusion& f, const Device& device) {
    const PlanChoices plans = kept_plans(f, {}, device, kept_);
    return filled_in(Schedule(f), {}, device, plans).kernels[0];
  };
  EXPECT_TRUE(plan_of(Centred().f, h100).is_tuned);
  EXPECT_EQ(plan_of(Centred().f, h100).taken.plan.threads, 64);
  EXPECT_EQ(plan_of(Centred(1024, 4112).f, h100).taken.plan.threads, 64);
  EXPECT_FALSE(plan_of(Centred(1000).f, h100).is_tuned);
  EXPECT_FALSE(plan_of(Centred(1024, 4104).f, h100).is_tuned);
  EXPECT_FALSE(plan_of(Centred().f, *find_device("h200")).is_tuned);
}

TEST_F(Tuned, NamesDoNotMatter) {
  Fusion f;
  const Tensor in =
      f.input("in", {f.pool().constant(4096), f.pool().constant(1024)}, DataType::Float);
  f.output("out", in - unsqueeze(max(in, {1}), 1));
  ASSERT_TRUE(tune(Centred().f, counted()).is_kept);
  const PlanChoices plans = kept_plans(f, {}, *find_device("h100"), kept_);
  ASSERT_EQ(plans.size(), 1u);
  EXPECT_EQ(plans.begin()->first, "out");
}

TEST_F(Tuned, WhatIsDamagedOnDiskIsIgnoredAndWrittenAnew) {
  const Centred c;
  ASSERT_TRUE(tune(c.f, counted()).is_kept);
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    std::filesystem::resize_file(entry.path(), std::filesystem::file_size(entry.path()) - 3);
  }
  EXPECT_TRUE(kept_plans(c.f, {}, *find_device("h100"), kept_).empty());
  EXPECT_TRUE(tune(c.f, counted()).is_kept);
  EXPECT_FALSE(kept_plans(c.f, {}, *find_device("h100"), kept_).empty());
}

TEST_F(Tuned, APlanThatNobodyCanHaveIsRefusedUnlessItIsAWish) {
  const Centred c;
  PlanChoice choice = {.threads = 77, .vector = 4};
  EXPECT_EQ(refusal_by<Illegal>([&] {
              filled_in(Schedule(c.f), {}, *find_device("h100"), {{"y", choice}});
            }).substr(0, 83),
            "selvage: error[E424]: no automatic schedule of y has {threads: 77, vector: 4}; help");
  choice.is_wish = true;
  EXPECT_FALSE(
      filled_in(Schedule(c.f), {}, *find_device("h100"), {{"y", choice}}).kernels[0].is_tuned);
}

}  // namespace
}  // namespace selvage
