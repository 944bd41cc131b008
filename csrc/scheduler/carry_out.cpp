// Carries out the plan of a segment: cuts up the root's nest, and all members' nests alike.
#include <selvage/ir/buffer_layout.h>
#include <selvage/ir/reads.h>
#include <selvage/scheduler/loop_names.h>
#include <selvage/scheduler/plan_work.h>
#include <selvage/scheduler/row_plan.h>

#include <algorithm>
#include <map>
#include <utility>

namespace selvage {

namespace {

class CarryOut {
 public:
  CarryOut(Schedule& schedule, const Segment& segment, const SegmentTraffic& traffic,
           const RowPlan& plan)
      : s_(schedule), segment_(segment), traffic_(traffic), plan_(plan), root_(segment.root) {}

  void run() {
    if (plan_.parts > 1 && is_scan(s_.fusion()[root_])) return scan_in_parts();
    if (plan_.parts > 1) return fold_in_parts();
    if (plan_.tile > 0) return cut_tiles();
    if (plan_.across > 1 && segment_.is_pointwise) return cut_across();
    const std::optional<ScheduledLoop> host = cut();
    for (TensorId m : segment_.members) {
      if (m != root_ && !is_column(segment_, m)) place(m, host);
    }
    if (plan_.last_block_of) s_.compute_by_last_block(root_, *plan_.last_block_of);
    // While a block computes its rows, it folds them.
    for (TensorId parts : parts_) {
      s_.like(parts, segment_.widest);
      s_.accumulate_at(parts, *host);
    }
    if (plan_.across > 1) return copy_across(*host);
    if (!plan_.kept) return;
    for (const TensorTraffic& t : traffic_.tensors) {
      const bool can_be = *plan_.kept == Memory::Local ? t.can_be_kept : t.can_be_shared;
      if (!can_be || t.passes < 2) continue;
      const std::string name = s_.unused_name(s_.fusion()[t.tensor].name + "_row");
      place(s_.cache(t.copied, name, *plan_.kept), host);
    }
  }

 private:
  using Loops = std::vector<ScheduledLoop>;

  // A name that no loop of the tensor has.
  std::string unused(TensorId t, const char* name) const { return unused_loop_name(s_, t, name); }

  void append(Loops& order, std::optional<ScheduledLoop> loop) const {
    if (loop) order.push_back(*loop);
  }

  // Cuts up the rows of the root, and what is within a row of the widest member. Returns the loop
  // in which all members are computed: the innermost one of a row; nothing where there is one row
  // only.
  std::optional<ScheduledLoop> cut() {
    Loops rows, order;
    for (ScheduledLoop l : s_.loops(root_)) {
      if (contains(segment_.rows, l.domain) && !plan_.last_block_of) rows.push_back(l);
    }
    std::optional<ScheduledLoop> row, vector;
    if (!rows.empty()) {
      row = merged(s_, rows);
      row_ = row->domain;
      if (segment_.is_pointwise || plan_.is_along_rows) vector = cut_vector(*row);
      // A thread that has a row to itself is one along x.
      const bool is_by_threads = plan_.is_along_rows || segment_.is_pointwise;
      const bool is_along_x = is_by_threads || plan_.threads == 1;
      const std::int64_t own = is_by_threads ? plan_.threads : plan_.folders;
      ScheduledLoop block = *row;
      if (own > 1) {
        std::tie(block, *row) = s_.split(*row, own,
                                         {.outer = unused(root_, "block"),
                                          .inner = unused(root_, is_along_x ? "thread" : "row")});
        s_.bind(*row, is_along_x ? ParallelType::TIDx : ParallelType::TIDy);
        order.push_back(block);
      }
      if (plan_.turns > 1) {
        ScheduledLoop& turned = own > 1 ? order.back() : *row;
        std::tie(block, turned) = s_.split(
            block, plan_.turns, {.outer = unused(root_, "blocks"), .inner = unused(root_, "turn")});
        order.insert(order.begin(), block);
      }
      s_.bind(block, ParallelType::BIDx);
      order.push_back(*row);
    }
    part_columns();
    if (segment_.widest != root_) {
      Loops own = order;
      append(own, vector);
      put_in_order(root_, own);
      s_.like_if_shared(segment_.widest, root_);
      for (ScheduledLoop& l : order) l.tensor = segment_.widest;
      if (vector) vector->tensor = segment_.widest;
    }
    cut_row(segment_.widest, order, vector);
    return row;
  }

