#include <selvage/report/rules_page.h>
#include <tests/support/text_files.h>

#include <gtest/gtest.h>

namespace selvage {
namespace {

TEST(RulesPage, TheDocumentIsWhatTheTableGenerates) {
  EXPECT_EQ(contents(kRepository / "doc/rules.md"), rules_page())
      << "doc/rules.md is out of date: build/release/bin/schedule_inspect --rules > doc/rules.md";
}

TEST(RulesPage, EveryRuleHasALineWithItsNameAndSource) {
  const std::string page = rules_page();
  for (const Rule& rule : all_rules()) {
    const std::size_t at = page.find("\n" + std::string(rule.name) + " ");
    ASSERT_NE(at, std::string::npos) << rule.name;
    const std::string line = page.substr(at + 1, page.find('\n', at + 1) - at - 1);
    EXPECT_TRUE(line.ends_with(rule.source)) << line;
  }
}

}  // namespace
}  // namespace selvage
