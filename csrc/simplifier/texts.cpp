// What stands in the answer, part by part. A part of the question is written from its normal form,
// or stays as it is with the texts of its own parts in it, whichever is cheaper and needs no wider
// integer: so what cannot be rewritten takes nothing else with it, and no part gets dearer.

#include <selvage/expr/apply.h>
#include <selvage/simplifier/simplifier.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace selvage {

Simplifier::Share::Share(Simplifier& s, std::size_t others) : simplifier_(s) {
  // Two parts of what is left for this one, one for each of the others.
  const auto mine = [&](auto left) { return left / decltype(left)(others + 2) * 2; };
  const std::uint64_t work = s.has_work_left() ? s.work_end_ - work_done : 0;
  work_end_ = std::exchange(s.work_end_, others == 0 ? s.work_end_ : work_done + mine(work));
  steps_kept_ = others == 0 ? 0 : s.steps_ - mine(s.steps_);
  proof_steps_kept_ = others == 0 ? 0 : s.proof_steps_ - mine(s.proof_steps_);
  s.steps_ -= steps_kept_;
  s.proof_steps_ -= proof_steps_kept_;
}

Simplifier::Share::~Share() {
  simplifier_.share_ran_out_ = simplifier_.has_run_out();
  simplifier_.work_end_ = work_end_;
  simplifier_.steps_ += steps_kept_;
  simplifier_.proof_steps_ += proof_steps_kept_;
}

const Simplifier::AsWritten& Simplifier::as_written(Expr e) {
  std::optional<AsWritten>& memo = known_[e].as_written;
  if (memo) return *memo;
  if (e.is(Op::Let) || e.depth() > kDeep) {
    ask_below(
        e, [this](Expr n) { return known_[n].as_written.has_value(); },
        [this](Expr n) { as_written(n); });
  }
  const bool is_opaque = e.is(Op::Symbol) || e.is(Op::Load) || e.is(Op::Call);
  Interval operands[3];
  Width width = Width::Int32;
  for (std::size_t i = 0; i < e.args().size(); ++i) {
    const AsWritten& operand = as_written(e[i]);
    if (!is_opaque) operands[i] = operand.range;
    width = std::max(width, operand.width);
  }
  const bool is_leaf = e.is(Op::Const) || e.is(Op::Bool);
  const Interval range = is_leaf ? Interval::point(e.value())
                         : is_opaque
                             ? interval(e)
                             : selvage::apply(e.op(), operands[0], operands[1], operands[2]);
  return memo.emplace(AsWritten{range, std::max(width, width_of(range))});
}

// As cheap at least, and no intermediate needs a wider integer. (What a sum multiplied out needs,
// the factored one may not: c + 67108864*(x - 32).)
bool Simplifier::is_better(Expr text, Expr than) {
  if (cost(text) > cost(than)) return false;
  const Width needed = as_written(text).width;
  return needed == Width::Int32 || needed <= as_written(than).width;
}

// Writing may leave what normalizing takes further, so the two are repeated while that makes the
// text cheaper, or as cheap: then, of texts that lead to each other, the first in canonical order.
// A text that was taken from the question counts as written for the rest of its round only: the
// next one sees the answer as if it were asked anew, and so ends where asking again would.
Expr Simplifier::simplify(Expr e) {
  constexpr int kMostRounds = 4;  // that run out of steps
  if (e.depth() > kDeepest) return e;
  const Question question(*this, e);
  Expr best = e;
  std::vector<Expr> equals;  // texts of one cost, each leading to the next
  bool all_steps = true;     // were there when the round began
  for (int round = 0;; ++round) {
    work_to_write_ = 200'000;
    steps_to_write_ = 500;
    const Expr next = text_of(best);
    const bool no_work = !has_work_left();
    const bool ran_out = has_run_out();
    if (questions_ == 1) ran_out_ = ran_out;
    if (ran_out && questions_ == 1 && !no_work) {
      start_again(all_steps ? next : best);
      if (!std::exchange(all_steps, true)) continue;
    } else {
      all_steps = false;
    }
    if (same(next, best) || !is_better(next, best)) return best;
    if (ran_out && (round == kMostRounds || questions_ > 1 || no_work)) return next;
    if (cost(next) < cost(best)) equals.clear();
    const auto seen =
        std::find_if(equals.begin(), equals.end(), [&](Expr s) { return same(s, next); });
    if (seen != equals.end()) return *std::min_element(seen, equals.end(), structurally_before);
    equals.push_back(next);
    best = next;
    if (any_replaced_ && questions_ == 1) forget_texts();
  }
}

