#include <selvage/runtime/packed_kernels.h>
#include <tests/support/counts.h>

#include <gtest/gtest.h>

#include <random>

namespace selvage {
namespace {

CompiledKernels example() {
  return {std::vector<std::byte>(100, std::byte{3}),
          "ptx",
          "a log\nof two lines",
          {{"first", 255, 16, 12, 20, 1024, 1}, {"other", 8, 0, 0, std::int64_t{1} << 40, 0, 16}}};
}

TEST(PackedKernels, AreReadBackAsTheyWere) {
  const CompiledKernels before = example();
  const auto after = unpacked<CompiledKernels>(packed(before));
  ASSERT_TRUE(after);
  EXPECT_EQ(after->cubin, before.cubin);
  EXPECT_EQ(after->ptx, before.ptx);
  EXPECT_EQ(after->log, before.log);
  ASSERT_EQ(after->kernels.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    const KernelResources &a = after->kernels[i], &b = before.kernels[i];
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.registers, b.registers);
    EXPECT_EQ(a.stack_bytes, b.stack_bytes);
    EXPECT_EQ(a.spill_store_bytes, b.spill_store_bytes);
    EXPECT_EQ(a.spill_load_bytes, b.spill_load_bytes);
    EXPECT_EQ(a.shared_bytes, b.shared_bytes);
    EXPECT_EQ(a.barriers, b.barriers);
  }
}

TEST(PackedKernels, ARequestIsReadBackAsItWas) {
  const CompileRequest before = {{{"text", "name", {"float*", "int"}}, {"", "", {}}},
                                 {"sm_80", true, true, {"--more", ""}}};
  const auto after = unpacked<CompileRequest>(packed(before));
  ASSERT_TRUE(after);
  ASSERT_EQ(after->sources.size(), 2u);
  EXPECT_EQ(after->sources[0].text, "text");
  EXPECT_EQ(after->sources[0].name, "name");
  EXPECT_EQ(after->sources[0].parameter_types, before.sources[0].parameter_types);
  EXPECT_EQ(after->options.arch, "sm_80");
  EXPECT_TRUE(after->options.fmad);
  EXPECT_TRUE(after->options.ptx);
  EXPECT_EQ(after->options.more, before.options.more);
}

TEST(PackedKernels, WhatIsCutOffOrGoesOnIsNothing) {
  std::vector<std::byte> bytes = packed(example());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(unpacked<CompiledKernels>(std::span(bytes).first(size))) << size;
  }
  bytes.push_back(std::byte{0});
  EXPECT_FALSE(unpacked<CompiledKernels>(bytes));
}

TEST(PackedKernels, LengthsPastTheEndTakeNoMemory) {
  Packer hostile;
  hostile.put(~std::uint64_t{0});
  EXPECT_FALSE(unpacked<CompiledKernels>(hostile.take()));
  Packer many;  // no cubin, PTX or log, and 2^60 kernels
  many.put(0, 0, 0, 1ull << 60);
  EXPECT_FALSE(unpacked<CompiledKernels>(many.take()));
}

TEST(PackedKernels, RandomBytesAreReadWithoutHarm) {
  std::mt19937_64 random(3);
  const std::vector<std::byte> whole = packed(example());
  int read = 0;
  for (int i = 0; i < count(2000, 50'000); ++i) {
    std::vector<std::byte> bytes = whole;
    for (int k = random() % 4; k >= 0; --k) bytes[random() % bytes.size()] = std::byte(random());
    if (const auto kernels = unpacked<CompiledKernels>(bytes)) {
      ++read;
      for (const KernelResources& used : kernels->kernels) {
        ASSERT_GE(used.registers, 0);
        ASSERT_GE(used.shared_bytes, 0);
      }
    }
    unpacked<CompileRequest>(bytes);
  }
  EXPECT_GT(read, more_than(100));  // a byte of the cubin may be any
}

}  // namespace
}  // namespace selvage
