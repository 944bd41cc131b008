// Random gathers under random schedules, on every target, held against a walk over all items that
// is written here and shares nothing with the engine.
#include <selvage/base/diagnostic.h>
#include <selvage/ir/ops.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>

#include "tests/support/counts.h"
#include "tests/support/lowered.h"

namespace selvage {
namespace {

using Random = std::mt19937_64;
using Numbers = std::vector<std::int64_t>;

std::int64_t within(Random& random, std::int64_t least, std::int64_t most) {
  return std::uniform_int_distribution<std::int64_t>(least, most)(random);
}

// The row-major address of a point.
std::int64_t address(const Numbers& shape, const Numbers& at) {
  std::int64_t n = 0;
  for (std::size_t k = 0; k < shape.size(); ++k) n = n * shape[k] + at[k];
  return n;
}
bool next(Numbers& at, const Numbers& shape) {
  for (std::size_t k = at.size(); k-- > 0;) {
    if (++at[k] < shape[k]) return true;
    at[k] = 0;
  }
  return false;
}

enum class Mode { Filled, Clamped, Unchecked };

// A tensor of indices over some axes of the result.
struct Indices {
  std::vector<std::size_t> axes;
  Array array;
};
// One subscript of the table: an axis of the result, or what memory says plus a number.
struct At {
  std::size_t axis = 0;
  std::optional<Indices> indices = {};
  std::int64_t more = 0;
  Mode mode = Mode::Clamped;
};

// y[...] = table[...], perhaps folded over the last axis, perhaps shifted and padded.
struct Gather {
  Numbers shape, table_shape;
  std::vector<At> at;
  Array table;
  bool folds = false, is_padded = false;
  std::int64_t fill = -7;

  bool is_filled() const {
    return std::ranges::any_of(at, [](const At& a) { return a.indices && a.mode == Mode::Filled; });
  }

  // The item of the table, or the fill, at a point of the result before it is folded and padded.
  std::int64_t item(const Numbers& point) const {
    Numbers from;
    bool is_inside = true;
    for (std::size_t k = 0; k < at.size(); ++k) {
      if (!at[k].indices) {
        from.push_back(point[at[k].axis]);
        continue;
      }
      Numbers own, own_shape = at[k].indices->array.shape;
      for (std::size_t axis : at[k].indices->axes) own.push_back(point[axis]);
      const std::int64_t said = at[k].indices->array.get_int(address(own_shape, own));
      // Sums of int64 wrap around.
      const auto index = std::int64_t(std::uint64_t(said) + std::uint64_t(at[k].more));
      is_inside =
          is_inside && (at[k].mode != Mode::Filled || (index >= 0 && index < table_shape[k]));
      from.push_back(std::clamp<std::int64_t>(index, 0, table_shape[k] - 1));
    }
    return is_inside ? table.get_int(address(table_shape, from)) : fill;
  }

