#include <selvage/ir/fold.h>
#include <selvage/scheduler/row_schedules.h>
#include <selvage/simplifier/simplifier.h>

#include <algorithm>

namespace selvage {

namespace {

constexpr std::int64_t kThreads = 256;  // of a block
constexpr std::int64_t kTiles = 128;    // of a merge path, in a block
constexpr std::int64_t kLanes = 32;     // along dense axes, which lie side by side in memory
// A value and its column; and what is read at the column.
constexpr std::int64_t kBytesOfItem = 8, kBytesOfGather = 4;

// The loops of a fold over rows: the row, the dense axes as one, an item of the row, and what each
// item has of its own to fold.
struct RowLoops {
  ScheduledLoop row, item;
  std::optional<ScheduledLoop> dense;
  std::vector<ScheduledLoop> inside = {};
  std::int64_t lanes = kLanes;  // along the dense axes
};

RowLoops loops_of(Schedule& schedule, TensorId t) {
  const std::vector<ScheduledLoop> all = schedule.loops(t);
  const std::size_t item = all.size() - schedule.fusion()[t].fold->domains.size();
  RowLoops made{all.front(), all[item], {}, {all.begin() + std::ptrdiff_t(item) + 1, all.end()}};
  for (std::size_t k = 1; k < item; ++k) {
    made.dense = made.dense ? schedule.merge(*made.dense, all[k]) : all[k];
  }
  const Expr dense = made.dense ? schedule.graph()[made.dense->domain].extent : Expr();
  if (dense.valid() && dense.is(Op::Const) && dense.value() < kLanes) made.lanes = dense.value();
  return made;
}

void by_rows(Schedule& s, const RowLoops& loops, std::int64_t group) {
  const std::int64_t rows = kThreads / (loops.dense ? loops.lanes : group);
  const auto [block, row] = s.split(loops.row, rows, {.outer = "block", .inner = "row"});
  s.bind(block, ParallelType::BIDx);
  if (loops.dense) {
    const auto [outer, lane] =
        s.split(*loops.dense, loops.lanes, {.outer = "part", .inner = "lane"});
    std::vector<ScheduledLoop> order = {block, row, outer, lane, loops.item};
    order.insert(order.end(), loops.inside.begin(), loops.inside.end());
    s.reorder(order);
    s.bind(row, ParallelType::TIDy).bind(lane, ParallelType::TIDx);
  } else if (group == 1) {
    s.bind(row, ParallelType::TIDx);
  } else {
    const auto [step, lane] = s.split(loops.item, group, {.outer = "step", .inner = "lane"});
    s.bind(row, ParallelType::TIDy).bind(lane, ParallelType::TIDx);
  }
}

void by_path(Schedule& s, const RowLoops& loops, std::int64_t width) {
  ExprPool& pool = s.fusion().pool();
  const ScheduledLoop ends = s.resize(loops.item, pool.constant(0), pool.constant(1), "end");
  const ScheduledLoop path = s.merge(loops.row, ends, "path");
  const auto [tile, step] = s.split(path, width, {.outer = "tile", .inner = "step"});
  const std::int64_t tiles = loops.dense ? kTiles / loops.lanes : kTiles;
  const auto [block, own] = s.split(tile, tiles, {.outer = "block", .inner = "own"});
  s.bind(block, ParallelType::BIDx);
  if (!loops.dense) {
    s.bind(own, ParallelType::TIDx);
    return;
  }
  const auto [outer, lane] = s.split(*loops.dense, loops.lanes, {.outer = "part", .inner = "lane"});
  s.reorder({block, own, outer, lane, step});
  s.bind(own, ParallelType::TIDy).bind(lane, ParallelType::TIDx);
}

}  // namespace

std::string RowSchedule::text() const {
  const std::string number = std::to_string(width);
  switch (kind) {
    case Kind::ThreadARow: return "a thread a row";
    case Kind::GroupARow: return number + " threads a row";
    case Kind::MergePath: break;
  }
  return "a merge path, " + number + " items and ends of rows a thread";
}

Expr longest_of(const Fusion& fusion, RowsId rows) {
  const RaggedRows& own = fusion.domains()[rows];
  return fusion.pool().symbol(fusion[TensorId(own.offsets)].name + ".longest");
}

std::int64_t mean_in_l1(const Device& device) {
  return std::max<std::int64_t>(
      device.shared_bytes / (device.threads * (kBytesOfItem + kBytesOfGather)), 1);
}

std::int64_t items_in_l2(const Device& device) { return device.l2_bytes / kBytesOfItem; }

std::vector<RowClass> row_classes(const Fusion& fusion, RowsId rows, const Device& device) {
  const RaggedRows& own = fusion.domains()[rows];
  const Expr longest = longest_of(fusion, rows);
  Simplifier sizes(*fusion.facts());
  std::vector<RowClass> classes;
  const auto add = [&](std::int64_t most, Expr of_mean, RowSchedule how) {
    const Expr known = sizes.simplify(of_mean);
    if (known.is_false()) return;
    classes.push_back({known.is_true() ? longest <= most : longest <= most && of_mean, how});
  };
  using enum RowSchedule::Kind;
  Expr is_short = own.items <= kMeanOfThread * own.count;
  if (const std::int64_t mean = mean_in_l1(device); mean < kMeanOfThread) {
    is_short = is_short && (own.items <= mean * own.count || own.items <= items_in_l2(device));
  }
  add(kLongestOfThread, is_short, {ThreadARow, 1});
  add(kLongestOfGroup, own.items <= kMeanOfGroup * own.count, {GroupARow, kGroup});
  add(kLongestOfWarp, own.items > kMeanOfGroup * own.count, {GroupARow, kWarp});
  return classes;
}

std::optional<RowsId> folded_rows(const Fusion& fusion, TensorId t) {
  const TensorInfo& tensor = fusion[t];
  if (!tensor.fold || tensor.fold->scanned) return std::nullopt;
  const std::vector<DomainId>& folded = tensor.fold->domains;
  const auto is_ragged = [&](DomainId d) { return fusion.domains()[d].ragged.has_value(); };
  if (std::ranges::count_if(folded, is_ragged) != 1 || !is_ragged(folded[0])) return std::nullopt;
  const auto& ragged = fusion.domains()[folded[0]].ragged;
  const bool is_row_first = ragged && ragged->added == 0 && !tensor.logical.empty() &&
                            tensor.root.empty() && tensor.logical[0] == ragged->row;
  return is_row_first ? std::optional(ragged->rows) : std::nullopt;
}

std::optional<RowsId> classed_rows(const Fusion& fusion) {
  for (std::size_t t = 0; t < fusion.size(); ++t) {
    if (const auto rows = folded_rows(fusion, TensorId(t))) return rows;
  }
  return std::nullopt;
}

RowSchedule schedule_rows(Schedule& schedule, TensorId t, const RowSchedule& wanted) {
  const RowLoops loops = loops_of(schedule, t);
  RowSchedule how = wanted;
  // What an item has of its own to fold is no position.
  if (how.kind == RowSchedule::Kind::MergePath && !loops.inside.empty()) {
    how = {RowSchedule::Kind::GroupARow, kWarp};
  }
  // Threads lie along the dense axes. And where a fold keeps several numbers, an item is first put
  // aside for them, which threads that share a row are not shown to do before they read it.
  const bool has_parts = components(*schedule.fusion()[t].fold).size() > 1;
  if ((how.kind == RowSchedule::Kind::GroupARow && loops.dense) || has_parts) {
    how = {RowSchedule::Kind::ThreadARow, 1};
  }
  switch (how.kind) {
    case RowSchedule::Kind::ThreadARow: by_rows(schedule, loops, 1); break;
    case RowSchedule::Kind::GroupARow: by_rows(schedule, loops, how.width); break;
    case RowSchedule::Kind::MergePath: by_path(schedule, loops, how.width); break;
  }
  return how;
}

}  // namespace selvage
