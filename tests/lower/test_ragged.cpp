// Rows of different lengths: folds and pointwise definitions over them, by rows, by parts of rows
// and by positions.
#include <selvage/base/diagnostic.h>
#include <selvage/ir/ragged.h>
#include <selvage/kernel/statements.h>
#include <selvage/lower/programs_by_size.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

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

// Through positions, `width` at a time; `added`: each row has an end of its own among them.
Schedule along_positions(const Fusion& f, Tensor t, bool added, std::int64_t width,
                         std::int64_t threads) {
  Schedule s(f);
  const auto loops = s.loops(t);
  const ScheduledLoop row = loops[0];
  ScheduledLoop items = loops.back();
  if (added) items = s.resize(items, f.pool().constant(0), f.pool().constant(1), "e");
  const auto [tile, k] = s.split(s.merge(row, items, "path"), width);
  const auto [block, thread] = s.split(tile, threads);
  s.bind(block, ParallelType::BIDx).bind(thread, ParallelType::TIDx);
  if (loops.size() > 2) {
    s.reorder({block, thread, loops[1], k}).bind(loops[1], ParallelType::TIDy);
  }
  return s;
}

TEST(Ragged, AFoldAlongPositions) {
  for (const bool added : {true, false}) {
    for (const std::int64_t width : {1, 2, 7, 64}) {
      for (const Reduction how : {Reduction::Sum, Reduction::Max, Reduction::Variance,
                                  Reduction::ArgMin, Reduction::LogSumExp}) {
        Ragged r;
        const Tensor s = r.f.output(
            "s", r.f.compute_fold("", {r.b}, {r.B},
                                  {.how = how, .indices = {r.j}, .shape = {length(r.f, r.rows)}},
                                  cast(r.x_at(), DataType::Float) * r.z(r.b)));
        const Schedule schedule = along_positions(r.f, s, added, width, width == 2 ? 1 : 32);
        const Program program = expect_agreement(r.f, schedule, kRows);
        EXPECT_EQ(program.steps.size(), added ? 2u : 3u);
      }
    }
  }
}

// Each item of a row times a row of another input, over lanes.
TEST(Ragged, AFoldOfRowsOfItemsAlongPositions) {
  for (const bool added : {true, false}) {
    Ragged r;
    const Expr d = r.f.fresh_index("d"), D = r.f.extent("D");
    const Tensor w = ragged_input(r.f, "w", r.rows, {D}, DataType::Int32);
    const Tensor s =
        r.f.output("s", r.f.compute_fold("", {r.b, d}, {r.B, D},
                                         {.indices = {r.j}, .shape = {length(r.f, r.rows)}},
                                         item(w, r.rows, {r.b, r.j, d}) * r.x_at()));
    const Schedule schedule = along_positions(r.f, s, added, 5, 4);
    SizeList sizes = kRows;
    for (auto& at : sizes) at["D"] = 3;
    expect_agreement(r.f, schedule, sizes);
  }
}

