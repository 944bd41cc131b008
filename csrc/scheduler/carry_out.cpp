// Carries out the plan of a segment: cuts up the root's nest, and all members' nests alike.
#include <selvage/ir/reads.h>
#include <selvage/scheduler/carry_out.h>
#include <selvage/scheduler/loop_names.h>

#include <tuple>

namespace selvage {

namespace {

class CarryOut : private NestCuts {
 public:
  explicit CarryOut(const PlannedSegment& planned) : NestCuts(planned), planned_(planned) {}

  void run() {
    if (plan_.parts > 1 && is_scan(s_.fusion()[root_])) return scan_in_parts(planned_);
    if (plan_.parts > 1) return fold_in_parts(planned_);
    if (plan_.tile > 0) return cut_tiles(planned_);
    if (plan_.is_windowed) return cut_windows(planned_);
    if (plan_.across > 1 && segment_.is_pointwise) return cut_across(planned_);
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
    if (plan_.across > 1) return copy_across(planned_, *host);
    if (!plan_.kept) return;
    for (const TensorTraffic& t : traffic_.tensors) {
      const bool can_be = *plan_.kept == Memory::Local ? t.can_be_kept : t.can_be_shared;
      if (!can_be || t.passes < 2) continue;
      const std::string name = s_.unused_name(s_.fusion()[t.tensor].name + "_row");
      const TensorId row = s_.cache(t.copied, name, *plan_.kept);
      place(row, host);
      if (plan_.is_copied_late) s_.copy(row, CopyBy::CpAsync);
    }
  }

 private:
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
    parts_ = part_columns(planned_);
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
      if (plan_.ranks > 1) {
        const auto [rank, part] = s_.split(
            item, plan_.ranks,
            {.outer = unused(t, "rank"), .inner = unused(t, "part"), .inner_split = false});
        s_.bind(rank, ParallelType::CIDx);
        order.push_back(rank);
        item = part;
      }
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

  void place(TensorId m, std::optional<ScheduledLoop> host) {
    if (m != segment_.widest) s_.like_if_shared(m, segment_.widest);
    if (host) {
      s_.compute_at(m, *host);
    } else {
      s_.compute_in(m, root_);
    }
  }

  const PlannedSegment planned_;
  std::optional<DomainId> row_;  // all rows, merged
  std::vector<TensorId> parts_;  // of columns, in each block
};

}  // namespace

void carry_out(const PlannedSegment& planned) {
  const Segment& segment = planned.segment;
  if (segment.are_apart || (segment.are_siblings && planned.plan.parts > 1)) {
    for (TensorId m : segment.members) {
      const Segment own{.root = m, .widest = m, .members = {m}, .rows = segment.rows};
      CarryOut({planned.schedule, own, planned.traffic, planned.plan}).run();
    }
    return;
  }
  CarryOut(planned).run();
}

}  // namespace selvage
