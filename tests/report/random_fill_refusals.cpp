#include <selvage/base/words.h>

#include "tests/report/file_items.h"
#include "tests/report/random_tile_refusals.h"

namespace selvage::test {

namespace {

using oracle::chance;
using oracle::draw;
using oracle::pick;
using Rng = std::mt19937_64;
using FileTensor = RefusedFile::Tensor;
using std::to_string;

// A size of that name, or a number.
std::string size(RefusedFile& file, Rng& rng, const std::string& name, std::int64_t lo,
                 std::int64_t hi) {
  if (!chance(rng, 4)) return number(rng, lo, hi);
  file.symbols[name]["min"] = draw(rng, 1, 3);
  return name;
}

void allow_duplicates(FileTensor& t) { t.rest.push_back("duplicates: allowed"); }

// I0 in tiles that do not divide it, or perhaps do, which lie in memory as they are iterated. With
// `nested` ones the places in a tile of f are cut by less, which does not divide f.
FileTensor& carried(RefusedFile& file, Rng& rng, bool nested = false) {
  FileTensor& t = tensor(file, rng);
  const std::int64_t f = nested ? pick(rng, std::vector<std::int64_t>{3, 5, 7}) : draw(rng, 2, 6);
  t.logical = {{"I0", size(file, rng, "N", f + 1, 40)}, {"I1", number(rng, 2, 6)}};
  t.transforms = {split("I0", f, "a", "b")};
  t.loop = {"a", "b", "I1"};
  if (nested) {
    t.transforms.push_back(split("b", f == 3 ? 2 : draw(rng, 2, f - 2), "e", "g"));
    t.loop = {"a", "e", "g", "I1"};
    if (chance(rng, 6)) {  // perhaps it does
      file.symbols["N"]["min"] = draw(rng, 1, 3);
      t.transforms = {split("I0", "N * N + N", "a", "b"), split("b", 2, "e", "g")};
    }
  } else if (chance(rng, 6)) {  // even, but nothing here knows that
    file.symbols["N"]["min"] = draw(rng, 1, 3);
    t.logical[0].second = "N * N + N";
    t.transforms = {split("I0", 2, "a", "b")};
  }
  if (chance(rng, 2)) {
    t.transforms.push_back(split("I1", draw(rng, 2, 4), "c", "d"));
    t.loop.back() = "c";
    t.loop.push_back("d");
  }
  std::string allocation;
  std::vector<std::string> axes = t.loop;
  if (chance(rng, 3)) oracle::shuffle(rng, axes);
  for (const std::string& loop : axes) allocation += (allocation.empty() ? "" : ", ") + loop;
  t.rest = {"allocation: [" + allocation + "]"};
  return t;
}

// E443: items that have no place, or stores past the memory.
RefusedFile lies_outside(Rng& rng) {
  RefusedFile file;
  FileTensor& t = tensor(file, rng);
  const std::string n = size(file, rng, "N", 3, 30);
  const std::int64_t left = draw(rng, 0, 2), right = draw(rng, 1, 4);
  switch (draw(rng, 1, 4)) {
    case 1:  // a view that grows
      t.logical = {{"w", ""}};
      t.rest = {"root: {I0: " + n + "}", "view: [" + resize("I0", left, right, "w") + "]",
                "allocation: [I0]"};
      t.loop = {"w"};
      break;
    case 2:  // the same, cut up
      t.logical = {{"w", ""}, {"I1", ""}};
      t.rest = {"root: {I0: " + n + ", I1: " + number(rng, 2, 9) + "}",
                "view: [" + resize("I0", left, right, "w") + "]",
                chance(rng, 2) ? "allocation: [I0, I1]" : "allocation: [I1, I0]"};
      t.transforms = {split("w", draw(rng, 2, 5), "a", "b")};
      t.loop = {"a", "b", "I1"};
      if (chance(rng, 2)) t.strides = "[" + number(rng, 40, 50) + ", 1]";
      break;
    case 3: {  // one that grows by nothing, but nobody knows that
      const bool by_two = chance(rng, 2);
      file.symbols["N"]["min"] = draw(rng, 1, 3);
      t.logical = {{"w", ""}};
      t.rest = {"root: {I0: N}",
                std::string("view: [{resize: {in: I0, left: 0, right: ") +
                    (by_two ? "(N * N + N) % 2" : "(N * N * N - N) % 3") + ", out: w}}]",
                "allocation: [I0]"};
      t.loop = {"w"};
      break;
    }
    default:  // merged rows that grow
      t.logical = {{"w", ""}};
      t.rest = {"root: {I0: " + n + ", I1: " + number(rng, 2, 9) + "}",
                "view: [{merge: {in: [I0, I1], out: m}}, " + resize("m", left, right, "w") + "]",
                chance(rng, 2) ? "allocation: [I0, I1]" : "allocation: [m]"};
      t.loop = {"w"};
      break;
  }
  if (chance(rng, 3)) allow_duplicates(t);
  return file;
}

// E470: values that the type does not have.
RefusedFile no_such_fill(Rng& rng) {
  RefusedFile file;
  FileTensor& t = carried(file, rng);
  t.dtype = pick(rng, std::vector<std::string>{"half", "int8", "uint8", "int16", "uint16", "int32",
                                               "uint32", "float", "bfloat16", "uint64"});
  const std::int64_t value = (std::int64_t{1} << draw(rng, 7, 62)) + draw(rng, 1, 99);
  t.rest.push_back("fill: " + to_string(chance(rng, 3) ? -value : value));
  return file;
}

std::string read(Rng& rng, const std::string& loops, bool is_guarded, bool counts = false) {
  std::string text = "read: {" + loops;
  if (counts || chance(rng, 2)) {
    const std::string fold = pick(rng, counts ? std::vector<std::string>{"sum", "prod", "mean"}
                                              : std::vector<std::string>{"sum", "max", "min"});
    text += ", reduce: " + fold;
  }
  return text + (is_guarded ? "}" : ", guard: false}");
}

// E471: stores from holes of the nest into holes of memory.
RefusedFile overwritten(Rng& rng) {
  RefusedFile file;
  FileTensor& t = carried(file, rng, !chance(rng, 8));
  const bool is_read = chance(rng, 2);
  if (is_read) {
    t.rest.push_back("memory: shared");
    t.rest.push_back(read(rng, "loop: [" + joined(t.loop) + "]", chance(rng, 2), true));
  }
  if (!is_read || chance(rng, 2)) t.rest.push_back("fill: 0");
  if (chance(rng, 8)) {  // rows that reach into one another
    t.rest[0] = "allocation: [a, b, I1]";
    t.transforms = {t.transforms[0]};
    t.loop = {"a", "b", "I1"};
    t.strides = "[" + number(rng, 2, 9) + ", " + number(rng, 1, 9) + ", 1]";
    t.rest.erase(t.rest.begin() + 1, t.rest.end());
    t.rest.push_back("fill: 0");
  }
  allow_duplicates(t);
  return file;
}

// E472: a reader of loops that are larger than the buffer.
RefusedFile fill_outside(Rng& rng) {
  RefusedFile file;
  const bool is_carried = chance(rng, 2), is_row = chance(rng, 2), is_guarded = chance(rng, 8);
  FileTensor& t = is_carried ? carried(file, rng) : tensor(file, rng);
  if (!is_carried) {
    const std::int64_t columns = draw(rng, 2, 9);
    t.logical = {{"I0", size(file, rng, "N", 3, 9)}, {"I1", to_string(columns)}};
    t.loop = {"I0", "I1"};
    if (chance(rng, 2)) t.strides = "[" + to_string(columns + draw(rng, 0, 3)) + ", 1]";
  }
  t.rest.push_back("memory: shared");
  const std::string grown = is_row ? "I0" : "I1", loops = is_row ? "x, I1" : "I0, x";
  const std::string by = resize(grown, draw(rng, 0, 2), draw(rng, 1, 9), "x");
  t.rest.push_back(read(rng, "transforms: [" + by + "], loop: [" + loops + "]", is_guarded));
  if (chance(rng, is_guarded ? 1 : 4)) allow_duplicates(t);
  if (chance(rng, 4)) t.rest.push_back("fill: 0");
  return file;
}

// The same of a view, of which memory has not every item.
RefusedFile read_nowhere(Rng& rng) {
  RefusedFile file = lies_outside(rng);
  FileTensor& t = *file.tensor;
  t.rest.push_back("memory: shared");
  t.rest.push_back(read(rng, "loop: [" + joined(t.loop) + "]", chance(rng, 2)));
  return file;
}

// E473: a reader that runs on into the next row, or that duplicates lead there.
RefusedFile read_twice(Rng& rng) {
  RefusedFile file;
  if (chance(rng, 3)) {
    FileTensor& t = carried(file, rng, true);
    t.rest.push_back("memory: shared");
    t.rest.push_back(read(rng, "loop: [" + joined(t.loop) + "]", chance(rng, 2), true));
    if (chance(rng, 2)) t.rest.push_back("fill: 0");
    allow_duplicates(t);
    t.rest[0] = "allocation: [I0, I1]";
    t.strides = "[" + number(rng, 9, 12) + ", 1]";
    return file;
  }
  const bool is_carried = chance(rng, 2);
  FileTensor& t = is_carried ? carried(file, rng) : tensor(file, rng);
  if (!is_carried) {
    t.logical = {{"I0", size(file, rng, "N", 3, 9)}, {"I1", number(rng, 3, 9)}};
    t.loop = {"I0", "I1"};
    if (chance(rng, 2)) t.strides = "[" + number(rng, 9, 11) + ", 1]";
  }
  t.rest.push_back("memory: shared");
  const std::string column = is_carried ? "I0" : "I1";
  const std::string loops = is_carried ? "x, y, I1" : "I0, x, y";
  const bool is_guarded = chance(rng, 8);
  t.rest.push_back(read(
      rng, "transforms: [" + split(column, draw(rng, 3, 12), "x", "y") + "], loop: [" + loops + "]",
      is_guarded, true));
  if (is_guarded || chance(rng, 6)) allow_duplicates(t);
  return file;
}

// E474: a fill that is not what the reduction begins with.
RefusedFile other_identity(Rng& rng) {
  RefusedFile file;
  const bool has_duplicates = chance(rng, 4);
  FileTensor& t = carried(file, rng, has_duplicates || chance(rng, 2));
  t.rest.push_back("memory: shared");
  t.rest.push_back("fill: " + number(rng, 2, 99));
  const std::vector<std::string> folds = {"sum", "prod", "max", "min", "mean", "any", "all"};
  const std::string reader = "read: {loop: [" + joined(t.loop) + "], reduce: " + pick(rng, folds);
  if (has_duplicates) {
    allow_duplicates(t);
    t.rest.push_back(reader + "}");
  } else {
    t.rest.push_back(reader + ", guard: false}");
  }
  return file;
}

// E475: holes that nobody fills.
RefusedFile unfilled(Rng& rng) {
  RefusedFile file;
  if (chance(rng, 2)) {
    carried(file, rng);
  } else {
    FileTensor& t = tensor(file, rng);
    const std::int64_t columns = draw(rng, 2, 9);
    t.logical = {{"I0", size(file, rng, "N", 3, 9)}, {"I1", to_string(columns)}};
    t.loop = {"I0", "I1"};
    t.strides = "[" + to_string(columns + draw(rng, 1, 3)) + ", 1]";
  }
  file.tensor->rest.push_back("fill: " + number(rng, -9, 99));
  return file;
}

// E453: vectors in rows of even length of which nothing here knows that they are.
RefusedFile open_vector(Rng& rng) {
  RefusedFile file;
  FileTensor& t = tensor(file, rng);
  const bool is_wide = t.dtype != "double" && chance(rng, 2);
  file.symbols["N"]["min"] = draw(rng, 1, 3);
  const std::string even =
      pick(rng, std::vector<std::string>{"(N * N + N)", "(N + 1) * N", "(N * N * N + 5 * N)",
                                         "(N * N * N + N)"});
  const std::string row = even + (is_wide ? " * 2" : ""), width = is_wide ? "4" : "2";
  t.logical = {{"I0", number(rng, 2, 9)}, {"I1", number(rng, 2, 9)}};
  std::string whole = "I1";
  t.loop = {"I0", "o", "v"};
  switch (draw(rng, 1, 4)) {
    case 1: t.logical[1].second = row; break;
    case 2: t.strides = "[" + row + ", 1]"; break;
    case 3:  // merged, without and with gaps
      t.logical[1].second = row;
      if (chance(rng, 2)) t.strides = "[" + row + " + " + width + ", 1]";
      t.transforms = {merge("I0", "I1", "m")};
      t.loop = {"o", "v"};
      whole = "m";
      break;
    default:  // between two others
      t.logical.insert(t.logical.begin() + 1, {"I2", row});
      t.logical.back().second = to_string(1 + 2 * draw(rng, 1, 4));
      t.transforms = {merge("I2", "I1", "m")};
      whole = "m";
      break;
  }
  t.transforms.push_back(split(whole, width, "o", "v"));
  t.bind = {{"v", "Vectorize"}};
  if (chance(rng, 3)) allow_duplicates(t);
  return file;
}

}  // namespace

Makers fill_refusals() {
  return {{"E443", lies_outside},
          {"E453", open_vector},
          {"E470", no_such_fill},
          {"E471", overwritten},
          {"E472", [](Rng& rng) { return chance(rng, 4) ? read_nowhere(rng) : fill_outside(rng); }},
          {"E473", read_twice},
          {"E474", other_identity},
          {"E475", unfilled}};
}

}  // namespace selvage::test
