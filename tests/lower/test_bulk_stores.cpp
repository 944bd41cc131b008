// Outputs that bulk copies store from tiles (CopyBy::Bulk): results, proofs, texts, refusals.
#include <selvage/codegen/cuda.h>
#include <selvage/ir/ops.h>
#include <selvage/kernel/print.h>
#include <selvage/kernel/statements.h>
#include <selvage/runtime/nvrtc.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/lower/proved_agreement.h"
#include "tests/oracle/draws.h"
#include "tests/support/counts.h"
#include "tests/support/lowered.h"
#include "tests/support/refusal.h"
#include "tests/support/static_counts.h"

namespace selvage::bulk_stores {
namespace {

using oracle::chance;
using oracle::draw;
using test::agreed;
using testing::HasSubstr;
using testing::Not;

struct Shape {
  DataType type = DataType::Float;
  std::int64_t rows = 8, width = 32;
  bool is_spread = false;    // each row is stored by a thread of its own
  bool is_repeated = false;  // a block computes one tile of rows after the other
};

// y[m, n] = -x[m, n] by tiles of rows, each kept in shared memory and stored from there.
struct Stored {
  explicit Stored(const Shape& shape) {
    const auto [M, N] = f.extents("M", "N");
    y = f.output("y", -f.input("x", {M, N}, shape.type));
    s.emplace(f);
    const TensorId tile = s->cache(y, "ys", Memory::Shared);
    const auto cut = [&](TensorId t) {
      const auto [m, n] = s->loops<2>(t);
      const auto [mo, mi] = s->split(m, shape.rows);
      const auto [no, ni] = s->split(n, shape.width);
      s->reorder({no, mo, mi, ni});
      s->bind(mo, shape.is_repeated ? ParallelType::Serial : ParallelType::BIDy);
      s->bind(no, ParallelType::BIDx);
      return std::tuple(mo, mi, ni);
    };
    const auto [mo, mi, ni] = cut(y.id());
    s->bind(ni, ParallelType::Vectorize).copy(y.id(), CopyBy::Bulk);
    if (shape.is_spread) s->bind(mi, ParallelType::TIDy);
    const auto [to, row, column] = cut(tile);
    s->bind(row, ParallelType::TIDy).bind(column, ParallelType::TIDx);
    s->compute_at(tile, mo);
  }
  Fusion f;
  Tensor y;
  std::optional<Schedule> s;
};

// How many statements store by bulk copies, and how many of them are pieces of a vector.
std::pair<int, int> stores_in(const Kernel& kernel) {
  int all = 0, pieces = 0;
  for_each_statement(kernel.body, [&](const Statement& s) {
    const auto* copy = std::get_if<AsyncCopy>(&s.node);
    all += copy != nullptr && copy->is_store && !copy->box ? 1 : 0;
    const auto* loop = std::get_if<Loop>(&s.node);
    pieces += loop != nullptr && loop->parallel == ParallelType::Bulk ? 1 : 0;
  });
  return {all, pieces};
}

TEST(BulkStores, GiveTheSameResultsAsTheUnscheduledProgram) {
  for (const DataType type : {DataType::Float, DataType::Half, DataType::Int64, DataType::Int8}) {
    SCOPED_TRACE(std::string(to_string(type)));
    Stored of({.type = type});
    const std::int64_t piece = 16 / size_of(type);
    const Program program = agreed(of.f, *of.s,
                                   {{{"M", 8}, {"N", 32}},
                                    {{"M", 13}, {"N", 3 * piece}},
                                    {{"M", 3}, {"N", 64 + piece}},
                                    {{"M", 9}, {"N", 45}},
                                    {{"M", 1}, {"N", 1}}});
    const Kernel& kernel = program.steps[0].variants[0];
    EXPECT_EQ(stores_in(kernel), std::pair(2, 1));
    EXPECT_THAT(loop_nest(kernel), HasSubstr("begin y["));
    // Where rows are no pieces of 16 bytes all threads store, each an element at a time.
    const Kernel& elements = program.steps[0].variants.back();
    EXPECT_EQ(stores_in(elements), std::pair(0, 0));
    EXPECT_THAT(loop_nest(elements), Not(HasSubstr("== 0")));
    if (testing::Test::HasFailure()) return;
  }
}

TEST(BulkStores, DrawnAtRandomAgree) {
  std::mt19937_64 rng(20261201);
  for (int k = 0; k < count(20, 600); ++k) {
    const DataType types[] = {DataType::Float, DataType::Double, DataType::Half, DataType::Int32,
                              DataType::Int8};
    const DataType type = types[std::size_t(draw(rng, 0, 4))];
    const std::int64_t piece = 16 / size_of(type);
    const Shape shape{.type = type,
                      .rows = draw(rng, 1, 9),
                      .width = piece * draw(rng, 1, 40 / piece + 1),
                      .is_spread = chance(rng, 2),
                      .is_repeated = chance(rng, 2)};
    const std::int64_t N = chance(rng, 3) ? draw(rng, 1, 70) : piece * draw(rng, 1, 9);
    Stored of(shape);
    agreed(of.f, *of.s, {{{"M", draw(rng, 1, 30)}, {"N", N}}});
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << k << ": " << to_string(type) << ", tiles of " << shape.rows << " x "
                    << shape.width << (shape.is_spread ? ", spread" : "")
                    << (shape.is_repeated ? ", repeated" : "") << ", N = " << N;
      return;
    }
  }
}

// One row of any length: the last tile's elements are pieces where they are multiples of 16 bytes,
// which is a condition of the kernel.
TEST(BulkStores, OfOneAxisAskForPiecesAtLaunch) {
  Fusion f;
  const auto [N] = f.extents("N");
  const Tensor y = f.output("y", exp(f.input("x", {N}, DataType::Float)));
  Schedule s(f);
  const TensorId tile = s.cache(y, "ys", Memory::Shared);
  const auto cut = [&](TensorId t, ParallelType inner) {
    const auto [n] = s.loops<1>(t);
    const auto [no, ni] = s.split(n, 64);
    s.bind(no, ParallelType::BIDx).bind(ni, inner);
    return no;
  };
  const ScheduledLoop at = cut(y.id(), ParallelType::Vectorize);
  cut(tile, ParallelType::TIDx);
  s.compute_at(tile, at).copy(y.id(), CopyBy::Bulk);
  const Program program = agreed(f, s, {{{"N", 64}}, {{"N", 100}}, {{"N", 101}}, {{"N", 3}}});
  const Kernel& kernel = program.steps[0].variants[0];
  EXPECT_EQ(stores_in(kernel), std::pair(2, 1));
  EXPECT_THAT(to_string(kernel.premise), HasSubstr("N % 4 == 0"));
}

// Rows that are merged, and tiles of them that blocks go through in turns: an item is told by its
// address. Sizes may be known, whether or not the last tile is pieces of 16 bytes.
TEST(BulkStores, MayBeOfMergedRowsOfKnownSizes) {
  for (const auto& [rows, columns] : {std::pair(16, 40), std::pair(37, 27), std::pair(1, 1)}) {
    SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns));
    Fusion f;
    const std::vector<Expr> shape = {f.constant(rows), f.constant(columns)};
    const Tensor y = f.output("y", exp(f.input("x", shape, DataType::Float)));
    Schedule s(f);
    const TensorId tile = s.cache(y, "ys", Memory::Shared);
    const auto cut = [&](TensorId t, std::int64_t lanes) {
      const auto [m, n] = s.loops<2>(t);
      const auto [tiles, e] = s.split(s.merge(m, n), 64);
      const auto [turn, block] = s.split(tiles, 3);
      const auto [thread, v] = s.split(e, lanes);
      s.reorder({block, turn, thread, v});
      s.bind(block, ParallelType::BIDx).bind(v, ParallelType::Vectorize);
      if (lanes < 64) s.bind(thread, ParallelType::TIDx);
      return turn;
    };
    const ScheduledLoop turn = cut(y.id(), 64);
    cut(tile, 4);
    s.compute_at(tile, turn).copy(y.id(), CopyBy::Bulk);
    const Program program = agreed(f, s, {{}});
    const bool are_pieces = rows * columns % 4 == 0;
    EXPECT_EQ(stores_in(program.steps[0].variants[0]).first > 0, are_pieces);
  }
}

