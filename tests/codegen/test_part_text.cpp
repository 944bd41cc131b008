// The text of barriers of a part of the block, and of loops that are left.
#include <gtest/gtest.h>

#include "../support/block_kernels.h"
#include "../support/part_kernels.h"
#include "run.h"

namespace selvage {
namespace {

using namespace test;

// The kernel's body alone, without the lines that every kernel of these has.
std::string body_of(const Kernel& kernel) {
  const std::string text = cuda(kernel).text;
  return text.substr(text.find("KERNEL(k)"));
}

struct Case : HandKernel {
  Case() : HandKernel("k") {
    t = variable("t", c(64));
    i = variable("i", c(4));
    j = variable("j", c(5));
    y = output("y", DataType::Int32, c(64 * 20));
  }
  Kernel in_block(Body body) {
    kernel.body = in_one_block(*this, t, 64, std::move(body));
    return kernel;
  }
  ValueId number(std::int64_t v) { return kernel.values.constant(DataType::Int32, v, false); }
  Statement put(Expr at) { return store(y, at, number(1)); }
  Expr t, i, j;
  BufferId y;
};

TEST(PartText, ABarrierOfAPartIsOneLine) {
  Case x;
  const Kernel k = x.in_block({guard(x.t < 32, {barrier(3, {kAll})}), barrier(1, {kAll, 1}),
                               guard(x.t % 32 < 4, {lane_barrier(0xf)}), lane_barrier(kAll)});
  EXPECT_EQ(cuda(k).text,
            "#ifndef KERNEL\n"
            "#define KERNEL(name) extern \"C\" __global__ void name\n"
            "#endif\n"
            "#ifndef sync_threads\n"
            "#define sync_threads(id, threads) \\\n"
            "  do { \\\n"
            "    __syncwarp(); \\\n"
            "    asm volatile(\"barrier.sync \" #id \", \" #threads \";\" ::: \"memory\"); \\\n"
            "  } while (0)\n"
            "#endif\n"
            "#ifndef sync_members\n"
            "#define sync_members(id, threads, members, lanes) \\\n"
            "  do { \\\n"
            "    __syncwarp(lanes); \\\n"
            "    asm volatile(\"barrier.sync \" #id \", \" #threads \";\" ::: \"memory\"); \\\n"
            "  } while (0)\n"
            "#endif\n"
            "\n"
            "KERNEL(k)(int* __restrict__ y) {\n"
            "  const int t = threadIdx.x;\n"
            "  if (t < 32) {\n"
            "    sync_threads(3, 32);\n"
            "  }\n"
            "  sync_members(1, 64, 33, threadIdx.x < 32 ? 0xffffffffu : 0x00000001u);\n"
            "  if ((t & 31) < 4) {\n"
            "    __syncwarp(0x0000000fu);\n"
            "  }\n"
            "  __syncwarp();\n"
            "}\n");
}

// Warps of the same lanes, one after the other, are told apart from others alone.
TEST(PartText, LanesOfAWarpAreChosenWhereTheyDiffer) {
  Case x;
  const auto lanes = [&](std::vector<std::uint32_t> members) {
    x.kernel.body = in_one_block(x, x.t, 32 * std::int64_t(members.size()), {barrier(1, members)});
    const std::string text = body_of(x.kernel);
    const std::size_t last = text.rfind(", ");
    return text.substr(last + 2, text.rfind(");") - last - 2);
  };
  EXPECT_EQ(lanes({3, 3, 1}), "threadIdx.x < 64 ? 0x00000003u : 0x00000001u");
  EXPECT_EQ(lanes({3, 1, 1, 0}), "threadIdx.x < 32 ? 0x00000003u : 0x00000001u");
  EXPECT_EQ(lanes({3, 0, 3}), "0x00000003u");
}

TEST(PartText, TheInnermostLoopIsLeftByABreak) {
  Case x;
  EXPECT_EQ(body_of(x.in_block({loop(x.i, x.c(4),
                                     {guard(eq(x.i, x.t), {leave(x.i)}),
                                      guard(x.t < 3, {go_on(x.i)}), x.put(x.i * 64 + x.t)})})),
            "KERNEL(k)(int* __restrict__ y) {\n"
            "  const int t = threadIdx.x;\n"
            "  for (int i = 0; i < 4; ++i) {\n"
            "    if (i == t) {\n"
            "      break;\n"
            "    }\n"
            "    if (t < 3) {\n"
            "      continue;\n"
            "    }\n"
            "    y[t + i * 64] = 1;\n"
            "  }\n"
            "}\n");
}

TEST(PartText, AnOuterLoopIsLeftByAJumpPastNoDefinition) {
  Case x;
  const Expr v = x.pool->symbol("v");
  const Body inner = {
      loop(x.j, x.c(5), {guard(eq(x.j, x.t), {leave(x.i)}), guard(x.t < x.j, {go_on(x.i)})}),
      define(v, x.i * x.i), x.put(v * 64 + x.t), x.put(v * 64 + x.t)};
  EXPECT_EQ(body_of(x.in_block({loop(x.i, x.c(4), inner), loop(x.i, x.c(4), inner)})),
            "KERNEL(k)(int* __restrict__ y) {\n"
            "  const int t = threadIdx.x;\n"
            "  for (int i = 0; i < 4; ++i) {\n"
            "    {\n"
            "      for (int j = 0; j < 5; ++j) {\n"
            "        if (j == t) {\n"
            "          goto behind_i;\n"
            "        }\n"
            "        if (t < j) {\n"
            "          goto next_i;\n"
            "        }\n"
            "      }\n"
            "      const int v = i * i;\n"
            "      const int t0 = t + v * 64;\n"
            "      y[t0] = 1;\n"
            "      y[t0] = 1;\n"
            "    }\n"
            "    next_i:;\n"
            "  }\n"
            "  behind_i:;\n"
            "  for (int i_2 = 0; i_2 < 4; ++i_2) {\n"
            "    {\n"
            "      for (int j = 0; j < 5; ++j) {\n"
            "        if (j == t) {\n"
            "          goto behind_i_2;\n"
            "        }\n"
            "        if (t < j) {\n"
            "          goto next_i_2;\n"
            "        }\n"
            "      }\n"
            "      const int v = i_2 * i_2;\n"
            "      const int t1 = t + v * 64;\n"
            "      y[t1] = 1;\n"
            "      y[t1] = 1;\n"
            "    }\n"
            "    next_i_2:;\n"
            "  }\n"
            "  behind_i_2:;\n"
            "}\n");
}

TEST(PartText, ALoopThatRunsOnceIsALoopWhereSomethingLeavesIt) {
  Case x;
  EXPECT_EQ(body_of(x.in_block({loop(x.i, x.c(1), {guard(x.t < 3, {leave(x.i)}), x.put(x.t)}),
                                loop(x.j, x.c(1), {x.put(x.t + 64)})})),
            "KERNEL(k)(int* __restrict__ y) {\n"
            "  const int t = threadIdx.x;\n"
            "  for (int i = 0; i < 1; ++i) {\n"
            "    if (t < 3) {\n"
            "      break;\n"
            "    }\n"
            "    y[t] = 1;\n"
            "  }\n"
            "  y[t + 64] = 1;\n"
            "}\n");
}

// What is named above a loop, or in it, holds wherever it is left.
std::vector<Kernel> loops_that_are_left() {
  std::vector<Kernel> kernels;
  for (int n = 0; n < 16; ++n) {
    Case x;
    x.kernel.name = "k" + std::to_string(n);
    const bool is_outer = n & 1, is_next = n & 2, has_division = n & 4, is_behind = n & 8;
    const Expr q = has_division ? (x.t * 20 + x.i * 5 + x.j) / 7 : x.i * 5 + x.j;
    const Expr r = has_division ? (x.t * 20 + x.i * 5 + x.j) % 7 : x.t % 5;
    const BufferId sum = x.local("sum", DataType::Int32);
    ValueGraph& g = x.kernel.values;
    const auto add = [&](Expr e) {
      return store(
          sum, x.c(0),
          g.apply(Function::Add, {x.read(sum, x.c(0)), g.cast(g.index(e), DataType::Int32)}));
    };
    Body inner = {add(q * 3), guard(eq(r, 3), {{Leave{is_outer ? x.i : x.j, is_next}}}), add(r)};
    if (is_behind) inner.push_back(guard(eq(q % 4, 1), {leave(x.i)}));
    const Body body = {store(sum, x.c(0), x.number(0)),
                       loop(x.i, x.c(4), {loop(x.j, x.c(5), inner), add(x.i * 1000)}),
                       store(x.y, x.t, x.read(sum, x.c(0)))};
    kernels.push_back(x.in_block(body));
  }
  return kernels;
}

TEST(PartText, WhatIsSharedStaysRightWhereALoopIsLeft) {
  int n = 0;
  for (const Kernel& k : loops_that_are_left()) {
    const bool is_outer = n & 1, is_next = n & 2, has_division = n & 4, is_behind = n & 8;
    ++n;
    std::vector<Array> arrays = arrays_for(k, {}), emulated = arrays;
    for (VirtualCompiler compiler : {default_virtual_compiler(), VirtualCompiler::Gcc}) {
      run_text(k, {}, arrays, compiler);
      for (std::int64_t t = 0; t < 64; ++t) {
        std::int64_t sum = 0;
        for (std::int64_t i = 0; i < 4; ++i) {
          for (std::int64_t j = 0; j < 5; ++j) {
            const std::int64_t q = has_division ? (t * 20 + i * 5 + j) / 7 : i * 5 + j;
            const std::int64_t r = has_division ? (t * 20 + i * 5 + j) % 7 : t % 5;
            sum += q * 3;
            if (r == 3) {
              if (is_outer && is_next) goto next;
              if (is_outer) goto behind;
              if (is_next) continue;
              break;
            }
            sum += r;
            if (is_behind && q % 4 == 1) goto behind;
          }
          sum += i * 1000;
        next:;
        }
      behind:
        ASSERT_EQ(arrays[0].get_int(t), sum) << "thread " << t << "\n" << cuda(k).text;
      }
    }
    EXPECT_EQ(run_emulated(k, {}, emulated).fault_count, 0);
    for (std::int64_t t = 0; t < 64; ++t) {
      ASSERT_EQ(emulated[0].get_int(t), arrays[0].get_int(t));
    }
  }
}

TEST(PartText, NvrtcCompilesAll) {
  std::vector<Kernel> kernels = loops_that_are_left();
  Case x;
  kernels.push_back(x.in_block({guard(x.t < 32, {barrier(3, {kAll})}), barrier(15, {kAll, kAll}),
                                guard(x.t % 32 < 4, {lane_barrier(0xf)}), x.put(x.t)}));
  expect_gpu_code(kernels);
}

TEST(PartText, NvrtcCompilesBarriersForEveryArchitecture) {
  const Nvrtc* nvrtc = Nvrtc::instance();
  if (nvrtc == nullptr) GTEST_SKIP() << "no NVRTC: " << Nvrtc::why_absent();
  Case x;
  const KernelSource source =
      source_of(cuda(x.in_block({barrier(15, {kAll, kAll}), lane_barrier(0xf), x.put(x.t)})));
  for (const char* architecture : {"sm_80", "sm_90a", "sm_100"}) {
    EXPECT_NO_THROW(nvrtc->compile(source, {.arch = architecture})) << architecture;
  }
}

}  // namespace
}  // namespace selvage
