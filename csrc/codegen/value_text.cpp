#include <selvage/base/check.h>
#include <selvage/base/recycling.h>
#include <selvage/codegen/function_form.h>
#include <selvage/codegen/value_text.h>
#include <selvage/ir/reads.h>

#include <algorithm>
#include <array>

namespace selvage {

namespace {

constexpr std::size_t kLongText = 80;

CText call(std::string function, const CText& operand) {
  return {std::move(function) + "(" + operand.text + ")"};
}

// Whether the n low bits of the result depend only on the n low bits of the operands, for every n.
bool is_modular(const ValueNode& node) {
  return node.kind == ValueNode::Kind::Apply && is_integer(node.type) &&
         (node.function == Function::Add || node.function == Function::Sub ||
          node.function == Function::Mul || node.function == Function::Neg ||
          info(node.function).rule == ResultRule::Bits);
}

bool is_comparison(Function f) {
  return f == Function::Lt || f == Function::Le || f == Function::Eq || f == Function::Ne;
}

std::string indented(const std::string& line) { return "  " + line; }

}  // namespace

ValueText::ValueText(const Kernel& kernel, const BufferText& buffers, IndexText& index,
                     Helpers& helpers, Names& names)
    : kernel_(kernel),
      buffers_(buffers),
      index_(index),
      helpers_(helpers),
      names_(names),
      texts_(kernel.values.size()) {
  for (std::size_t i = 0; i < kernel.values.size(); ++i) {
    const ValueNode& node = kernel.values[ValueId(i)];
    const auto reads = [&](ValueId v) { return reads_[std::size_t(v)]; };
    // What a check records is as if it were read: only where the value is asked for.
    reads_.push_back(node.kind == ValueNode::Kind::Read || node.kind == ValueNode::Kind::Check ||
                     std::any_of(node.operands.begin(), node.operands.end(), reads));
  }
}

// Whether the node is a select a branch of which reads memory. Only the chosen branch may then be
// evaluated, as by C's conditional.
bool ValueText::is_lazy(const ValueNode& node) const {
  return node.kind == ValueNode::Kind::Apply && node.function == Function::Select &&
         (reads_[std::size_t(node.operands[1])] || reads_[std::size_t(node.operands[2])]);
}

// The nodes that are evaluated whenever the root is, and how often the text of each is used.
struct ValueText::Region {
  std::vector<ValueId, Recycling<ValueId>> nodes;  // operands before their users
  std::vector<int, Recycling<int>> uses;           // of each node

  // The index of v in `nodes`; nodes.size() if v is not there.
  std::size_t position(ValueId v) const {
    const auto it = std::ranges::lower_bound(nodes, v);
    return it != nodes.end() && *it == v ? std::size_t(it - nodes.begin()) : nodes.size();
  }
};

ValueText::Region ValueText::region(ValueId root) const {
  Region r;
  // A heap of values to visit, users before their operands; a value is in it once for each use.
  std::vector<ValueId, Recycling<ValueId>> open, branches;
  open.reserve(16);
  r.nodes.reserve(16);
  r.uses.reserve(16);
  open.push_back(root);
  while (!open.empty()) {
    std::ranges::pop_heap(open);
    const ValueId v = open.back();
    open.pop_back();
    if (!r.nodes.empty() && r.nodes.back() == v) {
      ++r.uses.back();
      continue;
    }
    if (is_known(v)) continue;
    r.nodes.push_back(v);
    r.uses.push_back(v == root ? 0 : 1);
    const ValueNode& node = kernel_.values[v];
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
      if (i > 0 && is_lazy(node)) {
        branches.push_back(node.operands[i]);
      } else {
        open.push_back(node.operands[i]);
        std::ranges::push_heap(open);
      }
    }
  }
  std::ranges::reverse(r.nodes);
  std::ranges::reverse(r.uses);
  // A value that a branch shares with the region must have a name in the region.
  for (ValueId branch : branches) {
    for (ValueId v : values_under(kernel_.values, branch)) {
      if (const std::size_t at = r.position(v); at < r.nodes.size()) r.uses[at] += 2;
    }
  }
  return r;
}

