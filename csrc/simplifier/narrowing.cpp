#include <selvage/base/work.h>
#include <selvage/simplifier/narrowing.h>

namespace selvage {

namespace {

constexpr std::size_t kMostAtoms = 200;  // atoms past these are not tied to operands

}  // namespace

Relations::Variable Narrowing::atom(Expr e) {
  for (std::size_t i = 0; i < atoms_.size(); ++i) {
    if (same(atoms_[i], e)) return Relations::Variable(i);
  }
  atoms_.push_back(e);
  const Relations::Variable made = relations_.add_variable(range_(e));
  const bool divides = (e.is(Op::Div) || e.is(Op::Mod)) && e[1].is(Op::Const) && e[1].value() > 0 &&
                       atoms_.size() <= kMostAtoms;
  follows_.push_back(divides);
  if (divides) {
    const LinearSum operand = to_linear_or_atom(e[0]);
    const std::vector<Relations::Part> of = parts(operand);
    if (e.is(Op::Div)) {
      relations_.add_quotient(made, of, operand.constant, e[1].value());
    } else {
      relations_.add_remainder(made, of, operand.constant, e[1].value());
    }
  }
  return made;
}

std::vector<Relations::Part> Narrowing::parts(const LinearSum& sum) {
  std::vector<Relations::Part> list;
  for (const auto& t : sum.terms) list.push_back({atom(t.monomial), t.coefficient});
  return list;
}

void Narrowing::add(const LinearSum& sum) {
  relations_.add_sum(parts(sum), sum.constant, {0, Interval::kInfinity});
}

bool Narrowing::is_empty(int boxes, std::uint64_t last_work) {
  constexpr std::uint64_t kWorkOfAStep = 8;
  const auto charge = [&](std::uint64_t steps) {
    count_work(kWorkOfAStep * steps);
    return --boxes >= 0 && work_done < last_work;
  };
  // Halves the narrowest range among atoms that are open and not tied to an operand.
  const auto pick = [&](const IntervalBox& box) -> Halving {
    Halving next{Halving::Kind::Stuck};
    std::uint64_t least = UINT64_MAX;
    for (Relations::Variable v = 0; v < atoms_.size(); ++v) {
      const Interval range = box[v];
      if (follows_[v] || range.is_point()) continue;
      if (!range.has_lo() || !range.has_hi()) return {Halving::Kind::Stuck};
      const std::uint64_t width = std::uint64_t(range.hi) - std::uint64_t(range.lo);
      if (width < least) {
        next = {Halving::Kind::Variable, v};
        least = width;
      }
    }
    return next;
  };
  IntervalBox box(relations_);
  if (!charge(0)) return false;
  const bool is_left = box.propagate();
  charge(box.steps());
  return !is_left ||
         search(
             box, pick, [](const IntervalBox&) { return true; }, charge) == Answer::None;
}

}  // namespace selvage
