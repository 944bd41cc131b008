// Folds and scans of rows by several blocks, in kernels one after another.
#include <selvage/ir/reads.h>
#include <selvage/scheduler/carry_out.h>
#include <selvage/scheduler/loop_names.h>
#include <selvage/scheduler/plan_work.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace selvage {

namespace {

class PartCuts : private NestCuts {
 public:
  using NestCuts::NestCuts;

  // Two kernels: in the first a block folds one part of its rows, in the second the threads of a
  // block fold the parts of a row, always in the same order, so that the result is the same every
  // time.
  void fold_in_parts() {
    Loops rows, folded;
    for (ScheduledLoop l : s_.loops(root_)) {
      (contains(traffic_.inner, l.domain) ? folded : rows).push_back(l);
    }
    const bool along_rows = plan_.is_along_rows;
    ScheduledLoop item = merged(s_, folded);
    std::optional<ScheduledLoop> vector;
    if (!along_rows) vector = cut_vector(item);
    const std::int64_t threads = along_rows ? plan_.folders : plan_.threads;
    const auto [part, rest] =
        s_.split(item, threads * plan_.batch,
                 {.outer = unused(root_, "part"), .inner = unused(root_, "rest")});
    Loops own;
    cut_steps(rest, threads, along_rows ? ParallelType::TIDy : ParallelType::TIDx, plan_.at_once,
              own);
    Loops order = rows;
    // The elements of one part lie side by side in memory where its loop comes first.
    order.insert(along_rows ? order.begin() : order.end(), part);
    order.insert(order.end(), own.begin(), own.end());
    append(order, vector);
    s_.reorder(order);
    if (vector && !along_rows) own.push_back(*vector);
    const TensorId parts =
        s_.rfactor(root_, own, s_.unused_name(s_.fusion()[root_].name + "_parts"));
    s_.keep_in(parts, Memory::Global);
    s_.stop_following(parts);
    if (along_rows) {
      s_.bind({parts, part.domain}, ParallelType::BIDy);
      cut_columns(parts, rows);
      fold_parts_of_columns(root_, part);
      return;
    }
    Loops blocks = of(parts, rows), results;
    blocks.push_back({parts, part.domain});
    s_.bind(merged(s_, blocks), ParallelType::BIDx);
    if (!rows.empty()) {
      results.push_back(merged(s_, rows));
      s_.bind(results[0], ParallelType::BIDx);
    }
    cut_steps(part, kThreadsOfParts, ParallelType::TIDx, plan_.at_once, results);
    put_in_order(root_, results);
  }

  // Three kernels: what each part of a row comes to; what is before each part; the scan within each
  // part, with that in front.
  void scan_in_parts() {
    const DomainId axis = folded_domain(s_.fusion()[root_])[0];
    Loops rows;
    for (ScheduledLoop l : s_.loops(root_)) {
      if (l.domain != axis) rows.push_back(l);
    }
    const std::int64_t of_thread =
        plan_.is_along_rows ? plan_.folders : plan_.threads * plan_.vector;
    const auto [part, item] =
        s_.split({root_, axis}, of_thread * plan_.batch,
                 {.outer = unused(root_, "part"), .inner = unused(root_, "item")});
    const Schedule::ScanParts made = s_.scan_in_parts(root_, item, {});
    s_.keep_in(made.sums, Memory::Global).keep_in(made.before, Memory::Global);
    cut_part(of(made.sums, rows), {made.sums, part.domain}, {made.sums, item.domain});
    const Loops own = cut_part(rows, part, item);
    s_.like(made.own, root_).reorder(of(made.own, own));
    s_.compute_at(made.own, own[0]).keep_in(made.own, Memory::Local);
    cut_before(of(made.before, rows), {made.before, part.domain});
  }

  std::vector<TensorId> part_columns() {
    std::vector<TensorId> all;
    std::optional<ScheduledLoop> thread;
    const std::vector<bool> is_read = are_read(s_.fusion());
    for (TensorId c : segment_.columns) {
      s_.like(c, root_);
      Loops blocks, turns, order;
      for (ScheduledLoop l : s_.loops(c)) {
        const bool is_block_loop = s_.parallel(c, l.domain) == ParallelType::BIDx;
        (!s_.is_folded(c, l.domain) ? order : is_block_loop ? blocks : turns).push_back(l);
      }
      order.insert(order.begin(), turns.begin(), turns.end());
      order.insert(order.begin(), blocks.begin(), blocks.end());
      s_.reorder(order);
      all.push_back(s_.rfactor(c, turns, s_.unused_name(s_.fusion()[c].name + "_parts")));
      s_.bind(blocks[0], ParallelType::Serial);
      const ScheduledLoop own = fold_parts_of_columns(c, blocks[0]);
      if (is_read[index_of(c)]) continue;  // in other kernels: it is one of its own
      if (thread) s_.compute_at(c, *thread);
      if (!thread) thread = own;
    }
    return all;
  }

