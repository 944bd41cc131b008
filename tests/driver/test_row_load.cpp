// The load of threads over rows of different lengths: beside a table that was counted by hand, and
// beside what each thread of an emulated run reads.
#include <selvage/driver/row_load.h>
#include <selvage/emulate/emulate.h>
#include <selvage/emulate/watch.h>
#include <selvage/ir/ragged.h>
#include <selvage/lower/program.h>

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>

namespace selvage {

namespace {

constexpr std::int64_t kTableThreads = 256;

struct RowSum {
  RowSum() {
    B = f.extent("B", 0);
    rows = add_rows(f.input("off", {B + 1}, DataType::Int64));
    const Tensor x = ragged_input(f, "x", rows, {}, DataType::Int32);
    const Expr b = f.fresh_index("b"), j = f.fresh_index("j");
    s = f.output("s", f.compute_fold("", {b}, {B}, {.indices = {j}, .shape = {length(f, rows)}},
                                     item(x, rows, {b, j})));
  }
  Fusion f;
  Expr B;
  RowsId rows{};
  Tensor s;
};

using Lengths = std::vector<std::int64_t>;

Array offsets_of(const Lengths& lengths) {
  Array offsets(DataType::Int64, {std::int64_t(lengths.size()) + 1});
  std::int64_t at = 0;
  for (std::size_t k = 0; k < lengths.size(); ++k) {
    offsets.set_int(std::int64_t(k), at);
    at += lengths[k];
  }
  offsets.set_int(std::int64_t(lengths.size()), at);
  return offsets;
}

RunRequest request_of(const Lengths& lengths) {
  RunRequest request;
  request.inputs["off"] = offsets_of(lengths);
  const Array& offsets = request.inputs["off"];
  request.sizes = {{"B", std::int64_t(lengths.size())},
                   {"off_items", offsets.get_int(offsets.size() - 1)}};
  return request;
}

RowLoad load_of(const RowSum& r, const Schedule& s, const Lengths& lengths) {
  return row_load(s, r.s.id(), arguments_of(r.f, request_of(lengths))).value();
}

Schedule by_threads(const RowSum& r, std::int64_t threads) {
  Schedule s(r.f);
  const auto [turn, thread] = s.split(s.loops(r.s)[0], threads);
  s.bind(thread, ParallelType::TIDx);
  return s;
}
Schedule by_warps(const RowSum& r) {
  Schedule s(r.f);
  const auto loops = s.loops(r.s);
  const auto [turn, warp] = s.split(loops[0], 8);
  const auto [step, lane] = s.split(loops[1], 32);
  s.bind(turn, ParallelType::BIDx).bind(warp, ParallelType::TIDy).bind(lane, ParallelType::TIDx);
  return s;
}
Schedule by_positions(const RowSum& r, bool has_ends, std::int64_t width, std::int64_t threads) {
  Schedule s(r.f);
  const auto loops = s.loops(r.s);
  ScheduledLoop items = loops[1];
  if (has_ends) items = s.resize(items, r.f.pool().constant(0), r.f.pool().constant(1), "e");
  const auto [tile, k] = s.split(s.merge(loops[0], items, "path"), width);
  const auto [block, thread] = s.split(tile, threads);
  s.bind(block, ParallelType::BIDx).bind(thread, ParallelType::TIDx);
  return s;
}

Schedule by_groups(const RowSum& r, std::int64_t height, std::int64_t threads) {
  Schedule s(r.f);
  const auto loops = s.loops(r.s);
  const auto [group, row] = s.split(loops[0], height);
  const auto [turn, thread] = s.split(s.merge(row, loops[1], "p"), threads);
  s.reorder({group, thread, turn});
  s.bind(group, ParallelType::BIDx).bind(thread, ParallelType::TIDx);
  return s;
}

// Parts of rows beyond one for each.
std::int64_t cuts(const RowLoad& load) {
  std::int64_t parts = 0;
  for (const RowLoad::Thread& thread : load.threads) parts += std::int64_t(thread.rows.size());
  return parts;
}

struct TableRow {
  const char* name;
  std::function<std::int64_t(std::int64_t)> length;
  std::int64_t items, longest, most_by_thread;
  double busy_by_thread, busy_by_warp;
  std::int64_t flat, flat_cuts, path, path_cuts;
};

// 1,024 rows by 256 threads, in warps of 32; and one warp a row; and positions, and a merge path,
// in 256 tiles.
TEST(RowLoad, TableOfMatrices) {
  const TableRow table[] = {
      {"all 1", [](auto) { return 1; }, 1024, 1, 4, 1.00, .03, 4, 0, 8, 0},
      {"tridiagonal", [](auto i) { return i == 0 || i == 1023 ? 2 : 3; }, 3070, 3, 12, 1.00, .09,
       12, 255, 16, 255},
      {"all 16", [](auto) { return 16; }, 16384, 16, 64, 1.00, .50, 64, 0, 68, 0},
      {"every fourth empty", [](auto i) { return i % 4 ? 8 : 0; }, 6144, 8, 32, .75, .25, 24, 0, 28,
       0},
      {"power law", [](auto i) { return 4096 / (i + 1); }, 30283, 4096, 4123, .21, .57, 119, 243,
       123, 240},
      {"one huge row", [](auto i) { return i == 0 ? 65536 : 1; }, 66559, 65536, 65539, .03, .68,
       260, 252, 264, 255},
      {"one full row", [](auto i) { return i == 0 ? 1024 : 2; }, 3070, 1024, 1030, .09, .09, 12, 85,
       16, 191},
      {"two full rows", [](auto i) { return i < 2 ? 512 : 0; }, 1024, 512, 512, .06, 1.00, 4, 254,
       8, 128},
      {"the last row", [](auto i) { return i == 1023 ? 4096 : 0; }, 4096, 4096, 4096, .03, 1.00, 16,
       255, 20, 204},
  };
  const RowSum r;
  for (const TableRow& row : table) {
    SCOPED_TRACE(row.name);
    Lengths lengths;
    std::int64_t full = 0;  // rows with items
    for (std::int64_t i = 0; i < 1024; ++i) {
      lengths.push_back(row.length(i));
      full += lengths.back() > 0 ? 1 : 0;
    }
    const RowLoad threads = load_of(r, by_threads(r, kTableThreads), lengths);
    EXPECT_EQ(threads.items, row.items);
    EXPECT_EQ(threads.longest, row.longest);
    EXPECT_EQ(threads.slowest, row.most_by_thread);
    EXPECT_NEAR(threads.warp_utilisation(), row.busy_by_thread, .0051);
    EXPECT_NEAR(load_of(r, by_warps(r), lengths).warp_utilisation(), row.busy_by_warp, .0051);
    const auto tile = [](std::int64_t n) { return (n + kTableThreads - 1) / kTableThreads; };
    const RowLoad flat = load_of(r, by_positions(r, false, tile(row.items), 256), lengths);
    EXPECT_EQ(flat.slowest, row.flat);
    EXPECT_EQ(cuts(flat) - full, row.flat_cuts);
    const RowLoad path = load_of(r, by_positions(r, true, tile(row.items + 1024), 256), lengths);
    EXPECT_EQ(path.slowest, row.path);
    EXPECT_EQ(cuts(path) - 1024, row.path_cuts);
  }
}

// A tile of a merge path takes just K of rows' ends and items, the last one what is left.
TEST(RowLoad, ATileOfAMergePathTakesJustItsWidth) {
  std::mt19937_64 random(7);
  const RowSum r;
  for (int k = 0; k < 200; ++k) {
    Lengths lengths(1 + random() % 40);
    std::int64_t all = std::int64_t(lengths.size());
    for (std::int64_t& n : lengths) all += n = random() % 3 ? std::int64_t(random() % 9) : 0;
    const std::int64_t width = 1 + std::int64_t(random() % 12);
    const RowLoad load = load_of(r, by_positions(r, true, width, 4), lengths);
    std::int64_t left = all, ends = 0;
    for (const RowLoad::Thread& thread : load.threads) {
      EXPECT_EQ(thread.items + thread.ends, std::min(width, left));
      left -= thread.items + thread.ends;
      ends += thread.ends;
    }
    EXPECT_EQ(left, 0);
    EXPECT_EQ(ends, std::int64_t(lengths.size()));
  }
}

// Counts the elements of `x` that each thread of the first kernel reads.
class ReadCounter : public RunWatcher {
 public:
  explicit ReadCounter(std::array<std::int64_t, 3> extents) : extents_(extents) {}
  void loaded(const RunView& view, BufferId b, std::int64_t, Scalar) override {
    if (view.kernel().buffers[b].name != "x") return;
    const LaunchGeometry& geometry = view.geometry();
    const auto at = LaunchGeometry::at(view.thread(), geometry.block);
    const auto block = LaunchGeometry::at(view.block(), geometry.grid);
    const std::int64_t in_block = extents_[0] * extents_[1];
    ++counts[at[0] + extents_[0] * at[1] + in_block * block[0]];
  }
  std::map<std::int64_t, std::int64_t> counts;

