// Mistakes in values and expressions of sizes: E301 to E305, E308 to E313, E390 to E393.
#include "tests/oracle/draws.h"
#include "tests/report/random_mistakes.h"

namespace selvage::test {

namespace {

using oracle::chance;
using oracle::draw;
using oracle::number;
using oracle::pick;
using Rng = std::mt19937_64;
using Words = std::vector<std::string>;

FileText sized_file(Rng& rng) { return chance(rng, 2) ? random_fusion(rng) : random_tensors(rng); }

constexpr const char* kSizes =
    "(?:factor: |shape: \\[|I[01]: |for: \\{index: i, in: )([A-Z0-9]+)[,}\\]]";
constexpr const char* kFacts = "(?:facts: \\[|when: )(\"[^\"]*\"|few)";

Mistake unknown_size(Rng& rng) {
  FileText file = random_file(rng);
  const TextSpan span = random_match(file, kSizes, rng);
  Mistake made{file, std::string(file.at(span))};
  if (span.end != 0) made.file.replace(span, pick(rng, Words{"NN", "Length", "KK", "M1", "Q + 1"}));
  return made;
}

Mistake mistyped_word(Rng& rng) {
  const char* words =
      "(?:dtype: |memory: |I[24]: |ii: |io: "
      ")(float|half|double|int8|int32|global|shared|local|BIDx|TIDx)";
  FileText file = random_file(rng);
  const TextSpan span = random_match(file, words, rng);
  Mistake made{file, std::string(file.at(span))};
  made.file.replace(span, chance(rng, 3) ? "elsewhere" : mistyped(made.put_right, rng));
  return made;
}

Mistake mistyped_item(Rng& rng) {
  FileText file = sized_file(rng);
  const TextSpan span =
      random_match(file, "\\{(split|merge|resize|bind|reorder|cache|inline|memory): ", rng);
  Mistake made{file, std::string(file.at(span))};
  made.file.replace(span, chance(rng, 3) ? "tile" : mistyped(made.put_right, rng));
  return made;
}

Mistake open_extent(Rng& rng) {
  switch (draw(rng, 0, 2)) {
    case 0:
      return instead(random_threads(rng), "(?:block|thread): \\[\\w: (\\d+)",
                     pick(rng, Words{"K", "K / 2", "K + 1"}), rng);
    case 1:
      return instead(random_threads(rng), "B: \\{shape: \\[(64)", pick(rng, Words{"K", "K * 2"}),
                     rng);
    default:
      return instead(random_threads(rng), "(?:shape: \\[|K, )(K|6|64)[,\\]]",
                     pick(rng, Words{"0", "281474976710657"}), rng);
  }
}

Mistake too_small(Rng& rng) {
  return instead(random_file(rng), "(?:multiple_of|align): (\\d+)",
                 pick(rng, Words{"0", "-1", "-4"}), rng);
}

Mistake negative(Rng& rng) {
  return instead(random_file(rng), "(?:min|max|sizes: \\{N): (\\d+)", pick(rng, Words{"-1", "-64"}),
                 rng);
}

// Values that contradict what is said of them.
Mistake contradiction(Rng& rng) {
  FileText file = sized_file(rng);
  switch (draw(rng, 0, 4)) {
    case 0:
      return instead(std::move(file), "sizes: \\{N: (8)", pick(rng, Words{"0", "20000"}), rng);
    case 1:
      return instead(std::move(file), "sizes: \\{N: 8, M: (8)", pick(rng, Words{"0", "7", "9"}),
                     rng);
    case 2:
      return instead(std::move(file), "(\\{min: \\d+, max: \\d+\\})",
                     "{min: " + number(rng, 50, 90) + ", max: " + number(rng, 0, 49) + "}", rng);
    case 3:
      return instead(std::move(file), "(\\{multiple_of: \\d\\})",
                     "{min: 10, max: 13, multiple_of: " + pick(rng, Words{"7", "9", "64"}) + "}",
                     rng);
    default:
      return instead(
          std::move(file), "facts: \\[(\"N <= M\")",
          pick(rng, Words{"\"N < 0\"", "\"M == -1\"", "\"N > 9001 && M > 0\"", "\"N + 1 == N\""}),
          rng);
  }
}

Mistake may_be_zero(Rng& rng) {
  FileText file = sized_file(rng);
  file.text.resize(std::min(file.text.size(), file.text.find("  x: [")));
  return instead(std::move(file), "(?:factor: |shape: \\[|I[01]: )([A-Z0-9]+)[,}\\]]",
                 pick(rng, Words{"N / (M - 1)", "1 + M / (N - 1)", "1 + N % (M - 4)", "N / (N - M)",
                                 "ceilDiv(N, M - 2)"}),
                 rng);
}

Mistake other_sections(Rng& rng) {
  FileText file = random_file(rng);
  switch (draw(rng, 0, 2)) {
    case 0: {
      const bool is_fusion = file.text.find("compute:") != std::string::npos;
      file.text +=
          is_fusion ? "tensors: {T9: {logical: {I0: 4}}}\n" : "compute: [\"z[i] = v[i]\"]\n";
      return {file, ""};
    }
    case 1: {
      const bool is_threads = file.text.find("body:") != std::string::npos;
      file.text += is_threads ? "tensors: {T9: {logical: {I0: 4}}}\n" : "body: [\"V[0] = 1\"]\n";
      return {file, ""};
    }
    default: {
      const TextSpan section = random_match(file, "\\n((?:compute|tensors|body):)", rng);
      Mistake made{file, file.text};
      made.file.remove_entry(section.begin);
      return made;
    }
  }
}

Mistake no_loop(Rng& rng) {
  switch (draw(rng, 0, 3)) {
    case 0: return instead(random_fusion(rng), "bind: \\{(io)", "i", rng);
    case 1: return instead(random_tensors(rng), "bind: \\{(I2)", "I0", rng);
    case 2:
      return instead(random_fusion(rng), "(\\{reorder: \\[io, ii, j\\]\\})",
                     "{split: {in: i, factor: 2, out: [a, b]}}", rng);
    default: {
      FileText file = random_tensors(rng);
      file.text.insert(file.text.find("memory: "), "read: {loop: [I2]}, ");
      return {file, ""};
    }
  }
}

Mistake allocation(Rng& rng) {
  FileText file = sized_file(rng);
  switch (draw(rng, 0, 4)) {
    case 0:
      return instead(std::move(file), "contiguity: (\\[.*?\\])",
                     pick(rng, Words{"[]", "[true, true, true]", "[false, true, false]"}), rng);
    case 1:
      return instead(std::move(file), "contiguity: (\\[.*?\\])",
                     "[true, true], strides: [N * M, 1]", rng);
    case 2:
      return instead(random_tensors(rng), "(contiguity: \\[.*?\\])",
                     "strides: " + pick(rng, Words{"[1]", "[]", "[M, 1, 1]"}), rng);
    case 3:
      return instead(random_tensors(rng), "(contiguity: \\[.*?\\])",
                     "contiguity: [true, true], strides: [M + " + number(rng, 1, 9) + ", 1]", rng);
    default:
      return instead(random_tensors(rng), "(contiguity: \\[.*?\\])",
                     "allocation: " + pick(rng, Words{"[I0]", "[I1]", "[]"}), rng);
  }
}

Mistake wrong_number(Rng& rng) {
  switch (draw(rng, 0, 3)) {
    case 0:
      return instead(sized_file(rng), "factor: \\d+, out: (\\[\\w+, \\w+\\])",
                     pick(rng, Words{"[a]", "[a, b, c]", "[]"}), rng);
    case 1:
      return instead(random_tensors(rng), "merge: \\{in: (\\[\\w+, \\w+\\])",
                     pick(rng, Words{"[I3]", "[I3, I1, I0]", "[]"}), rng);
    case 2:
      return instead(random_fusion(rng), "outputs: \\{y: \\{(dtype: \\w+)", "shape: [N, M, 3]",
                     rng);
    default:
      return instead(random_fusion(rng), "(outputs: \\{y: \\{)", "shapes: {t: [N]}\noutputs: {y: {",
                     rng);
  }
}

Mistake not_supported(Rng& rng) {
  switch (draw(rng, 0, 3)) {
    case 0:
      return instead(random_fusion(rng), "memory: shared(), at",
                     ", by: " + pick(rng, Words{"tma", "cp_async"}), rng);
    case 1:
      return instead(random_fusion(rng), "memory: shared(), at", ", stages: " + number(rng, 2, 5),
                     rng);
    case 2:
      return instead(random_fusion(rng), "(?:t|y)\\[i(?:, j)?\\] (=)",
                     pick(rng, Words{"+=", "-=", "*="}), rng);
    default:
      return instead(random_fusion(rng), "\\+ (w\\[j\\])",
                     pick(rng, Words{"check(w[j])", "uncheck(w[j])"}), rng);
  }
}

Mistake unread(Rng& rng) {
  FileText file = random_fusion(rng);
  file.text.insert(file.text.find("compute: [") + 10, "\"z[k] = w[k] * 2\", ");
  return {file, ""};
}

Mistake unused_size(Rng& rng) {
  FileText file = random_fusion(rng);
  const std::string name = pick(rng, Words{"Q", "NN", "Length"});
  const std::size_t sizes = file.text.find("sizes: {");
  const std::string given = name + ": " + number(rng, 1, 9);
  if (sizes == std::string::npos) {
    file.text += "sizes: {" + given + "}\n";
  } else {
    file.add_entry(sizes + 7, given);
  }
  return {file, ""};
}

}  // namespace

const MistakeMakers& value_mistakes() {
  static const MistakeMakers makers = {
      {"E301",
       {any_of(random_file, kSizes,
               {"4 +", "(8", "N M", "8)", "N $ 2", "\"\"", "N // 2", "8 // 4", "min(8)",
                "\"max(4, 5, 6)\"", "2 ^ 3", "1.5", "8!"}),
        any_of(sized_file, kSizes,
               {"\"select(N < 4, 3, 5)\"", "f(N)", "\"f(4, 5)\"", "\"a[3]\""})}},
      {"E302", {unknown_size, unknown_size}},
      {"E303",
       {any_of(random_file, kFacts, {"\"4\"", "\"3 + 4\"", "\"min(3, 4)\"", "\"7 * 2 - 1\""}),
        any_of(random_file, kSizes,
               {"4 < 5", "2 >= 1", "1 + (2 < 3)", "\"max(3 < 4, 2)\"", "3 == 4"}),
        any_of(random_threads, "A\\[0, (p), q\\]", {"few", "few + 1"})}},
      {"E304", {mistyped_word, mistyped_word, mistyped_item}},
      {"E305",
       {too_small, negative, open_extent,
        any_of(random_file, "align: (\\d+)", {"3", "12", "100", "24", "2097152", "9999999"})}},
      {"E308", {allocation}},
      {"E309", {wrong_number}},
      {"E310", {contradiction}},
      {"E311", {may_be_zero}},
      {"E312", {other_sections}},
      {"E313", {no_loop}},
      {"E390", {not_supported}},
      {"E392", {unread}},
      {"E393", {unused_size}},
  };
  return makers;
}

}  // namespace selvage::test