// Whether a 64-bit value is known to fit 32 bits: it is an index of a kernel with 32-bit indices, a
// small constant, cast from a 32-bit type, or the lesser or the greater of two such.
bool ValueText::is_small(ValueId v) const {
  const ValueNode& node = kernel_.values[v];
  if (node.type != DataType::Int64) return false;
  switch (node.kind) {
    case ValueNode::Kind::Index: return index_.type() == DataType::Int32;
    case ValueNode::Kind::Constant: return node.integer >= INT32_MIN && node.integer <= INT32_MAX;
    case ValueNode::Kind::Cast:
      return compute_type(kernel_.values[node.operands[0]].type) == DataType::Int32;
    case ValueNode::Kind::Apply: return picks_small(node);
    case ValueNode::Kind::Check: return is_small(node.operands[1]);
    case ValueNode::Kind::Search: return index_.type() == DataType::Int32;
    case ValueNode::Kind::Read: return false;
  }
  return false;
}
bool ValueText::picks_small(const ValueNode& node) const {
  return node.kind == ValueNode::Kind::Apply &&
         (node.function == Function::Min || node.function == Function::Max) &&
         std::ranges::all_of(node.operands, [&](ValueId o) { return is_small(o); });
}

void ValueText::set(std::vector<ValueId>& all, ValueId v) {
  const auto it = std::ranges::lower_bound(all, v);
  if (it == all.end() || *it != v) all.insert(it, v);
}
bool ValueText::is_in(const std::vector<ValueId>& all, ValueId v) {
  return std::ranges::binary_search(all, v);
}

// Finds how many low bits of each value its uses need, users before operands; of the root that is
// `bits`. By this sets narrow_, the 64-bit values that may be computed in 32 bits, and unwrapped_,
// the casts to narrow integers that need not wrap around.
void ValueText::narrow(const Region& r, ValueId root, int bits) {
  struct Asked {
    int uses = 0;  // of those that say how much they look at
    int bits = 0;  // the most of them
  };
  std::vector<Asked> asked(r.nodes.size());
  const auto ask = [&](ValueId v, int of_it) {
    const std::size_t at = r.position(v);
    if (at == r.nodes.size()) return;
    ++asked[at].uses;
    asked[at].bits = std::max(asked[at].bits, of_it);
  };
  ask(root, bits);
  for (std::size_t k = r.nodes.size(); k-- > 0;) {
    const ValueId v = r.nodes[k];
    const ValueNode& node = kernel_.values[v];
    const int all = r.uses[k] + (v == root ? 1 : 0);
    const int own = asked[k].uses == all ? asked[k].bits : kAllBits;
    const auto is_integral = [&](ValueId o) {
      return is_integer(compute_type(kernel_.values[o].type));
    };
    const bool casts_integers = node.kind == ValueNode::Kind::Cast && is_integer(node.type) &&
                                is_integral(node.operands[0]);
    const int width = 8 * size_of(node.type);
    if (casts_integers && is_narrow_integer(node.type) && own <= width) set(unwrapped_, v);
    const bool is_wide = is_integer(node.type) && size_of(compute_type(node.type)) == 8;
    const bool is_leaf =
        node.kind == ValueNode::Kind::Constant || node.kind == ValueNode::Kind::Index;
    // The lesser of two values that fit 32 bits is the same in 32 bits.
    const bool picks = is_wide && own <= 32 && picks_small(node);
    if (is_wide && own <= 32 && (is_leaf || casts_integers || is_modular(node) || picks)) {
      set(narrow_, v);
    }
    // Values that fit 32 bits compare, and convert to floats, alike in 32 bits and in 64.
    const bool compares = node.kind == ValueNode::Kind::Apply && is_comparison(node.function);
    const bool is_exact = node.kind == ValueNode::Kind::Cast && is_floating(node.type);
    if (picks) {
      for (ValueId operand : node.operands) ask(operand, 32);
    }
    if ((compares || is_exact) && std::all_of(node.operands.begin(), node.operands.end(),
                                              [&](ValueId o) { return is_small(o); })) {
      for (ValueId operand : node.operands) ask(operand, 32);
    }
    if (!casts_integers && !is_modular(node)) continue;
    for (ValueId operand : node.operands) {
      ask(operand, casts_integers ? std::min(own, width) : own);
    }
  }
}

// Declares a variable for value v, and sets `text` to its name.
std::string ValueText::declare(ValueId v, CText& text, const std::string& value) {
  const std::string name = names_.declare("v" + std::to_string(named_++));
  text = {name};
  return std::string(c_type(compute(v))) + " " + name + (value.empty() ? ";" : " = " + value + ";");
}

