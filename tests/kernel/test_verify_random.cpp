// Random small kernels, judged by brute force: what is proved must never go wrong, and what is
// refuted must go wrong as the finding says.
#include <selvage/kernel/print.h>
#include <selvage/kernel/verify_parts.h>

#include <gtest/gtest.h>

#include <iostream>
#include <random>

#include "tests/kernel/access_judge.h"
#include "tests/support/counts.h"
#include "tests/support/hand_kernel.h"

namespace selvage {
namespace {

using test::AccessJudge;
using test::HandKernel;

class RandomKernel {
 public:
  // Every other one has barriers wherever they may be, and threads keep to elements of their own:
  // else hardly one would be free of races.
  // With a size, N stands in strides, extents, conditions and remainders.
  RandomKernel(unsigned seed, bool has_size) : rng_(seed), h_("k"), is_tame_(seed % 2 == 1) {
    if (has_size) size_ = h_.size("N");
  }

  Kernel make() {
    Kernel& k = h_.kernel;
    const std::int64_t shapes[][3] = {{32, 1, 1}, {40, 1, 1}, {8, 6, 1}, {16, 4, 1}, {8, 2, 4}};
    const auto& shape = shapes[draw(0, 4)];
    for (std::size_t i = 0; i < 3; ++i) k.launch.block[i] = h_.c(shape[i]);
    if (chance(3)) k.launch.grid[0] = h_.c(2);
    if (has_size() && chance(8)) k.launch.grid[0] = size_;
    input_ = h_.input("x", DataType::Float, h_.c(4096));
    const Expr outputs = h_.c(draw(1, 3) * 64);
    output_ = h_.output("y", DataType::Float, has_size() && chance(2) ? outputs * size_ : outputs);
    const std::int64_t n = shape[0] * shape[1] * shape[2];
    add_shared("a", n * draw(1, 2), DataType::Float, chance(3) ? 0 : -1);
    const bool overlaps = k.buffers[shared_[0]].offset.has_value();
    add_shared("b", n, chance(4) ? DataType::Half : DataType::Float,
               overlaps && chance(2) ? draw(0, 3) * 64
               : overlaps            ? 4096
                                     : -1);
    k.buffers.push_back({"l", DataType::Float, Memory::Local, h_.c(4), true});
    local_ = BufferId(k.buffers.size() - 1);

    const ParallelType types[] = {ParallelType::TIDx, ParallelType::TIDy, ParallelType::TIDz};
    const char* names[] = {"tx", "ty", "tz"};
    std::vector<Loop> around;
    for (std::size_t i = 0; i < 3; ++i) {
      if (shape[i] == 1) continue;
      const Expr t = h_.variable(names[i], h_.c(shape[i]));
      around.push_back({t, h_.c(shape[i]), types[i], {}});
      threads_.push_back({t, shape[i]});
    }
    if (!k.launch.grid[0].is_const(1)) {
      const Expr b = h_.variable("bx", k.launch.grid[0]);
      around.push_back({b, k.launch.grid[0], ParallelType::BIDx, {}});
      blocks_.push_back({b, 2});
    }
    Body body = statements(0);
    for (Loop& loop : around) {
      loop.body = std::move(body);
      body = {};
      body.push_back({std::move(loop)});
    }
    k.body = std::move(body);
    return std::move(k);
  }

 private:
  struct Variable {
    Expr symbol;
    std::int64_t extent;
  };
  std::int64_t draw(std::int64_t lo, std::int64_t hi) {
    return std::uniform_int_distribution<std::int64_t>(lo, hi)(rng_);
  }
  bool chance(int n) { return draw(1, n) == 1; }
  void add_shared(const char* name, std::int64_t n, DataType type, std::int64_t offset) {
    Buffer b{name, type, Memory::Shared, h_.c(n), true};
    if (offset >= 0) b.offset = offset;
    h_.kernel.buffers.push_back(b);
    shared_.push_back(BufferId(h_.kernel.buffers.size() - 1));
  }

  bool has_size() const { return size_.valid(); }

