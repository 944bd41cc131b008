#include <selvage/base/diagnostic.h>
#include <selvage/expr/text.h>
#include <selvage/index/coordinates.h>
#include <selvage/ir/ops.h>
#include <tests/support/refusal.h>

#include <gtest/gtest.h>

#include <string>

namespace selvage {
namespace {

std::string view_text(const std::vector<Expr>& list) {
  std::string text;
  for (Expr e : list) text += (text.empty() ? "" : ", ") + to_string(e);
  return "[" + text + "]";
}
std::string view_shape(Tensor t) { return view_text(t.fusion().shape(t.id())); }

std::string checks(const Fusion& f) { return view_text(f.launch_checks()); }

// The root of a view over its logical indices, named a, b, ...: "[(a * 4 + b) / N, ...]".
struct Root {
  explicit Root(Tensor t) : fusion(t.fusion()), tensor(t.fusion()[t.id()]) {
    Facts facts = *fusion.facts();
    std::vector<Expr> variables;
    for (DomainId d : tensor.logical) {
      variables.push_back(fusion.pool().symbol(std::string(1, char('a' + variables.size()))));
      facts.loop(variables.back(), fusion.domains()[d].extent);
    }
    simplifier = std::make_unique<Simplifier>(facts);
    coordinates =
        coordinates_from(fusion.domains(), tensor.logical, variables, definition_domain(tensor));
    for (Expr& e : coordinates) e = simplifier->simplify(e);
  }
  // Is every point of the logical domain proved to be inside the root?
  bool is_inside() {
    for (std::size_t k = 0; k < coordinates.size(); ++k) {
      const Expr n = fusion.domains()[definition_domain(tensor)[k]].extent;
      if (!simplifier->proves(ok(coordinates[k], n))) return false;
    }
    return true;
  }

  const Fusion& fusion;
  const TensorInfo& tensor;
  std::unique_ptr<Simplifier> simplifier;
  std::vector<Expr> coordinates;
};

class Views : public testing::Test {
 protected:
  Tensor input(std::vector<Expr> extents, DataType type = DataType::Float) {
    return f.input("x" + std::to_string(f.size()), std::move(extents), type);
  }
  Expr c(std::int64_t n) { return f.constant(n); }