// What the copies are proved by is looked for, and not taken for granted.
TEST(BulkStores, AreRefusedIfTheyMayOverlap) {
  Stored of({});
  const Kernel kernel = lower(*of.s).steps[0].variants[0];
  ASSERT_TRUE(verify(kernel).is_legal());
  const auto with = [&](const auto& change) {
    Kernel other = kernel;
    bool is_made = false;
    for_each_statement(other.body, [&](Statement& s) { is_made = is_made || change(s); });
    EXPECT_TRUE(is_made);
    return verify(other).is_legal();
  };
  // Where all of a row is stored the pieces of it are stored again.
  EXPECT_FALSE(with([](Statement& s) {
    auto* guard = std::get_if<Guard>(&s.node);
    if (guard == nullptr || guard->otherwise.empty()) return false;
    guard->body.insert(guard->body.end(), guard->otherwise.begin(), guard->otherwise.end());
    return true;
  }));
  // Each row is stored twice.
  EXPECT_FALSE(with([](Statement& s) {
    auto* loop = std::get_if<Loop>(&s.node);
    if (loop == nullptr || loop->parallel != ParallelType::Serial) return false;
    const Body once = loop->body;
    loop->body.insert(loop->body.end(), once.begin(), once.end());
    return true;
  }));
  // One piece more than a row has.
  EXPECT_FALSE(with([](Statement& s) {
    auto* copy = std::get_if<AsyncCopy>(&s.node);
    if (copy == nullptr) return false;
    copy->copy.width += 4;
    return true;
  }));
}

