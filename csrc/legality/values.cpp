#include <selvage/base/check.h>
#include <selvage/base/refuse.h>
#include <selvage/expr/symbols.h>
#include <selvage/expr/text.h>
#include <selvage/ir/about.h>
#include <selvage/ir/reads.h>
#include <selvage/legality/mend_read.h>
#include <selvage/legality/values.h>

#include <algorithm>
#include <utility>

namespace selvage {

ValueLowering::ValueLowering(const Fusion& fusion, const Schedule& schedule,
                             const TensorAnalysis& analysis, ValueGraph& out, Load load,
                             std::vector<ReadNumber>& numbers, DefinitionReads::Rules rules)
    : fusion_(fusion),
      schedule_(schedule),
      analysis_(analysis),
      out_(out),
      load_(std::move(load)),
      numbers_(numbers),
      reads_(fusion, schedule, analysis, rules) {}

ValueId ValueLowering::lower(TensorId t) {
  const TensorInfo& tensor = fusion_[t];
  SELVAGE_CHECK(tensor.definition.has_value());
  Environment environment = indices_at(tensor, *analysis_.coordinates);
  for (auto& [index, value] : environment) value = analysis_.guarded->simplify(value);
  return lower(*tensor.definition, environment, t);
}

std::vector<Access> ValueLowering::reads(TensorId t) {
  std::vector<Access> list;
  list_ = &list;
  lower(t);
  list_ = nullptr;
  return list;
}

namespace {

// The key of a value of a definition whose indices have these values.
std::vector<std::uint64_t> key_of(ValueId v, const Environment& environment) {
  std::vector<std::uint64_t> key = {std::uint64_t(v)};
  for (const auto& [symbol, value] : environment) {
    key.push_back((std::uint64_t(symbol.id()) << 32) | value.id());
  }
  return key;
}

}  // namespace

ValueId ValueLowering::lower(ValueId v, const Environment& environment, TensorId reader) {
  // A definition is a tree over nodes that are shared; each node is made once per environment.
  const ValueNode node = fusion_.values()[v];
  switch (node.kind) {
    case ValueNode::Kind::Read: return lower_read(v, node, environment, reader);
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
    case ValueNode::Kind::Check: {
      const ValueId condition = lower(node.operands[0], environment, reader);
      const ValueId value = lower(node.operands[1], environment, reader);
      // What is proved is not tested.
      const ValueNode& tested = out_[condition];
      if (tested.kind == ValueNode::Kind::Index && analysis_.guarded->proves(tested.index)) {
        return value;
      }
      return make(key_of(v, environment), [&] {
        ValueNode copy = node;
        copy.operands = {condition, value, lower(node.operands[2], environment, reader),
                         lower(node.operands[3], environment, reader)};
        return out_.add(std::move(copy));
      });
    }
    case ValueNode::Kind::Search: break;  // of kernels alone
    case ValueNode::Kind::Apply:
    case ValueNode::Kind::Cast: {
      return make(key_of(v, environment), [&] {
        ValueNode copy = node;
        copy.operands.clear();
        for (ValueId o : node.operands) copy.operands.push_back(lower(o, environment, reader));
        // An element that is read in this type needs no cast to it.
        const bool is_rounded = node.kind == ValueNode::Kind::Cast &&
                                out_[copy.operands[0]].kind == ValueNode::Kind::Read &&
                                out_[copy.operands[0]].type == node.type;
        return is_rounded ? copy.operands[0] : out_.add(std::move(copy));
      });
    }
  }
  return {};
}

ValueId ValueLowering::lower_read(ValueId v, const ValueNode& node, const Environment& environment,
                                  TensorId reader) {
  const Environment with = with_numbers(node, environment, reader);
  const Access read = reads_.access(node, reader, with);
  if (list_ != nullptr) {
    if (listed_.insert(key_of(v, environment)).second) list_->push_back(read);
  } else if (!read.is_inside()) {
    refuse_read(node, read);
  }
  if (!read.modes.empty() || read.condition.valid()) leaving_.push_back(read);
  if (reads_.has_used_conditions()) used_ = reads_.depth();
  if (!read.condition.valid()) return element(read);
  reads_.enter(!read.condition, false);
  const ValueId otherwise = lower(*node.otherwise(), environment, reader);
  reads_.leave();
  reads_.enter(read.condition, true);
  const ValueId value = element(read);
  reads_.leave();
  return out_.apply(Function::Select, {out_.index(read.condition), value, otherwise});
}

// The environment, and for each subscript that is a value its variable.
Environment ValueLowering::with_numbers(const ValueNode& read, const Environment& environment,
                                        TensorId reader) {
  Environment with = environment;
  for (std::size_t k = 0; k < read.loaded.size(); ++k) {
    const LoadedIndex& loaded = read.loaded[k];
    if (is_begin_of_row(loaded, read.operands[k], environment)) {
      with.emplace_back(loaded.symbol, loaded.symbol);
      continue;
    }
    const ValueId value = lower(read.operands[k], environment, reader);
    const std::string text = load_text(fusion_, read.operands[k], environment);
    // A read that is refused: its message names what is read.
    const bool is_known = loaded.most.valid() && (read.otherwise() || keeps_within(read, loaded));
    with.emplace_back(loaded.symbol, is_known ? number(loaded, value, text)
                                              : schedule_.graph().pool().symbol(text));
  }
  return with;
}

// Whether the index is the begin of the row that the nest is at, which the nest has read.
bool ValueLowering::is_begin_of_row(const LoadedIndex& loaded, ValueId index,
                                    const Environment& environment) const {
  for (const RowNumber& n : analysis_.rows) {
    const RaggedRows& rows = schedule_.graph()[n.rows];
    if (!same(rows.begin, loaded.symbol)) continue;
    for (ValueId v : values_under(fusion_.values(), index)) {
      const ValueNode& read = fusion_.values()[v];
      if (read.kind != ValueNode::Kind::Read || read.source != rows.offsets) continue;
      return analysis_.guarded->proves(eq(substitute(read.subscripts[0], environment), n.row));
    }
  }
  return false;
}

// The environment with the rows that the nest is at in the place of their symbols.
Environment ValueLowering::at_rows(Environment environment) const {
  Environment rows;
  for (const RowNumber& n : analysis_.rows) {
    const Expr row = schedule_.graph()[n.rows].row;
    if (!same(row, n.row)) rows.emplace_back(row, n.row);
  }
  if (rows.empty()) return environment;
  for (auto& [symbol, value] : environment)
    value = analysis_.guarded->simplify(substitute(value, rows));
  return environment;
}

// Whether the promise of a load is enough for the axes at which it is the subscript.
bool ValueLowering::keeps_within(const ValueNode& read, const LoadedIndex& loaded) const {
  const std::vector<DomainId>& axes = fusion_[TensorId(read.source)].logical;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const Expr extent = schedule_.graph()[axes[k]].extent;
    const bool is_it = same(read.subscripts[k], loaded.symbol);
    if (is_it && !is_proved(reads_.by_promise(loaded, extent))) return false;
  }
  return true;
}

