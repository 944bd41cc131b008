#include <selvage/expr/substitute.h>
#include <selvage/expr/symbols.h>
#include <selvage/expr/tape.h>
#include <selvage/ir/fold.h>
#include <selvage/ir/reads.h>
#include <selvage/kernel/launch_limits.h>
#include <selvage/legality/mend_read.h>
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
  const Expr row = root.indices[rank - 2], column = root.indices[rank - 1];
  std::vector<Expr> by_row, by_column;  // subscripts that these move
  for (ValueId v : values_under(fusion.values(), *root.definition)) {
    const ValueNode& read = fusion.values()[v];
    const auto source = TensorId(read.source);
    if (read.kind != ValueNode::Kind::Read) continue;
    if (!fusion[source].is_input && schedule.is_inlined(source)) continue;
    bool is_moved = false;
    for (std::size_t k = 0; k < read.subscripts.size(); ++k) {
      const Expr of = written_subscript(read, k);
      const std::vector<Expr> used = symbols_of(of);
      const auto note = [&](Expr index, std::vector<Expr>& list) {
        if (!contains(used, index)) return;
        list.push_back(of);
        is_moved = is_moved || used.size() > 1;
      };
      note(row, by_row);
      note(column, by_column);
    }
    if (!is_moved) continue;
    w.is_remapped = w.is_remapped || !read.modes.empty();
    if (std::ranges::find(w.sources, source) != w.sources.end()) continue;
    w.sources.push_back(source);
    w.bytes += double(size_of(stored_type(fusion[source])));
  }
  if (w.sources.empty()) return std::nullopt;
  Expr others = fusion.pool().constant(1);
  for (std::size_t k = 0; k + 2 < rank; ++k) others = others * graph[root.logical[k]].extent;
  Facts facts = *fusion.facts();
  for (const auto& [index, extent] : own_indices(root, graph)) facts.loop(index, extent);
  Simplifier ranges(std::move(facts));
  w.has_one_block_index =
      !ranges.proves(others <= kMaxGrid[2]) || !ranges.proves(graph[w.row].extent <= kMaxGrid[1]);
  for (Expr of : by_row) w.row_reach = std::max(w.row_reach, reach_of(of, row, ranges));
  for (Expr of : by_column) w.column_reach = std::max(w.column_reach, reach_of(of, column, ranges));
  w.rows = double(sizes(graph[w.row].extent));
  w.columns = double(sizes(graph[w.column].extent));
  w.others = double(sizes(ranges.simplify(others)));
  return w;
}

}  // namespace selvage
