// Mistakes in lists of iterdomains and loops: E306 and E307.
#include "tests/oracle/draws.h"
#include "tests/report/random_mistakes.h"

namespace selvage::test {

namespace {

using oracle::chance;
using oracle::pick;
using Rng = std::mt19937_64;
using Words = std::vector<std::string>;

Mistake fed_twice(Rng& rng) {
  if (chance(rng, 2)) {
    return instead(random_tensors(rng), "(?:merge|resize): \\{in: \\[?(?:I3, )?(I[13])", "I0", rng);
  }
  return instead(
      random_tensors(rng), "(transforms: \\[)",
      "transforms: [{split: {in: " + pick(rng, Words{"I0", "I1"}) + ", factor: 2, out: [a, b]}}, ",
      rng);
}

Mistake loops(Rng& rng) {
  return instead(random_tensors(rng), "loop: (\\[.*?\\])",
                 pick(rng, Words{"[I2]", "[I4]", "[I2, I2, I4]", "[I0, I2, I3, I4]",
                                 "[I2, I3, I4, I1]", "[]"}),
                 rng);
}

Mistake order(Rng& rng) {
  return instead(
      random_fusion(rng), "reorder: (\\[.*?\\])",
      pick(rng, Words{"[io, ii]", "[j]", "[io, ii, ii, j]", "[i, j]", "[io, io, j]", "[]"}), rng);
}

Mistake view(Rng& rng) {
  const std::string logical =
      pick(rng, Words{"[a]", "[c]", "[a, b, c]", "[a, a, c]", "[I0, I1]", "[]"});
  return {
      {"tensors:\n  T0: {root: {I0: 12, I1: 4}, view: [{split: {in: I0, factor: 3, out: [a, b]}}, "
       "{merge: {in: [b, I1], out: c}}], logical: " +
       logical + ", loop: [a, c]}\n"},
      "[a, c]"};
}

Mistake reading(Rng& rng) {
  const std::string loop = pick(rng, Words{"[I0]", "[I1]", "[a, I1]", "[b, I1]", "[a]"});
  return {{"tensors:\n  T0: {memory: shared, logical: {I0: 12, I1: 4}, read: {transforms: [{split: "
           "{in: "
           "I0, factor: 3, out: [a, b]}}], loop: " +
           loop + "}}\n"},
          "[a, b, I1]"};
}

}  // namespace

const MistakeMakers& loop_mistakes() {
  static const MistakeMakers makers = {
      {"E306", {fed_twice}},
      {"E307", {loops, order, view, reading}},
  };
  return makers;
}

}  // namespace selvage::test
