// Composites as kernels: the emulator and the virtual device beside the unscheduled program.
#include <selvage/ir/composites.h>
#include <selvage/ir/random_ops.h>

#include <gtest/gtest.h>

#include "tests/lower/every_op.h"
#include "tests/support/lowered.h"

namespace selvage {
namespace {

using namespace test;

// Each row a block, its items the threads'; folds follow.
Schedule by_rows(const Fusion& f) {
  Schedule s(f);
  for (std::size_t t = 0; t < f.size(); ++t) {
    if (!f[TensorId(t)].is_output) continue;
    const std::vector<ScheduledLoop> loops = s.loops(TensorId(t));
    s.bind(loops.at(0), ParallelType::BIDx);
    if (loops.size() > 1) s.bind(s.split(loops.at(1), 32).second, ParallelType::TIDx);
  }
  return s;
}

Fusion composites(DataType type) {
  Fusion f;
  const Expr M = f.extent("M", 0), N = f.extent("N");
  const Tensor x = f.input("x", {M, N}, type), w = f.input("w", {N}, type),
               b = f.input("b", {N}, type);
  f.output("soft", softmax(x, 1));
  f.output("log_soft", log_softmax(x, 1));
  f.output("log_of_sum", logsumexp(x, {1}));
  f.output("layer", layer_norm(x, {1}, w, b));
  f.output("root", rms_norm(x, {1}, w, 1e-6));
  f.output("masked", masked_fill(x, iota(f, {M, N}) > iota(f, {M, N}, 0), 0));
  return f;
}

TEST(CompositeKernels, AgreeWithTheUnscheduledProgram) {
  for (DataType type : {DataType::Half, DataType::Float, DataType::Double, DataType::Int8}) {
    const Fusion f = composites(type);
    for (const Schedule& s : {Schedule(f), by_rows(f)}) {
      const Program program = lower(f, s);
      for (const auto& [m, n] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {3, 65}, {0, 4}}) {
        expect_agreement(f, program,
                         {.sizes = {{"M", m}, {"N", n}},
                          .inputs = {{"x", drawn(Draw::Small, type, {m, n}, 1)},
                                     {"w", drawn(Draw::Small, type, {n}, 2)},
                                     {"b", drawn(Draw::Small, type, {n}, 3)}}});
      }
      if (HasFailure()) return;
    }
  }
}

// The numbers are those of the items, whoever computes them.
TEST(CompositeKernels, DrawTheSameNumbersUnderEverySchedule) {
  Fusion f;
  const Expr M = f.extent("M", 0), N = f.extent("N");
  const Tensor x = f.input("x", {M, N}, DataType::Float),
               seed = f.input("seed", {}, DataType::Int64);
  f.output("bits", random_bits(f, {M, N}, 3));
  f.output("kept", dropout(x, 0.25, seed));
  f.output("noisy", x + random_normal(f, {M, N}, seed) * random_uniform(f, {N}, 5));
  for (const Schedule& s : {Schedule(f), by_rows(f)}) {
    const Program program = lower(f, s);
    for (const auto& [m, n] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {3, 65}, {0, 4}}) {
      Array at(DataType::Int64, {});
      at.set_int(0, m - (std::int64_t{1} << 60));
      expect_agreement(
          f, program,
          {.sizes = {{"M", m}, {"N", n}},
           .inputs = {{"x", drawn(Draw::Wild, DataType::Float, {m, n}, 1)}, {"seed", at}}});
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace selvage
