// What the pages show is what happens: their files are written, their commands are run in order.
//   yaml     a schedule file; its first line, `# file: NAME`, says its name. A command further down
//            reads it; where none does, schedule_inspect must take it as it is
//   console  commands behind `$ `, and what they print; `...` stands for lines left out
//   sh       commands that must succeed
//   text, cuda   lines of what the last command has printed
//   json     what the last command has printed has at least this; `"..."` stands for more items
//   cpp      a program of examples/tutorial, compiled into this test; consoles call it ./NAME
//   cmake    tests/consumer/CMakeLists.txt, which is built against an installed copy
// There is no other kind of block, and none is passed over.
#include <selvage/confirm/solver.h>
#include <selvage/selvage.h>
#include <selvage/threads.h>
#include <tests/support/counts.h>
#include <tests/support/json_value.h>
#include <tests/support/page_blocks.h>
#include <tests/support/temporary_folder.h>
#include <tests/support/this_build.h>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

// The programs of the pages; all headers that they include stand above.
namespace tutorial {
namespace bias_relu {
#include <examples/tutorial/bias_relu.cpp>
}
namespace calls {
#include <examples/tutorial/calls.cpp>
}
namespace first {
#include <examples/tutorial/first.cpp>
}
namespace threads {
#include <examples/tutorial/threads.cpp>
}
}  // namespace tutorial

namespace selvage {

namespace {

using test::PageBlock;
using test::TextLines;
using Json = test::JsonValue;

struct PageOutcome {
  std::string text;
  int status = 0;
};

const std::map<std::string, int (*)()> kPrograms = {
    {"bias_relu", tutorial::bias_relu::main},
    {"calls", tutorial::calls::main},
    {"first", tutorial::first::main},
    {"threads", tutorial::threads::main},
};

// A command of a console block, and what it is said to print.
struct Command {
  std::string where;
  std::string text;
  TextLines output;
};

std::vector<Command> commands_of(const PageBlock& block) {
  std::vector<Command> commands;
  for (std::size_t k = 0; k < block.lines.size(); ++k) {
    const std::string& line = block.lines[k];
    if (line.starts_with("$ ")) {
      const std::string where = block.page + ":" + std::to_string(block.line + int(k));
      commands.push_back({where + ": " + line, line.substr(2), {}});
    } else if (commands.empty()) {
      ADD_FAILURE() << block.where() << ": a console block begins with '$ '";
    } else {
      commands.back().output.push_back(line);
    }
  }
  return commands;
}

// The page may leave lines out: "..." stands for any number of them.
bool shows(const TextLines& page, const TextLines& actual) {
  std::vector<TextLines> parts(1);
  for (const std::string& line : page) {
    if (line == "...") {
      parts.emplace_back();
    } else {
      parts.back().push_back(line);
    }
  }
  const TextLines &first = parts.front(), &last = parts.back();
  if (parts.size() == 1) return first == actual;
  if (actual.size() < first.size() + last.size()) return false;
  auto at = actual.begin() + std::ptrdiff_t(first.size());
  const auto end = actual.end() - std::ptrdiff_t(last.size());
  if (!std::equal(actual.begin(), at, first.begin())) return false;
  if (!std::equal(end, actual.end(), last.begin())) return false;
  for (std::size_t k = 1; k + 1 < parts.size(); ++k) {
    at = std::search(at, end, parts[k].begin(), parts[k].end());
    if (at == end) return false;
    at += std::ptrdiff_t(parts[k].size());
  }
  return true;
}

// Whether `actual` has all that `shown` has: of objects every key, of arrays every item, or the
// first ones where "..." comes last.
bool has_at_least(const Json& shown, const Json& actual) {
  const char kind = shown.dump()[0];
  if (actual.dump()[0] != kind || (kind != '{' && kind != '[')) return shown == actual;
  if (kind == '{') {
    return std::ranges::all_of(shown.items(), [&](const auto& item) {
      return actual.contains(item.first) && has_at_least(item.second, actual[item.first]);
    });
  }
  const bool is_open = !shown.empty() && shown[shown.size() - 1] == "...";
  const std::size_t items = shown.size() - std::size_t(is_open);
  if (is_open ? actual.size() < items : actual.size() != items) return false;
  for (std::size_t k = 0; k < items; ++k) {
    if (!has_at_least(shown[k], actual[k])) return false;
  }
  return true;
}

// What stands where a reader stands who has built the project, and works in a copy of it.
class PagePlace {
 public:
  PagePlace() {
    namespace fs = std::filesystem;
    fs::create_directories(folder_ / "build/release");
    fs::create_directory_symlink(kRepository / "scripts", folder_ / "scripts");
    fs::copy(kRepository / "examples", folder_ / "examples", fs::copy_options::recursive);
    fs::create_directory_symlink(fs::path(test::inspect_path()).parent_path(),
                                 folder_ / "build/release/bin");
  }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }

