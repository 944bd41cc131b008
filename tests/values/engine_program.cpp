#include "tests/values/engine_program.h"

#include <selvage/ir/ops.h>

#include <cmath>
#include <cstdio>

namespace selvage::values {

namespace {

// A tensor whose axes are those of `axes`, in their order.
struct Built {
  Tensor tensor;
  Axes axes = 0;
};

class Builder {
 public:
  explicit Builder(const PageProgram& program)
      : program_(program), fusion_(std::make_shared<Fusion>()) {
    for (const Input& input : program.inputs) {
      std::vector<Expr> shape;
      for (std::int64_t n : input.values.shape) shape.push_back(fusion_->constant(n));
      tensors_.push_back(fusion_->input(input.name, shape, input.values.type));
    }
    for (const Statement& s : program.statements) {
      Tensor t = value(s.value).tensor;
      if (s.axes == std::vector{1, 0}) t = transpose(t, {1, 0});
      if (s.is_output) t = fusion_->output(s.name, t, s.stored);
      tensors_.push_back(t);
    }
  }

  std::shared_ptr<Fusion> take() { return fusion_; }

 private:
  static Operand operand(const Literal& l) {
    return l.is_real ? Operand(l.real) : Operand(l.integer);
  }

  Built read(const Node& node) const {
    const std::vector<int>& axes = program_.axes_of(node.tensor);
    Built b{tensors_[std::size_t(node.tensor)], axes_of(node, program_)};
    if (axes == std::vector{1, 0}) b.tensor = transpose(b.tensor, {1, 0});
    if (node.shift == std::array{0, 0}) return b;
    std::vector<std::pair<Extent, Extent>> sides;
    for (std::size_t axis = 0; axis < 2; ++axis) {
      if ((b.axes >> axis & 1U) != 0) sides.emplace_back(node.shift[axis], -node.shift[axis]);
    }
    b.tensor = pad(b.tensor, sides, operand(node.literal));
    return b;
  }

  Built value(const Node& node) const {
    if (node.kind == Node::Kind::Read) return read(node);
    if (node.kind == Node::Kind::Cast) {
      const Built b = value(node.operands[0]);
      return {selvage::cast(b.tensor, node.type), b.axes};
    }
    if (node.kind == Node::Kind::Fold) return fold(node);
    Built result{{}, axes_of(node, program_)};
    std::vector<Operand> operands;
    for (const Node& o : node.operands) {
      if (o.kind == Node::Kind::Literal) {
        operands.push_back(operand(o.literal));
        continue;
      }
      Built b = value(o);
      // Aligned at the last axes: rows alone need a column of one.
      if (b.axes == 1 && result.axes == kBothAxes) b.tensor = unsqueeze(b.tensor, 1);
      operands.push_back(b.tensor);
    }
    result.tensor = called(node.op, operands);
    return result;
  }

