// Groups of consecutive rows whose items are gone through as one: what is computed at items, and
// the search for a row among those of its group.
#include <selvage/base/diagnostic.h>
#include <selvage/emulate/watch.h>
#include <selvage/expr/text.h>
#include <selvage/ir/ragged.h>
#include <selvage/kernel/statements.h>
#include <selvage/kernel/verify.h>
#include <selvage/lower/programs_by_size.h>
#include <selvage/lower/proof.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>
#include <set>

#include "tests/lower/ragged_rows.h"
#include "tests/support/counts.h"
#include "tests/support/refusal.h"

namespace selvage {

namespace {

using test::expect_verified;
using testing::HasSubstr;

// Rows, numbers of their items, and numbers of rows.
struct GroupedRows {
  explicit GroupedRows(DataType offsets = DataType::Int64) {
    B = f.extent("B", 0);
    rows = add_rows(f.input("off", {B + 1}, offsets));
    x = ragged_input(f, "x", rows, {}, DataType::Int32);
    z = f.input("z", {B}, DataType::Int32);
    b = f.fresh_index("b"), j = f.fresh_index("j");
  }
  Tensor at_items(const Element& value) {
    return f.output("y", compute_ragged(f, "", rows, {b, j}, {}, value));
  }
  // Which row and which item of it this is, with what inputs have there.
  Tensor numbered() { return at_items(item(x, rows, {b, j}) * z(b) + Element(1000 * b + j)); }

