#include <selvage/base/check.h>
#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/index/laws.h>

#include <array>
#include <unordered_map>

namespace selvage {

namespace {

using Over = Law::Over;
constexpr auto kForward = Direction::Forward;
constexpr auto kBackward = Direction::Backward;
constexpr auto kBoth = std::optional<Direction>();

// clang-format off
constexpr Law kLaws[] = {
  // name        over               direction   premises             conclusion  when
  // A: a number and its last digit in bounds, so is the leading digit.
  {"theorem 1",  Over::Split,       kBoth,      "hi x, lo i",        "hi o",     "x <= o * i"},
  {"theorem 1",  Over::Split,       kBoth,      "lo x, hi i",        "lo o",     "true"},
  {"law A",      Over::Merge,       kBoth,      "hi x, lo i",        "hi o",     "x <= o * i"},
  {"law A",      Over::Merge,       kBoth,      "lo x, hi i",        "lo o",     "true"},
  // B: both digits in bounds, so is the number, if there are no more pairs of digits than numbers.
  {"law B",      Over::Split,       kBoth,      "lo o, lo i",        "lo x",     "true"},
  {"law B",      Over::Split,       kBoth,      "hi o, hi i",        "hi x",     "o * i <= x"},
  {"law B",      Over::Merge,       kBoth,      "lo o, lo i",        "lo x",     "true"},
  {"law B",      Over::Merge,       kBoth,      "hi o, hi i",        "hi x",     "o * i <= x"},
  // C: digits computed from a number: the last one is a remainder, the leading one rises with it.
  {"law C",      Over::Split,       kForward,   "",                  "lo i",     "true"},
  {"law C",      Over::Split,       kForward,   "",                  "hi i",     "true"},
  {"law C",      Over::Split,       kForward,   "lo x",              "lo o",     "true"},
  {"law C",      Over::Split,       kForward,   "hi x",              "hi o",     "x <= o * i"},
  {"law C",      Over::Split,       kForward,   "lo o",              "lo x",     "true"},
  {"law C",      Over::Split,       kForward,   "hi o",              "hi x",     "o * i <= x"},
  {"law C",      Over::Merge,       kBackward,  "",                  "lo i",     "true"},
  {"law C",      Over::Merge,       kBackward,  "",                  "hi i",     "true"},
  {"theorem 2",  Over::Merge,       kBackward,  "lo x",              "lo o",     "true"},
  {"theorem 2",  Over::Merge,       kBackward,  "hi x",              "hi o",     "x <= o * i"},
  {"theorem 2",  Over::Merge,       kBackward,  "lo o",              "lo x",     "true"},
  {"theorem 2",  Over::Merge,       kBackward,  "hi o",              "hi x",     "o * i <= x"},
  // D: a side that grows keeps what was in bounds there; one that shrinks, the other way round.
  {"theorem 3",  Over::Resize,      kBoth,      "lo a",              "lo b",     "0 <= L"},
  {"theorem 3",  Over::Resize,      kBoth,      "hi a",              "hi b",     "0 <= R"},
  {"law D",      Over::Resize,      kBoth,      "lo b",              "lo a",     "L <= 0"},
  {"law D",      Over::Resize,      kBoth,      "hi b",              "hi a",     "R <= 0"},
  // A skew grows by less than its modulus at one end, and moves no point further than that.
  {"law D",      Over::Skew,        kBoth,      "lo a",              "lo b",     "true"},
  {"law D",      Over::Skew,        kBoth,      "hi a",              "hi b",     "true"},
  // E: the first coordinate is kept, or its square is, of which the first extent has a whole number;
  // xor permutes blocks that the second extent is made of, and a cyclic shift and Hilbert's curve
  // compute a remainder.
  {"theorem 4",  Over::Swizzle,     kBoth,      "lo x",              "lo u",     "true"},
  {"theorem 4",  Over::Swizzle,     kBoth,      "hi x",              "hi u",     "true"},
  {"theorem 4",  Over::Swizzle,     kBoth,      "lo u",              "lo x",     "true"},
  {"theorem 4",  Over::Swizzle,     kBoth,      "hi u",              "hi x",     "true"},
  {"law E",      Over::Xor,         kBoth,      "lo u, lo v",        "lo y",     "true"},
  {"law E",      Over::Xor,         kBoth,      "lo u, hi u, hi v",  "hi y",     "true"},
  {"law E",      Over::Xor,         kBoth,      "lo x, lo y",        "lo v",     "true"},
  {"law E",      Over::Xor,         kBoth,      "lo x, hi x, hi y",  "hi v",     "true"},
  {"law E",      Over::CyclicShift, kBackward,  "",                  "lo y",     "true"},
  {"law E",      Over::CyclicShift, kBackward,  "",                  "hi y",     "true"},
  {"law E",      Over::CyclicShift, kForward,   "",                  "lo v",     "true"},
  {"law E",      Over::CyclicShift, kForward,   "",                  "hi v",     "true"},
  // R: rows of different lengths. The row that is searched for a position is one of the rows,
  // whatever the position is, because only the offsets between the first and the last are looked
  // at; and the position is in bounds exactly if the item is in bounds in that row.
  {"law R",      Over::Rows,        kBackward,  "",                  "lo o",     "true"},
  {"law R",      Over::Rows,        kBackward,  "",                  "hi o",     "true"},
  {"law R",      Over::Rows,        kBackward,  "lo x",              "lo i",     "true"},
  {"law R",      Over::Rows,        kBackward,  "hi x",              "hi i",     "true"},
  {"law R",      Over::Rows,        kBoth,      "lo i",              "lo x",     "true"},
  {"law R",      Over::Rows,        kBoth,      "hi i",              "hi x",     "true"},
  // G: the positions of one group of rows. Only rows that there are, of that group if there is one,
  // are looked at; a group that there is none of has no positions.
  {"law G",      Over::Groups,      kBackward,  "",                  "lo r",     "true"},
  {"law G",      Over::Groups,      kBackward,  "",                  "hi r",     "true"},
  {"law G",      Over::Groups,      kBackward,  "hi t",              "lo o",     "true"},
  {"law G",      Over::Groups,      kBackward,  "lo t",              "hi o",     "true"},
  {"law G",      Over::Groups,      kBackward,  "lo x, hi t",        "lo i",     "true"},
  {"law G",      Over::Groups,      kBackward,  "hi x",              "hi i",     "true"},
  {"law G",      Over::Groups,      kBackward,  "lo i",              "lo x",     "true"},
  {"law G",      Over::Groups,      kBoth,      "lo o, lo i, hi i",  "lo x",     "true"},
  {"law G",      Over::Groups,      kBoth,      "lo o, hi o, hi i",  "hi x",     "true"},
};
// clang-format on

// The names that a law may use, each a role of an iterdomain or a side of a resize.
constexpr std::string_view kRoles[] = {"x", "o", "i", "t", "r", "a", "b", "y", "u", "v", "L", "R"};
constexpr std::size_t kRoleCount = std::size(kRoles);

std::size_t role(std::string_view name) {
  for (std::size_t i = 0; i < kRoleCount; ++i) {
    if (kRoles[i] == name) return i;
  }
  SELVAGE_CHECK(!"a role");
  return 0;
}

struct RoleBound {
  std::size_t role;
  Half half;
};
RoleBound read_bound(std::string_view text) {
  return {role(text.substr(3)), text.substr(0, 2) == "lo" ? Half::Lo : Half::Hi};
}

// A law, parsed.
struct ReadLaw {
  const Law* law;
  std::vector<RoleBound> premises;
  RoleBound conclusion;
  Expr when;
};

ExprPool& law_pool() {
  static ExprPool pool;
  return pool;
}

const std::vector<ReadLaw>& read_laws() {
  static const auto table = [] {
    std::vector<ReadLaw> read;
    for (const Law& law : kLaws) {
      ReadLaw r{&law, {}, read_bound(law.conclusion), parse_expr(law_pool(), law.when)};
      for (std::string_view rest = law.premises; !rest.empty();) {
        r.premises.push_back(read_bound(rest.substr(0, 4)));
        rest.remove_prefix(rest.size() > 4 ? 6 : 4);
      }
      read.push_back(std::move(r));
    }
    return read;
  }();
  return table;
}

bool speaks_of(const Law& law, const Transform& t, const DomainGraph& graph) {
  switch (law.over) {
    case Over::Split: return std::holds_alternative<Split>(t);
    case Over::Merge:
    case Over::Rows:
    case Over::Groups: {
      const auto* m = std::get_if<Merge>(&t);
      if (m == nullptr) return false;
      return law.over == (m->group                       ? Over::Groups
                          : graph.rows_of(*m) != nullptr ? Over::Rows
                                                         : Over::Merge);
    }
    case Over::Resize: return std::holds_alternative<Resize>(t);
    case Over::Swizzle: return std::holds_alternative<Swizzle>(t);
    case Over::Xor:
    case Over::CyclicShift: {
      const auto* s = std::get_if<Swizzle>(&t);
      return s != nullptr && (s->kind == SwizzleKind::Xor) == (law.over == Over::Xor);
    }
    case Over::Skew: return std::holds_alternative<Skew>(t);
  }
  return false;
}

struct Cast {
  std::array<std::optional<DomainId>, kRoleCount> domains;
  std::array<Expr, kRoleCount> sides;  // L and R
};

Cast cast_roles(const Transform& t, const DomainGraph& graph) {
  Cast cast;
  const auto play = [&](std::string_view name, DomainId d) { cast.domains[role(name)] = d; };
  std::visit(
      overloaded{[&](const Split& s) { play("x", s.in), play("o", s.outer), play("i", s.inner); },
                 [&](const Merge& m) {
                   play("x", m.out), play("o", m.outer), play("i", m.inner);
                   if (m.group) play("t", *m.group), play("r", graph[m.inner].ragged->row);
                 },
                 [&](const Resize& r) {
                   play("a", r.in), play("b", r.out);
                   cast.sides[role("L")] = r.left;
                   cast.sides[role("R")] = r.right;
                 },
                 [&](const Swizzle& s) {
                   play("x", s.in_x), play("y", s.in_y), play("u", s.out_x), play("v", s.out_y);
                 },
                 [&](const Skew& s) { play("a", s.in), play("b", s.out); }},
      t);
  return cast;
}

// The condition with the transform's own extents in the roles' places.
Expr instantiate(Expr e, const DomainGraph& graph, const Cast& cast) {
  ExprPool& pool = graph.pool();
  if (e.is(Op::Symbol)) {
    const std::size_t r = role(e.name());
    return cast.domains[r] ? graph[*cast.domains[r]].extent : cast.sides[r];
  }
  if (e.is(Op::Const)) return pool.constant(e.value());
  if (e.is(Op::Bool)) return pool.truth(e.value() != 0);
  std::vector<Expr> args;
  for (Expr a : e.args()) args.push_back(instantiate(a, graph, cast));
  return pool.make(e.op(), args);
}

bool is_met(Expr condition, Simplifier& simplifier) {
  // Constants are compared in 128 bits: a product of two extents may pass 64.
  const auto number = [](Expr e) -> std::optional<__int128> {
    if (e.is(Op::Const)) return e.value();
    if (e.is(Op::Mul) && e[0].is(Op::Const) && e[1].is(Op::Const)) {
      return __int128(e[0].value()) * e[1].value();
    }
    return std::nullopt;
  };
  if (condition.is(Op::Le)) {
    const auto a = number(condition[0]), b = number(condition[1]);
    if (a && b) return *a <= *b;
  }
  return simplifier.proves(condition);
}

}  // namespace

std::span<const Law> laws() { return kLaws; }

std::vector<Implication> implications(const DomainGraph& graph, const Path& path,
                                      Simplifier& simplifier) {
  std::unordered_map<std::uint32_t, std::size_t> variable;
  for (std::size_t i = 0; i < path.domains.size(); ++i) {
    variable[std::uint32_t(path.domains[i])] = i;
  }
  std::vector<Implication> out;
  for (std::size_t s = 0; s < path.steps.size(); ++s) {
    const Transform& t = graph[path.steps[s].transform];
    const Cast cast = cast_roles(t, graph);
    const auto bound = [&](RoleBound b) {
      return bound_id(variable.at(std::uint32_t(*cast.domains[b.role])), b.half);
    };
    for (const ReadLaw& law : read_laws()) {
      if (!speaks_of(*law.law, t, graph)) continue;
      if (law.law->direction && *law.law->direction != path.steps[s].direction) continue;
      // A path that ends at the row of the group does not name the row itself.
      if (!variable.contains(std::uint32_t(*cast.domains[law.conclusion.role]))) continue;
      if (!law.when.is_true() && !is_met(instantiate(law.when, graph, cast), simplifier)) continue;
      Implication implication{law.law, s, {}, bound(law.conclusion)};
      for (RoleBound b : law.premises) implication.premises.push_back(bound(b));
      out.push_back(std::move(implication));
    }
  }
  return out;
}

LawClosure::LawClosure(std::span<const Implication> implications, std::size_t variables)
    : implications_(implications),
      watchers_(2 * variables),
      holds_(2 * variables, 0),
      reasons_(2 * variables, nullptr) {
  for (std::uint32_t i = 0; i < implications.size(); ++i) {
    missing_.push_back(std::uint32_t(implications[i].premises.size()));
    if (implications[i].premises.empty()) free_.push_back(i);
    for (BoundId b : implications[i].premises) watchers_[b].push_back(i);
  }
}

void LawClosure::add(std::span<const BoundId> bounds) {
  std::vector<BoundId> open;
  const auto learn = [&](BoundId b, const Implication* reason) {
    if (holds_[b]) return;
    holds_[b] = 1;
    reasons_[b] = reason;
    open.push_back(b);
  };
  for (BoundId b : bounds) learn(b, nullptr);
  for (std::uint32_t i : free_) learn(implications_[i].conclusion, &implications_[i]);
  free_.clear();
  while (!open.empty()) {
    const BoundId b = open.back();
    open.pop_back();
    for (std::uint32_t i : watchers_[b]) {
      if (--missing_[i] == 0) learn(implications_[i].conclusion, &implications_[i]);
    }
  }
}

}  // namespace selvage
