// The documents name tests, files and things in them: each of these exists.
#include <tests/support/text_files.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>

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

// What lowering refuses stands beside the function that throws it: each code of its passes and of
// what settles a schedule, and the ranges "E450 to E453" for those between.
TEST(Docstrings, OfLoweringListEveryCode) {
  const std::string header = contents(kRepository / "csrc/lower/program.h");
  std::set<std::string> listed;
  for (const std::string& code : found(header, R"((E\d{3}))")) listed.insert(code);
  for (const std::string& range : found(header, R"((E\d{3} to E\d{3}))")) {
    for (int k = std::stoi(range.substr(1)); k <= std::stoi(range.substr(range.size() - 3)); ++k) {
      listed.insert("E" + std::to_string(k));
    }
  }
  int codes = 0;
  for (const char* folder : {"csrc/lower", "csrc/scheduler"}) {
    for (const auto& entry : fs::directory_iterator(kRepository / folder)) {
      const std::string name = entry.path().filename();
      // Proofs are asked for by compile(), kernels of empty sizes by run(); plans are chosen for
      // auto_schedule(), which says so.
      const std::set<std::string> elsewhere = {"proof.cpp", "specialised.cpp", "automatic.cpp"};
      if (!name.ends_with(".cpp") || elsewhere.contains(name)) continue;
      for (const std::string& code : found(contents(entry.path()), R"re("(E\d{3})")re")) {
        EXPECT_TRUE(listed.contains(code)) << code << " of " << name;
        ++codes;
      }
    }
  }
  EXPECT_GE(codes, 20);
}

// From the house's roof to its ground, every folder once, with headers that there are.
TEST(Architecture, HasTheLayersOfTheHouse) {
  const std::string page = contents(kRepository / "doc/architecture.md");
  std::vector<std::string> layers;
  for (const std::string& row : found(page, R"(\n\| (`[^|]*\|[^|]*\|[^|]*) \|)")) {
    const std::vector<std::string> cells = {row.substr(0, row.find('|')),
                                            row.substr(row.rfind('|'))};
    std::string layer;
    const auto folders = found(cells[0], "`([a-z]+)`"), headers = found(cells[1], R"(`(\w+\.h)`)");
    for (const std::string& folder : folders) layer += (layer.empty() ? "" : " | ") + folder;
    layers.insert(layers.begin(), layer);
    EXPECT_FALSE(headers.empty()) << row;
    for (const std::string& header : headers) {
      EXPECT_TRUE(std::ranges::any_of(folders, [&](const std::string& folder) {
        return fs::exists(kRepository / "csrc" / folder / header);
      })) << header;
    }
  }
  std::vector<std::string> house;
  for (const std::string& line : lines_of(contents(kRepository / "cmake/house.txt"))) {
    if (!line.empty() && line[0] != '#') house.push_back(line);
  }
  EXPECT_EQ(layers, house);
}

// The picture has the same layers, from the roof down, and says where the way of a file leads.
TEST(Architecture, ItsPictureHasTheLayersOfTheHouse) {
  const std::string picture = contents(kRepository / "doc/architecture.svg");
  std::vector<std::string> layers = found(picture, R"(font-weight="bold">([^<]*)</text>)");
  std::ranges::reverse(layers);
  std::vector<std::string> house;
  for (const std::string& line : lines_of(contents(kRepository / "cmake/house.txt"))) {
    if (!line.empty() && line[0] != '#') house.push_back(line);
  }
  EXPECT_EQ(layers, house);
  const std::string page = contents(kRepository / "doc/architecture.md");
  EXPECT_NE(page.find("(architecture.svg)"), std::string::npos);
  // Its steps are those that the page numbers.
  for (const std::string& step : found(picture, R"(fill="#8a3b12">(?:\d to )?(\d):)")) {
    EXPECT_NE(page.find("\n" + step + ". "), std::string::npos) << step;
  }
}

TEST(Architecture, NamesFilesThatExist) {
  std::string files;
  for (const auto& entry : fs::recursive_directory_iterator(kRepository / "csrc")) {
    files += entry.path().filename().string() + " ";
  }
  const std::string page = contents(kRepository / "doc/architecture.md");
  const auto named = found(page, R"(`(\w+\.cpp)`)");
  EXPECT_GE(named.size(), 10u);
  for (const std::string& file : named) {
    EXPECT_NE((" " + files).find(" " + file + " "), std::string::npos) << file;
  }
}

}  // namespace
}  // namespace selvage
