#include <selvage/base/integer.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "run.h"

namespace selvage {
namespace {

using namespace test;
using testing::HasSubstr;
using testing::Not;

// y[m, n] = relu(a[m, n] + b[n]): a block for every row and 32 columns, masked in n.
Kernel bias_relu(DataType type, IndexType index) {
  HandKernel h("bias_relu", index);
  const Expr M = h.size("M"), N = h.size("N");
  const Expr m = h.variable("m", M), no = h.variable("no", ceil_div(N, h.c(32)));
  const Expr ni = h.variable("ni", h.c(32));
  const BufferId a = h.input("a", type, M * N), b = h.input("b", type, N);
  const BufferId y = h.output("y", type, M * N);
  h.kernel.launch = {{ceil_div(N, h.c(32)), M, h.c(1)}, {h.c(32), h.c(1), h.c(1)}, h.c(0)};
  ValueGraph& values = h.kernel.values;
  const Expr n = no * 32 + ni;
  const ValueId sum = values.apply(Function::Add, {h.read(a, m * N + n), h.read(b, n)});
  h.kernel.body = {
      loop(m, M,
           {loop(no, ceil_div(N, h.c(32)),
                 {loop(ni, h.c(32),
                       {guard(n < N, {store(y, m * N + n, values.apply(Function::Relu, {sum}),
                                            {m < M, n < N})})},
                       ParallelType::TIDx)},
                 ParallelType::BIDx)},
           ParallelType::BIDy)};
  return h.kernel;
}

TEST(Cuda, AKernelReadsAsAPersonWouldWriteIt) {
  EXPECT_EQ(cuda(bias_relu(DataType::Float, IndexType::Int32)).text,
            R"(#ifndef KERNEL
#define KERNEL(name) extern "C" __global__ void name
#endif
static __device__ __forceinline__ float relu(float x) {
  return x <= 0 ? 0 : x;
}

KERNEL(bias_relu)(
    const float* __restrict__ a,
    const float* __restrict__ b,
    float* __restrict__ y,
    int M,
    int N) {
  const int m = blockIdx.y;
  const int no = blockIdx.x;
  const int ni = threadIdx.x;
  const int t0 = no * 32 + ni;
  const int t1 = N * m + t0;
  if (t0 < N) {
    y[t1] = relu(a[t1] + b[t0]);
  }
}
)");
}

TEST(Cuda, ThreeWaysAgreeOverOddSizesTypesAndIndexTypes) {
  for (DataType type : {DataType::Float, DataType::Double, DataType::Half, DataType::BFloat16,
                        DataType::Int32, DataType::Int64, DataType::Int8, DataType::UInt16}) {
    for (IndexType index : {IndexType::Int32, IndexType::Int64}) {
      const Kernel k = bias_relu(type, index);
      for (const auto& [M, N] : {std::pair{1, 1}, {3, 31}, {5, 32}, {2, 33}, {7, 100}}) {
        const Sizes sizes = {{"M", M}, {"N", N}};
        std::vector<Array> expected = arrays_for(k, sizes);
        for (std::int64_t i = 0; i < std::int64_t(M) * N; ++i) {
          // The type's own arithmetic is tested in test_values; here: the right element of each.
          Array &a = expected[0], &b = expected[1], &y = expected[2];
          if (type == DataType::Double) {
            const double v = a.get(i) + b.get(i % N);
            y.set(i, v <= 0 ? 0 : v);
          } else if (is_floating(type)) {
            const float v = float(a.get(i)) + float(b.get(i % N));
            y.set(i, v <= 0 ? 0 : double(v));
          } else {
            const auto sum = std::uint64_t(a.get_int(i)) + std::uint64_t(b.get_int(i % N));
            const bool is_long = type == DataType::Int64;
            std::int64_t v = is_long ? std::int64_t(sum) : std::int32_t(sum);
            if (type == DataType::Int8) v = std::int8_t(v);
            if (type == DataType::UInt16) v = std::uint16_t(v);
            y.set_int(i, v > 0 ? v : 0);
          }
        }
        expect_agreement(k, sizes, expected);
      }
    }
  }
}

TEST(Cuda, ParametersAreTheBuffersAndThenTheSizes) {
  EXPECT_THAT(cuda(bias_relu(DataType::Half, IndexType::Int64)).parameter_types,
              testing::ElementsAre("const unsigned short*", "const unsigned short*",
                                   "unsigned short*", "long long", "long long"));
}

// y[i] = quotient or remainder of i*scale + offset by divisor, for i < 40, as an index.
Kernel division(std::int64_t scale, std::int64_t offset, std::int64_t divisor, IndexType index) {
  HandKernel h("division", index);
  const Expr n = h.size("n"), i = h.variable("i", n);
  const Expr x = i * scale + offset;
  const BufferId q = h.output("q", DataType::Int64, n), r = h.output("r", DataType::Int64, n);
  ValueGraph& values = h.kernel.values;
  h.kernel.body = {
      loop(i, n, {store(q, i, values.index(x / divisor)), store(r, i, values.index(x % divisor))})};
  return h.kernel;
}

TEST(Cuda, DivisionIsEuclidean) {
  std::vector<Kernel> kernels;
  for (IndexType index : {IndexType::Int32, IndexType::Int64}) {
    for (std::int64_t divisor : {1, 2, 3, 8, 7, -1, -2, -5}) {
      for (const auto& [scale, offset] : {std::pair{1, 0}, {3, 5}, {1, -20}, {-2, 7}}) {
        const Kernel k = division(scale, offset, divisor, index);
        const Sizes sizes = {{"n", 40}};
        std::vector<Array> expected = arrays_for(k, sizes);
        for (std::int64_t i = 0; i < 40; ++i) {
          expected[0].set_int(i, euclid_div(i * scale + offset, divisor).value());
          expected[1].set_int(i, euclid_mod(i * scale + offset, divisor).value());
        }
        expect_agreement(k, sizes, expected);
        kernels.push_back(k);
        kernels.back().name += std::to_string(kernels.size());
      }
    }
  }
  expect_gpu_code(kernels);
}

TEST(Cuda, TheMachinesDivisionStandsOnlyWhereItIsProved) {
  const auto text = [](std::int64_t offset, std::int64_t divisor) {
    return cuda(division(1, offset, divisor, IndexType::Int32)).text;
  };
  EXPECT_THAT(text(5, 3), HasSubstr("(i + 5) / 3"));
  EXPECT_THAT(text(5, 3), Not(HasSubstr("floor_div")));
  EXPECT_THAT(text(-5, 3), HasSubstr("floor_div(i - 5, 3)"));
  EXPECT_THAT(text(-5, 8), HasSubstr("((i - 5) >> 3)"));
  EXPECT_THAT(text(-5, 8), HasSubstr("((i - 5) & 7)"));
  EXPECT_THAT(text(5, -3), HasSubstr("euclid_div(i + 5, -3)"));
}

// Of a dividend that is one divisor outside at most, a comparison gives the remainder.
TEST(Cuda, ARemainderNearbyTakesNoDivision) {
  HandKernel h("near");
  const Expr n = h.size("n"), i = h.variable("i", n);
  const BufferId y = h.output("y", DataType::Int64, n);
  ValueGraph& values = h.kernel.values;
  h.kernel.body = {loop(i, n,
                        {store(y, i,
                               values.index((i - 1) % n + (i + 1) % n + (2 * i - n) % n +
                                            (i - 2) % n + (2 * i - 1) % n))})};
  const std::string all = cuda(h.kernel).text;
  EXPECT_THAT(all, HasSubstr("mod_below(i - 1, n)"));
  EXPECT_THAT(all, HasSubstr("mod_above(i + 1, n)"));
  EXPECT_THAT(all, HasSubstr("mod_below(i * 2 - n, n)"));
  EXPECT_THAT(all, HasSubstr("floor_mod(i - 2, n)"));  // where n is 1, it is two divisors below
  EXPECT_THAT(all, HasSubstr("mod_near(i * 2 - 1, n)"));
  for (const std::int64_t size : {1, 2, 3, 40}) {
    const Sizes sizes = {{"n", size}};
    std::vector<Array> expected = arrays_for(h.kernel, sizes);
    for (std::int64_t k = 0; k < size; ++k) {
      std::int64_t sum = 0;
      for (const std::int64_t x : {k - 1, k + 1, 2 * k - size, k - 2, 2 * k - 1}) {
        sum += euclid_mod(x, size).value();
      }
      expected[0].set_int(k, sum);
    }
    expect_agreement(h.kernel, sizes, expected);
  }
}

// y[i] = a[(i - 4) / 3 + ...] under a guard that makes i - 4 positive.
TEST(Cuda, AGuardMayProveADivision) {
  HandKernel h("guarded");
  const Expr i = h.variable("i", h.c(40));
  const Expr quotient = (i - 4) / 3;
  const BufferId a = h.input("a", DataType::Int32, h.c(40)),
                 y = h.output("y", DataType::Int32, h.c(40));
  h.kernel.body = {loop(i, h.c(40),
                        {guard(4 <= i, {store(y, quotient, h.read(a, quotient), {}, true)}),
                         guard(i < 28, {store(y, i + 12, h.read(a, i))})})};
  const std::string text = cuda(h.kernel).text;
  EXPECT_THAT(text, HasSubstr("if (4 <= i) {\n      const int t0 = (i - 4) / 3;"));
  EXPECT_THAT(text, Not(HasSubstr("floor_div")));
}

// The same for a divisor, which is 0 where the guard does not hold: no division leaves the guard.
TEST(Cuda, ADivisionThatMightTrapStaysUnderItsGuard) {
  HandKernel h("trap");
  const Expr n = h.size("n"), i = h.variable("i", n);
  const Expr quotient = i / (n - 3), remainder = i % (n - 3);
  const BufferId y = h.output("y", DataType::Int64, n);
  ValueGraph& values = h.kernel.values;
  h.kernel.body = {
      loop(i, n, {guard(3 < n, {store(y, i, values.index(quotient * 10 + remainder))})})};
  EXPECT_THAT(cuda(h.kernel).text,
              HasSubstr("    if (3 < n) {\n"
                        "      const int t0 = i / (unsigned)(n - 3);\n"
                        "      y[i] = (long long)(t0 * 10 + (i - t0 * (n - 3)));\n"));
  for (std::int64_t size : {3, 9}) {
    std::vector<Array> expected = arrays_for(h.kernel, {{"n", size}}), run = expected;
    for (std::int64_t e = 0; e < size && size > 3; ++e) {
      expected[0].set_int(e, e / (size - 3) * 10 + e % (size - 3));
    }
    run_text(h.kernel, {{"n", size}}, run);
    EXPECT_EQ(run, expected);
  }
}

TEST(Cuda, LoopsThatRunOnceVanish) {
  HandKernel h("once");
  const Expr i = h.variable("i", h.c(1)), j = h.variable("j", h.c(3)), k = h.variable("k", h.c(1));
  const BufferId y = h.output("y", DataType::Float, h.c(3));
  h.kernel.body = {loop(
      i, h.c(1),
      {loop(j, h.c(3),
            {loop(k, h.c(1),
                  {store(y, i * 3 + j, h.kernel.values.constant(DataType::Float, 2.0, false))})},
            ParallelType::Unroll)})};
  EXPECT_THAT(cuda(h.kernel).text, HasSubstr("  const int i = 0;\n"
                                             "  #pragma unroll\n"
                                             "  for (int j = 0; j < 3; ++j) {\n"
                                             "    y[i * 3 + j] = 2.0f;\n"
                                             "  }\n"));
  std::vector<Array> expected = arrays_for(h.kernel, {});
  for (std::int64_t e = 0; e < 3; ++e) expected[0].set(e, 2.0);
  expect_agreement(h.kernel, {}, expected);
}

// Names that mean something in C or CUDA, or to the text itself, or that two things share.
Kernel hostile_names() {
  HandKernel h("exp");
  const Expr n = h.size("threadIdx"), i = h.variable("t0", n), j = h.variable("float", h.c(2));
  const BufferId a = h.input("t0", DataType::Float, n * 2);
  const BufferId y = h.output("relu", DataType::Float, n * 2);
  const Expr d = h.pool->symbol("2 x");
  h.kernel.facts.bound(d, h.c(0), {});
  const ValueId x = h.kernel.values.apply(Function::Relu, {h.read(a, d * 1 + 0)});
  h.kernel.body = {loop(i, n, {loop(j, h.c(2), {define(d, i * 2 + j), store(y, d * 1 + 0, x)})})};
  return h.kernel;
}

TEST(Cuda, NamesNeverClash) {
  const Kernel k = hostile_names();
  const Sizes sizes = {{"threadIdx", 5}};
  std::vector<Array> expected = arrays_for(k, sizes);
  for (std::int64_t e = 0; e < 10; ++e) {
    const double v = expected[0].get(e);
    expected[1].set(e, v > 0 ? v : 0);
  }
  expect_agreement(k, sizes, expected);
  EXPECT_THAT(cuda(k).text, HasSubstr("KERNEL(exp_2)(const float* __restrict__ t0, float* "
                                      "__restrict__ relu_2, int threadIdx_2) {"));
}

// Two nests over one variable, bound first to blocks and then to threads.
TEST(Cuda, AVariableMayBeBoundTwice) {
  HandKernel h("twice");
  h.kernel.launch.grid[0] = h.kernel.launch.block[0] = h.c(4);
  const Expr i = h.variable("i", h.c(4)), o = h.variable("o", h.c(4));
  const BufferId y = h.output("y", DataType::Int64, h.c(16)),
                 z = h.output("z", DataType::Int64, h.c(16));
  const ValueId v = h.kernel.values.index((i * 4 + o) * 2 + (i * 4 + o));
  h.kernel.body = {loop(i, h.c(4), {loop(o, h.c(4), {store(y, i * 4 + o, v)}, ParallelType::TIDx)},
                        ParallelType::BIDx),
                   loop(i, h.c(4), {loop(o, h.c(4), {store(z, i * 4 + o, v)}, ParallelType::BIDx)},
                        ParallelType::TIDx)};
  std::vector<Array> expected = arrays_for(h.kernel, {});
  for (std::int64_t e = 0; e < 16; ++e) {
    expected[0].set_int(e, 3 * e);
    expected[1].set_int(e, 3 * e);
  }
  expect_agreement(h.kernel, {}, expected);
}

TEST(Cuda, IndicesPast32BitsNeedTheLongType) {
  HandKernel h("far", IndexType::Int64);
  const Expr n = h.size("n"), i = h.variable("i", n);
  const BufferId y = h.output("y", DataType::Int64, n);
  ValueGraph& values = h.kernel.values;
  const Expr big = h.c(100000) * h.c(100000) + i * 5000000000;
  h.kernel.body = {loop(i, n, {store(y, i, values.index(big - (big / 7) * 6))})};
  std::vector<Array> expected = arrays_for(h.kernel, {{"n", 9}});
  for (std::int64_t e = 0; e < 9; ++e) {
    const std::int64_t v = 10000000000 + e * 5000000000;
    expected[0].set_int(e, v - v / 7 * 6);
  }
  expect_agreement(h.kernel, {{"n", 9}}, expected);
}

TEST(Cuda, AFileDefinesOnceWhatSeveralKernelsUse) {
  std::vector<std::vector<CudaText>> steps;
  for (DataType type : {DataType::Float, DataType::Half}) {
    std::vector<Kernel> variants = {bias_relu(type, IndexType::Int32),
                                    bias_relu(type, IndexType::Int64)};
    for (Kernel& k : variants)
      k.name += "_" + std::to_string(2 * steps.size() + (&k - &variants[0]));
    steps.push_back(cuda(variants));
  }
  const std::string file = one_file(steps);
  std::set<std::string> defined;
  int kernels = 0;
  std::istringstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    kernels += line.starts_with("KERNEL(");
    if (!line.starts_with("static") && !line.starts_with("typedef")) continue;
    EXPECT_TRUE(defined.insert(line).second) << line;
  }
  EXPECT_EQ(kernels, 4);
  EXPECT_THAT(file, HasSubstr("float relu(float x) {"));
  EXPECT_THAT(file, HasSubstr(" half_to_float("));
  KernelSource whole = source_of(steps[1][1]);
  whole.text = file;
  const Nvrtc* nvrtc = Nvrtc::instance();
  if (nvrtc == nullptr) GTEST_SKIP() << "no NVRTC: " << Nvrtc::why_absent();
  EXPECT_NO_THROW((void)nvrtc->compile(whole, {.ptx = true}));
}

TEST(Cuda, NvrtcTakesThemAll) {
  std::vector<Kernel> kernels = {hostile_names()};
  for (DataType type : {DataType::Float, DataType::Double, DataType::Half, DataType::BFloat16,
                        DataType::Int32, DataType::Int64, DataType::Int8, DataType::UInt16}) {
    for (IndexType index : {IndexType::Int32, IndexType::Int64}) {
      kernels.push_back(bias_relu(type, index));
      kernels.back().name += std::to_string(kernels.size());
    }
  }
  expect_gpu_code(kernels);
}

}  // namespace
}  // namespace selvage
