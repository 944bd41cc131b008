// Statements over complex tensors, brought down to statements over their parts.
#include <selvage/base/check.h>
#include <selvage/base/names.h>
#include <selvage/frontend/complex_statement.h>
#include <selvage/frontend/readers.h>
#include <selvage/ir/complex_arithmetic.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

namespace selvage {

namespace {

using Kind = FormulaNode::Kind;
using OfComplex = FormulaNode::OfComplex;

constexpr const char* kTakeAPart = "take real(z), imag(z) or abs(z), which are real numbers";

// Makes each part of each number that is asked for, once in each fold.
class PartsWriter : ComplexArithmetic {
 public:
  PartsWriter(const Formula& from, const std::vector<bool>& complex, std::string part_name)
      : from_(from), complex_(complex), part_name_(std::move(part_name)) {}

  Formula write(bool is_result_complex) {
    to_.target = from_.target;
    to_.target_at = from_.target_at;
    to_.indices = from_.indices;
    to_.is_by_position = from_.is_by_position;
    to_.offsets = from_.offsets;
    to_.assertion = from_.assertion;
    at_ = from_.target_at;
    for (std::uint32_t k : from_.stored_at) to_.stored_at.push_back(real(k));
    if (is_result_complex) {
      to_.indices.push_back({part_name_, from_.target_at, subscript_of(2)});
      if (!from_.stored_at.empty()) to_.stored_at.push_back(own_subscript());
    }
    const auto last = std::uint32_t(from_.nodes.size() - 1);
    const Operand result = operand(last);
    const Number value = is_result_complex ? part_of(result, Part::Own) : real(last);
    SELVAGE_CHECK(value + 1 == to_.nodes.size());
    return std::move(to_);
  }

 protected:
  Number make(Function f, std::vector<Number> operands) override {
    return add(
        {.kind = Kind::Apply, .function = f, .operands = std::move(operands), .is_fast = is_fast_});
  }
  Number constant(double v) override { return add({.kind = Kind::Real, .real = v}); }
  Number is_own_real() override {
    const Number part = add({.kind = Kind::Name, .name = part_name_});
    const Number zero = add({.kind = Kind::Integer});
    return make(Function::Eq, {part, zero});
  }

 private:
  Number add(FormulaNode node) {
    node.at = at_;
    node.inside = inside_;
    to_.nodes.push_back(std::move(node));
    return Number(to_.nodes.size() - 1);
  }
  Number subscript_of(std::int64_t n) {
    return add({.kind = Kind::Integer, .integer = n, .in_subscript = true});
  }
  Number own_subscript() {
    return add({.kind = Kind::Name, .name = part_name_, .in_subscript = true});
  }
  Number subscript_of(Part part) {
    if (part == Part::Real) return subscript_of(0);
    if (part == Part::Imag) return subscript_of(1);
    if (part == Part::Own) return own_subscript();
    const Number one = subscript_of(1), own = own_subscript();
    return add({.kind = Kind::Apply,
                .function = Function::Sub,
                .operands = {one, own},
                .in_subscript = true});
  }

  // A node of the statement as an operand, in the fold in which this is called.
  Operand operand(std::uint32_t k) {
    if (complex_[k]) return {true, [this, k](Part part) { return made(k, part); }};
    return {false, [this, k](Part) { return real(k); }};
  }
  std::vector<Operand> operands(const FormulaNode& node) {
    std::vector<Operand> all;
    for (std::uint32_t k : node.operands) all.push_back(operand(k));
    return all;
  }

  Number real(std::uint32_t k) { return made(k, Part::Real); }
  Number made(std::uint32_t k, Part part) {
    const std::tuple key{k, part, inside_};
    const auto it = made_.find(key);
    if (it != made_.end()) return it->second;
    const FormulaNode& node = from_.nodes[k];
    const std::size_t outer_at = std::exchange(at_, node.at);
    const bool was_fast = std::exchange(is_fast_, node.is_fast);
    const Number number = complex_[k] ? complex_node(node, part) : real_node(node);
    at_ = outer_at;
    is_fast_ = was_fast;
    made_.emplace(key, number);
    return number;
  }

  Number real_node(const FormulaNode& node) {
    if (node.kind == Kind::Complex) {
      const bool is_imag = node.of_complex == OfComplex::Imag;
      return part_of(operand(node.operands[0]), is_imag ? Part::Imag : Part::Real);
    }
    const bool is_of_complex =
        std::ranges::any_of(node.operands, [&](std::uint32_t k) { return bool(complex_[k]); });
    if (node.kind == Kind::Apply && is_of_complex) {
      return apply(node.function, operands(node), Part::Real);
    }
    return copy(node, Part::Real);
  }

