// Random kernels whose threads work together: what emulation passes has one result, in any order of
// threads and on both machines; what it does not pass it does not pass in any order.
#include <gtest/gtest.h>

#include <iostream>

#include "../support/block_kernels.h"
#include "../support/counts.h"
#include "run.h"

namespace selvage {
namespace {

using namespace test;

class RandomKernel {
 public:
  explicit RandomKernel(unsigned seed) : random_(seed), h_("random") {
    threads_ = 32 * (1 + draw(3));
    if (draw(4) == 0) threads_ -= 1 + draw(20);
    t_ = h_.variable("t", h_.c(threads_));
    b_ = h_.variable("b", h_.c(2));
    a_ = h_.input("a", DataType::Int32, h_.c(2 * threads_));
    y_ = h_.output("y", DataType::Int32, h_.c(2 * threads_));
    // Two buffers, of bytes of their own, or one over the other in part.
    const bool is_placed = draw(3) == 0;
    const auto at = [&](std::int64_t offset) {
      return is_placed ? std::optional(offset) : std::nullopt;
    };
    shared_ = {h_.shared("s0", DataType::Int32, threads_, at(0)),
               h_.shared("s1", DataType::Int16, threads_, at(4 * (threads_ / 2)))};
    sum_ = h_.local("sum", DataType::Int32);
    more_ = h_.local("more", DataType::Int32);
  }

  Kernel kernel() {
    Body body = {store(sum_, zero(), h_.read(a_, b_ * threads_ + t_)),
                 store(more_, zero(), h_.kernel.values.index(t_))};
    for (BufferId s : shared_) {
      if (draw(4) > 0) body.push_back(store(s, t_, h_.read(sum_, zero())));
    }
    append(body, 2);
    body.push_back(store(y_, b_ * threads_ + t_, h_.read(sum_, zero())));
    h_.kernel.launch.grid[0] = h_.c(2);
    h_.kernel.body = {
        loop(b_, h_.c(2), in_one_block(h_, t_, threads_, std::move(body)), ParallelType::BIDx)};
    return h_.kernel;
  }

 private:
  std::int64_t draw(std::int64_t n) { return std::int64_t(random_() % std::uint64_t(n)); }
  Expr zero() const { return h_.c(0); }
  ValueId sum(ValueId a, ValueId b) { return h_.kernel.values.apply(Function::Add, {a, b}); }

  void append(Body& body, int depth) {
    for (std::int64_t k = 2 + draw(4); k > 0; --k) {
      const std::int64_t what = draw(depth > 0 ? 10 : 7);
      if (what < 3) {
        fence(body);
        body.push_back(exchange());
        fence(body);
      } else if (what == 3) {
        fence(body);
      } else if (what == 4) {
        body.push_back(store(sum_, zero(), sum(h_.read(sum_, zero()), h_.read(more_, zero()))));
      } else if (what == 5 && threads_ % 32 == 0) {
        body.push_back(test::shuffle(more_, zero(), sum_, zero(), 1 + draw(31)));
      } else if (what == 6) {
        fence(body);
        const Expr at = (t_ + draw(5)) % (1 + draw(3));
        body.push_back(update(shared_[0], at, Function::Add, h_.read(sum_, zero())));
        fence(body);
      } else if (what == 7) {
        Body inner;
        append(inner, depth - 1);
        const Expr j = h_.variable("j" + std::to_string(loops_++), h_.c(3));
        body.push_back(loop(j, h_.c(1 + draw(3)), std::move(inner)));
      } else if (what == 8) {
        Body inner;
        append(inner, draw(3) == 0 ? depth - 1 : -1);
        const std::int64_t bounds[] = {32, threads_, draw(threads_) + 1};
        body.push_back(guard(t_ < bounds[draw(3)], std::move(inner)));
      }
    }
  }
  // More often than not there is one where one is needed.
  void fence(Body& body) {
    if (draw(7) == 0) return;
    body.push_back(barrier(draw(8) == 0 ? Barrier::Scope::Warp : Barrier::Scope::Block));
  }
  Statement exchange() {
    const BufferId s = shared_[std::size_t(draw(2))];
    const Expr where[] = {t_, (t_ + (1 + draw(40))) % threads_, threads_ - 1 - t_,
                          (t_ ^ h_.c(1 + draw(15))) % threads_, t_ / 2};
    const Expr at = where[draw(5)];
    if (draw(2) == 0) return store(s, at, h_.read(sum_, zero()));
    return store(sum_, zero(), sum(h_.read(sum_, zero()), h_.read(s, at)));
  }

  std::mt19937_64 random_;
  HandKernel h_;
  std::int64_t threads_ = 0;
  Expr t_, b_;
  BufferId a_ = 0, y_ = 0, sum_ = 0, more_ = 0;
  std::array<BufferId, 2> shared_{};
  int loops_ = 0;
};

struct BlockVerdict {
  bool fails, races, parts;
  friend bool operator==(const BlockVerdict&, const BlockVerdict&) = default;
};

TEST(BlockRandom, NeitherVerdictNorValueDependsOnTheOrderOfThreads) {
  int passed = 0, racing = 0, parting = 0;
  for (int n = 0; n < count(200, 5000); ++n) {
    const Kernel k = RandomKernel(unsigned(n)).kernel();
    const std::vector<Array> start = arrays_for(k, {});
    std::vector<Array> first;
    BlockVerdict verdict{};
    for (std::uint64_t seed : {0, 1, 2, 3}) {
      std::vector<Array> arrays = start;
      const Emulation e = run_emulated(k, {}, arrays, seed);
      const BlockVerdict now{e.fault_count > 0, e.counts.count(FaultKind::Race) > 0,
                             e.counts.count(FaultKind::DivergentBarrier) > 0};
      if (seed == 0) {
        verdict = now;
        first = arrays;
      }
      ASSERT_EQ(now, verdict) << "kernel " << n << ", order " << seed << ": "
                              << (e.faults.empty() ? "" : e.faults[0].text);
      ASSERT_TRUE(now.fails || arrays[1] == first[1]) << "kernel " << n << ", order " << seed;
    }
    racing += verdict.races;
    parting += verdict.parts;
    if (verdict.fails) continue;
    ++passed;
    const VirtualOrder orders[] = {{0, 1}, 1, 2, {0, 2}};
    for (const VirtualOrder& order : orders) {
      std::vector<Array> arrays = start;
      run_text(k, {}, arrays, default_virtual_compiler(), order);
      ASSERT_EQ(arrays[1], first[1])
          << "kernel " << n << ", order " << order.seed << " on " << order.threads << " cores\n"
          << cuda(k).text;
    }
    if (n % 10 > 0) continue;
    std::vector<Array> arrays = start;
    ASSERT_NO_THROW(run_text_checked(k, {}, arrays)) << cuda(k).text;
    ASSERT_EQ(arrays[1], first[1]) << "kernel " << n << ", checked";
  }
  std::cout << "[FIGURE] of " << count(200, 5000) << " random kernels of blocks: " << passed
            << " without a fault, " << racing << " with a race, " << parting
            << " with a divergent barrier\n";
  EXPECT_GT(passed, more_than(20));
  EXPECT_GT(racing, more_than(20));
  EXPECT_GT(parting, more_than(5));
}

}  // namespace
}  // namespace selvage
