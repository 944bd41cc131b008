// What a fold starts with: the value that changes nothing, for every reduction and type.
#include <selvage/ir/identity.h>

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace selvage {
namespace {

constexpr std::array kTypes = {
    DataType::Bool,     DataType::Int8,   DataType::Int16,  DataType::Int32,  DataType::Int64,
    DataType::UInt8,    DataType::UInt16, DataType::UInt32, DataType::UInt64, DataType::Half,
    DataType::BFloat16, DataType::Float,  DataType::Double};

std::vector<Reduction> reductions() {
  std::vector<Reduction> list;
  for (std::size_t i = 0; i < reduction_names().size(); ++i) list.push_back(Reduction(i));
  return list;
}

// Values of a type as they are read back from memory: small ones, the ends, all powers of two with
// their neighbours, and of floats halves, tiny ones and infinities.
std::vector<Scalar> samples(DataType type) {
  std::vector<Scalar> list;
  const auto add = [&](Scalar v) { list.push_back(convert(v, type)); };
  for (int k = 0; k < 64; ++k) {
    for (std::int64_t d : {-1, 0, 1}) {
      const auto v = std::int64_t((std::uint64_t{1} << k) + std::uint64_t(d));
      add(Scalar::of(DataType::Int64, v));
      add(Scalar::of(DataType::Int64, std::int64_t(0 - std::uint64_t(v))));
    }
  }
  if (!is_floating(type)) return list;
  for (double v : {0.5, -0.5, 1.0 / 3, 1e-300, 1e-40, 6e-8, -0.0, 1e30, -1e300,
                   std::numeric_limits<double>::infinity()}) {
    add(Scalar::of(v));
    add(Scalar::of(-v));
  }
  return list;
}

// One more element, as index notation computes it: a bool counts as int32 in sums and products; any
// and all see its truth.
Scalar combined(Reduction r, Scalar a, Scalar b, DataType type) {
  const Function f = combiner(r);
  if (f == Function::And || f == Function::Or) {
    const std::array truths = {convert(a, DataType::Bool), convert(b, DataType::Bool)};
    return selvage::apply(f, truths);
  }
  const DataType compute = type == DataType::Bool ? DataType::Int32 : compute_type(type);
  const std::array operands = {convert(a, compute), convert(b, compute)};
  return convert(selvage::apply(f, operands), type);
}

bool is_equal(const Scalar& a, const Scalar& b) {
  if (a.type != b.type) return false;
  if (a.type == DataType::Float) return a.single == b.single;
  if (a.type == DataType::Double) return a.real == b.real;
  return a.integer == b.integer;
}

TEST(Identity, ChangesNoValueOfAnyType) {
  for (Reduction r : reductions()) {
    if (r == Reduction::LogSumExp) continue;  // it adds powers, and 0 is that of its identity, -inf
    for (DataType type : kTypes) {
      const Scalar start = identity(r, type);
      ASSERT_EQ(start.type, compute_type(type));
      const bool is_logical = combiner(r) == Function::And || combiner(r) == Function::Or;
      for (const Scalar& x : samples(type)) {
        const Scalar seen = is_logical ? convert(x, DataType::Bool) : x;
        EXPECT_TRUE(is_equal(combined(r, start, x, type), seen))
            << to_string(r) << " of " << to_string(type) << " at " << to_text(x);
        EXPECT_TRUE(is_equal(combined(r, x, start, type), seen))
            << to_string(r) << " of " << to_string(type) << " at " << to_text(x);
      }
    }
  }
}

// What a hole holds is what the type can store: reading it back gives the same.
TEST(Identity, SurvivesBeingStored) {
  for (Reduction r : reductions()) {
    for (DataType type : kTypes) {
      const Scalar start = identity(r, type);
      EXPECT_TRUE(is_equal(convert(start, type), start)) << to_string(r) << to_string(type);
    }
  }
}

TEST(Identity, OfMaxIsTheLeastThatATypeCanBe) {
  EXPECT_EQ(to_text(identity(Reduction::Max, DataType::Half)), "-inf");
  EXPECT_EQ(to_text(identity(Reduction::Max, DataType::BFloat16)), "-inf");
  EXPECT_EQ(to_text(identity(Reduction::Max, DataType::Int8)), "-128");
  EXPECT_EQ(to_text(identity(Reduction::Max, DataType::UInt16)), "0");
  EXPECT_EQ(to_text(identity(Reduction::Max, DataType::Bool)), "false");
  EXPECT_EQ(to_text(identity(Reduction::Max, DataType::UInt64)), "0");
  EXPECT_EQ(to_text(identity(Reduction::FMin, DataType::UInt64)), "18446744073709551615");
  EXPECT_EQ(to_text(identity(Reduction::ArgMin, DataType::Int32)), "2147483647");
  EXPECT_EQ(to_text(identity(Reduction::Mean, DataType::Double)), "0");
  EXPECT_EQ(to_text(identity(Reduction::All, DataType::Int16)), "1");
}

TEST(Identity, IdempotentFoldsMaySeeAnElementTwice) {
  for (Reduction r : reductions()) {
    bool always = true;
    for (DataType type : kTypes) {
      for (const Scalar& x : samples(type)) {
        const Scalar once = combined(r, identity(r, type), x, type);
        always = always && is_equal(combined(r, once, x, type), once);
      }
    }
    EXPECT_EQ(always, is_idempotent(r)) << to_string(r);
  }
}

TEST(Identity, NamesAreThoseOfIndexNotation) {
  std::string all;
  for (std::string_view name : reduction_names()) all += std::string(name) + " ";
  EXPECT_EQ(all, "sum prod max min fmax fmin mean any all argmax argmin var logsumexp ");
}

TEST(Exactly, TakesWhatComesBackAsItWas) {
  const auto says = [](std::int64_t v, DataType type) {
    const auto exact = exactly(v, type);
    return exact ? to_text(*exact) : "nothing";
  };
  EXPECT_EQ(says(65504, DataType::Half), "65504");
  EXPECT_EQ(says(65505, DataType::Half), "nothing");
  EXPECT_EQ(says(70000, DataType::Half), "nothing");
  EXPECT_EQ(says(2049, DataType::Half), "nothing");  // lost by rounding
  EXPECT_EQ(says(2049, DataType::Float), "2049");
  EXPECT_EQ(says(257, DataType::BFloat16), "nothing");
  EXPECT_EQ(says(INT64_MAX, DataType::Double), "nothing");  // 2^63 - 1
  EXPECT_EQ(says(INT64_MIN, DataType::Float), "-9.223372e+18");
  EXPECT_EQ(says(-1, DataType::UInt8), "nothing");
  EXPECT_EQ(says(-1, DataType::UInt64), "nothing");
  EXPECT_EQ(says(2, DataType::Bool), "nothing");
  EXPECT_EQ(says(1, DataType::Bool), "true");
}

TEST(Exactly, TheValueThatIsCloseIsOneOfTheType) {
  for (DataType type : kTypes) {
    for (int k = 0; k < 64; ++k) {
      for (std::int64_t d : {-1, 0, 1, 77}) {
        const auto v = std::int64_t((std::uint64_t{1} << k) + std::uint64_t(d));
        for (std::int64_t x : {v, std::int64_t(0 - std::uint64_t(v))}) {
          EXPECT_TRUE(exactly(nearest(x, type), type)) << x << " in " << to_string(type);
          if (exactly(x, type)) {
            EXPECT_EQ(nearest(x, type), x) << to_string(type);
          }
        }
      }
    }
  }
  EXPECT_EQ(nearest(70000, DataType::Half), 65504);
  EXPECT_EQ(nearest(-5, DataType::UInt8), 0);
  EXPECT_EQ(nearest(300, DataType::UInt8), 255);
  EXPECT_EQ(nearest(259, DataType::BFloat16), 260);
}

}  // namespace
}  // namespace selvage