 private:
  // Has the threads of a block run along the items of a part: [part, block, thread, folded,
  // vector].
  void cut_columns(TensorId parts, const Loops& items) {
    Loops order, folded;
    for (ScheduledLoop l : s_.loops(parts)) {
      const auto is_item = [&](ScheduledLoop i) { return i.domain == l.domain; };
      if (std::ranges::any_of(items, is_item)) continue;
      (s_.is_folded(parts, l.domain) ? folded : order).push_back(l);
    }
    ScheduledLoop item = merged(s_, of(parts, items));
    const auto vector = cut_vector(item);
    const Loops blocks = cut_blocks(item, plan_.threads);
    for (const Loops* some : {&blocks, &std::as_const(folded)}) {
      order.insert(order.end(), some->begin(), some->end());
    }
    append(order, vector);
    s_.reorder(order);
  }

  // The second kernel of a fold in parts, where the parts of neighbouring items lie side by side: a
  // warp runs along items, and the warps of a block fold the parts. Returns the loop of a warp.
  ScheduledLoop fold_parts_of_columns(TensorId c, ScheduledLoop part) {
    constexpr std::int64_t kAtOnce = 4;
    Loops items;
    for (DomainId d : s_.fusion()[c].logical) items.push_back({c, d});
    Loops order = cut_blocks(merged(s_, items), kWarp);
    const ScheduledLoop thread = order.back();
    cut_steps(part, kWarp, ParallelType::TIDy, kAtOnce, order);
    put_in_order(c, order);
    return thread;
  }

  // Cuts up the nest that runs through parts, a block to each; returns its loops.
  Loops cut_part(const Loops& rows, ScheduledLoop part, ScheduledLoop item) {
    const TensorId t = item.tensor;
    Loops blocks = rows, inner;
    std::optional<ScheduledLoop> vector;
    ScheduledLoop step = item, thread = item;
    if (plan_.is_along_rows) {
      ScheduledLoop row = merged(s_, rows);
      vector = cut_vector(row);
      // What parts come to is stored in the type of the fold, which may be wider than the items.
      const std::int64_t bytes = plan_.vector * size_of(stored_type(s_.fusion()[t]));
      if (vector && bytes > kWidestAccess) s_.bind(*vector, ParallelType::Serial);
      std::tie(row, thread) =
          s_.split(row, plan_.threads, {.outer = unused(t, "block"), .inner = unused(t, "thread")});
      blocks = {row};
      const auto [folder, own] =
          s_.split(item, plan_.batch, {.outer = unused(t, "folder"), .inner = unused(t, "u")});
      s_.bind(folder, ParallelType::TIDy);
      inner = {thread, folder, own};
      step = own;
    } else {
      vector = cut_vector(item);
      std::tie(step, thread) =
          s_.split(item, plan_.threads, {.outer = unused(t, "step"), .inner = unused(t, "thread")});
      inner = {step, thread};
    }
    if (plan_.batch > 1) s_.bind(step, ParallelType::Unroll);
    blocks.push_back(part);
    Loops order = {merged(s_, blocks)};
    s_.bind(order[0], ParallelType::BIDx).bind(thread, ParallelType::TIDx);
    order.insert(order.end(), inner.begin(), inner.end());
    append(order, vector);
    s_.reorder(order);
    return order;
  }

  // What is before each part of a row: a block to a row, or to rows side by side.
  void cut_before(const Loops& rows, ScheduledLoop part) {
    Loops order;
    if (plan_.is_along_rows) {
      order = cut_blocks(merged(s_, rows), kWarp);
      cut_steps(part, kWarp, ParallelType::TIDy, plan_.at_once, order);
    } else {
      if (!rows.empty()) {
        order.push_back(merged(s_, rows));
        s_.bind(order[0], ParallelType::BIDx);
      }
      cut_steps(part, kThreadsOfParts, ParallelType::TIDx, 1, order);
    }
    s_.reorder(order);
  }
};

}  // namespace

void fold_in_parts(const PlannedSegment& planned) { PartCuts(planned).fold_in_parts(); }
void scan_in_parts(const PlannedSegment& planned) { PartCuts(planned).scan_in_parts(); }
std::vector<TensorId> part_columns(const PlannedSegment& planned) {
  return PartCuts(planned).part_columns();
}

}  // namespace selvage
