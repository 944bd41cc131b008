// Which inputs are read past the caches: those of which no element is read twice.
#include <selvage/codegen/cuda.h>
#include <selvage/ir/ops.h>
#include <selvage/lower/program.h>
#include <selvage/scheduler/pointwise.h>

#include <gmock/gmock.h>

#include <cstdio>

#include "tests/kernel/access_judge.h"
#include "tests/lower/random_whole_schedule.h"
#include "tests/support/counts.h"

namespace selvage {
namespace {

using testing::HasSubstr;
using testing::Not;

struct ReadOnceCase {
  Fusion f;
  const Expr m = f.extent("M"), n = f.extent("N");
  const Tensor x = f.input("x", {m, n}, DataType::Float);
  const Tensor row = f.input("row", {n}, DataType::Float);

  // "x", "x row": in the order of the inputs.
  static std::string streamed(const Program& program) {
    std::string names;
    for (const ProgramStep& step : program.steps) {
      for (const Buffer& b : step.variants.front().buffers) {
        if (b.is_read_once) names += (names.empty() ? "" : " ") + b.name;
      }
    }
    return names;
  }
  // Every tensor that is computed in loops of its own, a thread for each element.
  std::string by_threads() const {
    Schedule s(f);
    for (std::size_t t = 0; t < f.size(); ++t) {
      const TensorInfo& info = f[TensorId(t)];
      if (info.is_output || info.fold) schedule_pointwise(s, TensorId(t));
    }
    return streamed(lower(f, s));
  }
};

TEST(ReadOnce, IsWhatEachPointReadsAnElementOf) {
  ReadOnceCase c;
  c.f.output("y", c.x * c.x + c.row);
  EXPECT_EQ(c.by_threads(), "x");
}

TEST(ReadOnce, IsWhatIsFoldedWhole) {
  ReadOnceCase c;
  c.f.output("y", sum(c.x, {0}));
  EXPECT_EQ(c.by_threads(), "x");
}

TEST(ReadOnce, IsWhatIsReadInAnotherOrderOrInPart) {
  ReadOnceCase c;
  c.f.output("y", transpose(c.x, {1, 0}));
  EXPECT_EQ(c.by_threads(), "x");
  ReadOnceCase d;
  d.f.output("y", pad(d.x, {{1, 2}, {0, 1}}));
  EXPECT_EQ(d.by_threads(), "x");
}

TEST(ReadOnce, IsNothingThatTwoNestsRead) {
  ReadOnceCase c;
  c.f.output("y", c.x + 1);
  c.f.output("z", c.x * 2);
  EXPECT_EQ(c.by_threads(), "");
  ReadOnceCase d;
  d.f.output("y", d.x / unsqueeze(sum(d.x, {1}), 1));
  EXPECT_EQ(d.by_threads(), "");
}

TEST(ReadOnce, IsNothingThatIsReadAtTwoPlaces) {
  ReadOnceCase c;
  c.f.output("y", slice(c.x, 1, 0, -1) + slice(c.x, 1, 1));
  EXPECT_EQ(c.by_threads(), "");
}

// The thread that folds reads its row once; sixty-four that do the same do not.
TEST(ReadOnce, IsNothingThatAllThreadsOfABlockRead) {
  ReadOnceCase c;
  const Tensor s = sum(c.x, {1}), y = c.f.output("y", unsqueeze(s, 1) + c.row);
  Schedule schedule(c.f);
  const auto [rows, columns] = schedule.loops<2>(y);
  const auto [outer, inner] = schedule.split(columns, 64);
  schedule.bind(rows, ParallelType::BIDx).bind(inner, ParallelType::TIDx);
  schedule.compute_at(s.id(), rows);
  EXPECT_EQ(ReadOnceCase::streamed(lower(c.f, schedule)), "");
}

TEST(ReadOnce, IsReadPastTheCaches) {
  ReadOnceCase c;
  const Tensor y = c.f.output("y", c.x + c.row);
  Schedule s(c.f);
  schedule_pointwise(s, y.id());
  const std::string text = cuda(lower(c.f, s).steps[0].variants[0]).text;
  EXPECT_THAT(text, HasSubstr("__ldcs(&x["));
  EXPECT_THAT(text, Not(HasSubstr("__ldcs(&row[")));
}

// By brute force: every access of every thread is listed.
TEST(ReadOnce, IsReadOnceInRandomFusions) {
  int streamed = 0, others = 0, others_once = 0;
  const int n = count(60, 5'000);
  for (int seed = 1; seed <= n; ++seed) {
    const test::WholeCase c({.seed = std::uint64_t(seed)});
    if (!c.program) continue;
    for (const ProgramStep& step : c.program->steps) {
      const Kernel& kernel = step.variants.back();
      const bool has_input = std::any_of(kernel.buffers.begin(), kernel.buffers.end(),
                                         [&](const Buffer& b) { return !b.is_written; });
      // Every thread is listed, and clusters have many: some will do.
      if (!has_input || (kernel.launch.is_cluster && seed % 8 != 0)) continue;
      const test::AccessJudge judge(kernel, c.random.sizes);
      for (BufferId b = 0; b < kernel.buffers.size(); ++b) {
        const Buffer& buffer = kernel.buffers[b];
        if (buffer.memory != Memory::Global || buffer.is_written) continue;
        if (!buffer.is_read_once) {
          ++others;
          others_once += judge.most_reads(b) <= 1;
          continue;
        }
        ++streamed;
        EXPECT_LE(judge.most_reads(b), 1U) << "seed " << seed << ": " << buffer.name;
      }
    }
  }
  EXPECT_GT(streamed, n / 8);
  std::printf("%d buffers read once; of %d others %d are read once by one kernel\n", streamed,
              others, others_once);
}

}  // namespace
}  // namespace selvage
