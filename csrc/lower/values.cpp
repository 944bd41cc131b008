#include <selvage/base/check.h>
#include <selvage/base/diagnostic.h>
#include <selvage/expr/substitute.h>
#include <selvage/expr/text.h>
#include <selvage/lower/values.h>

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
      if (const auto it = made_.find(key); it != made_.end()) return it->second;
      ValueNode copy = node;
      copy.operands.clear();
      for (ValueId o : node.operands) copy.operands.push_back(lower(o, environment, reader));
      // What lies in memory as half is one.
      const bool is_rounded = node.kind == ValueNode::Kind::Cast &&
                              out_[copy.operands[0]].kind == ValueNode::Kind::Read &&
                              out_[copy.operands[0]].type == node.type;
      if (is_rounded) return made_[key] = copy.operands[0];
      return made_[key] = out_.add(std::move(copy));
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
      check_in_bounds(source, k, s, reader);
    } else {
      const Expr own = analysis_.guarded->simplify(ok(s, extent_of(fusion_[source], k)));
      inside = inside.valid() ? inside && own : own;
    }
  }
  if (!inside.valid()) return element(source, subscripts);
  const ValueId otherwise = lower(node.operands[0], environment, reader);
  const ValueId value = element(source, subscripts);
  return out_.apply(Function::Select, {out_.index(inside), value, otherwise});
}

ValueId ValueLowering::element(TensorId source, const std::vector<Expr>& subscripts) {
  const TensorInfo& tensor = fusion_[source];
  const bool inlined = !tensor.is_input && schedule_.is_inlined(source);
  std::vector<std::uint64_t> key = {(std::uint64_t{1} << 40) + index_of(source), inlined};
  for (Expr s : subscripts) key.push_back(s.id());
  if (const auto it = made_.find(key); it != made_.end()) return it->second;
  if (!inlined) return made_[key] = load_(source, subscripts);
  return made_[key] =
             lower(*tensor.definition, indices_at(tensor, schedule_.graph(), subscripts), tensor);
}

// The reader is computed only where its indices are within its extents, so the question is one of
// its indices, whatever coordinates they stand for.
bool ValueLowering::is_within(Expr subscript, const TensorInfo& reader, TensorId source,
                              std::size_t axis) {
  const Expr extent = extent_of(fusion_[source], axis);
  // A view is read where its items are: what that says of its root is seen from the coordinates.
  if (!reader.root.empty()) return false;
  std::vector<std::pair<Expr, Expr>> own;  // indices and their extents
  for (std::size_t k = 0; k < reader.indices.size(); ++k) {
    own.emplace_back(reader.indices[k], extent_of(reader, k));
  }
  for (std::size_t k = 0; reader.fold && k < reader.fold->indices.size(); ++k) {
    own.emplace_back(reader.fold->indices[k], schedule_.graph()[reader.fold->domains[k]].extent);
  }
  for (const auto& [index, own_extent] : own) {
    if (same(index, subscript) && same(own_extent, extent)) return true;
  }
  std::unique_ptr<Simplifier>& ranges = ranges_[&reader];
  if (ranges == nullptr) {
    Facts facts = *fusion_.facts();
    for (const auto& [index, own_extent] : own) facts.loop(index, own_extent);
    ranges = std::make_unique<Simplifier>(std::move(facts));
  }
  return ranges->proves(0 <= subscript && subscript < extent);
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

void ValueLowering::check_in_bounds(TensorId t, std::size_t axis, Expr subscript,
                                    const TensorInfo& reader) {
  const TensorInfo& tensor = fusion_[t];
  const Expr extent = extent_of(tensor, axis);
  const Verdict verdict = analysis_.guarded->prove(0 <= subscript && subscript < extent);
  if (is_proved(verdict)) return;
  Diagnostic d;
  d.code = "E440";
  d.message = reader.name + " reads " + tensor.name + " at " + to_string(subscript) + " on axis " +
              std::to_string(axis) + ", which is not proved to lie within its extent " +
              to_string(extent);
  if (const auto* refuted = std::get_if<Refuted>(&verdict)) {
    d.notes.push_back("it is out of bounds at " + to_text(refuted->point));
  }
  d.help = "declare facts that bound it, or make the tensor larger";
  throw Illegal(std::move(d));
}

}  // namespace selvage
