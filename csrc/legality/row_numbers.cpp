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

bool has_ends_of(std::span<const Expr> symbols, const RaggedRows& rows) {
  return contains(symbols, rows.begin) || contains(symbols, rows.end);
}

// What tells the row.
Expr told_by(const RowNumber& number) {
  return number.search ? number.search->position : number.row;
}

// Puts each row behind the rows whose numbers it is told by, and says where it is known. False if
// some are told by each other, or one by its own ends.
bool put_in_order(std::vector<RowNumber>& numbers, const DomainGraph& graph,
                  std::span<const Expr> variables) {
  for (auto next = numbers.begin(); next != numbers.end(); ++next) {
    const auto waits_for = [&](const RowNumber& a, const RowNumber& b) {
      const std::vector<Expr> used = symbols_of(told_by(a));
      const RaggedRows& rows = graph[b.rows];
      return has_ends_of(used, rows) || (b.search && contains(used, rows.row));
    };
    const auto ready = std::find_if(next, numbers.end(), [&](const RowNumber& a) {
      return std::none_of(next, numbers.end(), [&](const RowNumber& b) { return waits_for(a, b); });
    });
    if (ready == numbers.end()) return false;
    std::rotate(next, ready, ready + 1);
    next->level = level_of(told_by(*next), variables);
    for (auto before = numbers.begin(); before != next; ++before) {
      if (waits_for(*next, *before)) next->level = std::max(next->level, before->level);
    }
  }
  return true;
}

}  // namespace

std::vector<RowNumber> row_numbers(const Schedule& schedule, TensorId t, const Path& path,
                                   std::span<const DomainId> loops, std::span<const Expr> variables,
                                   const Coordinates& coordinates) {
  const DomainGraph& graph = schedule.graph();
  const std::string& tensor = schedule.fusion()[t].name;
  const auto offsets_of = [&](RowsId rows) {
    return schedule.fusion()[TensorId(graph[rows].offsets)].name;
  };
  std::vector<RowNumber> numbers;
  std::vector<DomainId> items;
  for (DomainId d : path.domains) {
    const auto& ragged = graph[d].ragged;
    if (!ragged) continue;
    if (!coordinates.has(ragged->row)) {
      refuse<Illegal>("E455",
                      schedule.name(t, d) + " of " + tensor + " runs over the items of a row of " +
                          offsets_of(ragged->rows) + ", and no loop of it tells which row",
                      "take a loop over " + schedule.name(t, ragged->row) + ", outside of it");
    }
    items.push_back(d);
    RowNumber number{ragged->rows, coordinates[ragged->row]};
    if (const Merge* merge = merge_searched(graph, path, ragged->rows)) {
      number.search = row_search(graph, *merge, coordinates);
    }
    const RowNumber* other = find(numbers, ragged->rows);
    if (other == nullptr) {
      numbers.push_back(number);
    } else if (!same(other->row, number.row)) {
      refuse<Illegal>("E457",
                      tensor + " is at two rows of " + offsets_of(ragged->rows) + " at once, " +
                          to_string(other->row) + " and " + to_string(number.row),
                      "give the offsets a second time, as an input of their own");
    }
  }
  const bool is_told = put_in_order(numbers, graph, variables);
  for (DomainId d : items) {
    const RaggedRows& rows = graph[graph[d].ragged->rows];
    const RowNumber& number = *find(numbers, graph[d].ragged->rows);
    const std::string over_items =
        "runs over the items of a row of " + offsets_of(graph[d].ragged->rows);
    const std::string row = schedule.name(t, graph[d].ragged->row);
    for (std::size_t k = 0; k < loops.size(); ++k) {
      if (!has_ends_of(symbols_of(graph[loops[k]].extent), rows)) continue;
      const std::string loop = schedule.name(t, loops[k]);
      if (is_index(schedule.parallel(t, loops[k]))) {
        refuse<Illegal>("E456",
                        loop + " of " + tensor + " " + over_items + ", and is bound to " +
                            std::string(to_string(schedule.parallel(t, loops[k]))) +
                            ", whose number must be known at launch",
                        "split " + loop + " by a number and bind the inner loop; or merge " + row +
                            " and " + schedule.name(t, d) + " into positions, and split these");
      }
      const std::size_t level = is_told ? number.level : level_of(told_by(number), variables);
      if (k < level) {
        refuse<Illegal>(
            "E455",
            loop + " of " + tensor + " " + over_items + " and stands outside of the loop " +
                schedule.name(t, loops[level - 1]) + ", which tells the row",
            "reorder: put " + loop + " inside of " + schedule.name(t, loops[level - 1]));
      }
    }
    if (!is_told) {
      refuse<Illegal>("E455",
                      schedule.name(t, d) + " of " + tensor + " " + over_items +
                          ", and which row that is follows only from how long it is",
                      "cut " + row + " and " + schedule.name(t, d) +
                          " apart from each other; or merge them into positions, and split these");
    }
  }
  return numbers;
}

const RowNumber* find(std::span<const RowNumber> numbers, RowsId rows) {
  const auto at = std::ranges::find(numbers, rows, &RowNumber::rows);
  return at == numbers.end() ? nullptr : &*at;
}

}  // namespace selvage
