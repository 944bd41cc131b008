// Mistakes in names: E201 to E205.
#include "tests/oracle/draws.h"
#include "tests/report/random_mistakes.h"

namespace selvage::test {

namespace {

using oracle::chance;
using oracle::draw;
using oracle::pick;
using Rng = std::mt19937_64;
using Words = std::vector<std::string>;

// Where a name is defined: of a symbol, a tensor, an iterdomain, an array, an index.
constexpr const char* kDefined =
    "(?:symbols: \\{|inputs: \\{|tensors:\\n  |logical: \\{|out: \\[|arrays: \\{|block: "
    "\\[|thread: \\[|let: \\{|index: |label: |as: |compute: \\[\")(\\w+)";

// A name that is defined becomes another one, wherever it stands.
Mistake renamed(Rng& rng, const Words& by) {
  FileText file = random_file(rng);
  std::string name(file.at(random_match(file, kDefined, rng)));
  const std::string other = pick(rng, by);
  if (!file.has_word(other)) file.rename(name, other);
  return {file, name};
}

Mistake no_name(Rng& rng) {
  return renamed(rng, {"2x", "a-b", "7", "__x", "__", "a.b", "a$", "1e3", "x'", "é",
                       std::string(std::size_t(draw(rng, 65, 90)), 'n')});
}

Mistake reserved(Rng& rng) {
  return renamed(rng,
                 {"min", "max", "select", "ceilDiv", "_t0", "_t12", "x_stride_i", "T0_stride_I0"});
}

Mistake level_as_index(Rng& rng) {
  return instead(random_threads(rng), "(?:block|thread): (\\[\\w: \\d+\\])",
                 "{" + pick(rng, Words{"block", "thread", "warp"}) + ": 4}", rng);
}

Mistake keyword(Rng& rng) {
  return renamed(rng, {"int", "for", "threadIdx", "blockDim", "double", "register", "sinf", "class",
                       "signed", "if", "uint8_t", "auto", "erf", "xor"});
}

// A name where another stands already.
Mistake taken(Rng& rng) {
  switch (draw(rng, 0, 7)) {
    case 0: return instead(random_tensors(rng), "logical: \\{I0: N, (I1)", "I0", rng);
    case 1:
      return instead(random_tensors(rng), "out: \\[?(?:I2, )?(I[34])",
                     pick(rng, Words{"I0", "I2", "N"}), rng);
    case 2:
      return instead(random_file(rng),
                     "(?:tensors:\\n  |inputs: \\{|M\\], dtype: \\w+, align: "
                     "16\\}, |arrays: \\{)(\\w+)",
                     pick(rng, Words{"N", "M", "K"}), rng);
    case 3:
      return instead(random_fusion(rng), "(?:compute: \\[\"|\", \")(\\w)\\[",
                     pick(rng, Words{"x", "w", "t", "N"}), rng);
    case 4:
      return instead(random_fusion(rng), "cache: \\{as: (x_s)",
                     pick(rng, Words{"x", "t", "y", "N"}), rng);
    case 5:
      return instead(random_fusion(rng), "out: \\[(?:io, )?(i[oi])",
                     pick(rng, Words{"i", "j", "N"}), rng);
    case 6:
      return instead(random_threads(rng), "(?:block|thread): \\[(\\w)",
                     pick(rng, Words{"K", "A", "p", "q"}), rng);
    default:
      return instead(random_threads(rng), "(?:let: \\{|index: )(\\w+)",
                     pick(rng, Words{"K", "A", "p", "q"}), rng);
  }
}

Mistake loops_alike(Rng& rng) {
  const bool has_label = chance(rng, 2);
  return instead(random_threads(rng), "label: outer, do: (\\[\".*?\"\\])",
                 std::string("[{for: {index: ") + (has_label ? "k, label: outer" : "i") +
                     ", in: 3, do: [\"A[k, p, q] = 1\"]}}]",
                 rng);
}

// A name that nothing has, nearly one that there is, or not.
Mistake unknown(Rng& rng, FileText file, const std::string& words) {
  const TextSpan span = random_match(file, words, rng);
  Mistake made{file, std::string(file.at(span))};
  if (span.end == 0) return made;
  made.file.replace(span, chance(rng, 3) ? "nothing_like" : mistyped(made.put_right, rng));
  return made;
}

Mistake unknown_domain(Rng& rng) {
  return unknown(rng, chance(rng, 2) ? random_tensors(rng) : random_fusion(rng),
                 "(?:in: \\[?|in: \\[\\w+, |loop: \\[|bind: \\{|reorder: \\[)(\\w+)");
}

Mistake unknown_loop_of_another(Rng& rng) {
  return unknown(rng, random_fusion(rng), ", at: (\\w+)");
}

Mistake unknown_tensor(Rng& rng) {
  return unknown(rng, random_fusion(rng),
                 "(?:into: |outputs: \\{|\\n  |relu\\(|= |sum\\(| \\+ )(\\w+)[\\[:,}]");
}

Mistake unknown_array(Rng& rng) { return unknown(rng, random_threads(rng), "\"([AB])\\["); }

// A schedule of what has no loops.
Mistake loops_of_an_input(Rng& rng) {
  FileText file = random_fusion(rng);
  const std::string item =
      pick(rng, Words{"[{bind: {j: TIDx}}]", "[]", "[{memory: shared}]", "[{reorder: [j]}]"});
  file.text.insert(file.text.find("schedule:\n") + 10, "  w: " + item + "\n");
  return {file, ""};
}

Mistake into_an_input(Rng& rng) {
  FileText file = random_fusion(rng);
  return instead(std::move(file), "into: (y)", pick(rng, Words{"x", "w"}), rng);
}

Mistake fold_inside(Rng& rng) {
  FileText file = random_fusion(rng);
  Mistake made = instead(std::move(file), "(\"y\\[.*?\")", "\"y[i] = sum(t[i, j]) + 1\"", rng);
  made.file.rename("ii, j]", "ii]");
  made.file.text.insert(made.file.text.find("schedule:\n") + 10, "  y_sum: [{memory: local}]\n");
  return made;
}

Mistake cache_that_nobody_reads_in_loops(Rng& rng) {
  FileText file = random_fusion(rng);
  file.text.erase(file.text.find("schedule:\n"));
  file.text +=
      "schedule:\n  x: [{cache: {as: x_s, memory: shared, at: " + pick(rng, Words{"i", "j", "k"}) +
      "}}]\n";
  if (chance(rng, 2)) file.text += "  y: []\n";
  return {file, ""};
}

}  // namespace

const MistakeMakers& name_mistakes() {
  static const MistakeMakers makers = {
      {"E201", {no_name}},
      {"E202", {reserved, reserved, level_as_index}},
      {"E203", {keyword}},
      {"E204", {taken, taken, taken, loops_alike}},
      {"E205",
       {unknown_domain, unknown_domain, unknown_loop_of_another, unknown_tensor, unknown_array,
        loops_of_an_input, into_an_input, fold_inside, cache_that_nobody_reads_in_loops}},
  };
  return makers;
}

}  // namespace selvage::test
