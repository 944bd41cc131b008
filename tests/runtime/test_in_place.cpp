// Programs whose outputs take the place of inputs, called with one array for both.
#include <selvage/emulate/reference.h>
#include <selvage/ir/ops.h>
#include <selvage/runtime/executable.h>

#include <gtest/gtest.h>

#include "tests/support/refusal.h"

namespace selvage {
namespace {

// Running statistics of a batch norm over columns: m2 = 0.9 m + 0.1 mean(x), in place.
struct RunningMean {
  Fusion f;
  const Expr n = f.extent("N", 0), c = f.extent("C", 0);
  const Tensor x = f.input("x", {n, c}, DataType::Float);
  const Tensor m = f.input("m", {c}, DataType::Float);
  RunningMean() {
    const Tensor batch = mean(x, {0});
    f.output("y", x - batch);
    f.output_in_place("m2", m * 0.9 + batch * 0.1, m);
  }
  Array filled(std::vector<std::int64_t> shape, float scale) const {
    Array a(DataType::Float, std::move(shape));
    for (std::int64_t k = 0; k < a.size(); ++k) a.set(k, scale * float(k % 17) - 3);
    return a;
  }
};

TEST(ExecutableInPlace, OneArrayIsInputAndOutputOverManySteps) {
  RunningMean r;
  const Executable run = compile(r.f, {.target = Target::Virtual, .checks = true});
  Array running = r.filled({40}, 0.5F), expected = running;
  for (int step = 0; step < 5; ++step) {
    const Array x = r.filled({30, 40}, 0.1F * float(step + 1));
    Array y(DataType::Float, {30, 40});
    const std::vector<Array> right =
        run_reference(r.f, {{"N", 30}, {"C", 40}}, {{"x", x}, {"m", expected}});
    run({x, running, y, running});
    expected = right[1];
    for (std::int64_t k = 0; k < 40; ++k) ASSERT_NEAR(running.get(k), expected.get(k), 1e-4) << k;
  }
}

TEST(ExecutableInPlace, RefusesOtherMemoryForTheOutput) {
  RunningMean r;
  const Executable run = compile(r.f, {.target = Target::Virtual});
  const Array x = r.filled({3, 4}, 1);
  Array m = r.filled({4}, 1), other = m, y(DataType::Float, {3, 4});
  EXPECT_EQ(bad_input([&] {
              run({x, m, y, other});
            }),
            "selvage: error[E633]: the output m2 takes the place of m, and is given other memory; "
            "help: pass the memory of m for both");
  // An output with memory of its own may still share none.
  Array z = x;
  EXPECT_EQ(bad_input([&] {
              run({z, m, z, m});
            }),
            "selvage: error[E631]: the output y lies where x does, or partly; help: give y memory "
            "of its own");
  run({x, m, y, m});
}

TEST(ExecutableInPlace, WithoutItemsNothingIsReplaced) {
  RunningMean r;
  const Executable run = compile(r.f, {.target = Target::Virtual});
  const Array x(DataType::Float, {3, 0});
  Array m(DataType::Float, {0}), y(DataType::Float, {3, 0});
  run({x, m, y, m});
  const Array none(DataType::Float, {0, 4});
  Array running = r.filled({4}, 1), nothing(DataType::Float, {0, 4});
  run({none, running, nothing, running});  // the mean of nothing is NaN
  EXPECT_TRUE(std::isnan(running.get(0)));
}

}  // namespace
}  // namespace selvage