 private:
  std::array<std::int64_t, 3> extents_;  // of the loops that are bound to x and y of threads
};

TEST(RowLoad, WhatThreadsOfARunRead) {
  std::mt19937_64 random(11);
  const RowSum r;
  struct Case {
    Schedule schedule;
    std::array<std::int64_t, 3> extents;
  };
  Schedule rows_together(r.f);
  const auto loops = rows_together.loops(r.s);
  const auto [outer, row] = rows_together.split(loops[0], 2);
  const auto [step, lane] = rows_together.split(loops[1], 3);
  rows_together.bind(row, ParallelType::TIDy).bind(lane, ParallelType::TIDx);
  const Case cases[] = {{by_threads(r, 4), {4, 1, 1}},
                        {by_warps(r), {32, 8, 1}},
                        {rows_together, {3, 2, 1}},
                        {by_positions(r, false, 3, 2), {2, 1, 1}},
                        {by_positions(r, true, 5, 4), {4, 1, 1}},
                        {by_groups(r, 3, 4), {4, 1, 1}}};
  for (const Case& c : cases) {
    const Program program = lower(r.f, c.schedule);
    for (int k = 0; k < 20; ++k) {
      Lengths lengths(1 + random() % 20);
      for (std::int64_t& n : lengths) n = random() % 3 ? std::int64_t(random() % 40) : 0;
      lengths[0] = std::max<std::int64_t>(lengths[0], 1);
      ReadCounter counter(c.extents);
      RunRequest request = request_of(lengths);
      request.on = Machine::Emulate;
      request.emulation.watcher = &counter;
      EXPECT_TRUE(run(r.f, program, request).passed());
      const RowLoad load = load_of(r, c.schedule, lengths);
      std::map<std::int64_t, std::int64_t> counted;
      for (std::size_t t = 0; t < load.threads.size(); ++t) {
        if (load.threads[t].items > 0) counted[std::int64_t(t)] = load.threads[t].items;
      }
      EXPECT_EQ(counter.counts, counted);
    }
  }
}

// How each row comes to be stored, rows without items as well.
TEST(RowLoad, Outcomes) {
  using enum RowLoad::Outcome;
  using Outcomes = std::vector<RowLoad::Outcome>;
  const RowSum r;
  const Lengths lengths = {2, 0, 1, 3, 0, 0, 8, 1};
  EXPECT_EQ(load_of(r, by_threads(r, 4), lengths).outcomes, Outcomes(8, Store));
  EXPECT_EQ(load_of(r, by_warps(r), lengths).outcomes,
            (Outcomes{Fold, Store, Store, Fold, Store, Store, Fold, Store}));
  EXPECT_EQ(load_of(r, by_positions(r, true, 4, 2), lengths).outcomes,
            (Outcomes{Store, Store, Store, Carry, Store, Store, Carry, Store}));
  EXPECT_EQ(load_of(r, by_groups(r, 3, 4), lengths).outcomes,
            (Outcomes{Fold, Store, Store, Fold, Store, Store, Fold, Store}));
  const RowLoad load = load_of(r, by_threads(r, 4), lengths);
  EXPECT_EQ(load.steps, 11);
  EXPECT_EQ(load.threads[1].rows, (std::vector<std::int64_t>{1, 5}));
  EXPECT_EQ(load.threads[1].items, 0);
}

// Offsets alone may tell of more items than 32 bits count: more than are counted one by one.
TEST(RowLoad, OffsetsOfMoreItemsThan32BitsCount) {
  const RowSum r;
  const std::int64_t big = std::int64_t{1} << 31;
  for (const Lengths& lengths : {Lengths{big}, Lengths{big - 1, 1, 5}, Lengths{3, 4 * big, 0},
                                 Lengths{INT64_MAX / 4, INT64_MAX / 4}}) {
    RunArguments arguments;
    arguments.inputs["off"] = offsets_of(lengths);
    std::int64_t items = 0;
    for (std::int64_t n : lengths) items += n;
    arguments.sizes.add(size_called(r.f, "B"), std::int64_t(lengths.size()));
    arguments.sizes.add(size_called(r.f, "off_items"), items);
    for (const Schedule& s : {by_threads(r, 4), by_warps(r), by_positions(r, true, 64, 128),
                              by_positions(r, false, 1, 128), by_positions(r, false, 1 << 20, 1)}) {
      EXPECT_FALSE(row_load(s, r.s.id(), arguments).has_value());
    }
  }
}

}  // namespace

}  // namespace selvage
