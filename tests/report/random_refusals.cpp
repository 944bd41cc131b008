#include "tests/report/random_refusals.h"

#include <functional>
#include <map>

#include "tests/report/file_items.h"
#include "tests/report/random_tile_refusals.h"

namespace selvage::test {

namespace {

using oracle::chance;
using oracle::draw;
using oracle::pick;
using Rng = std::mt19937_64;

// A size N, or a number of that name's sort.
std::string size_of(RefusedFile& file, Rng& rng, const std::string& name, std::int64_t lo = 5,
                    std::int64_t hi = 40) {
  if (chance(rng, 2)) return number(rng, lo, hi);
  file.symbols[name]["min"] = draw(rng, 1, 4);
  return name;
}

// E440: a window past the end of what is read; by a relation of sizes, a multiple or a fill.
RefusedFile read_outside(Rng& rng) {
  RefusedFile file;
  const std::string by = number(rng, 1, 5), of = number(rng, 2, 8);
  switch (draw(rng, 1, 5)) {
    case 1: {  // as long as what is read
      const std::string n = size_of(file, rng, "N");
      file.inputs = {{"x", array(n, element_type(rng))}, {"z", array(n, "float")}};
      file.compute = {"y[i] = x[i + " + by + "] + z[i]"};
      break;
    }
    case 2:  // of two sizes
      file.symbols["M"]["min"] = draw(rng, 1, 3);
      file.symbols["N"]["min"] = draw(rng, 1, 3);
      file.inputs = {{"x", array("M", element_type(rng))}, {"z", array("N", "float")}};
      file.compute = {"y[i] = x[i * " + number(rng, 2, 3) + " + " + by + "] * z[i]"};
      break;
    case 3:  // inside only where N is a multiple
      file.symbols["N"]["min"] = 16;
      file.inputs = {{"x", array("N / " + of + " * " + of, element_type(rng))},
                     {"z", array("N - 1", "half")}};
      file.compute = {"y[i] = x[i + 1] + z[i]"};
      break;
    case 4: {  // behind a tensor that is inlined
      const std::string n = size_of(file, rng, "N"), m = size_of(file, rng, "M", 2, 6);
      file.inputs = {{"x", array(m + ", " + n, element_type(rng))},
                     {"z", array(m + ", " + n, "float")}};
      file.compute = {"t[i, j] = x[i, j + " + by + "] + z[i, j]", "y[i, j] = t[i, j] * 2"};
      break;
    }
    default: {  // read only in part: fill() around the reader
      const std::string n = size_of(file, rng, "N", 9, 40);
      file.inputs = {{"x", array(n, element_type(rng))}, {"z", array(n, "float")}};
      file.compute = {"t[i] = x[i + " + by + "] + z[i]",
                      "y[i] = fill(t[i - " + number(rng, 1, 3) + "], 0) + z[i]"};
      break;
    }
  }
  return file;
}

// E432: another iteration, another block, another thread.
RefusedFile read_elsewhere(Rng& rng) {
  RefusedFile file;
  const std::string n = size_of(file, rng, "N"), m = number(rng, 2, 9), by = number(rng, 1, 3);
  file.inputs = {{"x", array(m + ", " + n, "float")}, {"z", array(m + ", " + n, "float")}};
  file.compute = {"t[i, j] = x[i, j] + 1", "y[i, j] = t[i, j] * z[i, j]"};
  switch (draw(rng, 1, 4)) {
    case 1:  // of a loop that is shared
      file.compute[1] = "y[i, j] = fill(t[i - " + by + ", j], 0) * z[i, j]";
      file.schedule["t"] = {chance(rng, 2) ? "{inline: {into: y, at: j}}"
                                           : "{inline: {into: y, at: i}}"};
      if (chance(rng, 2)) file.schedule["y"] = {"{bind: {i: BIDx}}"};
      break;
    case 2:  // of its own loop, bound to a block
      file.schedule["t"] = {"{split: {in: j, factor: " + number(rng, 2, 8) +
                                ", out: [a, b], inner: " + (chance(rng, 2) ? "true" : "false") +
                                "}}",
                            "{bind: {a: BIDx}}", "{inline: {into: y, at: i}}"};
      if (chance(rng, 2)) file.schedule["y"] = {"{bind: {j: TIDx}}"};
      break;
    case 3:  // a scalar of another block
      file.inputs = {{"x", array(m, "float")}};
      file.compute = {"t[i] = x[i] + 1", "y[] = t[0] * 2"};
      file.schedule["t"] = {resize("i", by, "0", "a"), "{bind: {a: BIDx}}", "{inline: {into: y}}"};
      break;
    default: {  // of registers
      file.inputs = {{"x", array(m + ", 64", "float")}, {"z", array(m + ", 64", "float")}};
      file.compute[1] = "y[i, j] = fill(t[i, j + " + by + "], 0) * z[i, j]";
      file.schedule["t"] = {"{bind: {j: TIDx}}", "{memory: local}", "{inline: {into: y, at: i}}"};
      file.schedule["y"] = {"{bind: {i: BIDx, j: TIDx}}"};
      break;
    }
  }
  return file;
}

// E433: rows whose length is no number.
RefusedFile keep_unknown(Rng& rng) {
  RefusedFile file;
  file.symbols["N"]["min"] = draw(rng, 1, 4);
  const std::string memory = chance(rng, 2) ? "local" : "shared";
  file.inputs = {{"x", array(number(rng, 2, 9) + ", N", "float")}};
  switch (draw(rng, 1, 3)) {
    case 1:
      file.compute = {"y[i, j] = x[i, j] * 2"};
      file.schedule["x"] = {"{cache: {as: r, memory: " + memory + ", at: i}}"};
      break;
    case 2:
      file.compute = {"t[i, j] = x[i, j] + 1", "y[i, j] = t[i, j] * 2"};
      file.schedule["t"] = {"{memory: " + memory + "}", "{inline: {into: y, at: i}}"};
      break;
    default:
      file.compute = {"y[j] = sum(x[i, j])"};
      file.schedule["y"] = {"{reorder: [i, j]}"};
      break;
  }
  if (chance(rng, 2) && file.compute.size() < 2 && file.schedule.contains("x")) {
    file.schedule["y"] = {"{bind: {i: BIDx}}"};
  }
  return file;
}

std::string fold(Rng& rng) {
  return pick(rng, std::vector<std::string>{"sum", "max", "min", "mean", "prod", "var", "argmax"});
}

std::string scan(Rng& rng) {
  return pick(rng, std::vector<std::string>{"cumsum", "cumprod", "cummax", "cummin", "cumfmax"});
}

// E434: blocks that fold, or scan.
RefusedFile fold_by_blocks(Rng& rng) {
  RefusedFile file;
  const std::string n = size_of(file, rng, "N");
  file.inputs = {{"x", array(number(rng, 2, 9) + ", " + n, element_type(rng))}};
  const bool is_scan = chance(rng, 4);
  file.compute = {is_scan ? "s[i, j] = " + scan(rng) + "[j](x[i, j])"
                          : "s[i] = " + fold(rng) + "(x[i, j])"};
  const std::string block = pick(rng, std::vector<std::string>{"BIDx", "BIDy", "BIDz"});
  if (chance(rng, 2)) {
    file.schedule["s"] = {"{bind: {j: " + block + "}}"};
  } else {
    file.schedule["s"] = {
        split("j", number(rng, 2, 8), "a", "b"),
        chance(rng, 2) ? "{bind: {a: " + block + ", b: TIDx}}" : "{bind: {a: " + block + "}}"};
  }
  if (chance(rng, 3)) {
    file.compute.push_back(is_scan ? "y[i, j] = s[i, j] * 2" : "y[i] = s[i] * 2");
  }
  return file;
}

// E444: loops that do not go along the axis in order.
RefusedFile scan_out_of_order(Rng& rng) {
  RefusedFile file;
  const std::string n = size_of(file, rng, "N");
  file.inputs = {{"x", array(number(rng, 2, 9) + ", " + n, element_type(rng))}};
  file.compute = {"s[i, j] = " + scan(rng) + "[j](x[i, j])"};
  std::vector<std::string>& list = file.schedule["s"];
  list = {split("j", draw(rng, 2, 8), "a", "b")};
  switch (draw(rng, 1, 2)) {
    case 1:
      list.push_back(
          pick(rng, std::vector<std::string>{"{reorder: [i, b, a]}", "{reorder: [b, i, a]}",
                                             "{reorder: [b, a, i]}"}));
      break;
    default:
      list.insert(list.begin(), split("j", 64, "j_o", "j_i"));
      list[1] = split("j_i", draw(rng, 2, 8), "a", "b");
      list.push_back("{bind: {j_o: TIDy, b: TIDx}}");
      break;
  }
  if (chance(rng, 3)) list.push_back("{bind: {i: BIDx}}");
  return file;
}

// E423: folds in which blocks cannot meet.
RefusedFile meet_in_vain(Rng& rng) {
  RefusedFile file;
  const std::string n = size_of(file, rng, "N");
  file.inputs = {{"x", array(number(rng, 2, 9) + ", " + n, "half")}};
  switch (draw(rng, 1, 3)) {
    case 1:
      file.compute = {
          "s[i] = " + pick(rng, std::vector<std::string>{"mean", "prod", "var", "argmax"}) +
          "(x[i, j])"};
      file.schedule["s"] = {"{bind: {j: BIDx}}", "{blocks: atomic}"};
      break;
    case 2:
      file.compute = {"s[i] = sum(x[i, j])"};
      file.schedule["s"] = {"{bind: {j: BIDx}}", "{blocks: atomic}"};
      break;
    default:
      file.compute = {"s[i, j] = x[i, j] + 1"};
      file.schedule["s"] = {"{bind: {j: BIDx}}", "{blocks: atomic}"};
      break;
  }
  return file;
}

// E413: one type twice.
RefusedFile bind_twice(Rng& rng) {
  RefusedFile file;
  const std::string m = number(rng, 2, 9), n = number(rng, 2, 30);
  const std::string one = pick(rng, std::vector<std::string>{"TIDx", "TIDy", "BIDx", "BIDz"});
  file.inputs = {{"x", array(m + ", " + n, "float")}};
  switch (draw(rng, 1, 3)) {
    case 1:
      file.compute = {"y[i, j] = x[i, j] * 2"};
      file.schedule["y"] = {"{bind: {i: " + one + "}}", "{bind: {j: " + one + "}}"};
      break;
    case 2:  // a loop that is shared
      file.compute = {"t[i, j] = x[i, j] + 1", "y[i, j] = t[i, j] * 2"};
      file.schedule["y"] = {"{bind: {i: TIDx}}"};
      file.schedule["t"] = {chance(rng, 2) ? "{bind: {i: TIDy}}" : "{bind: {j: TIDx}}",
                            "{inline: {into: y, at: i}}"};
      break;
    default:  // parts of a fold
      file.compute = {"s[i] = sum(x[i, j])"};
      file.schedule["s"] = {split("j", number(rng, 2, 8), "a", "b"), "{rfactor: {in: [b], as: p}}",
                            "{bind: {a: TIDx}}"};
      file.schedule["p"] = {chance(rng, 2) ? "{bind: {a: BIDx, b: TIDx}}" : "{bind: {b: TIDx}}"};
      break;
  }
  return file;
}

// E435: stored again and again.
RefusedFile store_again(Rng& rng) {
  RefusedFile file;
  const std::string m = number(rng, 2, 9), n = size_of(file, rng, "N");
  file.inputs = {{"x", array(n, "float")}, {"z", array(m + ", " + n, "float")}};
  file.compute = {"t[j] = x[j] + 1", "y[i, j] = t[j] * z[i, j]"};
  file.schedule["t"] = {"{memory: global}", "{inline: {into: y, at: i}}"};
  if (chance(rng, 2))
    file.schedule["y"] = {"{bind: {i: " + std::string(chance(rng, 2) ? "BIDx" : "TIDx") + "}}"};
  if (chance(rng, 3)) {
    file.outputs = {{"t", "{}"}, {"y", "{}"}};
    file.schedule["t"] = {"{inline: {into: y, at: i}}"};
  }
  return file;
}

// E431: what a resize leaves out.
RefusedFile lose_items(Rng& rng) {
  RefusedFile file;
  const std::string left = number(rng, -2, 1), right = number(rng, -3, -1);
  if (chance(rng, 2)) {
    file.inputs = {{"x", array(number(rng, 8, 20), "float")}};
    file.compute = {"y[i] = x[i] * 2"};
    file.schedule["y"] = {resize("i", left, right, "r")};
    return file;
  }
  RefusedFile::Tensor& t = file.tensor.emplace();
  t.logical = {{"I0", number(rng, 8, 20)}, {"I1", number(rng, 2, 6)}};
  t.transforms = {resize("I0", left, right, "I2"), split("I2", number(rng, 2, 5), "I3", "I4")};
  if (chance(rng, 2)) t.rest = {"duplicates: allowed"};
  return file;
}

// E436: a cache that nobody cuts up for the threads.
RefusedFile leave_to_one_thread(Rng& rng) {
  RefusedFile file;
  const std::string m = number(rng, 2, 9), n = number(rng, 33, 64);
  file.inputs = {{"x", array(m + ", " + n, "float")}, {"z", array(m + ", " + n, "float")}};
  file.compute = {"t[i, j] = x[i, j] + 1",
                  "y[i, j] = fill(t[i, j + " + number(rng, 1, 3) + "], 0) * z[i, j]"};
  file.schedule["y"] = {"{bind: {i: BIDx, j: TIDx}}"};
  file.schedule["t"] = {"{memory: shared}", "{inline: {into: y, at: i}}"};
  return file;
}

// E450 to E452: vectors of random tensors.
RefusedFile wrong_vector(Rng& rng, const std::vector<std::string>& factors) {
  RefusedFile file;
  RefusedFile::Tensor& t = tensor(file, rng);
  const std::int64_t axes = draw(rng, 1, 3);
  std::vector<std::int64_t> extents;
  std::vector<std::string> open;
  for (std::int64_t k = 0; k < axes; ++k) {
    extents.push_back(draw(rng, 3, 20));
    open.push_back("I" + std::to_string(k));
    t.logical.emplace_back(open.back(), std::to_string(extents.back()));
  }
  std::int64_t next = axes;
  const auto name = [&] { return "I" + std::to_string(next++); };
  if (chance(rng, 2) && axes > 1) {  // with gaps
    std::int64_t stride = 1;
    std::string strides;
    for (std::int64_t k = axes; k-- > 0; stride *= extents[std::size_t(k)] + draw(rng, 0, 4)) {
      strides = std::to_string(stride) + (strides.empty() ? "" : ", ") + strides;
    }
    t.strides = "[" + strides + "]";
  }
  if (chance(rng, 3)) {
    const std::string out = name();
    t.transforms.push_back("{resize: {in: " + open.back() + ", left: " + number(rng, 0, 3) +
                           ", right: " + number(rng, 0, 3) + ", out: " + out + "}}");
    open.back() = out;
  }
  if (axes > 1 && chance(rng, 2)) {
    const std::string out = name(), last = open.back();
    open.pop_back();
    t.transforms.push_back(merge(open.back(), last, out));
    open.back() = out;
  }
  const std::size_t at = chance(rng, 4) ? 0 : open.size() - 1;
  const std::string o = name(), v = name();
  t.transforms.push_back(split(open[at], pick(rng, factors), o, v));
  open[at] = o;
  open.insert(open.begin() + std::ptrdiff_t(at) + 1, v);
  t.loop = open;
  t.bind = {{v, "Vectorize"}};
  if (chance(rng, 3)) t.bind.emplace_back(open[0] == v ? o : open[0], "BIDx");
  if (chance(rng, 3)) t.rest = {"duplicates: allowed"};
  return file;
}

// E401 and E403: of sizes that may be too small.
RefusedFile small_factor(Rng& rng) {
  RefusedFile file;
  file.symbols["K"]["min"] = draw(rng, 1, 3);
  RefusedFile::Tensor& t = file.tensor.emplace();
  t.logical = {{"I0", number(rng, 8, 99)}};
  const std::string less = number(rng, 3, 40);
  const std::string factor = chance(rng, 2) ? "K - " + less : "K / " + less;
  t.transforms = {split("I0", factor, "I1", "I2")};
  return file;
}
RefusedFile small_extent(Rng& rng) {
  RefusedFile file;
  file.symbols["N"]["min"] = draw(rng, 1, 3);
  RefusedFile::Tensor& t = file.tensor.emplace();
  t.logical = {{"I0", chance(rng, 2) ? "N" : "2 * N"}};
  t.transforms = {"{resize: {in: I0, left: -" + number(rng, 1, 9) + ", right: -" +
                  number(rng, 5, 30) + ", out: I1}}"};
  return file;
}

// E404: columns that no power of two divides.
RefusedFile wrong_swizzle(Rng& rng) {
  RefusedFile file;
  RefusedFile::Tensor& t = file.tensor.emplace();
  t.logical = {{"I0", number(rng, 3, 9)}, {"I1", std::to_string(2 * draw(rng, 1, 9) + 1)}};
  if (chance(rng, 3)) {
    file.symbols["N"]["min"] = 1;
    t.logical[1].second = "N";
  }
  t.transforms = {swizzle("xor", "I0", "I1", "I2", "I3")};
  return file;
}

const std::map<std::string, RandomFile>& other_refusals() {
  static const std::map<std::string, RandomFile> all = {
      {"E401", small_factor},
      {"E403", small_extent},
      {"E404", wrong_swizzle},
      {"E413", bind_twice},
      {"E423", meet_in_vain},
      {"E431", lose_items},
      {"E432", read_elsewhere},
      {"E433", keep_unknown},
      {"E434", fold_by_blocks},
      {"E435", store_again},
      {"E436", leave_to_one_thread},
      {"E440", read_outside},
      {"E444", scan_out_of_order},
      {"E450",
       [](Rng& rng) {
         return wrong_vector(rng, {"3", "5", "6", "12", "32"});
       }},
      {"E451",
       [](Rng& rng) {
         return wrong_vector(rng, {"2", "4", "8"});
       }},
      {"E452",
       [](Rng& rng) {
         return wrong_vector(rng, {"2", "4"});
       }},
  };
  static const auto joined = [] {
    auto list = all;
    list.merge(tile_refusals());
    list.merge(fill_refusals());
    return list;
  }();
  return joined;
}

const std::map<std::string, RandomFile>& makers() {
  static const auto all = [] {
    std::map<std::string, RandomFile> joined = other_refusals();
    joined.insert(schedule_refusals().begin(), schedule_refusals().end());
    return joined;
  }();
  return all;
}

}  // namespace

std::vector<std::string> refused_codes() {
  std::vector<std::string> codes;
  for (const auto& [code, maker] : makers()) codes.push_back(code);
  return codes;
}

RefusedFile random_file_refused_with(const std::string& code, std::mt19937_64& rng) {
  return makers().at(code)(rng);
}

}  // namespace selvage::test
