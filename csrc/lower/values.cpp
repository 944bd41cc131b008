#include <selvage/base/check.h>
#include <selvage/base/diagnostic.h>
#include <selvage/expr/substitute.h>
#include <selvage/expr/text.h>
#include <selvage/legality/decide.h>
#include <selvage/lower/mend_read.h>
#include <selvage/lower/values.h>

#include <algorithm>
#include <utility>

namespace selvage {

ValueLowering::ValueLowering(const Fusion& fusion, const Schedule& schedule,
                             const TensorAnalysis& analysis, ValueGraph& out, Load load)
    : fusion_(fusion),
      schedule_(schedule),
      analysis_(analysis),
      out_(out),
      load_(std::move(load)) {}

ValueId ValueLowering::lower(TensorId t) {
  const TensorInfo& tensor = fusion_[t];
  SELVAGE_CHECK(tensor.definition.has_value());
  Environment environment = indices_at(tensor, *analysis_.coordinates);
  for (auto& [index, value] : environment) value = analysis_.guarded->simplify(value);
  return lower(*tensor.definition, environment, tensor);
}

ValueId ValueLowering::lower(ValueId v, const Environment& environment, const TensorInfo& reader) {
  // A definition is a tree over nodes that are shared; each node is made once per environment.
  const ValueNode node = fusion_.values()[v];
  switch (node.kind) {
    case ValueNode::Kind::Read: return lower_read(node, environment, reader);
    case ValueNode::Kind::Constant: {
      ValueNode copy = node;
      copy.weak = false;
      return out_.add(std::move(copy));
    }
    case ValueNode::Kind::Index: {
      ValueNode copy = node;
      copy.index = analysis_.guarded->simplify(substitute(node.index, environment));
      return out_.add(std::move(copy));
    }
    case ValueNode::Kind::Apply:
    case ValueNode::Kind::Cast: {
      std::vector<std::uint64_t> key = {std::uint64_t(v)};
      for (const auto& [symbol, value] : environment) {
        key.push_back((std::uint64_t(symbol.id()) << 32) | value.id());
      }
      return make(std::move(key), [&] {
        ValueNode copy = node;
        copy.operands.clear();
        for (ValueId o : node.operands) copy.operands.push_back(lower(o, environment, reader));
        // What lies in memory as half is one.
        const bool is_rounded = node.kind == ValueNode::Kind::Cast &&
                                out_[copy.operands[0]].kind == ValueNode::Kind::Read &&
                                out_[copy.operands[0]].type == node.type;
        return is_rounded ? copy.operands[0] : out_.add(std::move(copy));
      });
    }
  }
  return {};
}

ValueId ValueLowering::lower_read(const ValueNode& node, const Environment& environment,
                                  const TensorInfo& reader) {
  const TensorId source = TensorId(node.source);
  std::vector<Expr> subscripts;
  Expr inside;
  for (std::size_t k = 0; k < node.subscripts.size(); ++k) {
    const Expr s = analysis_.guarded->simplify(substitute(node.subscripts[k], environment));
    subscripts.push_back(s);
    if (is_within(node.subscripts[k], reader, source, k)) continue;
    if (is_in_bounds(source, k, s)) continue;
    if (node.operands.empty()) {
      if (is_within_view(node.subscripts[k], reader, source, k)) continue;
      check_in_bounds(node, k, s, reader);
    } else {
      const Expr own = analysis_.guarded->simplify(ok(s, extent_of(fusion_[source], k)));
      inside = inside.valid() ? inside && own : own;
    }
  }
  if (!inside.valid()) return element(source, subscripts);
  conditions_.push_back({!inside, false});
  const ValueId otherwise = lower(node.operands[0], environment, reader);
  conditions_.back() = {inside, true};
  const ValueId value = element(source, subscripts);
  conditions_.pop_back();
  return out_.apply(Function::Select, {out_.index(inside), value, otherwise});
}

ValueId ValueLowering::element(TensorId source, const std::vector<Expr>& subscripts) {
  const TensorInfo& tensor = fusion_[source];
  const bool inlined = !tensor.is_input && schedule_.is_inlined(source);
  std::vector<std::uint64_t> key = {(std::uint64_t{1} << 40) + index_of(source), inlined};
  for (Expr s : subscripts) key.push_back(s.id());
  return make(std::move(key), [&] {
    if (!inlined) return load_(source, subscripts);
    return lower(*tensor.definition, indices_at(tensor, schedule_.graph(), subscripts), tensor);
  });
}

// The value that is there already, or else what `value` makes.
template <class Make>
ValueId ValueLowering::make(std::vector<std::uint64_t> key, Make&& value) {
  const auto holds_here = [&](const std::vector<Expr>& under) {
    const auto is_same = [](Expr e, const Condition& c) { return same(e, c.holds); };
    return under.size() <= conditions_.size() &&
           std::equal(under.begin(), under.end(), conditions_.begin(), is_same);
  };
  const auto it = made_.find(key);
  if (it != made_.end() && holds_here(it->second.under)) {
    used_ = std::max(used_, it->second.under.size());
    return it->second.value;
  }
  const std::size_t outside = std::exchange(used_, 0);
  const ValueId own = value();
  std::vector<Expr> under;
  for (std::size_t k = 0; k < used_ && k < conditions_.size(); ++k) {
    under.push_back(conditions_[k].holds);
  }
  used_ = std::max(outside, under.size());
  made_[std::move(key)] = {own, std::move(under)};
  return own;
}

// The reader is computed only where its indices are within its extents, so the question is one of
// its indices, whatever coordinates they stand for.
bool ValueLowering::is_within(Expr subscript, const TensorInfo& reader, TensorId source,
                              std::size_t axis) {
  const Expr extent = extent_of(fusion_[source], axis);
  // A view is read where its items are: what that says of its root is seen from the coordinates.
  if (!reader.root.empty()) return false;
  for (const auto& [index, own_extent] : own_indices(reader, schedule_.graph())) {
    if (same(index, subscript) && same(own_extent, extent)) return true;
  }
  return ranges_of(reader).proves(0 <= subscript && subscript < extent);
}

Simplifier& ValueLowering::ranges_of(const TensorInfo& reader) {
  std::unique_ptr<Simplifier>& ranges = ranges_[&reader];
  if (ranges == nullptr) {
    Facts facts = *fusion_.facts();
    for (const auto& [index, extent] : own_indices(reader, schedule_.graph())) {
      facts.loop(index, extent);
    }
    ranges = std::make_unique<Simplifier>(std::move(facts));
  }
  return *ranges;
}

// The same of a view, whose indices are those of its root: it is read within its logical extents.
bool ValueLowering::is_within_view(Expr subscript, const TensorInfo& reader, TensorId source,
                                   std::size_t axis) {
  // The root of a partial tensor does not follow from its elements alone.
  if (reader.root.empty() || reader.fold) return false;
  Facts facts = *fusion_.facts();
  std::vector<Expr> items;
  for (std::size_t k = 0; k < reader.logical.size(); ++k) {
    items.push_back(fresh_symbol(fusion_, "item" + std::to_string(k), items));
    facts.loop(items.back(), extent_of(reader, k));
  }
  Environment environment = indices_at(reader, schedule_.graph(), items);
  const Expr at = substitute(subscript, environment);
  return Simplifier(std::move(facts)).proves(ok(at, extent_of(fusion_[source], axis)));
}

bool ValueLowering::is_in_bounds(TensorId source, std::size_t axis, Expr subscript) {
  return analysis_.guarded->proves(ok(subscript, extent_of(fusion_[source], axis)));
}

Expr ValueLowering::extent_of(const TensorInfo& tensor, std::size_t axis) const {
  return schedule_.graph()[tensor.logical[axis]].extent;
}

// What is known where the value at hand is computed. Not `with_all`: without what a vector may be
// loaded past.
Facts ValueLowering::facts_here(bool with_all) const {
  Facts facts = analysis_.guarded->facts();
  for (const Condition& c : conditions_) {
    if (with_all || c.is_read || !analysis_.vector) facts.assume(c.holds);
  }
  return facts;
}

void ValueLowering::check_in_bounds(const ValueNode& read, std::size_t axis, Expr subscript,
                                    const TensorInfo& reader) {
  const TensorInfo& tensor = fusion_[TensorId(read.source)];
  const Expr extent = extent_of(tensor, axis);
  const Expr claim = 0 <= subscript && subscript < extent;
  if (is_proved(decide(facts_here(false), claim))) {
    used_ = conditions_.size();
    return;
  }
  Diagnostic d;
  d.code = "E440";
  d.message = reader.name + " reads " + tensor.name + " at " + to_string(subscript) + " on axis " +
              std::to_string(axis) + ", which is not proved to lie within its extent " +
              to_string(extent);
  const Verdict verdict = decide(facts_here(true), claim);
  if (const auto* refuted = std::get_if<Refuted>(&verdict)) {
    d.notes.push_back("it is out of bounds at " + to_text(refuted->point));
  }
  d.help = mend_read({.fusion = fusion_,
                      .graph = schedule_.graph(),
                      .reader = reader,
                      .read = read,
                      .axis = axis,
                      .claim = claim,
                      .here = facts_here(true)});
  throw Illegal(std::move(d));
}

}  // namespace selvage
