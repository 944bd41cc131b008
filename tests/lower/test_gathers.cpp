// Reads at subscripts that are values, y[i, j] = x[idx[i], j], through all targets.
#include <selvage/codegen/cuda.h>
#include <selvage/emulate/emulate.h>
#include <selvage/ir/ops.h>

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/lowered.h"
#include "tests/support/refusal.h"

namespace selvage {
namespace {

using test::expect_agreement;

// y[b, d] = table[idx[b], d], one thread for each item.
struct Embedding {
  explicit Embedding(const Outside& outside, DataType index = DataType::Int64) {
    const auto [V, D, B] = f.extents("V", "D", "B");
    const Tensor table = f.input("table", {V, D}, DataType::Float);
    const Tensor idx = f.input("idx", {B}, index);
    y = f.output("y", embedding(table, idx, outside));
  }
  Schedule one_thread_an_item() {
    Schedule s(f);
    const auto [b, d] = s.loops<2>(y);
    const auto [block, thread] = s.split(s.merge(b, d), 32);
    s.bind(block, ParallelType::BIDx).bind(thread, ParallelType::TIDx);
    return s;
  }
  RunRequest at(const std::vector<std::int64_t>& indices) const {
    Array idx(f[*f.find("idx")].type, {std::int64_t(indices.size())});
    for (std::size_t k = 0; k < indices.size(); ++k) idx.set_int(std::int64_t(k), indices[k]);
    return {.sizes = {{"V", 5}, {"D", 3}}, .inputs = {{"idx", idx}}};
  }

