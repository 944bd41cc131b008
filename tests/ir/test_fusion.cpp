#include <selvage/base/diagnostic.h>
#include <selvage/expr/text.h>
#include <selvage/ir/ops.h>
#include <selvage/ir/path.h>
#include <selvage/ir/schedule.h>
#include <tests/support/refusal.h>

#include <gtest/gtest.h>

#include <string>

namespace selvage {
namespace {

constexpr DataType kFloat = DataType::Float;

// A tensor's iterdomains, by number and name: two tensors that share one show the same.
std::string domains(const Fusion& f, Tensor t) {
  std::string text;
  for (DomainId d : f[t.id()].logical) {
    text += (text.empty() ? "" : " ") + f.domains()[d].name + "#" + std::to_string(index_of(d));
  }
  return text;
}

std::string text(const std::vector<Expr>& list) {
  std::string text;
  for (Expr e : list) text += (text.empty() ? "" : ", ") + to_string(e);
  return text;
}

std::string shape(const Fusion& f, Tensor t) { return text(f.shape(t.id())); }

ValueId read(Fusion& f, Tensor t, std::vector<Expr> subscripts) {
  return f.values().read(f[t.id()].type, std::uint32_t(t.id()), std::move(subscripts));
}

// Everything that a refusal must leave alone.
std::string everything(const Fusion& f) {
  std::string text = std::to_string(f.size()) + " " + std::to_string(f.domains().size()) + " " +
                     std::to_string(f.launch_checks().size()) + " " +
                     std::to_string(f.facts()->assumptions().size()) + " " +
                     std::to_string(f.sizes().size());
  for (std::size_t i = 0; i < f.size(); ++i) {
    const TensorInfo& t = f[TensorId(i)];
    text += " " + t.name + (t.is_output ? "!" : "");
    for (DomainId d : t.logical) text += "," + std::to_string(index_of(d));
  }
  return text;
}

TEST(Fusion, SizesAreAtLeast1UnlessSaidOtherwise) {
  Fusion f;
  const auto [n, m] = f.extents("N", "M");
  const Expr z = f.extent("Z", 0, 64, 8);
  EXPECT_EQ(f.facts()->find(n)->range, (Interval{1, Interval::kInfinity}));
  EXPECT_EQ(f.facts()->find(z)->range, (Interval{1, 64}));  // as if it were never 0
  EXPECT_EQ(f.facts()->find(z)->congruence, Congruence::multiple_of(8));
  EXPECT_EQ(text(f.possibly_empty()), "Z");
  EXPECT_EQ(text(f.sizes()), "N, M, Z");
}

TEST(Fusion, AnInputHasAnIterdomainForEachAxis) {
  Fusion f;
  const auto [n] = f.extents("N");
  const Tensor a = f.input("a", {n, f.constant(4)}, DataType::Half);
  const Tensor b = f.input("b", {n}, kFloat, {"row"});
  EXPECT_EQ(domains(f, a), "a_0#0 a_1#1");
  EXPECT_EQ(domains(f, b), "row#2");
  EXPECT_EQ(shape(f, a), "N, 4");
  EXPECT_TRUE(f[a.id()].is_input && !f[a.id()].is_output);
  EXPECT_EQ(f.find("b"), b.id());
  EXPECT_EQ(f.find("c"), std::nullopt);
}

TEST(Fusion, AxesThatAnIndexEquatesAreOneIterdomainNamedAfterIt) {
  Fusion f;
  const auto [M, N] = f.extents("M", "N");
  const Tensor a = f.input("a", {M, N}, kFloat), b = f.input("b", {N}, kFloat);
  const Expr m = f.fresh_index("m"), n = f.fresh_index("n");
  ValueGraph& v = f.values();
  const Tensor t =
      f.compute("t", {m, n}, {M, N}, v.apply(Function::Add, {read(f, a, {m, n}), read(f, b, {n})}));
  EXPECT_EQ(domains(f, t), "m#3 n#4");
  EXPECT_EQ(domains(f, a), "m#3 n#4");
  EXPECT_EQ(domains(f, b), "n#4");
  // A reader takes over what it reads, in whatever order its own axes stand.
  const Expr i = f.fresh_index("i"), j = f.fresh_index("j");
  EXPECT_EQ(domains(f, f.compute("y", {j, i}, {N, M}, read(f, t, {i, j}))), "n#4 m#3");
  EXPECT_EQ(f.domains().size(), 5U);
}

TEST(Fusion, AChainOfOperationsMakesNoFurtherIterdomains) {
  Fusion f;
  const auto [M, N] = f.extents("M", "N");
  const Tensor a = f.input("a", {M, N}, kFloat);
  Tensor t = a * 2.0;
  const std::size_t before = f.domains().size();
  for (int i = 0; i < 10; ++i) t = relu(t + a);
  EXPECT_EQ(f.domains().size(), before);
  EXPECT_EQ(domains(f, t), domains(f, a));
}

TEST(Fusion, TwoAxesOfOneTensorNeverMeet) {
  Fusion f;
  const auto [N] = f.extents("N");
  const Tensor a = f.input("a", {N, N}, kFloat);
  const Tensor y = f.output("y", a + transpose(a, {1, 0}));
  EXPECT_NE(f[y.id()].logical[0], f[y.id()].logical[1]);
  const Tensor b = f.input("b", {N, N}, kFloat);
  const Expr m = f.fresh_index("m"), n = f.fresh_index("n");
  const Tensor z =
      f.compute("z", {m, n}, {N, N},
                f.values().apply(Function::Add, {read(f, b, {m, n}), read(f, b, {n, m})}));
  EXPECT_EQ(domains(f, z), domains(f, b));  // the first read; the second keeps its own map
  const Expr i = f.fresh_index("i");
  const Tensor diagonal = f.compute("d", {i}, {N}, read(f, b, {i, i}));
  EXPECT_EQ(f[diagonal.id()].logical[0], f[b.id()].logical[0]);
  EXPECT_NE(f[b.id()].logical[0], f[b.id()].logical[1]);
}

TEST(Fusion, ClassesThatMeetLaterBecomeOne) {
  Fusion f;
  const auto [N] = f.extents("N");
  const Tensor a = f.input("a", {N}, kFloat), b = f.input("b", {N}, kFloat);
  const Tensor s = a * 2.0, t = exp(b);
  EXPECT_NE(domains(f, s), domains(f, t));
  const Tensor y = s + t;
  for (Tensor x : {a, b, s, t}) EXPECT_EQ(domains(f, x), domains(f, y));
}

// Merging the rows and columns of y would give its third axis again.
TEST(Fusion, NoAxisOfATensorIsMadeOfItsOthers) {
  Fusion f;
  const Expr three = f.constant(3), four = f.constant(4), twelve = f.constant(12);
  const Tensor a = f.input("a", {three, four}, kFloat), b = f.input("b", {three, four}, kFloat);
  const Tensor flat = flatten(a * 2.0);
  const DomainId merged = f[flat.id()].logical[0];
  const Expr i = f.fresh_index("i"), j = f.fresh_index("j"), k = f.fresh_index("k");
  const auto sum = [&](Tensor of) {
    return f.values().apply(Function::Add, {read(f, of, {i, j}), read(f, flat, {k})});
  };
  const Tensor y = f.compute("y", {i, j, k}, {three, four, twelve}, sum(a));
  EXPECT_TRUE(
      are_dependent(f.domains(), std::vector{f[a.id()].logical[0], f[a.id()].logical[1], merged}));
  EXPECT_FALSE(are_dependent(f.domains(), f[y.id()].logical));
  // Nor does it become one when iterdomains meet later.
  const Tensor z = f.compute("z", {i, j, k}, {three, four, twelve}, sum(b));
  EXPECT_EQ(f[z.id()].logical[2], merged);
  const Tensor both = a + b;
  EXPECT_FALSE(are_dependent(f.domains(), f[z.id()].logical));
  // Two of the three may be shared.
  EXPECT_EQ(f[z.id()].logical[2], merged);
  EXPECT_EQ(f[both.id()].logical, f[a.id()].logical);
  Schedule s(f);
  for (const Tensor t : {y, z}) {
    const auto [r, c, e] = s.loops<3>(t);
    EXPECT_NE(s.merge(r, c), e);
  }
}

TEST(Fusion, AxesUnderTransformsOrSubscriptsKeepTheirOwn) {
  Fusion f;
  const auto [N] = f.extents("N");
  const Tensor a = f.input("a", {N}, kFloat);
  const Expr i = f.fresh_index("i");
  const Tensor y = f.compute("y", {i}, {N}, read(f, a, {N - 1 - i}));
  EXPECT_NE(f[y.id()].logical, f[a.id()].logical);
  EXPECT_TRUE(f.launch_checks().empty());
}

TEST(Fusion, ConstantExtentsThatDifferAreRefused) {
  Fusion f;
  const auto [M] = f.extents("M");
  const Tensor a = f.input("a", {M, f.constant(4)}, kFloat);
  const Tensor b = f.input("b", {f.constant(5)}, kFloat);
  const std::string before = everything(f);
  EXPECT_EQ(
      bad_input([&] { a + b; }),
      "selvage: error[E501]: the shapes [M, 4] of a and [5] of b do not broadcast in +: 4 and 5 "
      "differ; help: make the extents equal, or one of them 1; axes are aligned at the last "
      "one");
  const Expr m = f.fresh_index("m"), n = f.fresh_index("n");
  const ValueId sum = f.values().apply(Function::Add, {read(f, a, {m, n}), read(f, b, {n})});
  EXPECT_EQ(bad_input([&] {
              f.compute("y", {m, n}, {M, f.constant(4)}, sum);
            }),
            "selvage: error[E501]: the index n has extent 4 in a[M, 4] and 5 in b[5]; help: make "
            "the extents equal");
  EXPECT_EQ(bad_input([&] { f.compute("y", {n}, {f.constant(6)}, read(f, b, {n})); }),
            "selvage: error[E501]: the index n has extent 6 in y[6] and 5 in b[5]; help: make the "
            "extents equal");
  EXPECT_EQ(everything(f), before);
}

// What the first read asks for is known when the second one is looked at.
TEST(Fusion, ExtentsThatTwoReadsEquateAreCheckedOnce) {
  Fusion f;
  const auto [N, M] = f.extents("N", "M");
  const Tensor a = f.input("a", {M}, kFloat), b = f.input("b", {M}, kFloat);
  const Expr i = f.fresh_index("i");
  f.compute("y", {i}, {N}, a(i) + b(i));
  EXPECT_EQ(text(f.launch_checks()), "N == M");
}

TEST(Fusion, SymbolicExtentsThatDifferAreEquatedAtLaunch) {
  Fusion f;
  const auto [N, K] = f.extents("N", "K");
  const Tensor a = f.input("a", {N}, kFloat), b = f.input("b", {K}, kFloat);
  const Tensor c = f.input("c", {f.constant(4)}, kFloat);
  a + b;
  EXPECT_EQ(text(f.launch_checks()), "N == K");
  a* b;  // known by now
  EXPECT_EQ(text(f.launch_checks()), "N == K");
  b + c;
  EXPECT_EQ(f.launch_checks().size(), 2U);
  EXPECT_EQ(f.facts()->find(N)->range.is_point() || f.facts()->find(K)->range.is_point(), true);
}

TEST(Fusion, SymbolicExtentsThatCannotBeEqualAreRefused) {
  Fusion f;
  const Expr n = f.extent("N", 8);
  const Tensor a = f.input("a", {n}, kFloat), b = f.input("b", {f.constant(4)}, kFloat);
  const std::string before = everything(f);
  EXPECT_NE(bad_input([&] { a + b; }).find("error[E501]"), std::string::npos);
  EXPECT_EQ(everything(f), before);
}

TEST(Fusion, BroadcastingAlignsTheLastAxes) {
  Fusion f;
  const auto [M, N] = f.extents("M", "N");
  const Expr one = f.constant(1);
  const Tensor a = f.input("a", {M, one}, kFloat), b = f.input("b", {N}, kFloat);
  const Tensor c = f.input("c", {one, M, one}, kFloat), d = f.input("d", {}, kFloat);
  EXPECT_EQ(shape(f, a + b), "M, N");
  EXPECT_EQ(shape(f, b + c), "1, M, N");
  EXPECT_EQ(shape(f, c + c), "1, M, 1");
  EXPECT_EQ(shape(f, d + b), "N");
  EXPECT_EQ(shape(f, d * d), "");
  EXPECT_TRUE(f.launch_checks().empty());
}

TEST(Fusion, TransposePermutesTheAxes) {
  Fusion f;
  const auto [A, B, C] = f.extents("A", "B", "C");
  const Tensor x = f.input("x", {A, B, C}, kFloat);
  EXPECT_EQ(shape(f, transpose(x, {2, 0, 1})), "C, A, B");
  EXPECT_EQ(bad_input([&] {
              transpose(x, {0, 1});
            }),
            "selvage: error[E507]: {0, 1} is no order of the 3 axes of x[A, B, C]; help: name "
            "every axis from 0 on once");
  EXPECT_EQ(bad_input([&] { transpose(x, {0, 1, 1}); }).substr(0, 21), "selvage: error[E507]:");
  EXPECT_EQ(bad_input([&] { transpose(x, {0, 1, 3}); }).substr(0, 21), "selvage: error[E507]:");
}

TEST(Fusion, TypesOfOperations) {
  Fusion f;
  const auto [N] = f.extents("N");
  const Tensor h = f.input("h", {N}, DataType::Half), i = f.input("i", {N}, DataType::Int32);
  const auto type = [&](Tensor t) { return f[t.id()].type; };
  EXPECT_EQ(type(h + 1e-6F), DataType::Half);
  EXPECT_EQ(type(2 * i), DataType::Int32);
  EXPECT_EQ(type(i / 2), DataType::Float);
  EXPECT_EQ(type(h < 0.5), DataType::Bool);
  EXPECT_EQ(type(select(i > 0, h, 0)), DataType::Half);
  EXPECT_EQ(type(max(h, 0)), DataType::Half);
  EXPECT_EQ(type(cast(h, DataType::Double)), DataType::Double);
}

TEST(Fusion, AnOutputIsTheTensorItselfOrACopy) {
  Fusion f;
  const auto [N] = f.extents("N");
  const Tensor a = f.input("a", {N}, kFloat);
  const Tensor t = a + 1.0;
  const Tensor y = f.output("y", t, DataType::Half);
  EXPECT_EQ(y.id(), t.id());
  EXPECT_EQ(f.find("y"), t.id());
  // Stored as half; who reads it reads what it was before.
  EXPECT_EQ(f[y.id()].type, kFloat);
  EXPECT_EQ(said_type(f[y.id()]), DataType::Half);
  // An output already: a copy. An input: likewise.
  const Tensor again = f.output("z", y), copied = f.output("b", a, DataType::Double);
  EXPECT_NE(again.id(), y.id());
  EXPECT_NE(copied.id(), a.id());
  EXPECT_TRUE(f[a.id()].is_input && !f[a.id()].is_output);
  EXPECT_EQ(said_type(f[copied.id()]), DataType::Double);
  EXPECT_EQ(said_type(f[again.id()]), kFloat);
  // Read before or after it is made an output: it is the same.
  const Tensor u = exp(a), v = u * 2.0, w = f.output("w", u, DataType::Half);
  EXPECT_EQ(w.id(), u.id());
  EXPECT_EQ(f[u.id()].type, kFloat);
  EXPECT_EQ(f.output("v", v).id(), v.id());
}

TEST(Fusion, AnOutputThatIsReadAtAFixedElementMayBeStoredInAnotherType) {
  Fusion f;
  const auto [N] = f.extents("N");
  const Tensor a = f.input("a", {N}, DataType::Double);
  const Tensor most = max(a, {0}, true), y = f.output("y", a + most);
  // Repeated along the axis: read at 0, not at an index.
  const Tensor m = f.output("m", most, kFloat);
  EXPECT_EQ(m.id(), most.id());
  EXPECT_EQ(f[most.id()].type, DataType::Double);
  EXPECT_EQ(stored_type(f[m.id()]), kFloat);
  EXPECT_EQ(f[y.id()].type, DataType::Double);
}

TEST(Fusion, MadeUpNamesGiveWay) {
  Fusion f;
  const auto [N] = f.extents("N");
  const Tensor a = f.input("a", {N}, kFloat);
  const Tensor t = a + 1.0;
  const std::string made_up = f[t.id()].name;
  const Tensor b = f.input(made_up, {N}, kFloat);
  EXPECT_EQ(f.find(made_up), b.id());
  EXPECT_NE(f[t.id()].name, made_up);
  EXPECT_EQ(f.find(f[t.id()].name), t.id());
}

TEST(Fusion, NamesAreTakenOnce) {
  Fusion f;
  const auto [N] = f.extents("N");
  const Tensor a = f.input("a", {N}, kFloat);
  f.fresh_index("i");
  const std::string before = everything(f);
  EXPECT_EQ(bad_input([&] { f.input("a", {N}, kFloat); }),
            "selvage: error[E502]: a is the name of a tensor already; help: choose another name");
  EXPECT_EQ(bad_input([&] { f.extent("a"); }),
            "selvage: error[E502]: a is the name of a tensor already; help: choose another name");
  EXPECT_EQ(bad_input([&] { f.input("N", {N}, kFloat); }),
            "selvage: error[E502]: N is the name of a size already; help: choose another name");
  EXPECT_EQ(bad_input([&] { f.extent("i"); }),
            "selvage: error[E502]: i is the name of an index already; help: choose another name");
  EXPECT_EQ(everything(f), before);
  const Tensor t = a + 1.0;
  EXPECT_NE(bad_input([&] { f.output("a", t); }), "accepted");
  EXPECT_FALSE(f[t.id()].is_output);
}

TEST(Fusion, FreshIndicesDiffer) {
  Fusion f;
  f.extents("N");
  EXPECT_EQ(text({f.fresh_index("i"), f.fresh_index("i"), f.fresh_index("i_1"), f.fresh_index("i"),
                  f.fresh_index("N")}),
            "i, i_1, i_1_1, i_2, N_1");
}

TEST(Fusion, WhatMakesNoSenseIsRefused) {
  Fusion f;
  const auto [N] = f.extents("N");
  const Tensor a = f.input("a", {N, N}, kFloat);
  const Expr i = f.fresh_index("i"), j = f.fresh_index("j");
  const std::string before = everything(f);
  const auto compute = [&](std::vector<Expr> indices, std::vector<Expr> extents, ValueId value) {
    return bad_input([&] { f.compute("y", indices, extents, value); });
  };
  EXPECT_EQ(compute({i}, {N}, read(f, a, {i})),
            "selvage: error[E503]: a has 2 axes and is read as a[i]; help: give one subscript for "
            "each axis");
  EXPECT_EQ(compute({i}, {N}, read(f, a, {i, j})),
            "selvage: error[E504]: the index j is used in y but is none of its indices [i]; help: "
            "put it on the left, or declare it as a size");
  EXPECT_EQ(compute({i}, {N}, f.values().index(i * j)),
            "selvage: error[E504]: the index j is used in y but is none of its indices [i]; help: "
            "put it on the left, or declare it as a size");
  EXPECT_EQ(compute({i, i}, {N, N}, read(f, a, {i, i})),
            "selvage: error[E505]: the indices [i, i] of y are not distinct names; help: give "
            "every axis an index of its own that is no size");
  EXPECT_EQ(compute({i, j}, {N}, read(f, a, {i, j})),
            "selvage: error[E505]: the indices [i, j] of y and its shape [N] differ in number; "
            "help: give one extent for each index");
  EXPECT_EQ(compute({i}, {N - N}, f.values().index(i)),
            "selvage: error[E403]: the extent of i is 0; help: an extent is at least 1; a size "
            "that may be 0 is a symbol with min: 0");
  EXPECT_EQ(bad_input([&] {
              f.input("b", {N, f.constant((std::int64_t{1} << 62) + 1)}, kFloat);
            }),
            "selvage: error[E402]: the extent of b_1 is past 2^62; help: use a smaller extent");
  EXPECT_EQ(bad_input([&] { f.extent("K", 8, 4); }),
            "selvage: error[E509]: no value of K is at least 8 and at most 4; help: give it a max "
            "that is not below its min");
  EXPECT_EQ(bad_input([&] { f.extent("K", 8, 16, 0); }),
            "selvage: error[E509]: K cannot be a multiple of 0; help: multiple_of is at least 1");
  EXPECT_EQ(everything(f), before);
  EXPECT_EQ(compute({i, j}, {N, N}, read(f, a, {i, j})), "accepted");
}

TEST(Fusion, TensorsOfTwoFusionsDoNotMix) {
  Fusion f, g;
  const Tensor a = f.input("a", {f.constant(4)}, kFloat), b = g.input("b", {g.constant(4)}, kFloat);
  EXPECT_EQ(bad_input([&] { a + b; }),
            "selvage: error[E508]: +: the operands a and b belong to two fusions; help: build both "
            "from the inputs of one");
  EXPECT_EQ(bad_input([&] {
              concatenate({a, b}, 0);
            }),
            "selvage: error[E508]: concatenate: the operands a and b belong to two fusions; help: "
            "build both from the inputs of one");
  EXPECT_EQ(bad_input([&] { g.output("y", a); }),
            "selvage: error[E508]: the tensor that y is to name belongs to another fusion; help: "
            "build it from the inputs of this one");
}

}  // namespace
}  // namespace selvage
