// What doc/tutorial.md shows is what happens: its files are written, its commands are run in order.
#include <selvage/confirm/solver.h>
#include <selvage/selvage.h>
#include <tests/support/text_files.h>

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

// The programs of the page; all headers that they include stand above.
namespace tutorial {
namespace bias_relu {
#include <examples/tutorial/bias_relu.cpp>
}
namespace calls {
#include <examples/tutorial/calls.cpp>
}
namespace threads {
#include <examples/tutorial/threads.cpp>
}
}  // namespace tutorial

namespace selvage {

namespace {

using Text = std::vector<std::string>;  // lines

const std::map<std::string, int (*)()> kPrograms = {
    {"./bias_relu", tutorial::bias_relu::main},
    {"./calls", tutorial::calls::main},
    {"./threads", tutorial::threads::main},
};

std::string joined(const Text& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// What stands between ```LANGUAGE and ```; for prose, LANGUAGE is empty.
struct Block {
  int line = 0;  // of its first line in the page
  std::string language;
  Text lines;
};

std::vector<Block> blocks_of_page() {
  std::vector<Block> blocks(1);
  int number = 0;
  bool fenced = false;
  for (const std::string& line : lines_of(contents(kRepository / "doc/tutorial.md"))) {
    ++number;
    if (!line.starts_with("```")) {
      blocks.back().lines.push_back(line);
      continue;
    }
    fenced = !fenced;
    blocks.push_back({number + 1, fenced ? line.substr(3) : "", {}});
  }
  EXPECT_FALSE(fenced) << "a block is not closed";
  return blocks;
}

// A command of a console block, and what it is said to print.
struct Command {
  int line = 0;
  std::string text;
  Text output;
};

std::vector<Command> commands_of(const Block& block) {
  std::vector<Command> commands;
  for (std::size_t k = 0; k < block.lines.size(); ++k) {
    const std::string& line = block.lines[k];
    if (line.starts_with("$ ")) {
      commands.push_back({block.line + int(k), line.substr(2), {}});
    } else if (commands.empty()) {
      ADD_FAILURE() << "line " << block.line << ": a console block begins with '$ '";
    } else {
      commands.back().output.push_back(line);
    }
  }
  return commands;
}

// The page may leave lines out: "..." stands for any number of them.
bool shows(const Text& page, const Text& actual) {
  std::vector<Text> parts(1);
  for (const std::string& line : page) {
    if (line == "...") {
      parts.emplace_back();
    } else {
      parts.back().push_back(line);
    }
  }
  const Text &first = parts.front(), &last = parts.back();
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

// A folder in which the page is typed along; gone with the test.
class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() /
              ("selvage-tutorial-" + std::to_string(getpid()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
  }
  // What a shell that finds schedule_inspect prints, and its exit status.
  std::pair<Text, int> perform(const std::string& command) const {
    const std::string bin = std::filesystem::path(SELVAGE_INSPECT_PATH).parent_path().string();
    std::FILE* pipe =
        popen(("cd '" + path_.string() + "' && PATH='" + bin + "':\"$PATH\" " + command + " 2>&1")
                  .c_str(),
              "r");
    std::string text;
    std::array<char, 4096> chunk;
    for (std::size_t n; (n = std::fread(chunk.data(), 1, chunk.size(), pipe)) > 0;) {
      text.append(chunk.data(), n);
    }
    const int raw = pclose(pipe);
    return {lines_of(text), WIFEXITED(raw) ? WEXITSTATUS(raw) : -raw};
  }

 private:
  std::filesystem::path path_;
};

// The same for a C++ program, which is a part of this one.
std::pair<Text, int> perform(int (*program)()) {
  std::ostringstream out;
  std::streambuf* const before = std::cout.rdbuf(out.rdbuf());
  const int status = program();
  std::cout.rdbuf(before);
  return {lines_of(out.str()), status};
}

// A file of the page: its first line says its name.
std::string file_name(const Block& block) {
  const std::string mark = "# file: ";
  if (block.lines.empty() || !block.lines[0].starts_with(mark)) {
    ADD_FAILURE() << "line " << block.line << ": a yaml block begins with '" << mark << "NAME'";
    return "";
  }
  return block.lines[0].substr(mark.size());
}

TEST(Tutorial, EveryCommandPrintsWhatThePageSays) {
  const Folder folder;
  int count = 0;
  std::set<std::string> files, unused;
  for (const Block& block : blocks_of_page()) {
    if (block.language == "yaml") {
      const std::string name = file_name(block);
      EXPECT_TRUE(files.insert(name).second) << name << " stands on the page twice";
      unused.insert(name);
      folder.write(name, joined(block.lines));
    }
    if (block.language != "console") continue;
    int status = 0;  // of the command before; one that fails is followed by `echo $?`
    for (const Command& c : commands_of(block)) {
      const std::string where = "line " + std::to_string(c.line) + ": " + c.text;
      if (c.text == "echo $?") {
        EXPECT_EQ(c.output, Text{std::to_string(status)}) << where;
        status = 0;
        continue;
      }
      EXPECT_EQ(status, 0) << where << ": the command before failed, and the page is silent on it";
      std::erase_if(unused, [&](const std::string& name) {
        return (c.text + " ").find(" " + name + " ") != std::string::npos;
      });
      const auto program = kPrograms.find(c.text);
      const bool is_program = program != kPrograms.end();
      ASSERT_TRUE(is_program || c.text.starts_with("schedule_inspect ")) << where;
      if (c.text.ends_with("--prove") && !has_z3()) {
        std::printf("[SKIP built without Z3] %s\n", where.c_str());
        continue;
      }
      Text actual;
      std::tie(actual, status) = is_program ? perform(program->second) : folder.perform(c.text);
      EXPECT_TRUE(shows(c.output, actual)) << where << "\nprints\n\n"
                                           << joined(actual) << "\nand the page says\n\n"
                                           << joined(c.output);
      ++count;
    }
    EXPECT_EQ(status, 0) << "line " << block.line << ": the last command of the block failed";
  }
  EXPECT_GE(count, 10);
  EXPECT_EQ(unused, std::set<std::string>{});
}

TEST(Tutorial, TheProgramsAreThoseAmongTheExamples) {
  std::vector<std::string> programs;
  for (const Block& block : blocks_of_page()) {
    if (block.language == "cpp") programs.push_back(joined(block.lines));
  }
  EXPECT_EQ(programs, (std::vector{contents(kRepository / "examples/tutorial/bias_relu.cpp"),
                                   contents(kRepository / "examples/tutorial/calls.cpp"),
                                   contents(kRepository / "examples/tutorial/threads.cpp")}));
}

TEST(Tutorial, NothingOnThePageIsLeftUnchecked) {
  const std::set<std::string> checked = {"", "yaml", "console", "cpp"};
  for (const Block& block : blocks_of_page()) {
    EXPECT_TRUE(checked.contains(block.language))
        << "line " << block.line << ": " << block.language;
    if (block.language == "console") continue;
    for (const std::string& line : block.lines) EXPECT_LE(line.size(), 100u) << line;
  }
}

TEST(Tutorial, LinesLeftOutAreAnyNumberOfLines) {
  const Text actual = {"a", "b", "c", "b", "d"};
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

}  // namespace

}  // namespace selvage
