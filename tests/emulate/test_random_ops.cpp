// Tensors of random numbers by the reference interpreter.
#include <selvage/base/philox.h>
#include <selvage/emulate/reference.h>
#include <selvage/ir/random_ops.h>

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/refusal.h"
#include "tests/support/special_values.h"

namespace selvage {
namespace {

TEST(RandomOps, ItemsHaveTheNumbersOfTheirPlaces) {
  Fusion f;
  const auto [M, N] = f.extents("M", "N");
  const Tensor seed = f.input("seed", {}, DataType::UInt64);
  f.output("bits", random_bits(f, {M, N}, 7));
  f.output("uniform", random_uniform(f, {M, 2, N}, 7));
  f.output("normal", random_normal(f, {N}, seed));
  f.output("single", random_bits(f, {}, seed));
  Array large(DataType::UInt64, {});
  large.set_int(0, -3);
  const std::vector<Array> out = run_reference(f, {{"M", 3}, {"N", 5}}, {{"seed", large}});
  EXPECT_EQ(out[0].type, DataType::UInt32);
  EXPECT_EQ(out[1].type, DataType::Float);
  EXPECT_EQ(out[1].shape, (std::vector<std::int64_t>{3, 2, 5}));
  for (std::int64_t k = 0; k < 30; ++k) {
    const auto n = std::uint64_t(k);
    if (k < 15) {
      EXPECT_EQ(out[0].get_int(k), random_bits(7, n));
    }
    EXPECT_EQ(out[1].get(k), uniform_of(random_bits(7, n)));
    if (k < 5) {
      EXPECT_EQ(out[2].get(k), normal_of(random_bits(std::uint64_t(-3), n)));
    }
  }
  EXPECT_EQ(out[3].get_int(0), random_bits(std::uint64_t(-3), 0));
}

Array dropped(const Array& x, double p, std::int64_t seed) {
  Fusion f;
  const auto [N] = f.extents("N");
  f.output("y", dropout(f.input("x", {N}, x.type), p, seed));
  return run_reference(f, {{"N", x.size()}}, {{"x", x}}).at(0);
}

TEST(RandomOps, DropoutKeepsItsShareAndTheMean) {
  Array x(DataType::Half, {20000});
  for (std::int64_t k = 0; k < x.size(); ++k) x.set(k, 2);
  const Array y = dropped(x, 0.25, 99);
  EXPECT_EQ(y.type, DataType::Half);
  Array kept(DataType::Half, {1});
  kept.set(0, 2 / 0.75);
  std::int64_t zeros = 0;
  for (std::int64_t k = 0; k < x.size(); ++k) {
    const bool is_kept = uniform_of(random_bits(99, std::uint64_t(k))) >= 0.25F;
    EXPECT_EQ(y.get(k), is_kept ? kept.get(0) : 0) << k;
    zeros += y.get(k) == 0;
  }
  EXPECT_NEAR(double(zeros) / 20000, 0.25, 0.02);
  EXPECT_NE(dropped(x, 0.25, 98), y);
}

TEST(RandomOps, DropoutOfNothingAndOfEverything) {
  Array x(DataType::Float, {4});
  x.set(0, 1.25), x.set(1, -kInfinity), x.set(2, kNaN), x.set(3, 0x1p-149);
  EXPECT_EQ(dropped(x, 0, 1).bytes, x.bytes);
  EXPECT_EQ(dropped(x, 1, 1), Array(DataType::Float, {4}));
}

TEST(RandomOps, WhatIsNoSeedOrNoShareIsRefused) {
  Fusion f, g;
  const auto [N] = f.extents("N");
  const Tensor x = f.input("x", {N}, DataType::Float), k = f.input("k", {N}, DataType::Int64);
  const Tensor real = f.input("real", {}, DataType::Float);
  const Tensor other = g.input("other", {}, DataType::Int64);
  const std::size_t before = f.size();
  EXPECT_EQ(
      bad_input([&] { random_normal(f, {N}, k); }),
      "selvage: error[E511]: random_normal: the seed k[N] has axes; help: give an integer, or "
      "a tensor without axes");
  EXPECT_EQ(bad_input([&] { random_bits(f, {N}, other); }),
            "selvage: error[E508]: random_bits: the seed other[] belongs to another fusion; help: "
            "make it an input of this one");
  EXPECT_EQ(bad_input([&] { random_uniform(f, {N}, real); }),
            "selvage: error[E506]: random_uniform is of bools and integers, and meets the type "
            "float; help: cast to an integer type what it meets: write random_uniform(int32(...), "
            "...)");
  EXPECT_EQ(bad_input([&] { dropout(x, 1.5, 1); }),
            "selvage: error[E511]: dropout: 1.5 is no share of the items of x[N]; help: give a p "
            "from 0 to 1");
  EXPECT_EQ(bad_input([&] { dropout(x, NAN, 1); }),
            "selvage: error[E511]: dropout: nan is no share of the items of x[N]; help: give a p "
            "from 0 to 1");
  EXPECT_EQ(f.size(), before);
}

}  // namespace
}  // namespace selvage