// Of a product of dense matrices only the items of rows: a fold whose results are items.
TEST(Ragged, AFoldWhoseResultsAreItems) {
  const std::pair<const char*, Cut> cuts[] = {
      {"as it is", +[](Schedule&, Tensor) {}},
      {"a thread a row", thread_a_row},
      {"a thread an item",
       +[](Schedule& s, Tensor t) {
         const auto loops = s.loops(t);
         const auto [outer, inner] = s.split(s.merge(loops[0], loops[1], "p"), 8);
         s.bind(outer, ParallelType::BIDx).bind(inner, ParallelType::TIDx);
       }},
      {"lanes an item", +[](Schedule& s, Tensor t) {
         const auto loops = s.loops(t);
         const auto [outer, inner] = s.split(s.merge(loops[0], loops[1], "p"), 8);
         const auto [step, lane] = s.split(loops[2], 4);
         s.bind(outer, ParallelType::BIDx)
             .bind(inner, ParallelType::TIDy)
             .bind(lane, ParallelType::TIDx);
       }}};
  for (const auto& [name, cut] : cuts) {
    for (const Reduction how : {Reduction::Sum, Reduction::Max, Reduction::ArgMin}) {
      SCOPED_TRACE(name);
      Ragged r;
      const Expr D = r.f.extent("D"), d = r.f.fresh_index("d");
      const Tensor u = r.f.input("u", {r.B, D}, DataType::Int32);
      const Fusion::FoldRequest fold{.how = how, .indices = {d}, .shape = {D}};
      const Tensor p =
          r.f.output("p", compute_ragged(r.f, "", r.rows, {r.b, r.j}, {},
                                         u(r.b, d) * r.x_at() - Element(d), {}, &fold));
      Schedule schedule(r.f);
      cut(schedule, p);
      SizeList sizes = kRows;
      for (auto& at : sizes) at["D"] = 6;
      expect_agreement(r.f, schedule, sizes);
    }
  }
}

// The same tiles whatever the order of threads is: bits do not depend on it.
TEST(Ragged, AFoldAlongPositionsIsTheSameInEveryOrder) {
  Ragged r;
  const Tensor v = ragged_input(r.f, "v", r.rows, {}, DataType::Float);
  const Tensor s = r.f.output("s", r.sum_of_rows(item(v, r.rows, {r.b, r.j})));
  const Program program = lower(r.f, along_positions(r.f, s, true, 3, 4));
  std::vector<std::byte> first;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    RunRequest request{.sizes = {{"B", 20}, {"off_items", 90}}};
    request.on = Machine::Emulate;
    request.emulation.order = RunOrder::from_seed(seed);
    const RunResult result = run(r.f, program, request);
    EXPECT_TRUE(result.passed());
    const Array& out = result.outputs.at("s");
    if (first.empty()) first.assign(out.bytes.begin(), out.bytes.end());
    EXPECT_TRUE(std::equal(first.begin(), first.end(), out.bytes.begin(), out.bytes.end()));
  }
}

