#include <selvage/base/refuse.h>
#include <selvage/expr/symbols.h>
#include <selvage/expr/tape.h>
#include <selvage/index/coordinates.h>
#include <selvage/ir/reads.h>
#include <selvage/legality/hoist.h>
#include <selvage/legality/item_indices.h>
#include <selvage/legality/mend_read.h>
#include <selvage/legality/read_tile.h>

#include <algorithm>
#include <span>

namespace selvage {

namespace {

class Tiling {
 public:
  Tiling(const Schedule& schedule, TensorId t, ScheduledLoop at)
      : fusion_(schedule.fusion()),
        schedule_(schedule),
        t_(t),
        reader_(at.tensor),
        nest_(analyze_loops(fusion_, schedule, at.tensor)),
        indices_(own_indices(fusion_[at.tensor], schedule.graph())),
        own_(*fusion_.facts()) {
    std::size_t open = 0;
    while (open < nest_.loops.size() && nest_.loops[open++] != at.domain) {}
    inner_.assign(nest_.variables.begin() + std::ptrdiff_t(open), nest_.variables.end());
    open_ = open;
    Facts facts = *fusion_.facts();
    for (const auto& [index, extent] : indices_) {
      facts.loop(index, extent);
      all_.push_back(index);
    }
    own_ = Simplifier(std::move(facts));
  }

  ReadTile find() {
    if (!fusion_[reader_].root.empty()) return {{}, "it is read by a view"};
    for (std::size_t k = 0; k < open_; ++k) {
      if (schedule_.is_folded(reader_, nest_.loops[k])) {
        return {{},
                "the loop " + to_name(k) + " is one that " + fusion_[reader_].name + " folds over"};
      }
    }
    find_reads();
    if (reads_.empty()) return {{}, fusion_[reader_].name + " does not read it itself"};
    Schedule::Tile tile;
    for (std::size_t axis = 0; axis < fusion_[t_].logical.size(); ++axis) {
      if (auto why = add_axis(axis, tile)) return {{}, *why};
    }
    if (auto why = add_fill(tile)) return {{}, *why};
    if (auto why = add_loops(tile)) return {{}, *why};
    if (!is_part_) return {{}, "all of it is read in each iteration"};
    return {std::move(tile)};
  }

 private:
  std::string to_name(std::size_t loop) const { return schedule_.name(reader_, nest_.loops[loop]); }

  void find_reads() {
    for (const Schedule::DirectRead& r : schedule_.direct_reads(reader_, t_)) {
      reads_.push_back(fusion_.values()[r.read]);
      unlimited_.push_back(fusion_.values()[r.unlimited]);
    }
  }

  // Nothing, or why there is no tile.
  std::optional<std::string> add_axis(std::size_t k, Schedule::Tile& tile) {
    const std::string which = "axis " + std::to_string(k);
    const Expr extent = schedule_.graph()[fusion_[t_].logical[k]].extent;
    Schedule::Tile::Axis axis{.begin = fusion_.pool().constant(0), .extent = extent};
    bool is_outside = false, is_loaded = false, is_filled = false;
    std::vector<Expr> at, limited;  // the subscripts as they are written
    for (const ValueNode& read : unlimited_) at.push_back(written_subscript(read, k));
    for (const ValueNode& read : reads_) {
      const AxisMode* mode = mode_of(read, k);
      if (mode != nullptr && axis.mode && *axis.mode != mode->mode) {
        return "its reads at " + which + " have several access modes";
      }
      if (mode != nullptr) axis.mode = mode->mode;
      is_filled = is_filled || read.otherwise().has_value();
      is_outside = is_outside || is_filled || mode != nullptr;
      limited.push_back(written_subscript(read, k));
      for (const LoadedIndex& l : read.loaded) {
        is_loaded = is_loaded || contains(symbols_of(limited.back()), l.symbol);
      }
    }
    Schedule::Tile::Axis box = axis;
    const bool has_box = !is_loaded && set_box(at, box);
    if (!has_box && is_outside) {
      return "how many elements are read along " + which + " in one iteration is no number";
    }
    const bool is_part = has_box && (!extent.is(Op::Const) || !box.begin.is(Op::Const) ||
                                     box.extent.value() < extent.value());
    is_part_ = is_part_ || is_part;
    if (is_part || is_outside) {
      if (!is_filled) limit(limited, extent, box);
      axis = box;
    }
    tile.axes.push_back(axis);
    return std::nullopt;
  }