  PageOutcome perform(const std::string& command) {
    if (command.starts_with("export ")) exports_ += command + "; ";
    const std::string line =
        "cd '" + folder_.path().string() + "'; { " + exports_ + command + "\n} 2>&1";
    std::FILE* pipe = popen(line.c_str(), "r");
    PageOutcome outcome;
    std::array<char, 4096> chunk;
    for (std::size_t n; (n = std::fread(chunk.data(), 1, chunk.size(), pipe)) > 0;) {
      outcome.text.append(chunk.data(), n);
    }
    const int raw = pclose(pipe);
    outcome.status = WIFEXITED(raw) ? WEXITSTATUS(raw) : -raw;
    return outcome;
  }

 private:
  TemporaryFolder folder_;
  std::string exports_;  // of the commands so far
};

// The same for a C++ program, which is a part of this one.
PageOutcome perform(int (*program)()) {
  std::ostringstream out;
  std::streambuf* const before = std::cout.rdbuf(out.rdbuf());
  const int status = program();
  std::cout.rdbuf(before);
  return {out.str(), status};
}

// Reads one page from its beginning to its end.
class Reader {
 public:
  explicit Reader(const std::string& page) : page_(page) {}

  void read() {
    for (const PageBlock& block : test::blocks_of_page(page_)) {
      SCOPED_TRACE(block.where());
      read(block);
    }
    run_unused();
  }
  int count() const { return count_; }

 private:
  void read(const PageBlock& block) {
    const std::string& kind = block.language;
    if (kind.empty()) return;
    if (kind != "console" && kind != "sh") check_width(block);
    if (kind == "yaml") return read_file(block);
    if (kind == "console") return read_console(block);
    if (kind == "sh") return read_commands(block);
    if (kind == "text" || kind == "cuda") {
      TextLines lines = block.lines;
      lines.insert(lines.begin(), "...");
      lines.push_back("...");
      EXPECT_TRUE(shows(lines, lines_of(last_))) << "the last command prints\n" << last_;
      return;
    }
    if (kind == "json") {
      EXPECT_TRUE(has_at_least(Json::parse(block.text()), Json::parse(last_))) << last_;
      return;
    }
    if (kind == "cpp") return read_program(block);
    if (kind == "cmake") {
      EXPECT_EQ(block.text(), contents(kRepository / "tests/consumer/CMakeLists.txt"));
      return;
    }
    ADD_FAILURE() << "nobody checks a block of the kind '" << kind << "'";
  }

  static void check_width(const PageBlock& block) {
    for (const std::string& line : block.lines) EXPECT_LE(line.size(), 100u) << line;
  }

  void read_file(const PageBlock& block) {
    const std::string mark = "# file: ";
    if (block.lines.empty() || !block.lines[0].starts_with(mark)) {
      ADD_FAILURE() << "a yaml block begins with '" << mark << "NAME'";
      return;
    }
    const std::string name = block.lines[0].substr(mark.size());
    EXPECT_TRUE(files_.insert(name).second) << name << " stands on the page twice";
    unused_.insert(name);
    place_.write(name, block.text());
  }

  void run_unused() {
    for (const std::string& name : unused_) {
      const PageOutcome outcome = place_.perform(test::inspect_path() + " " + name);
      EXPECT_EQ(outcome.status, 0) << page_ << ": " << name << "\n" << outcome.text;
      ++count_;
    }
  }

  void note_used(const std::string& command) {
    std::erase_if(unused_, [&](const std::string& name) {
      return (command + " ").find(" " + name + " ") != std::string::npos;
    });
  }

  void read_program(const PageBlock& block) {
    const auto is_it = [&](const auto& program) {
      return block.text() == contents(kRepository / "examples/tutorial" / (program.first + ".cpp"));
    };
    EXPECT_TRUE(std::ranges::any_of(kPrograms, is_it))
        << "the program is none of examples/tutorial";
  }

  // These build and test this project; they are read here, and run by whoever runs this.
  static bool is_script(const std::string& command) { return command.starts_with("./scripts/"); }
  void check_script(const std::string& command) {
    const std::string script = command.substr(0, command.find(' '));
    EXPECT_EQ(place_.perform("test -x " + script + " && bash -n " + script).status, 0) << script;
  }

  static bool is_unproved(const std::string& command) {
    const bool is_it = command.ends_with("--prove") && !has_z3();
    if (is_it) std::printf("[SKIP built without Z3] %s\n", command.c_str());
    return is_it;
  }

