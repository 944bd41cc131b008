#include <selvage/simplifier/narrowing.h>
#include <selvage/simplifier/sampler.h>
#include <selvage/simplifier/simplifier.h>

namespace selvage {

namespace {

constexpr int kProbes = 200;
constexpr std::int64_t kSpread = 64;

}  // namespace

// Every comparison of a conjunction, by the search of narrowing.h: exact where extents are numbers
// and the budget of boxes lasts.
bool Simplifier::proves_by_narrowing(Expr condition) {
  constexpr int kBoxes = 2000;
  if (condition.is(Op::And)) {
    return proves_by_narrowing(condition[0]) && proves_by_narrowing(condition[1]);
  }
  const auto difference = difference_of(condition);
  const auto denied = difference ? negation(*difference) : std::nullopt;
  if (!denied || is_refuted(*difference)) return false;
  Narrowing narrowing([this](Expr e) { return interval(e); });
  narrowing.add(*denied);
  for (const LinearSum& known : known_nonnegative_) narrowing.add(known);
  for (const Facts::Symbol& s : facts_.symbols()) {
    // Ranges that depend on outer loops.
    if (s.lo.valid() && !s.lo.is(Op::Const)) narrowing.add(sum_of(normalize(s.symbol - s.lo)));
    if (s.hi.valid() && !s.hi.is(Op::Const)) narrowing.add(sum_of(normalize(s.hi - s.symbol)));
  }
  return narrowing.is_empty(kBoxes, work_end_);
}

Verdict Simplifier::prove(Expr condition) {
  if (condition.depth() > kDeepest) return Unknown{condition};
  const Question question(*this, condition);
  const std::vector<std::uint64_t> before = hits_;
  normalize_parts(condition);
  const Expr residue = normalize(condition);
  const bool narrowed = !residue.is_true() && proves_by_narrowing(residue);
  if (residue.is_true() || narrowed) {
    Proved proved;
    if (narrowed) proved.rules.emplace_back("narrowing");
    for (std::size_t i = 0; i < hits_.size(); ++i) {
      if (hits_[i] > before[i]) proved.rules.emplace_back(all_rules()[i].name);
    }
    return proved;
  }

  // The point is to give every symbol a value.
  std::vector<Expr> roots = {condition};
  for (const Facts::Symbol& s : facts_.symbols()) roots.push_back(s.symbol);
  Sampler sampler(facts_, roots);
  for (int probe = 0; probe < kProbes; ++probe) {
    if (sampler.draw(kSpread) && sampler.root(0) == 0) return Refuted{sampler.point()};
  }
  // No rule says that it holds, and no point that it fails.
  wanted_.push_back(write(residue));
  return Unknown{wanted_.back()};
}

}  // namespace selvage