  Fusion f;
  Expr B, b, j;
  RowsId rows{};
  Tensor x, z;
};

// Groups of `height` rows, whose positions `threads` take in turn.
Schedule in_groups(const Fusion& f, Tensor t, std::int64_t height, std::int64_t threads,
                   ParallelType group = ParallelType::BIDx) {
  Schedule s(f);
  const auto loops = s.loops(t);
  const auto [tile, row] = s.split(loops[0], height, {.outer = "group", .inner = "row"});
  const auto [turn, lane] = s.split(s.merge(row, loops[1], "p"), threads);
  s.bind(tile, group).bind(lane, ParallelType::TIDx);
  return s;
}

// Runs on both machines, beside the unscheduled program and the loops above.
void expect_numbers(const GroupedRows& g, const Program& program, const test::RowLengths& lengths) {
  const test::RowData data(lengths);
  test::ItemNumbers z, wanted;
  for (std::int64_t r = 0; r < data.count(); ++r) {
    z.push_back(double(r % 5) - 2);
    for (std::int64_t j = 0; j < data.length(r); ++j) {
      const double x = data.v[std::size_t(data.begins[std::size_t(r)] + j)];
      wanted.push_back(x * z.back() + double(1000 * r + j));
    }
  }
  RunRequest request{.sizes = {{"B", data.count()}}};
  const DataType type = g.f[TensorId(g.f.domains()[g.rows].offsets)].type;
  request.inputs["off"] = test::row_array(type, {data.count() + 1}, test::as_numbers(data.begins));
  request.inputs["x"] = test::row_array(DataType::Int32, {data.items()}, data.v);
  request.inputs["z"] = test::row_array(DataType::Int32, {data.count()}, z);
  test::expect_outputs(g.f, program, request, {{"y", wanted}});
}

void expect_proved(const Program& program) {
  expect_verified(program);
  EXPECT_NO_THROW(check_proved(prove(program.steps), false));
}

TEST(RowGroups, ItemsOfGroups) {
  for (const DataType type : {DataType::Int64, DataType::Int32}) {
    for (const std::int64_t height : {1, 3, 4, 100}) {
      GroupedRows g(type);
      const Schedule schedule = in_groups(g.f, g.numbered(), height, height == 4 ? 64 : 5);
      const Program program = lower(schedule);
      expect_proved(program);
      for (const test::RowLengths& lengths : test::kLengthLists) {
        SCOPED_TRACE(testing::Message() << height << ", " << lengths.size() << " rows");
        expect_numbers(g, program, lengths);
      }
    }
  }
}

// Any rows, about half of them empty, in groups of any height.
TEST(RowGroups, RandomRows) {
  std::mt19937_64 rng(31);
  const auto draw = [&](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(rng);
  };
  for (int k = 0; k < count(4, 60) && !testing::Test::HasFailure(); ++k) {
    GroupedRows g(draw(0, 1) ? DataType::Int64 : DataType::Int32);
    const std::int64_t height = draw(1, 9), threads = draw(1, 40);
    const ParallelType group = draw(0, 2) ? ParallelType::BIDx : ParallelType::TIDy;
    const Program program = lower(in_groups(g.f, g.numbered(), height, threads, group));
    expect_proved(program);
    for (int run = 0; run < 4; ++run) {
      test::RowLengths lengths(std::size_t(group == ParallelType::TIDy ? draw(0, 9) : draw(0, 40)));
      for (auto& n : lengths) n = draw(0, 1) ? draw(0, 12) : 0;
      SCOPED_TRACE(testing::Message()
                   << height << " " << threads << " " << testing::PrintToString(lengths));
      expect_numbers(g, program, lengths);
    }
  }
}

// Each item of a row folds a dense axis, by lanes of its own; and has a dense axis beside.
TEST(RowGroups, FoldsAndAxesOfEachItem) {
  for (const Reduction how : {Reduction::Sum, Reduction::Max}) {
    GroupedRows g;
    const Expr D = g.f.extent("D"), d = g.f.fresh_index("d"), k = g.f.fresh_index("k");
    const Tensor u = g.f.input("u", {g.B, D}, DataType::Int32);
    const Fusion::FoldRequest fold{.how = how, .indices = {d}, .shape = {D}};
    const Tensor p = g.f.output(
        "p", compute_ragged(g.f, "", g.rows, {g.b, g.j}, {},
                            u(g.b, d) * item(g.x, g.rows, {g.b, g.j}) - Element(d), {}, &fold));
    const Tensor q = g.f.output("q", compute_ragged(g.f, "", g.rows, {g.b, g.j, k}, {D},
                                                    u(g.b, k) + item(g.x, g.rows, {g.b, g.j})));
    Schedule s(g.f);
    for (const Tensor t : {p, q}) {
      const auto loops = s.loops(t);
      const auto [group, row] = s.split(loops[0], 6);
      const auto [turn, own] = s.split(s.merge(row, loops[1], "p"), 8);
      const auto [step, lane] = s.split(loops[2], 4);
      s.bind(group, ParallelType::BIDx).bind(own, ParallelType::TIDy);
      s.bind(lane, ParallelType::TIDx);
    }
    const Program program = lower(s);
    expect_proved(program);
    for (const std::int64_t count : {1, 8, 33, 0}) {
      test::expect_agreement(g.f, program,
                             {.sizes = {{"B", count}, {"off_items", count * 5}, {"D", 6}}});
    }
  }
}

// Where the lanes of a warp have items of two groups, one may take more turns than the other: they
// would not all get to where lanes fold together.
TEST(RowGroups, LanesOfTwoGroupsMayPart) {
  GroupedRows g;
  const Expr d = g.f.fresh_index("d");
  const Fusion::FoldRequest fold{.indices = {d}, .shape = {g.f.constant(8)}};
  const Tensor p =
      g.f.output("p", compute_ragged(g.f, "", g.rows, {g.b, g.j}, {},
                                     item(g.x, g.rows, {g.b, g.j}) * Element(d), {}, &fold));
  for (const bool is_block : {true, false}) {
    Schedule s(g.f);
    const auto loops = s.loops(p);
    const auto [group, row] = s.split(loops[0], 6);
    const auto [block, own] = s.split(group, is_block ? 1 : 4);
    s.merge(row, loops[1], "p");
    s.bind(block, ParallelType::BIDx).bind(own, ParallelType::TIDy);
    s.bind(loops[2], ParallelType::TIDx);
    const Program program = lower(s);
    EXPECT_EQ(is_proved(verify(program.steps[0].variants[0]).of(Hazard::Divergence)), is_block);
  }
}

// The proof that no two threads store one item rests on where groups begin and end.
TEST(RowGroups, AGroupThatEndsInTheNextOneIsNotProved) {
  GroupedRows g;
  Kernel kernel = lower(in_groups(g.f, g.numbered(), 4, 8)).steps[0].variants[0];
  EXPECT_TRUE(is_proved(verify(kernel).of(Hazard::Race)));
  int changed = 0;
  for (std::size_t v = 0; v < kernel.values.size(); ++v) {
    ValueNode node = kernel.values[ValueId(v)];
    const bool is_end = node.kind == ValueNode::Kind::Read && node.subscripts[0].is(Op::Min) &&
                        to_string(node.subscripts[0]) == "min(group * 4 + 4, B)";
    if (!is_end) continue;
    const Expr one_more = parse_expr(*kernel.pool, "min(group * 4 + 5, B)");
    kernel.items.add(BufferId(node.source), one_more, Item{{one_more}});
    node.subscripts[0] = one_more;
    kernel.values.replace(ValueId(v), std::move(node));
    ++changed;
  }
  EXPECT_EQ(changed, 1);
  EXPECT_FALSE(is_proved(verify(kernel).of(Hazard::Race)));
}

// What a thread reads of offsets to find a row: elements of its group alone, and no more of them
// than halving takes.
class SearchReads : public RunWatcher {
 public:
  SearchReads(std::int64_t height, std::int64_t rows) : height_(height), rows_(rows) {}

