#include <selvage/base/check.h>
#include <selvage/base/names.h>
#include <selvage/frontend/formula.h>
#include <selvage/frontend/readers.h>
#include <selvage/frontend/thread_statement.h>

namespace selvage {

namespace {

using Kind = FormulaNode::Kind;

class AssignmentReader {
 public:
  AssignmentReader(const Node& text, const ThreadScope& scope, ThreadProgram& program)
      : text_(text),
        scope_(scope),
        program_(program),
        update_(parse_update(text)),
        values_(nodes().size()),
        subscripts_(nodes().size()) {}

  Assign read() {
    for (std::size_t k = 0; k < nodes().size(); ++k) {
      const FormulaNode& node = nodes()[k];
      at_place<BadInput>(place(node), [&] {
        if (node.in_subscript) {
          subscripts_[k] = subscript(node);
          ThreadScope::check_size(subscripts_[k], place(node), "the subscript");
        } else if (k != update_.element) {
          values_[k] = value(node);
        }
      });
    }
    const FormulaNode& element = nodes()[update_.element];
    Assign assign{.array = array_of(element), .subscripts = subscripts_of(element)};
    assign.value = values_.back();
    if (update_.function) {
      at_place<BadInput>(place(element), [&] {
        assign.value =
            program_.values.apply(*update_.function, {read_element(element), assign.value});
      });
    }
    return assign;
  }

 private:
  const std::vector<FormulaNode>& nodes() const { return update_.formula.nodes; }
  Place place(const FormulaNode& node) const { return place_in(text_, node.at); }

  Expr subscript(const FormulaNode& node) {
    ExprPool& pool = *program_.pool;
    const auto operand = [&](std::size_t k) { return subscripts_[node.operands[k]]; };
    if (node.kind == Kind::Integer) return pool.constant(node.integer);
    if (node.kind == Kind::Name) {
      const Expr e = scope_.use(node.name, place(node));
      if (info(e.op()).result != Result::Truth) return e;
      refuse("E303", place(node), node.name + " is a condition, no number", "write a number");
    }
    if (node.kind == Kind::Apply) {
      const Function f = node.function;
      if (f == Function::Neg) return 0 - operand(0);
      if (f == Function::Add) return operand(0) + operand(1);
      if (f == Function::Sub) return operand(0) - operand(1);
      if (f == Function::Mul) return operand(0) * operand(1);
      if (f == Function::FloorDiv) return operand(0) / operand(1);
      if (f == Function::Mod) return operand(0) % operand(1);
      if (f == Function::Min) return min(operand(0), operand(1));
      if (f == Function::Max) return max(operand(0), operand(1));
      if (f == Function::TrueDiv) {
        refuse("E316", place(node), "the subscript divides with /, which need not give an integer",
               "write //, which does");
      }
    }
    if (node.kind == Kind::Remap) refuse_mode(node);
    refuse("E316", place(node), "the subscript is no expression of integers",
           "use + - * // %, min and max, indices, named values, symbols and integers");
  }

  ValueId value(const FormulaNode& node) {
    ValueGraph& values = program_.values;
    std::vector<ValueId> operands;
    if (node.kind == Kind::Apply || node.kind == Kind::Cast) {
      for (std::uint32_t k : node.operands) operands.push_back(values_[k]);
    }
    switch (node.kind) {
      case Kind::Integer: return values.whole(node.integer);
      case Kind::Real: return values.constant(DataType::Float, node.real, true);
      case Kind::Truth: return values.constant(DataType::Bool, node.integer, true);
      case Kind::Name: {
        const std::optional<double> special = parse_special_number(node.name);
        const bool is_taken =
            scope_.find(node.name).valid() || scope_.find_array(node.name) != nullptr;
        if (special && !is_taken) return values.constant(DataType::Float, *special, true);
        return values.index(scope_.use(node.name, place(node)));
      }
      case Kind::Element: return read_element(node);
      case Kind::Apply: {
        const ValueId v = values.apply(node.function, std::move(operands));
        if (node.is_fast) values.make_fast(v);
        return v;
      }
      case Kind::Cast: return values.cast(operands[0], node.type);
      case Kind::Neutral:
      case Kind::Compact:
      case Kind::Fold:
        refuse("E314", place(node), "a reduction stands in a thread program",
               "write the loop: for: {index: i, in: N, do: [\"y[p] += x[p, i]\"]}");
      case Kind::Complex:
        refuse("E518", place(node), "complex numbers stand in a thread program",
               "use an axis of two items, for the real and the imaginary part");
      case Kind::Fill:
      case Kind::Remap: refuse_mode(node);
    }
    SELVAGE_CHECK(!"a value");
  }
  [[noreturn]] void refuse_mode(const FormulaNode& node) const {
    refuse("E314", place(node), "an access mode stands in a thread program",
           "mask what is out of bounds with inthreads, or for ... if");
  }

  std::uint32_t array_of(const FormulaNode& node) const {
    if (const ThreadArray* array = scope_.find_array(node.name)) {
      return std::uint32_t(array - program_.arrays.data());
    }
    if (scope_.find_event(node.name) != nullptr) {
      refuse("E205", place(node), node.name + " is an event, and no array",
             "arrive at it, arrive: {event: ...}, or wait for it");
    }
    refuse(
        "E205", place(node), "there is no array " + shown(node.name),
        meant(node.name, words_of(program_.arrays, &ThreadArray::name), "declare it under arrays"));
  }

  std::vector<Expr> subscripts_of(const FormulaNode& node) const {
    const ThreadArray& array = program_.arrays[array_of(node)];
    if (array.shape.size() != node.operands.size()) {
      refuse("E503", place(node),
             node.name + " has rank " + std::to_string(array.shape.size()) + " and stands with " +
                 std::to_string(node.operands.size()) +
                 (node.operands.size() == 1 ? " subscript" : " subscripts"),
             "give one subscript for each axis");
    }
    std::vector<Expr> subscripts;
    for (std::uint32_t k : node.operands) subscripts.push_back(subscripts_[k]);
    return subscripts;
  }

  ValueId read_element(const FormulaNode& node) {
    const std::uint32_t array = array_of(node);
    return program_.values.read(program_.arrays[array].type, array, subscripts_of(node));
  }

  const Node& text_;
  const ThreadScope& scope_;
  ThreadProgram& program_;
  Update update_;
  std::vector<ValueId> values_;   // by node
  std::vector<Expr> subscripts_;  // by node
};

}  // namespace

Assign read_assignment(const Node& text, const ThreadScope& scope, ThreadProgram& program) {
  return AssignmentReader(text, scope, program).read();
}

}  // namespace selvage
