// Divisions by what a loop shares: one reciprocal, and the bits of a division.
#include <selvage/codegen/helpers.h>
#include <selvage/ir/composites.h>
#include <selvage/lower/program.h>
#include <selvage/runtime/nvrtc.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "../support/counts.h"
#include "../support/gpu.h"
#include "../support/special_values.h"
#include "run.h"

namespace selvage {
namespace {

using namespace test;
using testing::HasSubstr;
using testing::Not;

// v rounded to p bits, to nearest, ties to even. No exponent is too large.
double rounded(double v, int p) {
  int exponent = 0;
  const double mantissa = std::frexp(v, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(mantissa, p)), exponent - p);
}

// All products and sums below are exact in double. So is the rounding of x / s: a quotient of two
// numbers of p bits is not closer than 2^-2p to the middle of two such numbers.
TEST(SharedQuotient, IsRoundedRightForAllMantissasOfShortFloats) {
  for (int p = 3; p <= count(9, 12); ++p) {
    const int least = 1 << (p - 1);
    for (int s = least; s < 2 * least; ++s) {
      const double r = rounded(1.0 / s, p);
      for (int x = least; x < 2 * least; ++x) {
        const double q = rounded(x * r, p);
        const double rest = rounded(x - q * s, p);
        ASSERT_EQ(rounded(rest * r + q, p), rounded(double(x) / s, p)) << x << " / " << s;
      }
    }
  }
}

float random_float(std::mt19937_64& random, int least_exponent, int most_exponent) {
  const int span = most_exponent - least_exponent + 1;
  const auto exponent = std::uint32_t(least_exponent + int(random() % unsigned(span)) + 127);
  const std::uint32_t bits = random() % 4 == 0 ? 0 : std::uint32_t(random()) & 0x7fffff;
  const std::uint32_t mantissa = random() % 2 == 0 ? bits : 0x7fffff - bits % 8;
  return std::bit_cast<float>(exponent << 23 | mantissa);
}

// A divisor, and a dividend whose quotient by it is close to the middle of two floats or to 2^-77.
std::pair<float, float> hard_pair(std::mt19937_64& random) {
  const float s = random_float(random, -25, 101);
  const float q = random_float(random, random() % 2 == 0 ? -79 : -20, random() % 2 == 0 ? -76 : 27);
  const double middle = double(q) + std::ldexp(double(q), -24) * double(random() % 3);
  float x = float(middle * s);
  for (std::uint64_t steps = random() % 3; steps > 0; --steps) x = std::nextafter(x, kInfinity);
  return {random() % 2 == 0 ? x : -x, s};
}

// The condition under which emitted text keeps a quotient (codegen/helpers.cpp).
bool is_kept(float q, float s) { return s >= 0x1p-24f && s <= 0x1p100f && std::abs(q) >= 0x1p-77f; }

TEST(SharedQuotient, IsThatOfADivisionWhereverItIsKept) {
  std::mt19937_64 random(29);
  int kept = 0;
  const int pairs = count(2'000'000, 100'000'000);
  for (int i = 0; i < pairs; ++i) {
    auto [x, s] = hard_pair(random);
    if (i % 2 == 0) {  // any bits at all
      x = std::bit_cast<float>(std::uint32_t(random()));
      if (i % 4 == 0) s = std::bit_cast<float>(std::uint32_t(random()));
    }
    const float r = 1 / s, first = x * r;
    const float q = std::fma(std::fma(-first, s, x), r, first);
    if (!is_kept(q, s)) continue;
    ++kept;
    ASSERT_EQ(std::bit_cast<std::uint32_t>(q), std::bit_cast<std::uint32_t>(x / s))
        << x << " / " << s;
  }
  EXPECT_GT(kept, pairs / 4);
}

// y[b, h] = x[b, h] / s[b], four items a thread.
struct Rows {
  explicit Rows(std::int64_t rows, std::int64_t items = 4) {
    const Tensor x = f.input("x", {f.constant(rows), f.constant(items)}, DataType::Float);
    const Tensor s = f.input("s", {f.constant(rows), f.constant(1)}, DataType::Float);
    const Tensor y = f.output("y", x / s);
    Schedule schedule(f);
    const auto [b, h] = schedule.loops<2>(y);
    const auto [block, thread] = schedule.split(b, 64);
    schedule.bind(block, ParallelType::BIDx).bind(thread, ParallelType::TIDx);
    schedule.bind(h, items > 1 ? ParallelType::Vectorize : ParallelType::Unroll);
    program = lower(f, schedule);
  }
  const Kernel& kernel() const { return program.steps[0].variants[0]; }

