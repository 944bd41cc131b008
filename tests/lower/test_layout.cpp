// Where elements lie in shared and local memory: what a layout says, held against a table of it.
#include <selvage/base/diagnostic.h>
#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/ir/buffer_layout.h>
#include <selvage/ir/ops.h>
#include <selvage/legality/analysis.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/oracle/draws.h"
#include "tests/support/counts.h"
#include "tests/support/lowered.h"
#include "tests/support/refusal.h"

namespace selvage {
namespace {

using oracle::chance;
using oracle::draw;
using test::expect_agreement;
using testing::HasSubstr;

// y[b, k, m] = t[b, m, k], t = 2 x, a tile of a block, stored by rows and read by columns.
struct Transposed {
  explicit Transposed(std::int64_t M = 32, std::int64_t K = 32, Memory memory = Memory::Shared) {
    const Expr B = f.extent("B");
    const Tensor x = f.input("x", {B, f.constant(M), f.constant(K)}, DataType::Float);
    t = x * 2;
    y = f.output("y", transpose(t, {0, 2, 1}));
    s.emplace(f);
    const auto [b, k, m] = s->loops<3>(y);
    s->bind(b, ParallelType::BIDx);
    s->compute_at(t, b).keep_in(t, memory);
    const auto [tb, tm, tk] = s->loops<3>(t);
    if (memory == Memory::Shared) {
      s->bind(m, ParallelType::TIDx).bind(k, ParallelType::TIDy);
      s->bind(tk, ParallelType::TIDx).bind(tm, ParallelType::TIDy);
    }
    row = tm;
    column = tk;
  }
  TensorAnalysis lowered() const {
    for (const TensorAnalysis& a : lower(*s).tensors) {
      if (a.tensor == t.id()) return a;
    }
    throw std::logic_error("no tile");
  }
  std::string refused() const {
    return refusal_by<Illegal>([&] { lower(*s); });
  }

