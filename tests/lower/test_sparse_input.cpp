// Sparse matrices as inputs in C++: folds and values at items, in every format, beside a walk over
// what the format stores.
#include <gtest/gtest.h>
#include <selvage/base/random.h>
#include <selvage/driver/run.h>
#include <selvage/ir/ops.h>
#include <selvage/ir/sparse_input.h>
#include <selvage/lower/programs_by_size.h>
#include <selvage/lower/proof.h>
#include <tests/support/counts.h>
#include <tests/support/refusal.h>
#include <tests/support/stored_items.h>

#include <algorithm>
#include <limits>
#include <map>

namespace selvage {

namespace {

const StorageFormat kSparseFormats[] = {
    {StorageKind::Csr},     {StorageKind::Csc}, {StorageKind::Coo},  {StorageKind::Ell},
    {StorageKind::Sell, 4}, {StorageKind::Dia}, {StorageKind::Bcsr}, {StorageKind::Bcsr, 2, 3}};

struct SparseCase {
  explicit SparseCase(const StorageFormat& format)
      : format(format),
        I(f.extent("I", 0)),
        J(f.extent("J")),
        A(f, "A", format, I, J, DataType::Int32),
        x(f.input("x", {by_columns() ? I : J}, DataType::Int32)),
        d(f.fresh_index("d")) {
    const auto other = [&](const SparseItem& a) { return by_columns() ? a.row : a.column; };
    const auto own = [&](const SparseItem& a) { return by_columns() ? a.column : a.row; };
    const Tensor z = f.input("z", {by_columns() ? J : I}, DataType::Int32);
    const Tensor X = f.input("X", {by_columns() ? I : J, f.constant(3)}, DataType::Int32);
    f.output("y", A.fold(Reduction::Sum, {}, {},
                         [&](const SparseItem& a) { return a.value * gather(x, {other(a)}); }));
    f.output("Y", A.fold(Reduction::Sum, {d}, {f.constant(3)}, [&](const SparseItem& a) {
      return a.value * gather(X, {other(a), d});
    }));
    f.output("least", A.fold(Reduction::Min, {}, {},
                             [&](const SparseItem& a) { return a.value + gather(x, {other(a)}); }));
    f.output("items", A.at_items([&](const SparseItem& a) {
      return a.value * gather(x, {other(a)}) + gather(z, {own(a)});
    }));
  }
  bool by_columns() const { return format.storage == StorageKind::Csc; }

  StorageFormat format;
  Fusion f;
  Expr I, J;
  SparseInput A;
  Tensor x;
  Expr d;
};

CoordinateMatrix matrix_of(SplitMix64& random, int kind) {
  const auto below = [&](std::int64_t n) { return std::int64_t(random.next() % std::uint64_t(n)); };
  CoordinateMatrix m;
  m.rows = kind == 0 ? 0 : 1 + below(20);
  m.columns = 1 + below(15);
  const std::int64_t items = kind == 0 || kind == 1 ? 0 : below(60);
  for (std::int64_t k = 0; k < items; ++k) {
    m.row.push_back(kind == 2 ? below(m.rows) / 2 : below(m.rows));
    m.column.push_back(below(m.columns));
    m.value.push_back(double(below(19)) - 9);
  }
  return m;
}

class SparseInputs : public testing::TestWithParam<std::size_t> {};

TEST_P(SparseInputs, FoldAndComputeWhatTheyStore) {
  const SparseCase c(kSparseFormats[GetParam()]);
  const Program program = lower_automatically(c.f, {}, usual_device(), {});
  EXPECT_TRUE(prove(program.steps).is_complete());
  SplitMix64 random(GetParam() + 1);
  for (int kind = 0; kind < count(5, 60); ++kind) {
    const StoredMatrix m = stored(matrix_of(random, kind), c.format);
    RunRequest request{.sizes = {{"I", m.rows}, {"J", m.columns}},
                       .inputs = arrays_of(m, "A", DataType::Int32, DataType::Int32),
                       .on = Machine::Emulate,
                       .on_all = kind < 3};
    const RunResult result = run(c.f, program, request);
    ASSERT_TRUE(result.passed());
    const auto in = [&](const char* name, std::int64_t k) {
      return result.inputs.at(name).get_int(k);
    };
    const auto out = [&](const char* name, std::int64_t k) {
      return result.outputs.at(name).get_int(k);
    };
    std::map<std::int64_t, std::int64_t> y, least, Y;
    for (const test::StoredItem& item : test::stored_items(m)) {
      const std::int64_t own = c.by_columns() ? item.column : item.row;
      const std::int64_t other = c.by_columns() ? item.row : item.column;
      const auto value = std::int64_t(item.value);
      y[own] += value * in("x", other);
      for (std::int64_t d = 0; d < 3; ++d) Y[own * 3 + d] += value * in("X", other * 3 + d);
      const auto [at, is_new] = least.try_emplace(own, value + in("x", other));
      if (!is_new) at->second = std::min(at->second, value + in("x", other));
      ASSERT_EQ(out("items", std::int64_t(item.place)), value * in("x", other) + in("z", own));
    }
    const std::int64_t lines = c.by_columns() ? m.columns : m.rows;
    for (std::int64_t r = 0; r < lines; ++r) {
      ASSERT_EQ(out("y", r), y[r]);
      for (std::int64_t d = 0; d < 3; ++d) ASSERT_EQ(out("Y", r * 3 + d), Y[r * 3 + d]);
      const bool has_items = least.contains(r);
      ASSERT_EQ(out("least", r), has_items ? least[r] : std::numeric_limits<std::int32_t>::max());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, SparseInputs,
                         testing::Range(std::size_t{0}, std::size(kSparseFormats)));

TEST(SparseInputs, AMeanIsRefusedWhereItWouldCountWhatFillsUp) {
  SparseCase c({StorageKind::Ell});
  const auto mean = [&] {
    c.A.fold(Reduction::Mean, {}, {}, [](const SparseItem& a) { return a.value; });
  };
  EXPECT_EQ(
      bad_input(mean),
      "selvage: error[E520]: mean would count what only fills A up, as it is ell; help: store "
      "A as csr, csc or coo");
}

}  // namespace

}  // namespace selvage
