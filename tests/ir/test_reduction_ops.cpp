#include <selvage/base/diagnostic.h>
#include <selvage/expr/text.h>
#include <selvage/ir/ops.h>
#include <tests/support/refusal.h>

#include <gtest/gtest.h>

#include <string>

namespace selvage {
namespace {

std::string reduced_shape(Tensor t) {
  std::string text;
  for (Expr n : t.fusion().shape(t.id())) text += (text.empty() ? "" : ", ") + to_string(n);
  return "[" + text + "]";
}

// Iterdomains by number: two tensors that share one show the same.
std::string numbers(const std::vector<DomainId>& domains) {
  std::string text;
  for (DomainId d : domains) text += (text.empty() ? "" : " ") + std::to_string(index_of(d));
  return text;
}

TEST(ReductionOps, FoldedAxesAreLeftOutOrStayWithExtent1) {
  Fusion f;
  const auto [M, N, K] = f.extents("M", "N", "K");
  const Tensor x = f.input("x", {M, N, K}, DataType::Float);
  EXPECT_EQ(reduced_shape(sum(x, {1})), "[M, K]");
  EXPECT_EQ(reduced_shape(sum(x, {-1, 0})), "[N]");
  EXPECT_EQ(reduced_shape(sum(x)), "[]");
  EXPECT_EQ(reduced_shape(mean(x, {1}, keepdim)), "[M, 1, K]");
  EXPECT_EQ(reduced_shape(max(x, {}, keepdim)), "[1, 1, 1]");
  EXPECT_EQ(reduced_shape(variance(x, {2}, true, 1)), "[M, N, 1]");
}

// What max means is told by what it is given.
TEST(ReductionOps, MaxOfATensorFoldsAndMaxOfTwoIsPointwise) {
  Fusion f;
  const auto [M, N] = f.extents("M", "N");
  const Tensor x = f.input("x", {M, N}, DataType::Float);
  EXPECT_TRUE(f[max(x, {1}).id()].fold);
  EXPECT_TRUE(f[max(x, {0, 1}).id()].fold);
  EXPECT_TRUE(f[min(x).id()].fold);
  EXPECT_FALSE(f[max(x, 1).id()].fold);
  EXPECT_FALSE(f[max(x, x).id()].fold);
  EXPECT_FALSE(f[min(0.5, x).id()].fold);
}

TEST(ReductionOps, AxesAreSharedWithWhatIsRead) {
  Fusion f;
  const auto [M, N] = f.extents("M", "N");
  const Tensor x = f.input("x", {M, N}, DataType::Float);
  const Tensor t = exp(x), s = sum(t, {1}, keepdim), y = t / s;
  EXPECT_EQ(numbers(f[t.id()].logical), numbers(f[y.id()].logical));
  EXPECT_EQ(f[s.id()].logical[0], f[t.id()].logical[0]);
  EXPECT_EQ(f[s.id()].fold->domains[0], f[t.id()].logical[1]);
  EXPECT_NE(f[s.id()].logical[1], f[t.id()].logical[1]);
}

TEST(ReductionOps, TypesAreThoseOfPyTorch) {
  Fusion f;
  const auto [N] = f.extents("N");
  const auto types = [&](DataType type) {
    const Tensor x = f.input("x" + std::string(to_string(type)), {N}, type);
    std::string text;
    for (Tensor t : {sum(x), prod(x), max(x), mean(x), variance(x), any(x), argmax(x)}) {
      text += (text.empty() ? "" : " ") + std::string(to_string(f[t.id()].type));
    }
    return text;
  };
  EXPECT_EQ(types(DataType::Half), "half half half half half bool int64");
  EXPECT_EQ(types(DataType::Double), "double double double double double bool int64");
  EXPECT_EQ(types(DataType::Int8), "int64 int64 int8 float float bool int64");
  EXPECT_EQ(types(DataType::Bool), "int64 int64 bool float float bool int64");
  const Tensor h = f.input("h", {N}, DataType::Half);
  EXPECT_EQ(f[sum(h).id()].fold->type, DataType::Float);
}

TEST(ReductionOps, AxesThatTheTensorDoesNotHaveOnceAreRefused) {
  Fusion f;
  const auto [M, N] = f.extents("M", "N");
  const Tensor x = f.input("x", {M, N}, DataType::Float), c = f.input("c", {}, DataType::Float);
  const std::size_t before = f.size();
  EXPECT_EQ(bad_input([&] { sum(x, {2}); }),
            "selvage: error[E510]: sum: x[M, N] has no axis 2; help: name axes from -2 to 1, each "
            "once");
  EXPECT_EQ(bad_input([&] { argmax(x, {-3}); }),
            "selvage: error[E510]: argmax: x[M, N] has no axis -3; help: name axes from -2 to 1, "
            "each once");
  EXPECT_EQ(bad_input([&] {
              variance(x, {1, -1});
            }),
            "selvage: error[E510]: var: axis -1 of x[M, N] is named twice; help: name axes from -2 "
            "to 1, each once");
  EXPECT_EQ(bad_input([&] { all(c, {0}); }),
            "selvage: error[E510]: all: c[] has no axis 0; help: name none: there are no axes");
  EXPECT_EQ(bad_input([&] { variance(x, {1}, false, -1); }),
            "selvage: error[E511]: var: a correction of -1 for x[M, N]; help: give a correction of "
            "at least 0");
  EXPECT_EQ(f.size(), before);
  EXPECT_EQ(bad_input([&] {
              sum(x, {1});
              argmax(x, {-2});
              variance(x, {0, -1});
              all(c, {});
              variance(x, {1}, false, 0);
            }),
            "accepted");
}

}  // namespace
}  // namespace selvage
