#include <selvage/base/diagnostic.h>
#include <selvage/ir/ops.h>
#include <selvage/lower/program.h>
#include <selvage/runtime/bound_kernel.h>
#include <selvage/runtime/virtual_device.h>

#include <gmock/gmock.h>

#include <sstream>

namespace selvage {
namespace {

// A compiler's error names a line: what it is about.
TEST(Origins, EachLineSaysWhatItComputes) {
  Fusion f;
  const Tensor x = f.input("x", {f.extent("M"), f.extent("N")}, DataType::Float);
  const Tensor most = max(x, {1}), y = f.output("y", exp(x - unsqueeze(most, 1)));
  Schedule s(f);
  s.like(most.id(), y.id()).compute_at(most.id(), s.loops<2>(y)[0]);
  KernelSource text = source_of(lower(f, s).steps[0].variants[0]);
  std::string shown;
  std::istringstream lines(text.text);
  std::string line;
  for (std::size_t n = 0; std::getline(lines, line); ++n) {
    if (n >= text.origins.size() || text.origins[n].empty()) continue;
    shown += text.origins[n] + ":" + line.substr(line.find_first_not_of(' ') - 1) + "\n";
  }
  EXPECT_EQ(shown,
            "t0: t0 = __uint_as_float(0xff800000u);\n"
            "t0: t0 = max_or_nan(t0, x[t0_2 + i1]);\n"
            "y: y[t1] = expf(x[t1] - t0);\n");
  // The same in the message of a compiler.
  text.text.replace(text.text.find("y["), 2, "why[");
  try {
    VirtualKernel kernel(text, VirtualCompiler::Gcc);
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.diagnostic().notes, testing::Contains("it computes y"));
  }
}

}  // namespace
}  // namespace selvage
