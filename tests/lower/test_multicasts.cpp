// Tiles that one block of a cluster copies for all (Multicast): results, texts, proofs, refusals.
#include <selvage/codegen/cuda.h>
#include <selvage/ir/ops.h>
#include <selvage/kernel/print.h>
#include <selvage/kernel/statements.h>
#include <selvage/kernel/verify.h>
#include <selvage/runtime/nvrtc.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/lower/proved_agreement.h"
#include "tests/oracle/draws.h"
#include "tests/support/counts.h"
#include "tests/support/lowered.h"
#include "tests/support/refusal.h"
#include "tests/support/static_counts.h"

namespace selvage::multicasts {
namespace {

using oracle::chance;
using oracle::draw;
using test::agreed;
using testing::HasSubstr;

// C[m, n] = sum of A[m, k] * B[n, k]: clusters of blocks that have 8 rows of A each, and the same 8
// rows of B, of which each block copies an equal part for all. A thread copies. `is_repeated`: a
// cluster computes all rows of C, one after the other.
struct SharedRows {
  explicit SharedRows(std::int64_t ranks, std::int64_t stages = 2, std::int64_t ahead = 1,
                      CopyBy by = CopyBy::Bulk, std::int64_t width = 32, bool is_repeated = false) {
    const ParallelType rows = is_repeated ? ParallelType::Serial : ParallelType::BIDy;
    const auto [M, N, K] = f.extents("M", "N", "K");
    const Tensor A = f.input("A", {M, K}, DataType::Float),
                 B = f.input("B", {N, K}, DataType::Float);
    C = f.output("C", sum(unsqueeze(A, 1) * unsqueeze(B, 0), {2}));
    s.emplace(f);
    const auto [m, n, k] = s->loops<3>(C);
    const auto [mo, mi] = s->split(m, 8);
    const auto [cluster, rank] = s->split(mo, ranks);
    const auto [no, ni] = s->split(n, 8);
    const auto [ko, ki] = s->split(k, width);
    s->reorder({cluster, no, rank, mi, ni, ko, ki});
    s->bind(cluster, rows).bind(no, ParallelType::BIDx).bind(rank, ParallelType::CIDx);
    s->bind(mi, ParallelType::TIDy).bind(ni, ParallelType::TIDx);
    const auto tile = [&](Tensor x, const char* name, std::int64_t parts) {
      const TensorId t = s->cache(x, name, Memory::Shared);
      const auto [r, c] = s->loops<2>(t);
      const auto [ro, ri] = s->split(r, 8);
      const auto [co, ci] = s->split(c, width);
      const auto [part, row] = s->split(ri, 8 / parts);
      s->reorder({ro, co, part, row, ci});
      s->bind(ci, by == CopyBy::Tma ? ParallelType::Bulk : ParallelType::Vectorize);
      if (by == CopyBy::Tma) s->bind(row, ParallelType::Bulk);
      if (parts > 1) {
        s->bind(part, ParallelType::Multicast).bind(ro, ParallelType::BIDx);
        shared_out = part;
      } else {
        const auto [ro_cluster, ro_rank] = s->split(ro, ranks);
        s->bind(ro_cluster, rows).bind(ro_rank, ParallelType::CIDx);
      }
      s->compute_at(t, ko).stages(t, stages).copy(t, by, ahead);
      return t;
    };
    a = tile(A, "a", 1);
    b = tile(B, "b", ranks);
  }
  Kernel kernel() const { return lower(f, *s).steps[0].variants[0]; }
  Fusion f;
  Tensor C;
  TensorId a{}, b{};
  ScheduledLoop shared_out;
  std::optional<Schedule> s;
};

const std::vector<std::map<std::string, std::int64_t>> kSizes = {
    {{"M", 1}, {"N", 1}, {"K", 4}},
    {{"M", 17}, {"N", 9}, {"K", 68}},
    {{"M", 33}, {"N", 17}, {"K", 33}},
};

TEST(Multicasts, GiveTheSameResults) {
  for (const CopyBy by : {CopyBy::Bulk, CopyBy::Tma}) {
    for (const std::int64_t ranks : {2, 8}) {
      SCOPED_TRACE(std::string(to_string(by)) + " to " + std::to_string(ranks));
      SharedRows c(ranks, 3, 2, by);
      agreed(c.f, *c.s, kSizes);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(Multicasts, DrawnAtRandomAgree) {
  std::mt19937_64 rng(20261205);
  for (int k = 0; k < count(6, 200); ++k) {
    const CopyBy by = chance(rng, 2) ? CopyBy::Bulk : CopyBy::Tma;
    const std::int64_t ranks = std::int64_t{1} << draw(rng, 1, 3), stages = draw(rng, 1, 4),
                       ahead = draw(rng, 0, stages - 1),
                       width = by == CopyBy::Tma ? 32 : 4 * draw(rng, 1, 6);
    const bool has_role = stages > 1 && chance(rng, 2);
    const bool is_repeated = chance(rng, 3);
    SharedRows c(ranks, stages, has_role ? stages - 1 : ahead, by, width, is_repeated);
    if (has_role) c.s->role(c.a, {}).role(c.b, {});
    const std::int64_t K = chance(rng, 3) ? draw(rng, 1, 60) : 4 * draw(rng, 1, 15);
    agreed(c.f, *c.s, {{{"M", draw(rng, 1, 40)}, {"N", draw(rng, 1, 20)}, {"K", K}}});
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << k << ": " << to_string(by) << " of " << width << " to " << ranks << ", "
                    << stages << " stages, " << ahead << " ahead" << (has_role ? ", by a role" : "")
                    << (is_repeated ? ", repeated" : "");
      return;
    }
  }
}

// All blocks of the cluster wait for one another where each of them could go on by itself else.
TEST(Multicasts, MeetAllBlocksOfTheCluster) {
  SharedRows c(2);
  const std::string nest = loop_nest(c.kernel());
  EXPECT_THAT(nest, HasSubstr("barrier (cluster)"));
  EXPECT_THAT(nest, HasSubstr("announced, in all ranks by rank i1io"));
  c.s->bind(c.shared_out, ParallelType::Serial);
  const std::string alone = loop_nest(c.kernel());
  EXPECT_THAT(alone, testing::Not(HasSubstr("barrier (cluster)")));
  EXPECT_THAT(alone, testing::Not(HasSubstr("in all ranks")));
}

TEST(Multicasts, AreRefusedWhereTheyCannotBe) {
  SharedRows other(4);
  const auto [half, two] = other.s->split(other.s->loops(other.b)[3], 1);
  other.s->bind(other.shared_out, ParallelType::Serial).bind(half, ParallelType::Multicast);
  EXPECT_EQ(
      refusal_by<Illegal>([&] { other.kernel(); }),
      "selvage: error[E467]: i1iio of b, which is bound to Multicast, has 2 iterations, and a "
      "cluster 4 blocks; help: bind a loop of 2 iterations around what is copied to CIDx; or "
      "i1iio to Serial");
  SharedRows loaded(2);
  loaded.s->copy(loaded.b, CopyBy::LoadStore);
  EXPECT_EQ(
      refusal_by<Illegal>([&] { loaded.kernel(); }),
      "selvage: error[E448]: i1io of b is bound to Multicast, by which blocks of a cluster copy "
      "for one another, and b is copied by ldst; help: copy it by bulk or tma; or bind i1io to "
      "Serial");
}

// Each block of a cluster may have warps of a role. Where one copies for all, these say to those of
// every block that their slot is free.
TEST(Multicasts, MayBeMadeByARole) {
  for (const CopyBy by : {CopyBy::Bulk, CopyBy::Tma}) {
    SharedRows c(2, 3, 2, by);
    c.s->role(c.a, {}).role(c.b, {});
    const Program program = agreed(c.f, *c.s, kSizes);
    const Kernel& kernel = program.steps[0].variants[0];
    const std::string nest = loop_nest(kernel), text = cuda(kernel).text;
    EXPECT_THAT(nest, HasSubstr("arrive at i2o.ready[i2o.rank * 3 + i2o % 3]"));
    EXPECT_THAT(text, HasSubstr("arrive_in_rank(&i2o_ready["));
    EXPECT_THAT(text, HasSubstr("wait_for_ranks(&i2o_ready["));
    EXPECT_THAT(text, HasSubstr("wait_for_phase(&i2o_copied["));
    EXPECT_THAT(text, HasSubstr("init_object(&i2o_ready[0], 2);"));
    EXPECT_THAT(text, HasSubstr("init_object(&i2o_free[0], 64);"));
  }
}

// They go on into the next tile of the cluster.
TEST(Multicasts, MayBeMadeAgainAndAgain) {
  for (const bool has_role : {false, true}) {
    SharedRows c(2, 3, 2, CopyBy::Bulk, 32, true);
    if (has_role) c.s->role(c.a, {}).role(c.b, {});
    agreed(c.f, *c.s, kSizes);
  }
}

// They copy for their own block alone where they have to.
TEST(Multicasts, LeaveRolesOfABlockAlone) {
  SharedRows c(2, 3, 2);
  c.s->role(c.a, {}).role(c.b, {}).bind(c.shared_out, ParallelType::Serial);
  const Program program = agreed(c.f, *c.s, some_of(kSizes));
  const Kernel& kernel = program.steps[0].variants[0];
  EXPECT_THAT(loop_nest(kernel), HasSubstr("region load (threads 0x00000000 0x00000000 0xffffffff "
                                           "0x00000000 0x00000000 0xffffffff)\n"));
  EXPECT_THAT(loop_nest(kernel), HasSubstr("wait for i2o.free[every.TIDz * 3 + i2o % 3], phase"));
  EXPECT_THAT(cuda(kernel).text, HasSubstr("if (64 <= threadIdx.y * 8 + threadIdx.x) {  // load"));
}

// As many threads free a slot as all blocks expect, but all of them are of one block.
TEST(Multicasts, RolesOfEachBlockAreThoseOfItsRing) {
  SharedRows c(2, 3, 2);
  c.s->role(c.a, {}).role(c.b, {}).bind(c.shared_out, ParallelType::Serial);
  Kernel kernel = c.kernel();
  EXPECT_TRUE(verify(kernel).is_legal());
  for_each_statement(kernel.body, [&](Statement& s) {
    auto* region = std::get_if<Region>(&s.node);
    if (region != nullptr && region->role == "compute") region->members.resize(2);
  });
  for (Buffer& b : kernel.buffers) {
    if (b.name == "i2o.free") b.arrivals = 32;
  }
  EXPECT_FALSE(verify(kernel).is_legal());
}

// A loop of some iterations without a cluster is no multicast.
TEST(Multicasts, NeedACluster) {
  SharedRows c(2);
  for (const TensorId t : {c.C.id(), c.a}) {
    for (const ScheduledLoop& l : c.s->loops(t)) {
      if (c.s->parallel(t, l.domain) == ParallelType::CIDx) c.s->bind(l, ParallelType::BIDz);
    }
  }
  EXPECT_EQ(refusal_by<Illegal>([&] { c.kernel(); }),
            "selvage: error[E467]: i1io of b, which is bound to Multicast, has 2 iterations, and a "
            "cluster 1 block; help: bind a loop of 2 iterations around what is copied to CIDx; or "
            "i1io to Serial");
}

TEST(Multicasts, AreWhatTheCompilerWrites) {
  const Nvrtc* nvrtc = Nvrtc::instance();
  if (nvrtc == nullptr) GTEST_SKIP() << "no NVRTC: " << Nvrtc::why_absent();
  for (const CopyBy by : {CopyBy::Bulk, CopyBy::Tma}) {
    SharedRows c(4, 3, 2, by);
    const CudaText text = cuda(c.kernel());
    EXPECT_THAT(text.text,
                HasSubstr(by == CopyBy::Tma ? "begin_box_to_ranks_2(" : "begin_copy_to_ranks("));
    for (const char* architecture : {"sm_90a", "sm_100a"}) {
      const CompiledKernels compiled = nvrtc->compile(
          KernelSource{text.text, text.name, text.parameter_types}, {.arch = architecture});
      const StaticCounts counts = count_sass(compiled.cubin).at(text.name);
      EXPECT_GE(by == CopyBy::Tma ? counts.box_loads : counts.bulk_copies, 1) << architecture;
      EXPECT_GE(counts.elections, 1) << architecture;
      EXPECT_EQ(counts.local_loads + counts.local_stores, 0) << architecture;
    }
  }
}

}  // namespace
}  // namespace selvage::multicasts
