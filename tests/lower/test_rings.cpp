// Loops that become rings, as copies into shared memory end later: results, proofs, texts,
// refusals.
#include <selvage/codegen/cuda.h>
#include <selvage/ir/ops.h>
#include <selvage/kernel/print.h>
#include <selvage/runtime/nvrtc.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/lower/proved_agreement.h"
#include "tests/oracle/draws.h"
#include "tests/support/counts.h"
#include "tests/support/lowered.h"
#include "tests/support/refusal.h"
#include "tests/support/static_counts.h"

namespace selvage {
namespace {

using oracle::chance;
using oracle::draw;
using test::agreed;
using test::expect_agreement;
using testing::HasSubstr;

// y = exp(x), along rows of tiles: a thread copies a vector of a tile, and all read an item each.
struct Tiles {
  explicit Tiles(DataType type = DataType::Float, std::int64_t vector = 4, std::int64_t tile = 64) {
    const auto [M, N] = f.extents("M", "N");
    const Tensor x = f.input("x", {M, N}, type);
    y = f.output("y", exp(x));
    s.emplace(f);
    xs = s->cache(x, "xs", Memory::Shared);
    const auto [m, n] = s->loops<2>(y);
    s->bind(m, ParallelType::BIDx);
    const auto [no, ni] = s->split(n, tile);
    s->bind(ni, ParallelType::TIDx);
    const auto [xm, xn] = s->loops<2>(xs);
    s->bind(xm, ParallelType::BIDx);
    const auto [xo, xi] = s->split(xn, tile);
    const auto [xt, v] = s->split(xi, vector);
    s->bind(xt, ParallelType::TIDx);
    if (vector > 1) s->bind(v, ParallelType::Vectorize);
    s->compute_at(xs, no);
    loop = no;
  }
  Schedule& copied(std::int64_t stages, std::optional<std::int64_t> ahead = {}) {
    return s->stages(xs, stages).copy(xs, CopyBy::CpAsync, ahead);
  }
  std::string refused() const {
    return refusal_by<Illegal>([&] { lower(*s); });
  }

