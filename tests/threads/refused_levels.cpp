// Programs whose levels, arrays or bound indices are refused.
#include <string>

#include "tests/threads/refused_program.h"
#include "tests/threads/refused_programs.h"

namespace selvage::threads {

// Past a limit of threads, blocks, devices or memory.
std::string past_limit(Draws& draws) {
  Program x(draws);
  const std::string memory = draws.of(Words{"shared", "local"});
  const std::int64_t most = memory == "shared" ? 12288 : 131072;  // elements of four bytes
  const auto array = [&](const std::string& name, std::int64_t least, const std::string& more) {
    return name + ": {shape: [" + std::to_string(draws.between(least, 2 * least)) +
           "], dtype: int32" + more + "}";
  };
  x.arrays = {"A: {shape: [70, 5000], dtype: int32}"};
  const auto levels = [&](const Words& list, const std::string& element) {
    x.levels = list;
    if (!element.empty()) x.body = {"\"A[" + element + "] = " + x.number(1, 9) + "\""};
  };
  switch (draws.between(1, 11)) {
    case 1: levels({"{p: " + x.number(1025, 5000) + "}"}, "0, p"); break;
    case 2: levels({"{warp: [w: " + x.number(33, 70) + "]}", "{thread: [t: 32]}"}, "w, t"); break;
    case 3: levels({"{x: " + x.number(33, 70) + ", y: " + x.number(32, 99) + "}"}, "x, y"); break;
    case 4:
      levels({"{block: [b: 2]}", "{cluster: [c: " + x.number(9, 40) + "]}", "{thread: [t: 32]}"},
             "b * 40 % 2 + c, t");
      x.body = {"\"A[c, b * 32 + t] = 1\""};
      break;
    case 5: levels({"{block: [b: " + x.number(2147483648, 9000000000) + "]}", "{t: 4}"}, ""); break;
    case 6: levels({"{block: [b: 65536, c: " + x.number(65536, 99999) + "]}", "{t: 4}"}, ""); break;
    case 7: levels({"{device: [d: " + x.number(1025, 4000) + "]}", "{b: 2}", "{t: 4}"}, ""); break;
    case 8:
      levels({"{p: 32}"}, "0, p");
      x.arrays.push_back(array("S", most + 1, ", memory: " + memory));
      x.body.push_back("\"S[p] = 1\"");
      break;
    case 9:
      levels({"{p: 32}"}, "0, p");
      x.arrays.push_back(array("S", most * 2 / 3, ", memory: " + memory));
      x.arrays.push_back(array("R", most * 2 / 3, ", memory: " + memory));
      x.body.push_back("\"R[p] = 1\"");
      break;
    case 10:
      levels({"{p: 32}"}, "0, p");
      x.arrays.push_back(
          "S: {shape: [281474976710656, 281474976710656], dtype: int32, memory: " + memory + "}");
      break;
    default:
      levels({"{p: 32}"}, "0, p");
      x.arrays.push_back("B: {shape: [281474976710656, " + x.number(40000, 99999) +
                         "], dtype: int32}");
      x.body.push_back("\"B[0, p] = 1\"");
  }
  return x.text();
}

// A warp or a warpgroup of too many threads, or of too few.
std::string not_filled(Draws& draws) {
  Program x(draws);
  const std::string w = x.number(1, 4), t = x.number(3, 60);
  x.arrays = {"A: {shape: [4, 128, 128], dtype: int32}"};
  const std::string warp = "{warp: [w: " + w + "]}", group = "{warpgroup: [w: " + w + "]}";
  const std::string plain = "\"A[w, t, 0] = 1\"", two = "\"A[w, t, u] = 1\"";
  const std::string pair = "{thread: [t: " + x.number(2, 8) + ", u: " + x.number(2, 9) + "]}";
  switch (draws.between(1, 6)) {
    case 1:
      x.levels = {warp, "{thread: [t: " + t + "]}"};
      x.put(plain);
      break;
    case 2:
      x.levels = {warp, pair};
      x.put(two);
      break;
    case 3:
      x.levels = {group, "{thread: [t: " + t + "]}"};
      x.put(plain);
      break;
    case 4: x.levels = {group, "{warp: [t: " + draws.of(Words{"2", "3", "5"}) + "]}"}; break;
    case 5:
      x.levels = {"{block: [b: 2]}", warp};
      x.body = {x.inner("{t: " + t + "}", {"\"A[b * 2 % 2 + w, t, b] = 1\""})};
      break;
    default: x.levels = {warp}; x.body = {x.inner(pair, {two})};
  }
  for (std::string& item : x.body) {
    for (std::size_t at; (at = item.find("\"U[0]")) != item.npos;) {
      item.replace(at, item.find('"', at + 1) + 1 - at, "{do: []}");
    }
  }
  return x.text();
}

std::string side_by_side(Draws& draws) {
  Program x(draws);
  const auto size = [&] { return draws.of(std::vector<std::int64_t>{2, 3, 4, 6, 8, 9, 16, 32}); };
  const std::int64_t q = size(), r = size(), s = draws.one_in(2) ? q : size();
  const auto text = [](std::int64_t n) { return std::to_string(n); };
  x.arrays = {"A: {shape: [4, " + text(q) + "], dtype: int32}",
              "B: {shape: [4, " + text(r) + "], dtype: int32}",
              "C: {shape: [4, " + text(s) + ", 2], dtype: int32}"};
  x.levels = {"{p: 2}"};
  const std::string one = x.inner("{q: " + text(q) + "}", {"\"A[p, q] = 1\""});
  const std::string two = x.inner("{r: " + text(r) + "}", {"\"B[p, r] = 1\""});
  const std::string three =
      x.inner("{s: " + text(s) + ", z: 2}", {"\"C[p, s, z] = 1\"", "{sync: shared}"});
  switch (draws.between(1, 6)) {
    case 1: x.body = {one, two}; break;
    case 2: x.body = {two, three}; break;
    case 3: x.body = {one, x.together({two}), three}; break;
    case 4: x.body = {x.loop("k", "2", {one, two}), one.substr(0, 0) + two}; break;
    case 5: {
      const std::string kind = draws.of(Words{"cluster", "device"});
      x.levels = {};
      for (const char* name : {"b", "c"}) {
        x.body.push_back(
            x.inner("{" + kind + ": [" + name + ": " + x.number(1, 4) + "]}, {" +
                        (kind == "device" ? "block: [m" + std::string(name) + ": 2]}, {" : "") +
                        "thread: [t" + name + ": 4]}",
                    {}));
      }
      break;
    }
    default:
      x.levels = {};
      x.body = {x.inner("{b: " + x.number(2, 4) + "}, {q: " + text(q) + "}", {"\"A[b, q] = 1\""}),
                x.inner("{c: " + x.number(2, 4) + "}, {q: " + text(q) + "}", {"\"A[c, q] += 1\""})};
      for (std::size_t at; (at = x.body[1].find("q")) != x.body[1].npos;) x.body[1][at] = 'r';
      x.body[1].replace(x.body[1].find("A["), 2, "B[");
      x.arrays[1] = "B: {shape: [4, " + text(q) + "], dtype: int32}";
  }
  if (x.body.size() == 2 && x.body[1] == two && x.body[0].find("for") != std::string::npos) {
    x.body.pop_back();
  }
  return x.text();
}

std::string out_of_order(Draws& draws) {
  Program x(draws);
  const auto kind = [&] {
    return draws.of(Words{"device", "block", "cluster", "warpgroup", "warp", "thread"});
  };
  const auto level = [&](const std::string& name, const std::string& kind) {
    const std::string extent = kind == "warpgroup" || kind == "device" ? "1" : x.number(1, 2);
    return "{" + kind + ": [" + name + ": " + extent + "]}";
  };
  x.arrays = {"A: {shape: [64, 64], dtype: int32}"};
  switch (draws.between(1, 7)) {
    case 1: x.levels = {level("p", kind()), level("q", kind())}; break;
    case 2: x.levels = {level("p", kind()), level("q", kind()), level("r", kind())}; break;
    case 3: x.levels = {"{p: 2}", level("q", kind()), level("r", kind())}; break;
    case 4:
      x.levels = {draws.of(Words{"{a: 2, b: 2, c: 1, d: 3}", "{thread: [a: 1, b: 2, c: 2, d: 2]}",
                                 "{block: [a: 1, b: 2, c: 2, d: 2, e: 2]}",
                                 "{warp: [a: 1, b: 2, c: 1, d: 2]}"})};
      if (draws.one_in(2)) x.levels.push_back("{thread: [t: 32]}");
      break;
    case 5:
      x.levels = {draws.of(Words{"{}", "{thread: []}", "{block: []}", "{warp: []}"})};
      if (draws.one_in(2)) x.levels.insert(x.levels.begin(), "{block: [b: 2]}");
      break;
    case 6:
      x.levels = {"{p: " + draws.of(Words{"0", "-2", "1 - 1"}) + "}"};
      if (draws.one_in(2)) x.levels.insert(x.levels.begin(), "{warp: [w: 2]}");
      break;
    default: x.levels = {level("p", kind())}; x.body = {x.inner(level("q", kind()), {})};
  }
  return x.text();
}

std::string unlike_extents(Draws& draws) {
  Program x(draws);
  x.take_levels(32);
  const std::int64_t n = draws.between(2, 9), m = draws.between(2, 9), k = draws.between(2, 9);
  x.array("B", "10, 10");
  const auto text = [](std::int64_t e) { return std::to_string(e); };
  const std::string item = "{with: {indices: {n: " + text(n) + ", m: " + text(m) +
                           ", l: " + text(k) + "}, where: {" +
                           draws.of(Words{"m: n", "n: m", "m: n, l: m", "l: n, m: l"}) +
                           "}, do: [{for: {index: n, do: [" + x.store("U") + "]}}]}}";
  x.put(item);
  return x.text();
}

}  // namespace selvage::threads
