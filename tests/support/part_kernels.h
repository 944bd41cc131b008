// Random kernels of one block whose threads work together in parts: regions of some threads, each
// with barriers of its own, and loops that are left. Some are right, some not.
#pragma once

#include <array>

#include "hand_kernel.h"

namespace selvage::test {

// A barrier of these threads: `members` has a word of lanes for each warp.
inline Statement barrier(int id, std::vector<std::uint32_t> members) {
  Barrier b{Barrier::Scope::Threads};
  b.id = id;
  b.members = std::move(members);
  return {b};
}
inline Statement lane_barrier(std::uint32_t lanes) {
  return {Barrier{Barrier::Scope::Warp, lanes}};
}
inline Statement leave(Expr loop) { return {Leave{loop}}; }
inline Statement go_on(Expr loop) { return {Leave{loop, true}}; }
inline constexpr std::uint32_t kAll = Barrier::kAllLanes;

class PartKernel {
 public:
  // `most`: the greatest number of threads. Every second seed gives a kernel in which hardly
  // anything is forgotten. `copies`: part of what is exchanged goes by copies that end later.
  PartKernel(unsigned seed, std::int64_t most = 96, bool copies = false)
      : random_(seed * 7919U + 17U),
        h_("parts_" + std::to_string(seed)),
        is_tame_(seed % 2 == 1),
        copies_(copies) {
    threads_ = 32 * (1 + draw(most / 32));
    if (draw(4) == 0) threads_ -= 1 + draw(20);
    t_ = h_.variable("t", h_.c(threads_));
    a_ = h_.input("a", DataType::Int32, h_.c(threads_));
    y_ = h_.output("y", DataType::Int32, h_.c(threads_));
    s_ = {h_.shared("s0", DataType::Int32, threads_), h_.shared("s1", DataType::Int32, threads_)};
    sum_ = h_.local("sum", DataType::Int32);
  }

  Kernel kernel() {
    Group all;
    all.members.assign(std::size_t((threads_ + 31) / 32), 0);
    for (std::int64_t t = 0; t < threads_; ++t) all.members[std::size_t(t / 32)] |= bit(t);
    Body body = {store(sum_, zero(), h_.read(a_, t_))};
    for (BufferId s : s_) {
      if (draw(5) > 0) body.push_back(store(s, t_, h_.read(sum_, zero())));
    }
    body.push_back(barrier());
    append(body, all, 3);
    body.push_back(store(y_, t_, h_.read(sum_, zero())));
    h_.kernel.launch.block[0] = h_.c(threads_);
    h_.kernel.body = {loop(t_, h_.c(threads_), std::move(body), ParallelType::TIDx)};
    return h_.kernel;
  }

 private:
  // The threads that run this part.
  struct Group {
    std::vector<std::uint32_t> members;
  };
  static std::uint32_t bit(std::int64_t t) { return std::uint32_t{1} << t % 32; }
  std::int64_t draw(std::int64_t n) { return std::int64_t(random_() % std::uint64_t(n)); }
  // Whether to put in a mistake.
  bool slips() { return draw(is_tame_ ? 80 : 10) == 0; }
  Expr zero() const { return h_.c(0); }

  void append(Body& body, const Group& group, int depth) {
    for (std::int64_t k = 2 + draw(3); k > 0; --k) {
      const std::int64_t what = draw(depth > 0 ? 10 : 4);
      if (what < 4) {
        fence(body, group);
        if (copies_ && draw(2) == 0) {
          copy(body);
        } else {
          body.push_back(exchange());
        }
        fence(body, group);
      } else if (what < 7) {
        split(body, group, depth);
      } else if (what < 9) {
        append_loop(body, group, depth);
      } else if (!loops_.empty()) {
        leave(body, group);
      }
    }
  }

  void split(Body& body, const Group& group, int depth) {
    const std::int64_t ends[] = {32, 64, threads_ - 32, 1 + draw(threads_), 8, 16};
    const std::int64_t end = ends[draw(6)];
    const bool by_lane = draw(3) == 0;
    const Expr condition = by_lane ? t_ % 32 < end % 32 : t_ < end;
    Group inside = group, outside = group;
    for (std::int64_t t = 0; t < threads_; ++t) {
      const bool holds = by_lane ? t % 32 < end % 32 : t < end;
      (holds ? outside : inside).members[std::size_t(t / 32)] &= ~bit(t);
    }
    Body first, second;
    append(first, inside, depth - 1);
    if (draw(2) == 0) append(second, outside, depth - 1);
    body.push_back(guard(condition, std::move(first), std::move(second)));
    fence(body, group);
  }

