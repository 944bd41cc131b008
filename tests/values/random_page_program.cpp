#include "tests/values/random_page_program.h"

#include <selvage/base/random.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace selvage::values {

namespace {

constexpr DataType kTypes[] = {
    DataType::Bool,     DataType::Int8,   DataType::Int16,  DataType::Int32,  DataType::Int64,
    DataType::UInt8,    DataType::UInt16, DataType::UInt32, DataType::UInt64, DataType::Half,
    DataType::BFloat16, DataType::Float,  DataType::Double};

constexpr double kReals[] = {
    0.0,          -0.0,     1.0,     -1.0,      0.5,
    -1.5,         2.5,      3.0,     -7.0,      255.0,
    256.5,        300.0,    -129.0,  1.0 / 3,   2049.0,
    45000.0,      65504.0,  65519.0, 65520.0,   -65536.0,
    16777217.0,   0x1p31,   -0x1p31, 0x1p32,    0x1p53 + 2,
    0x1p63,       -0x1p63,  0x1p64,  1e20,      -3e38,
    1e300,        0x1p-24,  0x1p-25, -0x1p-133, 0x1p-149,
    0x1p-126,     -0x1p-14, 5e-324,  0x1p-1022, 1 + 0x1p-11 + 0x1p-40,
    2147483647.0,
};

constexpr std::int64_t kWholes[] = {
    0,
    1,
    -1,
    2,
    3,
    5,
    7,
    -7,
    100,
    127,
    -128,
    128,
    200,
    255,
    256,
    -129,
    300,
    32767,
    -32768,
    32768,
    65504,
    65520,
    65535,
    65536,
    45000,
    2147483647,
    -2147483648,
    2147483648,
    4294967295,
    16777217,
    -16777217,
    9007199254740993,
    INT64_MAX,
    INT64_MIN,
    INT64_MAX - 512,
    -2,
    1LL << 40,
};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {
    for (auto& e : program_.extents) e = draw(1, 9);
    const int inputs = draw(2, 4), statements = draw(3, 10);
    for (int k = 0; k < inputs; ++k) add_input(k);
    for (int k = 0; k < statements; ++k) add_statement(k);
    // Outputs: what nothing reads, and some others.
    std::vector<char> is_read(types_.size(), 0);
    for (const Statement& s : program_.statements) mark(s.value, is_read);
    for (std::size_t k = 0; k < program_.statements.size(); ++k) {
      Statement& s = program_.statements[k];
      s.is_output = s.is_output || is_read[program_.inputs.size() + k] == 0;
    }
  }

  PageProgram take() { return std::move(program_); }

 private:
  int draw(int low, int high) { return low + int(random_.next() % std::uint64_t(high - low + 1)); }
  bool one_in(int n) { return draw(1, n) == 1; }
  template <class T, std::size_t N>
  const T& any_of(const T (&all)[N]) {
    return all[std::size_t(draw(0, int(N) - 1))];
  }

  void mark(const Node& node, std::vector<char>& is_read) {
    if (node.kind == Node::Kind::Read) is_read[std::size_t(node.tensor)] = 1;
    for (const Node& o : node.operands) mark(o, is_read);
  }

  std::vector<int> random_axes() {
    static const std::vector<int> kSets[] = {{}, {0}, {1}, {0, 1}, {0, 1}, {0, 1}, {1, 0}};
    return any_of(kSets);
  }

  Element random_element(DataType type, int style) {
    const auto some = std::int64_t(random_.next());
    if (!is_floating(type)) {
      if (style == 0 || one_in(4)) return whole(type, draw(-4, 9));
      if (one_in(3)) return whole(type, some);
      return whole(type, any_of(kWholes));
    }
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    double v = 0;
    if (style == 0) {
      v = draw(-12, 12) * 0.5;
    } else if (style == 1) {
      v = std::ldexp(double(some), -62) * draw(1, 40);
    } else if (one_in(7)) {
      v = one_in(2) ? nan : one_in(2) ? infinity : -infinity;
    } else {
      v = any_of(kReals);
    }
    return cast(Element{.type = DataType::Double, .real = v}, type);
  }

  void add_input(int k) {
    Input input{.name = std::string(1, char('a' + k)), .axes = random_axes(), .values = {}};
    std::vector<std::int64_t> shape;
    for (int axis : input.axes) shape.push_back(program_.extents[std::size_t(axis)]);
    input.values = Array(any_of(kTypes), shape);
    const int style = draw(0, 3);
    for (std::int64_t i = 0; i < input.values.size(); ++i) {
      set_item(input.values, i, random_element(input.values.type, style));
    }
    types_.push_back(input.values.type);
    program_.inputs.push_back(std::move(input));
  }

  Node read(int tensor) { return {.kind = Node::Kind::Read, .tensor = tensor}; }
  // What was computed last most of all.
  Node random_read() {
    const auto n = int(types_.size());
    return read(one_in(2) ? draw(std::max(0, n - 3), n - 1) : draw(0, n - 1));
  }