  // Cuts up what is within a row of a tensor, of which `order` has the loops around.
  void cut_row(TensorId t, Loops& order, std::optional<ScheduledLoop> vector) {
    Loops items, folded;
    for (ScheduledLoop l : s_.loops(t)) {
      if (!contains(traffic_.inner, l.domain)) continue;
      (s_.is_folded(t, l.domain) ? folded : items).push_back(l);
    }
    // Items and folded iterdomains cannot be merged with one another: the folded ones stay serial
    // where there are items.
    Loops& inner = items.empty() ? folded : items;
    if (!inner.empty()) {
      ScheduledLoop item = merged(s_, inner);
      if (plan_.is_skewed) {
        item = s_.skew(item, {t, *row_}, s_.graph()[item.domain].extent,
                       s_.graph().pool().constant(plan_.vector), unused(t, "aligned"));
      }
      if (!plan_.is_along_rows) vector = cut_vector(item);
      const std::int64_t threads = plan_.is_along_rows ? plan_.folders : plan_.threads;
      if (plan_.last_block_of) {
        cut_by_whole_block(item, order);
        append(order, vector);
        return put_in_order(t, order);
      }
      if (traffic_.takes_whole_rows(plan_.kept.has_value())) cut_whole(item, threads, order);
      cut_steps(item, threads, plan_.is_along_rows ? ParallelType::TIDy : ParallelType::TIDx,
                plan_.at_once, order);
    }
    append(order, vector);
    put_in_order(t, order);
  }

  // Has all threads of a block go along its only row.
  void cut_by_whole_block(ScheduledLoop item, Loops& order) {
    if (plan_.folders == 1) {
      return cut_steps(item, plan_.threads, ParallelType::TIDx, plan_.at_once, order);
    }
    const TensorId t = item.tensor;
    const auto [rest, thread] =
        s_.split(item, plan_.threads, {.outer = unused(t, "rest"), .inner = unused(t, "thread")});
    s_.bind(thread, ParallelType::TIDx);
    cut_steps(rest, plan_.folders, ParallelType::TIDy, plan_.at_once, order);
    order.push_back(thread);
  }

  // Where the length of a row is a size, has a single loop go over rows of the greatest length, so
  // that the steps in it are a number, and so is what is kept.
  void cut_whole(ScheduledLoop& item, std::int64_t threads, Loops& order) {
    if (s_.graph()[item.domain].extent.is(Op::Const)) return;
    const auto [whole, rest] =
        s_.split(item, threads * plan_.batch,
                 {.outer = unused(item.tensor, "whole"), .inner = unused(item.tensor, "rest")});
    order.push_back(whole);
    item = rest;
  }

  // These loops first; then those of items of extent 1, then what is still folded.
  void put_in_order(TensorId t, Loops order) {
    Loops folded;
    for (ScheduledLoop l : s_.loops(t)) {
      const auto is_it = [&](const ScheduledLoop& o) { return o.domain == l.domain; };
      if (std::ranges::any_of(order, is_it)) continue;
      (s_.is_folded(t, l.domain) ? folded : order).push_back(l);
    }
    order.insert(order.end(), folded.begin(), folded.end());
    s_.reorder(order);
  }

  // Leaves the groups of `loop` and returns the loop over the elements of a group.
  std::optional<ScheduledLoop> cut_vector(ScheduledLoop& loop) {
    if (plan_.vector <= 1) return std::nullopt;
    const auto [group, lane] =
        s_.split(loop, plan_.vector,
                 {.outer = unused(loop.tensor, "group"), .inner = unused(loop.tensor, "v")});
    s_.bind(lane, ParallelType::Vectorize);
    loop = group;
    return lane;
  }

  // Has threads run through a loop, each in so many steps as it takes, some of them at once.
  void cut_steps(ScheduledLoop loop, std::int64_t threads, ParallelType type, std::int64_t at_once,
                 Loops& order) {
    const TensorId t = loop.tensor;
    if (traffic_.scans > 0 && threads > 1 && at_once > 1) {
      return cut_neighbours(loop, threads, type, at_once, order);
    }
    ScheduledLoop step = loop;
    std::optional<ScheduledLoop> thread;
    if (threads > 1 && s_.graph()[loop.domain].extent.is_const(threads)) {
      s_.bind(loop, type);
    } else {
      if (threads > 1) {
        const char* name = type == ParallelType::TIDx ? "thread" : "folder";
        std::tie(step, thread) =
            s_.split(loop, threads, {.outer = unused(t, "step"), .inner = unused(t, name)});
        s_.bind(*thread, type);
      }
      if (at_once > 1 && s_.graph()[step.domain].extent.is_const(at_once)) {
        s_.bind(step, ParallelType::Unroll);
      } else if (at_once > 1) {
        const auto [outer, inner] =
            s_.split(step, at_once, {.outer = unused(t, "steps"), .inner = unused(t, "u")});
        s_.bind(inner, ParallelType::Unroll);
        order.push_back(outer);
        step = inner;
      }
    }
    order.push_back(step);
    append(order, thread);
  }