  void append_loop(Body& body, const Group& group, int depth) {
    const Expr j = h_.variable("j" + std::to_string(loop_names_++), h_.c(3));
    loops_.push_back(j);
    Body inside;
    append(inside, group, depth - 1);
    if (draw(2) == 0) leave(inside, group);
    if (draw(2) == 0) append(inside, group, 0);
    loops_.pop_back();
    body.push_back(loop(j, h_.c(1 + draw(3)), std::move(inside)));
  }
  // Mostly all threads leave together; else some alone, and nobody may wait for these afterwards.
  void leave(Body& body, const Group& group) {
    const Expr loop = loops_[std::size_t(draw(std::int64_t(loops_.size())))];
    Expr condition = eq(loops_.back(), h_.c(draw(3)));
    if (slips() || draw(6) == 0) condition = t_ < 1 + draw(threads_);
    body.push_back(guard(condition, {{Leave{loop, draw(2) == 0}}}));
    (void)group;
  }

  void fence(Body& body, const Group& group) {
    if (slips()) return;
    Barrier b;
    bool is_all = true, is_whole = true, is_lanes = true;
    std::uint32_t lanes = 0;
    for (std::int64_t t = 0; t < threads_; ++t) {
      const bool is_here = (group.members[std::size_t(t / 32)] & bit(t)) != 0;
      is_all = is_all && is_here;
      if (is_here) lanes |= bit(t);
    }
    for (std::int64_t t = 0; t < threads_; ++t) {
      const std::uint32_t word = group.members[std::size_t(t / 32)];
      const bool is_here = (word & bit(t)) != 0;
      if (word != 0 && !is_here) is_whole = false;
      if (word != 0 && is_here != ((lanes & bit(t)) != 0)) is_lanes = false;
    }
    if (lanes == 0) return;
    if (is_whole && draw(8) == 0) {
      b.scope = Barrier::Scope::Warp;
    } else if (!is_all && is_lanes && draw(3) == 0) {
      b.scope = Barrier::Scope::Warp;
      b.lanes = lanes;
    } else if (!is_all || draw(4) == 0) {
      b.scope = Barrier::Scope::Threads;
      // Mostly each region has a number of its own.
      b.id = slips() ? 1 + int(draw(3)) : number_of(group.members);
      b.members = group.members;
      if (slips()) b.members[std::size_t(draw(std::int64_t(b.members.size())))] ^= bit(draw(32));
    }
    body.push_back({b});
  }
  int number_of(const std::vector<std::uint32_t>& members) {
    const auto at = std::find(numbers_.begin(), numbers_.end(), members);
    if (at != numbers_.end()) return int(at - numbers_.begin()) % 15 + 1;
    numbers_.push_back(members);
    return int(numbers_.size() - 1) % 15 + 1;
  }

  // Copies from one tile to the other, or from memory; mostly followed by a wait.
  void copy(Body& body) {
    const BufferId to = s_[std::size_t(draw(2))];
    const BufferId from = draw(3) == 0 ? a_ : s_[to == s_[0] ? 1 : 0];
    const Expr where[] = {t_, (t_ + (1 + draw(40))) % threads_, threads_ - 1 - t_};
    AsyncCopy copy;
    copy.copy = {to, from, where[draw(3)], where[draw(3)], 1, h_.pool->symbol("lane"), {}};
    Wait wait;
    wait.pending = draw(3) == 0 ? 1 : 0;
    body.push_back({copy});
    if (!slips()) body.push_back({Arrive{}});
    if (wait.pending == 1 && !slips()) body.push_back({Arrive{}});
    if (!slips()) body.push_back({wait});
  }

  Statement exchange() {
    const BufferId s = s_[std::size_t(draw(2))];
    const Expr where[] = {t_,
                          t_,
                          (t_ + (1 + draw(40))) % threads_,
                          threads_ - 1 - t_,
                          t_ / 32 * 32 + (t_ % 32 + 1 + draw(7)) % 32,
                          t_ / 2};
    Expr at = where[draw(6)];
    if (threads_ % 32 != 0) at = at % threads_;
    if (draw(2) == 0) return store(s, at, h_.read(sum_, zero()));
    ValueGraph& v = h_.kernel.values;
    return store(sum_, zero(), v.apply(Function::Add, {h_.read(sum_, zero()), h_.read(s, at)}));
  }

  std::mt19937_64 random_;
  HandKernel h_;
  bool is_tame_, copies_;
  std::int64_t threads_ = 0;
  Expr t_;
  BufferId a_ = 0, y_ = 0, sum_ = 0;
  std::array<BufferId, 2> s_{};
  std::vector<Expr> loops_;
  std::vector<std::vector<std::uint32_t>> numbers_;
  int loop_names_ = 0;
};

}  // namespace selvage::test
