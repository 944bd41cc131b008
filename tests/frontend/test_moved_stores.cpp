// Statements that store elsewhere than at their own indices, beside plain loops.
#include <gtest/gtest.h>
#include <selvage/base/random.h>
#include <selvage/driver/run.h>
#include <selvage/expr/text.h>
#include <selvage/lower/program.h>
#include <selvage/lower/proof.h>
#include <tests/frontend/schedule_files.h>
#include <tests/support/counts.h>

#include <fmt/format.h>

#include <regex>

namespace selvage {
namespace {

using namespace schedule_files;
using Extents = std::vector<std::int64_t>;

// y[a * i + b, c * j + d] = x[i, j], perhaps in the place of `old`.
void expect_moved(std::uint64_t seed) {
  SplitMix64 random(seed);
  const auto draw = [&](std::int64_t least, std::int64_t most) {
    return least + std::int64_t(random.next() % std::uint64_t(most - least + 1));
  };
  const bool is_open = draw(0, 1) == 1, is_in_place = draw(0, 1) == 1;
  const std::int64_t m = draw(1, 9), n = draw(1, 12), h = draw(1, 12), w = draw(1, 15);
  const auto factor = [&] { return draw(0, 1) == 1 ? draw(1, 3) : -draw(1, 3); };
  const std::int64_t a = factor(), b = draw(-9, 20), c = factor(), d = draw(-9, 20);
  const std::string head = is_open
                               ? fmt::format("symbols: {{M: {{}}, N: {{}}, H: {{}}, W: {{}}}}\n")
                               : fmt::format("sizes: {{M: {}, N: {}, H: {}, W: {}}}\n", m, n, h, w);
  const std::string text =
      head +
      fmt::format(
          "inputs: {{x: {{shape: [M, N], dtype: int32}}, old: {{shape: [H, W], dtype: int32}}}}\n"
          "outputs: {{y: {{{}}}}}\n"
          "compute: [\"y[safe({}*i + {}), {} + j * {}] = x[i, j] + 100\"]\n",
          is_in_place ? "in_place: old" : "shape: [H, W]", a, b, d, c);
  SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
  std::string used = text;
  const std::string unread = ", old: {shape: [H, W], dtype: int32}";
  if (!is_in_place) used.erase(used.find(unread), unread.size());
  const ScheduleFile file = read(used);
  const Program program = lower(*file.schedule);
  EXPECT_NO_THROW(check_proved(prove(program.steps), false));
  Array x(DataType::Int32, {m, n}), old(DataType::Int32, {h, w});
  for (std::int64_t k = 0; k < x.size(); ++k) x.set_int(k, k);
  std::vector<std::int64_t> wanted;
  for (std::int64_t k = 0; k < old.size(); ++k) {
    old.set_int(k, -1 - k);
    wanted.push_back(is_in_place ? -1 - k : 0);
  }
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      const std::int64_t p = a * i + b, q = c * j + d;
      if (p >= 0 && p < h && q >= 0 && q < w) wanted[std::size_t(p * w + q)] = 100 + i * n + j;
    }
  }
  RunRequest request{.inputs = {{"x", x}}, .on = Machine::Emulate, .on_all = true};
  if (is_in_place) request.inputs.emplace("old", old);
  if (is_open) request.sizes = {{"M", m}, {"N", n}, {"H", h}, {"W", w}};
  const RunResult result = run(*file.fusion, program, request);
  EXPECT_TRUE(result.passed());
  const Array& y = result.outputs.at("y");
  for (std::int64_t k = 0; k < y.size(); ++k) {
    ASSERT_EQ(y.get_int(k), wanted[std::size_t(k)]) << "item " << k;
  }
}