  Fusion f;
  Program program;
};

TEST(SharedQuotient, IsWrittenWithOneReciprocalAndARareSecondLoop) {
  const std::string text = cuda(Rows(64).kernel()).text;
  EXPECT_THAT(text, HasSubstr(R"(
  const float divisor = s[i0i];
  const float inverse = plain_reciprocal(divisor);
  bool is_exact = is_plain_divisor(divisor);
  #pragma unroll
  for (int i1 = 0; i1 < 4; ++i1) {
    const float v0 = shared_quotient(x_lanes.at[i1], divisor, inverse);
    is_exact &= is_plain_quotient(v0);
    y_lanes.at[i1] = v0;
  }
  if (!is_exact) {
    #pragma unroll
    for (int i1_2 = 0; i1_2 < 4; ++i1_2) {
      y_lanes.at[i1_2] = rare_quotient(x_lanes.at[i1_2], divisor);
    }
  }
)"));
}

// Each vector is loaded, divided and stored within one loop over the vectors of a thread.
TEST(SharedQuotient, IsTestedOnceForSeveralVectors) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(64), f.constant(16)}, DataType::Float);
  const Tensor s = f.input("s", {f.constant(64), f.constant(1)}, DataType::Float);
  const Tensor y = f.output("y", x / s);
  Schedule schedule(f);
  const auto [b, h] = schedule.loops<2>(y);
  const auto [vector, lane] = schedule.split(h, 4);
  schedule.bind(b, ParallelType::TIDx).bind(vector, ParallelType::Unroll);
  schedule.bind(lane, ParallelType::Vectorize);
  const Program program = lower(f, schedule);
  const Kernel& kernel = program.steps[0].variants[0];
  const std::string text = cuda(kernel).text;
  const auto times = [&](const std::string& part) {
    int n = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++n;
    return n;
  };
  EXPECT_EQ(times("if (!is_exact)"), 1) << text;
  EXPECT_EQ(times("shared_quotient(x"), 1) << text;
  EXPECT_EQ(times("rare_quotient(x_"), 1) << text;

  std::vector<Array> arrays = arrays_for(kernel, {});
  for (std::int64_t k = 0; k < 64; ++k) arrays[1].set(k, k % 3 == 0 ? 0.0 : 1.0 / double(k));
  std::vector<Array> emulated = arrays;
  run_text(kernel, {}, arrays);
  run_emulated(kernel, {}, emulated);
  for (std::int64_t k = 0; k < arrays[2].size(); ++k) {
    ASSERT_TRUE(same_element(arrays[2], emulated[2], k)) << k;
  }
}

TEST(SharedQuotient, OnTheVirtualDeviceHasTheBitsOfADivision) {
  constexpr std::int64_t kRows = 4096;
  const Rows rows(kRows);
  std::mt19937_64 random(31);
  const float rare[] = {0.0f,  -0.0f,  1e-44f,      -3e-39f, 0x1p-126f,
                        3e38f, -3e38f, float(kNaN), 1.0f,    float(kInfinity),
                        -1.0f, 1e-30f, 0x1p-77f,    2e20f,   -float(kInfinity)};
  for (int run = 0; run < count(4, 400); ++run) {
    std::vector<Array> arrays = arrays_for(rows.kernel(), {});
    std::vector<float> expected;
    for (std::int64_t b = 0; b < kRows; ++b) {
      float s = hard_pair(random).second;
      if (random() % 16 == 0) s = rare[random() % std::size(rare)];
      arrays[1].set(b, s);
      for (std::int64_t h = 0; h < 4; ++h) {
        float x = hard_pair(random).first;
        if (random() % 16 == 0) x = rare[random() % std::size(rare)];
        arrays[0].set(4 * b + h, x);
        expected.push_back(x / s);
      }
    }
    run_text(rows.kernel(), {}, arrays);
    for (std::size_t k = 0; k < expected.size(); ++k) {
      const auto actual = float(arrays[2].get(std::int64_t(k)));
      const bool is_same = std::isnan(expected[k]) ? std::isnan(actual)
                                                   : std::bit_cast<std::uint32_t>(actual) ==
                                                         std::bit_cast<std::uint32_t>(expected[k]);
      ASSERT_TRUE(is_same) << arrays[0].get(std::int64_t(k)) << " / "
                           << arrays[1].get(std::int64_t(k / 4)) << " is " << expected[k]
                           << ", not " << actual;
    }
  }
}

