#pragma once

#include <selvage/runtime/kernel_source.h>

#include <string>

namespace selvage::test {

// The head that every emitted text has.
inline const std::string kHead =
    "#ifndef KERNEL\n"
    "#define KERNEL(name) extern \"C\" __global__ void name\n"
    "#endif\n";

// y[m, n] = tanh(a[m, n]) + b[n], a row of blocks for each row; both sides guarded.
inline KernelSource pointwise() {
  return {kHead + R"(
KERNEL(pointwise)(const float* a, const float* b, float* y, long long M, long long N) {
  const long long m = (long long)blockIdx.y * blockDim.y + threadIdx.y;
  const long long n = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (m < M) {
    if (n < N) y[m * N + n] = tanhf(a[m * N + n]) * 0.5f + b[n];
  }
}
)",
          "pointwise",
          {"const float*", "const float*", "float*", "long long", "long long"}};
}

// y[b, t] = x[b, T-1-t] by way of shared memory.
inline KernelSource reversal() {
  return {kHead + R"(
KERNEL(reversal)(const float* x, float* y) {
  __shared__ float tile[256];
  const int t = threadIdx.x;
  const int T = blockDim.x;
  tile[t] = x[blockIdx.x * T + t];
  __syncthreads();
  y[blockIdx.x * T + t] = tile[T - 1 - t];
}
)",
          "reversal",
          {"const float*", "float*"}};
}

// y = x + 1 on halves: 16 bits of storage, exact for what the tests put in.
inline KernelSource half_increment() {
  return {kHead + R"(
static __device__ __forceinline__ float half_to_float(unsigned short h) {
  return __uint_as_float(((unsigned)(h & 0x8000) << 16) |
                         ((unsigned)(h & 0x7fff) + ((h & 0x7fff) ? 0x1c000u : 0u)) << 13);
}
static __device__ __forceinline__ unsigned short float_to_half(float f) {
  const unsigned bits = __float_as_uint(f);
  const unsigned magnitude = (bits & 0x7fffffffu) >> 13;
  return (unsigned short)((bits >> 16 & 0x8000u) | (magnitude ? magnitude - 0x1c000u : 0u));
}
KERNEL(half_increment)(const unsigned short* x, unsigned short* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const bool in_bounds = i < n;
  if (in_bounds) y[i] = float_to_half(half_to_float(x[i]) + 1.0f);
}
)",
          "half_increment",
          {"const unsigned short*", "unsigned short*", "int"}};
}

}  // namespace selvage::test