  Fusion f;
  Tensor y;
  TensorId xs{};
  ScheduledLoop loop;
  std::optional<Schedule> s;
};

const test::SizeList kRows = {{{"M", 3}, {"N", 1}},   {{"M", 1}, {"N", 64}},
                              {{"M", 2}, {"N", 63}},  {{"M", 2}, {"N", 257}},
                              {{"M", 1}, {"N", 128}}, {{"M", 2}, {"N", 1000}}};

std::size_t copies_in(const Kernel& kernel) {
  std::size_t n = 0;
  for_each_statement(kernel.body, [&](const Statement& s) {
    n += std::holds_alternative<AsyncCopy>(s.node) ? 1 : 0;
  });
  return n;
}

TEST(Rings, HaveOneBarrierAnIterationAndTheSameResults) {
  for (std::int64_t stages = 1; stages <= 4; ++stages) {
    for (std::int64_t ahead : {stages - 1, (stages - 1) / 2}) {
      Tiles c;
      c.copied(stages, ahead);
      const Program program = agreed(c.f, *c.s, kRows);
      const Kernel& kernel = program.steps[0].variants[0];
      EXPECT_EQ(barriers_in(kernel.body), stages == 1 ? 2u : 1u) << stages << " " << ahead;
      EXPECT_GE(copies_in(kernel), 1u);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(Rings, AreOneLoopWithAHoleAtEachEnd) {
  Tiles c;
  c.copied(3);
  EXPECT_THAT(loop_nest(lower(c.f, *c.s).steps[0].variants[0]),
              testing::AllOf(HasSubstr("  for i1o.ring in (N + 63) / 64 + 2\n"
                                       "    wait for copies but the last 1 groups\n"
                                       "    barrier\n"
                                       "    if (i1o.ring < (N + 63) / 64)\n"
                                       "      i1o = i1o.ring\n"),
                             HasSubstr("            begin xs[i1o % 3 * 64 + i1io * 4 .. +4] = "
                                       "x[N * i0 + i1o * 64 + i1io * 4 .. +4]\n"),
                             HasSubstr("    end the group of copies\n"
                                       "    if (2 <= i1o.ring)\n"
                                       "      i1o = i1o.ring - 2\n"
                                       "      parallel i1i in 64 (TIDx)\n"
                                       "        if (i1o * 64 + i1i < N)\n"
                                       "          y[N * i0 + i1o * 64 + i1i] = "
                                       "exp(xs[i1o % 3 * 64 + i1i])\n")));
}

TEST(Rings, CopyElementsWhereVectorsAreNotFullAndStoreWhatNoCopyIs) {
  for (DataType type : {DataType::Half, DataType::Float, DataType::Double, DataType::Int8}) {
    Tiles c(type, 16 / std::int64_t(size_of(type)));
    c.copied(3);
    const Program program = agreed(c.f, *c.s, kRows);
    for (const Kernel& kernel : program.steps[0].variants) {
      // Two bytes, or one, are no copy: without vectors there is none left.
      const bool has_vectors = kernel.name.find("unaligned") == std::string::npos;
      EXPECT_EQ(copies_in(kernel) > 0, has_vectors || size_of(type) >= 4) << loop_nest(kernel);
    }
    if (testing::Test::HasFailure()) return;
  }
}

// C[m, n] = sum of A[m, k] * B[k, n], tiles of both in a ring: the state of the fold stays in
// registers, around it.
struct Product {
  explicit Product(std::int64_t tile = 16) {
    const auto [M, N, K] = f.extents("M", "N", "K");
    const Tensor A = f.input("A", {M, K}, DataType::Float);
    const Tensor B = f.input("B", {K, N}, DataType::Float);
    const Tensor C = f.output("C", sum(unsqueeze(A, 1) * unsqueeze(transpose(B, {1, 0}), 0), {2}));
    s.emplace(f);
    a = s->cache(A, "a", Memory::Shared);
    b = s->cache(B, "b", Memory::Shared);
    const auto [m, n, k] = s->loops<3>(C);
    const auto [mo, mi] = s->split(m, tile);
    const auto [no, ni] = s->split(n, tile);
    const auto [ko, ki] = s->split(k, tile);
    s->reorder({mo, no, mi, ni, ko, ki});
    s->bind(mo, ParallelType::BIDy).bind(no, ParallelType::BIDx);
    s->bind(mi, ParallelType::TIDy).bind(ni, ParallelType::TIDx);
    const auto [am, ak] = s->loops<2>(a);
    const auto [amo, ami] = s->split(am, tile);
    const auto [ako, aki] = s->split(ak, tile);
    s->reorder({amo, ako, ami, aki});
    s->bind(amo, ParallelType::BIDy).bind(ami, ParallelType::TIDy).bind(aki, ParallelType::TIDx);
    const auto [bk, bn] = s->loops<2>(b);
    const auto [bko, bki] = s->split(bk, tile);
    const auto [bno, bni] = s->split(bn, tile);
    s->reorder({bno, bko, bki, bni});
    s->bind(bno, ParallelType::BIDx).bind(bki, ParallelType::TIDy).bind(bni, ParallelType::TIDx);
    s->compute_at(a, ko).compute_at(b, ko);
  }
  Fusion f;
  TensorId a{}, b{};
  std::optional<Schedule> s;
};

const test::SizeList kProducts = {{{"M", 1}, {"N", 1}, {"K", 1}},
                                  {{"M", 17}, {"N", 5}, {"K", 31}},
                                  {{"M", 16}, {"N", 33}, {"K", 80}}};

TEST(Rings, TakeTheTilesOfAProduct) {
  for (const auto& [of_a, of_b] : {std::pair(3, 3), std::pair(2, 4), std::pair(1, 1)}) {
    Product c;
    c.s->stages(c.a, of_a).copy(c.a, CopyBy::CpAsync);
    c.s->stages(c.b, of_b).copy(c.b, CopyBy::CpAsync);
    const Program program = agreed(c.f, *c.s, kProducts);
    EXPECT_EQ(barriers_in(program.steps[0].variants[0].body), of_a == 1 ? 3u : 1u);
  }
  // One tile by copies, the other by loads and stores, whose stages the ring does not wait for.
  Product c;
  c.s->stages(c.a, 3).copy(c.a, CopyBy::CpAsync).stages(c.b, 2);
  agreed(c.f, *c.s, kProducts);
}

TEST(Rings, AreRefusedWhereTheyCannotBe) {
  Tiles c;
  c.copied(2, 2);
  EXPECT_EQ(c.refused(),
            "selvage: error[E448]: copies of xs end later, and are begun 2 iterations ahead, where "
            "it has 2 stages: a copy would overwrite what is still to be used; help: give it 3 "
            "stages, or begin them 1 ahead");
  c.copied(2);
  c.s->bind(c.loop, ParallelType::Unroll);
  EXPECT_EQ(
      c.refused(),
      "selvage: error[E448]: copies of xs end later, and it is computed at i1o of y, which is "
      "bound to Unroll; help: compute it at a serial loop; or load and store it, ldst");
  EXPECT_EQ(refusal_by<Illegal>([&] { c.copied(2, -1); }),
            "selvage: error[E448]: copies of xs would be begun -1 iterations ahead; help: begin "
            "them 0 or more ahead, and less than there are stages");
  EXPECT_THAT(refusal_by<Illegal>([&] { c.s->copy(c.y, CopyBy::CpAsync); }), HasSubstr("E419"));
  Tiles halves(DataType::Half, 1);
  halves.copied(2);
  EXPECT_EQ(halves.refused(),
            "selvage: error[E448]: none of the copies of xs could end later: it copies 4, 8 or 16 "
            "bytes of global memory that lie side by side, unchanged, and xs is of half; help: "
            "cache an input as it is, and vectorize the copy by 2, 4 or 8 elements; or load and "
            "store it, ldst");
  EXPECT_EQ(refusal_by<Illegal>([&] { c.s->copy(c.xs, CopyBy::LoadStore, 1); }),
            "selvage: error[E448]: xs is loaded and stored, and would be 1 iteration ahead; help: "
            "copies that end later are begun ahead: by: cp_async, bulk or tma; or leave ahead out");
  Tiles outside;
  outside.copied(2);
  outside.s->compute_in(outside.xs, outside.y.id());
  EXPECT_THAT(outside.refused(), HasSubstr("it is computed at no loop that could begin and await"));
}

// An input that does not depend on the loop is copied in each of its iterations.
TEST(Rings, TakeWhatHasNotTheirLoop) {
  Fusion f;
  const auto [N] = f.extents("N");
  const Tensor x = f.input("x", {f.constant(32)}, DataType::Float),
               z = f.input("z", {N, f.constant(32)}, DataType::Float);
  const Tensor y = f.output("y", x + z);
  Schedule s(f);
  const TensorId xs = s.cache(x, "xs", Memory::Shared);
  const auto [i, j] = s.loops<2>(y);
  s.bind(j, ParallelType::TIDx).compute_at(xs, i).stages(xs, 2).copy(xs, CopyBy::CpAsync);
  test::expect_agreement(f, lower(f, s), {.sizes = {{"N", 7}}});
}

TEST(Rings, DrawnAtRandomAgree) {
  std::mt19937_64 rng(20261129);
  for (int k = 0; k < count(12, 300); ++k) {
    const std::int64_t vector = std::int64_t(1) << draw(rng, 0, 2);
    const std::int64_t tile = vector * draw(rng, 1, 9);
    const DataType types[] = {DataType::Float, DataType::Int32, DataType::Double, DataType::Half};
    const DataType type = types[std::size_t(draw(rng, 0, vector == 1 ? 2 : 3))];
    Tiles c(type, std::min<std::int64_t>(vector, 16 / size_of(type)), tile);
    const std::int64_t stages = draw(rng, 1, 5);
    c.copied(stages, draw(rng, 0, stages - 1));
    const Program program = lower(c.f, *c.s);
    for (const Kernel& kernel : program.steps[0].variants) {
      for (const KernelFinding& f : verify(kernel).findings) {
        ADD_FAILURE() << k << ": " << f.text << "\n" << loop_nest(kernel);
      }
    }
    for (int run = 0; run < 3; ++run) {
      expect_agreement(c.f, program, {.sizes = {{"M", draw(rng, 1, 3)}, {"N", draw(rng, 1, 200)}}});
    }
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << k << ": " << to_string(type) << ", vectors of " << vector << ", tiles of "
                    << tile << ", " << stages << " stages, " << c.s->ahead(c.xs) << " ahead";
      return;
    }
  }
}

// Each missing or weakened part of a ring is found.
TEST(Rings, NeedEveryPart) {
  Tiles c;
  c.copied(3);
  const Program program = lower(c.f, *c.s);
  const Kernel& kernel = program.steps[0].variants[0];
  const auto changed = [&](const std::function<bool(Body&, std::size_t)>& change) {
    Kernel other = kernel;
    const std::function<bool(Body&)> visit = [&](Body& body) {
      for (std::size_t i = 0; i < body.size(); ++i) {
        if (change(body, i)) return true;
        for (Body* inner : bodies(body[i])) {
          if (visit(*inner)) return true;
        }
      }
      return false;
    };
    EXPECT_TRUE(visit(other.body));
    return verify(other);
  };
  const auto drop = [&](auto is) {
    return changed([&](Body& body, std::size_t i) {
      if (!is(body[i])) return false;
      body.erase(body.begin() + std::ptrdiff_t(i));
      return true;
    });
  };
  const auto of = [](auto kind) {
    return [](const Statement& s) { return std::holds_alternative<decltype(kind)>(s.node); };
  };
  EXPECT_TRUE(verify(kernel).is_legal());
  EXPECT_TRUE(is_refuted(drop(of(Wait{})).of(Hazard::Race)));
  EXPECT_TRUE(is_refuted(drop(of(Barrier{})).of(Hazard::Race)));
  EXPECT_TRUE(is_refuted(drop(of(Arrive{})).of(Hazard::Race)));
  EXPECT_TRUE(is_refuted(changed([](Body& body, std::size_t i) {
                           auto* wait = std::get_if<Wait>(&body[i].node);
                           if (wait == nullptr) return false;
                           ++wait->pending;
                           return true;
                         }).of(Hazard::Race)));
  // A wait behind the barrier: others may read before it.
  EXPECT_TRUE(is_refuted(changed([](Body& body, std::size_t i) {
                           if (!std::holds_alternative<Wait>(body[i].node)) return false;
                           std::swap(body[i], body[i + 1]);
                           return true;
                         }).of(Hazard::Race)));
  // Copies in front of the barrier: others may still read the slot.
  EXPECT_TRUE(is_refuted(changed([](Body& body, std::size_t i) {
                           if (!std::holds_alternative<Barrier>(body[i].node)) return false;
                           std::swap(body[i], body[i + 1]);
                           return true;
                         }).of(Hazard::Race)));
}

TEST(Rings, AreWhatTheCompilerWrites) {
  const Nvrtc* nvrtc = Nvrtc::instance();
  if (nvrtc == nullptr) GTEST_SKIP() << "no NVRTC: " << Nvrtc::why_absent();
  Tiles c;
  c.copied(3);
  const Program program = lower(c.f, *c.s);
  const CudaText text = cuda(program.steps[0].variants[0]);
  const KernelSource source{text.text, text.name, text.parameter_types};
  EXPECT_EQ(refusal_by<Error>([&] { nvrtc->compile(source, {.arch = "sm_75"}); }),
            "selvage: error[E704]: kernel_y has copies that end later (cp.async), which GPUs have "
            "from sm_80 on, and is compiled for sm_75; help: compile for sm_80 or newer; or load "
            "and store, by: ldst in its schedule");
  for (const char* architecture : {"sm_80", "sm_90a", "sm_100a"}) {
    const CompiledKernels compiled = nvrtc->compile(source, {.arch = architecture});
    const StaticCounts counts = count_sass(compiled.cubin).at(text.name);
    int copies = 0;
    for (const auto& [bytes, n] : counts.copies) copies += n;
    EXPECT_GE(copies, 2) << architecture;
    // Blackwell has another word for the width.
    const bool has_widths = std::string_view(architecture) != "sm_100a";
    EXPECT_EQ(counts.copies.count(16) + counts.copies.count(4), has_widths ? 2u : 1u);
    EXPECT_GE(counts.copy_groups, 1) << architecture;
    EXPECT_EQ(counts.barriers, counts.copy_groups) << architecture;
    EXPECT_EQ(counts.local_loads + counts.local_stores, 0) << architecture;
  }
}

}  // namespace
}  // namespace selvage