TEST(BulkStores, AreRefusedWhereTheyCannotBe) {
  Fusion f;
  const auto [N] = f.extents("N");
  const Tensor y = f.output("y", exp(f.input("x", {N}, DataType::Float)));
  Schedule s(f);
  const auto [n] = s.loops<1>(y);
  const auto [no, ni] = s.split(n, 64);
  s.bind(no, ParallelType::BIDx).bind(ni, ParallelType::Vectorize).copy(y.id(), CopyBy::Bulk);
  EXPECT_EQ(refusal_by<Illegal>([&] { lower(s); }),
            "selvage: error[E448]: none of the stores of y could be made in bulk: each copies a "
            "vector of a multiple of 16 bytes of a tile in shared memory, unchanged; help: cache "
            "it in shared memory, {cache: {as: y_s, memory: shared, ..}}, and bind its own inner "
            "loop, split by a multiple of 4 elements, to Vectorize");
  s.copy(y.id(), CopyBy::Bulk, 1);
  EXPECT_EQ(refusal_by<Illegal>([&] { lower(s); }),
            "selvage: error[E448]: y is stored by bulk, and would be 1 iteration ahead; help: "
            "leave ahead out");
  Stored narrow({.type = DataType::Int8, .width = 24});
  EXPECT_THAT(refusal_by<Illegal>([&] { lower(*narrow.s); }), HasSubstr("is no bulk copy"));
}

TEST(BulkStores, AreWhatTheCompilerWrites) {
  const Nvrtc* nvrtc = Nvrtc::instance();
  if (nvrtc == nullptr) GTEST_SKIP() << "no NVRTC: " << Nvrtc::why_absent();
  Stored of({});
  const CudaText text = cuda(lower(*of.s).steps[0].variants[0]);
  const KernelSource source{text.text, text.name, text.parameter_types};
  EXPECT_EQ(refusal_by<Error>([&] { nvrtc->compile(source, {.arch = "sm_80"}); }),
            "selvage: error[E704]: kernel_y has stores by bulk copies (cp.async.bulk), which GPUs "
            "have from sm_90 on, and is compiled for sm_80; help: compile for sm_90 or newer; or "
            "copy by cp_async, or ldst, in its schedule");
  for (const char* architecture : {"sm_90a", "sm_100a"}) {
    const CompiledKernels compiled = nvrtc->compile(source, {.arch = architecture});
    const StaticCounts counts = count_sass(compiled.cubin).at(text.name);
    EXPECT_GE(counts.bulk_copies, 2) << architecture;
    EXPECT_EQ(counts.elections, 1) << architecture;
    EXPECT_EQ(counts.local_loads + counts.local_stores, 0) << architecture;
    EXPECT_TRUE(counts.global_stores.empty()) << architecture;
  }
}

}  // namespace
}  // namespace selvage::bulk_stores