// The number is read before the statement that mentions it: so where conditions decide whether its
// value has a meaning, it is read under these conditions, and else is 0.
Expr ValueLowering::number(const LoadedIndex& loaded, ValueId value, const std::string& text) {
  ExprPool& pool = schedule_.graph().pool();
  std::vector<std::uint64_t> key = {std::uint64_t(value), loaded.most.id()};
  for (std::size_t k = 0; k < reads_.depth(); ++k) key.push_back(reads_.condition(k).id());
  const auto [it, is_new] = number_of_.try_emplace(std::move(key));
  used_ = reads_.depth();
  if (!is_new) return it->second;
  if (reads_.depth() > 0) {
    Expr all = reads_.condition(0);
    for (std::size_t k = 1; k < reads_.depth(); ++k) all = all && reads_.condition(k);
    const ValueId zero = out_.constant(DataType::Int64, std::int64_t{0}, false);
    value = out_.apply(Function::Select, {out_.index(all), value, zero});
  }
  // No loop that a file names can be called so: its names have no dot.
  const std::string name = text.substr(0, text.find('[')) + "." + std::to_string(numbers_.size());
  const bool is_promised = loaded.mode == IndexMode::Unchecked;
  numbers_.push_back({pool.symbol(name), value, loaded.most, is_promised});
  return it->second = numbers_.back().variable;
}