ValueText::Written ValueText::block(ValueId root, int bits) {
  Written out;
  const Region r = region(root);
  const std::vector<ValueId> outside = narrow_, unwrapped_outside = unwrapped_;
  narrow(r, root, bits);
  for (std::size_t k = 0; k < r.nodes.size(); ++k) {
    const ValueId v = r.nodes[k];
    CText text = node_text(v, out.lines);
    const ValueNode& node = kernel_.values[v];
    const bool is_leaf =
        node.kind == ValueNode::Kind::Constant || node.kind == ValueNode::Kind::Index;
    const bool is_shared = r.uses[k] > 1;
    // A product that need not be rounded may become part of a sum.
    const bool is_long = text.text.size() > kLongText &&
                         !(node.math == Math::Fast && node.function == Function::Mul);
    // No && or || may pass over a check.
    const bool is_check = node.kind == ValueNode::Kind::Check;
    const bool is_worth_it = v != root && !is_leaf && (is_shared || is_long || is_check);
    if (is_worth_it && text.text.find_first_of("([ ") != std::string::npos) {
      const std::string value = std::move(text.text);
      out.lines.push_back("const " + declare(v, text, value));
    }
    texts_[std::size_t(v)] = std::move(text);
  }
  out.value = text_of(root);
  for (ValueId v : r.nodes) texts_[std::size_t(v)] = {};
  out.type = compute(root);
  narrow_ = outside;
  unwrapped_ = unwrapped_outside;
  return out;
}

std::string ValueText::element_text(const ValueNode& read) {
  const std::string at = index_.write_converted(read.subscripts[0]).text;
  if (read.subscripts.size() == 1) return buffers_.read(read.source, at);
  reads_ranks_ = true;
  return buffers_.read_in_rank(read.source, at, index_.write_converted(read.subscripts[1]).text);
}

CText ValueText::node_text(ValueId v, std::vector<std::string>& lines) {
  const ValueNode& node = kernel_.values[v];
  switch (node.kind) {
    case ValueNode::Kind::Constant:
      return literal(compute(v) == compute_type(node.type)
                         ? value_of(node)
                         : Scalar::of(DataType::Int32, std::int32_t(node.integer)));
    case ValueNode::Kind::Index: {
      if (index_.type() == compute(v)) return index_.write(node.index);
      return cast(c_type(compute(v)), index_.write_converted(node.index));
    }
    case ValueNode::Kind::Read: {
      return load({element_text(node)}, kernel_.buffers[node.source].type);
    }
    case ValueNode::Kind::Cast: {
      const ValueId from = node.operands[0];
      const DataType to = compute(v);
      if (const auto number = real_number(from, to)) return round(*number, node.type);
      if (is_in(unwrapped_, v)) return convert(text_of(from), compute(from), to);
      return round(convert_to_round(text_of(from), compute(from), to, node.type), node.type);
    }
    case ValueNode::Kind::Apply:
      if (std::ranges::count(shared_, v) > 0) return shared_quotient(v, lines);
      return is_lazy(node) ? select(node, lines) : apply(v);
    case ValueNode::Kind::Check: return checked(node);
    case ValueNode::Kind::Search: return search(node);
  }
  return {};
}

CText ValueText::search(const ValueNode& node) {
  const Buffer& buffer = kernel_.buffers[node.source];
  const char* name = buffer.type == DataType::Int64 ? "row_at" : "row_at_int";
  const auto end = [&](std::size_t k) { return index_.write_converted(node.subscripts[k]).text; };
  return {helpers_.use(name, index_.type()) + "(" + buffers_.pointer(node.source) + ", " + end(0) +
          ", " + end(1) + ", " + text_of(node.operands[0]).text + ", " +
          std::to_string(node.integer) + ")"};
}

CText ValueText::checked(const ValueNode& node) {
  const auto& buffers = kernel_.buffers;
  const auto failures = std::ranges::find_if(buffers, &Buffer::is_for_failures);
  SELVAGE_CHECK(failures != buffers.end());
  const auto operand = [&](std::size_t k) { return text_of(node.operands[k]).text; };
  return {helpers_.use("checked", compute_type(node.type)) + "(" + operand(0) + ", " + operand(1) +
          ", " + buffers_.pointer(BufferId(failures - buffers.begin())) + ", " +
          std::to_string(node.source) + ", " + operand(3) + ", " + operand(2) + ")"};
}

// The literal of float type `to` for an integer constant that the type represents exactly; nothing
// for any other value.
std::optional<CText> ValueText::real_number(ValueId v, DataType to) const {
  const ValueNode& node = kernel_.values[v];
  const std::int64_t most = std::int64_t{1} << (to == DataType::Float ? 24 : 53);
  std::optional<std::int64_t> number;
  if (node.kind == ValueNode::Kind::Index && node.type == DataType::Int64) {
    number = index_.constant_value(node.index);
  } else if (node.kind == ValueNode::Kind::Constant && is_integer(node.type) &&
             node.type != DataType::UInt64) {
    number = node.integer;
  }
  if (!is_floating(to) || !number || *number < -most || *number > most) return std::nullopt;
  return literal(selvage::convert(Scalar::of(DataType::Int64, *number), to));
}

