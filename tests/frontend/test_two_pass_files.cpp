// Variances in two passes, written and read again, and what is refused of them.
#include <selvage/frontend/schedule_writer.h>
#include <tests/frontend/schedule_files.h>

#include <gtest/gtest.h>

namespace selvage {
namespace {

using namespace schedule_files;

TEST(TwoPassFiles, AreWrittenAndReadAgain) {
  const std::string head = R"yaml(symbols:
  M: {}
  N: {}
inputs:
  x: {shape: [M, N], dtype: float}
outputs:
  y: {dtype: float}
compute:
  - "m[i] = mean[j](x[i, j])"
  - "v[i] = var[j](x[i, j], 0)"
  - "w[i] = var[j](x[i, j] * 2.0)"
  - "y[i] = v[i] + m[i] + w[i]"
schedule:
)yaml";
  const std::string lists[] = {"  v:\n    - two_pass: {mean: m}\n",
                               "  w:\n    - two_pass: {as: w_mean}\n",
                               R"yaml(  v:
    - two_pass: {mean: m}
    - split: {in: j, factor: 32, out: [step, thread]}
    - bind: {thread: TIDx}
  w:
    - two_pass: {as: u}
    - memory: local
    - inline: {into: y, at: i}
  u:
    - split: {in: j, factor: 8, out: [o, q]}
    - memory: local
    - inline: {into: w, at: i}
)yaml"};
  // A mean that is an output, and that nothing but the variance reads.
  const std::string of_outputs = R"yaml(symbols:
  M: {}
  N: {}
inputs:
  x: {shape: [M, N], dtype: float}
outputs:
  m: {dtype: float}
  v: {dtype: float}
compute:
  - "m[i] = mean[j](x[i, j])"
  - "v[i] = var[j](x[i, j])"
schedule:
  m:
    - cache: {as: m_copy, memory: global}
    - split: {in: j, factor: 8, out: [o, q]}
  v:
    - two_pass: {mean: m}
)yaml";
  const ScheduleFile cached = read(of_outputs);
  EXPECT_EQ(to_schedule_file(*cached.fusion, *cached.schedule), of_outputs);
  for (const std::string& list : lists) {
    const ScheduleFile file = read(head + list);
    EXPECT_EQ(to_schedule_file(*file.fusion, *file.schedule), head + list);
  }
  const Refused cases[] = {
      {"  v: [{two_pass: {}}]\n",
       "a.yaml:14:8: error[E205]: two_pass: which tensor has the mean is not said; help: name one "
       "that is made, {as: NAME}, or one that there is, {mean: NAME}\n"},
      {"  v: [{two_pass: {as: q, mean: m}}]\n",
       "a.yaml:14:8: error[E205]: two_pass: which tensor has the mean is said twice; help: name "
       "one that is made, {as: NAME}, or one that there is, {mean: NAME}\n"},
      {"  w: [{two_pass: {mean: m}}]\n",
       "a.yaml:14:8: error[E421]: m is not the mean of what w folds, in the type and over the "
       "iterdomains of w; help: take a name that no tensor has: the mean is made\n"},
  };
  for (const Refused& c : cases) EXPECT_EQ(refusal(head + c.text), c.message) << c.text;
}

}  // namespace
}  // namespace selvage
