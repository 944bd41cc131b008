// Copies that are combined with what other blocks have stored: boxes, by tensor maps, and rows.
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

namespace selvage::combined_copies {
namespace {

using oracle::chance;
using oracle::draw;
using test::agreed;
using testing::HasSubstr;

// y[b, n] = sum, max or min of x[b, h, n] over h, of which each block takes 8 in. Tiles have so
// many rows b and columns n.
struct Columns {
  Columns(Reduction how, DataType type, std::int64_t rows, std::int64_t columns,
          CopyBy by = CopyBy::Tma) {
    const auto [B, H, N] = f.extents("B", "H", "N");
    const Tensor x = f.input("x", {B, H, N}, type);
    y = f.output("y", reduce(how, x, {1}));
    s.emplace(f);
    const auto [b, n, h] = s->loops<3>(y);
    const auto [bo, bi] = s->split(b, rows);
    const auto [no, ni] = s->split(n, columns);
    const auto [ho, hi] = s->split(h, 8);
    s->reorder({bo, no, ho, bi, ni, hi});
    part = s->rfactor(y.id(), {hi}, "part");
    s->keep_in(part, Memory::Shared);
    const auto [ybo, yno, yho, ybi, yni] = s->loops<5>(y);
    s->bind(ybo, ParallelType::BIDz).bind(yno, ParallelType::BIDx).bind(yho, ParallelType::BIDy);
    if (by == CopyBy::Tma) s->bind(ybi, ParallelType::Bulk);
    s->bind(yni, by == CopyBy::Tma ? ParallelType::Bulk : ParallelType::Vectorize);
    s->meet_atomically(y).copy(y, by);
    const auto [pbo, pno, pho, pbi, pni, phi] = s->loops<6>(part);
    s->bind(pbo, ParallelType::BIDz).bind(pno, ParallelType::BIDx).bind(pho, ParallelType::BIDy);
    s->bind(pbi, ParallelType::TIDy).bind(pni, ParallelType::TIDx);
    s->compute_at(part, yho);
  }
  Fusion f;
  Tensor y;
  TensorId part{};
  std::optional<Schedule> s;
};

// Rows are a multiple of 16 bytes apart here and there; elsewhere threads combine the elements.
const test::SizeList kColumns = {{{"B", 1}, {"H", 1}, {"N", 4}},
                                 {{"B", 5}, {"H", 17}, {"N", 36}},
                                 {{"B", 3}, {"H", 30}, {"N", 31}},
                                 {{"B", 8}, {"H", 8}, {"N", 64}}};

std::size_t combined_copies(const Kernel& kernel) {
  std::size_t n = 0;
  for_each_statement(kernel.body, [&](const Statement& s) {
    const auto* copy = std::get_if<AsyncCopy>(&s.node);
    n += copy != nullptr && copy->atomic ? 1 : 0;
  });
  return n;
}

TEST(CombinedCopies, GiveTheSameResultsAsTheUnscheduledFold) {
  struct Case {
    Reduction how;
    DataType type;
    const char* combination;
  };
  for (const Case& c : {Case{Reduction::Sum, DataType::Float, "box + part"},
                        Case{Reduction::Sum, DataType::Int64, "box + part"},
                        Case{Reduction::Max, DataType::Int32, "max(box, part)"},
                        Case{Reduction::Min, DataType::Int64, "min(box, part)"}}) {
    SCOPED_TRACE(std::string(to_string(c.how)) + " of " + std::string(to_string(c.type)));
    Columns of(c.how, c.type, 4, 16);
    const Program program = agreed(of.f, *of.s, some_of(kColumns));
    ASSERT_EQ(program.steps.size(), 2u);
    EXPECT_EQ(program.steps[0].variants[0].name, "kernel_y_fill");
    const Kernel& kernel = program.steps[1].variants[0];
    EXPECT_EQ(combined_copies(kernel), 1u);
    EXPECT_THAT(loop_nest(kernel),
                HasSubstr(std::string("begin atomic box of y at (i0o * 4, i2o * 16) = ") +
                          c.combination + "\n"));
    // Without tensor maps threads combine them.
    const Kernel& loads = program.steps[1].variants.back();
    EXPECT_TRUE(loads.maps.empty());
    EXPECT_THAT(loop_nest(loads), HasSubstr("atomic y["));
    if (testing::Test::HasFailure()) return;
  }
}

// Rows of a tile of any type that has such a combination, each by one copy, or by one of its
// pieces.
TEST(CombinedCopies, OfRowsGiveTheSameResultsAsTheUnscheduledFold) {
  struct Case {
    Reduction how;
    DataType type;
    const char* text;
  };
  const Nvrtc* nvrtc = Nvrtc::instance();
  for (const Case& c : {Case{Reduction::Sum, DataType::Float, "combine_bytes(add, f32, "},
                        Case{Reduction::Sum, DataType::Double, "combine_bytes(add, f64, "},
                        Case{Reduction::Sum, DataType::Int64, "combine_bytes(add, u64, "},
                        Case{Reduction::Max, DataType::Int32, "combine_bytes(max, s32, "},
                        Case{Reduction::Min, DataType::Int64, "combine_bytes(min, s64, "}}) {
    SCOPED_TRACE(std::string(to_string(c.how)) + " of " + std::string(to_string(c.type)));
    Columns of(c.how, c.type, 4, 16, CopyBy::Bulk);
    const Program program = agreed(of.f, *of.s, some_of(kColumns));
    ASSERT_EQ(program.steps.size(), 2u);
    const Kernel& kernel = program.steps[1].variants[0];
    EXPECT_EQ(combined_copies(kernel), 2u);
    const CudaText text = cuda(kernel);
    EXPECT_THAT(text.text, HasSubstr(c.text));
    EXPECT_THAT(loop_nest(program.steps[1].variants.back()), HasSubstr("atomic y["));
    if (testing::Test::HasFailure()) return;
    if (nvrtc == nullptr) continue;
    const KernelSource source{text.text, text.name, text.parameter_types};
    EXPECT_THAT(refusal_by<Error>([&] { nvrtc->compile(source, {.arch = "sm_80"}); }),
                HasSubstr("bulk copies that combine (cp.reduce.async.bulk)"));
    for (const char* architecture : {"sm_90a", "sm_100a"}) {
      const CompiledKernels compiled = nvrtc->compile(source, {.arch = architecture});
      const StaticCounts counts = count_sass(compiled.cubin).at(text.name);
      EXPECT_GE(counts.bulk_reductions, 2) << architecture;
      EXPECT_EQ(counts.atomics, 0) << architecture;
    }
  }
}

TEST(CombinedCopies, DrawnAtRandomAgree) {
  std::mt19937_64 rng(20261130);
  for (int k = 0; k < count(10, 300); ++k) {
    const Reduction hows[] = {Reduction::Sum, Reduction::Max, Reduction::Min};
    const Reduction how = hows[std::size_t(draw(rng, 0, 2))];
    const DataType types[] = {DataType::Int64, DataType::Int32, DataType::Float};
    // Sums of narrower integers are of 64 bits; there is no max of float.
    const DataType type = how == Reduction::Sum ? types[std::size_t(2 * draw(rng, 0, 1))]
                                                : types[std::size_t(draw(rng, 0, 1))];
    const std::int64_t piece = 16 / size_of(type);
    const std::int64_t rows = draw(rng, 1, 6), columns = piece * draw(rng, 1, 6);
    const CopyBy by = chance(rng, 2) ? CopyBy::Bulk : CopyBy::Tma;
    Columns of(how, type, rows, columns, by);
    const std::int64_t N = chance(rng, 3) ? draw(rng, 1, 60) : piece * draw(rng, 1, 15);
    agreed(of.f, *of.s, {{{"B", draw(rng, 1, 14)}, {"H", draw(rng, 1, 40)}, {"N", N}}});
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << k << ": " << to_string(how) << " of " << to_string(type) << ", "
                    << to_string(by) << " of " << rows << " x " << columns;
      return;
    }
  }
}

// A tile that is copied as it is may be combined as well, where each block has one.
TEST(CombinedCopies, MayBeTilesThatWereCopied) {
  Fusion f;
  const auto [H, N] = f.extents("H", "N");
  const Tensor x = f.input("x", {H, N}, DataType::Float), y = f.output("y", sum(x, {0}));
  Schedule s(f);
  const auto [n, h] = s.loops<2>(y);
  const auto [no, ni] = s.split(n, 32);
  s.reorder({no, h, ni});
  s.bind(no, ParallelType::BIDx).bind(h, ParallelType::BIDy).bind(ni, ParallelType::Bulk);
  s.meet_atomically(y).copy(y, CopyBy::Tma);
  const TensorId t = s.cache(x, "t", Memory::Shared);
  const auto [r, c] = s.loops<2>(t);
  const auto [co, ci] = s.split(c, 32);
  s.reorder({co, r, ci});
  s.bind(co, ParallelType::BIDx).bind(r, ParallelType::BIDy).bind(ci, ParallelType::TIDx);
  s.compute_at(t, h);
  const Program program =
      agreed(f, s, {{{"H", 5}, {"N", 40}}, {{"H", 1}, {"N", 7}}, {{"H", 33}, {"N", 64}}});
  EXPECT_EQ(combined_copies(program.steps[1].variants[0]), 1u);
}

// Blocks may combine one element by the same function, and do nothing else with it.
TEST(CombinedCopies, RaceWithWhatIsNoSuchCombination) {
  Columns of(Reduction::Max, DataType::Int32, 4, 16);
  const Kernel kernel = lower(*of.s).steps[1].variants[0];
  ASSERT_TRUE(verify(kernel).is_legal());
  const auto with = [&](const auto& change) {
    Kernel other = kernel;
    const std::function<bool(Body&)> visit = [&](Body& body) {
      for (std::size_t i = 0; i < body.size(); ++i) {
        if (std::holds_alternative<AsyncCopy>(body[i].node)) {
          change(body, i);
          return true;
        }
        for (Body* inner : bodies(body[i])) {
          if (visit(*inner)) return true;
        }
      }
      return false;
    };
    EXPECT_TRUE(visit(other.body));
    return is_refuted(verify(other).of(Hazard::Race));
  };
  const auto copy = [](Body& body, std::size_t i) -> AsyncCopy& {
    return std::get<AsyncCopy>(body[i].node);
  };
  EXPECT_TRUE(with([&](Body& body, std::size_t i) { copy(body, i).atomic.reset(); }));
  EXPECT_TRUE(with([&](Body& body, std::size_t i) {
    body.insert(body.begin() + std::ptrdiff_t(i), Statement(body[i]));
    copy(body, i).atomic = Function::Min;
  }));
  EXPECT_FALSE(with([&](Body& body, std::size_t i) {
    body.insert(body.begin() + std::ptrdiff_t(i), Statement(body[i]));
  }));
}

TEST(CombinedCopies, AreRefusedWhereTheyCannotBe) {
  // A block has the state of a fold in the type that it computes in.
  Columns wide(Reduction::Min, DataType::UInt32, 4, 16);
  EXPECT_EQ(refusal_by<Illegal>([&] { lower(*wide.s); }),
            "selvage: error[E468]: y is combined by tma, and what a block has of it is no tile of "
            "uint32 in shared memory; help: rfactor what a block folds, {memory: shared}; or leave "
            "copy: {by: tma} out, and bind the loops of the tile to threads");
  Columns most(Reduction::Max, DataType::Float, 4, 16);
  EXPECT_EQ(
      refusal_by<Illegal>([&] { lower(*most.s); }),
      "selvage: error[E468]: y is combined by tma, which has no max of float: it has the sum of "
      "float, and sum, min and max of integers of 32 and 64 bits; help: leave "
      "copy: {by: tma} out, and bind the loops of the tile to threads");
  Fusion f;
  const auto [H, N] = f.extents("H", "N");
  const Tensor y = f.output("y", sum(f.input("x", {H, N}, DataType::Float), {0}));
  Schedule apart(f);
  const auto [n, h] = apart.loops<2>(y);
  const auto [no, ni] = apart.split(n, 32);
  const ScheduledLoop block = apart.split(h, 4).first;
  apart.bind(no, ParallelType::BIDx).bind(ni, ParallelType::Bulk).copy(y, CopyBy::Tma);
  EXPECT_EQ(
      refusal_by<Illegal>([&] { lower(apart); }),
      "selvage: error[E468]: y is a fold that is stored by tma, and its blocks do not meet in "
      "what they store; help: bind a loop that it folds over to BIDx..z, with blocks: atomic; "
      "or cache it in shared memory, {cache: {as: y_s, memory: shared}}, where it is folded "
      "then");
  apart.bind(block, ParallelType::BIDy).meet_atomically(y);
  EXPECT_EQ(
      refusal_by<Illegal>([&] { lower(apart); }),
      "selvage: error[E468]: y is combined by tma, with one tile of each block, and folds over "
      "i0i within a block; help: fold that before, in shared memory: {rfactor: {in: [i0i], "
      "as: y_parts}}, with {memory: shared} there");
}

TEST(CombinedCopies, AreWhatTheCompilerWrites) {
  const Nvrtc* nvrtc = Nvrtc::instance();
  if (nvrtc == nullptr) GTEST_SKIP() << "no NVRTC: " << Nvrtc::why_absent();
  for (const auto& [how, type] :
       {std::pair(Reduction::Sum, DataType::Float), std::pair(Reduction::Sum, DataType::Int64),
        std::pair(Reduction::Min, DataType::Int64), std::pair(Reduction::Max, DataType::Int32)}) {
    Columns c(how, type, 4, 16);
    const CudaText text = cuda(lower(*c.s).steps[1].variants[0]);
    EXPECT_THAT(text.text, HasSubstr(std::string("combine_box_2(") +
                                     (how == Reduction::Sum ? "add" : to_string(how).data()) +
                                     ", &y_map, (part + 0), "));
    const KernelSource source{text.text, text.name, text.parameter_types};
    EXPECT_EQ(refusal_by<Error>([&] { nvrtc->compile(source, {.arch = "sm_80"}); }),
              "selvage: error[E704]: kernel_y has boxes that are combined by tensor maps "
              "(cp.reduce.async.bulk.tensor), which GPUs have from sm_90 on, and is compiled for "
              "sm_80; help: compile for sm_90 or newer; or copy by cp_async, or ldst, in its "
              "schedule");
    for (const char* architecture : {"sm_90a", "sm_100a"}) {
      const CompiledKernels compiled = nvrtc->compile(source, {.arch = architecture});
      const StaticCounts counts = count_sass(compiled.cubin).at(text.name);
      EXPECT_EQ(counts.box_reductions, 1) << architecture;
      EXPECT_EQ(counts.box_stores, 0) << architecture;
      EXPECT_EQ(counts.atomics, 0) << architecture;
      EXPECT_EQ(counts.elections, 1) << architecture;
    }
  }
}

}  // namespace
}  // namespace selvage::combined_copies