TEST(MovedStores, AreWhatPlainLoopsStore) {
  const int programs = count(60, 3'000);
  for (int seed = 1; seed <= programs && !testing::Test::HasFailure(); ++seed) {
    expect_moved(std::uint64_t(seed));
  }
}

// Rank r: y[safe(i0 - 1), 2 * i1, 3 - i2, i3 + 1] = x[i0, i1, i2, i3], as far as r goes.
void expect_moved(DataType type, std::size_t rank, bool is_open) {
  const std::string subscripts[] = {"safe(i0 - 1)", "2 * i1", "3 - i2", "unchecked(i3 + 1)"};
  const std::int64_t factors[] = {1, 2, -1, 1}, offsets[] = {-1, 0, 3, 1};
  std::string left, indices, shape, sizes;
  Extents from, to;
  for (std::size_t k = 0; k < rank; ++k) {
    const std::string comma = k == 0 ? "" : ", ", number = std::to_string(k);
    left += comma + subscripts[k];
    indices += comma + "i" + number;
    shape += comma + "N" + number;
    from.push_back(std::int64_t(3 + k));
    to.push_back(std::int64_t(5 + k % 2));
    sizes += comma + "N" + number + ": " + std::to_string(from[k]) + ", M" + number + ": " +
             std::to_string(to[k]);
  }
  const std::string other = std::regex_replace(shape, std::regex("N"), "M");
  const std::string text =
      (is_open ? "symbols: {" + std::regex_replace(sizes, std::regex(": [0-9]+"), ": {}") + "}\n"
               : "sizes: {" + sizes + "}\n") +
      "inputs: {x: {shape: [" + shape + "], dtype: " + std::string(to_string(type)) +
      "}}\noutputs: {y: {shape: [" + other + "]}}\ncompute: [\"y[" + left + "] = x[" + indices +
      "]\"]\n";
  SCOPED_TRACE(text);
  const ScheduleFile file = read(text);
  const Program program = lower(*file.schedule);
  EXPECT_NO_THROW(check_proved(prove(program.steps), false));
  Array x(type, from), wanted(type, to);
  for (std::int64_t k = 0; k < x.size(); ++k) {
    x.set(k, type == DataType::Bool ? 1 : double(k % 100 + 1));
    std::int64_t rest = k, stride = 1, at = 0;
    bool is_inside = true;
    for (std::size_t a = rank; a-- > 0;) {
      const std::int64_t p = factors[a] * (rest % from[a]) + offsets[a];
      rest /= from[a];
      is_inside = is_inside && p >= 0 && p < to[a];
      at += p * stride;
      stride *= to[a];
    }
    if (is_inside) wanted.set(at, x.get(k));
  }
  RunRequest request{.inputs = {{"x", x}}, .on = Machine::Emulate, .on_all = true};
  for (std::size_t k = 0; is_open && k < rank; ++k) {
    request.sizes["N" + std::to_string(k)] = from[k];
    request.sizes["M" + std::to_string(k)] = to[k];
  }
  const RunResult result = run(*file.fusion, program, request);
  EXPECT_TRUE(result.passed());
  EXPECT_EQ(result.outputs.at("y"), wanted);
}

TEST(MovedStores, OfEveryTypeAndRank) {
  for (const char* name : {"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
                           "uint64", "half", "bfloat16", "float", "double"}) {
    for (std::size_t rank = 1; rank <= 4; ++rank) {
      expect_moved(*parse_data_type(name), rank, false);
      expect_moved(*parse_data_type(name), rank, true);
    }
  }
}

// A slice of one image into another, both past their edges: 129 x 129 of 256 x 256 pixels stay.
TEST(MovedStores, OfASliceKeepWhatIsInside) {
  const ScheduleFile file = read(
      "inputs: {x: {shape: [256, 256], dtype: int32}}\n"
      "outputs: {y: {shape: [512, 512]}, n: {}}\n"
      "compute:\n"
      "  - y[safe(i - 127), safe(j - 127)] = 1 + 0 * x[i, j]\n"
      "  - n = sum[i, j](y[i, j])\n");
  const RunResult result = run(*file.fusion, lower(*file.schedule), {.on = Machine::Virtual});
  EXPECT_TRUE(result.passed());
  EXPECT_EQ(result.outputs.at("n").get_int(0), 129 * 129);
  EXPECT_EQ(result.outputs.at("y").get_int(128 * 512 + 128), 1);
  EXPECT_EQ(result.outputs.at("y").get_int(128 * 512 + 129), 0);
}

TEST(MovedStores, ThatMayMeetAreRefused) {
  const Refused cases[] = {
      {"y[mirror(i + 1)] = x[i]",
       "a.yaml:4:5: error[E314]: mirror brings two items to one element: on axis 0, i = 6 and i = "
       "7 meet at 7; help: write safe, which drops what is outside\n"},
      {"y[circular(2 * i)] = x[i]",
       "a.yaml:4:5: error[E314]: circular brings two items to one element: on axis 0, i = 0 and i "
       "= 4 meet at 0; help: write safe, which drops what is outside\n"},
      {"y[i // 2 + 1] = x[i]",
       "a.yaml:4:12: error[E316]: two items may come to one element, or it is not known which; "
       "help: store at a number times one index, plus integers and sizes: 2 * i + 1\n"},
      {"y[i + j] = x[i]",
       "a.yaml:4:5: error[E314]: a second index in one subscript; help: store at one index an "
       "axis, such as y[2 * i + 1, j]\n"},
      {"y[2 + 1] = x[3]",
       "a.yaml:4:7: error[E314]: a subscript on the left has no index; help: store at one index an "
       "axis, such as y[2 * i + 1, j]\n"},
      {"y[i + 1, i] = x[i]",
       "a.yaml:4:12: error[E314]: the index i stands on two axes on the left; help: store at one "
       "index an axis, such as y[2 * i + 1, j]\n"},
      {"y[k + 1] = compact(x[i], x[i] > 0)",
       "a.yaml:4:3: error[E314]: what is kept is stored elsewhere at once; help: write y[k] = "
       "compact(...), and store that in a statement behind\n"},
      {"y[int + 1] = x[int]",
       "a.yaml:4:5: error[E203]: 'int' is a keyword or built-in of C++ or CUDA; help: choose "
       "another name, such as 'int_'\n"},
      {"y[x[i] + 1] = x[i]",
       "a.yaml:4:10: error[E314]: where an item is stored is loaded, and two may come to one "
       "element; help: add them, y[idx[i]] += ...; or keep the items at which a condition holds, "
       "compact(x[i], x[i] > 0)\n"},
      {"y[safe(mirror(i + 1))] = x[i]",
       "a.yaml:4:5: error[E314]: safe stands around another access mode in the statement "
       "'y[safe(mirror(i + 1))] = x[i]'; help: leave one of the two out: what a mode brings inside "
       "is not outside any more\n"},
      {"z[i + 1] = x[i]",
       "a.yaml:4:3: error[E317]: the shape of z, whose items are moved, is not known; help: give z "
       "a shape under outputs or shapes\n"},
      {"y[i + 1] = max(x[j]) + i",
       "a.yaml:4:5: error[E317]: the extent of the index i of y is not known; help: read a tensor "
       "at [i]\n"},
  };
  for (const Refused& c : cases) {
    EXPECT_EQ(refusal("inputs: {x: {shape: [8], dtype: float}}\noutputs: {" +
                      std::string(c.text).substr(0, 1) +
                      (c.text[0] == 'y' ? ": {shape: [8]}}\ncompute:\n- " : ": {}}\ncompute:\n- ") +
                      c.text + "\n"),
              c.message)
        << c.text;
  }
}

// Whether all items come inside is a question of sizes: answered at once, or at launch.
TEST(MovedStores, ThatAreCheckedHaveAllTheirItemsInside) {
  const auto made = [](const std::string& subscript, const std::string& extent, bool checks) {
    return read_schedule_text(
        "sizes: {N: 8}\nsymbols: {M: {}}\n"
        "inputs: {x: {shape: [N], dtype: float}}\n"
        "outputs: {y: {shape: [" +
            extent + "]}}\ncompute: [\"y[checked(" + subscript + ")] = x[i]\"]\n",
        "a.yaml", {}, {.checks = checks});
  };
  EXPECT_TRUE(made("2 * i + 1", "16", true).fusion->launch_checks().empty());
  EXPECT_TRUE(made("7 - i", "8", true).fusion->launch_checks().empty());
  EXPECT_TRUE(made("2 * i + 1", "15", false).fusion->launch_checks().empty());
  const ScheduleFile open = made("8 - i", "M", true);
  ASSERT_EQ(open.fusion->launch_checks().size(), 1U);
  EXPECT_EQ(to_string(open.fusion->launch_checks()[0]), "9 <= M");
  EXPECT_EQ(open.fusion->launch_reasons()[0],
            "y stores its items along i at 1 to 8, and is checked to have all of them");
  try {
    made("2 * i + 1", "15", true);
    ADD_FAILURE() << "accepted";
  } catch (const BadFile& e) {
    EXPECT_STREQ(e.what(),
                 "a.yaml:5:14: error[E512]: y stores its items along i at 1 to 15, and is checked "
                 "to have all of them, which is not so; help: write safe, which drops what is "
                 "outside\n");
  }
}

}  // namespace
}  // namespace selvage
