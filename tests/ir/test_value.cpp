#include <selvage/base/diagnostic.h>
#include <selvage/expr/text.h>
#include <selvage/ir/value.h>

#include <gtest/gtest.h>

#include <string>

namespace selvage {
namespace {

// A value as text: constants, r for a Read, casts as type(x), functions by name.
std::string text(const ValueGraph& g, ValueId v) {
  const ValueNode& n = g[v];
  const std::string type(to_string(n.type));
  switch (n.kind) {
    case ValueNode::Kind::Constant: {
      const std::string number =
          is_floating(n.type) ? std::to_string(n.real) : std::to_string(n.integer);
      return number + (n.weak ? "" : " " + type);
    }
    case ValueNode::Kind::Index: return to_string(n.index);
    case ValueNode::Kind::Read: return "r";
    case ValueNode::Kind::Cast: return type + "(" + text(g, n.operands[0]) + ")";
    case ValueNode::Kind::Search: return "search";
    case ValueNode::Kind::Check: return "check(" + text(g, n.operands[1]) + ")";
    case ValueNode::Kind::Apply: {
      std::string list;
      for (ValueId o : n.operands) list += (list.empty() ? "" : ", ") + text(g, o);
      return std::string(info(n.function).name) + "(" + list + "):" + type;
    }
  }
  return "?";
}

struct Values {
  ValueId read(DataType type) { return g.read(type, 0, {}); }
  ValueId literal(int v) { return g.constant(DataType::Int32, std::int64_t{v}, true); }
  ValueId literal(double v) { return g.constant(DataType::Float, v, true); }
  std::string apply(Function f, std::vector<ValueId> operands) {
    return text(g, g.apply(f, std::move(operands)));
  }
  std::string cast(ValueId v, DataType type) { return text(g, g.cast(v, type)); }
  ValueGraph g;
};

TEST(Values, OperandsAreBroughtToOneComputeType) {
  Values v;
  const ValueId half = v.read(DataType::Half), single = v.read(DataType::Float);
  const ValueId wide = v.read(DataType::Double), i = v.read(DataType::Int32);
  const ValueId small = v.read(DataType::Int8), b = v.read(DataType::Bool);
  EXPECT_EQ(v.apply(Function::Add, {half, half}), "Add(r, r):half");
  EXPECT_EQ(v.apply(Function::Add, {half, single}), "Add(r, r):float");  // both in float anyway
  EXPECT_EQ(v.apply(Function::Add, {single, wide}), "Add(double(r), r):double");
  EXPECT_EQ(v.apply(Function::Mul, {i, half}), "Mul(float(r), r):half");
  EXPECT_EQ(v.apply(Function::Add, {small, small}), "int8(Add(r, r):int8)");
  EXPECT_EQ(v.apply(Function::TrueDiv, {i, i}), "TrueDiv(float(r), float(r)):float");
  EXPECT_EQ(v.apply(Function::Exp, {half}), "Exp(r):half");
  EXPECT_EQ(v.apply(Function::Add, {b, b}), "Add(int32(r), int32(r)):int32");
  EXPECT_EQ(v.apply(Function::Lt, {i, single}), "Lt(float(r), r):bool");
  EXPECT_EQ(v.apply(Function::And, {i, b}), "And(bool(r), r):bool");
  EXPECT_EQ(v.apply(Function::Select, {i, half, wide}), "Select(bool(r), double(r), r):double");
}

TEST(Values, LiteralsAdaptToWhatTheyMeet) {
  Values v;
  const ValueId half = v.read(DataType::Half), wide = v.read(DataType::Double);
  const ValueId i = v.read(DataType::Int32), l = v.read(DataType::Int64);
  EXPECT_EQ(v.apply(Function::Add, {half, v.literal(1.5)}), "Add(r, 1.500000):half");
  EXPECT_EQ(v.apply(Function::Mul, {v.literal(2), half}), "Mul(2.000000 float, r):half");
  EXPECT_EQ(v.apply(Function::Add, {i, v.literal(1.5)}), "Add(float(r), 1.500000):float");
  EXPECT_EQ(v.apply(Function::Add, {l, v.literal(1)}), "Add(r, 1 int64):int64");
  // Not by way of float: 0.1 keeps its digits.
  const ValueId sum = v.g.apply(Function::Add, {wide, v.literal(0.1)});
  EXPECT_EQ(v.g[v.g[sum].operands[1]].real, 0.1);
}

TEST(Values, LiteralsAloneAreFoldedAndStayWeak) {
  Values v;
  const ValueId half = v.read(DataType::Half);
  const ValueId third = v.g.apply(Function::TrueDiv, {v.literal(1), v.literal(4)});
  EXPECT_EQ(text(v.g, third), "0.250000");
  EXPECT_EQ(v.apply(Function::Neg, {v.literal(3)}), "-3");
  EXPECT_EQ(v.apply(Function::Mul, {half, third}), "Mul(r, 0.250000):half");
  EXPECT_EQ(v.apply(Function::Lt, {v.literal(1), v.literal(1.5)}), "1");
  EXPECT_EQ(v.apply(Function::Select, {v.literal(0), v.literal(1), v.literal(2)}), "2");
  const ValueId large = v.g.apply(Function::Mul, {v.literal(1 << 20), v.literal(1 << 20)});
  EXPECT_EQ(v.g[large].type, DataType::Int64);
  EXPECT_EQ(v.g[large].integer, std::int64_t{1} << 40);
}

TEST(Values, ALiteralThatDoesNotFitIsRefused) {
  Values v;
  const ValueId i = v.read(DataType::Int32), l = v.read(DataType::Int64);
  const ValueId large = v.g.constant(DataType::Int64, 5000000000, true);
  EXPECT_EQ(v.apply(Function::Add, {l, large}), "Add(r, 5000000000):int64");
  try {
    v.g.apply(Function::Add, {i, large});
    FAIL();
  } catch (const BadInput& e) {
    EXPECT_STREQ(e.what(),
                 "selvage: error[E506]: the literal 5000000000 does not fit the int32 that it "
                 "meets; help: write int64(5000000000) to compute in 64 bits");
  }
  const ValueId cast = v.g.cast(large, DataType::Int64);
  EXPECT_EQ(v.apply(Function::Add, {i, cast}), "Add(int64(r), 5000000000 int64):int64");
}

TEST(Values, ACastIsInsertedWhereItChangesSomething) {
  Values v;
  const ValueId half = v.read(DataType::Half), single = v.read(DataType::Float);
  EXPECT_EQ(v.cast(single, DataType::Float), "r");
  EXPECT_EQ(v.cast(single, DataType::Half), "half(r)");
  EXPECT_EQ(v.cast(half, DataType::Float), "float(r)");
  // A half value need not be rounded yet; a cast rounds it, but not twice.
  const ValueId rounded = v.g.cast(v.g.apply(Function::Add, {half, half}), DataType::Half);
  EXPECT_EQ(text(v.g, rounded), "half(Add(r, r):half)");
  EXPECT_EQ(v.g.cast(rounded, DataType::Half), rounded);
}

TEST(Values, CastsOfConstantsAreFolded) {
  Values v;
  EXPECT_EQ(v.cast(v.literal(0.1), DataType::Half), "0.099976 half");
  EXPECT_EQ(v.cast(v.literal(300), DataType::UInt8), "44 uint8");
  EXPECT_EQ(v.cast(v.literal(-2.5), DataType::Int32), "-2 int32");
  const ValueId single = v.g.cast(v.literal(0.1), DataType::Float);
  EXPECT_EQ(v.g[v.g.cast(single, DataType::Double)].real, double(0.1F));
  EXPECT_EQ(v.g[v.g.cast(v.literal(0.1), DataType::Double)].real, 0.1);
}

TEST(Values, AConstantHasItsValueInTheComputeType) {
  Values v;
  EXPECT_EQ(value_of(v.g[v.g.constant(DataType::Half, 0.1, false)]).single, 0.1F);
  EXPECT_EQ(value_of(v.g[v.g.constant(DataType::Float, std::int64_t{3}, false)]).single, 3.0F);
  EXPECT_EQ(value_of(v.g[v.g.constant(DataType::Double, 0.1, false)]).real, 0.1);
  EXPECT_EQ(value_of(v.g[v.g.constant(DataType::Bool, std::int64_t{7}, false)]).integer, 1);
  EXPECT_EQ(value_of(v.g[v.g.constant(DataType::Int64, std::int64_t{-7}, false)]).integer, -7);
}

}  // namespace
}  // namespace selvage