// Writes condition ? a : b, or an if statement where a branch needs lines of its own.
CText ValueText::select(const ValueNode& node, std::vector<std::string>& lines) {
  const CText condition = text_of(node.operands[0]);
  Written branches[2];
  for (int i : {0, 1}) {
    const ValueId branch = node.operands[std::size_t(i) + 1];
    branches[i] = is_known(branch) ? Written{.lines = {}, .value = text_of(branch)} : block(branch);
  }
  if (branches[0].lines.empty() && branches[1].lines.empty()) {
    return {inside(condition, kConditional + 1) + " ? " +
                inside(branches[0].value, kConditional + 1) + " : " +
                inside(branches[1].value, kConditional + 1),
            kConditional};
  }
  CText result;
  lines.push_back(declare(node.operands[1], result, ""));
  lines.push_back("if (" + condition.text + ") {");
  for (int i : {0, 1}) {
    for (const std::string& line : branches[i].lines) lines.push_back(indented(line));
    lines.push_back(indented(result.text + " = " + branches[i].value.text + ";"));
    lines.push_back(i == 0 ? "} else {" : "}");
  }
  return result;
}

// A sum or difference of floats as one operation with a product in it that need not be rounded;
// nothing where there is none, or where it has a name.
std::optional<CText> ValueText::contracted(const ValueNode& node) const {
  const bool subtracts = node.function == Function::Sub;
  if (!subtracts && node.function != Function::Add) return std::nullopt;
  for (const std::size_t k : {1, 0}) {
    const ValueNode& product = kernel_.values[node.operands[k]];
    const bool is_written_here =
        text_of(node.operands[k]).precedence == form_of(Function::Mul).precedence;
    if (product.kind != ValueNode::Kind::Apply || product.function != Function::Mul) continue;
    if (product.math != Math::Fast || !is_written_here) continue;
    const CText &a = text_of(product.operands[0]), &b = text_of(product.operands[1]);
    const CText& c = text_of(node.operands[1 - k]);
    const std::string first = subtracts && k == 1 ? "-" + inside(a, kPrefix) : a.text;
    const std::string last = subtracts && k == 0 ? "-" + inside(c, kPrefix) : c.text;
    return CText{"fmaf(" + first + ", " + b.text + ", " + last + ")"};
  }
  return std::nullopt;
}

CText ValueText::apply(ValueId v) {
  const ValueNode& node = kernel_.values[v];
  if (compute(v) == DataType::Float) {
    if (const auto one = contracted(node)) return *one;
  }
  const bool is_select = node.function == Function::Select;
  const bool is_narrow = is_in(narrow_, v);
  const DataType type = is_narrow ? DataType::Int32 : compute(node.operands[is_select ? 1 : 0]);
  const FunctionForm f = form_of(node.function);
  const char* pattern = is_floating(type) ? f.real : f.integer;
  const char* fast = node.math == Math::Fast ? fast_pattern(node.function) : nullptr;
  if (fast != nullptr) pattern = fast;
  if (type == DataType::UInt64 && f.natural != nullptr) pattern = f.natural;
  if (type == DataType::Bool && f.truth != nullptr) pattern = f.truth;
  SELVAGE_CHECK(pattern != nullptr);
  const bool is_call = std::string_view(pattern).ends_with(')');
  SELVAGE_CHECK(type != DataType::Bool || !is_call);  // arithmetic is done in int at least
  std::array<std::string, 3> operands;
  for (std::size_t i = 0; i < node.operands.size(); ++i) {
    const bool left = i == 0 && !is_select && f.precedence != kPrefix;
    const ValueId from = node.operands[i];
    // Few know by heart how & ^ | bind.
    const bool is_of_bits = info(node.function).rule == ResultRule::Bits;
    const int outer = is_call ? 0 : is_of_bits ? kPrefix : f.precedence + (left ? 0 : 1);
    operands[i] = is_narrow ? inside(convert(text_of(from), compute(from), type), outer)
                            : inside(text_of(from), outer);
  }
  return {expand(pattern, type, &helpers_, operands.data()), is_call ? kCall : f.precedence};
}