  // Often the thread's own number, else affine, in bounds by a remainder as a rule.
  Expr address(Expr n) {
    Expr number = h_.c(0);
    if (has_size() && threads_.size() == 2 && chance(3)) {
      number = chance(2) ? threads_[1].symbol * size_ + threads_[0].symbol
                         : threads_[0].symbol * size_ + threads_[1].symbol;
      if (!loops_.empty() && chance(2)) number = number + loops_.back().symbol * size_ * h_.c(8);
      return chance(2) ? number : number % n;
    }
    std::int64_t stride = 1;
    if (is_tame_ ? !chance(6) : chance(2)) {
      for (const Variable& t : threads_) {
        number = number + t.symbol * stride;
        stride *= t.extent;
      }
    } else {
      for (const Variable& t : threads_) number = number + t.symbol * draw(0, 8);
    }
    if (chance(4)) number = number ^ h_.c(draw(1, 7));
    for (const Variable& l : loops_) {
      if (chance(3)) number = number + l.symbol * (chance(2) ? stride : draw(1, 4));
    }
    for (const Variable& b : blocks_) {
      if (chance(2)) number = number + b.symbol * stride;
    }
    if (chance(4)) number = number + draw(0, 3);
    if (has_size() && chance(8)) number = number + size_;
    if (has_size() && chance(12)) return number / size_ % n;
    return chance(8) ? number : number % n;
  }
  Expr elements(BufferId b) const { return h_.kernel.buffers[b].elements; }
  ValueId value() {
    const auto from = draw(0, 9);
    if (from < 4) return h_.kernel.values.constant(DataType::Float, 1.0, false);
    if (from < 5) return h_.read(input_, address(h_.c(4096)));
    if (from < 6) return h_.read(local_, h_.c(draw(0, 3)));
    const BufferId b = shared_[std::size_t(draw(0, 1))];
    const ValueId read = h_.read(b, address(elements(b)));
    if (!chance(4)) return read;
    ValueGraph& v = h_.kernel.values;
    const ValueId in =
        v.apply(Function::Lt, {v.index(threads_[0].symbol), v.index(h_.c(draw(1, 8)))});
    return v.apply(Function::Select, {in, read, v.constant(DataType::Float, 0.0, false)});
  }
  // Two elements at once, mostly from where they may begin.
  Statement transfer() {
    const Expr n = elements(shared_[0]) / 2;
    const Expr to = address(n) * 2, from = address(h_.c(2048)) * 2;
    return {Transfer{
        shared_[0], input_, chance(8) ? to + 1 : to, from, 2, h_.pool->symbol("lane"), {}}};
  }
  Statement store() {
    if (chance(8)) return transfer();
    const auto to = draw(0, 9);
    const ValueId v = value();
    if (to < 1) return test::store(local_, h_.c(draw(0, 3)), v);
    if (to < 3) {
      const Expr at = address(elements(output_));
      say_item(at);
      return test::store(output_, at, v, {}, chance(4));
    }
    const BufferId b = shared_[std::size_t(draw(0, 1))];
    Statement s = test::store(b, address(elements(b)), v);
    if (chance(8)) std::get<Store>(s.node).atomic = chance(3) ? Function::Max : Function::Add;
    return s;
  }
  // Says of an address of the output which item it is of, in rows of 8, and who stores that: as
  // often wrongly as not.
  void say_item(Expr address) {
    if (chance(3)) return;
    Buffer& output = h_.kernel.buffers[output_];
    output.axes = {{h_.c(8), output.elements / 8}, {h_.c(1), h_.c(8)}};
    Item item{{address / 8, address % 8}};
    if (chance(4)) item.indices[1] = (address + 1) % 8;
    const Expr number = h_.pool->symbol("item.0") * 8 + h_.pool->symbol("item.1");
    for (Expr& owner : item.owner) owner = h_.c(0);
    std::int64_t base = 1;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::int64_t n = h_.kernel.launch.block[k].value();
      const std::int64_t wrong = chance(6) ? 2 : 1;
      if (n > 1) item.owner[3 + k] = number / h_.c(base) % h_.c(n * wrong);
      base *= n;
    }
    if (!blocks_.empty() && !chance(4)) item.owner[0] = number / h_.c(base);
    h_.kernel.items.add(output_, address, std::move(item));
  }
  Expr condition() {
    const auto what = draw(0, 5);
    const Variable& t = threads_[std::size_t(draw(0, std::int64_t(threads_.size()) - 1))];
    if (has_size() && chance(3)) return chance(4) ? 3 < size_ : t.symbol < size_;
    if (what < 3 || loops_.empty()) return t.symbol < draw(1, t.extent + 1);
    if (what == 3) return eq(t.symbol % draw(2, 4), h_.c(0));
    return loops_.back().symbol < draw(1, loops_.back().extent);
  }
  Statement barrier() {
    return {Barrier{chance(is_tame_ ? 6 : 3) ? Barrier::Scope::Warp : Barrier::Scope::Block}};
  }

