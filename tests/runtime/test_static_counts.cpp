// Instructions counted in PTX text and in cubins.
#include <selvage/runtime/nvrtc.h>
#include <tests/support/static_counts.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace selvage {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

constexpr const char* kCountedPtx = R"(
.version 9.0
.target sm_90a
.visible .entry scale(
	.param .u64 scale_param_0
)
{
	.reg .pred 	%p<3>;
	ld.param.u64 	%rd1, [scale_param_0];
	setp.gt.s32 	%p1, %r1, 99;
	@%p1 bra 	$L__BB0_2;
	ld.global.nc.v4.f32 	{%f1, %f2, %f3, %f4}, [%rd2];
	ld.global.u16 	%rs1, [%rd2];
	{  cvt.f32.f16 %f5, %rs1;
}
	st.global.v2.b64 	[%rd3], {%rd4, %rd5};
	st.shared.f32 	[%rd3], %f1;
	bar.sync 	0;
	bar.warp.sync 	-1;
	shfl.sync.bfly.b32 	%r4|%p1, %r2, %r7, %r6, %r8;
	atom.shared.add.u32 	%r5, [%rd7], %r1;
	red.global.add.u32 	[%rd7], %r1;
$L__BB0_2:
	ret;
}
.visible .entry empty()
{
	ret;
}
)";

TEST(PtxCounts, AreByKernelAndByBytesOfAnAccess) {
  const auto counts = count_ptx(kCountedPtx);
  ASSERT_EQ(counts.size(), 2u);
  const StaticCounts& scale = counts.at("scale");
  EXPECT_EQ(scale.instructions, 14);
  EXPECT_THAT(scale.global_loads, ElementsAre(Pair(2, 1), Pair(16, 1)));
  EXPECT_THAT(scale.global_stores, ElementsAre(Pair(16, 1)));
  EXPECT_THAT(scale.shared_stores, ElementsAre(Pair(4, 1)));
  EXPECT_EQ(scale.comparisons, 1);
  EXPECT_EQ(scale.branches, 1);
  EXPECT_EQ(scale.barriers, 1);
  EXPECT_EQ(scale.warp_barriers, 1);
  EXPECT_EQ(scale.shuffles, 1);
  EXPECT_EQ(scale.atomics, 2);
  EXPECT_EQ(counts.at("empty").instructions, 1);
  EXPECT_THAT(count_ptx("no kernel"), IsEmpty());
}

TEST(SassCounts, RefuseWhatIsNoCubin) {
  std::vector<std::byte> file(100);
  EXPECT_THROW(count_sass(file), std::invalid_argument);
  const unsigned char magic[] = {0x7f, 'E', 'L', 'F', 2, 1};
  for (std::size_t k = 0; k < sizeof magic; ++k) file[k] = std::byte(magic[k]);
  file[0x3c] = std::byte{200};  // sections, past the end of the file
  EXPECT_THROW(count_sass(file), std::invalid_argument);
}

// An IEEE division calls a subroutine for rare operands; a while loop branches back.
TEST(SassCounts, TheShortestPathMakesNoCallsAndGoesOnceThroughALoop) {
  if (Nvrtc::instance() == nullptr) GTEST_SKIP() << Nvrtc::why_absent();
  const auto counts = [](const std::string& body) {
    const KernelSource source{
        "extern \"C\" __global__ void k(float* x, int n) {\n" + body + "\n}\n", "k", {}};
    return count_sass(Nvrtc::instance()->compile(source).cubin).at("k");
  };
  const StaticCounts quotient = counts("x[0] = x[1] / x[2];");
  EXPECT_EQ(quotient.loops, 0);
  EXPECT_LT(quotient.on_shortest_path, 30);
  EXPECT_GT(quotient.instructions, 80);
  const StaticCounts straight = counts("x[0] = x[1] + x[2];");
  EXPECT_EQ(straight.on_shortest_path, straight.instructions - 1);  // the last one is not reached
  EXPECT_EQ(straight.loops, 0);
  EXPECT_EQ(counts("while (x[n] != 0) n = (int)x[n];\n  x[1] = n;").loops, 1);
}

}  // namespace
}  // namespace selvage
