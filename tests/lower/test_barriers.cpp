// Which barriers a kernel still needs: those that are there count, and some pairs are not asked
// for.
#include <selvage/kernel/print.h>
#include <selvage/lower/barriers.h>

#include <gtest/gtest.h>

#include "../kernel/verify_case.h"
#include "../support/part_kernels.h"

namespace selvage {
namespace {

using namespace test;

struct Case : VerifyCase {
  Case() : VerifyCase(64) {
    k = pool->symbol("k");
    s = shared("s", 64);
    r = shared("r", 64);
    y = output("y", DataType::Float, c(64 * 8));
  }
  Statement fill(BufferId b) { return put(b, tx, one()); }
  Statement use(BufferId b, Expr at) { return put(y, at * 64 + tx, read(b, (tx + 1) % 64)); }
  // The statements of the block, by their kinds: | a barrier, ' one of a warp, w a write, r a read.
  std::string completed(Body body, const Orders& orders = {}) {
    with(std::move(body));
    add_barriers(kernel, orders);
    const Body* inside = &kernel.body;
    while (is_index(std::get<Loop>((*inside)[0].node).parallel)) {
      inside = &std::get<Loop>((*inside)[0].node).body;
      if (!std::holds_alternative<Loop>((*inside)[0].node) ||
          !is_index(std::get<Loop>((*inside)[0].node).parallel)) {
        break;
      }
    }
    return text(*inside);
  }
  std::string text(const Body& body) const {
    std::string all;
    for (const Statement& statement : body) {
      if (const auto* barrier = std::get_if<Barrier>(&statement.node)) {
        all += barrier->is_partial() ? "p" : barrier->scope == Barrier::Scope::Block ? "|" : "'";
      } else if (const auto* put = std::get_if<Store>(&statement.node)) {
        all += put->buffer == y ? "r" : "w";
      } else if (const auto* loop = std::get_if<Loop>(&statement.node)) {
        all += "(" + text(loop->body) + ")";
      } else if (const auto* guard = std::get_if<Guard>(&statement.node)) {
        all += "?" + text(guard->body);
      } else {
        all += "x";
      }
    }
    return all;
  }
  Expr k;
  BufferId s, r, y;
};

TEST(Barriers, ThoseThatAreThereCount) {
  Case a, b, c, d, e;
  EXPECT_EQ(a.completed({a.fill(a.s), a.use(a.s, a.c(0))}), "w|r");
  EXPECT_EQ(b.completed({b.fill(b.s), barrier(), b.use(b.s, b.c(0))}), "w|r");
  EXPECT_EQ(c.completed({c.fill(c.s), warp_barrier(), c.use(c.s, c.c(0))}), "w'|r");
  EXPECT_EQ(d.completed({d.fill(d.s), barrier(1, {kAll}), d.use(d.s, d.c(0))}), "wp|r");
  EXPECT_EQ(e.completed({loop(e.k, e.c(4), {e.fill(e.s), barrier(), e.use(e.s, e.k)})}), "(|w|r)");
  EXPECT_TRUE(verify(e.kernel).is_legal());
}

// Who writes again waits for who has read.
TEST(Barriers, StandBeforeAWriteAfterARead) {
  Case a;
  EXPECT_EQ(a.completed({a.fill(a.s), barrier(), a.use(a.s, a.c(0)), a.fill(a.s)}), "w|r|w");
  EXPECT_TRUE(verify(a.kernel).is_legal());
}

// A loop that may have no iterations has no barrier for those who come by.
TEST(Barriers, InALoopThatMayBeEmptyDoNotCount) {
  Case a, b;
  const Expr n = a.pool->symbol("n");
  a.kernel.sizes.push_back(n);
  a.kernel.facts.bound(n, a.c(0), a.c(4));
  EXPECT_EQ(a.completed({a.fill(a.s), loop(a.k, n, {barrier()}), a.use(a.s, a.c(0))}), "w(|)|r");
  EXPECT_EQ(b.completed({b.fill(b.s), loop(b.k, b.c(4), {barrier()}), b.use(b.s, b.c(0))}),
            "w(|)r");
}

TEST(Barriers, NoneIsPutForAPairThatIsNotAskedFor) {
  const auto of = [](const Orders& orders) {
    Case a;
    return a.completed(
        {loop(a.k, a.c(4), {a.fill(a.s), a.use(a.s, a.k), a.fill(a.r), a.use(a.r, a.k)})}, orders);
  };
  using Access = KernelAccess;
  EXPECT_EQ(of({}), "(w|rw|r)");
  const auto is_of_s = [](const AccessMap& map, std::size_t first, std::size_t,
                          std::optional<PlaceId>) {
    const Access& a = map.accesses()[first];
    return map.kernel().buffers[a.buffer].name == "s";
  };
  EXPECT_EQ(of(is_of_s), "(|w|rwr)");
  EXPECT_EQ(of([](const AccessMap&, std::size_t, std::size_t, std::optional<PlaceId> loop) {
              return !loop.has_value();
            }),
            "(w|rw|r)");
  EXPECT_EQ(of([](const AccessMap&, std::size_t, std::size_t, std::optional<PlaceId> loop) {
              return loop.has_value();
            }),
            "(|wrwr)");
  EXPECT_EQ(
      of([](const AccessMap&, std::size_t, std::size_t, std::optional<PlaceId>) { return false; }),
      "(wrwr)");
}

// A barrier behind the Leave is not met by whoever goes on at once.
TEST(Barriers, BehindALeaveNoneCounts) {
  Case a, b;
  EXPECT_EQ(a.completed({loop(a.k, a.c(4), {a.fill(a.s), barrier(), a.use(a.s, a.k), barrier()})}),
            "(w|r|)");
  EXPECT_EQ(b.completed({loop(b.k, b.c(4),
                              {b.fill(b.s), barrier(), b.use(b.s, b.k),
                               guard(eq(b.k, 1), {go_on(b.k)}), barrier()})}),
            "(|w|r?x|)");
  EXPECT_TRUE(verify(a.kernel).is_legal());
  EXPECT_TRUE(verify(b.kernel).is_legal());
}

}  // namespace
}  // namespace selvage
