#include <selvage/base/refuse.h>
#include <selvage/expr/symbols.h>
#include <selvage/expr/text.h>
#include <selvage/legality/row_numbers.h>

#include <algorithm>
#include <optional>

namespace selvage {

namespace {

// The merge of these rows that is crossed backwards, from the position to the row.
const Merge* merge_searched(const DomainGraph& graph, const Path& path, RowsId rows) {
  for (const Step& step : path.steps) {
    const auto* merge = std::get_if<Merge>(&graph[step.transform]);
    if (merge == nullptr || step.direction == Direction::Forward) continue;
    if (graph.rows_of(*merge) == &graph[rows]) return merge;
  }
  return nullptr;
}

// The number of outermost loops of whose variables the expression is made.
std::size_t level_of(Expr e, std::span<const Expr> variables) {
  const std::vector<Expr> used = symbols_of(e);
  std::size_t level = 0;
  for (std::size_t k = 0; k < variables.size(); ++k) {
    if (contains(used, variables[k])) level = k + 1;
  }
  return level;
}

}  // namespace

std::vector<RowNumber> row_numbers(const Schedule& schedule, TensorId t, const Path& path,
                                   std::span<const DomainId> loops, std::span<const Expr> variables,
                                   const Coordinates& coordinates) {
  const DomainGraph& graph = schedule.graph();
  const std::string& tensor = schedule.fusion()[t].name;
  std::vector<RowNumber> numbers;
  for (DomainId d : path.domains) {
    const auto& ragged = graph[d].ragged;
    if (!ragged) continue;
    const RaggedRows& rows = graph[ragged->rows];
    const std::string items =
        "runs over the items of a row of " + schedule.fusion()[TensorId(rows.offsets)].name;
    if (!coordinates.has(ragged->row)) {
      refuse<Illegal>("E455",
                      schedule.name(t, d) + " of " + tensor + " " + items +
                          ", and no loop of it tells which row",
                      "take a loop over " + schedule.name(t, ragged->row) + ", outside of it");
    }
    RowNumber number{ragged->rows, coordinates[ragged->row]};
    if (const Merge* merge = merge_searched(graph, path, ragged->rows)) {
      number.position = coordinates[merge->out];
      number.added = graph[merge->inner].ragged->added;
    }
    number.level = level_of(number.position.valid() ? number.position : number.row, variables);
    for (std::size_t k = 0; k < loops.size(); ++k) {
      const std::vector<Expr> used = symbols_of(graph[loops[k]].extent);
      if (!contains(used, rows.begin) && !contains(used, rows.end)) continue;
      const std::string loop = schedule.name(t, loops[k]);
      if (is_index(schedule.parallel(t, loops[k]))) {
        refuse<Illegal>("E456",
                        loop + " of " + tensor + " " + items + ", and is bound to " +
                            std::string(to_string(schedule.parallel(t, loops[k]))) +
                            ", whose number must be known at launch",
                        "split " + loop + " by a number and bind the inner loop; or merge " +
                            schedule.name(t, ragged->row) + " and " + schedule.name(t, d) +
                            " into positions, and split these");
      }
      if (k < number.level) {
        refuse<Illegal>(
            "E455",
            loop + " of " + tensor + " " + items + " and stands outside of the loop " +
                schedule.name(t, loops[number.level - 1]) + ", which tells the row",
            "reorder: put " + loop + " inside of " + schedule.name(t, loops[number.level - 1]));
      }
    }
    const RowNumber* other = find(numbers, ragged->rows);
    if (other == nullptr) {
      numbers.push_back(number);
    } else if (!same(other->row, number.row)) {
      refuse<Illegal>("E457",
                      tensor + " is at two rows of " +
                          schedule.fusion()[TensorId(rows.offsets)].name + " at once, " +
                          to_string(other->row) + " and " + to_string(number.row),
                      "give the offsets a second time, as an input of their own");
    }
  }
  return numbers;
}

const RowNumber* find(std::span<const RowNumber> numbers, RowsId rows) {
  const auto at = std::ranges::find(numbers, rows, &RowNumber::rows);
  return at == numbers.end() ? nullptr : &*at;
}

}  // namespace selvage