  Fusion f;
  Tensor t, y;
  std::optional<Schedule> s;
  ScheduledLoop row, column;
};

const test::SizeList kBlocks = {{{"B", 2}}};

TEST(Layout, IsOfTheLoopsWhereNothingIsSaid) {
  const Transposed c;
  EXPECT_EQ(to_string(c.lowered().address), "i1 * 32 + i2");
}

TEST(Layout, PadsTransposesAndSwizzles) {
  Transposed c;
  BufferLayout l = c.s->layout(c.t);
  l.order({c.column, c.row});
  EXPECT_EQ(to_string(c.lowered().address), "i2 * 32 + i1");
  expect_agreement(c.f, *c.s, kBlocks);
  l.order({c.row, l.resize(c.column, 0, 1)});
  EXPECT_EQ(to_string(c.lowered().address), "i1 * 33 + i2");
  EXPECT_TRUE(c.lowered().elements.is_const(32 * 33));
  expect_agreement(c.f, *c.s, kBlocks);
  const auto [u, v] = l.swizzle(SwizzleKind::Xor, c.row, c.column);
  l.order({u, v});
  EXPECT_EQ(to_string(c.lowered().address), "i1 * 32 + (i1 ^ i2)");
  expect_agreement(c.f, *c.s, kBlocks);
  l.order({});
  EXPECT_EQ(to_string(c.lowered().address), "i1 * 32 + i2");
}

// By iterdomains that are no loops any more, and by those that loops are cut into.
TEST(Layout, IsOverAnyIterdomainsFromWhichTheElementFollows) {
  Transposed c;
  Schedule& s = *c.s;
  s.bind(c.row, ParallelType::Serial).bind(c.column, ParallelType::Serial);
  const auto [o, i] = s.split(s.merge(c.row, c.column), 32);
  s.bind(i, ParallelType::TIDx);
  BufferLayout l = s.layout(c.t);
  l.order({c.row, l.resize(c.column, 0, 4)});
  expect_agreement(c.f, s, kBlocks);
  const auto [ko, ki] = l.split(c.column, 8);
  l.order({ko, c.row, ki});
  expect_agreement(c.f, s, kBlocks);
  EXPECT_TRUE(c.lowered().elements.is_const(1024));
}

// Four elements of a row stay side by side, so that they are one access.
TEST(Layout, KeepsVectorsWhole) {
  Transposed c;
  Schedule& s = *c.s;
  s.bind(c.column, ParallelType::Serial);
  const auto [o, i] = s.split(c.column, 4);
  s.bind(o, ParallelType::TIDx).bind(i, ParallelType::Vectorize);
  BufferLayout l = s.layout(c.t);
  l.order({c.row, l.resize(c.column, 0, 4)});
  EXPECT_EQ(c.lowered().vector->bytes, 16);
  expect_agreement(c.f, s, kBlocks);
  const auto [u, v] = l.swizzle(SwizzleKind::CyclicShift, c.row, o);
  l.order({u, v, i});
  EXPECT_EQ(c.lowered().vector->bytes, 16);
  expect_agreement(c.f, s, kBlocks);
  l.order({c.row, l.resize(c.column, 0, 1)});
  EXPECT_THAT(c.refused(), HasSubstr("error[E452]"));
}

TEST(Layout, WithoutAPlaceForEachElementIsRefused) {
  Transposed c;
  BufferLayout l = c.s->layout(c.t);
  l.order({c.row});
  EXPECT_EQ(c.refused(),
            "selvage: error[E437]: which i2 an element of t0 has does not follow from its layout, "
            "[i1]; the loop i2 does not follow from these: elements of different i2 would "
            "lie in one place; help: lay it out over iterdomains from which all that is kept "
            "follows");
  l.order({c.row, l.resize(c.column, 0, -1)});
  EXPECT_EQ(c.refused(),
            "selvage: error[E437]: the index of i2a, by which t0 is laid out, leaves its extent "
            "31; at B = 1, i0 = 0, i1 = 0, i2 = 31 it is 31; help: resize by nothing negative");
  Fusion g;
  const Tensor a = g.input("a", {g.constant(4)}, DataType::Float);
  const Tensor b = a * 2, z = g.output("z", b + 1);
  Schedule s(g);
  s.materialize(b.id());
  s.layout(b).order({s.loops(b)[0]});
  EXPECT_THAT(refusal_by<Illegal>([&] { lower(s); }),
              HasSubstr("error[E437]: t0 has a layout, and is kept in global memory"));
  EXPECT_THAT(refusal_by<Illegal>([&] { s.layout(z); }), HasSubstr("error[E419]: z is an output"));
  EXPECT_THAT(refusal_by<Illegal>([&] { s.layout(b).order({s.loops(z)[0]}); }),
              HasSubstr("error[E411]"));
  EXPECT_THAT(refusal_by<Illegal>([&] {
                s.layout(b).order({s.loops(b)[0], s.loops(b)[0]});
              }),
              HasSubstr("error[E412]"));
}

// ---- Stages ----

// y[b, r, n, m] = 2 x[b, r, m, n]: at each step r of a block a tile goes through shared memory,
// where each thread reads what another has written.
struct TurnedTiles {
  explicit TurnedTiles(std::int64_t copies) {
    const Expr B = f.extent("B"), R = f.extent("R"), side = f.constant(8);
    const Tensor x = f.input("x", {B, R, side, side}, DataType::Float);
    const Tensor t = x * 2;
    y = f.output("y", transpose(t, {0, 1, 3, 2}));
    s.emplace(f);
    const auto [b, r, n, m] = s->loops<4>(y);
    s->bind(b, ParallelType::BIDx).bind(n, ParallelType::TIDy).bind(m, ParallelType::TIDx);
    s->compute_at(t, r).keep_in(t, Memory::Shared).stages(t, copies);
    s->bind(s->loops<4>(t)[2], ParallelType::TIDy).bind(s->loops<4>(t)[3], ParallelType::TIDx);
    row = t.id();
    step = r;
  }
  Fusion f;
  Tensor y;
  TensorId row{};
  ScheduledLoop step;
  std::optional<Schedule> s;
};

const test::SizeList kTurns = {{{"B", 2}, {"R", 1}}, {{"B", 1}, {"R", 2}}, {{"B", 2}, {"R", 7}}};

TEST(Stages, TakeOneBarrierAnIterationWhereOneCopyTakesTwo) {
  TurnedTiles one(1), two(2), three(3);
  const auto kernel = [](TurnedTiles& c) {
    return expect_agreement(c.f, *c.s, kTurns).steps[0].variants[0];
  };
  EXPECT_EQ(barriers_in(kernel(one).body), 2u);
  EXPECT_EQ(barriers_in(kernel(two).body), 1u);
  EXPECT_EQ(barriers_in(kernel(three).body), 1u);
  EXPECT_TRUE(kernel(three).buffers[2].elements.is_const(192)) << loop_nest(kernel(three));
  EXPECT_THAT(loop_nest(kernel(two)), HasSubstr("i1 % 2"));
}

TEST(Stages, GoWithALayout) {
  TurnedTiles c(3);
  BufferLayout l = c.s->layout(c.row);
  const auto [b, r, m, n] = c.s->loops<4>(c.row);
  l.order({m, l.resize(n, 0, 1)});
  const Kernel k = expect_agreement(c.f, *c.s, kTurns).steps[0].variants[0];
  EXPECT_TRUE(k.buffers[2].elements.is_const(3 * 72));
}

TEST(Stages, AreOfASerialLoop) {
  TurnedTiles c(2);
  const std::string what = "selvage: error[E438]: t0 has 2 stages, and is computed at ";
  c.s->compute_in(c.row, c.y);
  EXPECT_EQ(refusal_by<Illegal>([&] { lower(*c.s); }),
            what +
                "no loop whose iterations could take them in turn; help: compute it at a serial "
                "loop of who reads it, inline: {into, at}; or leave stages out");
  c.s->compute_at(c.row, c.s->loops(c.y)[0]);
  EXPECT_EQ(refusal_by<Illegal>([&] { lower(*c.s); }),
            what +
                "i0 of y, which is bound to BIDx: iterations that take turns come one after the "
                "other; help: compute it at a serial loop; or leave stages out");
  c.s->compute_at(c.row, c.step).keep_in(c.row, Memory::Global);
  EXPECT_THAT(refusal_by<Illegal>([&] { lower(*c.s); }), HasSubstr("error[E4"));
  EXPECT_THAT(refusal_by<Illegal>([&] { c.s->stages(c.y, 2); }), HasSubstr("error[E419]"));
  EXPECT_THAT(refusal_by<Illegal>([&] { c.s->stages(c.row, 0); }), HasSubstr("error[E438]"));
  c.s->stages(c.row, 1).keep_in(c.row, Memory::Shared);
  expect_agreement(c.f, *c.s, kTurns);
}

// ---- At random ----

// An iterdomain with the coordinate that each item of the tile has there, by another way than the
// engine's: a table.
struct Tabled {
  ScheduledLoop domain;
  std::int64_t extent;
  std::vector<std::int64_t> at;  // by m*K + k
};

class RandomLayout {
 public:
  RandomLayout(std::mt19937_64& rng, Transposed& c, std::int64_t M, std::int64_t K)
      : rng_(rng), layout_(c.s->layout(c.t)) {
    Tabled m{c.row, M, {}}, k{c.column, K, {}};
    for (std::int64_t item = 0; item < M * K; ++item) {
      m.at.push_back(item / K);
      k.at.push_back(item % K);
    }
    axes_ = {m, k};
    for (std::int64_t n = draw(rng, 0, 5); n > 0; --n) step();
    oracle::shuffle(rng_, axes_);
    if (chance(rng_, 6) && axes_.size() > 1) axes_.pop_back();
    std::vector<ScheduledLoop> order;
    for (const Tabled& a : axes_) order.push_back(a.domain);
    layout_.order(order);
  }

