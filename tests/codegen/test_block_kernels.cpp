// Kernels whose threads work together: both machines agree with plain code, in any thread order.
#include <tests/support/static_counts.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>

#include "../support/block_kernels.h"
#include "run.h"

namespace selvage {
namespace {

using namespace test;
using testing::HasSubstr;

// Inputs are small integers, whose sums are exact in every type; outputs begin at 0.
std::vector<Array> small_arrays(const Kernel& kernel, const Sizes& sizes) {
  std::vector<Array> arrays;
  std::mt19937_64 random(11);
  for (const Buffer& b : kernel.buffers) {
    Array& array = arrays.emplace_back(b.type, std::vector{value_at(b.elements, kernel, sizes)});
    for (std::int64_t k = 0; k < array.size(); ++k) {
      array.set_int(k, b.is_written ? 0 : std::int64_t(random() % 9) - 4);
    }
  }
  return arrays;
}

// Both machines, in several thread orders, leave in the outputs what `expected` has; the virtual
// device by gcc as well, which takes some tens of milliseconds.
enum class ByGcc { No, Yes };
void expect_same(const Kernel& kernel, const Sizes& sizes, const std::vector<Array>& expected,
                 ByGcc by_gcc = ByGcc::Yes) {
  const auto check = [&](const std::vector<Array>& arrays, const std::string& how) {
    for (std::size_t b = 0; b < arrays.size(); ++b) {
      const Buffer& buffer = kernel.buffers[b];
      if (!buffer.is_written || buffer.memory != Memory::Global) continue;
      for (std::int64_t k = 0; k < arrays[b].size(); ++k) {
        ASSERT_TRUE(same_element(arrays[b], expected[b], k))
            << how << ": " << buffer.name << "[" << k << "] is " << arrays[b].get(k) << ", not "
            << expected[b].get(k) << "\n"
            << cuda(kernel).text;
      }
    }
  };
  for (std::uint64_t seed : {0, 1, 2}) {
    std::vector<Array> arrays = small_arrays(kernel, sizes);
    const Emulation e = run_emulated(kernel, sizes, arrays, seed);
    ASSERT_EQ(e.fault_count, 0) << e.faults.front().text;
    check(arrays, "emulated in order " + std::to_string(seed));
    for (VirtualCompiler compiler : {default_virtual_compiler(), VirtualCompiler::Gcc}) {
      if (compiler == VirtualCompiler::Gcc && (seed != 1 || by_gcc == ByGcc::No)) continue;
      arrays = small_arrays(kernel, sizes);
      run_text(kernel, sizes, arrays, compiler, seed);
      check(arrays, "run in order " + std::to_string(seed));
    }
  }
}

TEST(BlockKernels, ABlockSumsItsItemsByShufflesAndSharedMemory) {
  for (DataType type : {DataType::Float, DataType::Double, DataType::Int32, DataType::Int64}) {
    for (std::int64_t n : {1, 31, 33, 127, 1023, 1024}) {
      for (std::int64_t most_threads : {96, 1024}) {
        const Kernel k = block_sum(n, most_threads, type);
        std::vector<Array> expected = small_arrays(k, {});
        std::int64_t sum = 0;
        for (std::int64_t i = 0; i < n; ++i) sum += expected[0].get_int(i);
        expected[1].set_int(0, sum);
        expect_same(k, {}, expected, n == 127 ? ByGcc::Yes : ByGcc::No);
      }
    }
  }
}

// One lane gives its value to another, for every type of an element.
Kernel shuffled(DataType type) {
  HandKernel h("shuffled_" + std::string(to_string(type)));
  const Expr t = h.variable("t", h.c(64)), zero = h.c(0);
  const BufferId a = h.input("a", type, h.c(64)), y = h.output("y", type, h.c(128));
  const BufferId own = h.local("own", type), others = h.local("others", type, 2);
  h.kernel.body =
      in_one_block(h, t, 64,
                   {store(own, zero, h.read(a, t)), shuffle(others, h.c(1), own, zero, 5),
                    shuffle(others, zero, others, h.c(1), 16), store(y, t, h.read(others, zero)),
                    store(y, t + 64, h.read(others, h.c(1)))});
  return h.kernel;
}

constexpr DataType kTypes[] = {
    DataType::Bool,     DataType::Int8,   DataType::Int16,  DataType::Int32,  DataType::Int64,
    DataType::UInt8,    DataType::UInt16, DataType::UInt32, DataType::UInt64, DataType::Half,
    DataType::BFloat16, DataType::Float,  DataType::Double};

TEST(BlockKernels, EveryTypeIsShuffled) {
  for (DataType type : kTypes) {
    const Kernel k = shuffled(type);
    std::vector<Array> expected = arrays_for(k, {}), emulated = expected, run = expected;
    for (std::int64_t t = 0; t < 64; ++t) {
      const auto size = std::size_t(size_of(type));
      const auto copy = [&](std::int64_t to, std::int64_t from) {
        std::copy_n(expected[0].bytes.begin() + std::ptrdiff_t(std::size_t(from) * size), size,
                    expected[1].bytes.begin() + std::ptrdiff_t(std::size_t(to) * size));
      };
      copy(t, t ^ 5 ^ 16);
      copy(t + 64, t ^ 5);
    }
    const Emulation e = run_emulated(k, {}, emulated);
    EXPECT_EQ(e.fault_count, 0);
    for (VirtualCompiler compiler : {default_virtual_compiler(), VirtualCompiler::Gcc}) {
      run_text(k, {}, run, compiler);
      for (std::int64_t i = 0; i < 128; ++i) {
        EXPECT_TRUE(same_element(emulated[1], expected[1], i)) << to_string(type) << " " << i;
        EXPECT_TRUE(same_element(run[1], expected[1], i)) << to_string(type) << " " << i;
      }
    }
  }
}

TEST(BlockKernels, ATileIsTransposed) {
  for (DataType type : {DataType::Float, DataType::Half, DataType::Int64}) {
    const Kernel k = transpose(type);
    for (const auto& [R, C] : {std::pair{1, 1}, {31, 33}, {127, 5}, {64, 64}}) {
      const Sizes sizes = {{"R", R}, {"C", C}};
      std::vector<Array> expected = small_arrays(k, sizes);
      for (std::int64_t i = 0; i < std::int64_t(R) * C; ++i) {
        expected[1].set(i % C * R + i / C, expected[0].get(i));
      }
      expect_same(k, sizes, expected);
    }
  }
}

std::vector<Kernel> histograms(std::int64_t n) {
  std::vector<Kernel> all;
  for (DataType type : kTypes) {
    for (Function f : {Function::Add, Function::Min, Function::Max}) {
      all.push_back(histogram(n, 7, f, type));
    }
  }
  return all;
}

template <class T>
T combined(Function f, T a, T b) {
  return f == Function::Add ? a + b : f == Function::Min ? std::min(a, b) : std::max(a, b);
}

TEST(BlockKernels, AtomicStoresMakeAHistogramInEveryTypeAndOrder) {
  for (std::int64_t n : {1, 33, 1023}) {
    for (const Kernel& k : histograms(n)) {
      const Function f =
          *std::get<Store>(
               std::get<Guard>(
                   std::get<Loop>(std::get<Loop>(k.body[0].node).body[0].node).body[2].node)
                   .body[0]
                   .node)
               .atomic;
      std::vector<Array> expected = small_arrays(k, {});
      const DataType type = k.buffers[0].type;
      for (std::int64_t i = 0; i < n; ++i) {
        const std::int64_t bin = i * i % 7;
        if (is_floating(type)) {
          expected[1].set(bin, combined(f, expected[1].get(bin), expected[0].get(i)));
        } else if (type == DataType::UInt64) {
          expected[1].set_int(bin, std::int64_t(combined(f, std::uint64_t(expected[1].get_int(bin)),
                                                         std::uint64_t(expected[0].get_int(i)))));
        } else {
          expected[1].set_int(bin, combined(f, expected[1].get_int(bin), expected[0].get_int(i)));
        }
      }
      expect_same(k, {}, expected, n == 33 && f == Function::Max ? ByGcc::Yes : ByGcc::No);
    }
  }
}

TEST(BlockKernels, ATileIsFilledAgainAndAgain) {
  const Kernel k = Refilled{}.kernel();
  std::vector<Array> expected = small_arrays(k, {});
  for (std::int64_t i = 0; i < expected[0].size(); ++i) {
    const std::int64_t t = (i + Refilled::kThreads - 1) % Refilled::kThreads;
    expected[1].set_int(t, expected[1].get_int(t) + expected[0].get_int(i));
  }
  expect_same(k, {}, expected);
}

TEST(BlockKernels, ThreadsOfAWarpExchangeByItsOwnBarrier) {
  for (std::int64_t threads : {32, 48, 96}) {
    for (std::int64_t flip : {1, 8}) {
      for (Barrier::Scope scope : {Barrier::Scope::Warp, Barrier::Scope::Block}) {
        const Kernel k = exchange(threads, flip, scope);
        std::vector<Array> expected = small_arrays(k, {});
        for (std::int64_t t = 0; t < threads; ++t) {
          expected[1].set(t, expected[0].get(t ^ flip));
        }
        expect_same(k, {}, expected);
      }
    }
  }
}

TEST(BlockKernels, BuffersTakeTurnsInOnePlace) {
  for (bool is_of_launch : {false, true}) {
    Kernel k = overlaid();
    if (is_of_launch) k.launch.shared_bytes = k.pool->constant(272);
    std::vector<Array> expected = small_arrays(k, {});
    for (std::int64_t t = 0; t < 64; ++t) {
      expected[1].set(t, 2 * expected[0].get(63 - t) + double((63 - t) % 3));
    }
    expect_same(k, {}, expected);
    EXPECT_THAT(cuda(k).text,
                HasSubstr(is_of_launch ? "  DYNAMIC_SHARED(unsigned char, shared_pool);\n"
                                       : "  __shared__ __align__(16) unsigned char "
                                         "shared_pool[272];\n"));
    EXPECT_THAT(cuda(k).text, HasSubstr("  float* const floats = (float*)(shared_pool + 16);\n"
                                        "  short* const shorts = (short*)(shared_pool + 0);\n"));
  }
}

// One element for itself alone is a variable; several are an array, whose loops are unrolled; what
// is moved as a whole stays a struct.
TEST(BlockKernels, LocalMemoryIsRegisters) {
  HandKernel h("registers");
  const Expr t = h.variable("t", h.c(32)), j = h.variable("j", h.c(4)), k = h.variable("k", h.c(2));
  const Expr e = h.pool->symbol("e");
  const Expr l = h.variable("l", h.c(3));
  h.kernel.facts.bound(e, h.c(0), h.c(7));
  const BufferId a = h.input("a", DataType::Half, h.c(128)),
                 y = h.output("y", DataType::Float, h.c(32));
  const BufferId lanes = h.local("lanes", DataType::Half, 4), sum = h.local("sum", DataType::Float);
  const BufferId parts = h.local("parts", DataType::Float, 8);
  ValueGraph& values = h.kernel.values;
  const ValueId zero = values.constant(DataType::Float, 0.0, false);
  const Expr none = h.c(0);
  const auto more = [&](BufferId b, Expr at, ValueId v) {
    return store(b, at, values.apply(Function::Add, {h.read(b, at), v}));
  };
  h.kernel.body = in_one_block(
      h, t, 32,
      {{Transfer{lanes, a, none, t * 4, 4, h.variable("lane", h.c(4)), {}}},
       store(sum, none, zero),
       loop(j, h.c(4),
            {loop(k, h.c(2), {define(e, j * 2 + k), store(parts, e, h.read(lanes, j))})}),
       loop(l, h.c(3), {more(sum, none, h.read(parts, l * 2 + 1))}),
       store(y, t, h.read(sum, none))});
  EXPECT_THAT(cuda(h.kernel).text, HasSubstr(R"(  half_x4 lanes;
  float sum;
  float parts[8];
  const int t = threadIdx.x;
  lanes = *(const half_x4*)(a + t * 4);
  sum = 0.0f;
  #pragma unroll
  for (int j = 0; j < 4; ++j) {
    #pragma unroll
    for (int k = 0; k < 2; ++k) {
      const int e = j * 2 + k;
      parts[e] = half_to_float(lanes.at[j]);
    }
  }
  #pragma unroll
  for (int l = 0; l < 3; ++l) {
    sum = sum + parts[l * 2 + 1];
  }
  y[t] = sum;
)"));
  std::vector<Array> expected = small_arrays(h.kernel, {});
  for (std::int64_t t = 0; t < 32; ++t) {
    expected[1].set(
        t, expected[0].get(t * 4) + expected[0].get(t * 4 + 1) + expected[0].get(t * 4 + 2));
  }
  expect_same(h.kernel, {}, expected);
  expect_gpu_code({h.kernel});
}

// What a store reads of its own buffer is what was there before, however often and however far
// apart its value mentions it.
TEST(BlockKernels, AStoreReadsItsOwnBufferBeforeItWrites) {
  HandKernel h("own");
  const Expr t = h.variable("t", h.c(32)), j = h.variable("j", h.c(3)), none = h.c(0);
  const BufferId a = h.input("a", DataType::Float, h.c(32)),
                 y = h.output("y", DataType::Float, h.c(32));
  const BufferId x = h.local("x", DataType::Float), pair = h.local("pair", DataType::Float, 2);
  ValueGraph& values = h.kernel.values;
  const auto f = [&](Function g, std::vector<ValueId> of) {
    return values.apply(g, std::move(of));
  };
  const ValueId own = h.read(x, none), other = h.read(pair, h.c(1));
  const ValueId sum = f(Function::Add, {own, other});
  // x = select(x + p < x * 2, (x + p) * x, x - (x + p))
  const ValueId step =
      f(Function::Select, {f(Function::Lt, {sum, f(Function::Add, {own, own})}),
                           f(Function::Mul, {sum, own}), f(Function::Sub, {own, sum})});
  h.kernel.body = in_one_block(
      h, t, 32,
      {store(x, none, h.read(a, t)), store(pair, none, own),
       store(pair, h.c(1), f(Function::Add, {h.read(pair, none), own})),
       loop(j, h.c(3), {store(x, none, step), store(pair, h.c(1), f(Function::Sub, {other, own}))}),
       store(y, t, f(Function::Add, {own, other}))});
  std::vector<Array> expected = small_arrays(h.kernel, {});
  for (std::int64_t i = 0; i < 32; ++i) {
    float v = float(expected[0].get(i)), p = v + v;
    for (int round = 0; round < 3; ++round) {
      v = v + p < v + v ? (v + p) * v : v - (v + p);
      p = p - v;
    }
    expected[1].set(i, v + p);
  }
  expect_same(h.kernel, {}, expected);
}

// What the GPU's code has of each; the registers are printed.
TEST(BlockKernels, TheGpuHasAsManyBarriersAndShufflesAsTheKernel) {
  const Nvrtc* nvrtc = Nvrtc::instance();
  if (nvrtc == nullptr) GTEST_SKIP() << "no NVRTC: " << Nvrtc::why_absent();
  struct Case {
    Kernel kernel;
    int barriers, warp_barriers, shuffles, atomics, shared_bytes;
  };
  const Case cases[] = {
      {block_sum(1023, 1024, DataType::Float), 1, 0, 10, 0, 128},
      {block_sum(1023, 1024, DataType::Int64), 1, 0, 20, 0, 256},
      {transpose(DataType::Half), 1, 0, 0, 0, 32 * 33 * 2},
      {Refilled{}.kernel(), 2 * Refilled::kSteps, 0, 0, 0, 96 * 4},  // its loop is unrolled
      {exchange(64, 8, Barrier::Scope::Warp), 0, 1, 0, 0, 256},
      {overlaid(), 3, 0, 0, 0, 272},
      {histogram(1023, 7, Function::Add, DataType::Int32), 2, 0, 0, 2, 28},
      {histogram(1023, 7, Function::Max, DataType::Half), 2, 0, 0, 2, 14},
  };
  for (const Case& c : cases) {
    const CompiledKernels compiled = nvrtc->compile(source_of(cuda(c.kernel)), {.ptx = true});
    const StaticCounts ptx = count_ptx(compiled.ptx).at(c.kernel.name);
    const StaticCounts sass = count_sass(compiled.cubin).at(c.kernel.name);
    const KernelResources& used = compiled.kernel(c.kernel.name);
    EXPECT_EQ(ptx.warp_barriers, c.warp_barriers) << c.kernel.name;
    for (const StaticCounts& counts : {ptx, sass}) {
      EXPECT_EQ(counts.barriers, c.barriers) << c.kernel.name;
      EXPECT_EQ(counts.shuffles, c.shuffles) << c.kernel.name;
      EXPECT_EQ(counts.atomics, c.atomics) << c.kernel.name;
      EXPECT_EQ(counts.local_loads + counts.local_stores, 0) << c.kernel.name;
    }
    EXPECT_EQ(used.shared_bytes, c.shared_bytes) << c.kernel.name;
    EXPECT_EQ(used.stack_bytes + used.spill_load_bytes + used.spill_store_bytes, 0);
    std::cout << "[FIGURE] " << c.kernel.name << " of " << to_string(c.kernel.buffers[0].type)
              << ": " << used.registers << " registers, " << used.shared_bytes << " bytes shared, "
              << sass.barriers << " barriers, " << sass.shuffles << " shuffles, "
              << sass.instructions << " instructions\n";
  }
}

// Buffers of several types in one place: no compiler may think that they are apart.
TEST(BlockKernels, NvrtcReadsAgainWhatAnotherTypeHasOverwritten) {
  const Nvrtc* nvrtc = Nvrtc::instance();
  if (nvrtc == nullptr) GTEST_SKIP() << "no NVRTC: " << Nvrtc::why_absent();
  const KernelSource source{
      "#define KERNEL(name) extern \"C\" __global__ void name\n"
      "KERNEL(overlay)(float* y, int i, int m) {\n"
      "  __shared__ __align__(16) unsigned char shared_pool[1024];\n"
      "  float* const a = (float*)(shared_pool + 0);\n"
      "  int* const b = (int*)(shared_pool + 0);\n"
      "  a[threadIdx.x] = 1.0f;\n"
      "  b[threadIdx.x ^ m] = i;\n"
      "  y[threadIdx.x] = a[threadIdx.x];\n"
      "}\n",
      "overlay",
      {"float*", "int", "int"}};
  const CompiledKernels compiled = nvrtc->compile(source, {.ptx = true});
  for (const auto& counts : {count_ptx(compiled.ptx), count_sass(compiled.cubin)}) {
    EXPECT_EQ(counts.at("overlay").shared_loads, (std::map<int, int>{{4, 1}}));
  }
}

TEST(BlockKernels, NvrtcTakesThemAll) {
  std::vector<Kernel> kernels = histograms(1023);
  for (DataType type : kTypes) kernels.push_back(shuffled(type));
  const auto add = [&](Kernel k) {
    k.name += std::to_string(kernels.size());
    kernels.push_back(std::move(k));
  };
  for (std::int64_t n : {1, 1023}) add(block_sum(n, 1024, DataType::Float));
  for (DataType type : {DataType::Half, DataType::Double}) add(transpose(type));
  add(Refilled{}.kernel());
  for (Barrier::Scope scope : {Barrier::Scope::Warp, Barrier::Scope::Block}) {
    add(exchange(64, 8, scope));
  }
  for (bool is_of_launch : {false, true}) {
    Kernel k = overlaid();
    if (is_of_launch) k.launch.shared_bytes = k.pool->constant(272);
    add(k);
  }
  expect_gpu_code(kernels);
}

}  // namespace
}  // namespace selvage