// Converts between compute types as C does, but floats to integers with saturation.
CText ValueText::convert(CText from, DataType from_compute, DataType to) {
  if (from_compute == to) return from;
  if (to == DataType::Bool) return {inside(from, 10) + " != 0", info(Op::Eq).precedence};
  if (is_floating(from_compute) && is_integer(to)) {
    const char* helper = to == DataType::Int32   ? "to_int"
                         : to == DataType::Int64 ? "to_long"
                                                 : "to_ulong";
    return call(helpers_.use(helper, from_compute), from);
  }
  return cast(c_type(to), from);
}

// Converts to the compute type of `to` so that rounding the result to `to` rounds only once in all.
CText ValueText::convert_to_round(CText from, DataType from_compute, DataType compute,
                                  DataType to) {
  const bool would_round_twice =
      from_compute == DataType::Double && (to == DataType::Half || to == DataType::BFloat16);
  if (!would_round_twice) return convert(std::move(from), from_compute, compute);
  return call(helpers_.use("round_to_odd", DataType::Double), from);
}

// Converts from the compute type of `to` to the form in which `to` lies in memory.
CText ValueText::store(CText from, DataType to) {
  switch (to) {
    case DataType::Int8:
    case DataType::Int16:
    case DataType::UInt8:
    case DataType::UInt16:
    case DataType::UInt32: return cast(c_storage_type(to), from);
    case DataType::Half: return call(helpers_.use("float_to_half", DataType::Float), from);
    case DataType::BFloat16: return call(helpers_.use("float_to_bfloat16", DataType::Float), from);
    case DataType::Bool:
    case DataType::Int32:
    case DataType::Int64:
    case DataType::UInt64:
    case DataType::Float:
    case DataType::Double: return from;
  }
  return from;
}

// Converts from the form in which `type` lies in memory to its compute type.
CText ValueText::load(CText from, DataType type) {
  switch (type) {
    case DataType::UInt32: return cast(c_type(DataType::Int64), from);
    case DataType::Half: return call(helpers_.use("half_to_float", DataType::Float), from);
    case DataType::BFloat16: return call(helpers_.use("bfloat16_to_float", DataType::Float), from);
    case DataType::Bool: return {from.text + " != 0", info(Op::Eq).precedence};
    case DataType::Int8:
    case DataType::Int16:
    case DataType::UInt8:
    case DataType::UInt16:  // C's own promotion to int
    case DataType::Int32:
    case DataType::Int64:
    case DataType::UInt64:
    case DataType::Float:
    case DataType::Double: return from;
  }
  return from;
}

// Rounds as storing and loading would. Unsigned types use a mask: tcc drops some chains of casts.
CText ValueText::round(CText from, DataType to) {
  const auto mask = [&](const char* bits) {
    return CText{"(" + inside(from, 10) + " & " + bits + ")"};
  };
  switch (to) {
    case DataType::UInt8: return mask("0xff");
    case DataType::UInt16: return mask("0xffff");
    case DataType::UInt32: return mask("0xffffffffLL");
    case DataType::Int8:
    case DataType::Int16:
    case DataType::Half:
    case DataType::BFloat16: return load(store(from, to), to);
    case DataType::Bool:
    case DataType::Int32:
    case DataType::Int64:
    case DataType::UInt64:
    case DataType::Float:
    case DataType::Double: return from;
  }
  return from;
}

// Whether the node reads an element that can be stored without conversion. Bools cannot: any byte
// but 0 is true.
bool ValueText::is_copy(const ValueNode& node, DataType type) const {
  return node.kind == ValueNode::Kind::Read && type != DataType::Bool &&
         kernel_.buffers[node.source].type == type;
}

ValueText::Written ValueText::write(ValueId v, DataType type) {
  // A value about to be stored need not be rounded first.
  const ValueNode& node = kernel_.values[v];
  if (node.kind == ValueNode::Kind::Cast && node.type == type) v = node.operands[0];
  if (is_copy(kernel_.values[v], type)) {
    const ValueNode& read = kernel_.values[v];
    return {{}, {element_text(read)}, type};
  }
  if (const auto number = real_number(v, compute_type(type))) {
    return {{}, store(*number, type), type};
  }
  const int float_bits = is_small(v) ? 32 : kAllBits;
  Written out = block(v, is_integer(type) ? 8 * size_of(type) : float_bits);
  const bool is_narrow = is_integer(type) && out.type != compute(v);
  if (!is_narrow) {
    out.value = convert_to_round(out.value, out.type, compute_type(type), type);
  }
  out.value = store(out.value, type);
  out.type = type;
  return out;
}

}  // namespace selvage