  std::int64_t elements() const {
    std::int64_t n = 1;
    for (const Tabled& a : axes_) n *= a.extent;
    return n;
  }
  std::int64_t address(std::size_t item) const {
    std::int64_t address = 0;
    for (const Tabled& a : axes_) address = address * a.extent + a.at[item];
    return address;
  }
  // Every item within the memory, no two in one place.
  bool is_right() const {
    std::set<std::int64_t> places;
    for (std::size_t item = 0; item < axes_[0].at.size(); ++item) {
      for (const Tabled& a : axes_) {
        if (a.at[item] < 0 || a.at[item] >= a.extent) return false;
      }
      if (!places.insert(address(item)).second) return false;
    }
    return true;
  }

 private:
  static std::int64_t euclid(std::int64_t x, std::int64_t n) { return ((x % n) + n) % n; }
  Tabled made(ScheduledLoop d, std::int64_t extent, const auto& f) const {
    Tabled t{d, extent, {}};
    for (std::size_t item = 0; item < axes_[0].at.size(); ++item) t.at.push_back(f(item));
    return t;
  }

  void step() {
    const auto k = std::size_t(draw(rng_, 0, std::int64_t(axes_.size()) - 1));
    const auto j = std::size_t(draw(rng_, 0, std::int64_t(axes_.size()) - 1));
    const Tabled x = axes_[k], y = axes_[j];
    try {
      switch (draw(rng_, 0, 3)) {
        case 0: {
          const std::int64_t n = draw(rng_, 1, 6);
          const bool is_inner = !chance(rng_, 4);
          const auto [o, i] = layout_.split(x.domain, n, {.inner_split = is_inner});
          const std::int64_t other = (x.extent + n - 1) / n, inner = is_inner ? n : other;
          axes_[k] = made(o, is_inner ? other : n, [&](std::size_t at) {
            return (x.at[at] - euclid(x.at[at], inner)) / inner;
          });
          axes_.push_back(made(i, inner, [&](std::size_t at) { return euclid(x.at[at], inner); }));
          return;
        }
        case 1: {
          if (k == j) return;
          const ScheduledLoop out = layout_.merge(x.domain, y.domain);
          axes_[k] = made(out, x.extent * y.extent,
                          [&](std::size_t at) { return x.at[at] * y.extent + y.at[at]; });
          axes_.erase(axes_.begin() + std::ptrdiff_t(j));
          return;
        }
        case 2: {
          const std::int64_t left = chance(rng_, 3) ? draw(rng_, -1, 2) : 0;
          const std::int64_t right = draw(rng_, chance(rng_, 6) ? -1 : 0, 3);
          const ScheduledLoop out = layout_.resize(x.domain, left, right);
          axes_[k] =
              made(out, x.extent + left + right, [&](std::size_t at) { return x.at[at] + left; });
          return;
        }
        case 3: {
          if (k == j) return;
          const bool is_xor = chance(rng_, 2);
          const auto [u, v] = layout_.swizzle(is_xor ? SwizzleKind::Xor : SwizzleKind::CyclicShift,
                                              x.domain, y.domain);
          axes_[k] = made(u, x.extent, [&](std::size_t at) { return x.at[at]; });
          axes_[j] = made(v, y.extent, [&](std::size_t at) {
            return is_xor ? y.at[at] ^ x.at[at] : euclid(y.at[at] - x.at[at], y.extent);
          });
          return;
        }
      }
    } catch (const Illegal&) {
      // No such transform of these.
    }
  }