Expr Simplifier::text_of(Expr e) {
  if (e.args().empty() || e.is(Op::Let)) return normalize(e);
  if (const Expr known = known_[e].text; known.valid()) return known;
  if (e.is(Op::And)) rebuilt(e);  // no conjunct is to be starved by the others
  normalize_parts(e);
  const Expr normal = normalize(e);
  if (normal.args().empty()) return known_[e].text = normal;
  const Expr written = known_[normal].written;
  // Beside a product that would overflow, multiplied out, a sum is not written to the end.
  if (written.valid() && same(written, e) && !has_kept_) return known_[e].text = e;
  if (e.depth() > kDeep) find_texts_below(e);
  const Expr text = cheapest(e, normal, rebuilt(e));
  return known_[e].text = text;
}

// As normalize_parts().
void Simplifier::find_texts_below(Expr e) {
  const auto is_known = [this](Expr part) {
    return part.args().empty() || part.is(Op::Let) || known_[part].text.valid();
  };
  for (Expr part : unknown_below(e, is_known)) {
    if (same(part, e) || part.is(Op::And)) continue;
    if (is_sum(part)) {
      rebuilt(part);
    } else {
      text_of(part);
    }
  }
}

Expr Simplifier::cheapest(Expr e, Expr normal, Expr with_texts) {
  const Expr written = write_to_the_end(normal);
  Expr text = e;
  if (is_better(written, e)) {
    if (cost(written) <= cost(with_texts) || !is_better(with_texts, written)) return written;
    text = with_texts;
  } else if (is_better(with_texts, e)) {
    text = with_texts;
  }
  constexpr std::uint32_t kLarge = 200;  // past it the sums of the first terms are too many
  if (is_sum(e) && e.size() <= kLarge && has_work_left()) {
    // Its terms do not go together: each by itself.
    const Expr terms = pool().make(e.op(), text_of(e[0]), text_of(e[1]));
    if (cost(terms) < cost(text) && is_better(terms, text)) text = terms;
  }
  // Where the same comes again it is written so, too.
  any_replaced_ = any_replaced_ || (!same(text, written) && !same(text, e));
  return known_[normal].written = text;
}

// What is not all proved is still written well.
Expr Simplifier::write_to_the_end(Expr normal) {
  if (has_work_left() && steps_ > 0) {
    write_parts(normal);
    return write(normal);
  }
  const std::uint64_t work_end = std::exchange(work_end_, work_done + work_to_write_);
  const std::int64_t steps = std::exchange(steps_, steps_to_write_);
  write_parts(normal);
  const Expr text = write(normal);
  work_to_write_ = has_work_left() ? work_end_ - work_done : 0;
  steps_to_write_ = std::max<std::int64_t>(steps_, 0);
  work_end_ = work_end;
  steps_ = steps;
  return text;
}

// e with the texts of its parts. A sum keeps its shape, whatever it is a sum of.
Expr Simplifier::rebuilt(Expr e) {
  if (const Expr known = known_[e].rebuilt; known.valid()) return known;
  if (e.is(Op::And)) return known_[e].rebuilt = rebuilt_conjunction(e);
  std::vector<Expr> operands;
  for (Expr a : e.args()) {
    const bool is_inner = is_sum(e) && is_sum(a);
    operands.push_back(is_inner ? rebuilt(a) : text_of(a));
  }
  return known_[e].rebuilt = with_operands(e, operands);
}

// A conjunction is a set, whatever becomes of its members.
Expr Simplifier::rebuilt_conjunction(Expr e) {
  std::vector<Expr> conjuncts;
  std::unordered_set<std::uint32_t> seen;
  for (std::vector<Expr> open = {e}; !open.empty();) {
    const Expr c = open.back();
    open.pop_back();
    if (c.is(Op::And)) {
      open.push_back(c[1]);
      open.push_back(c[0]);
    } else if (seen.insert(c.id()).second) {
      conjuncts.push_back(c);
    }
  }
  Expr all;
  std::unordered_set<std::uint32_t> texts;
  for (std::size_t i = 0; i < conjuncts.size(); ++i) {
    Expr text;
    {
      const Share share(*this, conjuncts.size() - i);  // the last: of the conjunction as a whole
      text = text_of(conjuncts[i]);
    }
    if (text.is_false()) return text;
    if (text.is_true() || !texts.insert(text.id()).second) continue;
    all = all.valid() ? all && text : text;
  }
  return all.valid() ? all : pool().truth(true);
}

}  // namespace selvage
