#include <tests/support/matches.h>
#include <tests/support/text_files.h>

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace selvage {

namespace {

// Codes as string literals, and one file that has each.
std::map<std::string, std::string> codes_of_sources() {
  std::map<std::string, std::string> codes;
  for (const char* folder : {"csrc", "tools"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(kRepository / folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".cpp" && extension != ".h" && extension != ".def") continue;
      const std::string text = contents(entry.path());
      for (const auto& match : test::matches(text, "\"(E[0-9]{3})\"")) {
        codes.emplace(match[1], entry.path().lexically_relative(kRepository).string());
      }
    }
  }
  return codes;
}

// A row of a table: | E101 | meaning | example | how to mend it |
struct Row {
  std::string section;  // the digit in its heading, "## E1: the file"
  std::string code;
  std::vector<std::string> cells;
};

std::vector<Row> rows_of_page() {
  std::vector<Row> rows;
  std::istringstream page(contents(kRepository / "doc/diagnostics.md"));
  std::string section;
  for (std::string line; std::getline(page, line);) {
    const auto heading = test::matches(line, "^## E([0-9]): ");
    if (!heading.empty()) section = heading[0][1];
    const auto row = test::matches(line, R"(^\| (E[0-9]{3}) \| (.*) \|$)");
    if (row.empty()) continue;
    rows.push_back({section, row[0][1], {}});
    const std::string rest = row[0][2] + " | ";
    for (std::size_t at = 0, to; (to = rest.find(" | ", at)) != rest.npos; at = to + 3) {
      rows.back().cells.push_back(rest.substr(at, to - at));
    }
  }
  return rows;
}

TEST(DiagnosticsPage, EveryCodeOfTheSourcesStandsOnThePage) {
  std::map<std::string, int> documented;
  for (const Row& row : rows_of_page()) ++documented[row.code];
  const auto codes = codes_of_sources();
  EXPECT_GT(codes.size(), 50u);
  for (const auto& [code, file] : codes) {
    EXPECT_EQ(documented[code], 1) << code << " of " << file << " stands in doc/diagnostics.md "
                                   << documented[code] << " times";
  }
}

TEST(DiagnosticsPage, EveryCodeOnThePageIsOneOfTheSources) {
  const auto codes = codes_of_sources();
  for (const Row& row : rows_of_page()) {
    EXPECT_TRUE(codes.contains(row.code)) << "no source says " << row.code;
  }
}

TEST(DiagnosticsPage, EveryRowHasAMeaningAnExampleAndAMend) {
  std::string last;
  for (const Row& row : rows_of_page()) {
    EXPECT_EQ(row.cells.size(), 3u) << row.code;
    for (const std::string& cell : row.cells) EXPECT_FALSE(cell.empty()) << row.code;
    EXPECT_LT(last, row.code) << "codes stand in order";
    EXPECT_EQ(row.code.substr(1, 1), row.section) << row.code << " stands in another section";
    last = row.code;
  }
}

}  // namespace

}  // namespace selvage