  Body statements(int depth) {
    Body body;
    const std::int64_t n = draw(2, depth == 0 ? 5 : 3);
    for (std::int64_t i = 0; i < n; ++i) {
      const auto what = draw(0, 11);
      if (what == 0 && depth < 2 && !(is_tame_ && chance(2))) {
        body.push_back(test::guard(condition(), statements(depth + 1)));
        if (chance(3)) std::get<Guard>(body.back().node).otherwise = statements(depth + 2);
      } else if (what <= 2 && loops_.size() < 2 && depth < 2) {
        const std::int64_t extent = draw(1, 3);
        const Expr end = has_size() && chance(2) ? size_ : h_.c(extent);
        const Expr v = h_.variable("i" + std::to_string(loop_names_++), end);
        loops_.push_back({v, extent});
        Body inside = statements(depth + 1);
        if (chance(2)) inside.push_back(barrier());
        loops_.pop_back();
        body.push_back(
            test::loop(v, chance(12) ? threads_[0].symbol % 2 + 1 : end, std::move(inside)));
      } else if (what <= 5) {
        body.push_back(barrier());
      } else {
        body.push_back(store());
        if (is_tame_ && !chance(5)) body.push_back(barrier());
      }
    }
    return body;
  }

  std::mt19937_64 rng_;
  HandKernel h_;
  bool is_tame_;
  Expr size_;
  BufferId input_ = 0, output_ = 0, local_ = 0;
  std::vector<BufferId> shared_;
  std::vector<Variable> threads_, blocks_, loops_;
  int loop_names_ = 0;
};

struct Tally {
  int proved = 0, refuted = 0, unknown = 0;
  void count(const Verdict& v) { ++(is_proved(v) ? proved : is_refuted(v) ? refuted : unknown); }
};

const KernelFinding* refuted(const Verification& v, Hazard h) {
  for (const KernelFinding& f : v.findings) {
    if (f.hazard == h && is_refuted(f.verdict)) return &f;
  }
  return nullptr;
}

std::string explain(const Kernel& kernel, const Verification& v) {
  std::string text = loop_nest(kernel);
  for (const KernelFinding& f : v.findings) {
    text += std::string(to_string(f.hazard)) + " " + std::string(to_string(f.verdict)) + ": " +
            f.text + "\n";
  }
  for (const Buffer& b : kernel.buffers) {
    text += b.name + " offset " + std::to_string(b.offset.value_or(-1)) + "\n";
  }
  for (Expr e : kernel.launch.block) text += std::to_string(e.value()) + " ";
  return text;
}

TEST(VerifyRandom, WhatIsProvedNeverGoesWrongAndWhatIsRefutedDoes) {
  std::array<Tally, kHazards> tally;
  std::array<int, 6> by_proof{};
  int by_items = 0;
  for (int seed = 0; seed < count(200, 5000); ++seed) {
    const Kernel kernel = RandomKernel(unsigned(seed), false).make();
    const AccessJudge judge(kernel, {});
    const Verification v = verify(kernel);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + explain(kernel, v));
    for (std::size_t h = 0; h < kHazards; ++h) tally[h].count(v.verdicts[h]);

    if (is_proved(v.of(Hazard::Divergence))) {
      ASSERT_FALSE(judge.diverges());
    } else if (is_refuted(v.of(Hazard::Divergence))) {
      ASSERT_TRUE(judge.diverges());
    }
    if (is_proved(v.of(Hazard::Bounds))) {
      ASSERT_FALSE(judge.has_bad_address());
    } else if (const auto* f = refuted(v, Hazard::Bounds)) {
      ASSERT_TRUE(judge.has_bad_address(*f->buffer, f->address));
    }
    if (judge.diverges()) continue;
    // What is known before the kernel is gone through as it runs.
    const AccessMap map(kernel);
    ItemProofs items(map);
    const HazardFindings races = race_findings(map, items), lifetimes = lifetime_findings(map);
    if (races.open.empty()) {
      ++by_proof[0];
      const auto& rules = races.proved.rules;
      by_items += std::count(rules.begin(), rules.end(), "one item, one thread") > 0;
      ASSERT_FALSE(judge.races());
    }
    for (const KernelFinding& f : races.open) {
      if (!is_refuted(f.verdict) || judge.has_bad_address()) continue;
      ++by_proof[1];
      ASSERT_TRUE(judge.has_race(*f.buffer, f.address, f.second->block, f.second->thread,
                                 f.first->block, f.first->thread))
          << f.text;
    }
    if (!races.open.empty() && judge.races() &&
        std::none_of(races.open.begin(), races.open.end(),
                     [](const KernelFinding& f) { return is_refuted(f.verdict); })) {
      ++by_proof[2];
    }
    if (!races.open.empty() && !judge.races()) ++by_proof[3];
    if (!judge.races()) {
      if (lifetimes.open.empty()) {
        ++by_proof[4];
        ASSERT_FALSE(judge.reads_uninitialised());
      } else if (!judge.reads_uninitialised()) {
        ++by_proof[5];
      }
    }
    if (is_proved(v.of(Hazard::Race))) {
      ASSERT_FALSE(judge.races());
    } else if (const auto* f = refuted(v, Hazard::Race)) {
      ASSERT_TRUE(judge.has_race(*f->buffer, f->address, f->second->block, f->second->thread,
                                 f->first->block, f->first->thread));
    }
    if (judge.races()) continue;
    if (is_proved(v.of(Hazard::Lifetime))) {
      ASSERT_FALSE(judge.reads_uninitialised());
    } else if (const auto* f = refuted(v, Hazard::Lifetime)) {
      ASSERT_TRUE(
          judge.is_uninitialised(*f->buffer, f->address, f->first->block, f->first->thread));
    }
  }
  std::cout << "without a run: races " << by_proof[0] << " proved, " << by_proof[1]
            << " pairs refuted, " << by_proof[2] << " races and " << by_proof[3]
            << " kernels without one left open; lifetimes " << by_proof[4] << " proved, "
            << by_proof[5] << " left open; by items " << by_items << "\n";
  EXPECT_GT(by_items, more_than(1));
  for (std::size_t h = 0; h < kHazards; ++h) {
    std::cout << to_string(Hazard(h)) << ": " << tally[h].proved << " proved, " << tally[h].refuted
              << " refuted, " << tally[h].unknown << " unknown\n";
    EXPECT_GT(tally[h].proved, more_than(20));
    EXPECT_GT(tally[h].refuted, more_than(10));
    EXPECT_EQ(tally[h].unknown, 0);
  }
}

