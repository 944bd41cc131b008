// What reads become: in bounds, masked, of inlined views, and in vectors.
#include <selvage/base/diagnostic.h>
#include <selvage/ir/ops.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/lowered.h"
#include "tests/support/refusal.h"

namespace selvage {

namespace {

using test::expect_agreement;
using test::SizeList;

const SizeList kValueSizes = {{{"N", 4}}, {{"N", 5}}, {{"N", 33}}};

// Where the second part is not read, its subscript is in bounds of nothing.
TEST(Values, ViewsThatAreConcatenatedAreInlined) {
  Fusion f;
  const Expr N = f.extent("N", 4);
  const Tensor x = f.input("x", {N}, DataType::Float);
  f.output("y", concatenate({x, slice(x, 0, 2), slice(x, 0, 0, 3)}, 0));
  expect_agreement(f, Schedule(f), kValueSizes);
}

TEST(Values, RegroupedItemsThatAreConcatenatedAreInlined) {
  Fusion f;
  const Expr N = f.extent("N", 4);
  const Tensor x = f.input("x", {N, f.constant(6)}, DataType::Float);
  const Tensor cut = reshape(slice(x, 1, 1, 5) + 1, {N, 2, 2});
  f.output("y", concatenate({cut, reshape(slice(x, 1, 2), {N, 2, 2}), cut}, 1));
  expect_agreement(f, Schedule(f), kValueSizes);
}

TEST(Values, AViewThatReadsOutOfBoundsIsRefusedWithAPoint) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(4)}, DataType::Float);
  const Expr i = f.fresh_index("i");
  const ValueId v = f.values().read(DataType::Float, std::uint32_t(x.id()), {i + 1});
  const auto halves = [&](DomainGraph& graph, const std::vector<DomainId>& root) {
    const auto [outer, inner] = graph.split(root[0], f.constant(2));
    return std::vector{outer, inner};
  };
  f.output("y", f.compute_view("t", {i}, {f.constant(4)}, halves, v));
  EXPECT_EQ(refusal_by<Illegal>([&] { lower(f, Schedule(f)); }),
            "selvage: error[E440]: y reads x at io * 2 + ii + 1 on axis 0, which is not proved to "
            "lie within its extent 4; it is out of bounds at io = 1, ii = 1; help: read fill(x[i + "
            "1], 0), which is 0 out of bounds");
}

TEST(Values, APartOfAFoldThatReadsOutOfBoundsIsRefused) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(10)}, DataType::Float);
  const Expr n = f.fresh_index("n");
  const ValueId v = f.values().read(DataType::Float, std::uint32_t(x.id()), {n * 2});
  const Tensor y =
      f.output("y", f.compute_fold("s", {}, {}, {.indices = {n}, .shape = {f.constant(6)}}, v));
  Schedule s(f);
  const auto [o, i] = s.split(s.loops(y.id())[0], 2);
  s.rfactor(y.id(), {o}, "part");
  EXPECT_EQ(refusal_by<Illegal>([&] { lower(f, s); }),
            "selvage: error[E440]: part reads x at no * 4 + ni * 2 on axis 0, which is not proved "
            "to lie within its extent 10; it is out of bounds at ni = 1, no = 2; help: read "
            "fill(x[n * 2], 0), which is 0 out of bounds");
}

// D / 2 == D - D / 2 is checked at launch, so the second half is as long as the first, and c is
// read within its bounds.
TEST(Values, WhatIsCheckedAtLaunchIsAFactForReads) {
  Fusion f;
  const Expr D = f.extent("D"), half = D / 2;
  const Tensor x = f.input("x", {D}, DataType::Float), c = f.input("c", {half}, DataType::Float);
  f.output("y", concatenate({slice(x, 0, 0, half) * c, slice(x, 0, half) * c}, 0));
  EXPECT_EQ(f.launch_checks().size(), 2u);
  expect_agreement(f, Schedule(f), {{{"D", 2}}, {{"D", 8}}, {{"D", 66}}});
}

// t reads past x for one i, at which y does not read t.
TEST(Values, AReadThatIsNotMadeIsNoWitness) {
  const auto message = [](std::int64_t shift) {
    Fusion f;
    const Expr N = f.constant(4);
    const Tensor x = f.input("x", {N}, DataType::Float);
    const Expr i = f.fresh_index("i");
    const auto read = [&](Tensor t, Expr at) {
      return f.values().read(DataType::Float, std::uint32_t(t.id()), {at});
    };
    const Tensor t = f.compute("t", {i}, {N}, read(x, i + 1));
    f.output("y", pad(t, {{shift, 0}}));
    return refusal_by<Illegal>([&] { lower(f, Schedule(f)); });
  };
  // At t[N - 1] alone; the first items of y are zeros that are not read anywhere.
  EXPECT_THAT(message(2), testing::HasSubstr("out of bounds at ir = 5;"));
  EXPECT_THAT(message(0), testing::HasSubstr("out of bounds at i0 = 3;"));
}

TEST(Values, TheHelpNamesTheMultipleOrTheRelationThatMendsARead) {
  const auto help = [](const auto& build) {
    Fusion f;
    build(f);
    const std::string message = refusal_by<Illegal>([&] { lower(f, Schedule(f)); });
    const std::size_t at = message.find("help: ");
    return at == std::string::npos ? message : message.substr(at + 6);
  };
  const auto shifted = [](Fusion& f, Expr of, Expr n, std::int64_t by) {
    const Expr i = f.fresh_index("i");
    const Tensor x = f.input("x", {of}, DataType::Float);
    f.output("y", f.compute("y0", {i}, {n},
                            f.values().read(DataType::Float, std::uint32_t(x.id()), {i + by})));
  };
  EXPECT_EQ(
      help([&](Fusion& f) {
        const auto [M, N] = f.extents("M", "N");
        shifted(f, M, N, 2);
      }),
      "say that N + 1 < M: under facts in a file, assume() in C++; or read fill(x[i + 2], 0), "
      "which is 0 out of bounds");
  EXPECT_EQ(help([&](Fusion& f) {
              const auto [M, N] = f.extents("M", "N");
              f.assume(N + 1 < M);
              shifted(f, M, N, 2);
            }),
            "accepted");
  EXPECT_EQ(help([&](Fusion& f) {
              const Expr N = f.extent("N", 16);
              shifted(f, N / 4 * 4, N - 1, 1);
            }),
            "say that N is a multiple of 4: N: {multiple_of: 4} under symbols, or "
            "assume(eq(N % 4, 0)); or read fill(x[i + 1], 0), which is 0 out of bounds");
}

// A group that is partly masked is read element by element, however deep below the mask a read
// stands.
TEST(Values, WhatIsMaskedIsNotReadForAWholeGroup) {
  Fusion f;
  const Expr N = f.extent("N", 4);
  const Tensor x = f.input("x", {N, f.constant(8)}, DataType::Float);
  const Tensor y = f.output("y", relu(pad(abs(x * 2) + 1, {{0, 0}, {4, 4}}, 7)));
  for (std::int64_t width : {2, 4}) {
    Schedule s(f);
    const auto [n, k] = s.loops<2>(y);
    s.bind(n, ParallelType::BIDx).bind(s.split(k, width).second, ParallelType::Vectorize);
    expect_agreement(f, s, kValueSizes);
  }
}

}  // namespace

}  // namespace selvage