  void come_to(const RunView& run) override {
    const auto* define = std::get_if<Define>(&run.tree()[run.at()].statement->node);
    is_search_ = define != nullptr && define->read && define->variable.name() == "off.row";
    if (!is_search_) return;
    reads_ = 0;
    ++searches;
  }
  void loaded(const RunView& run, BufferId b, std::int64_t address, Scalar) override {
    if (!is_search_ || run.kernel().buffers[b].name != "off") return;
    const std::int64_t first = run.block() * height_, rows = std::min(height_, rows_ - first);
    EXPECT_GT(address, first);
    EXPECT_LT(address, first + rows);
    EXPECT_LE(std::int64_t{1} << reads_++, rows - 1);
    most = std::max(most, reads_);
  }
  int searches = 0;
  std::int64_t most = 0;

 private:
  std::int64_t height_, rows_, reads_ = 0;
  bool is_search_ = false;
};

TEST(RowGroups, ARowIsSearchedAmongThoseOfItsGroup) {
  for (const std::int64_t height : {1, 2, 5, 16}) {
    GroupedRows g;
    const Program program = lower(in_groups(g.f, g.numbered(), height, 4));
    SearchReads reads(height, 37);
    RunRequest request{.sizes = {{"B", 37}, {"off_items", 111}}};
    request.on = Machine::Emulate;
    request.emulation.watcher = &reads;
    EXPECT_TRUE(run(g.f, program, request).passed());
    EXPECT_GE(reads.searches, 111);
    EXPECT_EQ(std::int64_t{1} << reads.most, std::int64_t(std::bit_ceil(std::uint64_t(height))));
  }
}

// Where only the position is used, no row is searched; and the only check is on the position.
TEST(RowGroups, APositionNeedsNoRow) {
  GroupedRows g;
  const Tensor y = g.at_items(2 * item(g.x, g.rows, {g.b, g.j}));
  const Program program = lower(in_groups(g.f, y, 4, 32));
  expect_proved(program);
  test::expect_agreement(g.f, program, {.sizes = {{"B", 9}, {"off_items", 40}}});
  EXPECT_EQ(loop_nest(program.steps[0].variants[0]),
            "parallel group in (B + 3) / 4 (BIDx)\n"
            "  off.group.begin = max(min(off[group * 4], off_items), 0), 0 to off_items\n"
            "  off.group.end = max(min(off[min(group * 4 + 4, B)], off_items), off.group.begin), "
            "off.group.begin to off_items\n"
            "  for po in (off.group.end - off.group.begin + 31) / 32\n"
            "    parallel pi in 32 (TIDx)\n"
            "      if (po * 32 + off.group.begin + pi < off.group.end)\n"
            "        y[po * 32 + off.group.begin + pi] = 2 * x[po * 32 + off.group.begin + pi]\n");
}

// Data that break the contract: two threads may then have one position, but what is read and stored
// lies within its array, and numbers are what the kernel says of them.
class FaultKinds : public RunWatcher {
 public:
  void found(const RunView&, const Fault& fault) override { kinds.insert(fault.kind); }
  std::set<FaultKind> kinds;
};

TEST(RowGroups, BrokenOffsetsStayWithinBounds) {
  const std::vector<test::RowLengths> broken = {{0, 5, 3, 9, 12},
                                                {-4, 2, 900, 7, 12},
                                                {12, 9, 6, 3, 0},
                                                {0, 12, 0, 12, 0},
                                                {INT64_MIN, INT64_MAX, 0, 1, 99}};
  for (const std::int64_t height : {1, 2, 3, 9}) {
    GroupedRows g;
    const Tensor y = g.numbered();
    const Tensor s = g.f.output(
        "s", g.f.compute_fold("", {g.b}, {g.B}, {.indices = {g.j}, .shape = {length(g.f, g.rows)}},
                              item(g.x, g.rows, {g.b, g.j}) + g.z(g.b)));
    Schedule schedule = in_groups(g.f, y, height, 3);
    const auto loops = schedule.loops(s);
    const auto [group, row] = schedule.split(loops[0], height);
    const auto [turn, thread] = schedule.split(schedule.merge(row, loops[1], "p"), 9);
    schedule.reorder({group, thread, turn});
    schedule.bind(group, ParallelType::BIDx).bind(thread, ParallelType::TIDx);
    const Program program = lower(schedule);
    EXPECT_NO_THROW(check_proved(prove(program.steps), false));
    for (const test::RowLengths& offsets : broken) {
      RunRequest request{.sizes = {{"B", 4}, {"off_items", 12}}};
      request.trusts_offsets = true;
      Array off(DataType::Int64, {5});
      for (std::int64_t k = 0; k < 5; ++k) off.set_int(k, offsets[std::size_t(k)]);
      request.inputs["off"] = off;
      request.on = Machine::Emulate;
      FaultKinds faults;
      request.emulation.watcher = &faults;
      run(g.f, program, request);
      faults.kinds.erase(FaultKind::DoubleWrite);
      faults.kinds.erase(FaultKind::Race);
      EXPECT_TRUE(faults.kinds.empty());
    }
  }
}

// A sum of each row by the threads of a block: `width` elements are put aside in turns.
Schedule folded_in_groups(const Fusion& f, Tensor t, std::int64_t height, std::int64_t width) {
  Schedule s(f);
  const auto loops = s.loops(t);
  const auto [group, row] = s.split(loops[0], height, {.outer = "group", .inner = "row"});
  const auto [turn, thread] = s.split(s.merge(row, loops[1], "p"), width);
  s.reorder({group, thread, turn});
  s.bind(group, ParallelType::BIDx).bind(thread, ParallelType::TIDx);
  return s;
}

int remove_shared_stores(Body& body, const Kernel& kernel) {
  const auto is_one = [&](const Statement& s) {
    const auto* store = std::get_if<Store>(&s.node);
    return store != nullptr && kernel.buffers[store->buffer].memory == Memory::Shared;
  };
  int removed = int(std::erase_if(body, is_one));
  for (Statement& s : body) {
    for (Body* inner : bodies(s)) removed += remove_shared_stores(*inner, kernel);
  }
  return removed;
}

// Every kernel is proved, and would not be without any one of its barriers, or without what puts
// elements aside.
void expect_fold_proved(const Program& program) {
  EXPECT_NO_THROW(check_proved(prove(program.steps), false));
  for (const Kernel& kernel : program.steps[0].variants) {
    const Verification v = verify(kernel);
    for (const KernelFinding& f : v.findings)
      ADD_FAILURE() << to_string(f.hazard) << ": " << f.text;
    for (std::size_t k = 0; k < barriers_in(kernel.body); ++k) {
      Kernel without = kernel;
      std::size_t at = k;
      ASSERT_TRUE(test::remove_barrier(without.body, at));
      EXPECT_FALSE(is_proved(verify(without).of(Hazard::Race)));
    }
    Kernel without = kernel;
    EXPECT_EQ(remove_shared_stores(without.body, without), 1);
    EXPECT_FALSE(is_proved(verify(without).of(Hazard::Lifetime)));
  }
}

TEST(RowGroups, AFoldOfEachRow) {
  using enum Reduction;
  const std::pair<std::int64_t, std::int64_t> cuts[] = {{1, 1}, {3, 8}, {8, 8}, {32, 32}, {7, 96}};
  for (const Reduction how : {Sum, Max, Variance, ArgMin, LogSumExp}) {
    for (const auto& [height, width] : cuts) {
      SCOPED_TRACE(testing::Message() << int(how) << " " << height << " " << width);
      GroupedRows g(width == 8 ? DataType::Int32 : DataType::Int64);
      const Tensor s = g.f.output(
          "s", g.f.compute_fold("", {g.b}, {g.B},
                                {.how = how, .indices = {g.j}, .shape = {length(g.f, g.rows)}},
                                cast(item(g.x, g.rows, {g.b, g.j}), DataType::Float) * g.z(g.b)));
      const Program program = lower(folded_in_groups(g.f, s, height, width));
      EXPECT_EQ(program.steps.size(), 1u);
      expect_fold_proved(program);
      for (const auto& [count, items] : std::vector<std::pair<int, int>>{
               {8, 30}, {1, 7}, {40, 3}, {3, 0}, {0, 0}, {33, 400}, {64, 64}}) {
        test::expect_agreement(g.f, program, {.sizes = {{"B", count}, {"off_items", items}}});
      }
    }
  }
}

// Beside plain loops, for any rows; each sum is that of the row's items in their order.
TEST(RowGroups, SumsOfRandomRows) {
  std::mt19937_64 rng(5);
  const auto draw = [&](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(rng);
  };
  for (int k = 0; k < count(3, 40) && !testing::Test::HasFailure(); ++k) {
    GroupedRows g;
    const Tensor s = g.f.output(
        "s", g.f.compute_fold("", {g.b}, {g.B}, {.indices = {g.j}, .shape = {length(g.f, g.rows)}},
                              item(g.x, g.rows, {g.b, g.j}) * Element(g.j + 1)));
    const std::int64_t width = draw(1, 70);
    const Program program = lower(folded_in_groups(g.f, s, draw(1, width), width));
    expect_fold_proved(program);
    for (int list = 0; list < 4; ++list) {
      test::RowLengths lengths(std::size_t(draw(0, 40)));
      for (auto& n : lengths) n = draw(0, 1) ? draw(0, draw(0, 9) == 0 ? 300 : 12) : 0;
      const test::RowData data(lengths);
      test::ItemNumbers wanted;
      for (std::int64_t r = 0; r < data.count(); ++r) {
        wanted.push_back(0);
        for (std::int64_t j = 0; j < data.length(r); ++j) {
          wanted.back() += data.v[std::size_t(data.begins[std::size_t(r)] + j)] * double(j + 1);
        }
      }
      RunRequest request{.sizes = {{"B", data.count()}}};
      request.inputs["off"] =
          test::row_array(DataType::Int64, {data.count() + 1}, test::as_numbers(data.begins));
      request.inputs["x"] = test::row_array(DataType::Int32, {data.items()}, data.v);
      test::expect_outputs(g.f, program, request, {{"s", wanted}});
    }
  }
}

TEST(RowGroups, WhatIsRefused) {
  GroupedRows g;
  const Tensor y = g.numbered();
  const Tensor s = g.f.output(
      "s", g.f.compute_fold("", {g.b}, {g.B}, {.indices = {g.j}, .shape = {length(g.f, g.rows)}},
                            item(g.x, g.rows, {g.b, g.j})));
  Schedule schedule(g.f);
  const auto loops = schedule.loops(y);
  const auto [outer, row] = schedule.split(loops[0], 4, {.outer = "outer", .inner = "row"});
  const auto [group, part] = schedule.split(outer, 2, {.outer = "group", .inner = "part"});
  const ScheduledLoop p = schedule.merge(row, loops[1], "p");
  EXPECT_THAT(error_of([&] { schedule.merge(part, p); }),
              HasSubstr("error[E455]: the merge of part and p is over groups of rows, whose "
                        "positions are merged already; help: split the row once, by as many rows "
                        "as a group is to have; or merge the row itself and its items"));
  // Which positions there are follows from the group.
  EXPECT_THAT(
      error_of([&] {
        Schedule outside = schedule;
        outside.reorder({p, group, part});
        lower(outside);
      }),
      HasSubstr("error[E455]: p of y runs over the items of a row of off and stands outside "
                "of the loop part, which tells the row"));
  EXPECT_THAT(error_of([&] {
                Schedule bound = schedule;
                lower(bound.bind(p, ParallelType::TIDx));
              }),
              HasSubstr("error[E456]"));
  // A fold needs its threads around its turns, and a thread for each row of the group.
  const std::string needs =
      "error[E458]: s folds along p, positions of a group of rows, and its loops are not the "
      "threads of a block, at least as many as the group has rows, and inside of these, innermost, "
      "their turns; help: split: {in: p, factor: 256, out: [turn, thread]}, then reorder: [..., "
      "thread, turn], and bind thread to TIDx";
  EXPECT_THAT(error_of([&] { lower(in_groups(g.f, s, 4, 8)); }), HasSubstr(needs));
  EXPECT_THAT(error_of([&] { lower(folded_in_groups(g.f, s, 9, 8)); }), HasSubstr(needs));
}

}  // namespace

}  // namespace selvage