TEST(VerifyRandom, WhatIsProvedForAllSizesHoldsForEach) {
  std::array<Tally, kHazards> tally;
  for (int seed = 0; seed < count(200, 5000); ++seed) {
    const Kernel kernel = RandomKernel(unsigned(seed), true).make();
    const Verification v = verify(kernel);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + explain(kernel, v));
    for (std::size_t h = 0; h < kHazards; ++h) tally[h].count(v.verdicts[h]);
    for (const std::int64_t n : {1, 2, 3, 5}) {
      const AccessJudge judge(kernel, {{"N", n}});
      SCOPED_TRACE("N = " + std::to_string(n));
      ASSERT_FALSE(is_proved(v.of(Hazard::Divergence)) && judge.diverges());
      ASSERT_FALSE(is_proved(v.of(Hazard::Bounds)) && judge.has_bad_address());
      if (judge.diverges() || judge.has_bad_address()) continue;
      ASSERT_FALSE(is_proved(v.of(Hazard::Race)) && judge.races());
      if (judge.races()) continue;
      ASSERT_FALSE(is_proved(v.of(Hazard::Lifetime)) && judge.reads_uninitialised());
    }
    for (std::size_t h = 0; h < kHazards; ++h) {
      const KernelFinding* f = refuted(v, Hazard(h));
      if (f == nullptr) continue;
      ASSERT_EQ(f->sizes.size(), 1u);
      // Judging takes more than the square of it.
      if (f->sizes[0].second > 9) continue;
      const AccessJudge judge(kernel, {{"N", f->sizes[0].second}});
      switch (Hazard(h)) {
        case Hazard::Divergence: ASSERT_TRUE(judge.diverges()); break;
        case Hazard::Bounds: ASSERT_TRUE(judge.has_bad_address(*f->buffer, f->address)); break;
        case Hazard::Race:
          if (judge.diverges() || judge.has_bad_address()) break;
          ASSERT_TRUE(judge.has_race(*f->buffer, f->address, f->second->block, f->second->thread,
                                     f->first->block, f->first->thread));
          break;
        case Hazard::Lifetime:
          if (judge.diverges() || judge.has_bad_address() || judge.races()) break;
          ASSERT_TRUE(
              judge.is_uninitialised(*f->buffer, f->address, f->first->block, f->first->thread));
          break;
      }
    }
  }
  for (std::size_t h = 0; h < kHazards; ++h) {
    std::cout << to_string(Hazard(h)) << ": " << tally[h].proved << " proved, " << tally[h].refuted
              << " refuted, " << tally[h].unknown << " unknown\n";
    EXPECT_GT(tally[h].proved, more_than(10));
    EXPECT_GT(tally[h].refuted, more_than(10));
    EXPECT_LT(tally[h].unknown, count(200, 5000) / 4);
  }
}

}  // namespace
}  // namespace selvage
