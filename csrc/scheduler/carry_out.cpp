// Carries out the plan of a segment: cuts up the root's nest, and all members' nests alike.
#include <selvage/scheduler/loop_names.h>
#include <selvage/scheduler/row_plan.h>

#include <algorithm>

namespace selvage {

namespace {

constexpr std::int64_t kThreadsOfParts = 256;  // that fold the parts of one row

class CarryOut {
 public:
  CarryOut(Schedule& schedule, const Segment& segment, const SegmentTraffic& traffic,
           const RowPlan& plan)
      : s_(schedule), segment_(segment), traffic_(traffic), plan_(plan), root_(segment.root) {}

  void run() {
    if (plan_.parts > 1) return fold_in_parts();
    const std::optional<ScheduledLoop> host = cut_root();
    for (TensorId m : segment_.members) {
      if (m != root_) place(m, host);
    }
    if (!plan_.is_kept) return;
    for (const TensorTraffic& t : traffic_.tensors) {
      if (!t.can_be_kept || t.passes < 2) continue;
      const std::string name = s_.unused_name(s_.fusion()[t.tensor].name + "_row");
      place(s_.cache(t.tensor, name, Memory::Local), host);
    }
  }

 private:
  using Loops = std::vector<ScheduledLoop>;

  std::string unused(const char* name) const { return unused_loop_name(s_, root_, name); }

  void append(Loops& order, std::optional<ScheduledLoop> loop) const {
    if (loop) order.push_back(*loop);
  }

  // Returns the loop in which all members are computed: the innermost one of a row; nothing where
  // there is one row only.
  std::optional<ScheduledLoop> cut_root() {
    Loops rows, items, folded, single, order;
    for (ScheduledLoop l : s_.loops(root_)) {
      const bool is_row = contains(segment_.rows, l.domain);
      const bool is_inner = contains(traffic_.inner, l.domain);
      (is_row                          ? rows
       : !is_inner                     ? single
       : s_.is_folded(root_, l.domain) ? folded
                                       : items)
          .push_back(l);
    }
    // Items and folded iterdomains cannot be merged with one another: the folded ones stay serial
    // where there are items.
    Loops& inner = items.empty() ? folded : items;
    std::optional<ScheduledLoop> row, vector;
    if (!rows.empty()) {
      row = merged(s_, rows);
      if (segment_.is_pointwise) vector = cut_vector(*row);
      const bool is_by_threads = plan_.is_along_rows || segment_.is_pointwise;
      const std::int64_t own = is_by_threads ? plan_.threads : plan_.folders;
      ScheduledLoop block = *row;
      if (own > 1) {
        std::tie(block, *row) =
            s_.split(*row, own,
                     {.outer = unused("block"), .inner = unused(is_by_threads ? "thread" : "row")});
        s_.bind(*row, is_by_threads ? ParallelType::TIDx : ParallelType::TIDy);
        order.push_back(block);
      }
      s_.bind(block, ParallelType::BIDx);
      order.push_back(*row);
    }
    if (!inner.empty()) {
      ScheduledLoop item = merged(s_, inner);
      if (!plan_.is_along_rows) vector = cut_vector(item);
      if (plan_.is_along_rows) {
        cut_steps(item, plan_.folders, ParallelType::TIDy, order);
      } else {
        cut_steps(item, plan_.threads, ParallelType::TIDx, order);
      }
    }
    append(order, vector);
    order.insert(order.end(), single.begin(), single.end());
    if (!items.empty()) order.insert(order.end(), folded.begin(), folded.end());
    s_.reorder(order);
    return row;
  }

  // Leaves the groups of `loop` and returns the loop over the elements of a group.
  std::optional<ScheduledLoop> cut_vector(ScheduledLoop& loop) {
    if (plan_.vector <= 1) return std::nullopt;
    const auto [group, lane] =
        s_.split(loop, plan_.vector, {.outer = unused("group"), .inner = unused("v")});
    s_.bind(lane, ParallelType::Vectorize);
    loop = group;
    return lane;
  }

  // Has threads run through a loop, each in so many steps as it takes.
  void cut_steps(ScheduledLoop loop, std::int64_t threads, ParallelType type, Loops& order) {
    if (threads == 1 || s_.graph()[loop.domain].extent.is_const(threads)) {
      if (threads > 1) s_.bind(loop, type);
      order.push_back(loop);
      return;
    }
    const char* name = type == ParallelType::TIDx ? "thread" : "folder";
    const auto [step, thread] =
        s_.split(loop, threads, {.outer = unused("step"), .inner = unused(name)});
    s_.bind(thread, type);
    order.insert(order.end(), {step, thread});
  }

  void place(TensorId m, std::optional<ScheduledLoop> host) {
    s_.like_if_shared(m, root_);
    if (host) {
      s_.compute_at(m, *host);
    } else {
      s_.compute_in(m, root_);
    }
  }

  // Two kernels: in the first a block folds one part of a row, in the second the threads of a block
  // fold the parts of a row, always in the same order, so that the result is the same every time.
  void fold_in_parts() {
    Loops rows, folded;
    for (ScheduledLoop l : s_.loops(root_)) {
      (contains(traffic_.inner, l.domain) ? folded : rows).push_back(l);
    }
    ScheduledLoop item = merged(s_, folded);
    const auto vector = cut_vector(item);
    const auto [part, rest] = s_.split(item, plan_.threads * plan_.batch,
                                       {.outer = unused("part"), .inner = unused("rest")});
    const auto [step, thread] =
        s_.split(rest, plan_.threads, {.outer = unused("step"), .inner = unused("thread")});
    Loops own = {step, thread};
    append(own, vector);
    Loops order = rows;
    order.push_back(part);
    order.insert(order.end(), own.begin(), own.end());
    s_.reorder(order);

    const std::string name = s_.unused_name(s_.fusion()[root_].name + "_parts");
    const TensorId parts = s_.rfactor(root_, own, name);
    s_.keep_in(parts, Memory::Global);
    const auto of_parts = [&](ScheduledLoop l) { return ScheduledLoop{parts, l.domain}; };
    Loops blocks;
    for (ScheduledLoop l : rows) blocks.push_back(of_parts(l));
    blocks.push_back(of_parts(part));
    s_.bind(merged(s_, blocks), ParallelType::BIDx).bind(of_parts(thread), ParallelType::TIDx);
    if (vector) s_.bind(of_parts(*vector), ParallelType::Vectorize);
    s_.stop_following(parts);

    Loops of_results;
    if (!rows.empty()) {
      of_results.push_back(merged(s_, rows));
      s_.bind(of_results[0], ParallelType::BIDx);
    }
    cut_steps(part, kThreadsOfParts, ParallelType::TIDx, of_results);
    s_.reorder(of_results);
  }

  Schedule& s_;
  const Segment& segment_;
  const SegmentTraffic& traffic_;
  const RowPlan& plan_;
  const TensorId root_;
};

}  // namespace

void carry_out(Schedule& schedule, const Segment& segment, const SegmentTraffic& traffic,
               const RowPlan& plan) {
  CarryOut(schedule, segment, traffic, plan).run();
}

}  // namespace selvage