  std::mt19937_64& rng_;
  BufferLayout layout_;
  std::vector<Tabled> axes_;
};

// Loops of the tile at random, not all of which divide.
void cut_at_random(std::mt19937_64& rng, Transposed& c, Memory memory) {
  Schedule& s = *c.s;
  for (int n = 0; n < 3; ++n) {
    const auto loops = s.loops(c.t);
    const auto k = std::size_t(draw(rng, 1, std::int64_t(loops.size()) - 1));
    if (chance(rng, 3) && k + 1 < loops.size()) {
      s.merge(loops[k], loops[k + 1]);
    } else {
      s.split(loops[k], draw(rng, 2, 5));
    }
  }
  if (memory == Memory::Local) return;
  for (ScheduledLoop l : s.loops(c.t)) {
    if (is_thread(s.parallel(c.t.id(), l.domain))) s.bind(l, ParallelType::Serial);
  }
  std::int64_t threads = 1;
  for (ParallelType p : {ParallelType::TIDx, ParallelType::TIDy}) {
    const auto loops = s.loops(c.t);
    const ScheduledLoop l = loops[std::size_t(draw(rng, 1, std::int64_t(loops.size()) - 1))];
    const std::int64_t n = s.graph()[l.domain].extent.value();
    if (s.parallel(c.t.id(), l.domain) == ParallelType::Serial && threads * n <= 512) {
      s.bind(l, p);
      threads *= n;
    }
  }
}

// The address at every valid loop point is that of the table.
void expect_addresses(const TensorAnalysis& a, const RandomLayout& table, std::int64_t K,
                      const Schedule& s) {
  std::vector<Expr> roots = {a.address, a.predicates.kept.empty() ? a.address.pool().truth(true)
                                                                  : a.predicates.kept[0].condition};
  for (const KeptPredicate& p : a.predicates.kept) roots[1] = roots[1] && p.condition;
  for (DomainId d : s.fusion()[a.tensor].logical) roots.push_back((*a.coordinates)[d]);
  Tape tape(roots, a.variables);
  std::vector<std::int64_t> at(a.loops.size(), 0);
  std::set<std::int64_t> items;
  for (bool more = true; more;) {
    ASSERT_TRUE(tape.evaluate(at));
    if (tape.root(1) != 0) {
      const std::int64_t item = tape.root(3) * K + tape.root(4);
      EXPECT_EQ(tape.root(0), table.address(std::size_t(item)));
      EXPECT_LT(tape.root(0), table.elements());
      items.insert(item);
    }
    more = false;
    for (std::size_t i = a.loops.size(); i-- > 1 && !more;) {
      more = ++at[i] < s.graph()[a.loops[i]].extent.value();
      if (!more) at[i] = 0;
    }
  }
  EXPECT_TRUE(a.elements.is_const(table.elements()));
}

TEST(RandomLayouts, GiveEveryElementThePlaceOfTheTable) {
  std::mt19937_64 rng(17);
  int lowered = 0, refused = 0, not_decided = 0;
  const int cases = count(60, 1'500);
  for (int n = 0; n < cases && !testing::Test::HasFailure(); ++n) {
    const std::int64_t M = draw(rng, 2, 9), K = draw(rng, 2, 17);
    const Memory memory = chance(rng, 4) ? Memory::Local : Memory::Shared;
    Transposed c(M, K, memory);
    if (!chance(rng, 4)) cut_at_random(rng, c, memory);
    const RandomLayout table(rng, c, M, K);
    SCOPED_TRACE("case " + std::to_string(n) + ": " + std::to_string(M) + " x " +
                 std::to_string(K));
    try {
      const TensorAnalysis a = c.lowered();
      ++lowered;
      EXPECT_TRUE(table.is_right());
      expect_addresses(a, table, K, *c.s);
      test::expect_agreement(c.f, lower(*c.s), {.sizes = {{"B", 2}}});
      if (n % 10 == 0) test::expect_verified(lower(*c.s));
    } catch (const Illegal& e) {
      ASSERT_EQ(e.diagnostic().code, "E437") << e.what();
      ++refused;
      not_decided += table.is_right();
    }
  }
  std::printf("%d layouts lowered, %d refused, of which %d are right\n", lowered, refused,
              not_decided);
  EXPECT_GT(lowered, cases / 3);
  EXPECT_LE(not_decided * 20, refused + 20);
}

}  // namespace
}  // namespace selvage