// Where the fusion runs, a kernel finds what breaks the promise; results stay within their memory.
TEST(Ragged, AKernelTestsTheContract) {
  for (const bool is_checked : {true, false}) {
    Fusion f;
    f.set_checked(is_checked);
    const Expr B = f.extent("B"), J = f.extent("J");
    const RowsId rows = add_rows(f.input("off", {B + 1}, DataType::Int32));
    const Tensor x = ragged_input(f, "x", rows, {}, DataType::Int32);
    const Tensor columns = ragged_input(f, "columns", rows, {}, DataType::Int32);
    f.edit(columns.id()).indexes = IndexPromise{J, false, true};
    const Tensor v = f.input("v", {J}, DataType::Int32);
    const Expr b = f.fresh_index("b"), j = f.fresh_index("j");
    f.output("s", f.compute_fold("", {b}, {B}, {.indices = {j}, .shape = {length(f, rows)}},
                                 item(x, rows, {b, j}) * v(clamped(item(columns, rows, {b, j})))));
    EXPECT_EQ(check_rows(f, rows).size(), 3u);
    const Program program = lower_automatically(f, {}, usual_device(), {});
    struct Case {
      std::vector<std::int64_t> offsets, columns;
      const char* fails;
    };
    const Case cases[] = {
        {{0, 2, 2, 4}, {0, 1, 1, 2}, ""},
        {{1, 2, 2, 4}, {0, 1, 1, 2}, "off_contract fails at k = 0"},
        {{0, 3, 2, 4}, {0, 1, 1, 2}, "off_contract fails at k = 2"},
        {{0, 2, 2, 3}, {0, 1, 1, 2}, "off_contract fails at k = 3"},
        {{0, 2, 2, 9}, {0, 1, 1, 2}, "off_contract fails at k = 3"},
        {{0, 2, 2, 4}, {0, 3, 1, 2}, "columns_contract fails at p = 1"},
        {{0, 2, 2, 4}, {0, 1, -1, 2}, "columns_contract fails at p = 2"},
        {{0, 2, 2, 4}, {1, 1, 0, 0}, ""},
        {{0, 2, 2, 4}, {0, 1, 2, 1}, "columns_rises fails at "},
        {{0, 2, 2, 4}, {1, 0, 2, 2}, "columns_rises fails at "},
    };
    for (const Case& c : cases) {
      for (const Machine machine : {Machine::Emulate, Machine::Virtual}) {
        RunRequest request{.sizes = {{"B", 3}, {"J", 3}, {"off_items", 4}}};
        const auto array = [](const std::vector<std::int64_t>& numbers) {
          Array a(DataType::Int32, {std::int64_t(numbers.size())});
          for (std::size_t k = 0; k < numbers.size(); ++k) a.set_int(std::int64_t(k), numbers[k]);
          return a;
        };
        request.inputs = {{"off", array(c.offsets)}, {"columns", array(c.columns)}};
        request.on = machine;
        request.trusts_offsets = true;
        const RunResult result = run(f, program, request);
        std::string said;
        for (const std::string& fault : result.faults) said += fault + "\n";
        if (!is_checked || *c.fails == 0) {
          EXPECT_EQ(said, "");
        } else {
          EXPECT_THAT(said, HasSubstr(c.fails));
        }
      }
    }
    // Before it runs, the host refuses them all, with the row.
    RunRequest request{.sizes = {{"B", 3}, {"J", 3}, {"off_items", 4}}};
    Array columns_wrong(DataType::Int32, {4}), offsets(DataType::Int32, {4});
    for (int k = 1; k < 4; ++k) offsets.set_int(k, k + 1);
    columns_wrong.set_int(3, 3);
    request.inputs = {{"off", offsets}, {"columns", columns_wrong}};
    EXPECT_THAT(refusal_by<BadInput>([&] { run(f, program, request); }),
                HasSubstr("error[E634]: columns[3] is 3, in row 2, and is to be less than 3; help: "
                          "give indices from 0 to 2"));
  }
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
  for (int k = 0; k < 5; ++k) {
    const Cut cuts[] = {thread_a_row, warp_a_row, rows_of_a_block};
    Ragged r;
    const Tensor s = r.f.output("s", r.sum_of_rows(r.x_at()));
    Schedule schedule(r.f);
    if (k < 3) {
      cuts[k](schedule, s);
    } else {
      schedule = along_positions(r.f, s, k == 3, 3, 4);
    }
    const Program program = lower(r.f, schedule);
    expect_verified(program);
    for (const auto& offsets : broken) {
      RunRequest request{.sizes = {{"B", 4}, {"off_items", 12}}};
      request.trusts_offsets = true;
      Array off(DataType::Int64, {5});
      for (std::size_t k = 0; k < 5; ++k) off.set_int(std::int64_t(k), offsets[k]);
      request.inputs["off"] = off;
      request.on = Machine::Emulate;
      EXPECT_EQ(run(r.f, program, request).faults, std::vector<std::string>());
      if (k < 3) expect_agreement(r.f, program, request);
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

// Cut across row and items so that no loop tells the row unless its length is known.
TEST(Ragged, ARowIsNotToldByItsOwnLength) {
  Fusion f;
  const RowsId rows = add_rows(f.input("off", {f.constant(6)}, DataType::Int64));
  const Tensor x = ragged_input(f, "x", rows, {}, DataType::Int32);
  const Expr b = f.fresh_index("b"), j = f.fresh_index("j");
  const Tensor y = f.output("y", compute_ragged(f, "", rows, {b, j}, {}, item(x, rows, {b, j})));
  Schedule s(f);
  const auto loops = s.loops(y);
  const auto [outer, inner] = s.split(s.merge(loops[1], loops[0]), 2, {.inner_split = false});
  const auto [tile, in_tile] = s.split(inner, 5);
  s.reorder({outer, in_tile, tile});
  EXPECT_THAT(
      error_of([&] { lower(f, s); }),
      HasSubstr("error[E455]: j of y runs over the items of a row of off, and which row that "
                "is follows only from how long it is"));
}

// The items of two inputs with rows of their own: the row of one is searched, and tells the other.
TEST(Ragged, ARowThatIsToldByASearchedOne) {
  Ragged r;
  const RowsId two = add_rows(r.f.input("two", {r.B + 1}, DataType::Int64));
  const Tensor w = ragged_input(r.f, "w", two, {}, DataType::Int32);
  const Expr k = r.f.fresh_index("k");
  const Fusion::FoldRequest fold{.indices = {k}, .shape = {length(r.f, two)}};
  const Tensor y = r.f.output("y", compute_ragged(r.f, "", r.rows, {r.b, r.j}, {},
                                                  r.x_at() * item(w, two, {r.b, k}), {}, &fold));
  Schedule schedule(r.f);
  const auto loops = schedule.loops(y);
  const auto [outer, inner] = schedule.split(schedule.merge(loops[0], loops[1]), 8);
  schedule.bind(outer, ParallelType::BIDx).bind(inner, ParallelType::TIDx);
  SizeList sizes = kRows;
  for (auto& at : sizes) at["two_items"] = at["B"] == 0 ? 0 : 9;
  expect_agreement(r.f, schedule, sizes);
}

// In a row without items there would be points of what is divided by its length.
TEST(Ragged, OnlyTheItemsOfARowAreResized) {
  Ragged r;
  const Tensor s = r.f.output("s", r.sum_of_rows(r.x_at()));
  Schedule schedule(r.f);
  const auto [outer, inner] = schedule.split(schedule.loops(s)[1], 3);
  const ScheduledLoop merged = schedule.merge(inner, outer, "m");
  const Expr one = r.f.constant(1);
  EXPECT_THAT(error_of([&] { schedule.resize(merged, one, one); }),
              HasSubstr("error[E403]: the resize of m would have indices at a row without items, "
                        "where m has none; help: resize the items of the row, before they are cut "
                        "up"));
  EXPECT_THAT(error_of([&] { schedule.skew(merged, schedule.loops(s)[0], one, one + 1); }),
              HasSubstr("error[E403]: the skew of m would have indices"));
}

TEST(Ragged, OffsetsAreAnInputOfOneAxis) {
  Fusion f;
  const Expr B = f.extent("B");
  const auto refusal = [](Tensor t) { return bad_input([&] { add_rows(t); }); };
  EXPECT_THAT(refusal(f.input("two", {B, B}, DataType::Int64)), HasSubstr("two tells no rows"));
  EXPECT_THAT(refusal(f.input("real", {B}, DataType::Float)), HasSubstr("real tells no rows"));
}

// Rows by their lengths: the offsets are computed by a kernel that runs before all that read them.
TEST(Ragged, OffsetsMayBeComputed) {
  const std::vector<std::vector<int>> all_lengths = {
      {3, 0, 0, 7, 1, 15, 0, 4}, {3}, {0, 0, 0}, {}, std::vector<int>(300, 2)};
  for (const Cut cut : {+[](Schedule&, Tensor) {}, thread_a_row, warp_a_row, positions}) {
    Fusion f;
    const Expr B = f.extent("B", 0);
    const Tensor lengths = f.input("lengths", {B}, DataType::UInt8);
    const Expr b = f.fresh_index("b"), j = f.fresh_index("j"), k = f.fresh_index("k");
    const Tensor off = f.output(
        "off", f.compute_fold("off", {b}, {B + 1}, {.indices = {k}, .shape = {B}},
                              select(Element(k < b), cast(lengths(k), DataType::Int64), 0)));
    const RowsId rows = add_rows(off);
    const Tensor x = ragged_input(f, "x", rows, {}, DataType::Int32);
    const Tensor y = f.output(
        "y", compute_ragged(f, "", rows, {b, j}, {}, item(x, rows, {b, j}) * Element(b + 1)));
    const Tensor s =
        f.output("s", f.compute_fold("", {b}, {B}, {.indices = {j}, .shape = {length(f, rows)}},
                                     item(x, rows, {b, j})));
    // Items of no tensor but the rows themselves.
    f.output("at", compute_ragged(f, "", rows, {b, j}, {}, Element(b * 100 + j)));
    Schedule schedule(f);
    cut(schedule, y);
    if (cut != +positions) cut(schedule, s);
    const Program program = lower(schedule);
    expect_verified(program);
    for (const std::vector<int>& given : all_lengths) {
      Array array(DataType::UInt8, {std::int64_t(given.size())});
      std::int64_t items = 0;
      for (std::size_t r = 0; r < given.size(); ++r) {
        array.set_int(std::int64_t(r), given[r]);
        items += given[r];
      }
      test::expect_agreement(
          f, program,
          {.sizes = {{"B", array.size()}, {"off_items", items}}, .inputs = {{"lengths", array}}});
    }
  }
}

// Where the items of rows are rows themselves: sums of sums are the sums by the offsets of offsets,
// which a kernel looks up.
TEST(Ragged, RowsOfRowsAreRowsByOffsetsOfOffsets) {
  Fusion f;
  const Expr B = f.extent("B", 0), b = f.fresh_index("b"), j = f.fresh_index("j");
  const Tensor off = f.input("off", {B + 1}, DataType::Int64);
  const RowsId outer = add_rows(off);
  const Tensor inner_off = f.input("inner", {f.domains()[outer].items + 1}, DataType::Int64);
  const RowsId inner = add_rows(inner_off);
  const RowsId all = add_rows(
      f.output("both", f.compute("both", {b}, {B + 1}, gather(inner_off, {clamped(off(b))}))),
      f.domains()[inner].items);
  const auto sums = [&](RowsId rows, Tensor x) {
    return f.compute_fold("", {b}, {f.domains()[rows].count},
                          {.indices = {j}, .shape = {length(f, rows)}}, item(x, rows, {b, j}));
  };
  const Tensor x = ragged_input(f, "x", inner, {}, DataType::Int32);
  f.output("nested", sums(outer, sums(inner, x)));
  f.output("direct", sums(all, ragged_input(f, "z", all, {}, DataType::Int32)));
  const Program program = lower(Schedule(f));
  expect_verified(program);

  std::mt19937_64 random(9);
  const auto offsets = [&](std::int64_t rows) {
    Array made(DataType::Int64, {rows + 1});
    for (std::int64_t r = 0; r < rows; ++r) {
      made.set_int(r + 1, made.get_int(r) + std::int64_t(random() % 3 ? random() % 4 : 0));
    }
    return made;
  };
  for (const std::int64_t rows : {1, 2, 7, 30}) {
    RunRequest request{.sizes = {{"B", rows}}};
    Array& first = request.inputs["off"] = offsets(rows);
    const std::int64_t middle = request.sizes["off_items"] = first.get_int(rows);
    Array& second = request.inputs["inner"] = offsets(middle);
    const std::int64_t items = request.sizes["inner_items"] = second.get_int(middle);
    Array& numbers = request.inputs["x"] = Array(DataType::Int32, {items});
    for (std::int64_t k = 0; k < items; ++k) numbers.set_int(k, std::int64_t(random() % 1000));
    request.inputs["z"] = numbers;
    test::expect_agreement(f, program, request);
    const RunResult result = run(f, program, request);
    EXPECT_EQ(result.outputs.at("nested").bytes, result.outputs.at("direct").bytes);
  }
}

}  // namespace

}  // namespace selvage