  void read_commands(const PageBlock& block) {
    for (const std::string& line : block.lines) {
      if (line.empty() || line.starts_with("#")) continue;
      ++count_;
      if (is_script(line)) {
        check_script(line);
        continue;
      }
      note_used(line);
      if (is_unproved(line)) continue;
      const PageOutcome outcome = place_.perform(line);
      EXPECT_EQ(outcome.status, 0) << line << "\n" << outcome.text;
      last_ = outcome.text;
    }
  }

  void read_console(const PageBlock& block) {
    int status = 0;  // of the command before; one that fails is followed by `echo $?`
    for (const Command& c : commands_of(block)) {
      if (c.text == "echo $?") {
        EXPECT_EQ(c.output, TextLines{std::to_string(status)}) << c.where;
        status = 0;
        continue;
      }
      EXPECT_EQ(status, 0) << c.where
                           << ": the command before failed, and the page is silent on it";
      note_used(c.text);
      const bool is_program = c.text.starts_with("./") && kPrograms.contains(c.text.substr(2));
      ++count_;
      if (is_unproved(c.text)) continue;
      const PageOutcome outcome =
          is_program ? perform(kPrograms.at(c.text.substr(2))) : place_.perform(c.text);
      status = outcome.status;
      last_ = outcome.text;
      std::string said;
      for (const std::string& line : c.output) said += line + "\n";
      EXPECT_TRUE(shows(c.output, lines_of(last_))) << c.where << "\nprints\n\n"
                                                    << last_ << "\nand the page says\n\n"
                                                    << said;
    }
    EXPECT_EQ(status, 0) << "the last command of the block failed, and the page is silent on it";
  }

  std::string page_;
  PagePlace place_;
  std::set<std::string> files_, unused_;
  std::string last_;  // what the last command has printed
  int count_ = 0;
};

class Pages : public testing::TestWithParam<std::pair<const char*, int>> {};

TEST_P(Pages, EveryBlockIsWhatHappens) {
  const auto& [page, commands] = GetParam();
  if (!is_sample_large() && commands > 5) GTEST_SKIP() << "[SKIP a long page, in the other builds]";
  Reader reader(page);
  reader.read();
  EXPECT_GE(reader.count(), commands);
}

INSTANTIATE_TEST_SUITE_P(All, Pages,
                         testing::Values(std::pair("README.md", 5),
                                         std::pair("doc/tutorial.md", 30),
                                         std::pair("doc/reference.md", 25)),
                         [](const auto& page) {
                           const std::string name = page.param.first;
                           return name == "README.md" ? "Readme" : name.substr(4, name.size() - 7);
                         });

TEST(Pages, EveryProgramOfTheTutorialStandsOnAPage) {
  std::string pages;
  for (const char* page : {"README.md", "doc/tutorial.md"}) pages += contents(kRepository / page);
  for (const auto& entry : std::filesystem::directory_iterator(kRepository / "examples/tutorial")) {
    EXPECT_NE(pages.find("```cpp\n" + contents(entry.path()) + "```\n"), pages.npos)
        << entry.path();
  }
}

TEST(Pages, LinesLeftOutAreAnyNumberOfLines) {
  const TextLines actual = {"a", "b", "c", "b", "d"};
  EXPECT_TRUE(shows({"a", "b", "c", "b", "d"}, actual));
  EXPECT_TRUE(shows({"...", "b", "...", "d"}, actual));
  EXPECT_TRUE(shows({"a", "...", "c", "b", "d"}, actual));
  EXPECT_TRUE(shows({"a", "b", "c", "b", "d", "..."}, actual));
  EXPECT_FALSE(shows({"a", "..."}, {}));
  EXPECT_FALSE(shows({"b", "..."}, actual));
  EXPECT_FALSE(shows({"...", "b"}, actual));
  EXPECT_FALSE(shows({"...", "c", "...", "c", "..."}, actual));
  EXPECT_FALSE(shows({"a", "b", "...", "b", "c", "b", "d"}, actual));
}

TEST(Pages, JsonMayLeaveOutKeysAndItemsThatItSaysItLeavesOut) {
  const auto fits = [](const char* shown, const char* actual) {
    return has_at_least(Json::parse(shown), Json::parse(actual));
  };
  EXPECT_TRUE(fits(R"({"a": 1})", R"({"a": 1, "b": 2})"));
  EXPECT_TRUE(fits(R"([1, "..."])", "[1, 2, 3]"));
  EXPECT_TRUE(fits(R"({"a": [{"b": null}]})", R"({"a": [{"b": null, "c": 1}]})"));
  EXPECT_FALSE(fits(R"({"a": 1})", R"({"b": 1})"));
  EXPECT_FALSE(fits("[1]", "[1, 2]"));
  EXPECT_FALSE(fits(R"([1, 2, 3, "..."])", "[1, 2]"));
  EXPECT_FALSE(fits("1", "\"1\""));
}

}  // namespace

}  // namespace selvage