  Fusion f;
  Expr A = f.extent("A"), B = f.extent("B"), C = f.extent("C"), N = f.extent("N");
};

TEST_F(Views, AReshapeMergesAndSplitsWhatItMust) {
  const auto root = [&](std::vector<Expr> from, std::vector<Extent> to) {
    const Tensor y = reshape(input(std::move(from)), std::move(to));
    Root r(y);
    return view_shape(y) + " " + view_text(r.coordinates) +
           (r.is_inside() ? "" : " perhaps outside");
  };
  EXPECT_EQ(root({A, B, C}, {A * B, C}), "[A * B, C] [a / B, a % B, b]");
  EXPECT_EQ(root({A, B, C}, {-1}), "[A * B * C] [a / (B * C), a / C % B, a % C]");
  EXPECT_EQ(root({A * B}, {A, B}), "[A, B] [B * a + b]");
  EXPECT_EQ(root({A * B, C}, {A, B, C}), "[A, B, C] [B * a + b, c]");
  EXPECT_EQ(root({A * 4}, {A, 2, 2}), "[A, 2, 2] [a * 4 + b * 2 + c]");
  EXPECT_EQ(root({c(6), c(35)}, {10, 21}), "[10, 21] [(a * 21 + b) / 35, (a * 21 + b) % 35]");
  EXPECT_EQ(root({c(6), c(35)}, {2, 3, 5, -1}), "[2, 3, 5, 7] [a * 3 + b, c * 7 + d]");
  EXPECT_EQ(checks(f), "[]");
}

TEST_F(Views, AReshapeThatRegroupsNothingHasNoTransforms) {
  const Tensor x = input({A, c(1), B});
  EXPECT_EQ(view_shape(reshape(x, {A, B})), "[A, B]");
  EXPECT_EQ(view_shape(reshape(x, {1, A, 1, -1, 1})), "[1, A, 1, B, 1]");
  EXPECT_TRUE(f[reshape(x, {A, B}).id()].root.empty());
  EXPECT_TRUE(f[reshape(x, {1, A, 1, B}).id()].root.empty());
  EXPECT_EQ(f.domains().transforms(), 0U);
  // Between the two: a group, and an axis of extent 1.
  const Tensor y = reshape(input({A, B, C}), {A * B, 1, C});
  EXPECT_EQ(view_shape(y), "[A * B, 1, C]");
  EXPECT_EQ(f[y.id()].root.size(), 4U);
}

TEST_F(Views, WhatTheSizesLeaveOpenIsCheckedAtLaunch) {
  Tensor y = reshape(input({N}), {-1, 4});
  EXPECT_EQ(checks(f), "[N % 4 == 0]");
  EXPECT_EQ(view_shape(y), "[N / 4, 4]");
  EXPECT_TRUE(Root(y).is_inside());
  y = reshape(input({N, C}), {A, 8, C});
  EXPECT_EQ(checks(f), "[N % 4 == 0, N == A * 8]");
  EXPECT_EQ(f[y.id()].root.size(), 2U);
  EXPECT_TRUE(Root(y).is_inside());
  Fusion g;
  const auto [K, L, M] = g.extents("K", "L", "M");
  reshape(g.input("x", {K, M}, DataType::Float), {L, M});
  EXPECT_EQ(checks(g), "[K == L]");
}

// Whatever the view divides by, what is known to be whole comes out whole.
TEST_F(Views, MultiplesGoThroughViews) {
  const Expr M = f.extent("M", 4, {}, 4);
  EXPECT_EQ(view_shape(reshape(input({M}), {4, M / 4})), "[4, M / 4]");
  EXPECT_EQ(view_shape(reshape(input({M}), {4, -1})), "[4, M / 4]");
  EXPECT_EQ(view_shape(reshape(input({M}), {M / 4, 4})), "[M / 4, 4]");
  EXPECT_EQ(view_shape(reshape(input({M}), {2, M / 4, 2})), "[2, M / 4, 2]");
  EXPECT_TRUE(Root(reshape(input({M, N}), {4, M / 4, N})).is_inside());
  EXPECT_EQ(checks(f), "[]");
  // What the launch checks is known behind it, too.
  EXPECT_EQ(view_shape(reshape(input({A, B}), {C, N})), "[C, N]");
  EXPECT_EQ(f.launch_checks().size(), 1u);
}

TEST_F(Views, LaunchChecksSayWhatTheyAreFor) {
  const Tensor x = input({A + B}), y = input({A, B});
  slice(x, 0, 2, -3);
  reshape(y, {C, 2});
  concatenate({y, input({N, C})}, 1);
  pad(input({N}), {{-4, 1}});
  std::string said;
  for (std::size_t k = 0; k < f.launch_checks().size(); ++k) {
    said += to_string(f.launch_checks()[k]) + ": " + f.launch_reasons()[k] + "\n";
  }
  EXPECT_EQ(said,
            "2 < A + B - 3: slice of axis 0 of x0[A + B] from 2 to A + B - 3 must lie within it, "
            "not empty\n"
            "A * B == C * 2: reshape of x1[A, B] to [C, 2] must keep the number of items\n"
            "A == N: what is concatenated must agree along all other axes\n"
            "1 <= N - 3: pad of x6[N] must leave something of each axis\n");
}

TEST_F(Views, AReshapeToAnotherNumberOfItemsIsRefused) {
  const Tensor x = input({A, c(6)}),
               y = input({c(std::int64_t{1} << 40), c(std::int64_t{1} << 40)});
  const std::size_t before = f.size();
  EXPECT_EQ(bad_input([&] {
              reshape(x, {A, 7});
            }),
            "selvage: error[E511]: reshape of x0[A, 6] to [A, 7]: the numbers of items differ; "
            "help: give a shape that holds as many items");
  EXPECT_EQ(bad_input([&] {
              reshape(x, {A + 1, 6});
            }),
            "selvage: error[E511]: reshape of x0[A, 6] to [A + 1, 6]: the numbers of items differ; "
            "help: give a shape that holds as many items");
  EXPECT_EQ(
      bad_input([&] {
        reshape(x, {A, 4, -1});
      }),
      "selvage: error[E511]: reshape of x0[A, 6] to [A, 4, -1]: 6 items are no multiple of 4; "
      "help: give a shape that holds as many items");
  EXPECT_EQ(bad_input([&] {
              reshape(x, {-1, -1});
            }),
            "selvage: error[E511]: reshape of x0[A, 6] to [-1, -1]: -1 stands there twice; help: "
            "give a shape that holds as many items");
  EXPECT_EQ(bad_input([&] {
              reshape(x, {A, 0});
            }),
            "selvage: error[E511]: reshape of x0[A, 6] to [A, 0]: an extent is 0; help: give a "
            "shape that holds as many items");
  EXPECT_EQ(bad_input([&] { flatten(y); }),
            "selvage: error[E511]: reshape of x1[1099511627776, 1099511627776] to [-1]: there are "
            "more than 2^62 items; help: give a shape that holds as many items");
  EXPECT_EQ(f.size(), before);
  EXPECT_EQ(checks(f), "[]");
  EXPECT_EQ(bad_input([&] {
              reshape(x, {A, 2, -1});
              reshape(x, {6, A});
            }),
            "accepted");
}

TEST_F(Views, AReshapeSharesItsRootWithWhatItReads) {
  const Tensor x = input({A * 4}), t = exp(x), y = reshape(t, {A, 4}), z = t + 1;
  EXPECT_EQ(f[y.id()].root, f[t.id()].logical);
  EXPECT_EQ(f[z.id()].logical, f[t.id()].logical);
  EXPECT_EQ(f[x.id()].logical, f[t.id()].logical);
  // What is read by other axes does not tear the view apart.
  const Tensor back = reshape(y, {A * 4});
  EXPECT_EQ(f[back.id()].root, f[y.id()].logical);
  const Tensor both = back + z;
  EXPECT_EQ(f[y.id()].root, f[t.id()].logical);
  EXPECT_EQ(f[back.id()].root, f[y.id()].logical);
  EXPECT_EQ(view_shape(both), "[A * 4]");
}

TEST_F(Views, ASliceOfStep1IsAResizeAndAnyOtherASubscript) {
  const Tensor x = input({A, c(10)});
  const auto root = [&](Tensor y) {
    Root r(y);
    return view_shape(y) + " " + view_text(r.coordinates) +
           (r.is_inside() ? "" : " perhaps outside");
  };
  EXPECT_EQ(root(slice(x, 1, 2, 7)), "[A, 5] [a, b + 2]");
  EXPECT_EQ(root(slice(x, -1, -3)), "[A, 3] [a, b + 7]");
  EXPECT_EQ(view_shape(slice(x, 1, 1, 10, 4)), "[A, 3]");
  EXPECT_TRUE(f[slice(x, 1, 0).id()].root.empty());
  EXPECT_EQ(checks(f), "[]");
  EXPECT_EQ(root(slice(x, 0, 1)), "[A - 1, 10] [a + 1, b]");
  EXPECT_EQ(checks(f), "[1 < A]");
  EXPECT_EQ(root(slice(input({A + B}), 0, A, A + B)), "[B] [A + a]");
}

TEST_F(Views, ASliceThatLeavesItsAxisIsRefused) {
  const Tensor x = input({A, c(10)});
  EXPECT_EQ(bad_input([&] { slice(x, 1, 3, 3); }),
            "selvage: error[E512]: slice of axis 1 of x0[A, 10] from 3 to 3 is empty or leaves it; "
            "help: keep 0 <= begin < end <= 10");
  EXPECT_EQ(bad_input([&] { slice(x, 1, -11, 3); }),
            "selvage: error[E512]: slice of axis 1 of x0[A, 10] from -1 to 3 is empty or "
            "leaves it; help: keep 0 <= begin < end <= 10");
  EXPECT_EQ(bad_input([&] { slice(x, 0, A); }),
            "selvage: error[E512]: slice of axis 0 of x0[A, 10] from A to A is empty or leaves it; "
            "help: keep 0 <= begin < end <= A");
  EXPECT_EQ(bad_input([&] { slice(x, 1, 0, 4, 0); }),
            "selvage: error[E512]: slice of axis 1 of x0[A, 10] from 0 to 4 by steps of 0; help: "
            "take steps of at least 1");
  EXPECT_EQ(bad_input([&] { slice(x, 2, 0); }),
            "selvage: error[E510]: slice: x0[A, 10] has no axis 2; help: name axes from -2 to 1, "
            "each once");
  EXPECT_EQ(bad_input([&] {
              slice(x, 1, 3, 4);
              slice(x, 1, -10, 3);
              slice(x, 0, A - 1);
              slice(x, 1, 0, 4, 1);
            }),
            "accepted");
}

TEST_F(Views, APadReadsAtItsRoot) {
  const Tensor x = input({A, B}), y = pad(x, {{1, 2}, {0, 0}});
  EXPECT_EQ(view_shape(y), "[A + 3, B]");
  EXPECT_EQ(view_text(Root(y).coordinates), "[a - 1, b]");
  EXPECT_EQ(f[y.id()].root[0], f[x.id()].logical[0]);
  EXPECT_EQ(f[y.id()].logical[1], f[x.id()].logical[1]);
  EXPECT_EQ(view_shape(pad(x, {{-1, A}, {B, 1}})), "[A + -1 + A, B + B + 1]");
  EXPECT_EQ(
      bad_input([&] {
        pad(x, {{1, 1}});
      }),
      "selvage: error[E511]: pad: 1 pairs of sides for x0[A, B]; help: give one pair for each "
      "axis");
  EXPECT_EQ(bad_input([&] {
              pad(x, {{0, 0}, {0 - B, 0}});
            }),
            "selvage: error[E512]: pad: nothing is left of axis 1 of x0[A, B] with the sides 0 - B "
            "and 0; help: leave at least one item");
  const Tensor k = f.input("k", {A}, DataType::Int32);
  EXPECT_EQ(
      bad_input([&] {
        pad(k, {{1, 1}}, 0.5);
      }),
      "selvage: error[E506]: pad: the value 0.5 does not fit the int32 of k[A]; help: give an "
      "integer, or cast the tensor first");
  EXPECT_EQ(bad_input([&] {
              pad(x, {{1, 1}, {0, 0}}, x);
            }),
            "selvage: error[E511]: pad: the value x0[A, B] of type float for x0[A, B] of type "
            "float; help: give a number, or a tensor of that type without axes");
  EXPECT_EQ(bad_input([&] {
              pad(x, {{1, 1}, {0, 0}}, 0.5);
              pad(x, {{1, 1}, {1 - B, 0}}, input({}));
            }),
            "accepted");
}

TEST_F(Views, ConcatenateNeedsOneShapeButAlongItsAxis) {
  const Tensor x = input({A, B}), y = input({C, B});
  EXPECT_EQ(view_shape(concatenate({x, y}, 0)), "[A + C, B]");
  EXPECT_EQ(view_shape(concatenate({x}, 1)), "[A, B]");
  EXPECT_EQ(checks(f), "[]");
  const Tensor v = f.input("v", {B}, DataType::Float);
  const Tensor w = f.input("w", {C, B + 1}, DataType::Float);
  EXPECT_EQ(bad_input([&] {
              concatenate({x, v}, 0);
            }),
            "selvage: error[E511]: concatenate: x0[A, B] and v[B] differ in rank; help: give both "
            "as many axes");
  EXPECT_EQ(bad_input([&] {
              concatenate({x, w}, 0);
            }),
            "selvage: error[E501]: concatenate: x0[A, B] and w[C, B + 1] differ along axis 1, by "
            "which they are not concatenated; help: make all extents but those of axis 0 equal");
  EXPECT_EQ(bad_input([&] { concatenate({}, 0); }),
            "selvage: error[E511]: concatenate: there is no tensor; help: give at least one");
  EXPECT_EQ(checks(f), "[]");
  concatenate({x, y}, 1);
  EXPECT_EQ(checks(f), "[A == C]");
}

}  // namespace
}  // namespace selvage
