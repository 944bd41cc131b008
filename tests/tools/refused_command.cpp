#include "tests/tools/refused_command.h"

#include <gtest/gtest.h>
#include <selvage/runtime/disk_cache.h>
#include <tests/support/temporary_folder.h>
#include <tests/support/text_files.h>
#include <tools/schedule_inspect/command.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

namespace selvage::test {

namespace {

namespace fs = std::filesystem;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string npy(const ArrayFile& array) {
  std::size_t items = 1;
  std::string shape;
  for (std::int64_t n : array.shape) {
    shape += std::to_string(n) + ",";
    items *= std::size_t(n);
  }
  std::string header = "{'descr': '" + array.descr +
                       "', 'fortran_order': " + (array.fortran_order ? "True" : "False") +
                       ", 'shape': (" + shape + "), }";
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string start = "\x93NUMPY\x01";
  start += '\0';
  start += char(header.size() & 255);
  start += char(header.size() >> 8);
  return start + header + std::string(items * bytes_of(array.descr), '\0');
}

// Environment variables for as long as a command runs.
class Variables {
 public:
  explicit Variables(const std::map<std::string, std::string>& values) {
    for (const auto& [name, value] : values) {
      const char* before = std::getenv(name.c_str());
      before_[name] = before == nullptr ? std::nullopt : std::optional<std::string>(before);
      setenv(name.c_str(), value.c_str(), 1);
    }
  }
  ~Variables() {
    for (const auto& [name, before] : before_) {
      if (before) {
        setenv(name.c_str(), before->c_str(), 1);
      } else {
        unsetenv(name.c_str());
      }
    }
  }
  Variables(const Variables&) = delete;

 private:
  std::map<std::string, std::optional<std::string>> before_;
};

class Placed {
 public:
  explicit Placed(const Command& command) : command_(command) {
    for (const auto* folders : {&command.folders, &command.shared_folders}) {
      for (const std::string& folder : *folders) {
        fs::create_directories(at(folder));
        fs::permissions(at(folder), folders == &command.folders ? fs::perms(0755) : fs::perms::all);
      }
    }
    for (const auto& [path, text] : command.texts) write(path, replaced(text, "@/", root() + "/"));
    for (const auto& [path, array] : command.arrays) {
      write(path, array.instead ? *array.instead : npy(array));
    }
    write("@/standard_input", command.input);
  }

  std::string root() const { return folder_.path().string(); }
  std::string at(const std::string& path) const { return replaced(path, "@/", root() + "/"); }

  std::vector<std::string> words() const {
    std::vector<std::string> words = {"schedule_inspect"};
    if (!command_.file.empty()) words.push_back(at(command_.file));
    for (const auto& [option, value] : command_.options) {
      words.push_back(at(option));
      if (!value.empty()) words.push_back(at(value));
    }
    return words;
  }
  std::map<std::string, std::string> environment() const {
    std::map<std::string, std::string> variables;
    for (const auto& [name, value] : command_.environment) variables[name] = at(value);
    return variables;
  }

 private:
  void write(const std::string& path, const std::string& bytes) const {
    fs::create_directories(fs::path(at(path)).parent_path());
    std::ofstream(at(path), std::ios::binary) << bytes;
  }

  const Command& command_;
  const TemporaryFolder folder_;
};

// As the cache of compiled kernels does it, where NVRTC has compiled one.
void keep_a_kernel(std::ostream& err) {
  const auto warn = [&](const Diagnostic& warning) { err << to_text(warning) << '\n'; };
  const std::uint64_t bound = disk_cache_bound(warn);
  DiskCache(disk_cache_folder(), bound, warn).put("key", std::vector<std::byte>(16));
}

std::vector<std::string> parts_of(const std::string& help) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t at; (at = help.find("; ", begin)) != std::string::npos; begin = at + 2) {
    parts.push_back(help.substr(begin, at - begin));
  }
  parts.push_back(help.substr(begin));
  return parts;
}

}  // namespace

std::string* Command::value_of(const std::string& option, const std::string& name) {
  for (auto& [o, value] : options) {
    if (o == option && value.starts_with(name + "=")) return &value;
  }
  return nullptr;
}

std::string Command::shown() const {
  std::string words;
  for (const auto& [name, value] : environment) words += name + "='" + value + "' ";
  words += "schedule_inspect " + file;
  for (const auto& [option, value] : options) {
    words += " " + option + (value.empty() ? "" : " " + value);
  }
  words += "\n";
  for (const auto& [path, text] : texts) words += path + ":\n" + text;
  for (const auto& [path, array] : arrays) {
    words += path + ": " + array.descr + " " + testing::PrintToString(array.shape) +
             (array.instead ? ", spoilt" : "") + "\n";
  }
  return words;
}

std::vector<Refusal> said_of(const Command& command) {
  const Placed placed(command);
  const std::vector<std::string> words = placed.words();
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  std::ostringstream out, err;
  {
    const Variables variables(placed.environment());
    EXPECT_NE(std::freopen(placed.at("@/standard_input").c_str(), "r", stdin), nullptr);
    std::cin.clear();
    if (command.asks_for_cache) keep_a_kernel(err);
    std::istringstream in;
    perform_command(int(argv.size()), argv.data(), in, out, err);
  }
  std::vector<Refusal> refusals;
  static const std::regex form("(.*?): (?:error|warning)\\[(E\\d+)\\]: (.*?)(?:; help: (.*))?");
  for (const std::string& line : lines_of(replaced(err.str(), placed.root(), "@"))) {
    std::smatch m;
    if (std::regex_match(line, m, form)) {
      refusals.push_back({m.str(1), m.str(2), m.str(3), m.str(4)});
    }
  }
  return refusals;
}

Ways way(const Command& command, const std::function<bool(Command&)>& act) {
  Command copy = command;
  return act(copy) ? Ways{copy} : Ways{};
}

Ways mended(const Command& command, const Refusal& refusal) {
  Ways ways;
  for (const std::string& part : parts_of(refusal.help)) {
    Ways found;
    for (const auto* list : {&array_changes(), &command_changes()}) {
      for (const CommandChange& change : *list) {
        std::smatch match;
        if (!found.empty() || !std::regex_search(part, match, std::regex(change.words))) continue;
        found = change.act(command, match, refusal);
      }
    }
    ways.insert(ways.end(), found.begin(), found.end());
  }
  return ways;
}

std::size_t bytes_of(const std::string& descr) {
  std::size_t n = 0;
  for (char c : descr) {
    if (c >= '0' && c <= '9') n = 10 * n + std::size_t(c - '0');
  }
  return n;
}

std::string descr_of(const std::string& dtype) {
  static const std::map<std::string, std::string> descrs = {
      {"bool", "|b1"},  {"int8", "|i1"},   {"int16", "<i2"},   {"int32", "<i4"},  {"int64", "<i8"},
      {"uint8", "|u1"}, {"uint16", "<u2"}, {"uint32", "<u4"},  {"uint64", "<u8"}, {"half", "<f2"},
      {"float", "<f4"}, {"double", "<f8"}, {"bfloat16", "<u2"}};
  return descrs.at(dtype);
}

}  // namespace selvage::test