  Numbers result_shape() const {
    Numbers result = shape;
    if (folds) result.pop_back();
    if (is_padded && !result.empty()) result[0] += 3;
    return result;
  }
  std::int64_t result_at(Numbers point) const {
    if (is_padded && !point.empty()) {
      point[0] -= 1;
      if (point[0] < 0 || point[0] >= shape[0]) return 99;
    }
    if (!folds) return item(point);
    std::int64_t most = std::numeric_limits<std::int32_t>::min();
    for (std::int64_t k = 0; k < shape.back(); ++k) {
      point.push_back(k);
      most = std::max(most, item(point));
      point.pop_back();
    }
    return most;
  }
};

struct TypeOfIndex {
  DataType type;
  std::int64_t least, most;
};
constexpr TypeOfIndex kIndexTypes[] = {
    {DataType::Int8, INT8_MIN, INT8_MAX},    {DataType::Int16, INT16_MIN, INT16_MAX},
    {DataType::Int32, INT32_MIN, INT32_MAX}, {DataType::Int64, INT64_MIN, INT64_MAX},
    {DataType::UInt8, 0, UINT8_MAX},         {DataType::UInt16, 0, UINT16_MAX},
    {DataType::UInt32, 0, UINT32_MAX}};

Gather random_gather(Random& random) {
  Gather g;
  const std::int64_t rank = within(random, 1, 3);
  for (std::int64_t k = 0; k < rank; ++k) {
    // Axes that vectors divide, and others.
    g.shape.push_back(within(random, 0, 2) == 0 ? 4 * within(random, 1, 2) : within(random, 1, 6));
  }
  const std::int64_t axes = within(random, 1, 3);
  for (std::int64_t k = 0; k < axes; ++k) {
    At at;
    at.axis = std::size_t(within(random, 0, rank - 1));
    const bool is_plain = within(random, 0, 1) == 0 && k > 0;
    g.table_shape.push_back(is_plain ? g.shape[at.axis] : within(random, 1, 7));
    if (!is_plain) {
      const std::int64_t n = g.table_shape.back();
      at.mode = Mode(within(random, 0, 2));
      at.more = at.mode == Mode::Unchecked ? 0 : within(random, -1, 1);
      Indices indices;
      Numbers shape;
      for (std::size_t a = 0; a < g.shape.size(); ++a) {
        if (within(random, 0, 1) == 0) continue;
        indices.axes.push_back(a);
        shape.push_back(g.shape[a]);
      }
      const auto [type, least, most] = kIndexTypes[std::size_t(within(random, 0, 6))];
      indices.array = Array(type, shape);
      for (std::int64_t i = 0; i < indices.array.size(); ++i) {
        const bool stays = at.mode == Mode::Unchecked || within(random, 0, 3) != 0;
        const std::int64_t hostile[] = {least, most, n, -1, n + 1};
        const std::int64_t value =
            stays ? within(random, 0, n - 1) : hostile[std::size_t(within(random, 0, 4))];
        indices.array.set_int(i, std::clamp(value, least, most));
      }
      at.indices = indices;
    }
    g.at.push_back(at);
  }
  g.table = Array(DataType::Int32, g.table_shape);
  for (std::int64_t i = 0; i < g.table.size(); ++i) g.table.set_int(i, within(random, -50, 50));
  g.folds = rank > 1 && within(random, 0, 3) == 0;
  g.is_padded = within(random, 0, 3) == 0 && rank > (g.folds ? 1 : 0);
  return g;
}

// The fusion. `symbolic`: the table's first extent is a size.
Fusion fusion_of(const Gather& g, bool symbolic, std::map<std::string, Array>& inputs) {
  Fusion f;
  std::vector<Expr> shape, table_shape, indices;
  for (std::int64_t n : g.shape) shape.push_back(f.constant(n));
  for (std::int64_t n : g.table_shape) table_shape.push_back(f.constant(n));
  if (symbolic && g.at[0].indices) table_shape[0] = f.extent("V");
  const Tensor table = f.input("table", table_shape, DataType::Int32);
  inputs["table"] = g.table;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    indices.push_back(f.fresh_index("i" + std::to_string(k)));
  }
  std::vector<Subscript> subscripts;
  for (std::size_t k = 0; k < g.at.size(); ++k) {
    const At& at = g.at[k];
    if (!at.indices) {
      subscripts.emplace_back(indices[at.axis]);
      continue;
    }
    const std::string name = "idx" + std::to_string(k);
    std::vector<Expr> own, own_shape;
    for (std::size_t a : at.indices->axes) {
      own.push_back(indices[a]);
      own_shape.push_back(shape[a]);
    }
    const Tensor idx = f.input(name, own_shape, at.indices->array.type);
    inputs[name] = at.indices->array;
    Element index = read(idx, own);
    if (at.more != 0) index = cast(index, DataType::Int64) + at.more;
    subscripts.emplace_back(index, at.mode == Mode::Clamped     ? IndexMode::Clamped
                                   : at.mode == Mode::Unchecked ? IndexMode::Unchecked
                                                                : IndexMode::Proved);
  }
  const Element value =
      g.is_filled() ? gather_or(table, subscripts, g.fill) : gather(table, subscripts);
  Tensor t = f.compute("t", indices, shape, value);
  if (g.folds) t = max(t, {-1});
  if (g.is_padded) {
    std::vector<std::pair<Extent, Extent>> sides(t.rank(), {0, 0});
    sides[0] = {1, 2};
    t = pad(t, sides, 99);
  }
  f.output("y", t);
  return f;
}

// Cuts up, merges and binds some loops of every tensor that has them; caches and inlines some.
Schedule schedule_anyhow(const Fusion& f, Random& random) {
  Schedule s(f);
  const auto tried = [&](const auto& step) {
    Schedule before = s;
    try {
      step();
    } catch (const Error&) {
      s = before;
    }
  };
  const std::size_t tensors = f.size();
  for (std::size_t k = tensors; k-- > 0;) {
    const TensorId t = TensorId(k);
    if (!s.fusion()[t].definition) continue;
    if (!f[t].is_output && within(random, 0, 1) == 0) tried([&] { s.inline_into_readers(t); });
    if (s.is_inlined(t)) continue;
    for (int n = int(within(random, 0, 4)); n > 0; --n) {
      const auto loops = s.loops(t);
      if (loops.empty()) break;
      const auto pick = [&] {
        return loops[std::size_t(within(random, 0, std::int64_t(loops.size()) - 1))];
      };
      switch (within(random, 0, 4)) {
        case 0: tried([&] { s.split(pick(), within(random, 1, 4)); }); break;
        case 1:
          if (loops.size() > 1) tried([&] { s.merge(loops[loops.size() - 2], loops.back()); });
          break;
        case 2: tried([&] { s.bind(pick(), ParallelType::BIDx); }); break;
        case 3: tried([&] { s.bind(pick(), ParallelType::TIDx); }); break;
        default:
          tried([&] {
            const auto [outer, inner] = s.split(loops.back(), within(random, 0, 1) == 0 ? 2 : 4);
            s.bind(inner, ParallelType::Vectorize);
          });
      }
    }
  }
  return s;
}

TEST(GathersRandom, AgreeWithAWalkOverAllItemsOnEveryTarget) {
  Random random(18);
  int run_ones = 0, vectors = 0, padded = 0, folds = 0, refused = 0;
  std::map<std::string, int> refusals;
  const int gathers = count(150, 4'000);
  for (int n = 0; n < gathers && !testing::Test::HasFailure(); ++n) {
    const Gather g = random_gather(random);
    RunRequest request;
    const Fusion f = fusion_of(g, within(random, 0, 1) == 0, request.inputs);
    Program program;
    try {
      program = lower(f, schedule_anyhow(f, random));
    } catch (const Illegal& e) {
      ++refused;
      ++refusals[e.diagnostic().code];
      continue;
    }
    test::expect_verified(program);
    request.on = Machine::Emulate;
    request.on_all = true;
    const RunResult r = run(f, program, request);
    for (const std::string& fault : r.faults) ADD_FAILURE() << n << ": " << fault;
    for (const Comparison& c : r.comparisons) {
      EXPECT_EQ(c.mismatches, 0) << n << ", " << to_string(c.machine) << ": " << c.first;
    }
    const Numbers shape = g.result_shape();
    const Array& y = r.outputs.at("y");
    ASSERT_EQ(y.shape, shape);
    Numbers at(shape.size(), 0);
    do {
      ASSERT_EQ(y.get_int(address(shape, at)), g.result_at(at)) << n;
    } while (next(at, shape));
    if (testing::Test::HasFailure()) {
      for (const ProgramStep& step : program.steps) ADD_FAILURE() << loop_nest(step.variants[0]);
    }
    ++run_ones;
    padded += g.is_padded;
    folds += g.folds;
    for (const ProgramStep& step : program.steps) {
      vectors += loop_nest(step.variants[0]).find("= table[") != std::string::npos;
    }
  }
  for (const auto& [code, times] : refusals) {
    RecordProperty("refused_" + code, times);
  }
  EXPECT_GT(run_ones, more_than(80));
  EXPECT_GT(vectors, more_than(10));
  EXPECT_GT(padded, more_than(10));
  EXPECT_GT(folds, more_than(10));
}

}  // namespace
}  // namespace selvage
