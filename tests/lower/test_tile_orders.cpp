// Blocks that stay go through the tiles of a product in any order of the merged grid: results,
// proofs, which tile is copied, refusals.
#include <selvage/index/hilbert.h>
#include <selvage/ir/ops.h>
#include <selvage/kernel/print.h>
#include <selvage/scheduler/defaults.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/lower/proved_agreement.h"
#include "tests/oracle/draws.h"
#include "tests/support/counts.h"
#include "tests/support/lowered.h"
#include "tests/support/refusal.h"

namespace selvage::tile_orders {
namespace {

using oracle::draw;
using test::agreed;
using testing::HasSubstr;

enum class Order : std::uint8_t { Rows, Columns, Groups, Hilbert };
constexpr Order kOrders[] = {Order::Rows, Order::Columns, Order::Groups, Order::Hilbert};

// C[m, n] = sum of A[m, k] * B[n, k] by tiles of 8 rows and 8 columns, each of which one of
// `blocks` blocks computes in one of its turns. `side`: of groups of rows of tiles, or of squares.
struct TiledProduct {
  TiledProduct(Order order, std::int64_t blocks, std::int64_t side, CopyBy by,
               std::int64_t stages) {
    const auto [M, N, K] = f.extents("M", "N", "K");
    const Tensor A = f.input("A", {M, K}, DataType::Float),
                 B = f.input("B", {N, K}, DataType::Float);
    C = f.output("C", sum(unsqueeze(A, 1) * unsqueeze(B, 0), {2}));
    s.emplace(f);
    const auto [m, n, k] = s->loops<3>(C);
    const auto [mo, mi] = s->split(m, 8);
    const auto [no, ni] = s->split(n, 8);
    const auto [ko, ki] = s->split(k, 4);
    const auto [turn, block] = s->split(merged(order, mo, no, side), blocks, {"turn", "block"});
    s->reorder({block, turn, mi, ni, ko, ki});
    s->bind(block, ParallelType::BIDx);
    s->bind(mi, ParallelType::TIDy).bind(ni, ParallelType::TIDx);
    const auto tile = [&](Tensor x, const char* name) {
      const TensorId t = s->cache(x, name, Memory::Shared);
      const auto [r, c] = s->loops<2>(t);
      const auto [ro, ri] = s->split(r, 8);
      const auto [co, ci] = s->split(c, 4);
      const auto [rz, row] = s->split(ri, 8);  // rows of their own: those of the product are bound
      s->reorder({ro, co, rz, row, ci});
      s->bind(ci, ParallelType::Vectorize);
      if (by == CopyBy::CpAsync) s->bind(row, ParallelType::TIDx);
      s->compute_at(t, ko);
      if (by != CopyBy::LoadStore) s->stages(t, stages).copy(t, by, stages - 1);
      return t;
    };
    a = tile(A, "a");
    b = tile(B, "b");
  }

  ScheduledLoop merged(Order order, ScheduledLoop mo, ScheduledLoop no, std::int64_t side) {
    switch (order) {
      case Order::Rows: return s->merge(mo, no, "tile");
      case Order::Columns: return s->merge(no, mo, "tile");
      case Order::Groups: {
        const auto [group, row] = s->split(mo, side, {"group", "row"});
        return s->merge(s->merge(group, no), row, "tile");
      }
      case Order::Hilbert: {
        const auto [down, row] = s->split(mo, side, {"down", "row"});
        const auto [right, column] = s->split(no, side, {"right", "column"});
        const auto [r, c] = s->swizzle(SwizzleKind::Hilbert, row, column, "r", "c");
        return s->merge(s->merge(s->merge(down, right), r), c, "tile");
      }
    }
    return mo;
  }

