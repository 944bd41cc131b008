// Plans for folds that read windows.
#include <selvage/legality/read_tile.h>
#include <selvage/scheduler/carry_out.h>
#include <selvage/scheduler/loop_names.h>

namespace selvage {

namespace {

// Loops of so many iterations together are written out.
constexpr std::int64_t kMostTapsUnrolled = 64;

class WindowCuts : private NestCuts {
 public:
  using NestCuts::NestCuts;

  void run() {
    const Windows& w = *traffic_.windows;
    const auto loop = [&](DomainId d) { return ScheduledLoop{root_, d}; };
    const auto [by, ty] = s_.split(loop(w.row), plan_.folders,
                                   {.outer = unused(root_, "by"), .inner = unused(root_, "ty")});
    const auto [bx, tx] = s_.split(loop(w.column), plan_.threads,
                                   {.outer = unused(root_, "bx"), .inner = unused(root_, "tx")});
    Loops order, others;
    std::int64_t taps = 1;
    for (ScheduledLoop l : s_.loops(root_)) {
      const Expr extent = s_.graph()[l.domain].extent;
      if (s_.is_folded(root_, l.domain)) {
        taps = extent.is(Op::Const) && taps <= kMostTapsUnrolled ? taps * extent.value()
                                                                 : kMostTapsUnrolled + 1;
      } else if (l != by && l != ty && l != bx && l != tx) {
        others.push_back(l);
      }
    }
    ScheduledLoop innermost = bx;
    if (w.has_one_block_index) {
      others.insert(others.end(), {by, bx});
      innermost = merged(s_, others);
      s_.bind(innermost, ParallelType::BIDx);
      order.push_back(innermost);
    } else {
      if (!others.empty()) {
        const ScheduledLoop bz = merged(s_, others);
        s_.bind(bz, ParallelType::BIDz);
        order.push_back(bz);
      }
      s_.bind(by, ParallelType::BIDy).bind(bx, ParallelType::BIDx);
      order.insert(order.end(), {by, bx});
    }
    s_.bind(ty, ParallelType::TIDy).bind(tx, ParallelType::TIDx);
    order.insert(order.end(), {ty, tx});
    put_in_order(root_, order);
    for (ScheduledLoop l : s_.loops(root_)) {
      if (taps > kMostTapsUnrolled || !s_.is_folded(root_, l.domain)) continue;
      s_.bind(l, ParallelType::Unroll);
    }
    if (!plan_.kept) return;
    for (TensorId source : w.sources) {
      cache_tile(s_, source, innermost, s_.unused_name(s_.fusion()[source].name + "_tile"),
                 *plan_.kept);
    }
  }
};

}  // namespace

void cut_windows(const PlannedSegment& planned) { WindowCuts(planned).run(); }

}  // namespace selvage
