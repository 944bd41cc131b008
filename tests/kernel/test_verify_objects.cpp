// What is proved, for any number of iterations, of bulk copies and the barrier objects that they
// belong to.
#include <selvage/base/shuffle.h>
#include <selvage/kernel/verify.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>

#include "tests/codegen/run.h"
#include "tests/kernel/verify_case.h"
#include "tests/support/bulk_rings.h"
#include "tests/support/counts.h"

namespace selvage::verify_objects {
namespace {

using namespace test;
using Part = BulkRing::Part;

template <class Change>
VerifyCase::Verified verified(Change change, std::int64_t threads = 32) {
  BulkRing ring(threads);
  change(ring);
  return {verify(ring.make()), ring.pool};
}

std::string text_of(const BulkRing& r) {
  std::string text =
      fmt::format("{} stages, {} ahead, {} objects, wait for {} before, {} arrivals{}{}:", r.stages,
                  r.ahead, r.objects, r.waits_for, r.arrivals, r.by_one ? ", by one" : "",
                  r.announces ? "" : ", unannounced");
  for (Part p : r.parts) {
    constexpr const char* kNames[] = {" wait", " fence", " meet", " copy", " arrive", " use"};
    text += kNames[int(p)];
  }
  return text;
}

// That the emulator finds.
std::int64_t faults_of(const Kernel& kernel) {
  std::vector<Array> arrays = arrays_for(kernel, {});
  return run_emulated(kernel, {}, arrays).fault_count;
}

void set_ahead(BulkRing& r, std::int64_t ahead) {
  r.ahead = r.waits_for = ahead;
  r.objects = ahead + 1;
  if (ahead > 0) return;
  r.parts = {Part::Fence, Part::Meet, Part::Copy, Part::Arrive, Part::Wait, Part::Use};
}

TEST(BulkRings, AreProvedForAnyNumberOfTiles) {
  for (const bool by_one : {false, true}) {
    for (std::int64_t stages = 1; stages <= 5; ++stages) {
      for (std::int64_t ahead = 0; ahead < stages; ++ahead) {
        const auto v = verified([&](BulkRing& r) {
          r.stages = stages;
          set_ahead(r, ahead);
          r.by_one = by_one;
          if (by_one) r.arrivals = 1;
        });
        EXPECT_EQ(findings(v), "") << stages << " " << ahead << " " << by_one;
      }
    }
  }
  // More objects than iterations that are under way.
  EXPECT_EQ(findings(verified([](BulkRing& r) { r.objects = 5; })), "");
}

TEST(BulkRings, AreRefusedWithTheIterationsWhereAnythingIsWrong) {
  const auto refuted = [](Hazard h, auto change) {
    const auto v = verified([&](BulkRing& r) {
      r.tiles = 7;
      change(r);
    });
    return first_text(v, h);
  };
  EXPECT_EQ(refuted(Hazard::Divergence, [](BulkRing& r) { r.arrivals = 33; }),
            "refuted: a wait for phase 0 that never ends: 32 of 33 arrivals and 512 of 512 bytes "
            "have come: block (0, 0, 0), thread (0, 0, 0), k = 2");
  EXPECT_EQ(refuted(Hazard::Divergence, [](BulkRing& r) { r.announces = false; }),
            "refuted: more bytes are copied than arrivals have said: 32 of 32 arrivals and 512 of "
            "0 bytes have come: block (0, 0, 0), thread (31, 0, 0), k = 0");
  EXPECT_EQ(refuted(Hazard::Race, [](BulkRing& r) { r.waits_for = 3; }),
            "refuted: s[127] is read where a copy that accesses it may not have ended: block (0, "
            "0, 0), thread (31, 0, 0), k = 0; and block (0, 0, 0), thread (0, 0, 0), k = 2");
  EXPECT_EQ(refuted(Hazard::Divergence, [](BulkRing& r) { r.waits_for = 0; }),
            "refuted: a wait for phase 0 that never ends: 0 of 32 arrivals have come: block (0, 0, "
            "0), thread (0, 0, 0), k = 0");
  EXPECT_EQ(refuted(Hazard::Race, [](BulkRing& r) { r.stages = 2; }),
            "refuted: s[67] is read by one thread and accessed by another with no barrier between: "
            "block (0, 0, 0), thread (16, 0, 0), k = 2; and block (0, 0, 0), thread (15, 0, 0), k "
            "= 2");
  // The copy might pass the reads of what it overwrites: threads and copies have ways of their own.
  EXPECT_EQ(refuted(Hazard::Race, [](BulkRing& r) { std::erase(r.parts, Part::Fence); }),
            "refuted: s[3] is accessed by a thread and then by a copy with no proxy fence between: "
            "block (0, 0, 0), thread (31, 0, 0), k = 2; and block (0, 0, 0), thread (0, 0, 0), k = "
            "3");
  EXPECT_EQ(refuted(Hazard::Race, [](BulkRing& r) { std::erase(r.parts, Part::Meet); }),
            "refuted: s[127] is written where a copy that accesses it may not have ended: block "
            "(0, 0, 0), thread (0, 0, 0), k = 2; and block (0, 0, 0), thread (31, 0, 0), k = 3");
  EXPECT_EQ(refuted(Hazard::Race, [](BulkRing& r) { std::erase(r.parts, Part::Wait); }),
            "refuted: s[127] is read where a copy that accesses it may not have ended: block (0, "
            "0, 0), thread (31, 0, 0), k = 0; and block (0, 0, 0), thread (0, 0, 0), k = 2");
  EXPECT_EQ(refuted(Hazard::Divergence, [](BulkRing& r) { std::erase(r.parts, Part::Arrive); }),
            "refuted: a wait for phase 0 that never ends: 0 of 32 arrivals and 512 of 512 bytes "
            "have come: block (0, 0, 0), thread (0, 0, 0), k = 2");
  EXPECT_EQ(
      refuted(Hazard::Race, [](BulkRing& r) { r.arrivals = 31; }),
      "refuted: s[127] is read where a copy that accesses it may not have ended: block (0, 0, "
      "0), thread (31, 0, 0), k = 0; and block (0, 0, 0), thread (0, 0, 0), k = 2");
}

// What one thread would wait for rightly others need not; nor the first iterations what later ones
// do.
TEST(BulkRings, AreNotProvedWhereAWaitIsForAnotherObjectOrPhase) {
  using Change = std::function<void(Wait&, Expr k, Expr t)>;
  const auto with = [](const Change& change, std::optional<std::int64_t> tiles) {
    BulkRing ring;
    ring.by_one = true;
    ring.arrivals = 1;
    ring.tiles = tiles;
    Kernel kernel = ring.make();
    for_each_statement(kernel.body, [&](Statement& s) {
      const Expr k = ring.pool->symbol("k");
      if (auto* own = std::get_if<Wait>(&s.node)) change(*own, k, ring.t);
    });
    return std::pair(bool(verify(kernel).is_legal()), !tiles || faults_of(kernel) == 0);
  };
  // 0 for the first thread or before iteration 2, else 1.
  const auto once = [](Expr k, Expr t) {
    const Expr zero = k.pool().constant(0), one = k.pool().constant(1);
    return min(t, one) * min(max(k - 1, zero), one);
  };
  const Change changes[] = {
      [](Wait& w, Expr k, Expr t) { w.object->address = (k + 4 + t) % 3; },
      [&](Wait& w, Expr k, Expr t) { w.phase = w.phase - once(k, t); },
      [&](Wait& w, Expr k, Expr t) { w.phase = w.phase + once(k, t); },
      [](Wait& w, Expr k, Expr) { w.object->address = max(k - 2, k.pool().constant(0)) % 3; },
  };
  EXPECT_TRUE(with([](Wait&, Expr, Expr) {}, {}).first);
  for (std::size_t c = 0; c < std::size(changes); ++c) {
    EXPECT_FALSE(with(changes[c], {}).first) << c;
    EXPECT_FALSE(with(changes[c], 7).second) << c;
  }
}

// A copy in a queue ends at a wait, and a fence in front of that is none behind it.
TEST(BulkRings, AreNotProvedBehindCopiesThatEndAfterTheFence) {
  const auto verdict = [](bool is_behind) {
    EventKernel k("mixed", 32);
    const BufferId x = k.input("x", DataType::Float, k.c(32)),
                   s = k.shared("s", DataType::Float, 32);
    const BarrierObject full{k.objects("full", 1, 1), k.c(0)};
    Statement copy = k.begin(s, k.c(0), x, k.c(0), 32, 4, full);
    std::get<AsyncCopy>(copy.node).announces = true;
    Body body = {k.begin(s, k.t, x, k.t), end_group()};
    if (is_behind) body.push_back(wait_for_groups(0));
    body.push_back({ProxyFence{}});
    if (!is_behind) body.push_back(wait_for_groups(0));
    body.push_back(barrier());
    body.push_back(guard(k.t <= 0, {std::move(copy), arrive(full)}));
    body.push_back(wait(full, k.c(0)));
    return verify(k.with(std::move(body))).is_legal();
  };
  EXPECT_FALSE(verdict(false));
  EXPECT_FALSE(verdict(true));  // though it is right: no copies of both kinds go into one tile
}

// The objects are made ready when the block begins: whoever stores there destroys them.
TEST(BulkRings, AreNotProvedWhereSomethingElseHasTheirBytes) {
  BulkRing ring;
  ring.by_one = true;
  ring.arrivals = 1;
  Kernel kernel = ring.make();
  for (Buffer& b : kernel.buffers) {
    if (b.memory == Memory::Shared) b.offset = b.arrivals ? 4096 : 0;
  }
  EXPECT_TRUE(verify(kernel).is_legal());
  const Buffer other{.name = "z",
                     .type = DataType::Float,
                     .memory = Memory::Shared,
                     .elements = ring.c(32),
                     .is_written = true,
                     .offset = 4096};
  kernel.buffers.push_back(other);
  const ValueId zero = kernel.values.constant(DataType::Float, 0.0, false);
  Body& body = std::get<Loop>(kernel.body[0].node).body;
  body.insert(body.begin(), {store(BufferId(kernel.buffers.size() - 1), ring.t, zero), barrier()});
  EXPECT_FALSE(verify(kernel).is_legal());
}

// Rings of any make: what is proved for any number of tiles has no fault with any, and what has
// none with few tiles is proved for any. Runs of the kernel decide, statement by statement.
TEST(BulkRings, AreProvedWhereRunsHaveNoFault) {
  SplitMix64 random(20261201), of_tiles(20261202);
  const auto below = [&](std::int64_t n) { return std::int64_t(random.next() % std::uint64_t(n)); };
  int sound = 0, proved = 0, all = 0;
  for (int k = 0; k < count(200, 3'000); ++k) {
    BulkRing drawn(4);
    drawn.stages = 1 + below(4);
    drawn.ahead = below(3);
    drawn.objects = drawn.ahead + below(3);
    if (drawn.objects == 0) drawn.objects = 1;
    drawn.waits_for = below(4) == 0 ? below(3) : drawn.ahead;
    drawn.waits_for = std::min(drawn.waits_for, 2 * drawn.objects);
    drawn.by_one = below(2) == 0;
    drawn.arrivals = drawn.by_one ? 1 : 4;
    if (below(12) == 0) drawn.arrivals += below(2) == 0 ? 1 : -1;
    drawn.arrivals = std::max<std::int64_t>(1, drawn.arrivals);
    drawn.announces = below(12) != 0;
    if (below(4) == 0) {
      selvage::shuffle(drawn.parts, random);
    } else {
      const auto part = std::size_t(below(std::int64_t(drawn.parts.size())));
      const Part moved = drawn.parts[part];
      drawn.parts.erase(drawn.parts.begin() + std::ptrdiff_t(part));
      if (below(3) != 0) {
        drawn.parts.insert(drawn.parts.begin() + below(std::int64_t(drawn.parts.size()) + 1),
                           moved);
      }
      if (below(3) == 0) drawn.parts.push_back(Part::Meet);
    }
    const auto with_tiles = [&](std::optional<std::int64_t> tiles) {
      BulkRing own(4);
      own.stages = drawn.stages, own.ahead = drawn.ahead, own.objects = drawn.objects;
      own.waits_for = drawn.waits_for, own.by_one = drawn.by_one, own.arrivals = drawn.arrivals;
      own.announces = drawn.announces, own.parts = drawn.parts;
      own.tiles = tiles;
      return own;
    };
    // The emulator's clocks know of every order, and it takes no proof from the verifier.
    bool has_no_fault = true;
    for (std::int64_t tiles = 1; tiles <= 10 && has_no_fault; ++tiles) {
      BulkRing own = with_tiles(tiles);
      has_no_fault = faults_of(own.make()) == 0;
    }
    BulkRing any = with_tiles({});
    const bool is_proved = verify(any.make()).is_legal();
    EXPECT_EQ(is_proved, has_no_fault) << k << ": " << text_of(drawn);
    if (is_proved) {
      BulkRing many = with_tiles(11 + std::int64_t(of_tiles.next() % 50));
      EXPECT_EQ(faults_of(many.make()), 0) << k << ": " << text_of(drawn);
    }
    ++all;
    sound += has_no_fault;
    proved += is_proved;
  }
  std::printf("[FIGURE] bulk rings: %d of %d right, %d of these proved for any number of tiles\n",
              sound, all, proved);
}

}  // namespace
}  // namespace selvage::verify_objects
