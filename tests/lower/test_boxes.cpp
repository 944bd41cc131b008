// Tiles that tensor maps bring (CopyBy::Tma): results, proofs, texts, refusals, conditions.
#include <selvage/codegen/cuda.h>
#include <selvage/expr/text.h>
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

namespace selvage::boxes {
namespace {

using oracle::chance;
using oracle::draw;
using test::agreed;
using testing::HasSubstr;

std::size_t copies_of_boxes(const Kernel& kernel) {
  std::size_t n = 0;
  for_each_statement(kernel.body, [&](const Statement& s) {
    const auto* copy = std::get_if<AsyncCopy>(&s.node);
    n += copy != nullptr && copy->box ? 1 : 0;
  });
  return n;
}

// C[m, n] = sum of A[m, k] * B[n, k] by tiles of 16 rows and `width` columns, in rings.
struct BoxProduct {
  explicit BoxProduct(std::int64_t stages, std::int64_t ahead, DataType type = DataType::Float,
                      std::int64_t width = 16) {
    const auto [M, N, K] = f.extents("M", "N", "K");
    const Tensor A = f.input("A", {M, K}, type), B = f.input("B", {N, K}, type);
    C = f.output("C", sum(unsqueeze(A, 1) * unsqueeze(B, 0), {2}));
    s.emplace(f);
    const auto [m, n, k] = s->loops<3>(C);
    const auto [mo, mi] = s->split(m, 16);
    const auto [no, ni] = s->split(n, 16);
    const auto [ko, ki] = s->split(k, width);
    s->reorder({mo, no, mi, ni, ko, ki});
    s->bind(mo, ParallelType::BIDy).bind(no, ParallelType::BIDx);
    s->bind(mi, ParallelType::TIDy).bind(ni, ParallelType::TIDx);
    const auto tile = [&](Tensor x, ParallelType block, const char* name) {
      const TensorId t = s->cache(x, name, Memory::Shared);
      const auto [r, c] = s->loops<2>(t);
      const auto [ro, ri] = s->split(r, 16);
      const auto [co, ci] = s->split(c, width);
      const auto [rz, row] = s->split(ri, 16);
      s->reorder({ro, co, rz, row, ci});
      s->bind(ro, block).bind(row, ParallelType::Bulk).bind(ci, ParallelType::Bulk);
      s->compute_at(t, ko).stages(t, stages).copy(t, CopyBy::Tma, ahead);
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

// K is a multiple of 16 bytes here and there, as a tensor map asks; elsewhere the other kernel
// runs.
const test::SizeList kProducts = {{{"M", 1}, {"N", 1}, {"K", 4}},
                                  {{"M", 9}, {"N", 5}, {"K", 31}},
                                  {{"M", 16}, {"N", 17}, {"K", 64}},
                                  {{"M", 33}, {"N", 16}, {"K", 100}}};

TEST(Boxes, GiveTheSameResultsInRingsOfAnyDepth) {
  for (const auto& [stages, ahead] :
       {std::pair(1, 0), std::pair(2, 1), std::pair(3, 2), std::pair(4, 2), std::pair(3, 0)}) {
    BoxProduct c(stages, ahead);
    const Program program = agreed(c.f, *c.s, some_of(kProducts));
    const Kernel& kernel = program.steps[0].variants[0];
    EXPECT_EQ(copies_of_boxes(kernel), 2u) << loop_nest(kernel);
    EXPECT_EQ(kernel.maps.size(), 2u);
    EXPECT_EQ(barriers_in(kernel.body), ahead == 0 ? 2u : 1u) << loop_nest(kernel);
    if (testing::Test::HasFailure()) return;
  }
}

// Each launch has a map of its own, as a parameter, so that none is edited under way (DeepGEMM
// #343, CUTLASS #2162).
TEST(Boxes, AreBegunByOneElectedThreadAndMayBeLoadsElsewhere) {
  BoxProduct c(3, 2);
  const Program program = lower(c.f, *c.s);
  const std::vector<Kernel>& variants = program.steps[0].variants;
  const Kernel& kernel = variants[0];
  EXPECT_THAT(loop_nest(kernel),
              HasSubstr("begin a[i2o % 3 * 256 .. +256] = box of A at (i0o * 16, i2o * 16) for "
                        "i2o.copied[i2o % 2], announced"));
  const CudaText text = cuda(kernel);
  EXPECT_THAT(text.text, HasSubstr("const __grid_constant__ tensor_map A_map,"));
  EXPECT_THAT(text.text, HasSubstr("__shared__ __align__(128) float a[768];"));
  EXPECT_THAT(text.text, HasSubstr("if (threadIdx.y * 16 + threadIdx.x < 32 && is_elected) {"));
  EXPECT_THAT(text.text, HasSubstr("&A_map, &i2o_copied["));
  // Whether a map can be made is asked at launch: its rows are multiples of 16 bytes apart.
  EXPECT_THAT(to_string(kernel.condition), HasSubstr("K * 4 % 16 == 0"));
  // Where it cannot, all threads of the block load the tile.
  const Kernel& loads = variants.back();
  EXPECT_TRUE(loads.maps.empty());
  EXPECT_EQ(loads.name, "kernel_C_unaligned_64");
  EXPECT_THAT(loop_nest(loads), HasSubstr("i0ii = i0ii.turn * 16 + every.TIDy"));
}

TEST(Boxes, DrawnAtRandomAgree) {
  std::mt19937_64 rng(20261129);
  for (int k = 0; k < count(10, 300); ++k) {
    const DataType types[] = {DataType::Float, DataType::Half, DataType::Double, DataType::Int8};
    const DataType type = types[std::size_t(draw(rng, 0, 3))];
    const std::int64_t piece = 16 / size_of(type), width = piece * draw(rng, 1, 4);
    const std::int64_t stages = draw(rng, 1, 5), ahead = draw(rng, 0, stages - 1);
    BoxProduct c(stages, ahead, type, width);
    const std::int64_t K = chance(rng, 3) ? draw(rng, 1, 60) : piece * draw(rng, 1, 9);
    agreed(c.f, *c.s, {{{"M", draw(rng, 1, 40)}, {"N", draw(rng, 1, 40)}, {"K", K}}});
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << k << ": " << to_string(type) << ", rows of " << width << ", " << stages
                    << " stages, " << ahead << " ahead";
      return;
    }
  }
}

// y[n, m] = x[m, n] by tiles of 32 rows of `width` elements, at the loops of blocks. If `stores`, y
// is stored from a tile of its own.
struct BoxTranspose {
  explicit BoxTranspose(DataType type, std::int64_t width, std::int64_t chunks,
                        bool stores = false) {
    const auto [M, N] = f.extents("M", "N");
    const Tensor x = f.input("x", {M, N}, type);
    const Tensor y = f.output("y", transpose(x, {1, 0}));
    s.emplace(f);
    const TensorId threads = stores ? s->cache(y, "u", Memory::Shared) : y.id();
    const auto cut = [&](TensorId v) {
      const auto [n, m] = s->loops<2>(v);
      const auto [mo, mi] = s->split(m, 32);
      const auto [no, ni] = s->split(n, width);
      s->reorder({mo, no, ni, mi});
      s->bind(mo, ParallelType::BIDy).bind(no, ParallelType::BIDx);
      return std::tuple(no, ni, mi);
    };
    auto [no, ni, mi] = cut(y.id());
    if (stores) {
      s->bind(ni, ParallelType::Bulk).bind(mi, ParallelType::Bulk).copy(y.id(), CopyBy::Tma);
      mi = std::get<2>(cut(threads));
      s->compute_at(threads, no);
    }
    s->bind(mi, ParallelType::TIDx);
    t = s->cache(x, "t", Memory::Shared);
    const auto [r, c] = s->loops<2>(t);
    const auto [ro, ri] = s->split(r, 32);
    const auto [co, ci] = s->split(c, width);
    std::vector<ScheduledLoop> tile = {ri, ci};
    if (chunks > 0) {
      // The hardware's swizzle: chunks of 16 bytes are permuted by rows of 128 bytes.
      const auto [line, lane] = s->split(ci, 16 / size_of(type));
      const std::int64_t rows = 128 / (width * size_of(type));
      const auto [high, low] = s->split(ri, chunks * rows);
      const auto [row, part] = s->split(low, rows);
      tile = {high};
      const auto [a, b] = s->swizzle(SwizzleKind::Xor, row, line);
      tile.insert(tile.end(), {a, part, b, lane});
    }
    std::vector<ScheduledLoop> order = {ro, co};
    order.insert(order.end(), tile.begin(), tile.end());
    s->reorder(order);
    s->bind(ro, ParallelType::BIDy).bind(co, ParallelType::BIDx);
    for (ScheduledLoop l : tile) s->bind(l, ParallelType::Bulk);
    s->compute_at(t, no).copy(t, CopyBy::Tma);
    s->layout(t).order(tile);
  }
  Fusion f;
  TensorId t{};
  std::optional<Schedule> s;
};

TEST(Boxes, MayBeAtTheLoopOfABlockAndSwizzledAsTheHardwareDoes) {
  struct Case {
    DataType type;
    std::int64_t width, chunks;
    TmaSwizzle swizzle;
  };
  for (const Case& c : {Case{DataType::Float, 32, 0, TmaSwizzle::None},
                        Case{DataType::Float, 32, 8, TmaSwizzle::B128},
                        Case{DataType::Half, 64, 8, TmaSwizzle::B128},
                        Case{DataType::Float, 16, 4, TmaSwizzle::B64},
                        Case{DataType::Half, 16, 2, TmaSwizzle::B32}}) {
    BoxTranspose of(c.type, c.width, c.chunks);
    const Program program =
        agreed(of.f, *of.s, {{{"M", 37}, {"N", 40}}, {{"M", 32}, {"N", 64}}, {{"M", 5}, {"N", 9}}});
    const Kernel& kernel = program.steps[0].variants[0];
    ASSERT_EQ(kernel.maps.size(), 1u);
    EXPECT_EQ(kernel.maps[0].swizzle, c.swizzle) << to_string(kernel.maps[0].swizzle);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Boxes, AreStoredFromTiles) {
  for (const DataType type : {DataType::Float, DataType::Half, DataType::Double}) {
    BoxTranspose of(type, 16, 0, true);
    const Program program = agreed(of.f, *of.s,
                                   {{{"M", 40}, {"N", 40}},
                                    {{"M", 32}, {"N", 64}},
                                    {{"M", 8}, {"N", 104}},
                                    {{"M", 5}, {"N", 9}}});
    const Kernel& kernel = program.steps[0].variants[0];
    ASSERT_EQ(kernel.maps.size(), 2u);
    EXPECT_THAT(loop_nest(kernel), HasSubstr("begin box of y at (i0o * 16, i1o * 32) = u\n"));
    if (testing::Test::HasFailure()) return;
    const Nvrtc* nvrtc = Nvrtc::instance();
    if (nvrtc == nullptr) continue;
    const CudaText text = cuda(kernel);
    const CompiledKernels compiled =
        nvrtc->compile({text.text, text.name, text.parameter_types}, {.arch = "sm_90a"});
    const StaticCounts counts = count_sass(compiled.cubin).at(text.name);
    EXPECT_EQ(counts.box_loads, 1);
    EXPECT_EQ(counts.box_stores, 1);
    EXPECT_EQ(counts.elections, 2);
  }
}

// Each event of a store is needed: without it something is refuted, or a run shows it.
TEST(Boxes, AreStoredInOrderOnly) {
  BoxTranspose of(DataType::Float, 16, 0, true);
  const Kernel kernel = lower(*of.s).steps[0].variants[0];
  ASSERT_TRUE(verify(kernel).is_legal());
  const auto is_event = [](const Statement& s) {
    const auto* arrive = std::get_if<Arrive>(&s.node);
    const auto* wait = std::get_if<Wait>(&s.node);
    return std::holds_alternative<ProxyFence>(s.node) ||
           (arrive != nullptr && arrive->queue == ThreadQueue::Stores) ||
           (wait != nullptr && wait->queue == ThreadQueue::Stores);
  };
  std::size_t events = 0;
  for_each_statement(kernel.body, [&](const Statement& s) { events += is_event(s) ? 1 : 0; });
  EXPECT_EQ(events, 3u);
  for (std::size_t k = 0; k < events; ++k) {
    Kernel without = kernel;
    std::size_t left = k;
    const auto drop = [&](const auto& self, Body& body) -> bool {
      for (std::size_t i = 0; i < body.size(); ++i) {
        if (is_event(body[i]) && left-- == 0) {
          body.erase(body.begin() + std::ptrdiff_t(i));
          return true;
        }
        for (Body* inner : bodies(body[i])) {
          if (self(self, *inner)) return true;
        }
      }
      return false;
    };
    ASSERT_TRUE(drop(drop, without.body));
    EXPECT_FALSE(verify(without).is_legal()) << k;
  }
}

// Boxes of 24 of rows of 64 would store what others do.
TEST(Boxes, AreNotStoredOverOthers) {
  Fusion f;
  const auto [M] = f.extents("M");
  const Tensor x = f.input("x", {M, f.constant(64)}, DataType::Float), y = f.output("y", exp(x));
  Schedule s(f);
  const TensorId u = s.cache(y, "u", Memory::Shared);
  const auto cut = [&](TensorId v) {
    const auto [m, n] = s.loops<2>(v);
    const auto [no, ni] = s.split(n, 24);
    s.bind(m, ParallelType::BIDx);
    return std::pair(m, ni);
  };
  const auto [m, ni] = cut(y.id());
  const auto [one, box] = s.split(ni, 8);
  s.bind(box, ParallelType::Bulk).copy(y, CopyBy::Tma);
  s.bind(cut(u).second, ParallelType::TIDx);
  s.compute_at(u, m);
  EXPECT_THAT(refusal_by<Illegal>([&] { lower(f, s); }), HasSubstr("E46"));
}

TEST(Boxes, AreRefusedWhereTheyCannotBe) {
  BoxProduct narrow(2, 1, DataType::Half, 12);
  EXPECT_THAT(refusal_by<Illegal>([&] { lower(*narrow.s); }),
              HasSubstr("rule of the tensor map: a multiple of 16 bytes in the innermost dimension "
                        "of the box"));
  BoxProduct unbound(2, 1);
  for (ScheduledLoop l : unbound.s->loops(unbound.a)) {
    if (unbound.s->parallel(l.tensor, l.domain) == ParallelType::Bulk) {
      unbound.s->bind(l, ParallelType::Serial);
    }
  }
  EXPECT_EQ(refusal_by<Illegal>([&] { lower(*unbound.s); }),
            "selvage: error[E460]: a is copied by tma, and no loop of it is bound to Bulk; help: "
            "bind the loops of its tile to Bulk, such as i2i; or copy it by bulk or cp_async");
  BoxProduct loads(2, 1);
  loads.s->copy(loads.a, CopyBy::CpAsync, 1);
  EXPECT_EQ(refusal_by<Illegal>([&] { lower(*loads.s); }),
            "selvage: error[E414]: binding i0ii of a to Bulk makes it a part of the box of a copy, "
            "and a is not copied by tma; help: bind it to BIDx..z or TIDx..z; or leave it serial");
}

TEST(Boxes, AreWhatTheCompilerWrites) {
  const Nvrtc* nvrtc = Nvrtc::instance();
  if (nvrtc == nullptr) GTEST_SKIP() << "no NVRTC: " << Nvrtc::why_absent();
  BoxProduct c(3, 2);
  const CudaText text = cuda(lower(c.f, *c.s).steps[0].variants[0]);
  const KernelSource source{text.text, text.name, text.parameter_types};
  EXPECT_EQ(refusal_by<Error>([&] { nvrtc->compile(source, {.arch = "sm_80"}); }),
            "selvage: error[E704]: kernel_C has copies of boxes by tensor maps "
            "(cp.async.bulk.tensor), which GPUs have from sm_90 on, and is compiled for sm_80; "
            "help: compile for sm_90 or newer; or copy by cp_async, or ldst, in its schedule");
  for (const char* architecture : {"sm_90a", "sm_100a"}) {
    const CompiledKernels compiled = nvrtc->compile(source, {.arch = architecture});
    const StaticCounts counts = count_sass(compiled.cubin).at(text.name);
    EXPECT_EQ(counts.box_loads, 2) << architecture;
    EXPECT_GE(counts.object_events, 4) << architecture;
    EXPECT_EQ(counts.elections, 1) << architecture;
    EXPECT_EQ(counts.local_loads + counts.local_stores, 0) << architecture;
  }
}

}  // namespace
}  // namespace selvage::boxes
