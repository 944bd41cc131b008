#include "tests/threads/refused_programs.h"

#include <functional>
#include <map>

namespace selvage::threads {

namespace {

using thread_oracle::Draws;
using Words = std::vector<std::string>;

std::string joined(const Words& list) {
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

std::string outside_of_levels(Draws& draws) {
  Program x(draws);
  x.array("A", "8");
  x.array("U", "8");
  x.symbol("n", 0, draws.between(2, 6));
  const bool is_async = draws.one_in(3);
  switch (draws.between(1, 5)) {
    case 1: x.put(x.in("0 < 1", {x.store()}, is_async)); break;
    case 2: x.put(x.in("n > " + x.number(0, 3), {x.store(), x.store("U")}, is_async)); break;
    case 3:
      x.body = {x.loop("k", "4", {x.in("k < " + x.number(1, 3), {"\"A[k] = 1\""}, is_async)}),
                x.store("U")};
      break;
    case 4: x.put(x.in("n >= 1", {x.in("n < 3", {x.store()}), x.store("U")}, is_async)); break;
    default:
      x.body = {"{let: {p: n * 2}}", x.in("p > 2 || n == 0", {x.store()}, is_async),
                x.in("n == 1", {x.store("U")})};
  }
  return x.text();
}

std::string asynchronous_inside(Draws& draws) {
  Program x(draws);
  x.take_levels(draws.of(std::vector<std::int64_t>{32, 64, 96}));
  x.symbol("n", 0, 64);
  const std::string outer = x.p + draws.of(Words{" < 32", " < 20", " >= 7", " < n", " > 3"});
  const std::string inner = x.p + draws.of(Words{" < 9", " >= 8", " % 2 == 0", " < n + 1"});
  const std::string low = x.in(inner, {x.store()}, true);
  const bool is_async = draws.one_in(2);
  switch (draws.between(1, 4)) {
    case 1: x.put(x.in(outer, {low}, is_async)); break;
    case 2: x.put(x.in(outer, {x.store("U"), low}, is_async)); break;
    case 3: x.put(x.in(outer, {x.loop("k", "3", {low}), x.store("U")}, is_async)); break;
    default: x.put(x.in(outer, {low, x.in(x.p + " < 5", {x.store("U")}, true)}, is_async));
  }
  return x.text();
}

std::string not_divergent(Draws& draws) {
  Program x(draws);
  x.take_levels(draws.of(std::vector<std::int64_t>{32, 40, 64}));
  x.symbol("n", 0, 9);
  const std::string p = x.p, k = x.number(1, 5);
  const std::string one = draws.of(Words{p + " > " + k + " - " + p, p + " * 2 <= " + p + " + 3",
                                         p + " % 4 == " + p + " // 8", p + " > q", "q >= " + p});
  const std::string none = draws.of(Words{"n > " + k, "n != 3", "n + 1 <= 4", "true", "big"});
  const std::string fine = draws.of(Words{p + " < " + k, p + " >= n", "far"});
  std::string when =
      draws.of(Words{one, none, fine + " && " + none, none + " || " + fine, "!(" + none + ")",
                     fine + " && (" + p + " < 9 || " + none + ")", one + " || " + fine,
                     none + " && " + one, "!(" + one + ") && " + fine});
  for (std::size_t at; (at = when.find(" // ")) != when.npos;) when.replace(at, 4, " / ");
  const bool is_async = draws.one_in(3);
  x.body = {"{let: {q: " + p + " * 3 - 5, big: n > 4, far: " + p + " > 9}}"};
  switch (draws.between(1, 4)) {
    case 1: x.body.push_back(x.in(when, {x.store()}, is_async)); break;
    case 2:  // what follows waits for it
      x.body.push_back(x.in(when, {x.store()}));
      x.body.push_back(x.exchange());
      break;
    case 3:
      x.body.push_back(x.loop("i", "2", {x.in("i < 1", {x.store()}, is_async), x.store("U")}));
      break;
    default: x.body.push_back(x.in(p + " < 32", {x.in(when, {x.store()}), x.store("U")}, is_async));
  }
  if (draws.one_in(2)) x.body.push_back(x.store("U"));
  return x.text();
}

std::string idle(Draws& draws) {
  Program x(draws);
  x.take_levels(draws.of(std::vector<std::int64_t>{6, 32, 64}));
  x.symbol("n", x.threads, 99);
  const std::string p = x.p, last = std::to_string(x.threads - 1);
  const std::string never =
      draws.of(Words{p + " > " + last, p + " < 0", p + " >= n", p + " > 3 && " + p + " < 2"});
  const std::string always = draws.of(Words{p + " <= " + last, p + " >= 0", p + " < n",
                                            p + " * 2 >= 0", p + " < 4 || " + p + " > 2"});
  const std::string when = draws.one_in(2) ? never : always;
  const bool is_async = draws.one_in(3);
  switch (draws.between(1, 6)) {
    case 1: x.put(x.in(when, {x.store()}, is_async)); break;
    case 2: x.body = {x.store(), x.in(when, {x.store("U")}), x.exchange()}; break;
    case 3:
      x.put(x.in(p + " > 2", {x.in(draws.one_in(2) ? p + " < 2" : p + " > 1", {x.store()})}));
      break;
    case 4: x.put(x.loop("k", "2", {x.in(when, {x.store()})}, p + " < 32")); break;
    case 5: x.put(x.in(p + " == 4", {x.in(p + " < 3", {x.store()})}, is_async)); break;
    default: x.body = {x.in(when, {x.store()}, is_async), x.in(never, {x.store("U")})};
  }
  return x.text();
}

// A barrier in a region, a loop of some threads, behind a break, beside an inner level.
std::string unreachable(Draws& draws) {
  Program x(draws);
  x.take_levels(draws.of(std::vector<std::int64_t>{32, 64, 128}));
  x.symbol("n", 0, 64);
  const std::string p = x.p;
  const std::string sync = draws.of(Words{"{sync: shared}", "{sync: shared}", "{sync: warp}"});
  const std::string some = p + draws.of(Words{" < 20", " < 32", " < 31", " >= 40", " < n", " > n",
                                              " % 2 == 0", " == 0"});
  const bool is_async = draws.one_in(2);
  const std::string before = x.store(), after = draws.one_in(2) ? x.store("U") : x.exchange();
  switch (draws.between(1, 9)) {
    case 1: x.put(x.in(some, {x.store(), sync}, is_async)); break;
    case 2: x.put(x.in(some, {x.store(), sync, x.store("U")}, is_async)); break;
    case 3: x.body = {x.in(some, {x.store(), sync, x.exchange()}, is_async)}; break;
    case 4: x.put(x.loop("k", "2", {x.store(), sync}, some)); break;
    case 5:
      x.body = {x.loop("k", draws.one_in(2) ? p : p + " // 16", {x.store(), sync}), after};
      break;
    case 6: {
      const std::string leave = draws.of(Words{"{break: k}", "{continue: k}"});
      x.body = {x.loop("k", "3", {x.in(some, {leave}, true), x.store(), sync}), after};
      break;
    }
    case 7:
      x.levels = {"{p: 2}"};
      x.arrays = {"A: {shape: [2], dtype: int32}", "U: {shape: [2, 32], dtype: int32}"};
      x.body = {x.together({"\"A[p] = 1\"", sync}), x.inner("{q: 32}", {"\"U[p, q] = 1\""})};
      break;
    case 8:
      x.body = {
          x.loop("k", "3", {x.in(some, {"{break: k}"}, true), x.in(p + " > 3", {x.store()})})};
      break;
    default: x.put(x.in(p + " > 2", {x.in(some, {x.store(), sync})}, is_async));
  }
  return x.text();
}

// Threads that cannot wait for one another.
std::string no_meeting(Draws& draws) {
  Program x(draws);
  x.take_levels(draws.of(std::vector<std::int64_t>{64, 96, 128}));
  x.symbol("n", 0, 64);
  const std::string p = x.p;
  const std::string parts =
      p + draws.of(Words{" < 40", " >= 20", " % 2 == 0", " < 63", " < n", " >= n", " != 5"});
  const std::string sync = "{sync: region}";
  const bool is_async = draws.one_in(2);
  switch (draws.between(1, 8)) {
    case 1: x.put(x.in(parts, {x.store(), sync}, is_async)); break;
    case 2: x.body = {x.in(parts, {x.store(), sync, x.exchange()}, is_async)}; break;
    case 3: x.put(x.in(parts, {x.in(p + " > 3", {x.store()}), x.store("U")}, is_async)); break;
    case 4:
      x.put(x.loop("k", "2", {draws.one_in(2) ? sync : x.in(p + " > 9", {x.store("U")}), x.store()},
                   parts));
      break;
    case 5:
      x.body = {
          x.loop("k", "3", {x.in(p + " < 40 + k", {x.store(), sync, x.store("U")}, is_async)})};
      break;
    case 6:
      x.body = {x.in(p + " < 64", {x.store(), sync}, true), x.in(p + " > 40", {}, true)};
      if (draws.one_in(2)) std::swap(x.body[0], x.body[1]);
      if (draws.one_in(2)) x.body = {x.loop("k", "2", x.body)};
      break;
    case 7: {  // more sets than there are barriers
      x.levels = {"{p: 1024}"};
      x.arrays = {"A: {shape: [1024], dtype: int32}", "U: {shape: [1024], dtype: int32}"};
      for (int k = 0; k < 16; ++k) {
        const std::string from = std::to_string(64 * k), to = std::to_string(64 * k + 64);
        x.body.push_back(x.in("p >= " + from + " && p < " + to, {"\"A[p] = 1\"", sync}, true));
      }
      if (draws.one_in(2)) x.body = {x.loop("k", "2", x.body)};
      break;
    }
    default: x.body = {x.in(parts, {x.store(), sync, x.exchange(), sync, x.store("U")}, is_async)};
  }
  return x.text();
}

std::string leaving(Draws& draws) {
  Program x(draws);
  x.take_levels(draws.of(std::vector<std::int64_t>{4, 32}), false);
  const std::string p = x.p, word = draws.of(Words{"break", "continue"});
  const auto leave = [&](const std::string& label) { return "{" + word + ": " + label + "}"; };
  const auto some = [&](const std::string& item) {
    return draws.one_in(2) ? item : x.in(p + " < 2", {item}, true);
  };
  switch (draws.between(1, 6)) {
    case 1: x.body = {x.store(), some(leave(p)), x.store("U")}; break;
    case 2: x.body = {x.loop("k", "3", {x.store(), some(leave(p)), x.store("U")})}; break;
    case 3: x.body = {x.loop("k", "3", {x.store(), some(leave("rows")), x.store("U")})}; break;
    case 4: x.body = {x.store(), some(leave("k")), x.store("U")}; break;
    case 5:
      x.body = {
          x.loop("k", "2", {x.inner(x.levels[0], {x.store(), some(leave("k")), x.store("U")})})};
      x.levels = {};
      break;
    default:
      x.body = {x.loop(
          "k", "2",
          {x.inner(x.levels[0], {x.loop("j", "3", {x.store(), some(leave("k"))}), x.store("U")})})};
      x.levels = {};
  }
  return x.text();
}

using Maker = std::function<std::string(Draws&)>;
const std::map<std::string, Maker>& makers() {
  static const std::map<std::string, Maker> all = {
      {"E810", outside_of_levels}, {"E811", asynchronous_inside},
      {"E812", not_divergent},     {"E813", idle},
      {"E814", unreachable},       {"E816", no_meeting},
      {"E826", leaving},
  };
  return all;
}

}  // namespace

std::vector<std::string> program_codes() {
  std::vector<std::string> codes;
  for (const auto& [code, make] : makers()) codes.push_back(code);
  return codes;
}

std::string program_refused_with(const std::string& code, Draws& draws) {
  return makers().at(code)(draws);
}

}  // namespace selvage::threads
