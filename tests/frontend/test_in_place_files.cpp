// Outputs of files that take the place of inputs.
#include <selvage/frontend/schedule_writer.h>
#include <selvage/lower/program.h>
#include <tests/frontend/schedule_files.h>
#include <tests/support/refusal.h>

#include <gmock/gmock.h>

#include <algorithm>

namespace selvage {
namespace {

using namespace schedule_files;

std::string in_place_file(const std::string& output, const std::string& statement) {
  return "inputs:\n  x: {shape: [M, N], dtype: half, contiguity: [false, true]}\n"
         "  w: {shape: [M, N], dtype: float}\noutputs: {y: {" +
         output + "}}\ncompute:\n  - \"" + statement + "\"\n";
}

TEST(InPlaceFiles, TheOutputHasTheTypeAndTheLayoutOfTheInput) {
  const std::string text = in_place_file("in_place: x", "y[m, n] = x[m, n] + w[m, n]");
  const ScheduleFile file = read(text);
  const Fusion& f = *file.fusion;
  const TensorInfo &x = f[*f.find("x")], &y = f[*f.find("y")];
  EXPECT_EQ(y.in_place_of, f.find("x"));
  EXPECT_EQ(said_type(y), DataType::Half);
  EXPECT_TRUE(std::ranges::equal(y.strides, x.strides, [](Expr a, Expr b) { return same(a, b); }));
  // It is written as it was read, and lowers the same.
  const std::string written = to_schedule_file(f, *file.schedule);
  EXPECT_THAT(written, testing::HasSubstr("y: {in_place: x}"));
  const ScheduleFile again = read(written);
  EXPECT_EQ(loop_nest(lower(*again.schedule)), loop_nest(lower(*file.schedule)));
}

TEST(InPlaceFiles, RefusesWhatDoesNotFitTheInput) {
  const std::string sum = "y[m, n] = x[m, n] + w[m, n]";
  EXPECT_EQ(refusal(in_place_file("in_place: z", sum)),
            "a.yaml:4:25: error[E205]: outputs.y.in_place: there is no input 'z'; help: name an "
            "input\n");
  EXPECT_EQ(refusal(in_place_file("in_place: x, align: 32", sum)),
            "a.yaml:4:35: error[E517]: outputs.y takes the place of x, which says its align; help: "
            "leave align out\n");
  EXPECT_EQ(refusal(in_place_file("in_place: x", "y[m] = sum(w[m, n])")),
            "a.yaml:4:25: error[E501]: y cannot take the place of x: its shape is [M], and that of "
            "x is [M, N]; help: make the shapes agree, or make y an output of its own\n");
}

TEST(InPlaceFiles, TheHelpOfARefusalMendsIt) {
  const std::string turned = "y[m, n] = w[m, n] + x[n, m]";
  const auto lowered = [&](const std::string& output) {
    const ScheduleFile file = read(in_place_file(output, turned));
    return illegal([&] { lower(*file.schedule); });
  };
  EXPECT_THAT(lowered("in_place: x"), testing::HasSubstr("help: give y memory of its own: leave "
                                                         "in_place out"));
  EXPECT_EQ(lowered(""), "accepted");
}

}  // namespace
}  // namespace selvage
