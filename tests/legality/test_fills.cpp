// Holes of memory, who reads them and what they must hold, against looking at every cell.
#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/frontend/schedule_file.h>
#include <selvage/legality/cells.h>
#include <selvage/legality/fills.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "tests/oracle/brute_force.h"
#include "tests/oracle/random_graph.h"
#include "tests/support/counts.h"

namespace selvage {
namespace {

struct Buffer {
  explicit Buffer(const std::string& yaml) : file(read_schedule_text(yaml, "a.yaml")) {}
  const FileTensor& tensor() const { return file.tensors.at(0); }
  TensorAnalysis analysis(const Schedule& s) const {
    return analyze(*tensor().fusion, s, tensor().tensor);
  }
  // With the reader of the file.
  std::optional<Fills> fills(ReadBy by = {}) const {
    const FileTensor& t = tensor();
    const TensorAnalysis write = analysis(*t.schedule);
    if (!t.reading) return selvage::fills(*t.fusion, *t.schedule, write, nullptr, nullptr, by);
    const TensorAnalysis read = analysis(*t.reading);
    return selvage::fills(*t.fusion, *t.schedule, write, &*t.reading, &read, by);
  }
  ScheduleFile file;
};

std::string verdict(const Verdict& v) {
  return is_proved(v) ? "proved" : std::holds_alternative<Refuted>(v) ? "refuted" : "unknown";
}

std::int64_t at(const Verdict& v, const std::string& name) {
  for (const auto& [symbol, value] : std::get<Refuted>(v).point) {
    if (symbol.name() == name) return value;
  }
  ADD_FAILURE() << "no value for " << name;
  return -1;
}

// 8 by 60 in rows of 4 by 16: the last 4 of every row are holes.
const std::string kTile =
    "tensors:\n  T0:\n    dtype: half\n    memory: shared\n    logical: {row: 8, column: 60}\n"
    "    transforms: [{split: {in: column, factor: 16, out: [c, lane]}}]\n"
    "    allocation: [row, c, lane]\n    loop: [row, c, lane]\n";

TEST(Fills, ADenseBufferHasNone) {
  EXPECT_FALSE(Buffer("tensors: {T0: {dtype: float, logical: {i: 6, j: 5}}}").fills());
  EXPECT_FALSE(
      Buffer("tensors: {T0: {dtype: float, logical: {i: 6, j: 5}, allocation: [j, i]}}").fills());
  EXPECT_FALSE(
      Buffer("tensors: {T0: {dtype: float, logical: {i: 6, j: 5}, strides: [1, 6]}}").fills());
  // A split that divides, with symbols too.
  EXPECT_FALSE(
      Buffer("symbols: {N: {multiple_of: 4}}\ntensors: {T0: {dtype: float, logical: {i: N},"
             " transforms: [{split: {in: i, factor: 4, out: [o, l]}}], allocation: [o, l],"
             " loop: [o, l]}}")
          .fills());
}

TEST(Fills, AGuardedReaderOfATileReadsNoHoleAndAnUnguardedOneDoes) {
  const Buffer b(kTile);
  const auto fills = b.fills();
  ASSERT_TRUE(fills);
  EXPECT_TRUE(fills->holes->is_const(32));
  EXPECT_EQ(fills->first, 60);
  EXPECT_EQ(verdict(fills->reader.only_items.verdict), "proved");
  EXPECT_FALSE(fills->is_strong);
  EXPECT_FALSE(fills->value);
  EXPECT_TRUE(fills->initialised.is_legal());
  EXPECT_EQ(verdict(fills->unguarded->only_items.verdict), "refuted");
  EXPECT_EQ(at(fills->unguarded->only_items.verdict, "row"), 0);
  EXPECT_EQ(at(fills->unguarded->only_items.verdict, "c"), 3);
  EXPECT_EQ(at(fills->unguarded->only_items.verdict, "lane"), 12);
  EXPECT_EQ(fills->unguarded->element, 60);
  EXPECT_TRUE(fills->unguarded->inside.is_legal());
  EXPECT_TRUE(fills->refusals().empty());
}

TEST(Fills, AnUnguardedReaderNeedsWhatItsReductionStartsWith) {
  const Buffer tile(kTile);
  const auto by = [&](Reduction r) { return tile.fills({.is_guarded = false, .reduction = r}); };
  const auto max = by(Reduction::Max), sum = by(Reduction::Sum);
  EXPECT_TRUE(max->is_strong);
  EXPECT_EQ(to_text(*max->value), "-inf");
  EXPECT_EQ(verdict(max->initialised.verdict), "refuted");
  EXPECT_EQ(max->initialised.reason, "max reads element 60 of T0, a hole that nobody stores into");
  EXPECT_EQ(to_text(*sum->value), "0");
  ASSERT_TRUE(sum->reader.once);
  EXPECT_TRUE(sum->reader.once->is_legal());  // what its guard would stop are holes
  EXPECT_TRUE(sum->refusals().empty());
  // The hardware's zeros are what a sum needs, and not what a max does.
  const Scalar zero = identity(Reduction::Sum, DataType::Half);
  const auto with_zeros = [&](Reduction r) {
    return tile.fills({.is_guarded = false, .reduction = r, .left_in_holes = zero});
  };
  EXPECT_TRUE(with_zeros(Reduction::Sum)->initialised.is_legal());
  EXPECT_FALSE(with_zeros(Reduction::Max)->initialised.is_legal());
}

TEST(Fills, GapsBetweenStridesAreHolesWithoutIndices) {
  const Buffer b("tensors: {T0: {dtype: float, logical: {i: 3, j: 4}, strides: [6, 1], fill: 7}}");
  const auto fills = b.fills();
  ASSERT_TRUE(fills);
  EXPECT_EQ(to_string(*fills->holes), "4");
  EXPECT_EQ(fills->first, 4);
  EXPECT_TRUE(fills->is_strong);
  EXPECT_EQ(fills->initialised.reason,
            "4 holes, the first at element 4, must hold 7, and the schedule stores items only");
  EXPECT_TRUE(std::get<Refuted>(fills->initialised.verdict).point.empty());
}

TEST(Fills, LargeBuffersAreCountedWithoutLookingAtEveryCell) {
  const Buffer b(
      "tensors: {T0: {dtype: float, logical: {i: 100000, j: 1000}, strides: [1024, 1]}}");
  const auto fills = b.fills();
  ASSERT_TRUE(fills);
  EXPECT_EQ(fills->first, 1000);
  EXPECT_TRUE(fills->holes->is_const(99999 * 24));
  EXPECT_EQ(verdict(fills->reader.only_items.verdict), "proved");
  EXPECT_FALSE(fills->unguarded);  // global memory, and no reader is told of
}

TEST(Fills, WithSizesTheNumberOfHolesIsAText) {
  const Buffer b(
      "symbols: {N: {max: 1000}}\ntensors: {T0: {dtype: float, memory: shared, logical: {i: N},"
      " transforms: [{split: {in: i, factor: 8, out: [o, l]}}], allocation: [o, l],"
      " loop: [o, l]}}");
  const auto fills = b.fills({.is_guarded = false, .reduction = Reduction::Sum});
  ASSERT_TRUE(fills);
  const Expr n = b.tensor().fusion->sizes()[0];
  for (std::int64_t size = 1; size <= 40; ++size) {
    EXPECT_EQ(evaluate(*fills->holes, std::span(&n, 1), std::span(&size, 1)), (8 - size % 8) % 8);
  }
  ASSERT_EQ(verdict(fills->reader.only_items.verdict), "refuted");
  const std::int64_t o = at(fills->reader.only_items.verdict, "o");
  const std::int64_t l = at(fills->reader.only_items.verdict, "l");
  const std::int64_t size = at(fills->reader.only_items.verdict, "N");
  EXPECT_GE(o * 8 + l, size);
  EXPECT_LT(o, (size + 7) / 8);
  EXPECT_EQ(fills->reader.element, o * 8 + l);
  EXPECT_EQ(verdict(fills->reader.inside.verdict), "proved");
  EXPECT_EQ(verdict(fills->reader.once->verdict), "proved");
  EXPECT_EQ(verdict(b.fills()->reader.only_items.verdict), "proved");
}

// 2 items padded to 3, their columns side by side: element 1 is that of item 1 and of the hole
// [1, 0], which a reader without a guard adds once more.
TEST(Fills, AnItemThatAHoleSharesIsReadTwice) {
  const Buffer b(
      "tensors: {T0: {dtype: float, memory: shared, logical: {i: 2}, transforms: [{resize: {in: i,"
      " left: 0, right: 1, out: p}}, {split: {in: p, factor: 2, out: [o, l], inner: false}}],"
      " allocation: [l, o], strides: [1, 1], loop: [o, l]}}");
  const auto fills = b.fills({.is_guarded = false, .reduction = Reduction::Sum});
  ASSERT_TRUE(fills);
  ASSERT_EQ(verdict(fills->reader.once->verdict), "refuted");
  EXPECT_EQ(at(fills->reader.once->verdict, "o"), 1);
  EXPECT_EQ(at(fills->reader.once->verdict, "l"), 0);
  ASSERT_EQ(fills->refusals().size(), 1u);
  EXPECT_EQ(fills->refusals()[0].code, "E473");
  EXPECT_EQ(fills->refusals()[0].reason,
            "sum reads element 1 of T0, an item, once more from a hole of its loops");
  EXPECT_EQ(fills->refusals()[0].help, "leave guard: false out, and the guard stops that read");
  EXPECT_TRUE(b.fills({.reduction = Reduction::Sum})->refusals().empty());
}

// Item 0 is cut off on its way to memory, and padded again: its address is 0 all the same.
TEST(Fills, AnItemThatLeavesItsBoundsOnTheWayToMemoryHasAnAddress) {
  const Buffer b(
      "tensors: {T0: {dtype: float, memory: shared, fill: 0, logical: {i: 2}, transforms: [{resize:"
      " {in: i, left: -1, right: 0, out: c}}, {resize: {in: c, left: 1, right: 0, out: p}}],"
      " allocation: [p], loop: [p]}}");
  const auto fills = b.fills({.is_guarded = false, .reduction = Reduction::Sum});
  ASSERT_TRUE(fills);
  EXPECT_TRUE(fills->holes->is_const(0));
  ASSERT_EQ(verdict(fills->reader.once->verdict), "refuted");
  EXPECT_EQ(at(fills->reader.once->verdict, "p"), 0);
}

// Item 0 lies outside of the memory: what reads it there reads no hole.
TEST(Fills, AnItemOutsideTheMemoryIsNoHole) {
  const Buffer b(
      "tensors: {T0: {dtype: float, memory: shared, logical: {i: 1}, transforms: [{resize: {in: i,"
      " left: -1, right: 1, out: p}}], allocation: [p], loop: [p], read: {loop: [i]}}}");
  for (const bool guarded : {false, true}) {
    const auto fills = b.fills({.is_guarded = guarded, .reduction = Reduction::Sum});
    ASSERT_TRUE(fills);
    EXPECT_EQ(verdict(fills->reader.inside.verdict), "refuted");
    EXPECT_EQ(verdict(fills->reader.only_items.verdict), "proved");
  }
}

TEST(Fills, ATmaCopyIsLeftToItsOwnPart) {
  EXPECT_FALSE(Buffer("tensors: {T0: {dtype: float, logical: {i: 60}, fill: 0, transforms: "
                      "[{split: {in: i, factor: 16, out: [o, l]}}], bind: {l: Bulk}}}")
                   .fills());
}

// What is found out by looking at every cell and every loop point.
struct Truth {
  std::vector<char> item;
  std::int64_t holes = 0;
  struct Nest {
    bool inside = true, only_items = true, once = true;
  } guarded, unguarded;
};

Truth truth_of(const oracle::Graph& g, const std::vector<int>& allocation,
               const std::vector<std::int64_t>& strides, bool duplicates) {
  Truth truth;
  std::int64_t cells = 1;
  for (std::size_t k = 0; k < allocation.size(); ++k) {
    cells += (g.extents[std::size_t(allocation[k])] - 1) * strides[k];
  }
  truth.item.resize(std::size_t(cells), 0);
  const auto address = [&](std::span<const std::int64_t> indices) {
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < allocation.size(); ++k) {
      sum += indices[std::size_t(allocation[k])] * strides[k];
    }
    return sum;
  };
  using Values = std::span<const std::int64_t>;
  oracle::for_each_point(g, [&](Values, Values indices, std::uint64_t holes) {
    if (holes == 0) truth.item[std::size_t(address(indices))] = 1;
  });
  truth.holes = std::count(truth.item.begin(), truth.item.end(), 0);
  oracle::for_each_point(g, [&](Values, Values indices, std::uint64_t holes) {
    const std::int64_t a = address(indices);
    const bool inside = 0 <= a && a < cells, item = inside && truth.item[std::size_t(a)] != 0;
    const auto note = [&](Truth::Nest& nest) {
      nest.inside = nest.inside && inside;
      nest.only_items = nest.only_items && item;
      nest.once = nest.once && (holes == 0 || !item);
    };
    note(truth.unguarded);
    const bool passes = duplicates ? std::all_of(g.logical.begin(), g.logical.end(),
                                                 [&](int d) {
                                                   const std::int64_t x = indices[std::size_t(d)];
                                                   return 0 <= x && x < g.extents[std::size_t(d)];
                                                 })
                                   : holes == 0;
    if (passes) note(truth.guarded);
  });
  return truth;
}

template <class Item>
void shuffle(std::mt19937_64& rng, std::vector<Item>& items) {
  for (std::size_t k = items.size(); k > 1; --k) {
    std::swap(items[k - 1], items[std::size_t(oracle::draw(rng, 0, std::int64_t(k) - 1))]);
  }
}

// Strides that nest with some room, the axes in a random order.
std::vector<std::int64_t> random_strides(std::mt19937_64& rng, const oracle::Graph& g,
                                         const std::vector<int>& allocation, bool is_dense) {
  std::vector<std::size_t> order(allocation.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  if (!is_dense) shuffle(rng, order);
  std::vector<std::int64_t> strides(allocation.size());
  std::int64_t next = 1;
  for (std::size_t k = order.size(); k-- > 0;) {
    strides[order[k]] = next;
    next *= g.extents[std::size_t(allocation[order[k]])];
    if (!is_dense && oracle::draw(rng, 0, 2) == 0) next += oracle::draw(rng, 1, 3);
  }
  return strides;
}

std::string list(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& w : words) text += (text.empty() ? "" : ", ") + w;
  return "[" + text + "]";
}

TEST(Fills, AgreeWithLookingAtEveryCellOfRandomBuffers) {
  std::mt19937_64 rng(470);
  oracle::Limits limits;
  limits.max_points = 2'000;
  limits.max_extent = 24;
  limits.max_transforms = 7;
  int with_holes = 0, read_guarded = 0, read_unguarded = 0, twice = 0, outside = 0;
  const int buffers = count(200, 5'000);
  for (int n = 0; n < buffers && !HasFailure(); ++n) {
    const oracle::Graph g =
        n % 3 == 2 ? oracle::random_view_graph(rng, limits) : oracle::random_graph(rng, limits);
    if (!oracle::coverage(g).complete()) continue;  // an item without a cell
    // Over the loops, or, with the loops' holes not of memory, over the logical domain.
    std::vector<int> allocation = n % 4 == 3 ? g.logical : g.loop;
    if (n % 4 != 3) shuffle(rng, allocation);
    const bool is_dense = n % 2 == 0, duplicates = n % 7 > 3;
    const std::vector<std::int64_t> strides = random_strides(rng, g, allocation, is_dense);
    std::vector<std::string> names, numbers;
    for (int d : allocation) names.push_back(g.names[std::size_t(d)]);
    for (std::int64_t s : strides) numbers.push_back(std::to_string(s));
    std::string yaml = oracle::to_yaml(g);
    if (allocation != g.logical) yaml += "    allocation: " + list(names) + "\n";
    if (!is_dense) yaml += "    strides: " + list(numbers) + "\n";
    if (duplicates) yaml += "    duplicates: allowed\n";
    const Truth truth = truth_of(g, allocation, strides, duplicates);
    if (truth.item.size() > 1 << 16) continue;

    const Buffer buffer(yaml);
    const auto fills = buffer.fills({.reduction = Reduction::Sum});
    if (!fills) {
      ASSERT_EQ(truth.holes, 0) << yaml;
      continue;
    }
    ASSERT_TRUE(fills->holes && fills->holes->is(Op::Const)) << yaml;
    ASSERT_EQ(fills->holes->value(), truth.holes) << yaml;
    with_holes += truth.holes > 0;
    if (truth.holes > 0) {
      ASSERT_EQ(fills->first,
                std::find(truth.item.begin(), truth.item.end(), 0) - truth.item.begin())
          << yaml;
    }
    const auto agrees = [&](const ReadFindings& read, const Truth::Nest& nest) {
      const auto same_answer = [&](const Verdict& v, bool holds) {
        return verdict(v) == (holds ? "proved" : "refuted");
      };
      return same_answer(read.inside.verdict, nest.inside) &&
             same_answer(read.only_items.verdict, nest.only_items) &&
             same_answer(read.once->verdict, nest.once);
    };
    ASSERT_TRUE(agrees(fills->reader, truth.guarded)) << yaml;
    ASSERT_TRUE(agrees(*fills->unguarded, truth.unguarded)) << yaml;
    if (!truth.unguarded.only_items && fills->unguarded->element) {
      const std::int64_t e = *fills->unguarded->element;
      const bool is_hole =
          e < 0 || e >= std::int64_t(truth.item.size()) || truth.item[std::size_t(e)] == 0;
      ASSERT_TRUE(is_hole) << yaml;
    }
    read_guarded += !truth.guarded.only_items;
    read_unguarded += !truth.unguarded.only_items;
    twice += !truth.unguarded.once;
    outside += !truth.unguarded.inside;
  }
  EXPECT_GT(with_holes, buffers / 10);
  EXPECT_GT(read_guarded, 0);
  EXPECT_GT(read_unguarded, buffers / 20);
  EXPECT_GT(twice, more_than(0));
  EXPECT_GT(outside, more_than(0));
}

// With sizes as symbols a proof holds for every sample of them, and a refutation at its point.
TEST(Fills, WithSizesTheirAnswersHoldForSamplesOfThem) {
  std::mt19937_64 rng(471);
  oracle::Limits limits;
  limits.max_points = 2'000;
  limits.max_extent = 30;
  limits.max_transforms = 4;
  int proved = 0, refuted = 0, unknown = 0;
  const int buffers = count(60, 1'000);
  for (int n = 0; n < buffers && !HasFailure(); ++n) {
    const oracle::SymbolicGraph g = oracle::random_symbolic_graph(rng, limits);
    std::vector<std::string> names;
    for (int d : g.loop) names.push_back(g.names[std::size_t(d)]);
    const std::string yaml = oracle::to_yaml(g) + "    allocation: " + list(names) + "\n";
    const Buffer buffer(yaml);
    if (buffer.file.tensors.empty()) continue;
    const auto fills = buffer.fills({.is_guarded = false, .reduction = Reduction::Sum});
    const auto truth_at = [&](const oracle::Values& values) {
      const oracle::Graph instance = oracle::instantiate(g, values);
      return truth_of(instance, instance.loop, random_strides(rng, instance, instance.loop, true),
                      false);
    };
    for (const oracle::Values& values : oracle::sample_values(rng, g, 6, 2'000)) {
      if (!oracle::coverage(oracle::instantiate(g, values)).complete()) continue;
      const Truth truth = truth_at(values);
      if (!fills) {
        ASSERT_EQ(truth.holes, 0) << yaml;
        continue;
      }
      const auto holds = [](const Verdict& v, bool does) { return !is_proved(v) || does; };
      ASSERT_TRUE(holds(fills->reader.inside.verdict, truth.unguarded.inside)) << yaml;
      ASSERT_TRUE(holds(fills->reader.only_items.verdict, truth.unguarded.only_items)) << yaml;
      ASSERT_TRUE(holds(fills->reader.once->verdict, truth.unguarded.once)) << yaml;
      if (!fills->holes) continue;
      std::vector<std::int64_t> sizes;
      for (Expr s : buffer.tensor().fusion->sizes()) {
        sizes.push_back(values.at(std::string(s.name())));
      }
      ASSERT_EQ(evaluate(*fills->holes, buffer.tensor().fusion->sizes(), sizes), truth.holes)
          << yaml;
    }
    // With items that have no cell for some sizes nothing is said of cells.
    const Coverage cells = buffer.analysis(*buffer.tensor().schedule).coverage;
    if (std::holds_alternative<Refuted>(cells.verdict)) continue;
    const Verdict answer = fills ? fills->reader.only_items.verdict : Verdict(Proved{});
    proved += is_proved(answer);
    unknown += std::holds_alternative<Unknown>(answer);
    if (!std::holds_alternative<Refuted>(answer)) continue;
    ++refuted;
    // Every loop is an axis here: the witness is the allocation's point.
    oracle::Values values;
    for (const oracle::Symbol& s : g.symbols) {
      const auto& point = std::get<Refuted>(answer).point;
      const auto it = std::find_if(point.begin(), point.end(),
                                   [&](const auto& p) { return p.first.name() == s.name; });
      if (it != point.end()) values[s.name] = it->second;
    }
    if (values.size() != g.symbols.size()) continue;
    const oracle::Graph instance = oracle::instantiate(g, values);
    std::vector<std::int64_t> point;
    for (int d : instance.loop) point.push_back(at(answer, g.names[std::size_t(d)]));
    ASSERT_TRUE(oracle::is_hole(instance, oracle::coordinates(instance, point))) << yaml;
  }
  EXPECT_GT(proved, more_than(buffers / 20));
  EXPECT_GT(refuted, more_than(buffers / 10));
  EXPECT_LE(unknown * 10, at_most(buffers)) << unknown << " of " << buffers << " undecided";
}

}  // namespace
}  // namespace selvage
