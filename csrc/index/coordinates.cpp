#include <selvage/base/check.h>
#include <selvage/index/coordinates.h>
#include <selvage/index/hilbert.h>

#include <algorithm>
#include <unordered_map>

namespace selvage {

namespace {

// A merge of rows and their items. Sources forward: the row, or its number in the group, and the
// item; backward: the position, or that within the group; then the group, if there is one.
std::vector<Expr> rows_formula(const DomainGraph& graph, const Merge& merge, bool forward,
                               std::span<const Expr> s) {
  const RaggedRows &rows = *graph.rows_of(merge), *groups = graph.groups_of(merge);
  const std::int64_t added = graph[merge.inner].ragged->added;
  const auto first = [&](Expr row) { return added == 0 ? rows.begin : rows.begin + added * row; };
  if (groups == nullptr) {
    if (forward) return {first(s[0]) + s[1]};
    return {rows.row, s[0] - first(rows.row)};
  }
  const Expr first_row = s.back() * groups->groups->height;
  if (forward) return {first(first_row + s[0]) + s[1] - groups->begin};
  return {rows.row - first_row, groups->begin + s[0] - first(rows.row)};
}

// What Hilbert's curve makes, and the numbers of which it takes bits: what its two indices are
// digits of. These coordinates get names, so that bits stay bits of one number, and what is cut
// into digits later stays whole.
std::vector<DomainId> numbers_of_curves(const DomainGraph& graph, const Path& path) {
  std::vector<DomainId> numbers;
  const auto follow = [&](DomainId d) {
    for (bool is_digit = true; is_digit;) {
      is_digit = false;
      for (const Step& step : path.steps) {
        const std::vector<DomainId> from = sources(graph, step);
        if (from.size() > 1 || !contains(results(graph, step), d)) continue;
        if (std::holds_alternative<Resize>(graph[step.transform])) continue;
        d = from[0];
        is_digit = true;
        break;
      }
    }
    numbers.push_back(d);
  };
  for (const Step& step : path.steps) {
    const auto* swizzle = std::get_if<Swizzle>(&graph[step.transform]);
    if (swizzle == nullptr || swizzle->kind != SwizzleKind::Hilbert) continue;
    for (DomainId d : sources(graph, step)) follow(d);
    for (DomainId d : results(graph, step)) numbers.push_back(d);
  }
  return numbers;
}

}  // namespace

RowSearch row_search(const DomainGraph& graph, const Merge& merge, Expr out,
                     std::optional<Expr> group) {
  const RaggedRows &rows = *graph.rows_of(merge), *groups = graph.groups_of(merge);
  const Expr zero = graph.pool().constant(0), last = rows.count - 1;
  const std::int64_t added = graph[merge.inner].ragged->added;
  if (groups == nullptr) return {out, zero, last, added};
  const Expr height = groups->groups->height, first = *group * height;
  const auto a_row = [&](Expr row) { return max(zero, min(row, last)); };
  return {groups->begin + out, a_row(first), a_row(first + height - 1), added};
}

RowSearch row_search(const DomainGraph& graph, const Merge& merge, const Coordinates& coordinates) {
  return row_search(graph, merge, coordinates[merge.out],
                    merge.group ? std::optional(coordinates[*merge.group]) : std::nullopt);
}

std::vector<Expr> step_formula(const DomainGraph& graph, const Step& step,
                               std::span<const Expr> s) {
  const bool forward = step.direction == Direction::Forward;
  const auto digits_to_number = [&](DomainId inner) {
    return std::vector{s[0] * graph[inner].extent + s[1]};
  };
  const auto number_to_digits = [&](DomainId inner) {
    return std::vector{s[0] / graph[inner].extent, s[0] % graph[inner].extent};
  };
  return std::visit(
      overloaded{
          [&](const Split& t) {
            return forward ? number_to_digits(t.inner) : digits_to_number(t.inner);
          },
          [&](const Merge& t) {
            if (graph.rows_of(t) != nullptr) return rows_formula(graph, t, forward, s);
            return forward ? digits_to_number(t.inner) : number_to_digits(t.inner);
          },
          [&](const Resize& t) { return std::vector{forward ? s[0] + t.left : s[0] - t.left}; },
          [&](const Swizzle& t) {
            switch (t.kind) {
              case SwizzleKind::Xor: return std::vector{s[0], s[0] ^ s[1]};
              case SwizzleKind::CyclicShift:
                return std::vector{s[0],
                                   (forward ? s[1] - s[0] : s[1] + s[0]) % graph[t.in_y].extent};
              case SwizzleKind::Hilbert: {
                const std::int64_t side = graph[t.in_y].extent.value();
                const auto made =
                    forward ? hilbert_number(s[0], s[1], side) : hilbert_point(s[0], s[1], side);
                return std::vector(made.begin(), made.end());
              }
            }
            return std::vector<Expr>{};
          },
          [&](const Skew& t) {
            const Expr offset = t.by * s[1] % t.modulo;
            return std::vector{forward ? s[0] + offset : s[0] - offset};
          }},
      graph[step.transform]);
}

Coordinates::Coordinates(const DomainGraph& graph, const Path& path,
                         std::span<const DomainId> loops, std::span<const Expr> variables,
                         Simplifier& simplifier)
    : exprs_(graph.size()) {
  SELVAGE_CHECK(loops.size() == variables.size());
  for (std::size_t i = 0; i < loops.size(); ++i) {
    exprs_[index_of(loops[i])] = simplifier.simplify(variables[i]);
  }
  const std::vector<DomainId> named = numbers_of_curves(graph, path);
  std::vector<Expr> known;
  for (const Step& step : path.steps) {
    known.clear();
    for (DomainId d : sources(graph, step)) known.push_back(exprs_[index_of(d)]);
    const std::vector<Expr> formulas = step_formula(graph, step, known);
    const std::vector<DomainId> made = results(graph, step);
    for (std::size_t i = 0; i < made.size(); ++i) {
      Expr e = simplifier.simplify(formulas[i]);
      const bool is_named = e.size() > 1 && contains(named, made[i]);
      if (is_named || e.size() > kLargestCoordinate) e = simplifier.pool().let(e);
      exprs_[index_of(made[i])] = e;
    }
  }
}

std::vector<Expr> coordinates_from(const DomainGraph& graph, std::span<const DomainId> from,
                                   std::span<const Expr> coordinates,
                                   std::span<const DomainId> wanted,
                                   std::span<const TransformId> transforms) {
  std::unordered_map<std::size_t, Expr> known;
  for (std::size_t i = 0; i < from.size(); ++i) known[index_of(from[i])] = coordinates[i];
  Path path;
  if (!std::all_of(wanted.begin(), wanted.end(),
                   [&](DomainId d) { return known.contains(index_of(d)); })) {
    path = needed_for(graph, everything_from(graph, from, transforms), from, wanted);
  }
  for (const Step& step : path.steps) {
    std::vector<Expr> sources_known;
    for (DomainId d : sources(graph, step)) sources_known.push_back(known.at(index_of(d)));
    const std::vector<Expr> made = step_formula(graph, step, sources_known);
    const std::vector<DomainId> names = results(graph, step);
    for (std::size_t i = 0; i < names.size(); ++i) known.try_emplace(index_of(names[i]), made[i]);
  }
  std::vector<Expr> found;
  for (DomainId d : wanted) {
    const auto it = known.find(index_of(d));
    found.push_back(it == known.end() ? Expr() : it->second);
  }
  return found;
}

Expr ok(Expr coordinate, Expr extent) { return 0 <= coordinate && coordinate < extent; }

}  // namespace selvage
