#include "tests/report/random_mistakes.h"

#include "tests/oracle/draws.h"

namespace selvage::test {

namespace {

using oracle::chance;
using oracle::draw;
using oracle::number;
using oracle::pick;
using Rng = std::mt19937_64;
using Words = std::vector<std::string>;

// The symbols N and M, and what is known of them.
std::string symbols(Rng& rng) {
  std::string text = "symbols: {N: {min: " + number(rng, 1, 4) + ", max: " + number(rng, 64, 9000) +
                     "}, M: {multiple_of: " + pick(rng, Words{"1", "2", "4"}) + "}}\n";
  if (chance(rng, 2)) text += "facts: [\"N <= M\", \"M < 10000\"]\n";
  if (chance(rng, 2)) text += "sizes: {N: 8, M: 8}\n";
  return text;
}

}  // namespace

FileText random_fusion(Rng& rng) {
  const std::string type = pick(rng, Words{"float", "half", "double"});
  std::string text = symbols(rng);
  text += "inputs: {x: {shape: [N, M], dtype: " + type +
          ", align: 16}, w: {shape: [M], dtype: " + type + ", contiguity: [true]}}\n";
  text += "outputs: {y: {dtype: " + type + "}}\n";
  const bool folds = chance(rng, 2);
  text += "compute: [\"t[i, j] = relu(x[i, j] + w[j])\", ";
  text += folds ? "\"y[i] = sum(t[i, j])\"]\n" : "\"y[i, j] = t[i, j] * 2\"]\n";
  text += "schedule:\n";
  if (chance(rng, 3)) text += "  x: [{cache: {as: x_s, memory: shared, at: io}}]\n";
  text += "  y: [{split: {in: i, factor: " + number(rng, 2, 64) +
          ", out: [io, ii], inner: true}}, {reorder: [io, ii, j]}, {bind: {io: BIDx, ii: TIDx}}]\n";
  if (chance(rng, 3)) text += "  t: [{inline: {into: y, at: ii}}, {memory: local}]\n";
  if (chance(rng, 2)) text += "expect: {legal: true}\n";
  return {text};
}

FileText random_tensors(Rng& rng) {
  std::string text = symbols(rng);
  text +=
      "tensors:\n  T0: {dtype: " + pick(rng, Words{"float", "half", "int8"}) +
      ", logical: {I0: N, I1: M}, align: " + pick(rng, Words{"16", "32", "128"}) +
      ", contiguity: [true, true], transforms: [{split: {in: I0, factor: " + number(rng, 2, 64) +
      ", out: [I2, I3], inner: true}}, ";
  text += chance(rng, 2) ? "{merge: {in: [I3, I1], out: I4}}"
                         : "{resize: {in: I1, left: 0, right: " + number(rng, 1, 9) + ", out: I4}}";
  const bool is_merged = text.find("merge") != std::string::npos;
  text += std::string("], loop: [I2, ") + (is_merged ? "" : "I3, ") +
          "I4], bind: {I2: BIDx, I4: TIDx}, memory: " + pick(rng, Words{"global", "shared"}) +
          "}\n";
  if (chance(rng, 2)) text += "expect: {legal: true}\n";
  return {text};
}

FileText random_threads(Rng& rng) {
  std::string text = "symbols: {K: {min: 2, max: " + number(rng, 64, 9000) + "}}\n";
  if (chance(rng, 2)) text += "facts: [\"K >= 3\"]\n";
  text +=
      "arrays: {A: {shape: [K, 6, 64], dtype: int32, memory: global}, B: {shape: [64], dtype: "
      "float, memory: shared}}\n";
  text += "parallel: [{block: [p: 6]}, {thread: [q: " + pick(rng, Words{"32", "64"}) + "]}]\n";
  text +=
      "body: [{let: {few: \"q < 7\"}}, \"B[q] = q * 2\", {inthreads: {when: few, async: false, "
      "do: [\"A[0, p, q] = 1\"]}}, {for: {index: i, in: K, label: outer, do: [\"A[i, p, q] += "
      "p\"]}}]\n";
  return {text};
}

FileText random_file(Rng& rng) {
  switch (draw(rng, 0, 2)) {
    case 0: return random_fusion(rng);
    case 1: return random_tensors(rng);
    default: return random_threads(rng);
  }
}

TextSpan random_match(const FileText& file, const std::string& words, Rng& rng) {
  const std::regex expression(words);
  std::vector<TextSpan> all;
  for (std::sregex_iterator m(file.text.begin(), file.text.end(), expression), end; m != end; ++m) {
    const std::size_t begin = std::size_t(m->position(1));
    all.push_back({begin, begin + std::size_t(m->length(1))});
  }
  return all.empty() ? TextSpan{} : pick(rng, all);
}

Mistake instead(FileText file, const std::string& words, const std::string& by, Rng& rng) {
  const TextSpan span = random_match(file, words, rng);
  if (span.end == 0) return {std::move(file), ""};
  std::string before(file.at(span));
  file.replace(span, by);
  return {std::move(file), std::move(before)};
}

MistakeMaker any_of(FileText (*file)(Rng&), const char* words, Words by) {
  return [=](Rng& rng) { return instead(file(rng), words, pick(rng, by), rng); };
}

std::string mistyped(const std::string& word, Rng& rng) {
  std::string other = word;
  const std::size_t at = std::size_t(draw(rng, 0, std::int64_t(word.size()) - 1));
  switch (word.size() < 3 ? 1 : draw(rng, 0, 2)) {
    case 0: other.erase(at, 1); break;
    case 1: other.insert(at, 1, word[at]); break;
    default: other[at] = word[at] == 'q' ? 'k' : 'q';
  }
  return other == word ? word + "q" : other;
}

}  // namespace selvage::test