  static Tensor called(Op op, const std::vector<Operand>& o) {
    const auto tensor = [&] { return std::get<Tensor>(o[0].value()); };
    switch (op) {
      case Op::Add: return o[0] + o[1];
      case Op::Sub: return o[0] - o[1];
      case Op::Mul: return o[0] * o[1];
      case Op::Div: return o[0] / o[1];
      case Op::FloorDiv: return floor_div(o[0], o[1]);
      case Op::Mod: return o[0] % o[1];
      case Op::Neg: return -tensor();
      case Op::Min: return min(o[0], o[1]);
      case Op::Max: return max(o[0], o[1]);
      case Op::FMin: return fmin(o[0], o[1]);
      case Op::FMax: return fmax(o[0], o[1]);
      case Op::Lt: return o[0] < o[1];
      case Op::Le: return o[0] <= o[1];
      case Op::Gt: return o[0] > o[1];
      case Op::Ge: return o[0] >= o[1];
      case Op::Eq: return o[0] == o[1];
      case Op::Ne: return o[0] != o[1];
      case Op::And: return o[0] && o[1];
      case Op::Or: return o[0] || o[1];
      case Op::Not: return !tensor();
      case Op::Select: return select(o[0], o[1], o[2]);
      case Op::Abs: return abs(tensor());
      case Op::Relu: return relu(tensor());
      case Op::Sqrt: return sqrt(tensor());
      case Op::Rsqrt: return rsqrt(tensor());
      case Op::Floor: return floor(tensor());
      case Op::Ceil: return ceil(tensor());
      case Op::Exp: return exp(tensor());
      case Op::Log: return log(tensor());
      case Op::Tanh: return tanh(tensor());
      case Op::Sin: return sin(tensor());
      case Op::Cos: return cos(tensor());
      case Op::Erf: return erf(tensor());
      case Op::Pow: return pow(o[0], o[1]);
      case Op::Sigmoid: return sigmoid(tensor());
      case Op::Silu: return silu(tensor());
      case Op::Gelu: return gelu(tensor());
      case Op::Sign: return sign(tensor());
      case Op::BitAnd: return bit_and(o[0], o[1]);
      case Op::BitOr: return bit_or(o[0], o[1]);
      case Op::BitXor: return bit_xor(o[0], o[1]);
      case Op::BitNot: return bit_not(tensor());
      case Op::ShiftLeft: return shift_left(o[0], o[1]);
      case Op::ShiftRight: return shift_right(o[0], o[1]);
      case Op::RandomBits: return selvage::apply(Function::RandomBits, o);
      case Op::RandomUniform: return selvage::apply(Function::RandomUniform, o);
      case Op::RandomNormal: return selvage::apply(Function::RandomNormal, o);
      case Op::IsNan: return isnan(tensor());
      case Op::IsInf: return isinf(tensor());
      case Op::IsFinite: return isfinite(tensor());
      case Op::Reciprocal: return reciprocal(tensor());
      case Op::Round: return round(tensor());
      case Op::Trunc: return trunc(tensor());
      case Op::Exp2: return exp2(tensor());
      case Op::Expm1: return expm1(tensor());
      case Op::Log2: return log2(tensor());
      case Op::Log1p: return log1p(tensor());
      case Op::GeluTanh: return gelu_tanh(tensor());
      case Op::Softplus: break;
    }
    return softplus(tensor());
  }

  Built fold(const Node& node) const {
    const Built b = value(node.operands[0]);
    std::vector<int> axes;
    int k = 0;
    for (int axis = 0; axis < 2; ++axis) {
      if ((b.axes >> axis & 1U) == 0) continue;
      if ((node.folded >> axis & 1U) != 0) axes.push_back(k);
      ++k;
    }
    return {called(node, b.tensor, axes), b.axes & ~node.folded};
  }

  static Tensor called(const Node& fold, Tensor x, const std::vector<int>& axes) {
    switch (fold.how) {
      case How::Sum: return sum(x, axes);
      case How::Prod: return prod(x, axes);
      case How::Max: return max(x, axes);
      case How::Min: return min(x, axes);
      case How::FMax: return fmax(x, axes);
      case How::FMin: return fmin(x, axes);
      case How::Mean: return mean(x, axes);
      case How::Var:
        return fold.correction ? variance(x, axes, false, *fold.correction) : variance(x, axes);
      case How::Any: return any(x, axes);
      case How::All: return all(x, axes);
      case How::ArgMax: return argmax(x, axes);
      case How::ArgMin: break;
    }
    return argmin(x, axes);
  }

  const PageProgram& program_;
  std::shared_ptr<Fusion> fusion_;
  std::vector<Tensor> tensors_;
};

std::string literal_text(const Literal& l) {
  if (!l.is_real) return std::to_string(l.integer);
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", l.real);
  const std::string number = text;
  if (!std::isfinite(l.real)) return number;  // inf, nan
  return number.find_first_of(".e") == std::string::npos ? number + ".0" : number;
}

// Statements as text. Each fold has indices of its own.
class Writer {
 public:
  explicit Writer(const PageProgram& program) : program_(program) {}

