// A command line of schedule_inspect with what it finds, to which the help of a refusal can be
// done.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace selvage::test {

struct ArrayFile {
  std::string descr = "<f4";  // as NumPy writes types
  std::vector<std::int64_t> shape;
  bool fortran_order = false;
  std::optional<std::string> instead = {};  // what the file holds, if it is no such array
};

// Paths begin with "@/", which stands for a folder that is made for the command.
struct Command {
  std::vector<std::pair<std::string, std::string>> options;  // and their values; empty: none
  std::string file = "@/case.yaml";                          // empty: none is named
  std::map<std::string, std::string> texts;                  // of files
  std::map<std::string, ArrayFile> arrays;
  std::set<std::string> folders, shared_folders;  // in those of the latter others can write
  std::map<std::string, std::string> environment;
  std::string input;            // standard input
  bool asks_for_cache = false;  // compiled kernels are kept as well, whether or not there is NVRTC

  std::string& text() { return texts["@/case.yaml"]; }
  void add(const std::string& option, const std::string& value = "") {
    options.emplace_back(option, value);
  }
  std::string* value_of(const std::string& option, const std::string& name);  // of NAME=VALUE
  std::string shown() const;
};

struct Refusal {
  std::string place, code, message, help;
};

// What schedule_inspect says, errors and warnings, the folder being "@" in it.
std::vector<Refusal> said_of(const Command& command);

// The words of a help and what they do: one command for each way; none: not to this one.
using Ways = std::vector<Command>;
struct CommandChange {
  const char* words;
  std::function<Ways(const Command&, const std::smatch&, const Refusal&)> act;
};
// One way, if `act` could do it.
Ways way(const Command& command, const std::function<bool(Command&)>& act);
const std::vector<CommandChange>& command_changes();
const std::vector<CommandChange>& array_changes();

// What a help says, alternative by alternative, done to the command.
Ways mended(const Command& command, const Refusal& refusal);

// 4 of "<f4".
std::size_t bytes_of(const std::string& descr);
// "<f4" of float.
std::string descr_of(const std::string& dtype);

}  // namespace selvage::test
