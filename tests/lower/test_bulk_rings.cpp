// Loops that become rings of bulk copies, which end at barrier objects: results, proofs, texts,
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

namespace selvage::bulk_rings {
namespace {

using oracle::chance;
using oracle::draw;
using test::agreed;
using testing::HasSubstr;

// C[m, n] = sum of A[m, k] * B[n, k]: blocks of 64 threads, tiles of 8 rows, each row a copy, begun
// by a thread of its own or all by one thread.
struct BulkProduct {
  explicit BulkProduct(std::int64_t stages, std::int64_t ahead, bool by_one = false,
                       DataType type = DataType::Float, std::int64_t width = 16) {
    const auto [M, N, K] = f.extents("M", "N", "K");
    const Tensor A = f.input("A", {M, K}, type), B = f.input("B", {N, K}, type);
    C = f.output("C", sum(unsqueeze(A, 1) * unsqueeze(B, 0), {2}));
    s.emplace(f);
    const auto [m, n, k] = s->loops<3>(C);
    const auto [mo, mi] = s->split(m, 8);
    const auto [no, ni] = s->split(n, 8);
    const auto [ko, ki] = s->split(k, width);
    s->reorder({mo, no, mi, ni, ko, ki});
    s->bind(mo, ParallelType::BIDy).bind(no, ParallelType::BIDx);
    s->bind(mi, ParallelType::TIDy).bind(ni, ParallelType::TIDx);
    const auto tile = [&](Tensor x, ParallelType block, const char* name) {
      const TensorId t = s->cache(x, name, Memory::Shared);
      const auto [r, c] = s->loops<2>(t);
      const auto [ro, ri] = s->split(r, 8);
      const auto [co, ci] = s->split(c, width);
      // Rows of their own: those of the product are bound.
      const auto [rz, row] = s->split(ri, 8);
      s->reorder({ro, co, rz, row, ci});
      s->bind(ro, block).bind(ci, ParallelType::Vectorize);
      if (!by_one) s->bind(row, ParallelType::TIDx);
      s->compute_at(t, ko).stages(t, stages).copy(t, CopyBy::Bulk, ahead);
      return t;
    };
    a = tile(A, ParallelType::BIDy, "a");
    b = tile(B, ParallelType::BIDx, "b");
  }
  Fusion f;
  Tensor C;
  TensorId a{}, b{};
  std::optional<Schedule> s;
};

const test::SizeList kProducts = {{{"M", 1}, {"N", 1}, {"K", 1}},
                                  {{"M", 9}, {"N", 5}, {"K", 31}},
                                  {{"M", 8}, {"N", 17}, {"K", 64}},
                                  {{"M", 16}, {"N", 8}, {"K", 100}}};

template <class Kind>
std::size_t count_in(const Kernel& kernel) {
  std::size_t n = 0;
  for_each_statement(
      kernel.body, [&](const Statement& s) { n += std::holds_alternative<Kind>(s.node) ? 1 : 0; });
  return n;
}

// Rows whose bytes are no multiple of 16 are among the sizes: another kernel runs then, which loses
// no tail and waits for no copy that cannot be (TileLang #2506, #2525).
TEST(BulkCopies, GiveTheSameResultsInRingsOfAnyDepth) {
  for (const bool by_one : {false, true}) {
    for (const auto& [stages, ahead] :
         {std::pair(1, 0), std::pair(2, 1), std::pair(3, 2), std::pair(4, 2), std::pair(3, 0)}) {
      BulkProduct c(stages, ahead, by_one);
      const Program program = agreed(c.f, *c.s, some_of(kProducts));
      const Kernel& kernel = program.steps[0].variants[0];
      EXPECT_GE(count_in<AsyncCopy>(kernel), 2u) << loop_nest(kernel);
      EXPECT_EQ(count_in<Wait>(kernel), 1u);
      EXPECT_EQ(count_in<Arrive>(kernel), 1u);
      EXPECT_EQ(count_in<ProxyFence>(kernel), 1u);
      EXPECT_EQ(barriers_in(kernel.body), ahead == 0 ? 2u : 1u) << loop_nest(kernel);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(BulkCopies, WaitForThePhaseOfTheirIteration) {
  BulkProduct c(3, 2, true);
  const Kernel kernel = lower(c.f, *c.s).steps[0].variants[0];
  EXPECT_THAT(loop_nest(kernel),
              HasSubstr("for i2o.ring in (K + 15) / 16 + 2\n"
                        "          wait for i2o.copied[i2o.ring % 2], phase i2o.ring / 2 - 1\n"
                        "          proxy fence\n"
                        "          barrier\n"
                        "          if (i2o.ring < (K + 15) / 16)\n"));
  EXPECT_THAT(loop_nest(kernel), HasSubstr("for i2o.copied[i2o % 2], announced\n"));
  // One thread copies and arrives: its warp may elect it.
  const CudaText text = cuda(kernel);
  EXPECT_THAT(text.text, HasSubstr("init_object(&i2o_copied[1], 1);"));
  EXPECT_THAT(text.text, HasSubstr("if (threadIdx.y * 8 + threadIdx.x < 32 && is_elected) {"));
  // Eight threads copy rows of their own, and arrive each.
  BulkProduct rows(3, 2);
  EXPECT_THAT(cuda(lower(rows.f, *rows.s).steps[0].variants[0]).text,
              HasSubstr("init_object(&i2o_copied[1], 8);"));
}

TEST(BulkCopies, StandBesideCopiesInGroups) {
  BulkProduct c(3, 2, true);
  const auto loops = c.s->loops(c.b);
  c.s->bind(loops[4], ParallelType::Serial);
  c.s->bind(loops[3], ParallelType::TIDx);
  c.s->copy(c.b, CopyBy::CpAsync, 1);
  const Program program = agreed(c.f, *c.s, some_of(kProducts));
  EXPECT_EQ(count_in<Wait>(program.steps[0].variants[0]), 2u);
}

TEST(BulkCopies, DrawnAtRandomAgree) {
  std::mt19937_64 rng(20261203);
  for (int k = 0; k < count(10, 300); ++k) {
    const DataType types[] = {DataType::Float, DataType::Half, DataType::Double, DataType::Int8};
    const DataType type = types[std::size_t(draw(rng, 0, 3))];
    const std::int64_t width = 16 / size_of(type) * draw(rng, 1, 4);
    const std::int64_t stages = draw(rng, 1, 5), ahead = draw(rng, 0, stages - 1);
    BulkProduct c(stages, ahead, chance(rng, 2), type, width);
    const std::int64_t multiple = 16 / size_of(type);
    const std::int64_t K = chance(rng, 3) ? draw(rng, 1, 60) : multiple * draw(rng, 1, 9);
    agreed(c.f, *c.s, {{{"M", draw(rng, 1, 17)}, {"N", draw(rng, 1, 17)}, {"K", K}}});
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << k << ": " << to_string(type) << ", rows of " << width << ", " << stages
                    << " stages, " << ahead << " ahead";
      return;
    }
  }
}

TEST(BulkCopies, AreRefusedWhereTheyCannotBe) {
  BulkProduct odd(2, 1, false, DataType::Float, 6);
  EXPECT_EQ(refusal_by<Illegal>([&] { lower(*odd.s); }),
            "selvage: error[E450]: the vector i2i of a, 6 x float, is no bulk copy: 16 divides its "
            "bytes, at most 524288; help: split i2i by a multiple of 4 and bind the inner loop");
  BulkProduct serial(2, 1);
  serial.s->bind(serial.s->loops(serial.a)[4], ParallelType::Serial);
  EXPECT_EQ(refusal_by<Illegal>([&] { lower(*serial.s); }),
            "selvage: error[E448]: none of the copies of a could be made in bulk: each copies a "
            "vector of a multiple of 16 bytes of global memory, unchanged; help: cache an input as "
            "it is, and bind its inner loop, split by a multiple of 4 elements, to Vectorize; or "
            "copy by cp_async");
}

// y = exp(x) by tiles of 64, in a ring that runs again for each row where rows are no blocks.
TEST(BulkCopies, MayBeOfOneTileAndOfARingThatRunsAgain) {
  const auto tiles = [](std::optional<std::int64_t> n, std::int64_t ahead, bool has_outer,
                        bool has_role) {
    Fusion f;
    const auto [M, N] = f.extents("M", "N");
    const Tensor x = f.input("x", {M, n ? f.constant(*n) : N}, DataType::Float),
                 y = f.output("y", exp(x));
    Schedule s(f);
    const TensorId xs = s.cache(x, "xs", Memory::Shared);
    const auto cut = [&](TensorId t) {
      const auto [m, k] = s.loops<2>(t);
      if (!has_outer) s.bind(m, ParallelType::BIDx);
      return s.split(k, 64);
    };
    const auto [no, ni] = cut(y.id());
    s.bind(ni, ParallelType::TIDx);
    const auto [one, v] = s.split(cut(xs).second, 64);
    s.bind(v, ParallelType::Vectorize);
    s.compute_at(xs, no).stages(xs, ahead + 1).copy(xs, CopyBy::Bulk);
    if (has_role) s.role(xs, {});
    agreed(f, s, {{{"M", 3}, {"N", 80}}, {{"M", 5}, {"N", 132}}, {{"M", 2}, {"N", 64}}});
  };
  for (const std::optional<std::int64_t> n : {20, 64, 128, 200, 0}) {
    for (const std::int64_t ahead : {0, 1, 3}) {
      for (const auto& [has_outer, has_role] :
           {std::pair(false, false), std::pair(true, false), std::pair(true, true)}) {
        if (has_role && ahead == 0) continue;
        SCOPED_TRACE(std::to_string(*n) + " items, " + std::to_string(ahead) + " ahead" +
                     (has_outer ? ", again and again" : "") + (has_role ? ", by a role" : ""));
        tiles(*n == 0 ? std::nullopt : n, ahead, has_outer, has_role);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

TEST(BulkCopies, AreWhatTheCompilerWrites) {
  const Nvrtc* nvrtc = Nvrtc::instance();
  if (nvrtc == nullptr) GTEST_SKIP() << "no NVRTC: " << Nvrtc::why_absent();
  BulkProduct c(3, 2, true);
  const CudaText text = cuda(lower(c.f, *c.s).steps[0].variants[0]);
  const KernelSource source{text.text, text.name, text.parameter_types};
  EXPECT_EQ(refusal_by<Error>([&] { nvrtc->compile(source, {.arch = "sm_80"}); }),
            "selvage: error[E704]: kernel_C has bulk copies (cp.async.bulk), which GPUs have from "
            "sm_90 on, and is compiled for sm_80; help: compile for sm_90 or newer; or copy by "
            "cp_async, or ldst, in its schedule");
  for (const char* architecture : {"sm_90a", "sm_100a"}) {
    const CompiledKernels compiled = nvrtc->compile(source, {.arch = architecture});
    const StaticCounts counts = count_sass(compiled.cubin).at(text.name);
    EXPECT_GE(counts.bulk_copies, 2) << architecture;
    EXPECT_GE(counts.object_events, 4) << architecture;  // two made ready, one arrival, one wait
    EXPECT_GE(counts.elections, 1) << architecture;
    EXPECT_EQ(counts.local_loads + counts.local_stores, 0) << architecture;
  }
}

}  // namespace
}  // namespace selvage::bulk_rings