  Fusion f;
  Tensor C;
  TensorId a{}, b{};
  std::optional<Schedule> s;
};

const test::SizeList kProducts = {{{"M", 1}, {"N", 1}, {"K", 1}},
                                  {{"M", 9}, {"N", 5}, {"K", 31}},
                                  {{"M", 41}, {"N", 19}, {"K", 8}},
                                  {{"M", 24}, {"N", 50}, {"K", 12}}};

TEST(TileOrders, GiveTheSameResultsInEachOrder) {
  for (const Order order : kOrders) {
    for (const CopyBy by : {CopyBy::LoadStore, CopyBy::Bulk, CopyBy::CpAsync}) {
      TiledProduct c(order, 3, 2, by, 2);
      agreed(c.f, *c.s, some_of(kProducts));
      if (testing::Test::HasFailure()) {
        ADD_FAILURE() << "order " << int(order) << ", copied by " << int(by);
        return;
      }
    }
  }
}

TEST(TileOrders, DrawnAtRandomAgree) {
  std::mt19937_64 rng(20261205);
  for (int k = 0; k < count(6, 200); ++k) {
    const Order order = kOrders[std::size_t(draw(rng, 0, 3))];
    const std::int64_t side = std::int64_t(1) << draw(rng, 0, 2);
    const std::int64_t blocks = draw(rng, 1, 5), stages = draw(rng, 1, 3);
    TiledProduct c(order, blocks, side, CopyBy::Bulk, stages);
    agreed(c.f, *c.s,
           {{{"M", draw(rng, 1, 60)}, {"N", draw(rng, 1, 60)}, {"K", draw(rng, 1, 20)}}});
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << k << ": order " << int(order) << ", side " << side << ", " << blocks
                    << " blocks, " << stages << " stages";
      return;
    }
  }
}

// What the reference says of 64 x 64 tiles and 132 blocks: how many rows of tiles and columns of
// tiles a turn reads, times the turns.
TEST(TileOrders, ShareRowsAndColumnsInATurn) {
  constexpr std::int64_t kTiles = 64, kBlocks = 132;
  const auto read = [](auto&& tile) {
    std::int64_t all = 0;
    for (std::int64_t first = 0; first < kTiles * kTiles; first += kBlocks) {
      std::set<std::int64_t> rows, columns;
      for (std::int64_t k = first; k < std::min(first + kBlocks, kTiles * kTiles); ++k) {
        const std::pair<std::int64_t, std::int64_t> at = tile(k);
        rows.insert(at.first);
        columns.insert(at.second);
      }
      all += std::int64_t(rows.size() + columns.size());
    }
    return all;
  };
  const auto along_curve = [](std::int64_t side) {
    return [side](std::int64_t k) {
      const std::int64_t square = k / (side * side), n = k % (side * side), across = kTiles / side;
      const auto [x, y] = hilbert_point(n / side, n % side, side);
      return std::pair(square / across * side + x, square % across * side + y);
    };
  };
  EXPECT_EQ(read([](std::int64_t k) { return std::pair(k / kTiles, k % kTiles); }), 2082);
  EXPECT_EQ(read([](std::int64_t k) { return std::pair(k % kTiles, k / kTiles); }), 2082);
  EXPECT_EQ(
      read([](std::int64_t k) { return std::pair(k / (8 * kTiles) * 8 + k % 8, k / 8 % kTiles); }),
      836);
  EXPECT_EQ(read(along_curve(4)), 1272);
  EXPECT_EQ(read(along_curve(8)), 956);
  EXPECT_EQ(read(along_curve(32)), 900);
}

// What is copied is one tile, at// What is copied is one tile, at the row of tiles that follows
// from the turn and the block.
TEST(TileOrders, KeepOneTileOfEachOperand) {
  TiledProduct c(Order::Rows, 3, 2, CopyBy::LoadStore, 1);
  const Schedule settled = with_defaults(*c.s);
  std::vector<std::string> loops;
  for (DomainId d : settled.loop_domains(c.a)) loops.push_back(settled.graph()[d].name);
  EXPECT_THAT(loops, testing::ElementsAre("block", "turn", "i2o", "i0io", "i0ii", "i2i"));
  EXPECT_EQ(settled.joined(c.a).size(), 1u);
  EXPECT_EQ(settled.item_loops(c.a).size(), settled.loop_domains(c.a).size() - 1);
  const Kernel kernel = lower(c.f, *c.s).steps[0].variants[0];
  for (const Buffer& buffer : kernel.buffers) {
    const bool is_tile = buffer.memory != Memory::Shared || buffer.elements.is_const(32);
    EXPECT_TRUE(is_tile) << buffer.name;
  }
}

// y reads t one element further on, which is computed in another iteration of the merged loop.
TEST(TileOrders, AreRefusedWhereAnotherTileIsRead) {
  Fusion f;
  const Expr M = f.extent("M");
  const Tensor x = f.input("x", {M, f.constant(6)}, DataType::Float);
  const Tensor t = x * 2;
  const Tensor y = f.output("y", t + slice(concatenate({t, t}, 1), 1, 1, 7));
  Schedule s(f);
  const auto [m, n] = s.loops<2>(y);
  const auto [turn, block] = s.split(s.merge(m, n, "item"), 3, {"turn", "block"});
  s.compute_at(t.id(), block).keep_in(t, Memory::Shared);
  EXPECT_EQ(
      refusal_by<Illegal>([&] { lower(f, s); }),
      "selvage: error[E432]: y reads an element of t0 that another iteration of i1 computes; "
      "at M = 1, turn = 1, block = 2, computed at i1 = 0 and read at i1 = 5; help: compute t0 "
      "further out, before the loop turn: inline: {into: y}");
  s.materialize(t.id());
  test::expect_agreement(f, s, {{{"M", 1}}, {{"M", 5}}});
}

}  // namespace
}  // namespace selvage::tile_orders
