// --cost: what kernels and accesses cost, on the page and in JSON.
#include <selvage/report/cost_lines.h>
#include <selvage/report/json.h>
#include <selvage/report/page.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/pictures/drawings.h"

namespace selvage {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Parsed = nlohmann::json;

struct Costed : test::Inspected {
  explicit Costed(const char* text) : Inspected(text) { add_costs(*find_device("h100"), report); }
  std::string page() const {
    PageOptions options;
    options.cost = true;
    return selvage::page(report, options);
  }
};

constexpr char kColumns[] = R"(
sizes: {M: 256, N: 96}
inputs: {x: {shape: [N, M], dtype: float}}
compute:
  - y[m, n] = x[n, m]
schedule:
  y: [{bind: {m: BIDx, n: TIDx}}]
)";

TEST(Cost, OfAnAccessThatIsNotCoalescedNamesTheLoop) {
  EXPECT_THAT(
      Costed(kColumns).page(),
      HasSubstr("    read x, 4 bytes a thread: 768 requests, 98,304 bytes in 24,576 sectors\n"
                "      not coalesced: from one n (TIDx) to the next the address moves by "
                "1024 bytes; 32.0 sectors a\n          request\n"
                "    store y, 4 bytes a thread: 768 requests, 98,304 bytes in 3,072 "
                "sectors\n"));
}

TEST(Cost, InJsonHasTheKeysOfTheFormat) {
  const Parsed cost = Parsed::parse(to_json(Costed(kColumns).report))["cost"];
  EXPECT_EQ(cost["device"], "h100");
  EXPECT_EQ(cost["floor_bytes"], 2 * 256 * 96 * 4);
  EXPECT_EQ(cost["dram_bytes"], 2 * 256 * 96 * 4);
  ASSERT_EQ(cost["kernels"].size(), 1u);
  const Parsed& kernel = cost["kernels"][0];
  EXPECT_EQ(kernel["name"], "kernel_y");
  EXPECT_EQ(kernel["limiter"], "launch");
  EXPECT_GT(kernel["seconds"], 3.5e-6);
  for (const char* key : {"peak_share", "bytes_in_flight", "occupancy", "waves", "registers",
                          "barriers", "l2_bytes", "dram_bytes"}) {
    EXPECT_TRUE(kernel[key].is_number()) << key;
  }
  ASSERT_EQ(kernel["accesses"].size(), 2u);
  const Parsed& read = kernel["accesses"][0];
  EXPECT_EQ(read["tensor"], "x");
  EXPECT_EQ(read["kind"], "read");
  EXPECT_EQ(read["bytes"], 256 * 96 * 4);
  EXPECT_EQ(read["sectors"], 256 * 96);
  EXPECT_EQ(read["width"], 4);
  EXPECT_TRUE(read["note"].is_string());
}

// A row is read three times. Of 1,056 at once, and of what they store, L2 holds those of 1,024
// floats, and not those of 4,096.
TEST(Cost, OfARowThatIsReadAgainIsOneReadFromMemoryWhereL2HoldsIt) {
  const auto dram = [](const std::string& rows, const std::string& length) {
    const Costed c(("sizes: {B: " + rows + ", H: " + length + R"(}
inputs: {x: {shape: [B, H], dtype: float}}
compute:
  - m[b] = max(x[b, h])
  - s[b] = sum(exp(x[b, h] - m[b]))
  - y[b, h] = exp(x[b, h] - m[b]) / s[b]
schedule:
  y: [{split: {in: h, factor: 256, out: [step, thread]}}, {bind: {b: BIDx, thread: TIDx}}]
)")
                       .c_str());
    const ProgramCost& cost = c.report.fusions[0].cost.value();
    return cost.dram_bytes / double(cost.floor_bytes);
  };
  EXPECT_EQ(dram("100", "4096"), 1);
  EXPECT_EQ(dram("8192", "1024"), 1);
  EXPECT_EQ(dram("8192", "4096"), 2);
}

// What --why prints of an automatic schedule can stand in the file.
TEST(AutomaticLines, SayTheScheduleAsAFileDoes) {
  const std::string file =
      "inputs: {x: {shape: [64, 1000], dtype: float}}\n"
      "compute:\n"
      "  - s[b] = sum(x[b, h])\n"
      "  - y[b, h] = x[b, h] / s[b]\n";
  const test::Inspected automatic(file.c_str());
  PageOptions why;
  why.why = true;
  const std::string page = selvage::page(automatic.report, why);
  const std::size_t begin = page.find("    schedule:\n");
  ASSERT_NE(begin, page.npos) << page;
  std::string schedule;
  std::istringstream lines(page.substr(begin));
  for (std::string line; std::getline(lines, line) && line.starts_with("    ");) {
    schedule += line.substr(4) + "\n";
  }
  const test::Inspected written((file + schedule).c_str());
  ASSERT_TRUE(written.report.fusions.at(0).program);
  EXPECT_TRUE(written.report.fusions[0].automatic.empty());
  EXPECT_EQ(loop_nest(*written.report.fusions[0].program),
            loop_nest(*automatic.report.fusions[0].program));
}

TEST(Cost, OfAGatherSaysThatDataDecide) {
  const Costed c(R"(
sizes: {V: 1000, D: 64, T: 128}
inputs: {table: {shape: [V, D], dtype: float}, token: {shape: [T], dtype: int64}}
compute:
  - y[t, d] = table[clamped(token[t]), d]
)");
  EXPECT_THAT(c.page(), HasSubstr("(an estimate:"));
  EXPECT_FALSE(c.report.fusions[0].cost->kernels[0].is_exact);
}

TEST(Cost, OfATensorThatIsOnlyLookedAtIsNone) {
  const Costed c("tensors: {T: {logical: {i: 8}, memory: shared}}\n");
  EXPECT_EQ(c.page(), "Cost of T: no kernel runs\n");
}

TEST(Cost, OfOneElementIsALaunch) {
  const Costed c("inputs: {x: {shape: [], dtype: float}}\ncompute: [\"y[] = x[] + 1\"]\n");
  EXPECT_LT(c.report.fusions[0].cost->seconds, 1e-5);
}

TEST(Cost, OfOpenSizesIsAtLikelyOnes) {
  const Costed c("inputs: {x: {shape: [N], dtype: float}}\ncompute: [\"y[n] = x[n] + 1\"]\n");
  EXPECT_THAT(c.page(), HasSubstr(", at N = 4096\n"));
}

}  // namespace
}  // namespace selvage
