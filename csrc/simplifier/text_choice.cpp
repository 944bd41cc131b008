#include <selvage/expr/apply.h>
#include <selvage/simplifier/parts.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace selvage {

TextChoice::TextChoice(SimplifierParts& parts)
    : SimplifierPart(parts), parts_(parts), normalizer_(parts.normalizer), writer_(parts.writer) {}

void TextChoice::forget() {
  known_.each([](Known& k) { k.text = k.rebuilt = {}; });
}

const TextChoice::AsWritten& TextChoice::as_written(Expr e) {
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

// Whether `text` costs no more than `than` and needs no wider integer. (A sum multiplied out may
// need one where the factored sum does not: c + 67108864*(x - 32).)
bool TextChoice::is_better(Expr text, Expr than) {
  if (cost(text) > cost(than)) return false;
  const Width needed = as_written(text).width;
  return needed == Width::Int32 || needed <= as_written(than).width;
}

// Normalizing may simplify a written text further, so the two are repeated while the text gets no
// more expensive. Of texts of one cost that lead to each other the first in canonical order is
// taken. A text from the question replaces that of a normal form for one round only: the next round
// sees the answer as a new question, and so ends where simplifying it again would.
Expr TextChoice::simplify(Expr e) {
  constexpr int kMostRounds = 4;  // rounds that may run out of steps
  Expr best = e;
  std::vector<Expr> equals;  // texts of one cost, each leading to the next
  bool all_steps = true;     // were left when the round began
  for (int round = 0;; ++round) {
    budget_.keep_to_write();
    const Expr next = text_of(best);
    const bool no_work = !budget_.has_work_left();
    ran_out_ = budget_.has_run_out();
    if (ran_out_ && !no_work) {
      // Answers after the steps ran out may be incomplete: forget them, and go on as a new
      // simplifier would.
      parts_.forget_answers();
      budget_.grant_steps(all_steps ? next : best);
      if (!std::exchange(all_steps, true)) continue;
    } else {
      all_steps = false;
    }
    if (same(next, best) || !is_better(next, best)) return best;
    if (ran_out_ && (round == kMostRounds || no_work)) return next;
    if (cost(next) < cost(best)) equals.clear();
    const auto seen =
        std::find_if(equals.begin(), equals.end(), [&](Expr s) { return same(s, next); });
    if (seen != equals.end()) return *std::min_element(seen, equals.end(), structurally_before);
    equals.push_back(next);
    best = next;
    if (any_replaced_) {
      writer_.forget();
      forget();
      any_replaced_ = false;
    }
  }
}

Expr TextChoice::text_of(Expr e) {
  if (e.args().empty() || e.is(Op::Let)) return normalizer_.normalize(e);
  if (const Expr known = known_[e].text; known.valid()) return known;
  if (e.is(Op::And)) rebuilt(e);  // no conjunct is to be starved by the others
  const Expr normal = normalizer_.normal_form(e);
  if (normal.args().empty()) return known_[e].text = normal;
  const Expr written = writer_.written(normal);
  // With a product that would overflow when multiplied out, a written text may not be final.
  if (written.valid() && same(written, e) && !normalizer_.has_kept()) return known_[e].text = e;
  if (e.depth() > kDeep) find_texts_below(e);
  const Expr text = cheapest(e, normal, rebuilt(e));
  return known_[e].text = text;
}

// Chooses the texts below a deep e bottom-up, as Normalizer::normalize_parts() does.
void TextChoice::find_texts_below(Expr e) {
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

Expr TextChoice::cheapest(Expr e, Expr normal, Expr with_texts) {
  // If the budget has run out, the text is written from the reserve.
  const Expr written = budget_.with_kept([&] {
    writer_.write_parts(normal);
    return writer_.write(normal);
  });
  Expr text = e;
  if (is_better(written, e)) {
    if (cost(written) <= cost(with_texts) || !is_better(with_texts, written)) return written;
    text = with_texts;
  } else if (is_better(with_texts, e)) {
    text = with_texts;
  }
  constexpr std::uint32_t kLarge = 200;  // a larger sum has too many partial sums
  if (is_sum(e) && e.size() <= kLarge && budget_.has_work_left()) {
    // The operands, each simplified by itself.
    const Expr terms = pool_.make(e.op(), text_of(e[0]), text_of(e[1]));
    if (cost(terms) < cost(text) && is_better(terms, text)) text = terms;
  }
  // The same normal form gets this text wherever it occurs again.
  any_replaced_ = any_replaced_ || (!same(text, written) && !same(text, e));
  return writer_.written(normal) = text;
}

// e with the texts of its operands; a sum with those of its terms, so that it keeps its shape.
Expr TextChoice::rebuilt(Expr e) {
  if (const Expr known = known_[e].rebuilt; known.valid()) return known;
  if (e.is(Op::And)) return known_[e].rebuilt = rebuilt_conjunction(e);
  std::vector<Expr> operands;
  for (Expr a : e.args()) {
    const bool is_inner = is_sum(e) && is_sum(a);
    operands.push_back(is_inner ? rebuilt(a) : text_of(a));
  }
  return known_[e].rebuilt = with_operands(e, operands);
}

// The conjunction of the texts of its conjuncts, each text once.
Expr TextChoice::rebuilt_conjunction(Expr e) {
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
    // The others are the conjuncts to come, and the conjunction as a whole.
    const Expr text =
        budget_.with_share(conjuncts.size() - i, [&] { return text_of(conjuncts[i]); });
    if (text.is_false()) return text;
    if (text.is_true() || !texts.insert(text.id()).second) continue;
    all = all.valid() ? all && text : text;
  }
  return all.valid() ? all : pool_.truth(true);
}

}  // namespace selvage