  // The threads of a scan take neighbours, so that they meet less often.
  void cut_neighbours(ScheduledLoop loop, std::int64_t threads, ParallelType type,
                      std::int64_t at_once, Loops& order) {
    const TensorId t = loop.tensor;
    const auto [group, own] =
        s_.split(loop, at_once, {.outer = unused(t, "group"), .inner = unused(t, "u")});
    const auto [step, thread] =
        s_.split(group, threads, {.outer = unused(t, "step"), .inner = unused(t, "folder")});
    s_.bind(thread, type).bind(own, ParallelType::Unroll);
    order.insert(order.end(), {step, thread, own});
  }

  void place(TensorId m, std::optional<ScheduledLoop> host) {
    if (m != segment_.widest) s_.like_if_shared(m, segment_.widest);
    if (host) {
      s_.compute_at(m, *host);
    } else {
      s_.compute_in(m, root_);
    }
  }

  // A block computes a square tile. What lies along its other side is copied into shared memory: a
  // warp reads along the tensor and stores along its own row of the tile, whose rows are one word
  // longer, so that neither rows nor columns meet in a bank.
  void cut_tiles() {
    const SegmentTraffic::Turn& turn = *traffic_.turn;
    const Tile own = cut_tile(root_, turn.read, turn.stored);
    for (TensorId m : segment_.members) {
      if (m == root_) continue;
      s_.like_if_shared(m, root_);
      s_.compute_at(m, own.block);
    }
    for (TensorId t : turn.copied) {
      const std::int64_t size = size_of(stored_type(s_.fusion()[t]));
      const std::string name = s_.unused_name(s_.fusion()[t].name + "_tile");
      const TensorId copy = s_.cache(t, name, Memory::Shared);
      const Tile tile = cut_tile(copy, turn.stored, turn.read);
      BufferLayout layout = s_.layout(copy);
      layout.order({tile.row, layout.resize(tile.column, 0, std::max<std::int64_t>(4 / size, 1))});
      s_.compute_at(copy, own.block);
    }
  }

  // A thread computes all items of a short iterdomain, in vectors along the others.
  void cut_across() {
    const SegmentTraffic::Across& across = *traffic_.across;
    const std::int64_t size = size_of(stored_type(s_.fusion()[root_]));
    const ScheduledLoop thread = cut_items(root_, across.is_stored, size);
    for (TensorId m : segment_.members) {
      if (m == root_) continue;
      s_.like_if_shared(m, root_);
      s_.compute_at(m, thread);
    }
    copy_across(thread);
  }

  // What lies along the other one of the two iterdomains is read so, into registers.
  void copy_across(ScheduledLoop thread) {
    const SegmentTraffic::Across& across = *traffic_.across;
    for (const TensorTraffic& t : traffic_.tensors) {
      if (t.is_stored || std::ranges::find(across.copied, t.copied) == across.copied.end())
        continue;
      const std::string name = s_.unused_name(s_.fusion()[t.copied].name + "_own");
      const TensorId copy = s_.cache(t.copied, name, Memory::Local);
      cut_items(copy, !across.is_stored, t.size);
      s_.compute_at(copy, thread);
    }
  }

  // Cuts up a nest by the long iterdomains; returns the loop over threads. The items of a thread
  // are taken in vectors along the short iterdomain and then the long ones, or along these alone.
  // `size`: bytes of an element where it is read or stored.
  ScheduledLoop cut_items(TensorId t, bool along_short, std::int64_t size) {
    const SegmentTraffic::Across& across = *traffic_.across;
    Loops along;
    for (DomainId d : across.along) along.push_back({t, d});
    ScheduledLoop group = merged(s_, along), item{t, across.domain};
    std::optional<ScheduledLoop> own;
    if (plan_.vector > 1) {
      std::tie(group, own) =
          s_.split(group, plan_.vector, {.outer = unused(t, "group"), .inner = unused(t, "v")});
    }
    Loops order = cut_blocks(group, plan_.threads);
    const ScheduledLoop thread = order.back();
    if (!along_short) {
      s_.bind(item, ParallelType::Unroll);
      order.push_back(item);
      if (own) cut_accesses(*own, plan_.vector, size, order);
    } else if (own) {
      cut_accesses(s_.merge(*own, item, unused(t, "own")), plan_.vector * across.items, size,
                   order);
    } else {
      cut_accesses(item, across.items, size, order);
    }
    put_in_order(t, order);
    return thread;
  }

