// Files whose schedules and statements are refused, at random.
#include "tests/report/file_items.h"
#include "tests/report/random_refusals.h"

namespace selvage::test {

namespace {

using oracle::chance;
using oracle::draw;
using oracle::pick;
using Rng = std::mt19937_64;
using Words = std::vector<std::string>;

std::string floating(Rng& rng) { return pick(rng, Words{"float", "half", "double", "bfloat16"}); }

// x of rows and columns, through a tensor that is in between.
RefusedFile chain(Rng& rng) {
  RefusedFile file;
  const std::string n = number(rng, 2, 40);
  const std::string type = floating(rng);
  file.inputs = {{"x", array(number(rng, 2, 9) + ", " + n, type)}};
  file.compute = {"t[i, j] = " + pick(rng, Words{"exp(x[i, j])", "x[i, j] + 1", "x[i, j] * 3"}),
                  "y[i, j] = t[i, j] * " + number(rng, 2, 5)};
  return file;
}

// A reduction of the last one or two of three axes.
RefusedFile reduction(Rng& rng) {
  RefusedFile file;
  const bool folds_two = chance(rng, 2);
  file.inputs = {
      {"x", array(number(rng, 2, 5) + ", " + number(rng, 2, 9) + ", " + number(rng, 2, 40),
                  floating(rng))}};
  const std::string fold = pick(rng, Words{"sum", "max", "mean", "prod"});
  file.compute = {std::string(folds_two ? "s[i]" : "s[i, j]") + " = " + fold + "(x[i, j, k])"};
  if (chance(rng, 2)) {
    file.compute.push_back(folds_two ? "y[i] = s[i] + 1" : "y[i, j] = s[i, j] + 1");
  }
  return file;
}

// E402: past 2^62, or 2^63 bytes.
RefusedFile too_large_loop(Rng& rng) {
  RefusedFile file = chain(rng);
  const std::string large = std::to_string((std::int64_t{1} << 62) + draw(rng, 1, 1'000'000));
  switch (draw(rng, 1, 4)) {
    case 1: file.inputs[0].second = array("4, " + large, "float"); break;
    case 2:
      file.inputs[0].second = array(
          number(rng, 1LL << 31, 1LL << 40) + ", " + number(rng, 1LL << 32, 1LL << 40), "half");
      break;
    case 3: file.schedule["y"] = {split("i", large, "a", "b")}; break;
    default: file.schedule["y"] = {resize("j", number(rng, 0, 3), large, "r")}; break;
  }
  return file;
}

// E414: what is not supported in kernels yet.
RefusedFile bind_to_none(Rng& rng) {
  RefusedFile file = chance(rng, 2) ? chain(rng) : reduction(rng);
  const std::string tensor = first_word(file.compute.back()).substr(0, 1);
  file.schedule[tensor] = {"{bind: {i: " + pick(rng, Words{"Group", "Bulk"}) + "}}"};
  return file;
}

// E415: inputs, outputs and folds.
RefusedFile inline_in_vain(Rng& rng) {
  RefusedFile file = chance(rng, 2) ? chain(rng) : reduction(rng);
  const std::string last = first_word(file.compute.back()).substr(0, 1);
  const std::string first = first_word(file.compute.front()).substr(0, 1);
  file.schedule[first == "s" && chance(rng, 2) ? first : chance(rng, 2) ? "x" : last] = {"inline"};
  return file;
}

// E417: a loop that is folded over with one that is not.
RefusedFile mix_loops(Rng& rng) {
  RefusedFile file = reduction(rng);
  const bool keeps_j = file.compute[0].rfind("s[i, j]", 0) == 0;
  const std::string kept = keeps_j && chance(rng, 2) ? "j" : "i";
  const std::string folded = keeps_j || chance(rng, 2) ? "k" : "j";
  const std::string pair = chance(rng, 2) ? kept + ", " + folded : folded + ", " + kept;
  file.schedule["s"] = {chance(rng, 2)
                            ? "{merge: {in: [" + pair + "], out: m}}"
                            : "{swizzle: {kind: cyclic_shift, in: [" + pair + "], out: [m, n]}}"};
  return file;
}

// E418: where nothing can be computed.
RefusedFile compute_elsewhere(Rng& rng) {
  RefusedFile file = chain(rng);
  const std::string at = pick(rng, Words{", at: i", ", at: j", ""});
  switch (draw(rng, 1, 3)) {
    case 1:  // inside of what stands inside of it
      file.schedule["t"] = {"{inline: {into: y" + at + "}}"};
      file.schedule["y"] = {"{inline: {into: t" + at + "}}"};
      break;
    case 2:  // where another reader does not see it
      file.compute.push_back("z[i, j] = t[i, j] + " + number(rng, 1, 9));
      file.schedule["t"] = {"{inline: {into: " + std::string(chance(rng, 2) ? "y" : "z") + at +
                            "}}"};
      break;
    default:  // in what has no loops
      file.compute[1] = "u[i, j] = t[i, j] * 2";
      file.compute.push_back("y[i, j] = u[i, j] + x[i, j]");
      file.schedule["u"] = {"inline"};
      file.schedule["t"] = {"{inline: {into: u" + at + "}}"};
      break;
  }
  if (chance(rng, 3)) file.schedule["y"].push_back("{bind: {i: BIDx}}");
  return file;
}

// E419: what others need to see, kept where they do not.
RefusedFile keep_in_vain(Rng& rng) {
  RefusedFile file = chance(rng, 2) ? chain(rng) : reduction(rng);
  const std::string memory = "{memory: " + pick(rng, Words{"shared", "local"}) + "}";
  const std::string last = first_word(file.compute.back());
  if (chance(rng, 2)) {
    file.schedule[last.substr(0, 1)] = {memory};
  } else {
    file.compute.push_back(file.compute.back());
    file.compute.back().replace(0, 1, "z");
    file.schedule[file.compute.size() > 2 ? first_word(file.compute[0]).substr(0, 1) : "s"] = {
        memory};
  }
  return file;
}

// E420: nothing to copy.
RefusedFile cache_in_vain(Rng& rng) {
  const std::string memory = pick(rng, Words{"shared", "local", "global"});
  if (chance(rng, 2)) {
    RefusedFile file = chain(rng);
    file.inputs.emplace_back("z", array(number(rng, 2, 9), floating(rng)));
    file.schedule["z"] = {"{cache: {as: c, memory: " + memory + "}}"};
    return file;
  }
  RefusedFile file = reduction(rng);
  file.schedule["s"] = {
      split("k", number(rng, 2, 8), "a", "b"),
      "{rfactor: {in: [" + std::string(chance(rng, 2) ? "a" : "b") + "], as: p}}"};
  file.schedule["p"] = {"{cache: {as: c, memory: " + memory + "}}"};
  return file;
}

// E421: no part of a fold.
RefusedFile factor_in_vain(Rng& rng) {
  RefusedFile file = chance(rng, 4) ? chain(rng) : reduction(rng);
  const std::string tensor = first_word(file.compute.front()).substr(0, 1);
  const bool folds_two = file.compute[0].rfind("s[i]", 0) == 0;
  const std::string all = folds_two ? (chance(rng, 2) ? "j, k" : "k, j") : "k";
  file.schedule[tensor] = {"{rfactor: {in: [" + pick(rng, Words{all, "i", ""}) + "], as: p}}"};
  if (chance(rng, 3))
    file.schedule[tensor].insert(file.schedule[tensor].begin(), "{bind: {i: BIDx}}");
  return file;
}

// E422: nothing to replay.
RefusedFile replay_nothing(Rng& rng) {
  RefusedFile file = chain(rng);
  if (chance(rng, 2)) {
    file.schedule["t"] = {"inline"};
    file.schedule["y"] = {"{like: t}"};
    return file;
  }
  file.compute[1] = "y[k] = t[" + pick(rng, Words{"0, 0", "1, 0"}) + "] * w[k]";
  file.inputs.emplace_back("w", array(number(rng, 2, 50), "float"));
  file.schedule["y"] = {split("k", number(rng, 2, 8), "a", "b")};
  file.schedule["t"] = {"{like: y}"};
  return file;
}

// E442: past the hardware's limits.
RefusedFile too_many_bindings(Rng& rng) {
  RefusedFile file;
  const std::string rows = number(rng, 2, 9), type = floating(rng);
  file.compute = {"y[i, j] = x[i, j] * 2"};
  switch (draw(rng, 1, 7)) {
    case 1:
      file.inputs = {{"x", array(rows + ", " + number(rng, 1025, 100'000), type)}};
      file.schedule["y"] = {"{bind: {j: " + pick(rng, Words{"TIDx", "TIDy", "TIDz"}) + "}}"};
      break;
    case 2:
      file.inputs = {{"x", array(number(rng, 65'536, 99'999) + ", " + rows, type)}};
      file.schedule["y"] = {"{bind: {i: " + pick(rng, Words{"BIDy", "BIDz"}) + "}}"};
      break;
    case 3:
      file.inputs = {{"x", array(number(rng, 40, 1024) + ", " + number(rng, 40, 900), type)}};
      file.schedule["y"] = {"{bind: {i: " + pick(rng, Words{"TIDx", "TIDy"}) + "}}",
                            "{bind: {j: " + pick(rng, Words{"TIDx", "TIDy"}) + "}}"};
      break;
    case 7:  // rows that are folded over by whole warps
      file.inputs = {{"x", array(number(rng, 33, 200) + ", " + number(rng, 2, 60), type)}};
      file.compute = {"y[i] = sum(x[i, j])"};
      file.schedule["y"] = {"{bind: {i: TIDy, j: TIDx}}"};
      break;
    case 4:  // two nests of one kernel
      file.inputs = {{"x", array(rows + ", " + number(rng, 1025, 9'999), type)}};
      file.compute = {"t[i, j] = x[i, j] + 1", "y[i, j] = fill(t[i, j + 1], 0) * 2"};
      file.schedule["t"] = {"{bind: {j: TIDx}}", "{memory: global}"};
      file.schedule["y"] = {"{bind: {j: TIDx}}"};
      break;
    case 5: {  // shared memory, registers
      const bool is_shared = chance(rng, 2);
      file.inputs = {{"x", array(rows + ", " + number(rng, 300'000, 900'000), type)}};
      file.schedule["x"] = {
          "{cache: {as: c, memory: " + std::string(is_shared ? "shared" : "local") + ", at: i}}"};
      file.schedule["y"] = {"{bind: {i: BIDx}}"};
      break;
    }
    default:  // states of a fold
      file.inputs = {{"x", array(number(rng, 300'000, 900'000) + ", " + rows, type)}};
      file.compute = {"y[i] = " + pick(rng, Words{"sum", "mean", "var"}) + "(x[i, j])"};
      file.schedule["y"] = {"{reorder: [j, i]}"};
      break;
  }
  return file;
}

// E501: extents that differ.
RefusedFile unlike_extents(Rng& rng) {
  RefusedFile file;
  const std::int64_t n = draw(rng, 2, 40);
  const std::string other = chance(rng, 3) ? "1" : std::to_string(n + draw(rng, 1, 9));
  const std::string op = pick(rng, Words{" + ", " * ", " - "});
  if (chance(rng, 2)) {
    file.inputs = {{"a", array(std::to_string(n), "float")}, {"b", array(other, floating(rng))}};
    file.compute = {"y[i] = a[i]" + op + "b[i]"};
  } else {
    file.inputs = {{"a", array("50, " + std::to_string(n), "float")},
                   {"b", array(other, floating(rng))}};
    file.compute = {"y[i, j] = a[i, j]" + op + "b[j]"};
  }
  return file;
}

// E503: another number of subscripts.
RefusedFile other_rank(Rng& rng) {
  RefusedFile file;
  const std::string m = number(rng, 2, 9), n = number(rng, 2, 9);
  file.inputs = {{"a", array(m + ", " + n, floating(rng))}, {"b", array(m, "float")}};
  file.compute = {pick(
      rng, Words{"y[i] = a[i] + b[i]", "y[i, j] = a[i, j] * b[i, j]", "y[i, j] = a[i, j, 0] + b[i]",
                 "y[i] = b[i] - a[i]", "y[i, j] = exp(a[i, j]) * b[i, j, 0]"})};
  return file;
}

// E504: an index of nobody's.
RefusedFile free_index(Rng& rng) {
  RefusedFile file;
  const std::string m = number(rng, 2, 9), n = number(rng, 2, 9);
  file.inputs = {{"a", array(m + ", " + n, floating(rng))}, {"b", array(m, "float")}};
  file.outputs = {{"y", chance(rng, 2) ? "{}" : "{shape: [" + m + "]}"}};
  file.compute = {pick(rng, Words{"y[i] = a[i, j] * b[i]", "y[i] = a[i, j]",
                                  "y[i] = exp(a[i, j]) + 1", "y[i] = b[i] - a[i, j]"})};
  return file;
}

// E506: integers without a type in common.
RefusedFile unlike_integers(Rng& rng) {
  RefusedFile file;
  const std::string n = number(rng, 2, 40), op = pick(rng, Words{" + ", " * ", " - "});
  switch (draw(rng, 1, 4)) {
    case 1:
      file.inputs = {{"a", array(n, pick(rng, Words{"int8", "uint8"}))}};
      file.compute = {"y[i] = a[i]" + op + number(rng, 256, 70'000)};
      break;
    case 2:
      file.inputs = {{"a", array(n, pick(rng, Words{"int8", "uint16", "int32", "uint32"}))}};
      file.compute = {"y[i] = a[i]" + op + number(rng, 5'000'000'000, 90'000'000'000)};
      break;
    case 3:
      file.inputs = {{"a", array(n, "uint64")}};
      file.compute = {"y[i] = a[i]" + op + "(-" + number(rng, 1, 99) + ")"};
      break;
    default:
      file.inputs = {{"a", array(n, "uint64")},
                     {"b", array(n, pick(rng, Words{"int8", "int16", "int32", "int64"}))}};
      file.compute = {chance(rng, 2) ? "y[i] = a[i]" + op + "b[i]" : "y[i] = b[i]" + op + "a[i]"};
      break;
  }
  return file;
}

// E330: lists that wait for each other. E331: said twice.
RefusedFile wait_for_each_other(Rng& rng) {
  RefusedFile file = chain(rng);
  file.schedule["t"] = {"{like: y}"};
  file.schedule["y"] = {"{like: t}"};
  if (chance(rng, 2)) file.schedule["y"].push_back("{bind: {i: BIDx}}");
  return file;
}
RefusedFile place_twice(Rng& rng) {
  RefusedFile file = chain(rng);
  for (int k = 0; k < 2; ++k) {
    file.schedule["t"].push_back("{inline: {into: y" + pick(rng, Words{", at: i", ", at: j", ""}) +
                                 "}}");
  }
  return file;
}

}  // namespace

const std::map<std::string, RandomFile>& schedule_refusals() {
  static const std::map<std::string, RandomFile> all = {
      {"E330", wait_for_each_other}, {"E331", place_twice},    {"E402", too_large_loop},
      {"E414", bind_to_none},        {"E415", inline_in_vain}, {"E417", mix_loops},
      {"E418", compute_elsewhere},   {"E419", keep_in_vain},   {"E420", cache_in_vain},
      {"E421", factor_in_vain},      {"E422", replay_nothing}, {"E442", too_many_bindings},
      {"E501", unlike_extents},      {"E503", other_rank},     {"E504", free_index},
      {"E506", unlike_integers},
  };
  return all;
}

}  // namespace selvage::test
