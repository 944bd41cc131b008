// A fusion with copies of its tensors means what it meant without.
#include <selvage/base/diagnostic.h>
#include <selvage/emulate/reference.h>
#include <selvage/ir/ops.h>
#include <selvage/ir/schedule.h>

#include <gtest/gtest.h>

#include <random>

#include "tests/support/counts.h"

namespace selvage {
namespace {

// Up to eight operations on two inputs, over squares, so that transposes read in every order; some
// results are outputs, stored in half, and are read again.
struct RandomChain {
  explicit RandomChain(std::mt19937& random) : random_(random) {
    const Expr n = f.constant(3);
    all = {f.input("a", {n, n}, DataType::Float), f.input("b", {n, n}, DataType::Half)};
    const int steps = int(draw(2, 8));
    for (int k = 0; k < steps; ++k) {
      const Tensor x = pick();
      const Tensor y = pick();
      Tensor t;
      switch (draw(0, 4)) {
        case 0: t = x + y; break;
        case 1: t = x * transpose(y, {1, 0}); break;
        case 2: t = relu(x); break;
        case 3: t = select(x < y, x, y * 3); break;
        default: t = cast(x, DataType::Half); break;
      }
      if (draw(0, 2) == 0 || k + 1 == steps) {
        t = f.output("out" + std::to_string(k), t, draw(0, 1) ? DataType::Half : DataType::Float);
      }
      all.push_back(t);
    }
  }
  Tensor pick() { return all[std::size_t(draw(0, std::int64_t(all.size()) - 1))]; }
  std::int64_t draw(std::int64_t lo, std::int64_t hi) {
    return lo + std::int64_t(random_() % std::uint32_t(hi - lo + 1));
  }
  Array array(DataType type) {
    Array a(type, {3, 3});
    for (std::int64_t k = 0; k < a.size(); ++k) a.set(k, double(draw(-4000, 4000)) / 1024);
    return a;
  }

  std::mt19937& random_;
  Fusion f;
  std::vector<Tensor> all;
};

TEST(CachedFusions, MeanWhatTheyMeantBefore) {
  std::mt19937 random(5);
  int cached = 0, refused = 0;
  for (int k = 0; k < count(200, 5000); ++k) {
    RandomChain chain(random);
    const std::map<std::string, Array> inputs = {{"a", chain.array(DataType::Float)},
                                                 {"b", chain.array(DataType::Half)}};
    const std::vector<Array> expected = run_reference(chain.f, {}, inputs);
    Schedule s(chain.f);
    for (int step = 0; step < 4; ++step) {
      const auto t = TensorId(chain.draw(0, std::int64_t(s.fusion().size()) - 1));
      const std::size_t size = s.fusion().size();
      try {
        s.cache(t, "", Memory(chain.draw(0, 2)));
        ++cached;
      } catch (const Illegal&) {
        ++refused;
        EXPECT_EQ(s.fusion().size(), size);
      }
    }
    ASSERT_EQ(run_reference(s.fusion(), {}, inputs), expected) << k;
    ASSERT_EQ(run_reference(chain.f, {}, inputs), expected) << k;
  }
  EXPECT_GT(cached, more_than(300));
  EXPECT_GT(refused, more_than(20));
}

}  // namespace
}  // namespace selvage
