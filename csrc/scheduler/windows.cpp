#include <selvage/expr/substitute.h>
#include <selvage/expr/symbols.h>
#include <selvage/expr/tape.h>
#include <selvage/ir/fold.h>
#include <selvage/ir/reads.h>
#include <selvage/kernel/launch_limits.h>
#include <selvage/legality/mend_read.h>
#include <selvage/legality/read_tile.h>
#include <selvage/scheduler/windows.h>

#include <algorithm>

namespace selvage {

namespace {

// How many subscripts beside one a window reads at a fixed index, by what else is in the subscript.
std::int64_t reach_of(Expr subscript, Expr index, Simplifier& ranges) {
  const Expr rest = substitute(subscript, {{index, ranges.pool().constant(0)}});
  const Interval range = ranges.interval(ranges.simplify(rest));
  return range.has_lo() && range.has_hi() && range.hi < INT64_MAX ? range.hi - range.lo : 0;
}

}  // namespace

std::optional<Windows> windows_of(const Schedule& schedule, const Segment& segment,
                                  const TypicalSizes& sizes) {
  const Fusion& fusion = schedule.fusion();
  const TensorInfo& root = fusion[segment.root];
  const std::size_t rank = root.logical.size();
  // Other members are computed where the root reads them.
  const bool are_inside = std::ranges::all_of(
      segment.members, [&](TensorId m) { return m == segment.root || schedule.follows(m); });
  const bool is_plain = are_inside && !segment.are_siblings && segment.columns.empty() &&
                        root.fold && !is_scan(root) && !root.fold->is_partial &&
                        !root.fold->merges && root.root.empty() && rank >= 2 &&
                        segment.rows == root.logical;
  if (!is_plain) return std::nullopt;
  const DomainGraph& graph = schedule.graph();
  Windows w{.row = root.logical[rank - 2], .column = root.logical[rank - 1]};
  Expr others = fusion.pool().constant(1);
  for (std::size_t k = 0; k + 2 < rank; ++k) others = others * graph[root.logical[k]].extent;
  Facts facts = *fusion.facts();
  for (const auto& [index, extent] : own_indices(root, graph)) facts.loop(index, extent);
  Simplifier ranges(std::move(facts));
  const bool fits =
      ranges.proves(others <= kMaxGrid[2]) && ranges.proves(graph[w.row].extent <= kMaxGrid[1]);
  if (!fits) return std::nullopt;
  w.rows = double(sizes(graph[w.row].extent));
  w.columns = double(sizes(graph[w.column].extent));
  w.others = double(sizes(ranges.simplify(others)));
  const Expr row = root.indices[rank - 2], column = root.indices[rank - 1];
  for (ValueId v : values_under(fusion.values(), *root.definition)) {
    const ValueNode& read = fusion.values()[v];
    if (read.kind != ValueNode::Kind::Read) continue;
    const auto source = TensorId(read.source);
    const bool is_stored = fusion[source].is_input || !schedule.is_inlined(source);
    if (!is_stored || !reads_windows(fusion, segment.root, source)) continue;
    bool is_moved = false;
    w.is_remapped = w.is_remapped || !read.modes.empty();
    for (std::size_t k = 0; k < read.subscripts.size(); ++k) {
      const auto mode =
          std::ranges::find(read.modes, k, [](const AxisMode& m) { return std::size_t(m.axis); });
      const Expr of = mode == read.modes.end() ? read.subscripts[k] : mode->of;
      const std::vector<Expr> used = symbols_of(of);
      const auto note = [&](Expr index, std::int64_t& reach) {
        if (!contains(used, index)) return false;
        reach = std::max(reach, reach_of(of, index, ranges));
        return used.size() > 1;
      };
      is_moved = note(row, w.row_reach) || is_moved;
      is_moved = note(column, w.column_reach) || is_moved;
    }
    if (is_moved && std::ranges::find(w.sources, source) == w.sources.end()) {
      w.sources.push_back(source);
      w.bytes += double(size_of(stored_type(fusion[source])));
    }
  }
  return w.sources.empty() ? std::nullopt : std::optional(std::move(w));
}

}  // namespace selvage
