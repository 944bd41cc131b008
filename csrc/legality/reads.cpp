#include <selvage/ir/reads.h>
#include <selvage/legality/decide.h>
#include <selvage/legality/mend_read.h>
#include <selvage/legality/reads.h>

#include <algorithm>

namespace selvage {

Access DefinitionReads::access(const ValueNode& read, TensorId reader, const Environment& indices) {
  Access a{.kind = Access::Kind::Read, .tensor = TensorId(read.source), .user = reader};
  a.is_filled = read.otherwise().has_value();
  for (const LoadedIndex& l : read.loaded) {
    a.loaded.push_back(substitute(l.symbol, indices));
    const auto is_it = [&](const auto& known) { return same(known.first, a.loaded.back()); };
    if (!l.most.valid() || std::ranges::any_of(loaded_, is_it)) continue;
    loaded_.emplace_back(a.loaded.back(), l.most);
  }
  has_used_conditions_ = false;
  const TensorInfo& source = fusion_[a.tensor];
  Proved proved;
  std::optional<Refuted> refuted;
  for (std::size_t k = 0; k < read.subscripts.size(); ++k) {
    const Expr subscript = read.subscripts[k];
    const Expr extent = schedule_.graph()[source.logical[k]].extent;
    a.subscripts.push_back(subscript_here(read, k, extent, indices, a.modes));
    const auto loaded = std::ranges::find_if(
        read.loaded, [&](const LoadedIndex& l) { return same(l.symbol, subscript); });
    const bool is_loaded = loaded != read.loaded.end();
    Verdict verdict =
        is_loaded ? by_promise(*loaded, extent) : over_indices(subscript, reader, extent);
    if (is_proved(verdict)) {
      add_rules(verdict, proved);
      continue;
    }
    const Expr own = a.subscripts.back();
    const bool is_least = is_loaded && loaded->most.valid();  // 0 <= own is known
    const Expr claim = is_least ? own < extent : ok(own, extent);
    if (!is_loaded) verdict = at_points(claim);
    if (!is_proved(verdict) && a.is_filled) {
      const Expr holds = analysis_.guarded->simplify(claim);
      a.condition = a.condition.valid() ? a.condition && holds : holds;
      continue;
    }
    if (!is_proved(verdict)) verdict = over_items(subscript, fusion_[reader], extent);
    if (!is_proved(verdict)) {
      Access::Open open{.axis = k, .claim = claim, .verdict = Unknown{claim}, .facts = nullptr};
      verdict = under_conditions(claim, open);
      if (!is_proved(verdict)) a.open.push_back(std::move(open));
    }
    add_rules(verdict, proved);
    if (const auto* r = std::get_if<Refuted>(&verdict); r != nullptr && !refuted) refuted = *r;
  }
  if (refuted) {
    a.inside = *std::move(refuted);
  } else if (!a.open.empty()) {
    a.inside = Unknown{a.open[0].claim};
  } else {
    a.inside = std::move(proved);
  }
  return a;
}

// At the points of the loops. One that an access mode has made is made anew, in the form that the
// facts there allow.
Expr DefinitionReads::subscript_here(const ValueNode& read, std::size_t k, Expr extent,
                                     const Environment& indices, std::vector<Access::Mode>& modes) {
  Simplifier& here = *analysis_.guarded;
  if (const AxisMode* m = mode_of(read, k)) {
    const Expr of = here.simplify(substitute(m->of, indices));
    const Remapped own = remapped_in_reach(here, m->mode, of, extent);
    modes.push_back({{m->axis, m->mode, of}, own.form});
    return here.simplify(own.subscript);
  }
  return here.simplify(substitute(read.subscripts[k], indices));
}

Verdict DefinitionReads::asked(Simplifier& under, Expr claim) const {
  if (!under.proves(claim)) return Unknown{claim};
  if (rules_ == Rules::Unnamed) return Proved{};
  Verdict named = under.prove(claim);
  return is_proved(named) ? named : Proved{};
}

Verdict DefinitionReads::by_promise(const LoadedIndex& loaded, Expr extent) const {
  if (!loaded.most.valid()) return Unknown{};
  Simplifier sizes(*fusion_.facts());
  if (!sizes.proves(loaded.most < extent)) return Unknown{};
  switch (loaded.mode) {
    case IndexMode::Proved: return Proved{{"the type of the index"}};
    case IndexMode::Clamped: return Proved{{"the index is clamped"}};
    case IndexMode::Unchecked: return Proved{{"unchecked: as the user promises"}};
  }
  return Unknown{};
}

Verdict DefinitionReads::over_indices(Expr subscript, TensorId reader, Expr extent) {
  const TensorInfo& info = fusion_[reader];
  const bool is_view = !info.root.empty() && !has_part_of_root(info);
  if (is_view) return Unknown{};
  const auto [known, is_new] = readers_.try_emplace(reader);
  Reader& own = known->second;
  if (is_new) own.indices = own_indices(info, schedule_.graph());
  if (own.ranges == nullptr) {
    Facts facts = *fusion_.facts();
    for (const auto& [index, own_extent] : own.indices) facts.loop(index, own_extent);
    own.ranges = std::make_unique<Simplifier>(std::move(facts));
  }
  for (const auto& [index, own_extent] : own.indices) {
    if (!same(index, subscript)) continue;
    if (same(own_extent, extent)) {
      return rules_ == Rules::Unnamed ? Proved{} : Proved{{"the same index"}};
    }
    // An index that stays below its own extent stays below any that is no smaller.
    Verdict verdict = asked(*own.ranges, own_extent <= extent);
    if (is_proved(verdict)) return verdict;
  }
  return asked(*own.ranges, ok(subscript, extent));
}

Verdict DefinitionReads::at_points(Expr claim) { return asked(*analysis_.guarded, claim); }

// Asks for all items of the reader, a view. About the items only their extents are assumed.
Verdict DefinitionReads::over_items(Expr subscript, const TensorInfo& reader, Expr extent) const {
  if (reader.root.empty() || reader.fold) return Unknown{};
  Facts facts = *fusion_.facts();
  std::vector<Expr> items;
  for (std::size_t k = 0; k < reader.logical.size(); ++k) {
    items.push_back(fresh_symbol(fusion_, "item" + std::to_string(k), items));
    facts.loop(items.back(), schedule_.graph()[reader.logical[k]].extent);
  }
  Simplifier simplifier(std::move(facts));
  const Environment indices = indices_at(reader, schedule_.graph(), items);
  return asked(simplifier, ok(substitute(subscript, indices), extent));
}

Verdict DefinitionReads::under_conditions(Expr claim, Access::Open& open) {
  Verdict verdict = decide(facts_here(false), claim);
  if (is_proved(verdict)) {
    has_used_conditions_ = true;
    return verdict;
  }
  open.facts = std::make_shared<const Facts>(facts_here(true));
  verdict = decide(*open.facts, claim);
  // A proof for each element alone does not hold for a vector load: the verdict stays Unknown.
  if (is_refuted(verdict)) open.verdict = std::move(verdict);
  return open.verdict;
}

// The facts where the current value is computed. Without `with_all`, conditions past which a vector
// may be loaded are left out.
Facts DefinitionReads::facts_here(bool with_all) const {
  Facts facts = analysis_.guarded->facts();
  for (const auto& [number, most] : loaded_) facts.bound(number, facts.pool().constant(0), most);
  for (const Condition& c : conditions_) {
    if (with_all || c.is_read || !analysis_.vector) facts.assume(c.holds);
  }
  return facts;
}

}  // namespace selvage
