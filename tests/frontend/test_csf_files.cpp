// Statements over tensors stored as csf, under schedules, on every target, beside loops over all
// coordinates; and what is refused of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <selvage/base/random.h>
#include <selvage/base/stored_arrays.h>
#include <selvage/driver/run.h>
#include <selvage/lower/programs_by_size.h>
#include <selvage/lower/proof.h>
#include <tests/frontend/schedule_files.h>
#include <tests/support/counts.h>

#include <functional>
#include <limits>
#include <map>

namespace selvage {

namespace {

namespace csf_files {

using namespace schedule_files;
using testing::HasSubstr;
using Numbers = std::vector<std::int64_t>;

constexpr std::int64_t kLanes = 3;
constexpr std::int64_t kLeast = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();

// Dense operands by axis: a number for each coordinate, and one for each of the lanes there.
struct Dense {
  std::vector<Numbers> one, lanes;
  std::int64_t x(std::size_t axis, std::int64_t at) const { return one[axis][std::size_t(at)]; }
  std::int64_t m(std::size_t axis, std::int64_t at, std::int64_t d) const {
    return lanes[axis][std::size_t(at * kLanes + d)];
  }
};

// What an item at some coordinates adds to the result, and how that is folded. The result is at the
// nodes of level `level`, with the lanes if there are such: at the roots, which are dense, at pairs
// that have items, ..., at items.
struct Operation {
  const char* statement;
  std::size_t axes = 3, level = 0;
  bool has_lanes = false;
  std::int64_t none = 0;
  std::function<std::int64_t(std::int64_t, std::int64_t)> fold = std::plus<std::int64_t>();
  std::function<std::int64_t(std::int64_t, const Numbers&, const Dense&, std::int64_t)> item;
};

// T at indices i, j, k, l, as many as it has axes; x0[i], m0[i, d], x1[j], ...
const std::vector<Operation>& operations() {
  using std::plus;
  const auto least = [](auto a, auto b) { return std::min(a, b); };
  const auto most = [](auto a, auto b) { return std::max(a, b); };
  const plus<std::int64_t> add;
  static const std::vector<Operation> all = {
      {"Z[i, d] = sum[j, k](T[i, j, k] * m1[j, d] * m2[k, d])", 3, 0, true, 0, add,
       [](auto v, auto& at, auto& in, auto d) {
         return v * in.m(1, at[1], d) * in.m(2, at[2], d);
       }},
      {"Z[i, d] = sum[j](m1[j, d] * sum[k](T[i, j, k] * m2[k, d]))", 3, 0, true, 0, add,
       [](auto v, auto& at, auto& in, auto d) {
         return v * in.m(1, at[1], d) * in.m(2, at[2], d);
       }},
      {"Z[i] = sum[j, k](T[i, j, k] * x1[j] * x2[k])", 3, 0, false, 0, add,
       [](auto v, auto& at, auto& in, auto) { return v * in.x(1, at[1]) * in.x(2, at[2]); }},
      {"Z[i] = 2 * sum[j, k](T[i, j, k] * x0[i] * x2[k]) + 0 * i", 3, 0, false, 0, add,
       [](auto v, auto& at, auto& in, auto) { return 2 * v * in.x(0, at[0]) * in.x(2, at[2]); }},
      {"Z[i] = sum[j, k, e](T[i, j, k] * m2[k, e])", 3, 0, false, 0, add,
       [](auto v, auto& at, auto& in, auto) {
         return v * (in.m(2, at[2], 0) + in.m(2, at[2], 1) + in.m(2, at[2], 2));
       }},
      {"Z[i] = min[j, k](T[i, j, k] + x0[i] * x1[j] + j - k)", 3, 0, false, kMost, least,
       [](auto v, auto& at, auto& in, auto) {
         return v + in.x(0, at[0]) * in.x(1, at[1]) + at[1] - at[2];
       }},
      {"Z[i] = max[j](x1[j] + max[k](T[i, j, k] * x2[k]))", 3, 0, false, kLeast, most,
       [](auto v, auto& at, auto& in, auto) { return in.x(1, at[1]) + v * in.x(2, at[2]); }},
      {"Z[i] = any[j, k](T[i, j, k] * x1[j] > 4)", 3, 0, false, 0, most,
       [](auto v, auto& at, auto& in, auto) { return std::int64_t(v * in.x(1, at[1]) > 4); }},
      {"Z[i, j] = sum[k](T[i, j, k] * x2[k])", 3, 1, false, 0, add,
       [](auto v, auto& at, auto& in, auto) { return v * in.x(2, at[2]); }},
      {"Z[i, j, d] = sum[k](T[i, j, k] * m2[k, d] * x0[i])", 3, 1, true, 0, add,
       [](auto v, auto& at, auto& in, auto d) { return v * in.m(2, at[2], d) * in.x(0, at[0]); }},
      {"Z[i, j] = x1[j] * max[k](T[i, j, k])", 3, 1, false, kLeast, most, nullptr},
      {"Z[i, j, k] = T[i, j, k] * x1[j] + x0[i] * x2[k] - i", 3, 2, false, 0, add,
       [](auto v, auto& at, auto& in, auto) {
         return v * in.x(1, at[1]) + in.x(0, at[0]) * in.x(2, at[2]) - at[0];
       }},
      {"Z[i, d] = sum[j, k, l](T[i, j, k, l] * m1[j, d] * m2[k, d] * x3[l])", 4, 0, true, 0, add,
       [](auto v, auto& at, auto& in, auto d) {
         return v * in.m(1, at[1], d) * in.m(2, at[2], d) * in.x(3, at[3]);
       }},
      {"Z[i] = max[j, k, l](T[i, j, k, l] + x0[i] * x1[j] - x2[k])", 4, 0, false, kLeast, most,
       [](auto v, auto& at, auto& in, auto) {
         return v + in.x(0, at[0]) * in.x(1, at[1]) - in.x(2, at[2]);
       }},
      {"Z[i] = sum[j](x1[j] * sum[k, l](T[i, j, k, l] * x2[k]))", 4, 0, false, 0, add,
       [](auto v, auto& at, auto& in, auto) { return v * in.x(1, at[1]) * in.x(2, at[2]); }},
      {"Z[i, j] = sum[k, l](T[i, j, k, l] * x3[l])", 4, 1, false, 0, add,
       [](auto v, auto& at, auto& in, auto) { return v * in.x(3, at[3]); }},
      {"Z[i, j, k] = sum[l](T[i, j, k, l] * x1[j])", 4, 2, false, 0, add,
       [](auto v, auto& at, auto& in, auto) { return v * in.x(1, at[1]); }},
      {"Z[i, j, k, l] = T[i, j, k, l] * x1[j] + i - k", 4, 3, false, 0, add,
       [](auto v, auto& at, auto& in, auto) { return v * in.x(1, at[1]) + at[0] - at[2]; }}};
  return all;
}

CoordinateTensor random_tensor(SplitMix64& random, std::size_t axes) {
  const auto below = [&](std::int64_t n) { return std::int64_t(random.next() % std::uint64_t(n)); };
  CoordinateTensor t;
  for (std::size_t a = 0; a < axes; ++a) t.extents.push_back(1 + below(a == 0 ? 12 : 5));
  if (below(12) == 0) t.extents[0] = 0;
  t.coordinates.resize(axes);
  for (std::int64_t k = t.extents[0] == 0 || below(8) == 0 ? 0 : below(90); k > 0; --k) {
    for (std::size_t a = 0; a < axes; ++a) {
      // Low coordinates are likely, so that some roots have many items and others none.
      t.coordinates[a].push_back(below(t.extents[a]) * below(t.extents[a]) / t.extents[a]);
    }
    t.value.push_back(double(below(19)) - 9);
  }
  return t;
}

Array numbers(SplitMix64& random, Numbers shape, Numbers& values) {
  Array made(DataType::Int32, std::move(shape));
  for (std::int64_t k = 0; k < made.size(); ++k) {
    values.push_back(std::int64_t(random.next() % 11) - 5);
    made.set_int(k, values.back());
  }
  return made;
}

// The result by nodes, by loops over everything: those of the first axis are there in any case,
// all others and items where there are items below.
Numbers wanted(const CoordinateTensor& t, const Operation& op, const Dense& in) {
  std::map<Numbers, Numbers> items;  // by their coordinates, in order
  for (std::size_t k = 0; k < t.items(); ++k) {
    Numbers at;
    for (const auto& axis : t.coordinates) at.push_back(axis[k]);
    items[at].push_back(std::int64_t(t.value[k]));
  }
  const std::int64_t lanes = op.has_lanes ? kLanes : 1;
  Numbers result;
  std::map<Numbers, std::size_t> place;  // of the nodes, as they come
  const auto add_node = [&] {
    for (std::int64_t d = 0; d < lanes; ++d) result.push_back(op.none);
    return result.size() - std::size_t(lanes);
  };
  for (std::int64_t i = 0; op.level == 0 && i < t.extents[0]; ++i) place[{i}] = add_node();
  for (const auto& [at, values] : items) {
    const Numbers node(at.begin(), at.begin() + std::ptrdiff_t(op.level) + 1);
    for (const std::int64_t value : values) {
      if (op.level + 1 == op.axes || !place.contains(node)) place[node] = add_node();
      for (std::int64_t d = 0; d < lanes; ++d) {
        std::int64_t& own = result[place[node] + std::size_t(d)];
        const std::int64_t item = op.item ? op.item(value, at, in, d) : value;
        own = op.fold(own, item);
      }
    }
  }
  if (op.item) return result;
  for (const auto& [node, k] : place) result[k] *= in.x(1, node[1]);  // the one that is not folded
  return result;
}

std::string file_of(const Operation& op, const std::string& schedule) {
  const char* const extents[] = {"I", "J", "K", "L"};
  std::string shape, inputs;
  for (std::size_t a = 0; a < op.axes; ++a) {
    const std::string number = std::to_string(a), extent = extents[a];
    shape += (a == 0 ? "" : ", ") + extent;
    inputs += "  x" + number + ": {shape: [" + extent + "], dtype: int32}\n  m" + number +
              ": {shape: [" + extent + ", E], dtype: int32}\n";
  }
  return "sizes: {E: 3}\nsymbols: {I: {min: 0}}\ninputs:\n  T: {shape: [" + shape +
         "], dtype: int32, format: csf}\n" + inputs + "compute: [\"" + op.statement + "\"]\n" +
         schedule;
}

// A thread for a row, and a merge path over the nodes, for what is computed in two statements.
std::vector<std::string> schedules_of(const Operation& op) {
  std::vector<std::string> all = {"", "schedule: none\n"};
  const std::string_view statement = op.statement;
  const bool is_plain = op.axes == 3 && op.level == 0 && !op.has_lanes &&
                        statement.ends_with("])") && statement.starts_with("Z[i] = sum[j, k](");
  if (!is_plain) return all;
  all.emplace_back(
      "schedule:\n"
      "  Z_level_1: [{split: {in: p, factor: 8, out: [o, t]}}, {bind: {o: BIDx, t: TIDx}}]\n"
      "  Z: [{split: {in: i, factor: 4, out: [o, t]}}, {bind: {o: BIDx, t: TIDx}}]\n");
  all.emplace_back(
      "schedule:\n"
      "  Z_level_1: [{resize: {in: k, left: 0, right: 1, out: e}}, {merge: {in: [p, e], out: q}},\n"
      "    {split: {in: q, factor: 5, out: [tile, s]}}, {split: {in: tile, factor: 4, out: [o, "
      "t]}},\n"
      "    {bind: {o: BIDx, t: TIDx}}]\n"
      "  Z: [{merge: {in: [i, j], out: q}}, {split: {in: q, factor: 3, out: [tile, s]}},\n"
      "    {split: {in: tile, factor: 4, out: [o, t]}}, {bind: {o: BIDx, t: TIDx}}]\n");
  return all;
}

TEST(CsfFiles, EqualLoopsOverAllCoordinates) {
  SplitMix64 random(5);
  for (const Operation& op : operations()) {
    for (const std::string& schedule : schedules_of(op)) {
      const std::string text = file_of(op, schedule);
      SCOPED_TRACE(text);
      const ScheduleFile file = read(text);
      ASSERT_TRUE(file.illegal.empty()) << to_text(file.illegal);
      const Program program = schedule.empty()
                                  ? lower_automatically(*file.fusion, {}, usual_device(), {})
                                  : lower(*file.schedule);
      EXPECT_TRUE(prove(program.steps).is_complete());
      for (int k = 0; k < count(2, 30); ++k) {
        const CoordinateTensor t = random_tensor(random, op.axes);
        RunRequest request{.sizes = {}, .inputs = {}, .on = Machine::Emulate, .on_all = k == 0};
        Dense in;
        in.one.resize(op.axes), in.lanes.resize(op.axes);
        for (std::size_t a = 0; a < op.axes; ++a) {
          const std::string number = std::to_string(a);
          request.sizes[std::string(1, "IJKL"[a])] = t.extents[a];
          request.inputs["x" + number] = numbers(random, {t.extents[a]}, in.one[a]);
          request.inputs["m" + number] = numbers(random, {t.extents[a], kLanes}, in.lanes[a]);
        }
        request.inputs.merge(arrays_of(stored(t), "T", DataType::Int32, DataType::Int32));
        const RunResult result = run(*file.fusion, program, request);
        EXPECT_TRUE(result.passed());
        const Array& z = result.outputs.at("Z");
        const Numbers values = wanted(t, op, in);
        ASSERT_EQ(z.size(), std::int64_t(values.size()));
        for (std::size_t n = 0; n < values.size(); ++n) {
          ASSERT_EQ(z.get_int(std::int64_t(n)), values[n]) << "place " << n;
        }
      }
    }
  }
}

// What is at the nodes of a tensor is read as the tensor is, and beside it.
TEST(CsfFiles, ResultsAtNodesAreReadAgain) {
  const ScheduleFile file = read(
      "inputs:\n  T: {shape: [I, J, K], dtype: int32, format: csf}\n"
      "  x: {shape: [J], dtype: int32}\n  z: {shape: [K], dtype: int32}\ncompute:\n"
      "  - Y[i, j] = sum[k](T[i, j, k] * z[k])\n"
      "  - Z[i, j, k] = T[i, j, k] * x[j] + 1\n"
      "  - V[i, j, k] = Z[i, j, k] * Y[i, j]\n"
      "  - s[i] = sum[j, k](V[i, j, k] * x[j])\n"
      "  - r[i] = sum[j](Y[i, j] * x[j])\n");
  ASSERT_TRUE(file.illegal.empty()) << to_text(file.illegal);
  const Program program = lower_automatically(*file.fusion, {}, usual_device(), {});
  SplitMix64 random(8);
  for (int n = 0; n < count(10, 200); ++n) {
    CoordinateTensor t = random_tensor(random, 3);
    if (t.extents[0] == 0) continue;
    RunRequest request{.sizes = {{"I", t.extents[0]}, {"J", t.extents[1]}, {"K", t.extents[2]}},
                       .inputs = arrays_of(stored(t), "T", DataType::Int32, DataType::Int32),
                       .on = Machine::Emulate,
                       .on_all = n == 0};
    Numbers x, z;
    request.inputs["x"] = numbers(random, {t.extents[1]}, x);
    request.inputs["z"] = numbers(random, {t.extents[2]}, z);
    const RunResult result = run(*file.fusion, program, request);
    EXPECT_TRUE(result.passed());
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> y;
    Numbers s(std::size_t(t.extents[0])), r = s;
    const auto at = [&](std::size_t axis, std::size_t k) { return t.coordinates[axis][k]; };
    for (std::size_t k = 0; k < t.items(); ++k) {
      y[{at(0, k), at(1, k)}] += std::int64_t(t.value[k]) * z[std::size_t(at(2, k))];
    }
    for (std::size_t k = 0; k < t.items(); ++k) {
      const std::int64_t own = x[std::size_t(at(1, k))];
      s[std::size_t(at(0, k))] +=
          (std::int64_t(t.value[k]) * own + 1) * y[{at(0, k), at(1, k)}] * own;
    }
    for (const auto& [node, value] : y) {
      r[std::size_t(node.first)] += value * x[std::size_t(node.second)];
    }
    for (std::size_t i = 0; i < s.size(); ++i) {
      EXPECT_EQ(result.outputs.at("s").get_int(std::int64_t(i)), s[i]) << i;
      EXPECT_EQ(result.outputs.at("r").get_int(std::int64_t(i)), r[i]) << i;
    }
  }
}

std::string said(const std::string& statement, const std::string& more = "") {
  return refusal(
      "inputs:\n  T: {shape: [I, J, K], dtype: float, format: csf}\n"
      "  S: {shape: [I, J, K], dtype: float, format: csf}\n"
      "  A: {shape: [J, K], dtype: float, format: csr}\n"
      "  x: {shape: [J], dtype: float}\n" +
      more + "compute: [\"" + statement + "\"]\n");
}

TEST(CsfFiles, SayWhatTheLevelsCannotTell) {
  EXPECT_EQ(said("y[i] = sum[j](T[i, j])"),
            "a.yaml:6:26: error[E520]: T is sparse, and read at other subscripts than 3 indices; "
            "help: write T[i, j, k]\n");
  EXPECT_EQ(said("y[i] = sum[j, k](T[i, j, k + 1])"),
            "a.yaml:6:29: error[E520]: T is sparse, and read at other subscripts than 3 indices; "
            "help: write T[i, j, k]\n");
  EXPECT_EQ(said("y[j] = sum[i, k](T[i, j, k])"),
            "a.yaml:6:12: error[E520]: y is at j, of which only the nodes of T tell at those of i; "
            "help: compute a result at i, or at [i, j] in front; or store T with another axis "
            "first\n");
  EXPECT_EQ(said("y[i, k] = sum[j](T[i, j, k])"),
            "a.yaml:6:12: error[E520]: y is at k, of which only the nodes of T tell at those of i, "
            "j; help: compute a result at i, or at [i, j, k] in front; or store T with another "
            "axis first\n");
  EXPECT_EQ(said("y[i] = sum[k](sum[j](T[i, j, k]))"),
            "a.yaml:6:33: error[E520]: T is stored by j before k, and the fold over j stands "
            "inside of that over k; help: fold over both at once, or over k inside\n");
  EXPECT_EQ(said("y[i] = mean[j, k](T[i, j, k])"),
            "a.yaml:6:19: error[E520]: mean goes over several levels of T, and is not made of "
            "those of each; help: fold over k alone, or write sums\n");
  EXPECT_EQ(said("y[i] = sum[j, k](T[i, j, k] * S[i, j, k])"),
            "a.yaml:6:42: error[E520]: S is sparse, and stands with the items of T: these are not "
            "gone through together; help: read each in a fold of its own, at indices of its own, "
            "or make S dense\n");
  EXPECT_EQ(said("y[i] = sum[j, k](T[i, j, k] * A[j, k])"),
            "a.yaml:6:42: error[E520]: A is sparse, and stands with the items of T: these are not "
            "gone through together; help: read each in a fold of its own, at indices of its own, "
            "or make A dense\n");
  EXPECT_EQ(said("y[2 * i, j, k] = T[i, j, k]", "outputs: {y: {shape: [64, J, K]}}\n"),
            "a.yaml:7:29: error[E520]: y has items of T, and is stored elsewhere; help: store it "
            "at its indices, and move it in the next statement\n");
  EXPECT_EQ(said("y[i, j] = sum[k](T[i, j, k])", "outputs: {y: {shape: [I, J]}}\n"),
            "a.yaml:6:11: error[E520]: y has the items of T_1, and a shape; help: leave its shape "
            "out\n");
  EXPECT_THAT(said("y[n] = compact[i, j, k](T[i, j, k], T[i, j, k] > 0)"),
              HasSubstr("error[E520]: compact goes through no tensor of levels, as T is"));
  EXPECT_EQ(said("y[i] = sum[j, k](T[i, j, k]) + sum[j, k](S[i, j, k] * x[j])"), "accepted");
  EXPECT_EQ(said("y[i] = sum[j](x[j] * mean[k](T[i, j, k]))"), "accepted");
}

TEST(CsfFiles, SayWhatIsNoSuchTensor) {
  const auto input = [](const std::string& keys) {
    return refusal("inputs:\n  T: {" + keys + "}\ncompute: [\"y[i] = sum[j, k](T[i, j, k])\"]\n");
  };
  EXPECT_THAT(
      input("shape: [I, J], dtype: float, format: csf"),
      HasSubstr("a.yaml:2:3: error[E520]: T is sparse, and no tensor of three axes or more, "
                "of real numbers; help: give it a shape such as [I, J, K]; a matrix is "
                "csr"));
  EXPECT_THAT(input("shape: [I, J, K], dtype: complex64, format: csf"), HasSubstr("no tensor of"));
  EXPECT_THAT(input("shape: [I, J, K], dtype: float, format: csr"),
              HasSubstr("T is sparse, and no matrix of real numbers; help: give it the shape [I, "
                        "J]; more axes are csf"));
  EXPECT_THAT(input("shape: [I, J, K], dtype: float, format: csf, list: 3"),
              HasSubstr("leave list out"));
  EXPECT_EQ(input("shape: [I, J, K], dtype: float, format: csf"), "accepted");
}

// An assertion about all items is one about each pair, of which each knows its items.
TEST(CsfFiles, AssertionsGoOverTheItems) {
  const std::string text =
      "inputs:\n  T: {shape: [I, J, K], dtype: int32, format: csf}\noutputs: {y: {}}\ncompute:\n"
      "  - assert(T[i, j, k] > -5, \"too little\")\n  - y[i] = sum[j, k](T[i, j, k])\n";
  for (const bool checks : {true, false}) {
    const ScheduleFile file = read_schedule_text(text, "a.yaml", {}, {.checks = checks});
    EXPECT_TRUE(file.warnings.empty());
    const Program program = lower(*file.schedule);
    for (const double value : {3.0, -7.0}) {
      const CoordinateTensor t{{2, 2, 2}, {{0, 1}, {1, 1}, {0, 1}}, {1, value}};
      const RunResult result =
          run(*file.fusion, program,
              {.sizes = {{"I", 2}, {"J", 2}, {"K", 2}},
               .inputs = arrays_of(stored(t), "T", DataType::Int32, DataType::Int32),
               .on = Machine::Emulate});
      EXPECT_EQ(result.faults.empty(), !checks || value > -5);
    }
  }
}

// Data that break what levels promise are refused with the row, and read no array out of bounds.
TEST(CsfFiles, BrokenLevelsAreRefusedOrReadWithinBounds) {
  const struct {
    const char* array;
    std::int64_t place, number;
    const char* says;
  } cases[] = {
      {"T_1_offsets", 0, 1, "T_1_offsets[0] is 1, and rows begin at 0"},
      {"T_1_offsets", 2, 0,
       "T_1_offsets[2] is 0, and T_1_offsets[1] is 2: row 1 would end before "},
      {"T_2_offsets", 3, 9, "T_2_offsets[3] is 9, and there are 5 items"},
      {"T_2_offsets", 2, 0, "T_2_offsets[2] is 0, and T_2_offsets[1] is 2: row 1 would end before"},
      {"T_1_columns", 2, 5, "T_1_columns[2] is 5, in row 2, and is to be less than 5"},
      {"T_1_columns", 0, 4,
       "T_1_columns[1] is 2, in row 0, and the one before it 4; help: sort the "
       "items, so that T_1_columns rises in each row"},
      {"T_2_columns", 1, -1, "T_2_columns[1] is -1, in row 0, and is to be less than 4"},
      {"T_2_columns", 3, 0, "T_2_columns[3] is 0, in row 1, and the one before it 1"},
  };
  const CoordinateTensor t{
      {3, 5, 4}, {{0, 0, 0, 0, 2}, {1, 1, 2, 2, 3}, {0, 2, 1, 3, 2}}, {1, 2, 3, 4, 5}};
  const ScheduleFile file = read(
      "inputs:\n  T: {shape: [I, J, K], dtype: int32, format: csf}\n"
      "  x: {shape: [J], dtype: int32}\n  z: {shape: [K], dtype: int32}\n"
      "compute: [\"y[i] = sum[j, k](T[i, j, k] * x[j] * z[k] * i)\"]\n");
  const Program program = lower(*file.schedule);
  for (const auto& c : cases) {
    SCOPED_TRACE(c.says);
    RunRequest request{.sizes = {{"I", 3}, {"J", 5}, {"K", 4}},
                       .inputs = arrays_of(stored(t), "T", DataType::Int32, DataType::Int32),
                       .on = Machine::Emulate};
    EXPECT_TRUE(run(*file.fusion, program, request).passed());
    request.inputs.at(c.array).set_int(c.place, c.number);
    try {
      run(*file.fusion, program, request);
      ADD_FAILURE();
    } catch (const BadInput& refused) {
      EXPECT_EQ(refused.diagnostic().code, "E634");
      EXPECT_THAT(to_text(refused.diagnostic()), HasSubstr(c.says));
    }
    request.trusts_offsets = true;
    EXPECT_EQ(run(*file.fusion, program, request).faults, std::vector<std::string>());
  }
}

// What is made up keeps the promises, and coordinates rise in each node.
TEST(CsfFiles, MadeUpTensorsAreTrees) {
  const ScheduleFile file = read(
      "inputs:\n  T: {shape: [I, J, K], dtype: float, format: csf}\n"
      "compute: [\"y[i] = sum[j, k](T[i, j, k])\"]\n");
  const Program program = lower(*file.schedule);
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    RunRequest request{
        .sizes = {{"I", 4}, {"J", 9}, {"K", 7}, {"T_1_items", 12}, {"T_2_items", 40}},
        .seed = seed,
        .on = Machine::Emulate};
    const RunResult result = run(*file.fusion, program, request);
    EXPECT_TRUE(result.passed());
    for (const char* level : {"T_1", "T_2"}) {
      const Array& offsets = result.inputs.at(level + std::string("_offsets"));
      const Array& columns = result.inputs.at(level + std::string("_columns"));
      bool rises_everywhere = true;
      for (std::int64_t k = 1; k < columns.size(); ++k) {
        rises_everywhere = rises_everywhere && columns.get_int(k) >= columns.get_int(k - 1);
      }
      EXPECT_FALSE(rises_everywhere);
      EXPECT_EQ(offsets.get_int(offsets.size() - 1), columns.size());
    }
  }
}

}  // namespace csf_files

}  // namespace

}  // namespace selvage
