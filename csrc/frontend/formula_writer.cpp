#include <selvage/base/number_text.h>
#include <selvage/base/refuse.h>
#include <selvage/expr/substitute.h>
#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/frontend/formula_writer.h>
#include <selvage/frontend/schedule_file.h>
#include <selvage/frontend/statement.h>
#include <selvage/index/coordinates.h>
#include <selvage/ir/function_text.h>
#include <selvage/ir/gather.h>
#include <selvage/ir/reads.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

namespace selvage {

namespace {

constexpr int kDeepestWritten = 60;

const int kSum = info(Op::Add).precedence, kProduct = info(Op::Mul).precedence;
const int kUnary = info(Op::Not).precedence;

// The shortest text that is read as this number; never an integer's.
std::string real_text(double v, bool is_single) {
  if (std::isnan(v)) return "0.0 / 0.0";
  if (std::isinf(v)) return v > 0 ? "1.0 / 0.0" : "-1.0 / 0.0";
  return is_single ? shortest_real(float(v)) : shortest_real(v);
}

bool same_real(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

using Written = FormulaWriter::Written;

// Whether the cast is one that an operation adds around itself, so that its integers stay in their
// type.
bool wraps(const ValueGraph& values, const ValueNode& node) {
  return node.kind == ValueNode::Kind::Cast && may_leave_its_type(values[node.operands[0]]) &&
         values[node.operands[0]].type == node.type;
}

// The text as an operand of an operator of precedence `outer`: in parentheses if it needs them.
Written within(Written w, int outer) {
  if (w.precedence >= outer) return w;
  w.text = "(" + w.text + ")";
  w.precedence = kCall;
  ++w.depth;
  return w;
}

}  // namespace

FormulaWriter::FormulaWriter(const Fusion& fusion, const FileNames& names)
    : fusion_(fusion), names_(names), simplifier_(*fusion.facts()) {
  read_.set_math(fusion.math());
  for (std::size_t k = 0; k < fusion.size(); ++k) types_.push_back(fusion[TensorId(k)].type);
}

void FormulaWriter::refuse(const std::string& what, const std::string& help) const {
  refuse_writing(fusion_[tensor_].name + " cannot be written: " + what, help);
}

Expr FormulaWriter::seen(Expr e) const { return written_out(e, indices_); }

void FormulaWriter::enter(TensorId t, const std::vector<std::string>& names) {
  const TensorInfo& info = fusion_[t];
  tensor_ = t;
  written_.clear();
  same_.clear();
  indices_.clear();
  std::vector<Expr> symbols;
  for (const std::string& name : names) symbols.push_back(fusion_.pool().symbol(name));
  const std::size_t rank = info.logical.size();
  if (info.fold) {
    for (std::size_t k = 0; k < info.fold->indices.size(); ++k) {
      indices_.emplace_back(info.fold->indices[k], symbols[rank + k]);
    }
  }
  if (info.root.empty()) {
    for (std::size_t k = 0; k < rank; ++k) indices_.emplace_back(info.indices[k], symbols[k]);
    return;
  }
  // A view: its root's indices follow from those of its items.
  const DomainGraph& graph = fusion_.domains();
  std::unordered_map<std::uint32_t, Expr> known;
  for (std::size_t k = 0; k < rank; ++k) known[std::uint32_t(info.logical[k])] = symbols[k];
  const Path all = everything_from(graph, info.logical, {});
  for (const Step& step : needed_for(graph, all, info.logical, info.root).steps) {
    std::vector<Expr> from;
    for (DomainId d : sources(graph, step)) from.push_back(known.at(std::uint32_t(d)));
    const std::vector<Expr> made = step_formula(graph, step, from);
    const std::vector<DomainId> to = results(graph, step);
    for (std::size_t k = 0; k < to.size(); ++k) known[std::uint32_t(to[k])] = made[k];
  }
  for (std::size_t k = 0; k < info.root.size(); ++k) {
    const auto it = known.find(std::uint32_t(info.root[k]));
    if (it == known.end()) {
      refuse("its root does not follow from its items", "compute it from its items");
    }
    indices_.emplace_back(info.indices[k], it->second);
  }
}

std::string FormulaWriter::right_side(TensorId t, const std::vector<std::string>& indices) {
  enter(t, indices);
  const TensorInfo& info = fusion_[t];
  const ValueId definition = *info.definition;
  std::string tail;
  std::string head;
  if (info.fold) {
    head =
        (is_scan(info) ? scan_name(info.fold->how) : std::string(to_string(info.fold->how))) + "[";
    if (is_scan(info)) head += indices[*info.fold->scanned];
    for (std::size_t k = info.logical.size(); k < indices.size(); ++k) {
      head += (k > info.logical.size() ? ", " : "") + indices[k];
      const std::size_t folded = k - info.logical.size();
      const Expr extent = fusion_.domains()[folded_domain(info)[folded]].extent;
      if (reads_tell_extent(fusion_, definition, info.fold->indices[folded], extent)) continue;
      head += " < " + subscript_part(extent, 0);
    }
    head += "](";
    const std::int64_t correction = info.fold->correction;
    const bool is_said = info.fold->how == Reduction::Variance && correction != kUsualCorrection;
    tail = is_said ? ", " + std::to_string(correction) + ")" : ")";
  }
  for (const Written& w : forms(definition)) {
    // What reading does with the right side: it is brought to the type that is computed in.
    const DataType element = read_[w.value].type;
    const DataType folds =
        info.fold ? compute_type(fold_type(info.fold->how, element)) : compute_type(element);
    const DataType type = info.fold ? result_type(info.fold->how, element) : element;
    const bool is_right_type =
        compute_type(type) == compute_type(info.type) && (!info.fold || folds == info.fold->type);
    ValueId v = w.value;
    if (!info.fold) {
      v = read_.as_element(v, type);
    } else if (compute_type(element) != info.fold->type) {
      v = read_.cast(v, info.fold->type);
    }
    if (!is_right_type || !is_same(definition, v)) continue;
    if (std::int64_t(w.text.size() + head.size() + 200) > kLongestFormula ||
        w.depth > kDeepestWritten) {
      refuse("its statement is too long or too deep for a file",
             "name parts of it as tensors of their own");
    }
    types_[index_of(t)] = type;
    return head + w.text + tail;
  }
  refuse("reading no statement gives its definition in " +
             std::string(to_string(info.fold ? info.fold->type : compute_type(info.type))),
         "compute it in the type that its parts have");
}

const Written& FormulaWriter::write(ValueId root) {
  const auto done = written_.find(std::uint32_t(root));
  if (done != written_.end()) return done->second;
  for (ValueId v : values_under(fusion_.values(), root)) {
    if (written_.contains(std::uint32_t(v))) continue;
    const ValueNode& node = fusion_.values()[v];
    Written w;
    switch (node.kind) {
      case ValueNode::Kind::Constant: w = constant(node); break;
      case ValueNode::Kind::Index: w = integer(seen(node.index)); break;
      case ValueNode::Kind::Read: w = read(v, node); break;
      case ValueNode::Kind::Apply: w = apply(v, node); break;
      case ValueNode::Kind::Check: w = write(node.operands[1]); break;
      case ValueNode::Kind::Search: break;  // of kernels alone
      case ValueNode::Kind::Cast:
        w = write(node.operands[0]);
        if (!wraps(fusion_.values(), node)) w = cast(w, node.type);
        break;
    }
    if (std::int64_t(w.text.size()) > kLongestFormula) {
      refuse("its statement is too long for a file", "name parts of it as tensors of their own");
    }
    written_.emplace(std::uint32_t(v), std::move(w));
  }
  return written_.at(std::uint32_t(root));
}

// A number as the formula has it: weak, of int32, int64 or float.
Written FormulaWriter::literal(const ValueNode& node, bool as_integer) {
  if (node.type == DataType::Bool) {
    const bool truth = node.integer != 0;
    return {truth ? "true" : "false", kCall, 1,
            read_.constant(DataType::Bool, std::int64_t(truth), true)};
  }
  if (is_floating(node.type) && !as_integer) {
    const std::string text =
        real_text(node.real, !node.weak && compute_type(node.type) == DataType::Float);
    const bool is_finite = std::isfinite(node.real);
    double value = node.real;
    if (is_finite) std::from_chars(text.data(), text.data() + text.size(), value);
    return {text, is_finite ? (text[0] == '-' ? kUnary : kCall) : kProduct, 1,
            read_.constant(DataType::Float, value, true)};
  }
  const std::int64_t value = is_floating(node.type) ? std::int64_t(node.real) : node.integer;
  const DataType type = std::int32_t(value) == value ? DataType::Int32 : DataType::Int64;
  return {std::to_string(value), value < 0 ? kUnary : kCall, 1, read_.constant(type, value, true)};
}

Written FormulaWriter::constant(const ValueNode& node) {
  Written w = literal(node, false);
  return node.weak ? w : cast(w, node.type);
}

Written FormulaWriter::cast(const Written& of, DataType type) {
  return {std::string(to_string(type)) + "(" + of.text + ")", kCall, of.depth + 1,
          read_.cast(of.value, type)};
}

// The texts to try for an operand: without a cast that the reader adds; a literal adapts its type.
std::vector<Written> FormulaWriter::forms(ValueId operand) {
  const ValueNode& node = fusion_.values()[operand];
  std::vector<Written> list;
  if (node.kind == ValueNode::Kind::Constant && !node.weak) {
    constexpr double kExact = 1 << 24;
    const bool is_whole = is_floating(node.type) && std::floor(node.real) == node.real &&
                          std::abs(node.real) < kExact &&
                          (node.real != 0 || !std::signbit(node.real));
    if (is_whole) list.push_back(literal(node, true));
    list.push_back(literal(node, false));
  }
  if (node.kind == ValueNode::Kind::Cast && compute_type(node.type) == node.type) {
    list.push_back(write(node.operands[0]));
  }
  list.push_back(write(operand));
  return list;
}

Written FormulaWriter::combine(Function f, std::vector<Written> operands) {
  Written w;
  std::vector<ValueId> values;
  for (const Written& o : operands) values.push_back(o.value);
  w.value = read_.apply(f, std::move(values));
  const int own = precedence(f);
  w.precedence = own;
  const std::string sign(selvage::info(f).text);
  if (own == kCall) {
    w.text = sign + "(";
    for (std::size_t k = 0; k < operands.size(); ++k) {
      w.text += (k > 0 ? ", " : "") + operands[k].text;
      w.depth = std::max(w.depth, operands[k].depth + 1);
    }
    w.text += ")";
    return w;
  }
  if (own == kUnary) {
    // A minus before digits would be read as part of the number.
    const Written& o = operands[0];
    const bool is_number = !o.text.empty() && (std::isdigit(o.text[0]) != 0 || o.text[0] == '.');
    const Written inner = within(o, is_number && f == Function::Neg ? kCall + 1 : kUnary);
    w.text = (f == Function::Neg ? "-" : "!") + inner.text;
    w.depth = inner.depth + 1;
    return w;
  }
  const Written left = within(operands[0], own), right = within(operands[1], own + 1);
  w.text = left.text + " " + sign + " " + right.text;
  w.depth = std::max(left.depth, right.depth + 1);
  return w;
}

Written FormulaWriter::apply(ValueId v, const ValueNode& node) {
  std::vector<std::vector<Written>> choices;
  std::size_t all = 1;
  for (ValueId operand : node.operands) {
    choices.push_back(forms(operand));
    all *= choices.back().size();
  }
  for (std::size_t pick = 0; pick < all; ++pick) {
    std::vector<Written> operands;
    std::size_t rest = pick;
    for (const std::vector<Written>& forms : choices) {
      operands.push_back(forms[rest % forms.size()]);
      rest /= forms.size();
    }
    try {
      Written w = combine(node.function, std::move(operands));
      if (node.math == Math::Fast && fusion_.math() == Math::Exact) {
        read_.make_fast(w.value);
        w = {"fast(" + w.text + ")", kCall, w.depth + 1, w.value};
      }
      const ValueNode& made = read_[w.value];
      if (is_same(v, wraps(read_, made) ? made.operands[0] : w.value)) return w;
    } catch (const BadInput& e) {
      if (e.diagnostic().code != "E506") throw;  // a literal that does not fit this way
    }
  }
  refuse("reading no text gives its " + std::string(selvage::info(node.function).text) + " of " +
             std::string(to_string(node.type)),
         "cast what it takes");
}

Written FormulaWriter::read(ValueId v, const ValueNode& node) {
  const auto source = TensorId(node.source);
  Written w{names_[source] + "[", kCall, 1, {}};
  const std::vector<Expr> extents = fusion_.shape(source);
  std::vector<ValueId> indices(node.loaded.size());
  for (std::size_t axis = 0; axis < node.subscripts.size(); ++axis) {
    const Expr e = node.subscripts[axis];
    const auto is_it = [&](const LoadedIndex& l) { return same(l.symbol, e); };
    const auto loaded = std::ranges::find_if(node.loaded, is_it);
    if (axis > 0) w.text += ", ";
    if (loaded == node.loaded.end()) {
      w.text += subscript(seen(e), extents[axis]);
      continue;
    }
    const auto k = std::size_t(loaded - node.loaded.begin());
    const Written own = loaded_subscript(node, k, extents[axis]);
    w.text += own.text;
    w.depth = std::max(w.depth, own.depth + 1);
    indices[k] = own.value;
  }
  w.text += "]";
  const DataType type = types_[node.source];
  const auto made = [&](std::optional<ValueId> outside) {
    return read_.gather(type, node.source, node.subscripts, node.loaded, indices, outside);
  };
  if (!node.otherwise()) {
    w.value = made({});
    return w;
  }
  std::vector<Written> otherwise = forms(*node.otherwise());
  otherwise.push_back(cast(write(*node.otherwise()), type));
  for (const Written& other : otherwise) {
    const ValueNode& fills = read_[other.value];
    const auto common = promote(type, false, fills.type, fills.weak);
    if (!common || compute_type(*common) != compute_type(type)) continue;
    const ValueId filled = made(other.value);
    w.value = common == type ? filled : read_.cast(filled, *common);
    if (!is_same(v, w.value)) continue;
    w.text = "fill(" + w.text + ", " + other.text + ")";
    w.depth = std::max(w.depth, other.depth) + 1;
    return w;
  }
  refuse("reading no text gives what fills " + names_[source] + " out of bounds",
         "fill it with a value of its own type");
}

// A subscript that is a value: a load, under its access mode.
Written FormulaWriter::loaded_subscript(const ValueNode& read, std::size_t k, Expr extent) {
  const ValueGraph& values = fusion_.values();
  const IndexMode mode = read.loaded[k].mode;
  ValueId index = read.operands[k];
  if (mode == IndexMode::Clamped) index = values[values[index].operands[0]].operands[0];
  // Reading brings an element to int64 by itself.
  const ValueNode& own = values[index];
  const bool is_cast = own.kind == ValueNode::Kind::Cast && own.type == DataType::Int64;
  const ValueId element = is_cast ? own.operands[0] : index;
  if (values[element].kind != ValueNode::Kind::Read || values[element].otherwise()) {
    refuse("it is read at a computed index", "compute the index as a tensor of its own");
  }
  Written w = write(element);
  w.value = read_.cast(w.value, DataType::Int64);
  if (mode == IndexMode::Clamped) w.value = clamped_to(read_, w.value, extent);
  if (mode == IndexMode::Clamped) w.text = "clamped(" + w.text + ")";
  if (mode == IndexMode::Unchecked) w.text = "unchecked(" + w.text + ")";
  return w;
}

// An integer expression as a value: by the operations of values, where it is more than a name.
Written FormulaWriter::integer(Expr e) {
  const auto both = [&](Function f) { return combine(f, {integer(e[0]), integer(e[1])}); };
  if (e.is(Op::Symbol)) return {std::string(e.name()), kCall, 1, read_.index(e)};
  if (e.depth() > std::uint32_t(kDeepestWritten) || e.size() > 1'000) {
    refuse("an index expression is too deep for a file", "give parts of it names as tensors");
  }
  if (e.is(Op::Const)) {
    // As wide as an index.
    const DataType type = std::int32_t(e.value()) == e.value() ? DataType::Int32 : DataType::Int64;
    Written w{std::to_string(e.value()), e.value() < 0 ? kUnary : kCall, 1,
              read_.constant(type, e.value(), true)};
    return w;
  }
  if (e.is(Op::Add)) return both(Function::Add);
  if (e.is(Op::Sub)) return both(Function::Sub);
  if (e.is(Op::Mul)) return both(Function::Mul);
  if (e.is(Op::Div)) return both(Function::FloorDiv);
  if (e.is(Op::Mod)) return both(Function::Mod);
  if (e.is(Op::Min)) return both(Function::Min);
  if (e.is(Op::Max)) return both(Function::Max);
  refuse("it computes with " + to_string(e), "use + - * / % min max of indices");
}

// A subscript: by an access mode, where one makes just this, or else by the operations that reading
// knows.
std::string FormulaWriter::subscript(Expr e, Expr extent) {
  if (e.depth() > std::uint32_t(kDeepestWritten) || e.size() > 1'000) {
    refuse("a subscript is too long for a file", "read through a tensor in between");
  }
  constexpr AccessMode kModes[] = {AccessMode::Mirror, AccessMode::Reflect, AccessMode::Clamped,
                                   AccessMode::Circular};
  const bool may_be_remapped = e.is(Op::Min) || e.is(Op::Mod);
  for (Expr x : may_be_remapped ? reachable(std::span(&e, 1), true) : std::vector<Expr>{}) {
    const bool is_number = !x.is(Op::Lt) && !x.is(Op::Le) && !x.is(Op::Eq) && !x.is(Op::Bool);
    if (same(x, e) || !is_number) continue;
    for (const AccessMode mode : kModes) {
      // A remainder of a view is no access mode: those go past the ends of an axis.
      if (mode == AccessMode::Circular && !x.is(Op::Add) && !x.is(Op::Sub)) continue;
      if (!same(remapped(simplifier_, mode, x, extent), e)) continue;
      return std::string(to_string(mode)) + "(" + subscript_part(x, 0) + ")";
    }
  }
  return subscript_part(e, 0);
}

std::string FormulaWriter::subscript_part(Expr e, int outer) {
  const auto infix = [&](const char* sign, int own) {
    const std::string text =
        subscript_part(e[0], own) + " " + sign + " " + subscript_part(e[1], own + 1);
    return own < outer ? "(" + text + ")" : text;
  };
  const auto has_index = [&](Expr part) {
    const std::vector<Expr> symbols = symbols_of(std::span(&part, 1));
    return std::any_of(symbols.begin(), symbols.end(),
                       [&](Expr s) { return !names_.is_size(std::string(s.name())); });
  };
  if (e.is(Op::Symbol)) return std::string(e.name());
  if (e.is(Op::Const)) {
    const std::string text = std::to_string(e.value());
    return e.value() < 0 && outer > kSum ? "(" + text + ")" : text;
  }
  if (e.is(Op::Add)) return infix("+", kSum);
  if (e.is(Op::Sub)) return infix("-", kSum);
  if (e.is(Op::Mul) && !(has_index(e[0]) && has_index(e[1]))) return infix("*", kProduct);
  if ((e.is(Op::Div) || e.is(Op::Mod)) && !has_index(e[1]) && simplifier_.proves(e[1] >= 1)) {
    return infix(e.is(Op::Div) ? "//" : "%", kProduct);
  }
  refuse("its subscript " + to_string(e) + " is not affine",
         "read with affine subscripts, or quotients by sizes");
}

// Whether the value in the fusion and the one that is read are computed by the same operations, in
// the same types.
bool FormulaWriter::is_same(ValueId original, ValueId as_read) {
  const auto key = [](ValueId a, ValueId b) { return (std::uint64_t(a) << 32) | std::uint64_t(b); };
  std::vector<std::pair<ValueId, ValueId>> open = {{original, as_read}};
  while (!open.empty()) {
    const auto [x, y] = open.back();
    if (same_.contains(key(x, y))) {
      open.pop_back();
      continue;
    }
    const ValueNode &a = fusion_.values()[x], &b = read_[y];
    bool is_settled = true;
    bool is_equal = a.kind == b.kind && a.source == b.source &&
                    compute_type(a.type) == compute_type(b.type) &&
                    a.operands.size() == b.operands.size();
    // An index expression is read as operations on indices.
    if (a.kind == ValueNode::Kind::Index && !seen(a.index).is(Op::Symbol)) {
      is_equal = true;
    } else if (is_equal) {
      switch (a.kind) {
        case ValueNode::Kind::Constant:
          is_equal = is_floating(a.type) ? same_real(a.real, b.real) : a.integer == b.integer;
          break;
        case ValueNode::Kind::Index: is_equal = same(seen(a.index), b.index); break;
        case ValueNode::Kind::Read: {
          for (std::size_t k = 0; k < a.subscripts.size(); ++k) {
            is_equal = is_equal && same(a.subscripts[k], b.subscripts[k]);
          }
          break;
        }
        case ValueNode::Kind::Apply: is_equal = a.function == b.function && a.math == b.math; break;
        case ValueNode::Kind::Cast: is_equal = a.type == b.type; break;
        case ValueNode::Kind::Check:
        case ValueNode::Kind::Search: is_equal = a.source == b.source; break;
      }
      std::vector<std::pair<ValueId, ValueId>> unknown;
      for (std::size_t k = 0; is_equal && k < a.operands.size(); ++k) {
        const auto it = same_.find(key(a.operands[k], b.operands[k]));
        if (it == same_.end()) unknown.emplace_back(a.operands[k], b.operands[k]);
        if (it != same_.end()) is_equal = it->second;
      }
      is_settled = !is_equal || unknown.empty();
      if (!is_settled) open.insert(open.end(), unknown.begin(), unknown.end());
    }
    if (!is_settled) continue;
    same_[key(x, y)] = is_equal;
    open.pop_back();
  }
  return same_.at(key(original, as_read));
}

}  // namespace selvage
