// Rows of odd lengths in whole vectors: each row is moved to an offset of its own, from which its
// vectors are aligned.
#include <selvage/ir/composites.h>
#include <selvage/ir/ops.h>
#include <selvage/legality/analysis.h>
#include <selvage/legality/vector_access.h>
#include <selvage/lower/cost.h>
#include <selvage/lower/program.h>

#include <gtest/gtest.h>

#include <random>

#include "tests/oracle/draws.h"
#include "tests/support/counts.h"
#include "tests/support/lowered.h"
#include "tests/support/refusal.h"

namespace selvage {
namespace {

using oracle::chance;
using oracle::draw;

struct OddRows {
  OddRows(std::int64_t m, std::int64_t n, DataType type) {
    const Tensor x = f.input("x", {f.constant(m), f.constant(n)}, type);
    y = f.output("y", x + x, type);
  }
  // A row to a block, in vectors of `width` by 32 threads.
  Schedule skewed(std::int64_t by, std::int64_t width) const {
    Schedule s(f);
    const auto [row, column] = s.loops<2>(y);
    const ScheduledLoop moved = s.skew(column, row, f.constant(by), f.constant(width));
    const auto [group, lane] = s.split(moved, width);
    const auto [step, thread] = s.split(group, 32);
    s.bind(row, ParallelType::BIDx).bind(thread, ParallelType::TIDx);
    s.bind(lane, ParallelType::Vectorize);
    return s;
  }