  Literal random_literal(DataType type) {
    for (int tries = 0; tries < 20; ++tries) {
      Literal literal;
      literal.is_real = is_floating(type) ? one_in(2) : one_in(12);
      literal.integer = one_in(2) ? draw(-3, 9) : any_of(kWholes);
      static constexpr double kInf = std::numeric_limits<double>::infinity();
      static constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
      static constexpr double kSome[] = {0.5,  1.5,    -2.25, 0.1,  3.0,   -0.0,
                                         -0.0, 300.25, 1e-3,  kInf, -kInf, kNan};
      if (literal.is_real) literal.real = any_of(kSome);
      // The least of 64 bits has no text of its own: it is minus what does not fit.
      if (!literal.is_real && literal.integer == INT64_MIN) continue;
      const DataType beside = type_beside(literal, type);
      if (fits(literal, beside)) return literal;
    }
    return {.integer = 1};
  }

  // A read, or the read of a neighbour beside it.
  Node leaf() {
    Node node = random_read();
    const auto& axes = program_.axes_of(node.tensor);
    const DataType type = types_[std::size_t(node.tensor)];
    if (axes.empty() || type == DataType::Bool || !one_in(6)) return node;
    Node neighbour = node;
    for (int axis : axes) {
      const int most = std::min(2, int(program_.extents[std::size_t(axis)]) - 1);
      neighbour.shift[std::size_t(axis)] = draw(-most, most);
    }
    if (neighbour.shift == std::array{0, 0}) return node;
    neighbour.literal = {.integer = draw(0, 3)};
    static constexpr Op kBetween[] = {Op::Add, Op::Sub, Op::Max, Op::Lt, Op::Mul};
    return {.kind = Node::Kind::Apply, .op = any_of(kBetween), .operands = {node, neighbour}};
  }

  Op random_op() {
    for (;;) {
      const Op op = Op(draw(0, kOps - 1));
      if (!is_library(op) || one_in(4)) return op;
    }
  }

  Node apply_to_some(int depth) {
    Node node{.kind = Node::Kind::Apply, .op = random_op()};
    const int n = text_of(node.op).arity;
    for (int k = 0; k < n; ++k) {
      node.operands.push_back(expression(depth - 1));
      Node& operand = node.operands.back();
      if (is_of_bits(node.op) && is_floating(*type_of(operand, types_))) {
        operand = cast_of(std::move(operand), kTypes[std::size_t(draw(0, 8))]);
      }
    }
    if (n == 1) return node;
    // One operand may be a literal; and what does not meet is cast.
    const auto last = std::size_t(n - 1);
    const std::size_t other = last - 1;
    const DataType beside = *type_of(node.operands[other], types_);
    if (one_in(3)) {
      Literal literal = random_literal(beside);
      while (is_of_bits(node.op) && literal.is_real) literal = random_literal(beside);
      node.operands[last] = {.kind = Node::Kind::Literal, .literal = literal};
      if (one_in(3)) std::swap(node.operands[last], node.operands[other]);
    } else if (!type_of(node, types_)) {
      node.operands[last] = cast_of(std::move(node.operands[last]), beside);
    }
    return node;
  }

  static Node cast_of(Node of, DataType type) {
    Node node{.kind = Node::Kind::Cast, .type = type};
    node.operands.push_back(std::move(of));
    return node;
  }

  Node expression(int depth) {
    if (depth == 0 || one_in(5)) return leaf();
    if (one_in(5)) return cast_of(expression(depth - 1), any_of(kTypes));
    if (one_in(8)) return fold_of(expression(depth - 1));
    return apply_to_some(depth);
  }

  Node fold_of(Node of) {
    const Axes all = axes_of(of, program_);
    if (all == 0) return of;
    Node node{.kind = Node::Kind::Fold, .how = How(draw(0, kHows - 1))};
    do {
      node.folded = Axes(draw(1, 3)) & all;
    } while (node.folded == 0);
    if (node.how == How::Var && one_in(2)) node.correction = draw(0, 2);
    node.operands.push_back(std::move(of));
    return node;
  }

  void add_statement(int k) {
    Statement s{.name = "t" + std::to_string(k), .axes = {}, .value = expression(draw(1, 3))};
    if (one_in(4)) s.value = fold_of(std::move(s.value));
    const Axes axes = axes_of(s.value, program_);
    for (int axis = 0; axis < 2; ++axis) {
      if ((axes >> axis & 1U) != 0) s.axes.push_back(axis);
    }
    if (s.axes.size() == 2 && one_in(5)) std::swap(s.axes[0], s.axes[1]);
    s.is_output = one_in(4);
    if (s.is_output && one_in(3)) s.stored = any_of(kTypes);
    types_.push_back(*type_of(s.value, types_));
    program_.statements.push_back(std::move(s));
  }

  SplitMix64 random_;
  PageProgram program_;
  std::vector<DataType> types_;
};

}  // namespace

PageProgram random_page_program(std::uint64_t seed) { return Generator(seed).take(); }

}  // namespace selvage::values
