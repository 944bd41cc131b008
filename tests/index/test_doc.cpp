// The documents name tests, files and things in them: each of these exists.
#include <tests/support/text_files.h>

#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

namespace selvage {
namespace {

namespace fs = std::filesystem;

// Every match of the pattern's first group.
std::vector<std::string> found(const std::string& text, const char* pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> list;
  for (std::sregex_iterator it(text.begin(), text.end(), regex), end; it != end; ++it) {
    list.push_back((*it)[1]);
  }
  return list;
}

TEST(Theory, NamesTestsThatExist) {
  std::string tests;
  for (const auto& entry : fs::recursive_directory_iterator(kRepository / "tests")) {
    if (entry.path().extension() == ".cpp") tests += contents(entry.path());
  }
  const auto suites = found(contents(kRepository / "doc/theory.md"), R"(`(?:Rows/)?(\w+)\.\*`)");
  EXPECT_GE(suites.size(), 15u);
  for (const std::string& suite : suites) {
    EXPECT_TRUE(tests.find("TEST(" + suite + ",") != std::string::npos ||
                tests.find("TEST_F(" + suite + ",") != std::string::npos ||
                tests.find("TEST_P(" + suite + ",") != std::string::npos)
        << suite;
  }
}

TEST(Theory, NamesFilesThatExist) {
  for (const std::string& file :
       found(contents(kRepository / "doc/theory.md"), R"((?:csrc/index/)?\b(\w+\.cpp)\b)")) {
    EXPECT_TRUE(fs::exists(kRepository / "csrc/index" / file)) << file;
  }
}

// An entry ends with where its word lives: (`Name`, `folder/file.h`).
TEST(Vocabulary, NamesThingsWhereTheyAre) {
  std::string document = contents(kRepository / "doc/vocabulary.md");
  int entries = 0;
  for (std::size_t at = document.find("\n- **"); at != std::string::npos;) {
    const std::size_t next = document.find("\n- **", at + 1);
    const std::string entry = document.substr(at, next - at);
    at = next;
    ++entries;
    const std::string where = entry.substr(std::min(entry.rfind('('), entry.size()));
    std::string text;
    const auto files = found(where, R"(`(\w+/\w+\.(?:h|cpp))`)");
    for (const std::string& file : files) text += contents(kRepository / "csrc" / file);
    for (const std::string& name : found(where, R"(`(?:\w+::)?([A-Za-z_]\w+)`)")) {
      EXPECT_NE(text.find(name), std::string::npos) << name << " in" << entry;
    }
  }
  EXPECT_GE(entries, 40);
}

}  // namespace
}  // namespace selvage
