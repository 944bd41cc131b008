// Rows of different lengths: folds and pointwise definitions over them, by rows, by parts of rows
// and by positions.
#include <selvage/base/diagnostic.h>
#include <selvage/ir/ragged.h>
#include <selvage/kernel/statements.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/lowered.h"
#include "tests/support/refusal.h"

namespace selvage {

namespace {

using test::expect_agreement;
using test::expect_verified;
using test::SizeList;
using testing::HasSubstr;

const SizeList kRows = {{{"B", 8}, {"off_items", 30}}, {{"B", 1}, {"off_items", 7}},
                        {{"B", 40}, {"off_items", 3}}, {{"B", 3}, {"off_items", 0}},
                        {{"B", 0}, {"off_items", 0}},  {{"B", 33}, {"off_items", 400}}};

// Rows of D items each of an input x, and a value z of each row.
struct Ragged {
  explicit Ragged(DataType offsets = DataType::Int64) {
    B = f.extent("B", 0);
    rows = add_rows(f.input("off", {B + 1}, offsets));
    x = ragged_input(f, "x", rows, {}, DataType::Int32);
    z = f.input("z", {B}, DataType::Int32);
    b = f.fresh_index("b"), j = f.fresh_index("j");
  }
  Tensor sum_of_rows(const Element& value) {
    return f.compute_fold("", {b}, {B}, {.indices = {j}, .shape = {length(f, rows)}}, value);
  }
  Element x_at() const { return item(x, rows, {b, j}); }

