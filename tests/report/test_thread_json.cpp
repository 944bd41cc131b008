// Masks in the JSON.
#include <selvage/report/json.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/pictures/drawings.h"

namespace selvage {
namespace {

using ThreadJson = nlohmann::ordered_json;
using test::Inspected;

// A map tells the two loops over ho apart; what the kernel calls them is what a reader sees.
TEST(ThreadJson, MasksOfGuardsNameLoopsAsTheirConditionDoes) {
  const Inspected i(R"(
inputs: {x: {shape: [6, 13], dtype: float}}
outputs: {s: {dtype: float}}
compute:
  - s[b] = sum(x[b, h])
schedule:
  s: [{split: {in: h, factor: 4, out: [ho, hi]}}, {bind: {b: BIDx, hi: TIDx}}]
)");
  const ThreadJson masks = ThreadJson::parse(to_json(i.report))["kernels"][0]["masks"];
  bool has_iterations = false;
  for (const ThreadJson& mask : masks) {
    if (!mask.contains("iterations")) continue;
    has_iterations = true;
    EXPECT_EQ(mask["when"], "ho * 4 + hi < 13");
    EXPECT_EQ(mask["iterations"][3]["at"], ThreadJson::parse("{\"ho\": 3}"));
  }
  EXPECT_TRUE(has_iterations);
}

// Past 64 iterations they are left out, and every key is still there.
TEST(ThreadJson, AMaskOfManyIterationsHasAllKeys) {
  const auto mask_of = [](int n) -> ThreadJson {
    const Inspected i("inputs: {x: {shape: [" + std::to_string(n) + R"(], dtype: float}}
outputs: {y: {dtype: float}}
compute: ["y[h] = x[h]"]
schedule:
  y: [{split: {in: h, factor: 4, out: [ho, hi]}}, {bind: {hi: TIDx}}]
)");
    const ThreadJson masks = ThreadJson::parse(to_json(i.report))["kernels"][0]["masks"];
    for (const ThreadJson& mask : masks) {
      if (mask.contains("iterations")) return mask;
    }
    return ThreadJson();
  };
  EXPECT_EQ(mask_of(64 * 4 - 1)["iterations"].size(), 64u);
  const ThreadJson many = mask_of(64 * 4 + 1);
  for (const char* key : {"mask", "product", "rows", "active", "iterations"}) {
    ASSERT_TRUE(many.contains(key)) << key;
    EXPECT_TRUE(many[key].is_null()) << key;
  }
}

}  // namespace
}  // namespace selvage