  Number complex_node(const FormulaNode& node, Part part) {
    if (node.kind == Kind::Apply) return apply(node.function, operands(node), part);
    if (node.kind == Kind::Fold) return copy(node, part);
    if (node.kind == Kind::Fill) return filled(node, part);
    if (node.kind == Kind::Complex) return of_complex(node, part);
    FormulaNode element = node;
    element.kind = Kind::Element;
    for (std::uint32_t& k : element.operands) k = real(k);
    element.operands.push_back(subscript_of(part));
    return add(std::move(element));
  }

  // The node, of the same part of its operands.
  Number copy(const FormulaNode& node, Part part) {
    FormulaNode own = node;
    const auto outer = inside_;
    if (node.kind == Kind::Fold || node.kind == Kind::Compact) inside_ = own.fold = open(node.fold);
    for (std::uint32_t& k : own.operands) k = made(k, part);
    inside_ = outer;
    return add(std::move(own));
  }
  std::size_t open(std::size_t number) {
    Formula::Fold fold = from_.folds[number];
    fold.outer = inside_;
    for (Formula::Index& i : fold.indices) {
      if (i.extent) i.extent = real(*i.extent);
    }
    to_.folds.push_back(std::move(fold));
    return to_.folds.size() - 1;
  }

  // What stands out of bounds has both parts, too.
  Number filled(const FormulaNode& node, Part part) {
    if (node.operands.size() == 1) return copy(node, part);
    const auto one = [&](Part p) {
      FormulaNode fill = node;
      fill.operands = {made(node.operands[0], p), part_of(operand(node.operands[1]), p)};
      return add(std::move(fill));
    };
    if (part == Part::Real || part == Part::Imag) return one(part);
    const Number real = one(Part::Real), imag = one(Part::Imag);
    return choose(part, real, imag);
  }

  Number of_complex(const FormulaNode& node, Part part) {
    const Operand first = operand(node.operands[0]);
    if (node.of_complex == OfComplex::Conj) return conj(first, part);
    if (node.of_complex == OfComplex::FromParts) {
      return from_parts(first, operand(node.operands[1]), part);
    }
    const DataType type =
        node.of_complex == OfComplex::Complex64 ? DataType::Float : DataType::Double;
    const Number own = part_of(first, part);
    return add({.kind = Kind::Cast, .type = type, .operands = {own}});
  }

