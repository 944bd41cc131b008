// How what a nest reads of a tile in shared memory meets the banks, held against a count over all
// threads.
#include <selvage/expr/tape.h>
#include <selvage/legality/bank_degree.h>
#include <selvage/legality/reads.h>
#include <selvage/legality/warp_access.h>
#include <selvage/lower/program.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "tests/support/counts.h"

namespace selvage {
namespace {

// The most words of one bank that a warp asks for at once: words of 4 bytes, each once.
std::int64_t counted(const Schedule& s, const TensorAnalysis& nest, const Access& read) {
  std::vector<Expr> roots = read.guard;
  if (read.condition.valid()) roots.push_back(read.condition);
  const std::size_t tests = roots.size();
  roots.push_back(read.address);
  Tape tape(roots, nest.variables);
  std::vector<std::int64_t> extents, at(nest.loops.size(), 0);
  std::int64_t block[3] = {1, 1, 1};
  for (DomainId d : nest.loops) {
    extents.push_back(s.graph()[d].extent.value());
    const ParallelType p = s.parallel(nest.tensor, d);
    if (is_thread(p)) block[axis(p)] = extents.back();
  }
  // By the other loops and the warp: the words of each bank.
  std::map<std::vector<std::int64_t>, std::map<std::int64_t, std::set<std::int64_t>>> words;
  std::int64_t most = 1;
  for (bool more = true; more;) {
    std::vector<std::int64_t> key;
    std::int64_t xyz[3] = {0, 0, 0};
    for (std::size_t i = 0; i < at.size(); ++i) {
      const ParallelType p = s.parallel(nest.tensor, nest.loops[i]);
      if (is_thread(p)) {
        xyz[axis(p)] = at[i];
      } else {
        key.push_back(at[i]);
      }
    }
    key.push_back((xyz[0] + block[0] * (xyz[1] + block[1] * xyz[2])) / 32);
    EXPECT_TRUE(tape.evaluate(at));
    bool is_made = true;
    for (std::size_t i = 0; i < tests; ++i) is_made = is_made && tape.root(i) != 0;
    if (is_made) {
      const std::int64_t word = tape.root(tests);
      std::set<std::int64_t>& bank = words[key][word % 32];
      bank.insert(word);
      most = std::max(most, std::int64_t(bank.size()));
    }
    more = false;
    for (std::size_t i = at.size(); i-- > 0 && !more;) {
      more = ++at[i] < extents[i];
      if (!more) at[i] = 0;
    }
  }
  return most;
}

// A tile of a matrix, read as it lies or turned.
TEST(BankReads, AreAsCounted) {
  std::mt19937_64 engine(451);
  const auto within = [&](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(engine);
  };
  int known = 0, conflicts = 0;
  std::map<std::string, int> by;
  for (int n = 0; n < count(60, 1'000) && !testing::Test::HasFailure(); ++n) {
    Fusion f;
    const std::int64_t rows = within(1, 40), columns = within(1, 40);
    const Expr i = f.fresh_index("i"), j = f.fresh_index("j");
    const Tensor x = f.input("x", {f.constant(rows), f.constant(columns)}, DataType::Float);
    const bool is_turned = within(0, 2) != 0;
    const std::vector<Expr> at = is_turned ? std::vector{j, i} : std::vector{i, j};
    const std::vector<Expr> shape = is_turned ? std::vector{f.constant(columns), f.constant(rows)}
                                              : std::vector{f.constant(rows), f.constant(columns)};
    const Tensor y = f.output(
        "y",
        f.compute("t", {i, j}, shape, f.values().read(DataType::Float, std::uint32_t(x.id()), at)));
    Schedule s(f);
    const TensorId tile = s.cache(x.id(), "tile", Memory::Shared);
    s.set_loops(y.id(), s.fusion()[y.id()].logical);
    s.set_loops(tile, s.fusion()[tile].logical);
    // Threads of both nests: rows or columns along x, the rest along y, cut where there are many.
    for (TensorId t : {y.id(), tile}) {
      auto loops = s.loops(t);
      if (within(0, 1) == 0) std::swap(loops[0], loops[1]);
      s.bind(s.split(loops[0], 16).second, ParallelType::TIDx);
      s.bind(s.split(loops[1], within(1, 16)).second, ParallelType::TIDy);
    }
    s.compute_in(tile, y.id());
    std::optional<Program> lowered;
    try {
      lowered = lower(s);
    } catch (const Illegal& refusal) {
      continue;
    }
    const Schedule& settled = *lowered->schedule;
    const auto nest_of = [&](TensorId t) {
      return &*std::find_if(lowered->tensors.begin(), lowered->tensors.end(),
                            [&](const TensorAnalysis& a) { return a.tensor == t; });
    };
    const TensorAnalysis &reader = *nest_of(y.id()), &writer = *nest_of(tile);
    ASSERT_TRUE(writer.storage && writer.storage->memory == Memory::Shared);
    std::vector<Access> reads = reads_of(settled.fusion(), settled, reader);
    ASSERT_EQ(reads.size(), 1u);
    ASSERT_EQ(reads[0].tensor, tile);
    place(reads[0], settled.fusion(), settled, &writer);
    const auto warp =
        warp_access(settled, reader, reads[0],
                    common_block(block_shape(settled, reader), block_shape(settled, reader)));
    ASSERT_TRUE(std::holds_alternative<WarpAccess>(warp)) << std::get<NoWarpAccess>(warp).why;
    const BankAccess banks = bank_degree(std::get<WarpAccess>(warp), reader.ranges->facts());
    ASSERT_TRUE(banks.degree) << banks.why_unknown;
    EXPECT_EQ(*banks.degree, counted(settled, reader, reads[0])) << rows << " x " << columns;
    ++known;
    ++by[banks.by];
    conflicts += *banks.degree > 1;
  }
  EXPECT_GT(known, more_than(40));
  EXPECT_GT(conflicts, more_than(10));
  EXPECT_GT(int(by.size()), more_than(1));
}

}  // namespace
}  // namespace selvage