  std::string statement(const Statement& s) {
    next_ = 0;
    return s.name + subscripts(s.axes, {"m", "n"}, {0, 0}) + " = " + text(s.value, {"m", "n"});
  }

 private:
  using Indices = std::array<std::string, 2>;

  static std::string subscripts(const std::vector<int>& axes, const Indices& indices,
                                std::array<int, 2> shift) {
    std::string all;
    for (int axis : axes) {
      const int by = shift[std::size_t(axis)];
      all += (all.empty() ? "" : ", ") + indices[std::size_t(axis)];
      if (by != 0) all += (by > 0 ? " - " : " + ") + std::to_string(std::abs(by));
    }
    return "[" + all + "]";
  }

  std::string text(const Node& node, const Indices& indices) {
    switch (node.kind) {
      case Node::Kind::Literal: return literal_text(node.literal);
      case Node::Kind::Read: {
        const std::string element = program_.name_of(node.tensor) +
                                    subscripts(program_.axes_of(node.tensor), indices, node.shift);
        if (node.shift == std::array{0, 0}) return element;
        return "fill(" + element + ", " + literal_text(node.literal) + ")";
      }
      case Node::Kind::Cast:
        return std::string(to_string(node.type)) + "(" + text(node.operands[0], indices) + ")";
      case Node::Kind::Fold: return fold(node, indices);
      case Node::Kind::Apply: break;
    }
    const OpText op = text_of(node.op);
    const bool is_sign = op.text[0] < 'a' || op.text[0] > 'z';
    if (is_sign && op.arity == 2) {
      return "(" + text(node.operands[0], indices) + " " + op.text + " " +
             text(node.operands[1], indices) + ")";
    }
    if (is_sign) return std::string(op.text) + "(" + text(node.operands[0], indices) + ")";
    std::string all;
    for (const Node& o : node.operands) all += (all.empty() ? "" : ", ") + text(o, indices);
    return std::string(op.text) + "(" + all + ")";
  }

  std::string fold(const Node& node, Indices indices) {
    std::string names;
    for (std::size_t axis = 0; axis < 2; ++axis) {
      if ((node.folded >> axis & 1U) == 0) continue;
      indices[axis] = "k" + std::to_string(next_++);
      names += (names.empty() ? "" : ", ") + indices[axis];
    }
    std::string inside = text(node.operands[0], indices);
    if (node.correction) inside += ", " + std::to_string(*node.correction);
    return std::string(text_of(node.how)) + "[" + names + "](" + inside + ")";
  }

  const PageProgram& program_;
  int next_ = 0;
};

}  // namespace

std::shared_ptr<Fusion> built(const PageProgram& program) { return Builder(program).take(); }

std::string file_text(const PageProgram& program, const std::string& schedule) {
  std::string text = "inputs:\n";
  for (const Input& input : program.inputs) {
    text += "  " + input.name + ": {shape: [";
    for (std::size_t k = 0; k < input.values.shape.size(); ++k) {
      text += (k == 0 ? "" : ", ") + std::to_string(input.values.shape[k]);
    }
    text += "], dtype: " + std::string(to_string(input.values.type)) + "}\n";
  }
  text += "outputs:\n";
  for (const Statement& s : program.statements) {
    if (!s.is_output) continue;
    text += "  " + s.name + ": {";
    if (s.stored) text += "dtype: " + std::string(to_string(*s.stored));
    text += "}\n";
  }
  text += "compute:\n";
  for (const Statement& s : program.statements)
    text += "  - \"" + Writer(program).statement(s) + "\"\n";
  return text + "schedule: " + schedule + "\n";
}

std::string inputs_text(const PageProgram& program) {
  std::string text;
  for (const Input& input : program.inputs) {
    text += "  " + input.name + " =";
    for (std::int64_t k = 0; k < input.values.size(); ++k) {
      text += " " + to_text(item_of(input.values, k));
    }
    text += "\n";
  }
  return text;
}

}  // namespace selvage::values