  mutable Fusion f;
  Tensor y;
};

Finding vectors_of(const Fusion& fusion, const Schedule& schedule, TensorId t) {
  return vector_access(fusion, schedule, analyze(fusion, schedule, t)).value().finding;
}

TEST(Skew, MovesEachRowByWhatItIsOutOfLine) {
  const OddRows rows(7, 13, DataType::Float);
  const Schedule s = rows.skewed(13, 4);
  EXPECT_TRUE(s.graph()[s.loops(rows.y)[1].domain].extent.is_const(1));
  test::expect_verified(lower(s));
  test::expect_agreement(rows.f, s);
}

// The vectors of a row are aligned if and only if the rows are moved by their own length: for all
// lengths, widths, and numbers to move them by.
TEST(Skew, AlignsVectorsIfAndOnlyIfItMovesByTheLengthOfARow) {
  for (const std::int64_t width : {2, 4}) {
    for (std::int64_t n = 1; n <= 2 * width + 3; ++n) {
      for (std::int64_t by = 0; by <= width; ++by) {
        const OddRows rows(width + 1, n, DataType::Float);
        const Schedule s = rows.skewed(by, width);
        const Finding found = vectors_of(rows.f, s, rows.y.id());
        // Of a row that is shorter than a vector, or that begins where one does, none may be whole.
        bool is_aligned = true;
        for (std::int64_t r = 0; r <= width; ++r) {
          for (std::int64_t c = 0; c + width <= n; ++c) {
            const bool begins = (c + by * r % width) % width == 0;
            is_aligned &= !begins || (r * n + c) % width == 0;
          }
        }
        EXPECT_EQ(is_proved(found.verdict), is_aligned)
            << n << " by " << by << " in vectors of " << width << ": " << found.reason;
        EXPECT_EQ(is_refuted(found.verdict), !is_aligned) << n << " by " << by << " " << width;
      }
    }
  }
}

// All but the ends of a row are moved in whole vectors.
TEST(Skew, LoadsWholeVectors) {
  constexpr std::int64_t kRows = 64, kItems = 8'191;
  const OddRows rows(kRows, kItems, DataType::BFloat16);
  const ProgramCost cost = cost_of(lower(rows.skewed(kItems, 8))).value();
  std::int64_t wide = 0;
  for (const AccessCost& a : cost.kernels.at(0).accesses) {
    if (a.requests.bytes == 16) wide += a.bytes();
  }
  EXPECT_GT(double(wide), 0.99 * 2 * double(kRows * kItems * 2));
  // Sectors are asked for twice only where one row ends and another begins.
  EXPECT_LT(cost.kernels[0].work.l2_bytes, 1.06 * double(cost.floor_bytes));
}

// That rows of N do not meet is beyond the proofs where they are moved by N: the emulator looks.
TEST(Skew, OfSizesIsRightForAllSizes) {
  Fusion f;
  const Expr m = f.extent("M"), n = f.extent("N");
  const Tensor x = f.input("x", {m, n}, DataType::Half);
  const Tensor y = f.output("y", relu(x), DataType::Half);
  Schedule s(f);
  const auto [row, column] = s.loops<2>(y);
  const auto [group, lane] = s.split(s.skew(column, row, n, f.constant(8)), 8);
  const auto [step, thread] = s.split(group, 4);
  s.bind(row, ParallelType::BIDx).bind(thread, ParallelType::TIDx);
  s.bind(lane, ParallelType::Vectorize);
  EXPECT_TRUE(is_proved(vectors_of(f, s, y.id()).verdict));
  const Program program = lower(s);
  for (const std::int64_t length : {1, 7, 8, 9, 64, 97}) {
    test::expect_agreement(f, program, {.sizes = {{"M", 9}, {"N", length}}});
  }
}

// Folds, rows that are kept, several rows of a block, any way of cutting up.
TEST(Skew, OfRandomFoldsAgrees) {
  std::mt19937_64 rng(1);
  for (int k = 0; k < count(30, 400); ++k) {
    constexpr DataType kTypes[] = {DataType::Float, DataType::Half, DataType::BFloat16,
                                   DataType::Double};
    const DataType type = kTypes[draw(rng, 0, 3)];
    const std::int64_t most = 16 / size_of(type), width = chance(rng, 2) ? most : 2;
    const std::int64_t m = draw(rng, 1, 12), n = draw(rng, 1, 90), threads = 1 << draw(rng, 0, 4);
    Fusion f;
    const Tensor x = f.input("x", {f.constant(m), f.constant(n)}, type);
    const Tensor largest = max(x, {1}, keepdim);
    const Tensor y = f.output("y", x - largest, type);
    Schedule s(f);
    auto [row, column] = s.loops<2>(y);
    ScheduledLoop block = row;
    const bool has_rows = chance(rng, 2);
    if (has_rows) std::tie(block, row) = s.split(row, draw(rng, 1, 4));
    const ScheduledLoop along = chance(rng, 2) ? row : ScheduledLoop{y.id(), f[y.id()].logical[0]};
    // A number that aligns nothing is as right, only slower.
    const std::int64_t by = chance(rng, 4) ? draw(rng, 0, 9) : n;
    const auto [group, lane] =
        s.split(s.skew(column, along, f.constant(by), f.constant(width)), width);
    const auto [step, thread] = s.split(group, threads);
    s.bind(block, ParallelType::BIDx).bind(thread, ParallelType::TIDx);
    if (has_rows) s.bind(row, ParallelType::TIDy);
    const bool is_vector = chance(rng, 4) ? false : is_proved([&] {
      Schedule tried = s;
      tried.bind(lane, ParallelType::Vectorize);
      return vectors_of(f, tried, y.id()).verdict;
    }());
    if (is_vector) s.bind(lane, ParallelType::Vectorize);
    s.like(largest.id(), y.id()).compute_at(largest.id(), row);
    if (chance(rng, 2)) {
      const TensorId kept = s.cache(x, "kept", chance(rng, 2) ? Memory::Local : Memory::Shared);
      s.like(kept, y.id()).compute_at(kept, row);
    }
    SCOPED_TRACE(std::to_string(k) + ": " + std::to_string(m) + " x " + std::to_string(n) + " by " +
                 std::to_string(by) + ", " + std::to_string(threads) + " threads of " +
                 std::to_string(width));
    test::expect_agreement(f, s);
    if (HasFailure()) return;
  }
}

TEST(Skew, IsRefused) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(6), f.constant(10)}, DataType::Float);
  const Tensor y = f.output("y", relu(x));
  Schedule s(f);
  const auto [row, column] = s.loops<2>(y);
  const auto code = [&](ScheduledLoop l, ScheduledLoop along, std::int64_t modulo) {
    const std::string said = illegal([&] { s.skew(l, along, f.constant(1), f.constant(modulo)); });
    return said.substr(0, said.find(']') + 1);
  };
  EXPECT_EQ(code(row, row, 4), "selvage: error[E416]");
  EXPECT_EQ(code(row, column, 0), "selvage: error[E401]");
  const auto [outer, inner] = s.split(column, 5);
  EXPECT_EQ(code(column, row, 4), "selvage: error[E410]");
  // The column follows from the loop that would be moved, and from no other.
  EXPECT_EQ(code(outer, column, 4), "selvage: error[E416]");
  EXPECT_EQ(code(outer, inner, 4), "");
}

}  // namespace
}  // namespace selvage
