// What a help says about a file's form, names and values, done to its text, mends it.
#include <gtest/gtest.h>

#include <selvage/report/report.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <random>
#include <set>

#include "tests/frontend/schedule_files.h"
#include "tests/oracle/draws.h"
#include "tests/report/text_changes.h"
#include "tests/support/counts.h"

namespace selvage {
namespace {

using test::Mistake;
using test::MistakeMaker;

constexpr int kMostTextSteps = 8;  // one refusal may stand behind another of its code

std::vector<Diagnostic> said_of(const std::string& text) {
  try {
    return inspect(schedule_files::read(text)).diagnostics;
  } catch (const BadFile& bad) {
    return bad.diagnostics();
  } catch (const Error& error) {
    return {error.diagnostic()};
  }
}

// Of that code; or that the text is no YAML, which a change must not lead to either.
std::optional<Diagnostic> refusal_of(const std::string& text, const std::string& code) {
  const std::vector<Diagnostic> all = said_of(text);
  const auto at = std::find_if(all.begin(), all.end(), [&](const Diagnostic& d) {
    return d.code == code || d.code == "E102";
  });
  return at == all.end() ? std::nullopt : std::optional(*at);
}

// Does every way that the help names lead to a file without that refusal?
bool is_mended(const Mistake& mistake, const Diagnostic& refusal, std::set<std::string> seen,
               std::string& trail, int steps = kMostTextSteps) {
  seen.insert(to_text(refusal));
  const std::vector<Mistake> ways = test::changed_as_told(mistake, refusal);
  if (ways.empty()) trail += "\nno change is named: " + to_text(refusal);
  if (ways.empty() || steps == 0) return false;
  for (const Mistake& way : ways) {
    const auto again = refusal_of(way.file.text, refusal.code);
    if (!again) continue;
    if (again->code != refusal.code || seen.contains(to_text(*again)) ||
        !is_mended(way, *again, seen, trail, steps - 1)) {
      trail += "\n" + to_text(refusal) + "\n" + way.file.text + to_text(*again);
      return false;
    }
  }
  return true;
}

std::map<std::string, std::vector<MistakeMaker>> all_mistakes() {
  std::map<std::string, std::vector<MistakeMaker>> all;
  for (const test::MistakeMakers* makers :
       {&test::form_mistakes(), &test::name_mistakes(), &test::value_mistakes(),
        &test::loop_mistakes(), &test::statement_mistakes(), &test::thread_mistakes()}) {
    for (const auto& [code, list] : *makers) {
      all[code].insert(all[code].end(), list.begin(), list.end());
    }
  }
  return all;
}

std::vector<std::string> codes() {
  std::vector<std::string> list;
  for (const auto& [code, makers] : all_mistakes()) list.push_back(code);
  return list;
}

class TextHelps : public testing::TestWithParam<std::string> {};

TEST_P(TextHelps, DoneToTheTextMendIt) {
  const std::string code = GetParam();
  const std::vector<MistakeMaker> makers = all_mistakes()[code];
  const int wanted = count(6, 300);
  std::mt19937_64 rng(std::uint64_t(std::stoi(code.substr(1))));
  int refused = 0, mended = 0;
  std::map<std::string, std::string> unmended;  // one of each help
  for (int draws = 0; refused < wanted && draws < 40 * wanted; ++draws) {
    const Mistake mistake = makers[std::size_t(draws) % makers.size()](rng);
    const auto refusal = refusal_of(mistake.file.text, code);
    if (!refusal || refusal->code != code) continue;
    ++refused;
    std::string trail;
    if (is_mended(mistake, *refusal, {}, trail)) {
      ++mended;
    } else {
      unmended.emplace(refusal->help, mistake.file.text + trail);
    }
  }
  std::printf("%s: of %d refusals %d are mended by their help\n", code.c_str(), refused, mended);
  EXPECT_EQ(refused, wanted) << "too few files are refused";
  for (const auto& [help, trail] : unmended) ADD_FAILURE() << trail;
}

INSTANTIATE_TEST_SUITE_P(Codes, TextHelps, testing::ValuesIn(codes()),
                         [](const auto& info) { return info.param; });

// A way to make a mistake that hardly ever makes it would test nothing.
TEST(TextMistakes, LeadToTheirCode) {
  std::mt19937_64 rng(1);
  for (const auto& [code, makers] : all_mistakes()) {
    for (std::size_t k = 0; k < makers.size(); ++k) {
      int refused = 0;
      std::string last;
      for (int draw = 0; draw < 12; ++draw) {
        const Mistake mistake = makers[k](rng);
        const auto refusal = refusal_of(mistake.file.text, code);
        refused += refusal && refusal->code == code;
        if (!refusal || refusal->code != code) {
          last = mistake.file.text + to_text(said_of(mistake.file.text));
        }
      }
      EXPECT_GE(refused, 2) << code << ", way " << k << ":\n" << last;
    }
  }
}

}  // namespace
}  // namespace selvage