  // False where there is none of a number of elements.
  bool set_box(const std::vector<Expr>& at, Schedule::Tile::Axis& axis) {
    const Environment here = indices_at(fusion_[reader_], *nest_.coordinates);
    const ItemIndices items = item_indices(fusion_, schedule_, nest_, inner_);
    Simplifier ranges(items.facts);
    std::vector<Expr> least, most;
    for (Expr subscript : at) {
      const Expr at_loops = nest_.ranges->simplify(substitute(subscript, here));
      const Expr e = ranges.simplify(substitute(at_loops, items.loops));
      const auto low = extremum(e, items.variables, ranges, false);
      const auto high = extremum(e, items.variables, ranges, true);
      if (!low || !high) return false;
      least.push_back(low->value);
      most.push_back(high->value);
    }
    for (Expr begin : least) {
      const auto distance = [&](Expr e) { return nest_.ranges->simplify(e - begin); };
      const auto is_below = [&](Expr e) { return nest_.ranges->proves(0 <= distance(e)); };
      if (!std::ranges::all_of(least, is_below)) continue;
      std::int64_t extent = 0;
      for (Expr end : most) {
        const Expr last = distance(end);
        if (!last.is(Op::Const)) return false;
        extent = std::max(extent, last.value() + 1);
      }
      axis.begin = written_out(begin);
      axis.extent = fusion_.pool().constant(extent);
      return true;
    }
    return false;
  }

  // Points of the loops past the reader's items read further than any item does: there the element
  // that is read last is as good, be it the last one of the axis.
  void limit(const std::vector<Expr>& at, Expr extent, Schedule::Tile::Axis& axis) {
    axis.least = fusion_.pool().constant(0);
    axis.most = extent - 1;
    for (Expr subscript : at) {
      const auto low = extremum(own_.simplify(subscript), all_, own_, false);
      const auto high = extremum(own_.simplify(subscript), all_, own_, true);
      if (!low || !high) {
        axis.least = axis.most = {};
        return;
      }
      axis.least = min(axis.least, low->value);
      axis.most = max(axis.most, high->value);
    }
    axis.least = own_.simplify(axis.least);
    axis.most = own_.simplify(axis.most);
  }

  std::optional<std::string> add_fill(Schedule::Tile& tile) const {
    const ValueGraph& values = fusion_.values();
    for (const ValueNode& read : reads_) {
      const auto otherwise = read.otherwise();
      if (!otherwise) continue;
      const ValueNode& fill = values[*otherwise];
      if (fill.kind != ValueNode::Kind::Constant) return "the fill of a read is no constant";
      if (!tile.fill) tile.fill = otherwise;
      const ValueNode& known = values[*tile.fill];
      if (known.type != fill.type || known.integer != fill.integer || known.real != fill.real) {
        return "its reads have several fills";
      }
    }
    return std::nullopt;
  }

  // The loops that move the tile, each by the indices of the reader's definition.
  std::optional<std::string> add_loops(Schedule::Tile& tile) const {
    std::vector<Expr> moving;
    for (const Schedule::Tile::Axis& axis : tile.axes) {
      for (Expr s : symbols_of(axis.begin)) moving.push_back(s);
    }
    std::vector<DomainId> from = definition_domain(fusion_[reader_]);
    std::vector<Expr> indices = fusion_[reader_].indices;
    for (std::size_t k = 0; k < open_; ++k) {
      if (!contains(moving, nest_.variables[k])) continue;
      const std::vector<Expr> index =
          coordinates_from(schedule_.graph(), from, indices, std::span(&nest_.loops[k], 1),
                           schedule_.transforms(reader_));
      if (!index[0].valid()) return "the loop " + to_name(k) + " does not follow from the indices";
      Expr simple = own_.simplify(index[0]);
      tile.loops.push_back({nest_.loops[k], nest_.variables[k], simple});
    }
    return std::nullopt;
  }

