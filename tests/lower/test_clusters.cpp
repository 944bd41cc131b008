// Rows that the blocks of a cluster fold together (CIDx): results, texts, proofs, refusals.
#include <selvage/codegen/cuda.h>
#include <selvage/ir/ops.h>
#include <selvage/kernel/print.h>
#include <selvage/runtime/nvrtc.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/lower/proved_agreement.h"
#include "tests/support/counts.h"
#include "tests/support/lowered.h"
#include "tests/support/refusal.h"
#include "tests/support/static_counts.h"

namespace selvage::clusters {
namespace {

using test::agreed;
using testing::HasSubstr;

// y[m, n] = x[m, n] * sum(x[m, n] over n): rows by clusters of some blocks, each of which has
// `items` of a row side by side, in steps of 64 threads.
struct Rows {
  explicit Rows(std::int64_t ranks, std::int64_t items = 128,
                std::optional<CopyBy> copy = std::nullopt) {
    const Expr M = f.extents("M")[0], N = f.constant(ranks * items);
    const Tensor x = f.input("x", {M, N}, DataType::Float);
    const Tensor s_ = sum(x, {1});
    const Tensor y_ = f.output("y", x * unsqueeze(s_, 1));
    y = y_.id(), sums = s_.id();
    s.emplace(f);
    if (copy) {
      xs = s->cache(x, "xs", Memory::Shared);
      cut(xs, items, copy == CopyBy::CpAsync ? 64 : items);
    }
    cut(y, items, 64);
    cut(sums, items, 64);
    const ScheduledLoop row{y, s->loop_domains(y)[0]};
    s->compute_at(sums, row);
    if (!copy) return;
    s->bind(s->loops(xs).back(), copy == CopyBy::CpAsync ? ParallelType::TIDx
                                 : copy == CopyBy::Bulk  ? ParallelType::Vectorize
                                                         : ParallelType::Bulk);
    s->compute_at(xs, row).copy(xs, *copy);
  }
  void cut(TensorId t, std::int64_t items, std::int64_t side) {
    const auto [m, n] = s->loops<2>(t);
    const auto [rank, part] = s->split(n, items);
    const auto [step, item] = s->split(part, side);
    s->bind(m, ParallelType::BIDx).bind(rank, ParallelType::CIDx);
    if (t != xs) s->bind(item, ParallelType::TIDx);
  }
  Fusion f;
  TensorId y{}, sums{}, xs{TensorId(SIZE_MAX)};
  std::optional<Schedule> s;
};

TEST(Clusters, GiveTheSameResults) {
  for (const std::int64_t ranks : {2, 3, 8, 16}) {
    Rows rows(ranks);
    agreed(rows.f, *rows.s, {{{"M", 1}}, {{"M", 3}}});
    if (testing::Test::HasFailure()) return;
  }
}

// As where a loop of one item is bound.
TEST(Clusters, OfOneBlockAreBlocks) {
  Rows rows(1);
  const Program program = agreed(rows.f, *rows.s, {{{"M", 3}}});
  EXPECT_FALSE(program.steps[0].variants[0].launch.is_cluster);
}

TEST(Clusters, KeepRowsThatNoBlockHasRoomFor) {
  for (const CopyBy by : {CopyBy::CpAsync, CopyBy::Bulk, CopyBy::Tma}) {
    SCOPED_TRACE(to_string(by));
    Rows rows(4, 256, by);
    agreed(rows.f, *rows.s, {{{"M", 1}}, {{"M", 3}}});
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Clusters, WaitForOneAnotherWhereTheirMemoryMeetsAlone) {
  Rows rows(4);
  const Kernel kernel = lower(*rows.s).steps[0].variants[0];
  const std::string text = cuda(kernel).text;
  EXPECT_THAT(text, HasSubstr("KERNEL(CLUSTER(4) kernel_y)"));
  EXPECT_THAT(text, HasSubstr("*(const float*)in_rank(&"));
  EXPECT_THAT(loop_nest(kernel), HasSubstr("        barrier\n"));
  const auto count = [&](const std::string& word) {
    std::size_t n = 0, at = text.find(word);
    for (; at != std::string::npos; at = text.find(word, at + 1)) ++n;
    return n;
  };
  EXPECT_EQ(count("  sync_cluster();\n"), 2U);  // one between, and one at the end
  EXPECT_EQ(count("  __syncthreads();\n"), 1U);
}

TEST(Clusters, AreWhatTheCompilerWrites) {
  const Nvrtc* nvrtc = Nvrtc::instance();
  if (nvrtc == nullptr) GTEST_SKIP() << "no NVRTC: " << Nvrtc::why_absent();
  for (const CopyBy by : {CopyBy::CpAsync, CopyBy::Bulk, CopyBy::Tma}) {
    Rows rows(4, 256, by);
    const CudaText text = cuda(lower(*rows.s).steps[0].variants[0]);
    for (const char* architecture : {"sm_90", "sm_90a", "sm_100a"}) {
      const CompiledKernels compiled =
          nvrtc->compile({text.text, text.name, text.parameter_types}, {.arch = architecture});
      const StaticCounts counts = count_sass(compiled.cubin).at(text.name);
      EXPECT_EQ(counts.cluster_barriers, 2) << architecture;
      EXPECT_EQ(counts.bulk_copies, by == CopyBy::Bulk ? 1 : 0) << architecture;
      EXPECT_EQ(counts.box_loads, by == CopyBy::Tma ? 1 : 0) << architecture;
      EXPECT_EQ(counts.elections, is_by_proxy(by) ? 1 : 0) << architecture;
      EXPECT_EQ(counts.local_loads + counts.local_stores, 0) << architecture;
      EXPECT_EQ(compiled.log.find("C75"), std::string::npos) << compiled.log;
    }
  }
}

TEST(Clusters, OfOpenOrManyBlocksAreRefused) {
  const auto with = [](auto change) {
    Fusion f;
    const auto [M, N] = f.extents("M", "N");
    const Tensor y = f.output("y", exp(f.input("x", {M, N}, DataType::Float)));
    Schedule s(f);
    change(s, y);
    return refusal_by<Illegal>([&] { lower(s); });
  };
  EXPECT_EQ(
      with([](Schedule& s, const Tensor& y) { s.bind(s.loops<2>(y)[1], ParallelType::CIDx); }),
      "selvage: error[E467]: a cluster of N blocks, by i1 of y, is not of 2 to 16; help: split by "
      "a number of "
      "at most 16, and bind the part of that extent to CIDx");
  EXPECT_EQ(with([](Schedule& s, const Tensor& y) {
              s.bind(s.split(s.loops<2>(y)[1], 17).second, ParallelType::CIDx);
            }),
            "selvage: error[E467]: a cluster of 17 blocks, by i1i of y, is not of 2 to 16; help: "
            "split by a number "
            "of at most 16, and bind the part of that extent to CIDx");
  EXPECT_EQ(with([](Schedule& s, const Tensor& y) {
              const auto [m, n] = s.loops<2>(y);
              s.bind(s.split(n, 4).second, ParallelType::CIDx);
              s.bind(s.split(m, 4).second, ParallelType::TIDz);
            }),
            "selvage: error[E467]: the kernel kernel_y counts blocks of a cluster, by i1i of y, "
            "and threads along z, "
            "by i0i of y, and has one number for both; help: bind i0i of y to TIDx or TIDy");
  EXPECT_EQ(with([](Schedule& s, const Tensor& y) {
              const auto [m, n] = s.loops<2>(y);
              s.bind(s.split(n, 4).second, ParallelType::CIDx).bind(m, ParallelType::TIDx);
            }),
            "selvage: error[E467]: how many threads each block of a cluster has, M along x, is no "
            "number; help: "
            "split by a number what is bound to thread indices");
}

}  // namespace
}  // namespace selvage::clusters
