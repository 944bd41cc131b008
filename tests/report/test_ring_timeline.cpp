// What each iteration of a ring does, against the loop that lower/ring.h writes down.
#include <selvage/report/report.h>
#include <selvage/report/ring_timeline.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <limits>
#include <vector>

namespace selvage {
namespace {

using Tile = RingTimeline::Tile;
using Iteration = RingTimeline::Iteration;

// The loop over q, with a memory of slots and groups of copies that end when they are awaited.
std::vector<Iteration> run_ring(std::int64_t slots, std::int64_t ahead, std::int64_t tiles) {
  struct Slot {
    std::int64_t tile = -1;
    bool has_come = false, is_used = true;
  };
  std::vector<Slot> memory{std::size_t(slots)};
  std::deque<std::vector<std::int64_t>> groups;  // of the slots that are copied into
  const auto wait_for_all_but = [&](std::int64_t pending) {
    for (; std::int64_t(groups.size()) > pending; groups.pop_front()) {
      for (std::int64_t s : groups.front()) memory[std::size_t(s)].has_come = true;
    }
  };
  std::vector<Iteration> iterations;
  for (std::int64_t q = 0; q < tiles + ahead; ++q) {
    Iteration in;
    if (ahead > 0) wait_for_all_but(ahead - 1);
    groups.emplace_back();
    if (q < tiles) {
      const std::int64_t s = q % slots;
      EXPECT_TRUE(memory[std::size_t(s)].is_used) << "tile " << q << " overwrites another";
      memory[std::size_t(s)] = {q, false, false};
      groups.back().push_back(s);
      in.copies = Tile{q, s};
    }
    if (ahead == 0) wait_for_all_but(0);
    if (ahead <= q) {
      const std::int64_t k = q - ahead, s = k % slots;
      Slot& slot = memory[std::size_t(s)];
      EXPECT_TRUE(slot.tile == k && slot.has_come) << "tile " << k << " is not there";
      slot.is_used = true;
      in.uses = Tile{k, s};
    }
    iterations.push_back(in);
  }
  return iterations;
}

TEST(RingTimeline, IsWhatTheLoopDoes) {
  for (std::int64_t slots = 1; slots <= 8; ++slots) {
    for (std::int64_t ahead = 0; ahead < slots; ++ahead) {
      for (std::int64_t tiles = 1; tiles <= 12; ++tiles) {
        SCOPED_TRACE(testing::Message() << slots << " slots, " << ahead << " ahead, " << tiles);
        const RingTimeline ring{.ahead = ahead, .slots = slots, .tiles = tiles},
            open{.ahead = ahead, .slots = slots};
        const std::vector<Iteration> all = run_ring(slots, ahead, tiles);
        const auto n = std::int64_t(all.size());
        EXPECT_TRUE(ring.ends_within(n));
        EXPECT_FALSE(ring.ends_within(n - 1));
        EXPECT_FALSE(open.ends_within(n));
        EXPECT_LE(ring.shown(), n);
        for (std::int64_t q = 0; q < n; ++q) {
          EXPECT_EQ(ring.iteration(q), all[std::size_t(q)]) << q;
          // One of unknown length does the same until the other has no more tiles.
          if (q < tiles) {
            EXPECT_EQ(open.iteration(q), all[std::size_t(q)]) << q;
          }
        }
        EXPECT_EQ(ring.iteration(n), Iteration{});
      }
    }
  }
}

// A slot has one tile from the beginning of its copies to its use.
TEST(RingTimeline, TilesOfOneSlotComeOneAfterTheOther) {
  for (std::int64_t slots = 1; slots <= 8; ++slots) {
    for (std::int64_t ahead = 0; ahead < slots; ++ahead) {
      const RingTimeline ring{.ahead = ahead, .slots = slots};
      std::vector<std::optional<Tile>> last{std::size_t(slots)};
      for (std::int64_t q = 0; q < 20; ++q) {
        const Tile tile = ring.iteration(q).copies.value();
        std::optional<Tile>& before = last[std::size_t(tile.slot)];
        EXPECT_EQ(ring.before(tile), before);
        if (before) {
          EXPECT_LT(ring.use_of(*before), q);
        }
        EXPECT_EQ(ring.iteration(ring.use_of(tile)).uses, tile);
        before = tile;
      }
    }
  }
}

TEST(RingTimeline, ShowsSlotsThatAreUsedAgainAndNoMoreThanThereIs) {
  const auto shown = [](std::int64_t ahead, std::int64_t slots,
                        std::optional<std::int64_t> tiles = {}) {
    return RingTimeline{.ahead = ahead, .slots = slots, .tiles = tiles}.shown();
  };
  constexpr std::int64_t kLarge = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(shown(0, 1), 3);
  EXPECT_EQ(shown(0, 1, 1), 1);
  EXPECT_EQ(shown(2, 3), 7);
  EXPECT_EQ(shown(2, 3, 4), 6);
  EXPECT_EQ(shown(2, 3, kLarge), 7);
  EXPECT_EQ(shown(7, 8), 14);
  EXPECT_EQ(shown(kLarge - 1, kLarge, kLarge), 14);
}

struct RingFile {
  explicit RingFile(const std::string& text)
      : file(read_schedule_text(text, "a.yaml", {})), report(inspect(file)) {}
  std::optional<RingTimeline> ring(const std::string& name) const {
    for (const TensorReport& tensor : report.tensors) {
      if (tensor.name() == name) return ring_timeline(*tensor.schedule, tensor.analysis.tensor);
    }
    ADD_FAILURE() << "no tensor " << name;
    return std::nullopt;
  }
  ScheduleFile file;
  Report report;
};

// y = exp(x) along rows of `n` items, with tiles of 256 of them copied as `cache` says.
std::string tiled(const std::string& n, const std::string& cache, const std::string& bind) {
  return "inputs: {x: {shape: [M, " + n +
         "], dtype: float}}\ncompute: [\"y[m, n] = exp(x[m, n])\"]\nschedule:\n"
         "  x: [{cache: {as: xs, memory: shared, at: no, " +
         cache +
         "}}]\n"
         "  xs: [{split: {in: n, factor: 256, out: [no, ni]}}, {split: {in: ni, factor: 256, out: "
         "[one, v]}}, {bind: {" +
         bind +
         "v: Vectorize}}]\n"
         "  y: [{split: {in: n, factor: 256, out: [no, ni]}}, {bind: {" +
         bind + "ni: TIDx}}]\n";
}

TEST(RingTimeline, IsThatOfTheSchedule) {
  const RingFile known(tiled("2000", "by: bulk, stages: 4, role: fetch", "m: BIDx, "));
  const std::optional<RingTimeline> ring = known.ring("xs");
  ASSERT_TRUE(ring);
  EXPECT_EQ(ring->ahead, 3);
  EXPECT_EQ(ring->slots, 4);
  EXPECT_EQ(ring->tiles, 8);
  EXPECT_EQ(ring->by, CopyBy::Bulk);
  EXPECT_EQ(ring->role, "fetch");
  EXPECT_FALSE(known.ring("y"));

  const RingFile open(tiled("N", "by: bulk, stages: 4, ahead: 2", "m: BIDx, "));
  ASSERT_TRUE(open.ring("xs"));
  EXPECT_EQ(open.ring("xs")->ahead, 2);
  EXPECT_EQ(open.ring("xs")->tiles, std::nullopt);
  EXPECT_EQ(open.ring("xs")->role, "");
}

TEST(RingTimeline, IsNoneWhereNothingGoesRound) {
  EXPECT_FALSE(RingFile(tiled("N", "by: ldst, stages: 2", "m: BIDx, ")).ring("xs"));
  // Each block copies one tile.
  EXPECT_FALSE(RingFile(tiled("N", "by: bulk", "m: BIDy, no: BIDx, ")).ring("xs"));
}

// Two tensors that are copied at one loop begin as few iterations ahead as the lesser does, and
// keep slots of their own.
TEST(RingTimeline, OfTensorsAtOneLoopIsAsFarAhead) {
  const RingFile file(
      R"(inputs: {x: {shape: [M, N], dtype: float}, z: {shape: [M, N], dtype: float}}
compute: ["y[m, n] = x[m, n] * z[m, n]"]
schedule:
  x: [{cache: {as: xs, memory: shared, at: no, by: cp_async, stages: 4}}]
  z: [{cache: {as: zs, memory: shared, at: no, by: cp_async, stages: 2}}]
  xs: [{split: {in: n, factor: 32, out: [no, ni]}}, {bind: {m: BIDx, ni: TIDx}}]
  zs: [{split: {in: n, factor: 32, out: [no, ni]}}, {bind: {m: BIDx, ni: TIDx}}]
  y: [{split: {in: n, factor: 32, out: [no, ni]}}, {bind: {m: BIDx, ni: TIDx}}]
)");
  ASSERT_TRUE(file.ring("xs") && file.ring("zs"));
  EXPECT_EQ(file.ring("xs")->ahead, 1);
  EXPECT_EQ(file.ring("xs")->slots, 4);
  EXPECT_EQ(file.ring("zs")->ahead, 1);
  EXPECT_EQ(file.ring("zs")->slots, 2);
}

}  // namespace
}  // namespace selvage