  const Fusion& fusion_;
  const Schedule& schedule_;
  TensorId t_, reader_;
  TensorAnalysis nest_;
  std::vector<std::pair<Expr, Expr>> indices_;  // of the reader's definition, with their extents
  mutable Simplifier own_;                      // knows their ranges
  std::vector<Expr> all_;
  std::size_t open_ = 0;
  std::vector<Expr> inner_;                   // variables of the loops inside of `at`
  std::vector<ValueNode> reads_, unlimited_;  // of one number
  bool is_part_ = false;
};

constexpr ParallelType kThreads[] = {ParallelType::TIDx, ParallelType::TIDy, ParallelType::TIDz};

// The extent of the reader's threads along an axis of the block; nothing: it has none there.
std::optional<std::int64_t> threads_along(const Schedule& schedule, TensorId reader,
                                          ParallelType axis) {
  for (DomainId d : schedule.loop_domains(reader)) {
    const Expr extent = schedule.graph()[d].extent;
    if (schedule.parallel(reader, d) == axis && extent.is(Op::Const)) return extent.value();
  }
  return std::nullopt;
}

}  // namespace

ReadTile read_tile(const Schedule& schedule, TensorId t, ScheduledLoop at) {
  return Tiling(schedule, t, at).find();
}

// Where threads are along x alone, all axes as one loop; else a loop for each, the last along x.
void share_among_threads(Schedule& schedule, TensorId tile, TensorId reader) {
  const std::size_t axes = schedule.fusion()[schedule.making(tile)->of].logical.size();
  std::vector<std::pair<ParallelType, std::int64_t>> threads;
  for (ParallelType axis : kThreads) {
    if (const auto n = threads_along(schedule, reader, axis)) threads.emplace_back(axis, *n);
  }
  std::vector<ScheduledLoop> loops = schedule.loops(tile);
  std::erase_if(loops, [&](ScheduledLoop l) { return schedule.is_folded(tile, l.domain); });
  std::vector<ScheduledLoop> own(loops.end() - std::ptrdiff_t(axes), loops.end());
  std::vector<DomainId> shared;
  for (ScheduledLoop l : std::span(loops).first(loops.size() - axes)) shared.push_back(l.domain);
  while (own.size() > 1 && (threads.size() < 2 || own.size() > threads.size())) {
    const ScheduledLoop merged = schedule.merge(own[0], own[1]);
    own.erase(own.begin());
    own[0] = merged;
  }
  // Threads outside, so that each runs through its rounds by itself.
  std::vector<ScheduledLoop> bound;
  for (std::size_t k = 0; k < threads.size() && k < own.size(); ++k) {
    const auto [round, thread] = schedule.split(own[own.size() - 1 - k], threads[k].second);
    schedule.bind(thread, threads[k].first);
    bound.insert(bound.begin(), thread);
  }
  std::vector<ScheduledLoop> order = schedule.loops(tile);
  const auto is_bound = [&](ScheduledLoop l) { return std::ranges::find(bound, l) != bound.end(); };
  const auto is_block = [&](ScheduledLoop l) {
    return std::ranges::find(shared, l.domain) != shared.end();
  };
  std::ranges::stable_partition(order, [&](ScheduledLoop l) { return is_block(l) || is_bound(l); });
  std::ranges::stable_partition(order, is_block);
  schedule.reorder(order);
}

TensorId cache_tile(Schedule& schedule, TensorId t, ScheduledLoop at, std::string name,
                    Memory memory) {
  const ReadTile found = read_tile(schedule, t, at);
  const Fusion& fusion = schedule.fusion();
  if (!found.tile) {
    refuse<Illegal>("E420",
                    "of " + fusion[t].name + " no tile is read at the loop " +
                        schedule.name(at.tensor, at.domain) + " of " + fusion[at.tensor].name +
                        ": " + found.why_not,
                    "cache all of it; or name a loop that tiles are cut by");
  }
  Schedule tried = schedule;
  const TensorId made = tried.cache_tile(t, at.tensor, *found.tile, std::move(name), memory);
  tried.compute_at(made, at);
  if (memory == Memory::Shared) share_among_threads(tried, made, at.tensor);
  schedule = std::move(tried);
  return made;
}

bool reads_windows(const Fusion& fusion, TensorId reader, TensorId t) {
  if (!fusion[reader].definition) return false;
  for (ValueId v : values_under(fusion.values(), *fusion[reader].definition)) {
    const ValueNode& node = fusion.values()[v];
    if (node.kind != ValueNode::Kind::Read || TensorId(node.source) != t) continue;
    if (!node.modes.empty()) return true;
    for (Expr s : node.subscripts) {
      if (!s.is(Op::Symbol) && !s.is(Op::Const)) return true;
    }
  }
  return false;
}

}  // namespace selvage