ValueId ValueLowering::element(const Access& read) {
  const TensorId source = read.tensor;
  const TensorInfo& tensor = fusion_[source];
  const bool inlined = !tensor.is_input && schedule_.is_inlined(source);
  std::vector<std::uint64_t> key = {(std::uint64_t{1} << 40) + index_of(source), inlined};
  for (Expr s : read.subscripts) key.push_back(s.id());
  return make(std::move(key), [&] {
    if (!inlined) return load_(read);
    const Environment indices = at_rows(indices_at(tensor, schedule_.graph(), read.subscripts));
    const ValueId made = lower(*tensor.definition, indices, source);
    if (tensor.is_iterated_by_root) check_knows_row(source, made);
    return made;
  });
}

// What is inlined is at items of rows, and may be computed from the row and the item: the nest has
// to be at these rows, too.
void ValueLowering::check_knows_row(TensorId inlined, ValueId value) const {
  const RowsId of = *fusion_[inlined].items_of;
  if (find(analysis_.rows, of) != nullptr) return;
  const RaggedRows& rows = schedule_.graph()[of];
  const auto is_of_row = [&](Expr e) {
    if (!e.valid()) return false;
    const std::vector<Expr> used = symbols_of(e);
    return contains(used, rows.row) || contains(used, rows.begin) || contains(used, rows.end);
  };
  for (ValueId v : values_under(out_, value)) {
    const ValueNode& node = out_[v];
    if (!is_of_row(node.index) && std::ranges::none_of(node.subscripts, is_of_row)) continue;
    const std::string& name = fusion_[inlined].name;
    refuse<Illegal>("E455",
                    name + " is computed from the row of an item of " +
                        fusion_[TensorId(rows.offsets)].name + ", and " +
                        fusion_[analysis_.tensor].name + ", which it is inlined into, tells none",
                    "give " + name + " a nest of its own, " + name + ": []");
  }
}

// The value made before, if the conditions that it rests on hold here; else what `value` makes.
template <class Make>
ValueId ValueLowering::make(std::vector<std::uint64_t> key, Make&& value) {
  const auto holds_here = [&](const std::vector<Expr>& under) {
    if (under.size() > reads_.depth()) return false;
    for (std::size_t k = 0; k < under.size(); ++k) {
      if (!same(under[k], reads_.condition(k))) return false;
    }
    return true;
  };
  const auto it = made_.find(key);
  if (it != made_.end() && holds_here(it->second.under)) {
    used_ = std::max(used_, it->second.under.size());
    return it->second.value;
  }
  const std::size_t outside = std::exchange(used_, 0);
  const ValueId own = value();
  std::vector<Expr> under;
  for (std::size_t k = 0; k < used_ && k < reads_.depth(); ++k) {
    under.push_back(reads_.condition(k));
  }
  used_ = std::max(outside, under.size());
  made_[std::move(key)] = {own, std::move(under)};
  return own;
}

void ValueLowering::refuse_read(const ValueNode& read, const Access& access) const {
  const TensorInfo &reader = fusion_[access.user], &tensor = fusion_[access.tensor];
  const Access::Open& open = access.open[0];
  const Expr extent = schedule_.graph()[tensor.logical[open.axis]].extent;
  Diagnostic d;
  d.code = "E440";
  d.message = reader.name + " reads " + tensor.name + " at " +
              to_string(access.subscripts[open.axis]) + " on axis " + std::to_string(open.axis) +
              ", which is not proved to lie within its extent " + to_string(extent);
  if (const auto* refuted = std::get_if<Refuted>(&open.verdict)) {
    d.notes.push_back("it is out of bounds at " + to_text(refuted->point));
  }
  d.help = mend_read({.fusion = fusion_,
                      .graph = schedule_.graph(),
                      .reader = reader,
                      .read = read,
                      .axis = open.axis,
                      .claim = open.claim,
                      .here = *open.facts});
  d.tensors = as_subjects(access.user);
  throw Illegal(std::move(d));
}

std::vector<Access> reads_of(const Fusion& fusion, const Schedule& schedule,
                             const TensorAnalysis& analysis) {
  if (!fusion[analysis.tensor].definition) return {};
  ValueGraph unused;
  const auto load = [&](const Access& read) {
    return unused.read(fusion[read.tensor].type, 0, {});
  };
  std::vector<ReadNumber> numbers;
  ValueLowering lowering(fusion, schedule, analysis, unused, load, numbers,
                         DefinitionReads::Rules::Named);
  std::vector<Access> list = lowering.reads(analysis.tensor);
  for (Access& read : list) read.guard = conditions(analysis.predicates);
  return list;
}

}  // namespace selvage