  Fusion f;
  Expr B, b, j;
  RowsId rows{};
  Tensor x, z;
};

void thread_a_row(Schedule& s, Tensor t) {
  const auto loops = s.loops(t);
  const auto [outer, inner] = s.split(loops[0], 8);
  s.bind(outer, ParallelType::BIDx).bind(inner, ParallelType::TIDx);
}
void warp_a_row(Schedule& s, Tensor t) {
  const auto loops = s.loops(t);
  const auto [outer, inner] = s.split(loops[1], 32);
  s.bind(loops[0], ParallelType::BIDx).bind(inner, ParallelType::TIDx);
}
void rows_of_a_block(Schedule& s, Tensor t) {
  const auto loops = s.loops(t);
  const auto [row_outer, row] = s.split(loops[0], 4);
  const auto [outer, inner] = s.split(loops[1], 8);
  s.bind(row_outer, ParallelType::BIDx)
      .bind(row, ParallelType::TIDy)
      .bind(inner, ParallelType::TIDx);
}
void positions(Schedule& s, Tensor t) {
  const auto loops = s.loops(t);
  const auto [outer, inner] = s.split(s.merge(loops[0], loops[1], "p"), 16);
  s.bind(outer, ParallelType::BIDx).bind(inner, ParallelType::TIDx);
}
using Cut = void (*)(Schedule&, Tensor);

TEST(Ragged, ASumOfEachRow) {
  for (const Cut cut : {+[](Schedule&, Tensor) {}, thread_a_row, warp_a_row, rows_of_a_block}) {
    Ragged r;
    const Tensor s = r.f.output("s", r.sum_of_rows(r.x_at() * Element(r.j + 1)));
    Schedule schedule(r.f);
    cut(schedule, s);
    expect_agreement(r.f, schedule, kRows);
  }
}

TEST(Ragged, APointwiseDefinition) {
  for (const Cut cut :
       {+[](Schedule&, Tensor) {}, thread_a_row, warp_a_row, rows_of_a_block, positions}) {
    for (const DataType type : {DataType::Int64, DataType::Int32}) {
      Ragged r(type);
      const Tensor y =
          r.f.output("y", compute_ragged(r.f, "", r.rows, {r.b, r.j}, {},
                                         r.x_at() * r.z(r.b) + Element(r.j - 3 * r.b)));
      Schedule schedule(r.f);
      cut(schedule, y);
      expect_agreement(r.f, schedule, kRows);
    }
  }
}

// Where only the position is used, no row is searched.
TEST(Ragged, APositionNeedsNoRow) {
  Ragged r;
  const Tensor y = r.f.output("y", compute_ragged(r.f, "", r.rows, {r.b, r.j}, {}, 2 * r.x_at()));
  Schedule schedule(r.f);
  positions(schedule, y);
  const Program program = expect_agreement(r.f, schedule, kRows);
  EXPECT_EQ(loop_nest(program.steps[0].variants[0]),
            "parallel po in (off_items + 15) / 16 (BIDx)\n"
            "  parallel pi in 16 (TIDx)\n"
            "    if (po * 16 + pi < off_items)\n"
            "      y[po * 16 + pi] = 2 * x[po * 16 + pi]\n");
}

// A softmax of each row: three nests, one row at a time.
TEST(Ragged, ASoftmaxOfEachRow) {
  Ragged r;
  const Expr b = r.b, j = r.j;
  const Tensor v = ragged_input(r.f, "v", r.rows, {}, DataType::Float);
  const auto fold = [&](Reduction how, const Element& value) {
    return r.f.compute_fold("", {b}, {r.B},
                            {.how = how, .indices = {j}, .shape = {length(r.f, r.rows)}}, value);
  };
  const Tensor m = fold(Reduction::Max, item(v, r.rows, {b, j}));
  const Element e = apply(Function::Exp, {item(v, r.rows, {b, j}) - m(b)});
  const Tensor s = fold(Reduction::Sum, e);
  const Tensor y = r.f.output("y", compute_ragged(r.f, "", r.rows, {b, j}, {}, e / s(b)));
  for (const bool is_together : {false, true}) {
    Schedule schedule(r.f);
    if (is_together) {
      const auto loops = schedule.loops(y);
      const auto [outer, inner] = schedule.split(loops[0], 4);
      schedule.bind(outer, ParallelType::BIDx).bind(inner, ParallelType::TIDx);
      for (const Tensor t : {m, s}) {
        schedule.split(schedule.loops(t)[0], 4);
        schedule.compute_at(t, inner);
      }
    }
    const Program program = expect_agreement(r.f, schedule, kRows);
    EXPECT_EQ(program.steps.size(), 1u);
  }
}

// Data that break the contract: what is read is still within its array.
TEST(Ragged, BrokenOffsetsAreReadWithinBounds) {
  const std::vector<std::vector<std::int64_t>> broken = {
      {0, 5, 3, 9, 12}, {-4, 2, 900, 7, 12}, {12, 9, 6, 3, 0}, {INT64_MIN, INT64_MAX, 0, 1, 99}};
  for (const Cut cut : {thread_a_row, warp_a_row, rows_of_a_block}) {
    Ragged r;
    const Tensor s = r.f.output("s", r.sum_of_rows(r.x_at()));
    Schedule schedule(r.f);
    cut(schedule, s);
    const Program program = lower(r.f, schedule);
    expect_verified(program);
    for (const auto& offsets : broken) {
      RunRequest request{.sizes = {{"B", 4}, {"off_items", 12}}};
      Array off(DataType::Int64, {5});
      for (std::size_t k = 0; k < 5; ++k) off.set_int(std::int64_t(k), offsets[k]);
      request.inputs["off"] = off;
      expect_agreement(r.f, program, request);
    }
  }
}

TEST(Ragged, WhatALoopOverItemsCannotBe) {
  Ragged r;
  const Tensor s = r.f.output("s", r.sum_of_rows(r.x_at()));
  const auto refusal = [&](const auto& cut) {
    return error_of([&] {
      Schedule schedule(r.f);
      const auto loops = schedule.loops(s);
      cut(schedule, loops[0], loops[1]);
      lower(r.f, schedule);
    });
  };
  EXPECT_THAT(refusal([](Schedule& s, auto, auto j) { s.bind(j, ParallelType::TIDx); }),
              HasSubstr("bound to TIDx, whose number must be known at launch"));
  EXPECT_THAT(refusal([](Schedule& s, auto b, auto j) {
                s.reorder({j, b});
              }),
              HasSubstr("stands outside of the loop b, which tells the row"));
}

TEST(Ragged, OffsetsAreAnInputOfOneAxis) {
  Fusion f;
  const Expr B = f.extent("B");
  const auto refusal = [](Tensor t) { return bad_input([&] { add_rows(t); }); };
  EXPECT_THAT(refusal(f.input("two", {B, B}, DataType::Int64)), HasSubstr("two tells no rows"));
  EXPECT_THAT(refusal(f.input("real", {B}, DataType::Float)), HasSubstr("real tells no rows"));
}

}  // namespace

}  // namespace selvage
