#include <selvage/ir/ops.h>
#include <selvage/scheduler/structure.h>

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "tests/support/known_fusions.h"

namespace selvage {
namespace {

struct Scaled {
  Scaled(const char* in, const char* out, std::int64_t rows, std::int64_t columns, double by) {
    const auto n = [&](std::int64_t value) { return f.pool().constant(value); };
    const Tensor x = f.input(in, {n(rows), n(columns)}, DataType::Float);
    f.output(out, x * by);
  }
  std::string text() const { return structure_of(f, TypicalSizes(f, {})); }
  Fusion f;
};

TEST(Structure, HasNoNames) {
  EXPECT_EQ(Scaled("x", "y", 100, 64, 2).text(), Scaled("in", "out", 100, 64, 2).text());
}

TEST(Structure, DiffersWhereValuesDo) {
  EXPECT_NE(Scaled("x", "y", 100, 64, 2).text(), Scaled("x", "y", 100, 64, 3).text());
}

TEST(Structure, HasExtentsByTheirClass) {
  EXPECT_EQ(Scaled("x", "y", 4096, 64, 2).text(), Scaled("x", "y", 6000, 64, 2).text());
  EXPECT_NE(Scaled("x", "y", 4096, 64, 2).text(), Scaled("x", "y", 8192, 64, 2).text());
  EXPECT_NE(Scaled("x", "y", 4096, 64, 2).text(), Scaled("x", "y", 4097, 64, 2).text());
}

// For all extents: those of one class have the same power of two below, and take the same vectors.
TEST(Structure, ExtentsOfAClassTakeTheSameVectors) {
  std::map<std::string, std::int64_t> first;
  for (std::int64_t n = 1; n < 5000; ++n) {
    const std::int64_t other = first.try_emplace(size_class(n), n).first->second;
    EXPECT_LT(n, 2 * other) << n;
    for (const std::int64_t vector : {2, 4, 8, 16}) {
      EXPECT_EQ(n % vector == 0, other % vector == 0) << n << " and " << other;
    }
  }
}

TEST(Structure, OfKnownFusionsDiffer) {
  std::set<std::string> texts;
  const auto fusions = test::known_fusions();
  for (const test::KnownFusion& known : fusions) {
    texts.insert(structure_of(*known.fusion, TypicalSizes(*known.fusion, {})));
  }
  EXPECT_EQ(texts.size(), fusions.size());
}

TEST(Structure, OfADeviceHasAllItsNumbers) {
  const Device device = *find_device("h100");
  std::set<std::string> texts = {text_of(device)};
  const auto add_one_to = [&](auto member) {
    Device other = device;
    other.*member += 1;
    EXPECT_TRUE(texts.insert(text_of(other)).second) << texts.size();
  };
  for (const auto member : {&Device::multiprocessors, &Device::l2_bytes, &Device::shared_bytes,
                            &Device::registers, &Device::threads, &Device::blocks}) {
    add_one_to(member);
  }
  for (const auto member :
       {&Device::dram_bandwidth, &Device::l2_bandwidth, &Device::clock, &Device::latency,
        &Device::l2_latency, &Device::launch, &Device::block_start, &Device::dram_share,
        &Device::read_share, &Device::flight_knee, &Device::flight_power}) {
    add_one_to(member);
  }
}

// Along which axis a scan runs, and whether a function is computed fast, change the kernels.
TEST(Structure, OfScansAndFastFunctionsDiffers) {
  std::set<std::string> texts;
  const auto add = [&](const std::function<Tensor(Tensor)>& build) {
    Fusion f;
    f.output("y", build(f.input("x", {f.constant(64), f.constant(64)}, DataType::Float)));
    texts.insert(structure_of(f, TypicalSizes(f, {})));
  };
  add([](const Tensor& x) { return cumsum(x, 0); });
  add([](const Tensor& x) { return cumsum(x, 1); });
  add([](const Tensor& x) { return exp(x); });
  add([](const Tensor& x) { return fast(exp(x)); });
  EXPECT_EQ(texts.size(), 4u);
}

}  // namespace
}  // namespace selvage
