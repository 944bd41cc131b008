#include <selvage/base/diagnostic.h>
#include <selvage/emulate/reference.h>
#include <selvage/ir/element.h>

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tests/support/refusal.h"

namespace selvage {
namespace {

// y[b, k, i] = x[b, k, i] * c[b, i] + (k == 0 ? -x[b, 1 - k, i] : x[b, 1 - k, i]) * 2
TEST(Element, TwoReadsOfOneTensorAtDifferentIndices) {
  Fusion f;
  const auto [B, H] = f.extents("B", "H");
  const Tensor x = f.input("x", {B, f.constant(2), H}, DataType::Double);
  const Tensor c = f.input("c", {B, H}, DataType::Double);
  const Expr b = f.fresh_index("b"), k = f.fresh_index("k"), i = f.fresh_index("i");
  const auto other = x(b, 1 - k, i);
  f.output("y", f.compute("y", {b, k, i}, x.shape(),
                          x(b, k, i) * c(b, i) + select(eq(k, 0), -other, other) * 2));
  std::mt19937_64 random(7);
  const std::size_t rows = 3, columns = 5;
  std::vector<double> xs(rows * 2 * columns), cs(rows * columns);
  for (std::vector<double>* all : {&xs, &cs}) {
    for (double& v : *all) v = double(std::int64_t(random() % 201) - 100);
  }
  Array x_array(DataType::Double, {3, 2, 5}), c_array(DataType::Double, {3, 5});
  for (std::size_t n = 0; n < xs.size(); ++n) x_array.set(std::int64_t(n), xs[n]);
  for (std::size_t n = 0; n < cs.size(); ++n) c_array.set(std::int64_t(n), cs[n]);
  const Array y = run_reference(f, {{"B", 3}, {"H", 5}}, {{"x", x_array}, {"c", c_array}}).at(0);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t half = 0; half < 2; ++half) {
      for (std::size_t n = 0; n < columns; ++n) {
        const auto at = [&](std::size_t h) { return (r * 2 + h) * columns + n; };
        const double turned = half == 0 ? -xs[at(1)] : xs[at(0)];
        EXPECT_EQ(y.get(std::int64_t(at(half))), xs[at(half)] * cs[r * columns + n] + turned * 2);
      }
    }
  }
}

TEST(Element, NumbersIndicesAndSubscripts) {
  Fusion f;
  const Expr N = f.extent("N");
  const Tensor x = f.input("x", {N, f.constant(3)}, DataType::Int32);
  const Expr i = f.fresh_index("i");
  const Tensor y = f.compute("y", {i}, {N}, x(i, 0) + x(i, 2) * i - (x(i, 1) < 5 || !(i < 2)));
  EXPECT_EQ(f[y.id()].type, DataType::Int64);  // an index has 64 bits
  const Tensor zero = f.compute("zero", {i}, {N}, 0);
  EXPECT_EQ(f.values()[*f[zero.id()].definition].kind, ValueNode::Kind::Constant);
  const Tensor padded = f.compute("padded", {i}, {N + 2}, read_or(x, {i - 1, f.constant(0)}, 7));
  EXPECT_EQ(f.values()[*f[padded.id()].definition].operands.size(), 1u);
}

TEST(Element, ARefusalNamesWhatIsWrong) {
  Fusion f, g;
  const Expr N = f.extent("N"), M = g.extent("M");
  const Tensor x = f.input("x", {N}, DataType::Float), y = g.input("y", {M}, DataType::Float);
  const Expr i = f.fresh_index("i"), j = g.fresh_index("j");
  EXPECT_EQ(
      refusal_by<BadInput>([&] { x(i) + y(j); }),
      "selvage: error[E508]: an element of another fusion than the one that computes with it; "
      "help: read tensors of one fusion");
  EXPECT_EQ(
      refusal_by<BadInput>([&] { g.compute("z", {j}, {M}, x(i)); }),
      "selvage: error[E508]: an element of another fusion than the one that computes with it; "
      "help: read tensors of one fusion");
  const auto code_of = [](const auto& action) { return bad_input(action).substr(15, 4); };
  EXPECT_EQ(code_of([&] { apply(Function::Exp, {Element(2)}); }), "E508");
  EXPECT_EQ(code_of([&] { f.compute("z", {i}, {N}, x(i, 0)); }), "E503");
  EXPECT_EQ(code_of([&] { Tensor()(i); }), "E508");
}

}  // namespace
}  // namespace selvage