  // Cuts up so many neighbours by the widest access of a power of two of them.
  void cut_accesses(ScheduledLoop loop, std::int64_t items, std::int64_t size, Loops& order) {
    const TensorId t = loop.tensor;
    std::int64_t width = std::max<std::int64_t>(kWidestAccess / size, 1);
    while (items % width != 0) width /= 2;
    if (width < items) {
      ScheduledLoop step = loop;
      if (width > 1) {
        std::tie(step, loop) =
            s_.split(loop, width, {.outer = unused(t, "step"), .inner = unused(t, "lane")});
        order.push_back(step);
      }
      s_.bind(step, ParallelType::Unroll);
    }
    if (width > 1) s_.bind(loop, ParallelType::Vectorize);
    order.push_back(loop);
  }

  // The nest of a tensor that is computed tile by tile: the loop over tiles, and the iterdomains of
  // a tile.
  struct Tile {
    ScheduledLoop block, row, column;
  };
  Tile cut_tile(TensorId t, const std::vector<DomainId>& rows,
                const std::vector<DomainId>& columns) {
    Loops all, single;
    for (ScheduledLoop l : s_.loops(t)) {
      if (contains(rows, l.domain) || contains(columns, l.domain)) continue;
      (s_.graph()[l.domain].extent.is_const(1) ? single : all).push_back(l);
    }
    // Both nests merge their tiles in one order, so that they share the loop over all of them.
    std::map<const std::vector<DomainId>*, ScheduledLoop> within;
    for (const std::vector<DomainId>* side : {&traffic_.turn->read, &traffic_.turn->stored}) {
      Loops group;
      for (DomainId d : *side) group.push_back({t, d});
      const auto [tile, own] = s_.split(merged(s_, group), plan_.tile,
                                        {.outer = unused(t, "tile"), .inner = unused(t, "side")});
      all.push_back(tile);
      within.emplace(side, own);
    }
    const Tile result{merged(s_, all), within.at(&rows), within.at(&columns)};
    const auto [step, warp] = s_.split(result.row, plan_.folders,
                                       {.outer = unused(t, "step"), .inner = unused(t, "warp")});
    Loops order = {result.block, step, warp, result.column};
    order.insert(order.end(), single.begin(), single.end());
    s_.reorder(order);
    s_.bind(result.block, ParallelType::BIDx).bind(step, ParallelType::Unroll);
    s_.bind(warp, ParallelType::TIDy).bind(result.column, ParallelType::TIDx);
    return result;
  }

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

  // Has blocks run along a loop, `threads` iterations each: the loop over blocks, and that of a
  // block.
  Loops cut_blocks(ScheduledLoop loop, std::int64_t threads) {
    const TensorId t = loop.tensor;
    const auto [block, thread] =
        s_.split(loop, threads, {.outer = unused(t, "block"), .inner = unused(t, "thread")});
    s_.bind(block, ParallelType::BIDx).bind(thread, ParallelType::TIDx);
    return {block, thread};
  }

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

  // Cuts each column into what a block folds of its rows, which are cut already, and a second
  // kernel that folds what the blocks have stored, of all columns together.
  void part_columns() {
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
      parts_.push_back(s_.rfactor(c, turns, s_.unused_name(s_.fusion()[c].name + "_parts")));
      s_.bind(blocks[0], ParallelType::Serial);
      const ScheduledLoop own = fold_parts_of_columns(c, blocks[0]);
      if (is_read[index_of(c)]) continue;  // in other kernels: it is one of its own
      if (thread) s_.compute_at(c, *thread);
      if (!thread) thread = own;
    }
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

  static Loops of(TensorId t, Loops loops) {
    for (ScheduledLoop& l : loops) l.tensor = t;
    return loops;
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

  Schedule& s_;
  const Segment& segment_;
  const SegmentTraffic& traffic_;
  const RowPlan& plan_;
  const TensorId root_;
  std::optional<DomainId> row_;  // all rows, merged
  std::vector<TensorId> parts_;  // of columns, in each block
};

}  // namespace

void carry_out(Schedule& schedule, const Segment& segment, const SegmentTraffic& traffic,
               const RowPlan& plan) {
  if (segment.are_apart || (segment.are_siblings && plan.parts > 1)) {
    for (TensorId m : segment.members) {
      const Segment own{.root = m, .widest = m, .members = {m}, .rows = segment.rows};
      CarryOut(schedule, own, traffic, plan).run();
    }
    return;
  }
  CarryOut(schedule, segment, traffic, plan).run();
}

}  // namespace selvage
