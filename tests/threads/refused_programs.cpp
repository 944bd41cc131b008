#include "tests/threads/refused_programs.h"

#include <functional>
#include <map>

#include "tests/threads/refused_program.h"

namespace selvage::threads {

namespace {

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
  // In the first block more than in the next.
  const bool is_of_blocks = x.all != x.threads && draws.one_in(4);
  const std::string some = is_of_blocks ? "b * 8 + " + p + " < " + x.number(24, 40)
                                        : p + draws.of(Words{" < 20", " < 32", " < 31", " >= 40",
                                                             " < n", " > n", " % 2 == 0", " == 0"});
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
  const bool is_of_blocks = x.all != x.threads && draws.one_in(4);
  const std::string parts =
      is_of_blocks
          ? "b * 8 + " + p + " < " + x.number(24, 60)
          : p + draws.of(Words{" < 40", " >= 20", " % 2 == 0", " < 63", " < n", " >= n", " != 5"});
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
      x.body = {x.in(p + " < 64", {x.store(), sync}, true),
                x.in(p + draws.of(Words{" > 40", " > n"}), {}, true)};
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

// Blocks that meet in global memory.
std::string blocks_meet(Draws& draws) {
  Program x(draws);
  const std::int64_t b = draws.between(2, 3), t = draws.of(std::vector<std::int64_t>{4, 32});
  const std::string blocks = std::to_string(b), threads = std::to_string(t);
  const std::string p = draws.of(Words{"p", "blk"}), q = draws.of(Words{"q", "t"});
  const std::string own = p + " * " + threads + " + " + q;
  x.array("A", threads);
  x.array("U", std::to_string(b * t));
  const auto store = [&](const std::string& element) {
    return "\"" + element + " " + draws.of(Words{"=", "+="}) + " " + x.number(1, 9) + "\"";
  };
  const std::string level = "{" + q + ": " + threads + "}", mine = "\"U[" + own + "] = 2\"";
  x.levels = {"{" + p + ": " + blocks + "}", level};
  switch (draws.between(1, 7)) {
    case 1: x.body = {store("A[" + q + "]"), mine}; break;
    case 2: x.body = {mine, x.loop("k", "3", {store("A[" + q + "]")})}; break;
    case 3: x.body = {x.in(q + " == 1", {store("A[2]")}, draws.one_in(2)), mine}; break;
    case 4:
      x.levels = {x.levels[0]};
      x.body = {store("A[0]"), x.inner(level, {mine})};
      break;
    case 5:
      x.levels = {x.levels[0]};
      x.body = {store("A[" + p + "]"), x.inner(level, {"\"U[" + own + "] = A[" +
                                                       std::to_string(b - 1) + " - " + p + "]\""})};
      break;
    case 6:
      x.body = {store("A[0]"),
                x.inner(x.levels[0] + ", " + level, {"\"U[" + own + "] = A[0] + 1\""})};
      x.levels = {};
      break;
    default:
      x.levels = {"{block: [" + p + ": " + blocks + "]}", "{cluster: [c: 2]}", level};
      x.body = {store("A[" + q + "]")};
  }
  return x.text();
}

// Shared and local memory in which nothing stands.
std::string unwritten(Draws& draws) {
  Program x(draws);
  x.take_levels(draws.of(std::vector<std::int64_t>{4, 32, 40}));
  const std::string p = x.p, size = std::to_string(x.threads);
  const bool is_local = draws.one_in(3);
  x.array("S", is_local ? "4" : size, is_local ? ", memory: local" : ", memory: shared");
  const std::string other = std::to_string(x.threads - 1) + " - " + p;
  const std::string element = is_local
                                  ? draws.of(Words{"S[0]", "S[" + x.number(1, 3) + "]", "S[k]"})
                                  : draws.of(Words{"S[" + p + "]", "S[" + other + "]", "S[0]",
                                                   "S[k]", "S[" + p + " // 2]"});
  const std::string read = "\"A[" + x.own + "] = " + element + " + 1\"";
  const bool has_loop = element == "S[k]";
  const auto looped = [&](const std::string& item) {
    return has_loop ? x.loop("k", "4", {item}) : item;
  };
  switch (draws.between(1, 6)) {
    case 1: x.put(looped(read)); break;
    case 2: x.put(x.in(p + " < 3", {looped(read)}, draws.one_in(2))); break;
    case 3:
      if (is_local) x.body = {x.in(p + " < 3", {"\"S[0] = 1\""})};
      x.body.push_back(looped(read));
      break;
    case 4: x.put(looped("\"" + element + " += 1\"")); break;
    case 5:
      x.body = {looped(read),
                "\"U[" + x.own + "] = " + (is_local ? "S[0]" : "S[" + p + "]") + "\""};
      break;
    default:
      if (x.levels.size() > 1) {
        x.body = {x.inner(x.levels[1], {looped(read)}),
                  x.inner("{z: " + size + "}", {"\"U[b * " + size + " + z] = 1\""})};
        x.levels = {x.levels[0]};
      } else {
        x.body = {looped(read), x.store("U")};
      }
  }
  return x.text();
}

using Maker = std::function<std::string(Draws&)>;
const std::map<std::string, Maker>& makers() {
  static const std::map<std::string, Maker> all = {
      {"E810", outside_of_levels}, {"E811", asynchronous_inside},
      {"E812", not_divergent},     {"E813", idle},
      {"E814", unreachable},       {"E815", blocks_meet},
      {"E816", no_meeting},        {"E820", past_limit},
      {"E821", not_filled},        {"E822", side_by_side},
      {"E823", out_of_order},      {"E824", unwritten},
      {"E825", unlike_extents},    {"E826", leaving},
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
