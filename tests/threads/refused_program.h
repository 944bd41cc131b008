// A thread program in the making, of one that is refused.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/threads/draws.h"

namespace selvage::threads {

using thread_oracle::Draws;
using Words = std::vector<std::string>;

inline std::string joined(const Words& list) {
  std::string text;
  for (const std::string& s : list) text += (text.empty() ? "" : ", ") + s;
  return text;
}

// A program in the making. `own`: the number of the thread among all, as a subscript.
struct Program {
  explicit Program(Draws& draws) : draws(draws) {}

  Draws& draws;
  Words symbols, arrays, levels, body;
  std::string own = "0", p = "0";  // p: the index of threads that runs fastest
  std::int64_t all = 1, threads = 1;

  std::string number(std::int64_t least, std::int64_t most) const {
    return std::to_string(draws.between(least, most));
  }
  void array(const std::string& name, const std::string& shape, const std::string& more = "") {
    const std::string type = draws.of(Words{"int32", "float", "int64"});
    arrays.push_back(name + ": {shape: [" + shape + "], dtype: " + type + more + "}");
  }
  void symbol(const std::string& name, std::int64_t min, std::int64_t max) {
    symbols.push_back(name + ": {min: " + std::to_string(min) + ", max: " + std::to_string(max) +
                      "}");
  }
  // So many threads in a block, of one level or of more; blocks or none.
  void take_levels(std::int64_t count, bool may_have_blocks = true) {
    threads = count;
    p = draws.of(Words{"p", "t", "lane"});
    own = p;
    all = count;
    switch (draws.between(1, may_have_blocks ? 4 : 2)) {
      case 1: levels = {"{" + p + ": " + std::to_string(count) + "}"}; break;
      case 2: levels = {"{thread: [" + p + ": " + std::to_string(count) + "]}"}; break;
      default: {
        const std::int64_t blocks = draws.between(2, 3);
        levels = {"{b: " + std::to_string(blocks) + "}",
                  "{" + p + ": " + std::to_string(count) + "}"};
        own = "b * " + std::to_string(count) + " + " + p;
        all = count * blocks;
      }
    }
    array("A", std::to_string(all));
    array("U", std::to_string(all));
  }
  std::string text() const {
    return "symbols: {" + joined(symbols) + "}\narrays: {" + joined(arrays) + "}\n" +
           (levels.empty() ? "" : "parallel: [" + joined(levels) + "]\n") + "body: [" +
           joined(body) + "]\n";
  }

  // ---- items ----

  std::string store(const std::string& array = "A") const {
    return "\"" + array + "[" + own + "] " + draws.of(Words{"=", "+="}) + " " + number(1, 9) + "\"";
  }
  static std::string in(const std::string& when, const Words& body, bool is_async = false) {
    return "{inthreads: {when: \"" + when + "\", " + (is_async ? "async: true, " : "") + "do: [" +
           joined(body) + "]}}";
  }
  static std::string loop(const std::string& index, const std::string& extent, const Words& body,
                          const std::string& condition = "") {
    return "{for: {index: " + index + ", in: \"" + extent + "\", " +
           (condition.empty() ? "" : "if: \"" + condition + "\", ") + "do: [" + joined(body) +
           "]}}";
  }
  static std::string together(const Words& body) { return "{do: [" + joined(body) + "]}"; }
  static std::string inner(const std::string& levels, const Words& body) {
    return "{parallel: {levels: [" + levels + "], do: [" + joined(body) + "]}}";
  }
  // With others around it, and beside it.
  void put(const std::string& item) {
    Words list = {item};
    if (draws.one_in(2)) list.insert(list.begin(), store("U"));
    if (draws.one_in(2)) list.push_back(store("U"));
    switch (draws.between(1, 4)) {
      case 1: body = {together(list)}; break;
      case 2: body = {loop("i", number(1, 3), list)}; break;
      default: body = list;
    }
    if (draws.one_in(3)) body.push_back(store("U"));
  }
  // What each thread does with what another has written: only behind a barrier of the block.
  std::string exchange() const {
    const std::string last = std::to_string(threads - 1);
    const std::string block = all == threads ? "" : "b * " + std::to_string(threads) + " + ";
    return "\"U[" + own + "] = A[" + block + last + " - " + p + "]\"";
  }
};

}  // namespace selvage::threads
