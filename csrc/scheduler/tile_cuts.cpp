// Plans for tensors that are stored along other iterdomains than they are read.
#include <selvage/ir/buffer_layout.h>
#include <selvage/ir/reads.h>
#include <selvage/scheduler/carry_out.h>
#include <selvage/scheduler/loop_names.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace selvage {

namespace {

class TileCuts : private NestCuts {
 public:
  using NestCuts::NestCuts;

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

 private:
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
};

}  // namespace

void cut_tiles(const PlannedSegment& planned) { TileCuts(planned).cut_tiles(); }
void cut_across(const PlannedSegment& planned) { TileCuts(planned).cut_across(); }
void copy_across(const PlannedSegment& planned, ScheduledLoop thread) {
  TileCuts(planned).copy_across(thread);
}

}  // namespace selvage