  Fusion f;
  Tensor y;
};

TEST(Gathers, AnUncheckedOneReadsWhereTheIndexSays) {
  Embedding e(Outside::unchecked());
  const Program p =
      expect_agreement(e.f, e.one_thread_an_item(), {{{"V", 5}, {"D", 3}, {"B", 40}}});
  EXPECT_EQ(loop_nest(p.steps[0].variants[0]),
            "parallel i0i1o in (B * D + 31) / 32 (BIDx)\n"
            "  parallel i0i1i in 32 (TIDx)\n"
            "    if (i0i1o * 32 + i0i1i < B * D)\n"
            "      idx.0 = idx[(i0i1o * 32 + i0i1i) / D], 0 to V - 1\n"
            "      y[i0i1o * 32 + i0i1i] = table[D * idx.0 + (i0i1o * 32 + i0i1i) % D]\n");
}

TEST(Gathers, HostileIndicesReadNothingOutside) {
  const std::vector<std::int64_t> hostile = {0,
                                             4,
                                             5,
                                             -1,
                                             std::numeric_limits<std::int64_t>::min(),
                                             std::numeric_limits<std::int64_t>::max(),
                                             std::int64_t{1} << 32,
                                             -(std::int64_t{1} << 32)};
  for (const Outside& outside : {Outside(), Outside::fill(7), Outside::clamped()}) {
    Embedding e(outside);
    const Program p = lower(e.f, e.one_thread_an_item());
    test::expect_verified(p);
    expect_agreement(e.f, p, e.at(hostile));
  }
}

// The unscheduled program names the read; emulation names the number, and goes on with one in
// range.
TEST(Gathers, ABrokenPromiseIsAFault) {
  Embedding e(Outside::unchecked());
  const Program p = lower(e.f, e.one_thread_an_item());
  RunRequest request = e.at({1, 5, 0});
  EXPECT_EQ(refusal_by<BadInput>([&] { run(e.f, p, request); }),
            "selvage: error[E616]: table[5, 0] is read, outside its shape [5, 3]; help: keep the "
            "indices within the extents; or read clamped or fill");
  const Kernel& kernel = p.steps[0].variants[0];
  Array table(DataType::Float, {5, 3}), y(DataType::Float, {3, 3});
  std::vector<Array*> buffers;
  for (const Buffer& b : kernel.buffers) {
    buffers.push_back(b.name == "table" ? &table : b.name == "idx" ? &request.inputs["idx"] : &y);
  }
  const Emulation run = emulate(kernel, {{"V", 5}, {"D", 3}, {"B", 3}}, buffers);
  EXPECT_EQ(run.fault_count, 3);
  EXPECT_EQ(run.faults[0].kind, FaultKind::Unkept);
  EXPECT_EQ(
      run.faults[0].text,
      "idx.0 is 5, and is said to be 0 to 4, at block (0, 0, 0), thread (3, 0, 0), i0i1o = 0, "
      "i0i1i = 3");
}

// loss[b] = log(sum over v of exp(x[b, v] - m[b])) + m[b] - x[b, target[b]], in one kernel.
struct CrossEntropy {
  explicit CrossEntropy(IndexMode mode) {
    const auto [B, V] = f.extents("B", "V");
    const Tensor x = f.input("x", {B, V}, DataType::Float);
    const Tensor target = f.input("target", {B}, DataType::Int32);
    const auto index = [&](const char* name) { return f.fresh_index(name); };
    Expr b = index("b"), v = index("v");
    m = f.compute_fold("m", {b}, {B}, {Reduction::Max, {v}, {V}}, x(b, v));
    b = index("b"), v = index("v");
    s = f.compute_fold("s", {b}, {B}, {Reduction::Sum, {v}, {V}},
                       apply(Function::Exp, {x(b, v) - m(b)}));
    b = index("b");
    const Element chosen = x(b, Subscript(target(b), mode));
    loss =
        f.output("loss", f.compute("loss", {b}, {B}, apply(Function::Log, {s(b)}) + m(b) - chosen));
  }
  Fusion f;
  Tensor m, s, loss;
};

TEST(Gathers, CrossEntropyIsOneKernelThatFoldsAndGathers) {
  for (const IndexMode mode : {IndexMode::Clamped, IndexMode::Unchecked}) {
    CrossEntropy c(mode);
    Schedule s(c.f);
    const auto row = s.loops(c.loss)[0];
    s.bind(row, ParallelType::BIDx);
    for (const Tensor& t : {c.m, c.s}) {
      s.bind(s.split(s.loops(t).back(), 64).second, ParallelType::TIDx);
      s.compute_at(t, row);
    }
    const Program p = expect_agreement(c.f, s, {{{"B", 5}, {"V", 100}}, {{"B", 1}, {"V", 1}}});
    EXPECT_EQ(p.steps.size(), 1u);
  }
}

// Four neighbours of a row are one access, whatever row memory names; indices that are read for
// neighbours are one access as well, and the elements that they name are not.
TEST(Gathers, RowsAreReadInVectors) {
  Fusion f;
  const auto [V, B] = f.extents("V", "B");
  const Expr D = f.extent("D", 1, {}, 4);
  const Tensor table = f.input("table", {V, D}, DataType::Float);
  const Tensor idx = f.input("idx", {B}, DataType::Int32);
  const Tensor y = f.output("y", embedding(table, idx, Outside::clamped()));
  Schedule s(f);
  const auto [b, d] = s.loops<2>(y);
  const auto [d4, v] = s.split(d, 4);
  const auto [block, thread] = s.split(s.merge(b, d4), 64);
  s.bind(block, ParallelType::BIDx).bind(thread, ParallelType::TIDx);
  s.bind(v, ParallelType::Vectorize);
  const Program p =
      expect_agreement(f, s, {{{"V", 7}, {"D", 12}, {"B", 9}}, {{"V", 1}, {"D", 4}, {"B", 1}}});
  EXPECT_EQ(cuda(p.steps[0].variants[0]).text,
            R"(#ifndef KERNEL
#define KERNEL(name) extern "C" __global__ void name
#endif
typedef struct __align__(16) { float at[4]; } float_x4;
static __device__ __forceinline__ int min_of(int a, int b) {
  return a < b ? a : b;
}
static __device__ __forceinline__ int max_of(int a, int b) {
  return a < b ? b : a;
}

KERNEL(kernel_y)(
    const float* __restrict__ table,
    const int* __restrict__ idx,
    float* __restrict__ y,
    int V,
    int B,
    int D) {
  float_x4 table_lanes;
  float_x4 y_lanes;
  const int i0i1oo = blockIdx.x;
  const int i0i1oi = threadIdx.x;
  const int t0 = D >> 2;
  const int t1 = i0i1oo * 64 + i0i1oi;
  const int t2 = t1 / (unsigned)t0;
  const int t3 = (t1 - t2 * t0) * 4;
  if (t1 < B * t0) {
    const int idx_0 = min_of(max_of(idx[t2], 0), V - 1);
    table_lanes = *(const float_x4*)(table + D * idx_0 + t3);
    #pragma unroll
    for (int i1i = 0; i1i < 4; ++i1i) {
      y_lanes.at[i1i] = table_lanes.at[i1i];
    }
    *(float_x4*)(y + D * t2 + t3) = y_lanes;
  }
}
)");
}

TEST(Gathers, ADiagonalIsNoVector) {
  Fusion f;
  const auto [N] = f.extents("N");
  const Tensor x = f.input("x", {N, N}, DataType::Float);
  const Tensor idx = f.input("idx", {N}, DataType::Int32);
  const Expr i = f.fresh_index("i");
  const Tensor y = f.output("y", f.compute("", {i}, {N}, x(clamped(idx(i)), i)));
  Schedule s(f);
  const auto [block, v] = s.split(s.loops(y)[0], 4);
  s.bind(block, ParallelType::BIDx).bind(v, ParallelType::Vectorize);
  const Program p = expect_agreement(f, s, {{{"N", 8}}, {{"N", 7}}});
  EXPECT_EQ(loop_nest(p.steps[0].variants[0]),
            "parallel io in (N + 3) / 4 (BIDx)\n"
            "  if (io * 4 + 3 < N)\n"
            "    idx.lanes = idx[io * 4 .. +4]\n"
            "    for ii in 4 (Vectorize)\n"
            "      idx.0 = min(max(int64(idx.lanes[ii]), 0), N - 1), 0 to N - 1\n"
            "      y.lanes[ii] = x[N * idx.0 + io * 4 + ii]\n"
            "    y[io * 4 .. +4] = y.lanes\n"
            "  else\n"
            "    for ii in 4\n"
            "      if (io * 4 + ii < N)\n"
            "        idx.0 = min(max(int64(idx[io * 4 + ii]), 0), N - 1), 0 to N - 1\n"
            "        y[io * 4 + ii] = x[N * idx.0 + io * 4 + ii]\n");
}

// An index that is computed is a value like others: inlined, or read where it is stored.
TEST(Gathers, IndicesMayBeComputedInTheSameFusion) {
  for (const bool is_inlined : {true, false}) {
    Fusion f;
    const auto [N, M] = f.extents("N", "M");
    const Tensor x = f.input("x", {N}, DataType::Float), k = f.input("k", {M}, DataType::Int32);
    const Tensor twice = k * 2 + 1;
    const Tensor y = f.output("y", index_select(x, 0, twice));
    Schedule s(f);
    if (is_inlined) {
      s.inline_into_readers(twice.id());
    } else {
      s.bind(s.loops(twice)[0], ParallelType::BIDx);
    }
    s.bind(s.loops(y)[0], ParallelType::BIDx);
    expect_agreement(f, s, {{{"N", 5}, {"M", 30}}});
  }
}

TEST(Gathers, InlinedGathersAreReadUnderTheirConditions) {
  Fusion f;
  const auto [V, N] = f.extents("V", "N");
  const Tensor x = f.input("x", {V}, DataType::Int32), idx = f.input("idx", {N}, DataType::Int64);
  const Tensor inner = index_select(x, 0, idx, Outside::unchecked());
  const Tensor both = concatenate({pad(inner, {{2, 3}}, 7), inner}, 0);
  const Tensor y = f.output("y", index_select(both, 0, idx));
  Schedule s(f);
  for (std::size_t t = 0; t < f.size(); ++t) {
    const TensorInfo& info = f[TensorId(t)];
    if (!info.is_input && !info.is_output) s.inline_into_readers(TensorId(t));
  }
  s.bind(s.loops(y)[0], ParallelType::BIDx);
  expect_agreement(f, s, {{{"V", 9}, {"N", 20}}, {{"V", 1}, {"N", 1}}});
}

// A block keeps the whole table, or the indices, in shared memory.
TEST(Gathers, WhatIsReadMayBeCached) {
  for (const int how : {0, 1, 2, 3}) {
    const bool of_table = how % 2 == 1;
    const std::int64_t threads = how < 2 ? 32 : 64;
    Fusion f;
    const Tensor x = f.input("x", {f.constant(16), f.constant(4)}, DataType::Float),
                 idx = f.input("idx", {f.constant(128)}, DataType::Int32);
    const Tensor y = f.output("y", embedding(x, idx, Outside::clamped()));
    Schedule s(f);
    const auto [block, thread] = s.split(s.loops(y)[0], threads);
    const TensorId copy = s.cache(of_table ? x : idx, "copy", Memory::Shared);
    s.bind(thread, ParallelType::TIDx);
    s.compute_at(copy, block);
    if (of_table) s.bind(s.loops(copy)[0], ParallelType::TIDx);
    const Program p = lower(f, s);
    const Verification v = verify(p.steps[0].variants[0]);
    for (const KernelFinding& finding : v.findings) ADD_FAILURE() << finding.text;
    expect_agreement(f, p, {});
  }
}

}  // namespace
}  // namespace selvage
