#include <selvage/base/check.h>
#include <selvage/base/diagnostic.h>
#include <selvage/expr/substitute.h>
#include <selvage/expr/text.h>
#include <selvage/lower/values.h>

namespace selvage {

ValueLowering::ValueLowering(const Fusion& fusion, const Schedule& schedule,
                             const TensorAnalysis& analysis, ValueGraph& out,
                             std::function<BufferId(TensorId)> buffer)
    : fusion_(fusion),
      schedule_(schedule),
      analysis_(analysis),
      out_(out),
      buffer_(std::move(buffer)) {}

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
      return made_[key] = out_.add(std::move(copy));
    }
  }
  return {};
}

ValueId ValueLowering::lower_read(const ValueNode& node, const Environment& environment,
                                  const TensorInfo& reader) {
  const TensorId source = TensorId(node.source);
  const TensorInfo& tensor = fusion_[source];
  std::vector<Expr> subscripts;
  for (std::size_t k = 0; k < node.subscripts.size(); ++k) {
    const Expr s = analysis_.guarded->simplify(substitute(node.subscripts[k], environment));
    if (!is_within(node.subscripts[k], reader, source, k)) check_in_bounds(source, k, s, reader);
    subscripts.push_back(s);
  }
  const bool inlined = !tensor.is_input && schedule_.is_inlined(source);
  std::vector<std::uint64_t> key = {(std::uint64_t{1} << 40) + node.source, inlined};
  for (Expr s : subscripts) key.push_back(s.id());
  if (const auto it = made_.find(key); it != made_.end()) return it->second;
  if (inlined) {
    Environment inner;
    for (std::size_t k = 0; k < subscripts.size(); ++k) {
      inner.emplace_back(tensor.indices[k], subscripts[k]);
    }
    return made_[key] = lower(*tensor.definition, inner, tensor);
  }
  const Expr address = analysis_.guarded->simplify(address_of(fusion_, source, subscripts));
  ValueNode read = node;
  read.source = buffer_(source);
  read.subscripts = {address};
  return made_[key] = out_.add(std::move(read));
}

// The reader is computed only where its indices are within its extents, so the question is one of
// its indices, whatever coordinates they stand for.
bool ValueLowering::is_within(Expr subscript, const TensorInfo& reader, TensorId source,
                              std::size_t axis) {
  const Expr extent = fusion_.domains()[fusion_[source].logical[axis]].extent;
  for (std::size_t k = 0; k < reader.indices.size(); ++k) {
    if (same(reader.indices[k], subscript) && same(extent_of(reader, k), extent)) return true;
  }
  std::unique_ptr<Simplifier>& ranges = ranges_[&reader];
  if (ranges == nullptr) {
    Facts facts = *fusion_.facts();
    for (std::size_t k = 0; k < reader.indices.size(); ++k) {
      facts.loop(reader.indices[k], extent_of(reader, k));
    }
    ranges = std::make_unique<Simplifier>(std::move(facts));
  }
  return ranges->proves(0 <= subscript && subscript < extent);
}

Expr ValueLowering::extent_of(const TensorInfo& tensor, std::size_t axis) const {
  return fusion_.domains()[tensor.logical[axis]].extent;
}

void ValueLowering::check_in_bounds(TensorId t, std::size_t axis, Expr subscript,
                                    const TensorInfo& reader) {
  const TensorInfo& tensor = fusion_[t];
  const Expr extent = fusion_.domains()[tensor.logical[axis]].extent;
  if (analysis_.guarded->proves(0 <= subscript && subscript < extent)) return;
  const Verdict verdict = analysis_.guarded->prove(0 <= subscript && subscript < extent);
  if (is_proved(verdict)) return;
  Diagnostic d;
  d.code = "E440";
  d.message = reader.name + " reads " + tensor.name + " at " + to_string(subscript) + " on axis " +
              std::to_string(axis) + ", which is not proved to lie within its extent " +
              to_string(extent);
  if (const auto* refuted = std::get_if<Refuted>(&verdict)) {
    std::string point;
    for (const auto& [symbol, value] : refuted->point) {
      point +=
          (point.empty() ? "" : ", ") + std::string(symbol.name()) + " = " + std::to_string(value);
    }
    d.notes.push_back("it is out of bounds at " + point);
  }
  d.help = "declare facts that bound it, or make the tensor larger";
  throw Illegal(std::move(d));
}

}  // namespace selvage
