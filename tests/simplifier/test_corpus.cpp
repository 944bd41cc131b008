// The simplifier on a corpus of thousands of expressions as schedules make them.
#include <selvage/frontend/expression_lines.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <sstream>

#include "tests/corpus/check.h"
#include "tests/corpus/generate.h"
#include "tests/corpus/shrink.h"
#include "tests/support/counts.h"

namespace selvage::corpus {
namespace {

constexpr std::size_t kPoints = 400;
constexpr std::size_t kFewest = 3000;  // lines of which means are taken

const std::vector<Line>& lines() {
  static const std::vector<Line> all = generate(count(480, 6000));
  return all;
}

const std::vector<Checked>& results() {
  static const std::vector<Checked> all = [] {
    std::vector<Checked> checked;
    for (const Line& line : lines()) checked.push_back(check(line, kPoints));
    return checked;
  }();
  return all;
}

// Says how many lines there are of which `told` has something to tell, shows the shortest, and a
// still shorter one in which the same is wrong.
std::string faults(const std::function<std::string(const Checked&)>& told) {
  constexpr std::size_t kShown = 3;
  const auto fails = [&](const Line& line) {
    const Checked checked = check(line, kPoints);
    return checked.points > 0 && !told(checked).empty();
  };
  std::vector<std::size_t> found;
  for (std::size_t k = 0; k < lines().size(); ++k) {
    if (!told(results()[k]).empty()) found.push_back(k);
  }
  if (found.empty()) return "";
  const auto length = [](std::size_t k) {
    return lines()[k].expression.size() + lines()[k].guard.size();
  };
  std::sort(found.begin(), found.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(length(a), a) < std::pair(length(b), b);
  });
  std::string text = std::to_string(found.size()) + " of " + std::to_string(lines().size());
  const auto show = [&](const Line& line, const Checked& result) {
    text += "\n" + to_text(line) + "\n  gives " + result.simplified + "\n  " + told(result);
  };
  for (std::size_t k = 0; k < std::min(kShown, found.size()); ++k) {
    show(lines()[found[k]], results()[found[k]]);
  }
  const Line small = shrink(lines()[found[0]], fails);
  show(small, check(small, kPoints));
  return text;
}

TEST(Corpus, IsTheSameEverywhere) {
  std::uint64_t digest = 0xCBF29CE484222325;  // FNV-1a
  for (const Line& line : generate(60)) {
    for (const char c : to_text(line)) digest = (digest ^ std::uint8_t(c)) * 0x100000001B3;
  }
  EXPECT_EQ(digest, 10621981738940835722u);
}

TEST(Corpus, HasThousandsOfLinesOfEveryKind) {
  const std::vector<Line> sample = generate(480);
  std::map<std::string, int> kinds;
  for (const Line& line : sample) ++kinds[line.kind];
  EXPECT_GE(sample.size(), kFewest);
  for (const char* kind : {"Ic", "Is", "Pc", "Ps", "Rc", "Rs", "Fc", "Fs"}) {
    EXPECT_GE(kinds[kind], 100) << kind;
  }
}

TEST(Corpus, EveryLineKeepsItsValue) {
  std::size_t looked_at = 0;  // lines that are looked at at some points at least
  for (const Checked& c : results()) looked_at += c.points >= 20 ? 1 : 0;
  EXPECT_GE(looked_at * 100, lines().size() * 90);
  const std::string found = faults([](const Checked& c) { return c.wrong_value; });
  EXPECT_TRUE(found.empty()) << found;
}

TEST(Corpus, SimplifyingAgainChangesNothing) {
  const std::string found = faults([](const Checked& c) { return c.not_idempotent; });
  EXPECT_TRUE(found.empty()) << found;
}

TEST(Corpus, NoLineGetsDearer) {
  const std::string found = faults([](const Checked& c) { return c.dearer(); });
  EXPECT_TRUE(found.empty()) << found;
}

// Means over the lines of one kind.
struct Means {
  int lines = 0;
  double cost_before = 0, cost = 0, divisions = 0, clauses = 0, bare = 0, ran_out = 0;
};
Means means(const std::string& kind) {
  Means m;
  for (std::size_t k = 0; k < lines().size(); ++k) {
    if (lines()[k].kind != kind) continue;
    const Checked& c = results()[k];
    ++m.lines;
    m.cost_before += double(c.before.total);
    m.cost += double(c.after.total);
    m.divisions += double(c.after.divisions);
    m.clauses += double(c.clauses_after);
    m.bare += c.after.total == 0 ? 1 : 0;
    m.ran_out += c.ran_out ? 1 : 0;
  }
  for (double* sum : {&m.cost_before, &m.cost, &m.divisions, &m.clauses, &m.bare, &m.ran_out})
    *sum /= m.lines;
  return m;
}

// What is reached, with a little room; what makes it worse is looked at.
TEST(Corpus, CostsNoMoreThanItDid) {
  struct Bound {
    const char* kind;
    double cost, clauses;
  };
  constexpr Bound kBounds[] = {{"Ic", 15.8, 1}, {"Is", 23.5, 1},    {"Fc", 23.4, 1},
                               {"Fs", 40, 1},   {"Pc", 13.8, 1.67}, {"Ps", 28.9, 2}};
  if (lines().size() < kFewest) GTEST_SKIP() << "[SKIP] the mean of few lines says little";
  for (const Bound& bound : kBounds) {
    const Means m = means(bound.kind);
    std::printf(
        "[FIGURE] corpus %s: mean cost %.2f of %.2f, %.2f divisions, %.2f clauses; %d lines, %.2f "
        "%% "
        "ran out of work\n",
        bound.kind, m.cost, m.cost_before, m.divisions, m.clauses, m.lines, 100 * m.ran_out);
    EXPECT_LE(m.cost, bound.cost) << bound.kind;
    EXPECT_LE(m.clauses, bound.clauses) << bound.kind;
  }
}

// Ten times as large: no value changes and nothing gets dearer, whatever runs out.
TEST(Corpus, TenfoldChainsKeepTheirValuesAndGetNoDearer) {
  struct Sum {
    int lines = 0, ran_out = 0;
    double before = 0, after = 0, after_that_ran_out = 0;
  };
  std::map<std::string, Sum> kinds;
  for (const Line& line : generate(count(12, 300), 5, kTenfold)) {
    const Checked c = check(line, 40);
    EXPECT_EQ(c.wrong_value, "") << to_text(line) << "\n" << c.simplified;
    EXPECT_EQ(c.dearer(), "") << to_text(line) << "\n" << c.simplified;
    Sum& sum = kinds[line.kind];
    ++sum.lines;
    sum.before += double(c.before.total);
    sum.after += double(c.after.total);
    if (!c.ran_out) continue;
    ++sum.ran_out;
    sum.after_that_ran_out += double(c.after.total);
  }
  for (const auto& [kind, sum] : kinds) {
    std::printf(
        "[FIGURE] tenfold corpus %s: mean cost %.0f of %.0f; %d of %d lines ran out, %.0f\n",
        kind.c_str(), sum.after / sum.lines, sum.before / sum.lines, sum.ran_out, sum.lines,
        sum.ran_out == 0 ? 0 : sum.after_that_ran_out / sum.ran_out);
  }
}

TEST(Corpus, RoundTripsUnderTheirGuardAreTheLoopVariable) {
  if (lines().size() < kFewest) GTEST_SKIP() << "[SKIP] the mean of few lines says little";
  const double known = means("Rc").bare, symbolic = means("Rs").bare;
  std::printf(
      "[FIGURE] corpus round trips that give the loop variable: %.2f %%, symbolic %.2f %%\n",
      100 * known, 100 * symbolic);
  EXPECT_GE(known, 0.991);
  EXPECT_GE(symbolic, 0.975);
}

TEST(Corpus, IsReadAsItIsWritten) {
  for (std::size_t k = 0; k < lines().size(); k += 50) {
    std::istringstream in(to_text(lines()[k]) + "\n");
    std::ostringstream out;
    EXPECT_TRUE(simplify_lines(in, out));
    const std::string text = out.str();
    EXPECT_EQ(text.substr(text.rfind('\t') + 1), results()[k].simplified + "\n");
    EXPECT_EQ(to_text(parse_line(to_text(lines()[k]))), to_text(lines()[k]));
  }
}

}  // namespace
}  // namespace selvage::corpus
