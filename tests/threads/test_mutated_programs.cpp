#include <selvage/report/json.h>
#include <tests/support/counts.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "checked.h"

namespace selvage {

namespace {

using namespace threads;

// Programs that use every construct.
const std::vector<std::string> kPrograms = {
    R"yaml(symbols: {limit: {min: 0, max: 128}}
arrays: {A: {shape: [6, 4], dtype: int32}, S: {shape: [4], dtype: float, memory: shared}}
parallel: [{p: 6}, {q: 4}]
body:
- let: {first: "q == 0"}
- do: ["A[p, q] = 1", "A[p, q] += 2"]
- inthreads: {when: "p <= 2 && first", do: ["A[p, q] = 3"]}
- inthreads: {when: p > 2, async: true, do: ["A[p, q] -= p"]}
- for: {index: i, in: 2, if: "p == 0", label: outer, do: ["A[p, q] += i", {break: outer}]}
- with: {indices: {m: 4, n: 8, n_p: 8}, where: {n_p: n}, do: [{for: {index: n_p, do: ["A[p, q] *= n"]}}]}
- sync: shared
)yaml",
    R"yaml(arrays: {A: {shape: [128], dtype: int32}, B: {shape: [128], dtype: int32}}
parallel: [{thread: [p: 128]}]
body:
- inthreads: {when: p < 64, async: true, do: ["A[p] = 1", sync: region, "B[p] = A[63 - p]"]}
- inthreads: {when: p >= 64, async: true, do: ["A[p] = 1", {inthreads: {when: p < 70, do: ["B[p] = 2"]}}]}
- sync: shared
- foreach: {index: i, in: 4, do: [{inthreads: {when: i * 32 + p < 100, async: true, do: ["A[p] += i"]}}]}
)yaml",
    R"yaml(arrays: {S: {shape: [4], dtype: int32, memory: shared}, B: {shape: [4, 128], dtype: int32}}
parallel: [{warpgroup: [p: 4]}]
body:
- S[p] = 1
- parallel: {levels: [{warp: [w: 4]}, {x: 4, y: 8}], do: ["B[p, w * 32 + x * 8 + y] = select(w == 0, S[3 - p], 0)"]}
- do: ["S[p] = 2", "S[p] += 1"]
- for: {index: i, in: 2, do: [{parallel: {levels: [{thread: [t: 128]}], do: [{for: {index: j, in: 2, do: [sync: warp, {continue: j}]}}]}}]}
)yaml"};

const std::vector<std::string> kNumbers = {"0",
                                           "-1",
                                           "1",
                                           "2",
                                           "31",
                                           "33",
                                           "64",
                                           "1025",
                                           "2147483648",
                                           "9223372036854775807",
                                           "9223372036854775808"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_digit(c) || c == '_' || (c | 32) >= 'a'; }

// Words, numbers, and single characters.
std::vector<std::string> tokens_of(const std::string& text) {
  std::vector<std::string> tokens;
  for (char c : text) {
    if (!tokens.empty() && is_word(c) && is_word(tokens.back().back())) {
      tokens.back() += c;
    } else {
      tokens.emplace_back(1, c);
    }
  }
  return tokens;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  return lines;
}

class Mutations {
 public:
  explicit Mutations(unsigned seed) : random_(seed) {}

  std::string next() {
    std::string text = kPrograms[below(kPrograms.size())];
    for (std::size_t k = 1 + below(3); k > 0; --k) {
      std::vector<std::string> parts = below(3) == 0 ? lines_of(text) : tokens_of(text);
      if (below(2) == 0) {
        renumber(parts);
      } else if (!parts.empty()) {
        move(parts);
      }
      text.clear();
      for (const std::string& part : parts) text += part;
    }
    return text;
  }

 private:
  std::size_t below(std::size_t n) { return random_() % std::max<std::size_t>(n, 1); }

  void renumber(std::vector<std::string>& parts) {
    std::vector<std::size_t> numbers;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (!parts[k].empty() && std::all_of(parts[k].begin(), parts[k].end(), is_digit)) {
        numbers.push_back(k);
      }
    }
    if (!numbers.empty()) parts[numbers[below(numbers.size())]] = kNumbers[below(kNumbers.size())];
  }
  void move(std::vector<std::string>& parts) {
    const auto at = parts.begin() + std::ptrdiff_t(below(parts.size()));
    const auto to = parts.begin() + std::ptrdiff_t(below(parts.size()));
    switch (below(3)) {
      case 0: parts.erase(at); break;
      case 1: parts.insert(to, std::string(*at)); break;
      default: std::iter_swap(at, to); break;
    }
  }

  std::mt19937 random_;
};

TEST(MutatedPrograms, ThoseThatTheyComeFromAreLegal) {
  for (const std::string& text : kPrograms) EXPECT_EQ(said(text), "accepted") << text;
}

// Whatever is made of them is accepted, or refused with a place and a help, in time.
TEST(MutatedPrograms, AreAcceptedOrRefusedWithAPlaceAndAHelp) {
  Mutations mutations(7);
  int outcomes[3] = {};
  for (int i = count(400, 10000); i > 0; --i) {
    const std::string text = mutations.next();
    SCOPED_TRACE(text);
    std::vector<Diagnostic> diagnostics;
    try {
      const Report report = report_on(text);
      diagnostics = report.diagnostics;
      ++outcomes[report.exit_status()];
      EXPECT_FALSE(to_json(report).empty());
      if (report.exit_status() == 0) {
        ASSERT_TRUE(report.threads->cuda.has_value());
        EXPECT_FALSE(report.threads->cuda->text.empty());
      }
    } catch (const BadFile& refusal) {
      diagnostics = refusal.diagnostics();
      ++outcomes[2];
    } catch (const std::exception& e) {
      ADD_FAILURE() << e.what();
    }
    for (const Diagnostic& d : diagnostics) {
      EXPECT_GE(d.place.line, 1) << to_text(d);
      EXPECT_GE(d.place.column, 1) << to_text(d);
      EXPECT_FALSE(d.help.empty()) << to_text(d);
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(outcomes[0], 0);
  EXPECT_GT(outcomes[1], 0);
  EXPECT_GT(outcomes[2], 0);
}

TEST(LargePrograms, AreRefusedOnce) {
  std::string text = "arrays: {A: {shape: [4], dtype: int32}}\nparallel: [{p: 4}]\nbody:\n";
  for (int k = 0; k < 2000; ++k) text += "- sync: shared\n";
  EXPECT_EQ(said(text), "accepted");
  text += "- A[p] = 1\n- A[p] = 2\n";
  EXPECT_EQ(said(text),
            "a.yaml:2004:3: error[E104]: more than 2000 items in the bodies of a program; help: "
            "write what repeats as a for, or make two programs of it");
}

TEST(LargePrograms, AreWorkedThrough) {
  std::string text = "arrays: {A: {shape: [1024], dtype: int32}}\nparallel: [{p: 1024}]\nbody:\n";
  for (int k = 0; k < 200; ++k) {
    text += "- inthreads: {when: p % " + std::to_string(k + 2) +
            " == 0, async: true, do: [\"A[p] = 1\"]}\n";
  }
  EXPECT_EQ(said(text), "accepted");
}

}  // namespace

}  // namespace selvage
