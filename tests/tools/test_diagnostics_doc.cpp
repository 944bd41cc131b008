#include <tests/support/text_files.h>

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace selvage {

namespace {

// Codes as string literals, and one file that has each.
std::map<std::string, std::string> codes_of_sources() {
  std::map<std::string, std::string> codes;
  const std::regex code("\"(E[0-9]{3})\"");
  for (const char* folder : {"csrc", "tools"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(kRepository / folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".cpp" && extension != ".h" && extension != ".def") continue;
      const std::string text = contents(entry.path());
      for (std::sregex_iterator m(text.begin(), text.end(), code), end; m != end; ++m) {
        codes.emplace((*m)[1], entry.path().lexically_relative(kRepository).string());
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
  const std::regex heading("## E([0-9]): .*"), row(R"(\| (E[0-9]{3}) \| (.*) \|)");
  std::string section;
  std::smatch m;
  for (std::string line; std::getline(page, line);) {
    if (std::regex_match(line, m, heading)) section = m[1];
    if (!std::regex_match(line, m, row)) continue;
    rows.push_back({section, m[1], {}});
    const std::string rest = m[2].str() + " | ";
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
