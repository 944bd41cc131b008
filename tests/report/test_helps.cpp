// What a help says, done to the file, never leads to the same refusal again.
#include <gtest/gtest.h>

#include <selvage/report/report.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <random>
#include <set>

#include "tests/frontend/schedule_files.h"
#include "tests/report/random_refusals.h"
#include "tests/support/counts.h"

namespace selvage {
namespace {

using test::RefusedFile;

constexpr int kMostSteps = 8;  // one refusal may stand behind another of its code

// All that is said of the file: by who reads it, or else by who looks into it.
std::vector<Diagnostic> said_of(const RefusedFile& file) {
  try {
    return inspect(schedule_files::read(file.text())).diagnostics;
  } catch (const BadFile& bad) {
    return bad.diagnostics();
  }
}

// Of that code; or that no file looks like that, which a change must not lead to either.
std::optional<Diagnostic> refusal_of(const RefusedFile& file, const std::string& code) {
  const std::vector<Diagnostic> all = said_of(file);
  const auto at = std::find_if(all.begin(), all.end(), [&](const Diagnostic& d) {
    return d.code == code || d.code.starts_with("E1") || d.code.starts_with("E2");
  });
  return at == all.end() ? std::nullopt : std::optional(*at);
}

// Does every way that the help names lead to a file without that refusal? Another of the same code
// may stand behind it, about something else, and is mended in turn. `trail`: what was done.
bool is_mended(const RefusedFile& file, const Diagnostic& refusal, std::set<std::string> seen,
               std::string& trail, int steps = kMostSteps) {
  seen.insert(refusal.message);
  const std::vector<RefusedFile> ways = test::mended(file, refusal.message, refusal.help);
  if (ways.empty()) trail += "\nno change is named: " + to_text(refusal);
  if (ways.empty() || steps == 0) return false;
  for (const RefusedFile& way : ways) {
    const auto again = refusal_of(way, refusal.code);
    if (!again) continue;
    if (again->code != refusal.code || seen.contains(again->message) ||
        !is_mended(way, *again, seen, trail, steps - 1)) {
      trail += "\n" + to_text(refusal) + "\n" + way.text() + to_text(*again);
      return false;
    }
  }
  return true;
}

class Helps : public testing::TestWithParam<std::string> {};

TEST_P(Helps, DoneToTheFileMendIt) {
  const std::string code = GetParam();
  const int wanted = count(6, 300);
  std::mt19937_64 rng(std::uint64_t(std::stoi(code.substr(1))));
  int refused = 0, mended = 0;
  std::string first;
  for (int draws = 0; refused < wanted && draws < 40 * wanted; ++draws) {
    const RefusedFile file = test::random_file_refused_with(code, rng);
    const auto refusal = refusal_of(file, code);
    if (!refusal || refusal->code != code) continue;
    ++refused;
    std::string trail;
    if (is_mended(file, *refusal, {}, trail)) {
      ++mended;
    } else if (first.empty()) {
      first = file.text() + trail;
    }
  }
  std::printf("%s: of %d refusals %d are mended by their help\n", code.c_str(), refused, mended);
  EXPECT_EQ(refused, wanted) << "too few files are refused";
  EXPECT_EQ(mended, refused) << first;
}

INSTANTIATE_TEST_SUITE_P(Codes, Helps, testing::ValuesIn(test::refused_codes()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace selvage
