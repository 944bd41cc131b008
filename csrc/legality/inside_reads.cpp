#include <selvage/expr/conjuncts.h>
#include <selvage/expr/symbols.h>
#include <selvage/expr/tape.h>
#include <selvage/ir/fold.h>
#include <selvage/ir/reads.h>
#include <selvage/legality/inside_reads.h>
#include <selvage/legality/item_indices.h>

#include <algorithm>
#include <set>

namespace selvage {

namespace {

// What a body of its own costs, a test and its text, is worth as many modes and tests of reads.
constexpr std::int64_t kLeastSaved = 4;

bool has_let(Expr e) {
  return std::ranges::any_of(reachable(std::span(&e, 1), true),
                             [](Expr inner) { return inner.is(Op::Let); });
}

class Inside {
 public:
  Inside(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& nest)
      : fusion_(fusion), schedule_(schedule), nest_(nest) {
    for (std::size_t i = 0; i < nest.loops.size(); ++i) {
      (is_block(parallel(i)) ? blocks_ : inner_).push_back(nest.variables[i]);
    }
  }

  std::optional<InsideReads> of(std::span<const Access> reads) {
    if (blocks_.empty()) return std::nullopt;
    InsideReads inside;
    std::int64_t saved = 0;
    for (const Access& read : reads) {
      const std::size_t before = inside.claims.size();
      if (!add_claims(read, inside.claims)) return std::nullopt;
      const std::int64_t own = std::int64_t(read.modes.size()) + (read.condition.valid() ? 1 : 0);
      if (inside.claims.size() > before) saved += own * iterations();
    }
    if (inside.claims.empty()) return std::nullopt;
    const ItemIndices items = item_indices(fusion_, schedule_, nest_, inner_);
    Simplifier ranges(items.facts);
    const Expr all = ranges.simplify(substitute(all_of(inside.claims), items.loops));
    inside.hoisted = hoist(all, items.variables, ranges);
    const Expr condition = inside.hoisted.condition;
    if (condition.is_false() || condition.is_true() || has_let(condition)) return std::nullopt;
    // One that is written out point by point is no test of a block.
    const std::size_t parts = conjuncts_of(condition).size();
    if (parts > conjuncts_of(all).size() || is_never(condition)) return std::nullopt;
    inside.blocks = share_of(condition, blocks_, extents_of(blocks_));
    const bool are_many = !inside.blocks || inside.blocks->taken >= (inside.blocks->of + 1) / 2;
    inside.pays = saved >= kLeastSaved && are_many && can_have_body();
    return inside;
  }

  std::optional<Share> points(const std::vector<Expr>& claims) const {
    std::vector<Expr> items, folded;
    for (std::size_t i = 0; i < nest_.loops.size(); ++i) {
      const bool is_folded =
          schedule_.is_folded(nest_.tensor, nest_.loops[i]) && !is_scan(fusion_[nest_.tensor]);
      (is_folded ? folded : items).push_back(nest_.variables[i]);
    }
    const Hoisted inside = hoist(all_of(claims), folded, *nest_.ranges);
    if (!inside.exact) return std::nullopt;
    std::vector<Expr> valid;
    for (const KeptPredicate& kept : nest_.predicates.kept) {
      const std::vector<Expr> used = symbols_of(kept.condition);
      const auto is_used = [&](Expr v) { return contains(used, v); };
      if (std::ranges::none_of(folded, is_used)) valid.push_back(kept.condition);
    }
    const std::optional<Share> of = share_of(all_of(valid), items, extents_of(items));
    valid.push_back(inside.condition);
    const std::optional<Share> taken = share_of(all_of(valid), items, extents_of(items));
    if (!of || !taken) return std::nullopt;
    return Share{taken->taken, of->taken};
  }

 private:
  ParallelType parallel(std::size_t loop) const {
    return schedule_.parallel(nest_.tensor, nest_.loops[loop]);
  }

  // Whether the nest can be written twice inside the loops of its blocks: these stand outermost,
  // and what is folded has one number as its state.
  bool can_have_body() const {
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      if (!is_block(parallel(i))) return false;
    }
    const std::optional<Fold>& fold = fusion_[nest_.tensor].fold;
    return !fold || (!is_scan(fusion_[nest_.tensor]) && components(*fold).size() == 1);
  }

  // False where the read is at a number that is loaded, or at a row that is: what is known of that
  // is no matter of blocks.
  bool add_claims(const Access& read, std::vector<Expr>& claims) const {
    const std::vector<DomainId>& axes = fusion_[read.tensor].logical;
    const auto add = [&](Expr claim) {
      if (!contains(claims, claim)) claims.push_back(claim);
    };
    for (const Access::Mode& m : read.modes) {
      if (m.form == RemapForm::None) continue;
      const Expr extent = schedule_.graph()[axes[m.axis.axis]].extent;
      add(without_limits(ok(m.axis.of, extent)));
    }
    if (read.condition.valid()) add(without_limits(read.condition));
    std::vector<Expr> loaded = read.loaded;
    for (const RowNumber& number : nest_.rows) {
      const RaggedRows& rows = schedule_.graph()[number.rows];
      loaded.insert(loaded.end(), {rows.row, rows.begin, rows.end});
    }
    return std::ranges::none_of(claims, [&](Expr claim) {
      const std::vector<Expr> used = symbols_of(claim);
      return std::ranges::any_of(loaded, [&](Expr number) { return contains(used, number); });
    });
  }

