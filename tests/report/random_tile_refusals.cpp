#include "tests/report/random_tile_refusals.h"

#include <algorithm>

#include "tests/report/file_items.h"

namespace selvage::test {

namespace {

using oracle::chance;
using oracle::draw;
using oracle::pick;
using Rng = std::mt19937_64;
using FileTensor = RefusedFile::Tensor;
using std::to_string;

std::int64_t bytes_of(const FileTensor& t) {
  return t.dtype == "double" ? 8 : t.dtype == "half" ? 2 : t.dtype == "int8" ? 1 : 4;
}
// How many elements are 16 bytes.
std::int64_t unit(const FileTensor& t) { return 16 / bytes_of(t); }

void bulk(FileTensor& t, const std::vector<std::string>& loops) {
  for (const std::string& loop : loops) t.bind.emplace_back(loop, "Bulk");
}

// Rows of whole 16 bytes, all of them in the tile.
void add_row(FileTensor& t, Rng& rng) {
  t.logical.emplace_back("row", to_string(unit(t) * draw(rng, 1, 3)));
  t.loop.push_back("row");
  bulk(t, {"row"});
}

// One of the loops that are not of the tile is a block's.
void bind_a_block(FileTensor& t, Rng& rng) {
  for (const std::string& loop : t.loop) {
    const bool is_bound =
        std::any_of(t.bind.begin(), t.bind.end(), [&](const auto& b) { return b.first == loop; });
    if (is_bound || !chance(rng, 3)) continue;
    t.bind.emplace_back(loop, "BIDx");
    return;
  }
}

// E460: in shared memory; cut in ways of which a box is none.
RefusedFile no_box(Rng& rng) {
  RefusedFile file;
  FileTensor& t = tensor(file, rng);
  const std::int64_t f = draw(rng, 2, 4) * 2, n = f * draw(rng, 2, 6);
  // I0 in tiles of f, of whose numbers and places the inner halves move.
  const auto cut_twice = [&](const std::string& in) {
    t.transforms.insert(t.transforms.end(),
                        {split(in, f, "a", "b"), split("a", 2, "c", "d"), split("b", 2, "e", "g")});
    t.loop = {"c", "e", "d", "g"};
    bulk(t, {"d", "g"});
  };
  switch (draw(rng, 1, 5)) {
    case 1:
      t.logical = {{"I0", to_string(n)}};
      t.loop = {"I0"};
      bulk(t, {"I0"});
      add_row(t, rng);
      t.rest = {chance(rng, 2) ? "memory: shared" : "memory: local"};
      return file;
    case 2:  // a factor that does not divide
      t.logical = {{"I0", to_string(n + draw(rng, 1, f - 1))}};
      cut_twice("I0");
      break;
    case 3:  // resized on the left
      t.logical = {{"I0", to_string(n)}};
      t.transforms = {resize("I0", draw(rng, 1, 3), draw(rng, 1, 9), "p")};
      cut_twice("p");
      break;
    case 4: {  // rows that do not fill what they were made of
      const std::int64_t more = draw(rng, 1, f - 1);
      t.logical = {{"I0", to_string(n - more)}};
      t.transforms = {resize("I0", 0, more, "p")};
      cut_twice("p");
      break;
    }
    default: {  // a merge that is cut where no axis ends
      const std::int64_t rows = draw(rng, 2, 6) * 2, columns = draw(rng, 2, 9) * 2;
      const std::int64_t inner = pick(rng, std::vector<std::int64_t>{2, 4, 8});
      t.logical = {{"I0", to_string(rows)}, {"I1", to_string(columns)}};
      t.transforms = {merge("I0", "I1", "m"), split("m", inner, "a", "b"),
                      split("a", draw(rng, 2, 7), "c", "d")};
      t.loop = {"c", "b", "d"};
      bulk(t, {"b", "d"});
      break;
    }
  }
  add_row(t, rng);
  bind_a_block(t, rng);
  return file;
}

// E461: each rule of the tensor map.
RefusedFile broken_rule(Rng& rng) {
  RefusedFile file;
  FileTensor& t = tensor(file, rng);
  const std::int64_t u = unit(t), n = draw(rng, 2, 9);
  const auto rows = [&](std::int64_t items, std::int64_t columns) {
    t.logical = {{"I0", to_string(items)}, {"I1", to_string(columns)}};
    t.loop = {"I0", "I1"};
  };
  switch (draw(rng, 1, 15)) {
    case 1: {  // more than five dimensions
      std::int64_t stride = u * draw(rng, 3, 5);
      t.strides = "1";
      for (int k = 5; k-- > 0; stride *= draw(rng, 3, 5)) {
        t.logical.insert(t.logical.begin(), {"I" + to_string(k), "2"});
        t.loop.insert(t.loop.begin(), t.logical[0].first);
        t.strides = to_string(stride) + ", " + t.strides;
      }
      t.strides = "[" + t.strides + "]";
      t.logical.emplace_back("I5", to_string(2 * u));
      t.loop.push_back("I5");
      bulk(t, {"I5"});
      if (chance(rng, 2)) bulk(t, {"I" + number(rng, 0, 4)});
      break;
    }
    case 2:  // 2^32 items
      rows((std::int64_t{1} << 32) + (chance(rng, 2) ? 1024 : 1) * draw(rng, 1, 1000), u);
      t.strides = "[" + to_string(2 * u) + ", 1]";
      bulk(t, {"I1"});
      break;
    case 3:  // a box of 256 items
      rows(draw(rng, 257, 999), u);
      bulk(t, {"I0", "I1"});
      break;
    case 4:  // 16 bytes
      rows(n, u * draw(rng, 8, 20));
      t.transforms = {split("I1", draw(rng, 2, 20), "o", "i")};
      t.loop = {"I0", "o", "i"};
      bulk(t, {"i"});
      if (chance(rng, 2)) bulk(t, {"I0"});
      break;
    case 5:  // 16 bytes of rows that are bound whole
      rows(n, draw(rng, 1, 3 * u));
      t.strides = "[" + to_string(4 * u) + ", 1]";
      bulk(t, {"I0", "I1"});
      break;
    case 6:  // an element stride in the innermost dimension
      rows(n, u * draw(rng, 8, 16));
      t.transforms = {split("I1", 4 * u, "o", "i"), split("i", draw(rng, 2, 4), "a", "b")};
      t.loop = {"I0", "o", "b", "a"};
      bulk(t, {"a"});
      break;
    case 7:  // an element stride of nine and more
      rows(64, u);
      t.transforms = {split("I0", 32, "o", "i"), split("i", draw(rng, 9, 15), "a", "b")};
      t.loop = {"o", "b", "a", "I1"};
      bulk(t, {"a", "I1"});
      break;
    case 8:  // the innermost dimension of the tile is not that of memory
      rows(n * u, u * draw(rng, 1, 20));
      t.loop = {"I1", "I0"};
      bulk(t, {"I0"});
      if (chance(rng, 2)) t.bind.insert(t.bind.begin(), {"I1", "Bulk"});
      break;
    case 9:  // nothing has stride 1
      rows(n, u * draw(rng, 1, 5));
      t.strides = "[" + to_string(u * 64) + ", " + number(rng, 2, 4) + "]";
      bulk(t, {"I1"});
      break;
    case 10:  // strides that are no multiples of 16 bytes
      if (u == 1) return broken_rule(rng);
      rows(n, u * draw(rng, 1, 4));
      t.strides = "[" + to_string(u * draw(rng, 4, 9) + draw(rng, 1, u - 1)) + ", 1]";
      bulk(t, {"I1"});
      if (chance(rng, 2)) bulk(t, {"I0"});
      break;
    case 11:  // of sizes
      if (u == 1) return broken_rule(rng);
      rows(n, u * draw(rng, 1, 4));
      file.symbols["N"]["max"] = 1000;
      t.strides = "[" + to_string(u) + " * N + " + to_string(u * 8 + draw(rng, 1, u - 1)) + ", 1]";
      bulk(t, {"I0", "I1"});
      break;
    case 12:  // 2^40 bytes
      rows(n, u);
      t.strides = "[" + to_string((std::int64_t{1} << 40) / bytes_of(t) * draw(rng, 1, 9)) + ", 1]";
      bulk(t, {"I0", "I1"});
      break;
    case 13: {  // 227 KiB
      const std::int64_t columns = 16 * u * draw(rng, 1, 3), items = draw(rng, 200, 256);
      t.logical = {{"I0", to_string(n)}, {"I1", "1000"}, {"I2", to_string(columns)}};
      t.transforms = {split("I1", items, "o", "i")};
      t.loop = {"I0", "o", "i", "I2"};
      bulk(t, {"I0", "i", "I2"});
      if (chance(rng, 4)) {  // past 2^63
        t.transforms = {split("I1", std::int64_t{1} << 40, "o", "i"),
                        split("I2", std::int64_t{1} << 40, "p", "q")};
        t.loop = {"I0", "o", "p", "i", "q"};
        t.bind = {{"i", "Bulk"}, {"q", "Bulk"}};
      }
      break;
    }
    case 14: {                                               // two rules at once
      const std::int64_t way = draw(rng, 1, u > 1 ? 3 : 1);  // the one that is not broken
      rows(way == 2 ? n : draw(rng, 257, 600), u * draw(rng, 2, 9));
      t.transforms = {split("I1", way == 3 ? u : u + draw(rng, 1, u), "o", "i")};
      t.loop = {"I0", "o", "i"};
      t.strides = "[" + to_string(u * 20 + (way == 1 ? 0 : draw(rng, 0, u - 1))) + ", 1]";
      bulk(t, {"I0", "i"});
      break;
    }
    default: {  // a row that is longer than its swizzle
      const std::int64_t chunks = pick(rng, std::vector<std::int64_t>{2, 4});
      rows(8, 256);
      t.transforms = {split("I0", chunks, "x", "y"), split("I1", 8 * u, "C", "c"),
                      split("c", u, "d", "lane"), split("d", chunks, "p", "e"),
                      swizzle("xor", "y", "e", "v", "w")};
      t.loop = {"C", "x", "v", "p", "w", "lane"};
      bulk(t, {"x", "v", "p", "w", "lane"});
      return file;
    }
  }
  bind_a_block(t, rng);
  return file;
}

// E462: boxes of merged rows with gaps between them.
RefusedFile across_a_break(Rng& rng) {
  RefusedFile file;
  FileTensor& t = tensor(file, rng);
  const std::int64_t columns = draw(rng, 3, 24), row = unit(t) * draw(rng, 1, 3);
  const std::int64_t box = draw(rng, 2, 30);
  std::int64_t stride = columns * row + unit(t) * draw(rng, 1, 20);
  t.strides = to_string(row) + ", 1]";
  t.logical = {{"I0", number(rng, 2, 9)}, {"I1", to_string(columns)}};
  t.transforms = {merge("I0", "I1", "m")};
  std::string whole = "m";
  t.strides = to_string(stride) + ", " + t.strides;
  if (chance(rng, 3)) {
    stride = stride * draw(rng, 10, 12);
    t.logical.insert(t.logical.begin(), {"I2", number(rng, 2, 4)});
    t.transforms.push_back(merge("I2", "m", "w"));
    t.strides = to_string(stride) + ", " + t.strides;
    whole = "w";
  }
  t.strides = "[" + t.strides;
  if (chance(rng, 3)) {
    t.transforms.push_back(resize(whole, draw(rng, 0, 2), draw(rng, 0, 5), "r"));
    whole = "r";
  }
  t.transforms.push_back(split(whole, box, "o", "i"));
  t.loop = {"o", "i"};
  bulk(t, {"i"});
  t.logical.emplace_back("row", to_string(row));
  t.loop.push_back("row");
  bulk(t, {"row"});
  bind_a_block(t, rng);
  return file;
}

// E463: cyclic, not all in the tile, of other chunks, rows, or counts, or twice.
RefusedFile odd_swizzle(Rng& rng) {
  RefusedFile file;
  FileTensor& t = tensor(file, rng);
  const std::int64_t u = unit(t);
  const auto two = [&](std::int64_t most) { return std::int64_t{1} << draw(rng, 1, most); };
  std::int64_t rows = 8, chunks = 8, lane = u;
  const std::int64_t way = draw(rng, 1, 5);
  if (way == 2) {
    rows = two(4);
    chunks = rows * two(3);
    lane = u * pick(rng, std::vector<std::int64_t>{1, 2, 4});
  }
  t.logical = {{"I0", to_string(rows)}, {"I1", to_string(chunks * lane)}};
  t.transforms = {split("I1", lane, "chunk", "lane")};
  std::string x = "I0";
  t.loop = {"u", "v", "lane"};
  bulk(t, {"u", "v", "lane"});
  switch (way) {
    case 1: t.transforms.push_back(swizzle("cyclic_shift", x, "chunk", "u", "v")); break;
    case 2: t.transforms.push_back(swizzle("xor", x, "chunk", "u", "v")); break;
    case 3:  // rows that repeat too soon
      t.transforms.push_back(split("I0", 4, "a", "b"));
      t.transforms.push_back(swizzle("xor", "b", "chunk", "u", "v"));
      t.loop.insert(t.loop.begin(), "a");
      bulk(t, {"a"});
      break;
    case 4:
      t.transforms.push_back(swizzle("xor", x, "chunk", "a", "b"));
      t.transforms.push_back(swizzle(chance(rng, 2) ? "xor" : "cyclic_shift", "a", "b", "u", "v"));
      break;
    default:  // one of the two is no loop of the tile
      t.transforms.push_back(swizzle("xor", x, "chunk", "u", "v"));
      t.bind.erase(t.bind.begin() + (chance(rng, 2) ? 1 : 0));
      break;
  }
  bind_a_block(t, rng);
  return file;
}

// E464: a fill that the hardware does not bring.
RefusedFile other_fill(Rng& rng) {
  RefusedFile file;
  FileTensor& t = tensor(file, rng);
  const std::int64_t u = unit(t);
  t.logical = {{"I0", number(rng, 3, 40)}, {"I1", to_string(u * draw(rng, 3, 9))}};
  t.transforms = {split("I1", u * draw(rng, 1, 4), "o", "i")};
  t.loop = {"I0", "o", "i"};
  bulk(t, {"i"});
  if (chance(rng, 2)) {  // boxes that go on into the next row
    t.transforms.push_back(resize("i", 0, u, "p"));
    t.loop.back() = "p";
    t.bind = {{"p", "Bulk"}};
  }
  if (chance(rng, 3)) {
    file.symbols["N"]["max"] = 1000;
    t.logical[0].second = "N";
  }
  t.rest = {"fill: " + to_string(chance(rng, 2) ? draw(rng, 1, 99) : -draw(rng, 1, 99))};
  bind_a_block(t, rng);
  return file;
}

// E465: boxes that no element stride divides; boxes that are padded.
RefusedFile impossible_fill(Rng& rng) {
  RefusedFile file;
  FileTensor& t = tensor(file, rng);
  const std::int64_t u = unit(t);
  if (chance(rng, 2)) {
    const std::int64_t e = draw(rng, 2, 8), b = e * draw(rng, 1, 4) + draw(rng, 1, e - 1);
    t.logical = {{"I0", to_string(b * draw(rng, 2, 5))}};
    t.transforms = {split("I0", b, "o", "i"), split("i", e, "a", "b")};
    t.loop = {"o", "b", "a"};
    bulk(t, {"a"});
    add_row(t, rng);
  } else {
    const std::int64_t b = u * draw(rng, 1, 5);
    t.logical = {{"I0", to_string(b * draw(rng, 2, 6))}};
    t.transforms = {split("I0", b, "o", "i"), resize("i", 0, u * draw(rng, 1, 3), "p")};
    t.loop = {"o", "p"};
    bulk(t, {"p"});
  }
  t.rest = {"fill: 0"};
  bind_a_block(t, rng);
  return file;
}

// E466: sizes in the tile; many merges; holes that nothing is known of.
RefusedFile not_decided(Rng& rng) {
  RefusedFile file;
  FileTensor& t = tensor(file, rng);
  const std::int64_t u = unit(t);
  file.symbols["M"]["max"] = draw(rng, 10, 5000);
  file.symbols["N"]["max"] = draw(rng, 10, 5000);
  const std::string row = to_string(u * draw(rng, 1, 4));
  switch (chance(rng, 60) ? 4 : draw(rng, 1, 3)) {
    case 1:
      t.logical = {{"I0", "M"}, {"I1", chance(rng, 2) ? "N" : row}};
      t.loop = {"I0", "I1"};
      bulk(t, {"I0", "I1"});
      break;
    case 2:
      t.logical = {{"I0", "M"}, {"I1", row}};
      t.transforms = {split("I0", draw(rng, 2, 9), "o", "i")};
      if (chance(rng, 2)) t.transforms[0].replace(t.transforms[0].find("factor: ") + 8, 1, "N");
      t.loop = {"o", "i", "I1"};
      bulk(t, {chance(rng, 2) ? "o" : "i", "I1"});
      break;
    case 3:  // N * N + N is even, but nothing here knows that
      t.logical = {{"I0", "M"}, {"I1", row}};
      t.transforms = {split("I0", "N * N + N", "a", "b"), split("b", 2, "c", "d")};
      t.loop = {"a", "c", "d", "I1"};
      bulk(t, {"d", "I1"});
      t.rest = {"fill: 0"};
      break;
    default: {
      std::string whole = "I0";
      t.logical = {{"I0", "64"}};
      for (int k = 0; k <= 1000; ++k) {
        t.transforms.push_back(split(whole, 1, "o" + to_string(k), "i" + to_string(k)));
        whole = "o" + to_string(k);
      }
      for (int k = 1001; k-- > 0;) {
        t.transforms.push_back(merge(whole, "i" + to_string(k), "m" + to_string(k)));
        whole = "m" + to_string(k);
      }
      t.loop = {whole};
      bulk(t, {whole});
      return file;
    }
  }
  bind_a_block(t, rng);
  return file;
}

}  // namespace

Makers tile_refusals() {
  return {{"E460", no_box},      {"E461", broken_rule}, {"E462", across_a_break},
          {"E463", odd_swizzle}, {"E464", other_fill},  {"E465", impossible_fill},
          {"E466", not_decided}};
}

}  // namespace selvage::test
