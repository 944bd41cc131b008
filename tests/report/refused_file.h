// A schedule file in parts, to which the help of a refusal can be done.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <utility>
#include <vector>

namespace selvage::test {

using Named = std::vector<std::pair<std::string, std::string>>;  // in order

struct RefusedFile {
  std::map<std::string, std::map<std::string, std::int64_t>> symbols;  // N: {min: 4}
  std::vector<std::string> facts;
  Named inputs, outputs;
  std::vector<std::string> compute;
  std::map<std::string, std::vector<std::string>> schedule;  // items of each tensor's list
  // One tensor T0 of a file of section 1 instead.
  struct Tensor {
    std::string dtype = "float";
    Named logical;        // of a view, whose root stands in `rest`: names alone
    std::string strides;  // empty: dense
    std::vector<std::string> transforms, loop, rest;
    Named bind;
  };
  std::optional<Tensor> tensor;

  std::string text() const;
};

// One kind of change: the words of a help that say it, and what they do. False: not to this file.
struct Change {
  const char* words;
  std::function<bool(RefusedFile&, const std::smatch&, const std::string& message)> act;
};
// Those of helps about schedules and statements; what several would match is the first one's.
const std::vector<Change>& schedule_changes();

std::string first_word(const std::string& message);
void replace_all(std::string& text, const std::string& words, const std::string& by);
// What binds the loop of the tensor binds it to that type instead; whether anything does.
bool rebind(RefusedFile& file, const std::string& tensor, const std::string& loop,
            const std::string& type);
// The items of the tensor's list that begin so; whether there were any.
bool remove_items(RefusedFile& file, const std::string& tensor, const std::string& key);

// What a help says, alternative by alternative, done to the file: those of its parts that name a
// change to be made. `message`: of the refusal, which names the tensor.
std::vector<RefusedFile> mended(const RefusedFile& file, const std::string& message,
                                const std::string& help);

}  // namespace selvage::test