  // min(a, b) < c where b < c is refuted: a < c. c < min(a, b) where c < b is proved: c < a. And so
  // for max, and for <=: what tiles are limited to is past the ends of an axis.
  Expr without_limits(Expr claim) const {
    if (claim.is(Op::And)) return without_limits(claim[0]) && without_limits(claim[1]);
    if (!claim.is(Op::Lt) && !claim.is(Op::Le)) return claim;
    for (std::size_t side = 0; side < 2; ++side) {
      const Expr limited = claim[side];
      if (!limited.is(Op::Min) && !limited.is(Op::Max)) continue;
      const bool is_either = limited.is(side == 0 ? Op::Min : Op::Max);
      for (std::size_t k = 0; k < 2; ++k) {
        const auto with = [&](Expr e) {
          const Expr both[] = {side == 0 ? e : claim[0], side == 1 ? e : claim[1]};
          return with_operands(claim, both);
        };
        const Expr own = with(limited[k]);
        if (nest_.ranges->proves(is_either ? !own : own)) {
          return without_limits(with(limited[1 - k]));
        }
      }
    }
    return claim;
  }

  // Whether no sizes have such a block.
  bool is_never(Expr condition) const {
    Facts facts = nest_.ranges->facts();
    for (Expr part : conjuncts_of(condition)) {
      if (Simplifier(facts).proves(!part)) return true;
      facts.assume(part);
    }
    return false;
  }

  // How often a thread makes a read; often, where a size says.
  std::int64_t iterations() const {
    std::int64_t all = 1;
    for (std::size_t i = 0; i < nest_.loops.size(); ++i) {
      const Expr extent = schedule_.graph()[nest_.loops[i]].extent;
      if (is_index(parallel(i))) continue;
      const std::int64_t own = extent.is(Op::Const) ? extent.value() : kLeastSaved;
      all = std::min(all * std::min(own, kLeastSaved), kLeastSaved);
    }
    return all;
  }

  Expr all_of(const std::vector<Expr>& conditions) const {
    Expr all = nest_.ranges->pool().truth(true);
    for (Expr c : conditions) all = all.is_true() ? c : all && c;
    return all;
  }

  std::vector<Expr> extents_of(const std::vector<Expr>& variables) const {
    std::vector<Expr> extents;
    for (Expr v : variables) {
      const auto at = std::ranges::find_if(nest_.variables, [&](Expr own) { return same(own, v); });
      extents.push_back(
          schedule_.graph()[nest_.loops[std::size_t(at - nest_.variables.begin())]].extent);
    }
    return extents;
  }

  const Fusion& fusion_;
  const Schedule& schedule_;
  const TensorAnalysis& nest_;
  std::vector<Expr> blocks_, inner_;  // variables of the loops
};

}  // namespace

std::optional<InsideReads> inside_reads(const Fusion& fusion, const Schedule& schedule,
                                        const TensorAnalysis& nest, std::span<const Access> reads) {
  return Inside(fusion, schedule, nest).of(reads);
}

void count_points(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& nest,
                  InsideReads& inside) {
  inside.points = Inside(fusion, schedule, nest).points(inside.claims);
}

TensorAnalysis at_interior_blocks(const TensorAnalysis& nest, const InsideReads& inside) {
  TensorAnalysis there = nest;
  const auto with_condition = [&](const Simplifier& known) {
    Facts facts = known.facts();
    facts.assume(inside.hoisted.condition);
    return facts;
  };
  there.ranges = std::make_shared<Simplifier>(with_condition(*nest.ranges));
  Facts facts = with_condition(*nest.guarded);
  for (Expr claim : inside.claims) facts.assume(claim);
  there.guarded = std::make_shared<Simplifier>(std::move(facts));
  std::erase_if(there.predicates.kept,
                [&](const KeptPredicate& kept) { return there.ranges->proves(kept.condition); });
  return there;
}

bool may_leave(const Fusion& fusion, const Schedule& schedule, TensorId t) {
  std::set<TensorId> seen;
  std::vector<TensorId> open = {t};
  while (!open.empty()) {
    const TensorId reader = open.back();
    open.pop_back();
    if (!fusion[reader].definition || !seen.insert(reader).second) continue;
    for (ValueId v : values_under(fusion.values(), *fusion[reader].definition)) {
      const ValueNode& node = fusion.values()[v];
      if (node.kind != ValueNode::Kind::Read) continue;
      if (!node.modes.empty() || node.otherwise()) return true;
      const auto source = TensorId(node.source);
      if (!fusion[source].is_input && schedule.is_inlined(source)) open.push_back(source);
    }
  }
  return false;
}

}  // namespace selvage