  const Formula& from_;
  const std::vector<bool>& complex_;
  std::string part_name_;
  Formula to_;
  std::size_t at_ = 0;                      // the place in the text of what is made
  bool is_fast_ = false;                    // fast(...) stands around it
  std::optional<std::size_t> inside_ = {};  // its fold
  std::map<std::tuple<std::uint32_t, Part, std::optional<std::size_t>>, Number> made_;
};

bool is_of_order(Function f) {
  constexpr Function kOrder[] = {Function::Lt,   Function::Le,   Function::Min, Function::Max,
                                 Function::FMin, Function::FMax, Function::Relu};
  return std::ranges::find(kOrder, f) != std::end(kOrder);
}

bool is_of_order(Reduction r) {
  constexpr Reduction kOrder[] = {Reduction::Max,  Reduction::Min,    Reduction::FMax,
                                  Reduction::FMin, Reduction::ArgMax, Reduction::ArgMin};
  return std::ranges::find(kOrder, r) != std::end(kOrder);
}

}  // namespace

ComplexStatement::ComplexStatement(const Formula& formula, const Node& text,
                                   const ComplexTensors& tensors)
    : formula_(formula), text_(text), tensors_(tensors) {
  for (const FormulaNode& node : formula.nodes) complex_.push_back(find_kind(node));
}

void ComplexStatement::refuse_at(const FormulaNode& node, const std::string& what,
                                 const std::string& help) const {
  refuse("E518", place_in(text_, node.at), what, help);
}

bool ComplexStatement::is_complex_tensor(const FormulaNode& node) const {
  const auto tensor = tensors_.find(node.name);
  if (tensor == tensors_.end()) return false;
  if (node.kind == Kind::Name) return tensor->second == 0 && !node.in_subscript;
  if (node.in_subscript) {
    refuse("E516", place_in(text_, node.at),
           "the subscript reads " + node.name + ", which is complex",
           "cast its real part to an integer, in a statement of its own");
  }
  // A position stands for a row and an item.
  const std::size_t rank = tensor->second - (node.is_by_position && tensor->second > 0 ? 1 : 0);
  if (rank == node.operands.size()) return true;
  refuse("E503", place_in(text_, node.at),
         node.name + " has rank " + std::to_string(rank) + " and is read at " +
             std::to_string(node.operands.size()) +
             (node.operands.size() == 1 ? " subscript" : " subscripts"),
         "give one subscript for each axis; a part of it is real(" + node.name + "[...])");
}

bool ComplexStatement::find_kind(const FormulaNode& node) const {
  const auto of = [&](std::size_t k) { return bool(complex_[node.operands[k]]); };
  switch (node.kind) {
    case Kind::Integer:
    case Kind::Real:
    case Kind::Truth:
    case Kind::Remap:
    case Kind::Neutral: return false;
    case Kind::Name:
    case Kind::Element: return is_complex_tensor(node);
    case Kind::Fill: return of(0) || (node.operands.size() == 2 && of(1));
    case Kind::Apply: {
      check_function(node);
      const std::size_t begin = node.function == Function::Select ? 1 : 0;
      bool is_any = false;
      for (std::size_t k = begin; k < node.operands.size(); ++k) is_any = is_any || of(k);
      return is_any && !ComplexArithmetic::is_real(node.function);
    }
    case Kind::Cast:
      if (!of(0)) return false;
      refuse_at(node, "a complex number is cast to " + std::string(to_string(node.type)),
                kTakeAPart);
    case Kind::Fold: {
      if (of(0)) check_fold(node);
      return of(0);
    }
    case Kind::Compact:
      if (!of(0) && !of(1)) return false;
      refuse_at(node, "compact of complex numbers is not supported yet",
                "compact their real and their imaginary parts, each in a statement of its own");
    case Kind::Complex: break;
  }
  const OfComplex what = node.of_complex;
  if (what == OfComplex::FromParts && (of(0) || of(1))) {
    refuse_at(node, "a part of a complex number is complex itself", kTakeAPart);
  }
  if (what == OfComplex::Conj) return of(0);
  return what != OfComplex::Real && what != OfComplex::Imag;
}

void ComplexStatement::check_function(const FormulaNode& node) const {
  const bool is_any =
      std::ranges::any_of(node.operands, [&](std::uint32_t k) { return bool(complex_[k]); });
  if (!is_any) return;
  const Function f = node.function;
  if (is_of_order(f)) refuse_at(node, "complex numbers have no order", kTakeAPart);
  const std::string name(info(f).text);
  if (!ComplexArithmetic::has(f)) {
    refuse_at(node, "there is no " + name + " of complex numbers",
              "they have + - * / == !=, abs, exp, conj, select, sum, mean and cumsum; or "
              "take real(z), imag(z)");
  }
  if (f == Function::Select && complex_[node.operands[0]]) {
    refuse_at(node, "a complex number is no condition", "compare it, such as z[i] != 0");
  }
}

void ComplexStatement::check_fold(const FormulaNode& node) const {
  const Formula::Fold& fold = formula_.folds[node.fold];
  if (fold.how == Reduction::Sum || fold.how == Reduction::Mean) return;
  const bool has_order = is_of_order(fold.how);
  refuse_at(node,
            has_order ? std::string("complex numbers have no order")
                      : "there is no " + fold.name() + " of complex numbers",
            has_order ? kTakeAPart : "sum, mean and cumsum are there; or take real(z), imag(z)");
}

Formula ComplexStatement::by_parts(bool is_result_complex,
                                   const std::function<bool(const std::string&)>& is_taken) const {
  const auto is_used = [&](const std::string& name) {
    const auto has = [&](const auto& list, auto member) {
      return std::ranges::find(list, name, member) != list.end();
    };
    return is_taken(name) || has(formula_.indices, &Formula::Index::name) ||
           has(formula_.nodes, &FormulaNode::name) ||
           std::ranges::any_of(formula_.folds, [&](const Formula::Fold& f) {
             return has(f.indices, &Formula::Index::name);
           });
  };
  std::string name = "part";
  for (int k = 2; is_used(name); ++k) name = "part_" + std::to_string(k);
  return PartsWriter(formula_, complex_, name).write(is_result_complex);
}

}  // namespace selvage
