#include <selvage/base/integer.h>
#include <selvage/simplifier/parts.h>
#include <selvage/simplifier/sampler.h>

namespace selvage {

namespace {

constexpr int kProbes = 200;
constexpr std::int64_t kSpread = 64;

}  // namespace

Verdicts::Verdicts(SimplifierParts& parts)
    : SimplifierPart(parts),
      prover_(parts.prover),
      normalizer_(parts.normalizer),
      rules_(parts.rules),
      recomposition_(parts.recomposition),
      comparisons_(parts.comparisons),
      writer_(parts.writer) {}

bool Verdicts::proves(Expr condition) {
  if (condition.depth() > Simplifier::kDeepest) return false;
  normalizer_.normalize_parts(condition);
  if (condition.is(Op::And)) return proves(condition[0]) && proves(condition[1]);
  if (condition.is(Op::Eq)) {
    // Congruences first: the rules that would simplify this condition ask for it themselves.
    const Congruence a = bounds_.congruence(condition[0]), b = bounds_.congruence(condition[1]);
    if (a.is_point() && b.is_point()) return a.residue == b.residue;
  }
  if (!condition.is(Op::Lt) && !condition.is(Op::Le)) {
    return normalizer_.normalize(condition).is_true();
  }
  // Intervals settle most questions without a single new node.
  const bool strict = condition.is(Op::Lt);
  const Interval lesser = interval(condition[0]), greater = interval(condition[1]);
  if (const auto known = order(lesser, greater, strict)) return *known;
  auto room = normalizer_.difference(condition[1], condition[0]);
  if (room && strict) {
    const auto constant = checked_sub(room->constant, 1);
    if (!constant) return false;
    room->constant = *constant;
  }
  if (!room) return false;
  recomposition_.recompose_all(*room);
  return prover_.nonnegative(*room) || prover_.no_point_denies(*room);
}

bool Verdicts::proves_nonnegative(Expr e) {
  if (e.depth() > Simplifier::kDeepest) return false;
  normalizer_.normalize_parts(e);
  return interval(e).lo >= 0 || prover_.nonnegative(LinearSum(normalizer_.linear(e)));
}

// Proves every comparison of a conjunction by the search of narrowing.h: exact where extents are
// numbers and the budget of boxes lasts.
bool Verdicts::proves_by_narrowing(Expr condition) {
  constexpr int kBoxes = 2000;
  if (condition.is(Op::And)) {
    return proves_by_narrowing(condition[0]) && proves_by_narrowing(condition[1]);
  }
  const auto difference = comparisons_.difference_of(condition);
  const auto denied = difference ? negation(*difference) : std::nullopt;
  if (!denied || prover_.is_refuted(*difference)) return false;
  Narrowing narrowing = prover_.points_of(*denied);
  const auto add = [&](Expr e) { narrowing.add(sum_of(normalizer_.normalize(e))); };
  for (const Facts::Symbol& s : facts_.symbols()) {
    // Bounds that depend on outer loops.
    if (s.lo.valid() && !s.lo.is(Op::Const)) add(s.symbol - s.lo);
    if (s.hi.valid() && !s.hi.is(Op::Const)) add(s.hi - s.symbol);
  }
  return narrowing.is_empty(kBoxes, budget_.work_end());
}

Verdict Verdicts::prove(Expr condition) {
  const std::vector<std::uint64_t> before = rules_.hits();
  const Expr residue = normalizer_.normal_form(condition);
  const bool narrowed = !residue.is_true() && proves_by_narrowing(residue);
  if (residue.is_true() || narrowed) {
    Proved proved;
    if (narrowed) proved.rules.emplace_back("narrowing");
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (rules_.hits()[i] > before[i]) proved.rules.emplace_back(all_rules()[i].name);
    }
    return proved;
  }

  // All symbols are roots, so that the point gives each of them a value.
  std::vector<Expr> roots = {condition};
  for (const Facts::Symbol& s : facts_.symbols()) roots.push_back(s.symbol);
  Sampler sampler(facts_, roots);
  for (int probe = 0; probe < kProbes; ++probe) {
    if (sampler.draw(kSpread) && sampler.root(0) == 0) return Refuted{sampler.point()};
  }
  // Neither proved nor refuted.
  wanted_.push_back(writer_.write(residue));
  return Unknown{wanted_.back()};
}

}  // namespace selvage
