// Rings whose copies are made by warps of their own (Schedule::role): results, proofs, texts,
// refusals.
#include <selvage/codegen/cuda.h>
#include <selvage/ir/ops.h>
#include <selvage/kernel/print.h>
#include <selvage/runtime/nvrtc.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/lower/proved_agreement.h"
#include "tests/oracle/draws.h"
#include "tests/support/counts.h"
#include "tests/support/lowered.h"
#include "tests/support/refusal.h"
#include "tests/support/static_counts.h"

namespace selvage::roles {
namespace {

using oracle::chance;
using oracle::draw;
using test::agreed;
using testing::HasSubstr;

// y[m, n] = f(x[m, n]) of rows by blocks, in tiles of 128 that come by boxes or in bulk, and behind
// the first a sum of the row if `folds`.
struct Rows {
  explicit Rows(CopyBy by, std::int64_t stages, bool folds = false, std::int64_t threads = 64) {
    const auto [M, N] = f.extents("M", "N");
    const Tensor x = f.input("x", {M, N}, DataType::Float);
    const Tensor y = folds ? f.output("y", sum(exp(x), {1})) : f.output("y", exp(x));
    out = y.id();
    s.emplace(f);
    const auto cut = [&](TensorId t, std::int64_t inner) {
      const auto [m, n] = s->loops<2>(t);
      s->bind(m, ParallelType::BIDx);
      const auto [no, ni] = s->split(n, 128);
      const auto [a, b] = s->split(ni, inner);
      return std::tuple(no, a, b);
    };
    const auto [no, turn, thread] = cut(y.id(), threads);
    s->bind(thread, ParallelType::TIDx);
    xs = s->cache(x, "xs", Memory::Shared);
    const auto [so, one, v] = cut(xs, 128);
    s->bind(v, by == CopyBy::Tma ? ParallelType::Bulk : ParallelType::Vectorize);
    s->compute_at(xs, no).stages(xs, stages).copy(xs, by).role(xs, {});
  }
  Fusion f;
  TensorId out{}, xs{};
  std::optional<Schedule> s;
};

const test::SizeList kRows = {
    {{"M", 2}, {"N", 1}}, {{"M", 3}, {"N", 128}}, {{"M", 1}, {"N", 132}}, {{"M", 2}, {"N", 1000}}};

TEST(Roles, GiveTheSameResults) {
  for (const CopyBy by : {CopyBy::Bulk, CopyBy::Tma}) {
    for (const bool folds : {false, true}) {
      for (std::int64_t stages = 2; stages <= 5; ++stages) {
        Rows rows(by, stages, folds);
        agreed(rows.f, *rows.s, some_of(kRows));
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

TEST(Roles, AreTwoRegions) {
  Rows rows(CopyBy::Tma, 3);
  const Kernel kernel = lower(*rows.s).steps[0].variants[0];
  EXPECT_THAT(loop_nest(kernel),
              HasSubstr("region load (threads 0x00000000 0x00000000 0xffffffff)\n"
                        "    parallel every.TIDx in 96 (TIDx)\n"
                        "      if (every.TIDx == 64)\n"
                        "        for i1o in (N + 127) / 128\n"
                        "          wait for i1o.free[i1o % 3], phase i1o / 3 - 1\n"));
  EXPECT_THAT(loop_nest(kernel), HasSubstr("region compute (threads 0xffffffff 0xffffffff)\n"
                                           "    for i1o in (N + 127) / 128\n"
                                           "      wait for i1o.copied[i1o % 3], phase i1o / 3\n"));
  EXPECT_THAT(loop_nest(kernel), HasSubstr("      proxy fence\n"
                                           "      arrive at i1o.free[i1o % 3]\n"));
  const CudaText text = cuda(kernel);
  EXPECT_THAT(text.text, HasSubstr("if (64 <= threadIdx.x) {  // load"));
  EXPECT_THAT(text.text, HasSubstr("if (64 <= threadIdx.x && threadIdx.x < 96 && is_elected) {"));
  EXPECT_THAT(text.text, HasSubstr("init_object(&i1o_free[2], 64);"));
}

TEST(Roles, DrawnAtRandomAgree) {
  std::mt19937_64 rng(20261130);
  for (int k = 0; k < count(8, 200); ++k) {
    const CopyBy by = chance(rng, 2) ? CopyBy::Bulk : CopyBy::Tma;
    const std::int64_t threads = 32 * draw(rng, 1, 4), stages = draw(rng, 2, 6);
    Rows rows(by, stages, chance(rng, 2), threads);
    rows.s->role(rows.xs, {.warps = draw(rng, 1, 4)});
    const std::int64_t N = chance(rng, 2) ? 4 * draw(rng, 1, 300) : draw(rng, 1, 1200);
    agreed(rows.f, *rows.s, {{{"M", draw(rng, 1, 3)}, {"N", N}}});
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << k << ": " << to_string(by) << ", " << threads << " threads, " << stages
                    << " stages, N = " << N;
      return;
    }
  }
}

TEST(Roles, AreRefusedWhereTheyCannotBe) {
  Rows one(CopyBy::Bulk, 1);
  EXPECT_EQ(refusal_by<Illegal>([&] { lower(*one.s); }),
            "selvage: error[E448]: copies of xs have a role of their own, load, and are not begun "
            "ahead; help: give xs 2 stages or more");
  Rows stored(CopyBy::Bulk, 2);
  stored.s->copy(stored.xs, CopyBy::CpAsync).role(stored.xs, {});
  EXPECT_EQ(refusal_by<Illegal>([&] { lower(*stored.s); }),
            "selvage: error[E448]: copies of xs have a role of their own, load, and are not made "
            "by bulk or tma; help: copy it by bulk or tma; or leave the role out");
  EXPECT_EQ(refusal_by<Illegal>([&] { stored.s->role(stored.xs, {.warps = 5}); }),
            "selvage: error[E448]: copies of xs would be made by 5 warps; help: let 1 to 4 warps "
            "copy");
  Rows odd(CopyBy::Bulk, 2, false, 16);
  EXPECT_EQ(refusal_by<Illegal>([&] { lower(*odd.s); }),
            "selvage: error[E448]: a block of 16 threads beside 1 warp for copies is no number of "
            "whole warps; help: let other threads be a multiple of 32, and at most 992");
}

// Those who copy go through one ring, and may be in another run of it than those who use it.
TEST(Roles, HaveOneRingInALoop) {
  Fusion f;
  const auto [M, N] = f.extents("M", "N");
  const Tensor x = f.input("x", {M, N}, DataType::Float), z = f.input("z", {M, N}, DataType::Float);
  const Tensor a = named(sum(x, {1}), "a"), b = named(sum(z, {1}), "b");
  const Tensor y = f.output("y", a + b);
  Schedule s(f);
  const auto at = s.loops<1>(y)[0];
  const auto fold = [&](Tensor part, Tensor input, const char* name) {
    const auto [m, n] = s.loops<2>(part);
    const auto [no, ni] = s.split(n, 128);
    const auto [turn, thread] = s.split(ni, 64);
    s.bind(thread, ParallelType::TIDx).compute_at(part, at);
    const TensorId tile = s.cache(input, name, Memory::Shared);
    const auto [row, items] = s.loops<2>(tile);
    const auto [outer, inner] = s.split(items, 128);
    const auto [one, v] = s.split(inner, 128);
    s.bind(v, ParallelType::Vectorize);
    s.compute_at(tile, no).stages(tile, 2).copy(tile, CopyBy::Bulk).role(tile, {});
  };
  fold(a, x, "xs");
  fold(b, z, "zs");
  EXPECT_THAT(refusal_by<Illegal>([&] { lower(s); }),
              HasSubstr("error[E448]: the role load copies xs and zs at two loops, in each "
                        "iteration of a loop around both; help: bind the loops around them to "
                        "blocks; or leave the role out"));
}

// The launch bounds name one block, without which compilers ignore who takes more (CUTLASS #3618).
TEST(Roles, MayGiveRegistersToThoseWhoCompute) {
  Rows rows(CopyBy::Tma, 3, true, 256);
  rows.s->role(rows.xs, {.warps = 4, .registers = 24});
  const Program program = agreed(rows.f, *rows.s, some_of(kRows));
  const Kernel& kernel = program.steps[0].variants[0];
  const CudaText text = cuda(kernel);
  EXPECT_THAT(text.text, HasSubstr("KERNEL(__launch_bounds__(384, 1) kernel_y)("));
  // 12 warps begin with 168 each: 8 * 240 + 4 * 24 are no more.
  for (const char* line : {"fewer_registers(24);", "more_registers(168);", "more_registers(240);",
                           "fewer_registers(168);"}) {
    EXPECT_THAT(text.text, HasSubstr(line));
  }
  const auto refused = [&](CopyRole role) {
    return refusal_by<Illegal>([&] {
      rows.s->role(rows.xs, role);
      lower(*rows.s);
    });
  };
  EXPECT_EQ(refused({.warps = 1, .registers = 24}),
            "selvage: error[E448]: 1 warp for copies and 8 others are to share registers, 24 for a "
            "thread that copies; help: let both be multiples of 4 warps, with fewer registers than "
            "the 224 that all have; or leave registers out");
  EXPECT_EQ(refused({.warps = 4, .registers = 20}),
            "selvage: error[E448]: threads that copy xs would have 20 registers; help: give them a "
            "multiple of 8 from 24 to 128, such as 24; or leave registers out");
  const Nvrtc* nvrtc = Nvrtc::instance();
  if (nvrtc == nullptr) GTEST_SKIP() << "no NVRTC: " << Nvrtc::why_absent();
  for (const char* architecture : {"sm_90", "sm_90a", "sm_100a"}) {
    const CompiledKernels compiled =
        nvrtc->compile({text.text, text.name, text.parameter_types}, {.arch = architecture});
    const StaticCounts counts = count_sass(compiled.cubin).at(text.name);
    EXPECT_EQ(counts.register_changes, std::string_view(architecture) == "sm_90" ? 0 : 4);
    // No remark that an instruction is ignored, or that registers are too few.
    EXPECT_EQ(compiled.log.find("C75"), std::string::npos) << compiled.log;
    EXPECT_EQ(compiled.log.find("C76"), std::string::npos) << compiled.log;
  }
}

TEST(Roles, AreWhatTheCompilerWrites) {
  const Nvrtc* nvrtc = Nvrtc::instance();
  if (nvrtc == nullptr) GTEST_SKIP() << "no NVRTC: " << Nvrtc::why_absent();
  Rows rows(CopyBy::Tma, 4);
  const CudaText text = cuda(lower(*rows.s).steps[0].variants[0]);
  for (const char* architecture : {"sm_90a", "sm_100a"}) {
    const CompiledKernels compiled =
        nvrtc->compile({text.text, text.name, text.parameter_types}, {.arch = architecture});
    const StaticCounts counts = count_sass(compiled.cubin).at(text.name);
    EXPECT_GE(counts.box_loads, 1) << architecture;
    EXPECT_EQ(counts.elections, 1) << architecture;
    EXPECT_EQ(counts.local_loads + counts.local_stores, 0) << architecture;
  }
}

}  // namespace
}  // namespace selvage::roles
