// What a help says of a command line, done to it, ends in a command that is accepted.
#include <gtest/gtest.h>
#include <selvage/runtime/driver.h>
#include <selvage/runtime/nvrtc.h>

#include <algorithm>
#include <cstdio>
#include <random>

#include "tests/support/counts.h"
#include "tests/tools/random_commands.h"

namespace selvage {
namespace {

using test::Command;
using test::Refusal;

constexpr int kMostSteps = 6;  // one refusal may stand behind another

using Messages = std::set<std::string>;

std::string text_of(const Refusal& r) {
  return r.place + ": " + r.code + ": " + r.message + "; help: " + r.help + "\n";
}

// The first that was not there before.
std::optional<Refusal> first_of(const std::vector<Refusal>& all, const Messages& others) {
  for (const Refusal& r : all) {
    if (!others.contains(r.code + r.message)) return r;
  }
  return std::nullopt;
}

// Does every way that the help names end in a command that is accepted, the helps of what stands
// behind the refusal being followed in turn? `others`: what was refused besides. `trail`: what was
// done.
bool is_mended(const Command& command, const Refusal& refusal, const Messages& others,
               Messages seen, std::string& trail, int steps = kMostSteps) {
  seen.insert(refusal.code + refusal.message);
  const std::vector<Command> ways = test::mended(command, refusal);
  if (ways.empty()) trail += "no change is named: " + text_of(refusal);
  if (ways.empty() || steps == 0) return false;
  for (const Command& way : ways) {
    const auto again = first_of(test::said_of(way), others);
    if (!again) continue;
    if (seen.contains(again->code + again->message) ||
        !is_mended(way, *again, others, seen, trail, steps - 1)) {
      trail += "done: " + text_of(refusal) + way.shown() + "and then: " + text_of(*again);
      return false;
    }
  }
  return true;
}

// Empty: this machine can refuse it.
std::string why_not(const std::string& code) {
  if (code == "E704" && Nvrtc::instance() == nullptr) return Nvrtc::why_absent();
  if (code == "E623" && Driver::instance() != nullptr) return "there is a GPU";
  return "";
}

class CommandHelps : public testing::TestWithParam<std::string> {};

TEST_P(CommandHelps, DoneToTheCommandMendIt) {
  const std::string code = GetParam();
  if (const std::string why = why_not(code); !why.empty()) GTEST_SKIP() << "[SKIP " << why << "]";
  const int wanted = count(6, 300);
  std::mt19937_64 rng(std::uint64_t(std::stoi(code.substr(1))));
  int refused = 0, mended = 0;
  std::string first;
  for (int draws = 0; refused < wanted && draws < 10 * wanted; ++draws) {
    const Command command = test::random_command_refused_with(code, rng);
    const std::vector<Refusal> all = test::said_of(command);
    const auto own =
        std::find_if(all.begin(), all.end(), [&](const Refusal& r) { return r.code == code; });
    if (own == all.end()) continue;
    ++refused;
    Messages others;
    for (const Refusal& r : all) {
      if (r.code != code) others.insert(r.code + r.message);
    }
    std::string trail;
    if (is_mended(command, *own, others, {}, trail)) {
      ++mended;
    } else if (first.empty()) {
      first = command.shown() + trail;
    }
  }
  std::printf("%s: of %d refusals %d are mended by their help\n", code.c_str(), refused, mended);
  EXPECT_EQ(refused, wanted) << "too few commands are refused";
  EXPECT_EQ(mended, refused) << first;
}

INSTANTIATE_TEST_SUITE_P(Codes, CommandHelps, testing::ValuesIn(test::refused_command_codes()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace selvage