std::string text_of(const std::function<Tensor(Tensor x, Tensor s)>& value, DataType type) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(64), f.constant(4)}, type);
  const Tensor s = f.input("s", {f.constant(64), f.constant(1)}, type);
  const Tensor y = f.output("y", value(x, s));
  Schedule schedule(f);
  const std::vector<ScheduledLoop> loops = schedule.loops(y);
  schedule.bind(loops[0], ParallelType::TIDx);
  if (loops.size() > 1) schedule.bind(loops[1], ParallelType::Unroll);
  return cuda(lower(f, schedule));
}

TEST(SharedQuotient, IsMadeWhereALoopSharesADivisorThatIsNoPowerOfTwo) {
  const DataType single = DataType::Float, half = DataType::Half;
  const auto is_shared = HasSubstr("shared_quotient(");
  EXPECT_THAT(text_of([](Tensor x, Tensor s) { return exp(x) / (s + 1); }, half), is_shared);
  EXPECT_THAT(text_of([](Tensor x, Tensor) { return x / 3; }, single), is_shared);
  EXPECT_THAT(text_of([](Tensor x, Tensor) { return x / 4; }, single), Not(is_shared));
  EXPECT_THAT(text_of([](Tensor x, Tensor s) { return s / x; }, single), Not(is_shared));
  EXPECT_THAT(text_of([](Tensor x, Tensor) { return x / (x + 1); }, single), Not(is_shared));
  EXPECT_THAT(text_of([](Tensor x, Tensor s) { return x / s; }, DataType::Double), Not(is_shared));
  // What is added up may not be added twice.
  EXPECT_THAT(text_of([](Tensor x, Tensor s) { return sum(x / s, {1}); }, single), Not(is_shared));
}

// Counts the plain divisors s whose reciprocal, and the quotients x / s of some x, that differ from
// what the compiler makes of a division.
KernelSource divisions_by_every_plain_divisor() {
  Helpers helpers;
  for (const char* name :
       {"shared_quotient", "plain_reciprocal", "is_plain_divisor", "is_plain_quotient"}) {
    helpers.use(name, DataType::Float);
  }
  KernelSource source{.text = {}, .name = "count_wrong", .parameter_types = {"unsigned*"}};
  source.text = "#ifndef KERNEL\n#define KERNEL(name) extern \"C\" __global__ void name\n#endif\n";
  for (const std::string& definition : helpers.definitions()) source.text += definition;
  source.text += R"(
KERNEL(count_wrong)(unsigned* wrong) {
  const unsigned threads = gridDim.x * blockDim.x;
  for (unsigned bits = blockIdx.x * blockDim.x + threadIdx.x; bits < 0x7f800000u; bits += threads) {
    const float s = __uint_as_float(bits);
    if (!is_plain_divisor(s)) continue;
    atomicAdd(wrong + 2, 1u);
    const float r = plain_reciprocal(s);
    if (r != 1.0f / s) atomicAdd(wrong, 1u);
    unsigned h = bits;
    for (int k = 0; k < 16; ++k) {
      h = h * 1664525u + 1013904223u;
      const float x = __uint_as_float(h ^ h >> 15);
      const float q = x * r;
      if (!(fabsf(q) < 1e38f) || !is_plain_quotient(q)) continue;
      if (shared_quotient(x, s, r) != x / s) atomicAdd(wrong + 1, 1u);
    }
  }
}
)";
  return source;
}

TEST(GpuSharedQuotient, EqualsADivisionByEveryPlainDivisor) {
  if (const std::string why = test::why_no_gpu(); !why.empty()) GTEST_SKIP() << why;
  const Driver& driver = *Driver::instance();
  const KernelSource source = divisions_by_every_plain_divisor();
  const Module module(driver, Nvrtc::instance()->compile(source, {.arch = driver.arch()}).cubin);
  std::array<std::uint32_t, 3> wrong{};
  DeviceBuffer counts(driver, sizeof wrong);
  counts.copy_from(std::as_bytes(std::span(wrong)));
  std::uint64_t address = counts.address();
  void* const arguments[] = {&address};
  driver.launch(module.function(source.name), {.grid = {1024, 1, 1}, .block = {256, 1, 1}},
                arguments);
  driver.synchronize();
  counts.copy_to(std::as_writable_bytes(std::span(wrong)));
  EXPECT_EQ(wrong[2], (124u << 23) + 1);  // from 2^-24 to 2^100
  EXPECT_EQ(wrong[0], 0u) << "reciprocals";
  EXPECT_EQ(wrong[1], 0u) << "quotients";
}

}  // namespace
}  // namespace selvage
