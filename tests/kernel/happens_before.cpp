#include "tests/kernel/happens_before.h"

#include <selvage/base/integer.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace selvage::test {

namespace {
constexpr std::size_t kNobody = SIZE_MAX;
}

HappensBefore::HappensBefore(const Kernel& kernel) : kernel_(kernel) {
  threads_ = value(kernel.launch.block[0]);
  for (thread_ = 0; thread_ < threads_; ++thread_) {
    last_.push_back(kNobody);
    groups_.clear();
    open_group_.clear();
    run(kernel.body);
  }
  judge_meetings();
  if (diverges_) return;
  close();
  judge_accesses();
}

std::int64_t HappensBefore::value(Expr e) const {
  const auto v = [&](std::size_t i) { return value(e[i]); };
  if (e.is(Op::Const) || e.is(Op::Bool)) return e.value();
  if (e.is(Op::Symbol)) return values_.at(e.id());
  if (e.is(Op::Let)) return v(0);
  if (e.is(Op::Add)) return v(0) + v(1);
  if (e.is(Op::Sub)) return v(0) - v(1);
  if (e.is(Op::Mul)) return v(0) * v(1);
  if (e.is(Op::Div)) return *euclid_div(v(0), v(1));
  if (e.is(Op::Mod)) return *euclid_mod(v(0), v(1));
  if (e.is(Op::Xor)) return v(0) ^ v(1);
  if (e.is(Op::Lt)) return v(0) < v(1);
  if (e.is(Op::Le)) return v(0) <= v(1);
  if (e.is(Op::Eq)) return v(0) == v(1);
  if (e.is(Op::Not)) return v(0) == 0;
  if (e.is(Op::And)) return v(0) != 0 && v(1) != 0;
  if (e.is(Op::Or)) return v(0) != 0 || v(1) != 0;
  throw std::logic_error("an expression that these kernels do not have");
}

HappensBefore::Way HappensBefore::run(const Body& body) {
  for (const Statement& s : body) {
    if (const Way way = run(s); way != Way::On) return way;
  }
  return Way::On;
}

HappensBefore::Way HappensBefore::run(const Statement& s) {
  if (const auto* leave = std::get_if<Leave>(&s.node)) {
    left_ = leave->loop;
    return leave->is_next ? Way::Next : Way::Behind;
  }
  if (const auto* guard = std::get_if<Guard>(&s.node)) {
    return run(value(guard->condition) != 0 ? guard->body : guard->otherwise);
  }
  if (const auto* loop = std::get_if<Loop>(&s.node)) {
    if (is_thread(loop->parallel)) {
      values_[loop->variable.id()] = thread_;
      return run(loop->body);
    }
    trips_.push_back(0);
    Way way = Way::On;
    for (std::int64_t i = 0; i < value(loop->extent); ++i, ++trips_.back()) {
      values_[loop->variable.id()] = i;
      way = run(loop->body);
      if (way == Way::On) continue;
      if (!same(left_, loop->variable)) break;
      const bool ends = way == Way::Behind;
      way = Way::On;
      if (ends) break;
    }
    trips_.pop_back();
    return way;
  }
  if (const auto* region = std::get_if<Region>(&s.node)) {
    const auto warp = std::size_t(thread_ / 32);
    const bool is_member =
        warp < region->members.size() && (region->members[warp] >> thread_ % 32 & 1) != 0;
    return is_member ? run(region->body) : Way::On;
  }
  if (const auto* barrier = std::get_if<Barrier>(&s.node)) {
    meet(s, *barrier);
  } else if (const auto* copy = std::get_if<AsyncCopy>(&s.node)) {
    begin(copy->copy);
  } else if (std::holds_alternative<Arrive>(s.node)) {
    groups_.push_back(std::exchange(open_group_, {}));
  } else if (const auto* wait = std::get_if<Wait>(&s.node)) {
    end_groups(wait->pending);
  } else if (const auto* store = std::get_if<Store>(&s.node)) {
    Event reads, write;
    read(store->value, reads);
    if (!reads.accesses.empty()) add(reads);
    write.accesses.push_back({store->buffer, value(store->address), thread_, true});
    add(write);
  } else {
    throw std::logic_error("a statement that these kernels do not have");
  }
  return Way::On;
}

void HappensBefore::read(ValueId v, Event& into) const {
  const ValueNode& node = kernel_.values[v];
  if (node.kind == ValueNode::Kind::Read) {
    into.accesses.push_back({node.source, value(node.subscripts[0]), thread_, false});
  }
  for (ValueId o : node.operands) read(o, into);
}

void HappensBefore::add(Event event) {
  event.threads.push_back(thread_);
  event.before.push_back(last_.back());
  last_.back() = events_.size();
  events_.push_back(std::move(event));
}

// An event of its own, after what the thread has done; only a wait comes after it.
void HappensBefore::begin(const Transfer& copy) {
  add({});
  Event event;
  const std::int64_t nobody = -1 - std::int64_t(events_.size());
  event.accesses.push_back({copy.from, value(copy.from_address), nobody, false});
  event.accesses.push_back({copy.to, value(copy.to_address), nobody, true});
  event.before.push_back(last_.back());
  open_group_.push_back(events_.size());
  events_.push_back(std::move(event));
}

void HappensBefore::end_groups(std::int64_t pending) {
  Event event;
  for (std::size_t k = 0; std::int64_t(k) < std::int64_t(groups_.size()) - pending; ++k) {
    event.before.insert(event.before.end(), groups_[k].begin(), groups_[k].end());
  }
  add(std::move(event));
}

void HappensBefore::meet(const Statement& s, const Barrier& barrier) {
  const std::int64_t group = barrier.scope == Barrier::Scope::Warp ? thread_ / 32 : 0;
  const auto [it, fresh] = meetings_.try_emplace({{&s, group}, trips_}, events_.size());
  if (fresh) events_.push_back({{}, &barrier, {}, {}});
  Event& event = events_[it->second];
  event.threads.push_back(thread_);
  event.before.push_back(last_.back());
  last_.back() = it->second;
}

// Those who are there are those who must be.
void HappensBefore::judge_meetings() {
  for (const Event& e : events_) {
    if (e.barrier == nullptr) continue;
    const Barrier& b = *e.barrier;
    std::vector<std::int64_t> expected;
    for (std::int64_t t = 0; t < threads_; ++t) {
      const std::uint32_t lane = std::uint32_t{1} << t % 32;
      const bool is_expected =
          b.scope == Barrier::Scope::Block ? true
          : b.scope == Barrier::Scope::Warp
              ? t / 32 == e.threads[0] / 32 && (b.lanes & lane) != 0
              : std::size_t(t / 32) < b.members.size() && (b.members[std::size_t(t / 32)] & lane);
      if (is_expected) expected.push_back(t);
    }
    if (e.threads != expected) diverges_ = true;
  }
  if (diverges_) return;
  close();
  for (std::size_t i = 0; i < events_.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Barrier *a = events_[i].barrier, *b = events_[j].barrier;
      if (a == nullptr || b == nullptr || a->scope != Barrier::Scope::Threads ||
          b->scope != Barrier::Scope::Threads || a->id != b->id || a->members == b->members) {
        continue;
      }
      if (!is_kept_apart(events_[i], j) && !is_kept_apart(events_[j], i)) diverges_ = true;
    }
  }
}

// Is the meeting `a` over for each thread before it gets to `b`?
bool HappensBefore::is_kept_apart(const Event& b, std::size_t a) const {
  return std::all_of(b.before.begin(), b.before.end(), [&](std::size_t last) {
    return last != kNobody && (last == a || comes_before(a, last));
  });
}

void HappensBefore::close() {
  const std::size_t words = events_.size() / 64 + 1;
  reached_.assign(events_.size(), std::vector<std::uint64_t>(words));
  std::vector<int> open(events_.size());
  std::vector<std::vector<std::size_t>> after(events_.size());
  std::vector<std::size_t> ready;
  for (std::size_t i = 0; i < events_.size(); ++i) {
    for (std::size_t b : events_[i].before) {
      if (b == kNobody) continue;
      ++open[i];
      after[b].push_back(i);
    }
    if (open[i] == 0) ready.push_back(i);
  }
  while (!ready.empty()) {
    const std::size_t i = ready.back();
    ready.pop_back();
    for (std::size_t next : after[i]) {
      for (std::size_t w = 0; w < words; ++w) reached_[next][w] |= reached_[i][w];
      reached_[next][i / 64] |= std::uint64_t{1} << i % 64;
      if (--open[next] == 0) ready.push_back(next);
    }
  }
}

void HappensBefore::judge_accesses() {
  struct At {
    std::size_t event;
    Access access;
  };
  std::map<std::pair<BufferId, std::int64_t>, std::vector<At>> cells;
  for (std::size_t i = 0; i < events_.size(); ++i) {
    for (const Access& a : events_[i].accesses) {
      const Memory memory = kernel_.buffers[a.buffer].memory;
      const std::int64_t own = memory == Memory::Local ? (a.thread + 1) << 32 : 0;
      if (memory == Memory::Global && !kernel_.buffers[a.buffer].is_written) continue;
      cells[{a.buffer, own + a.address}].push_back({i, a});
    }
  }
  for (const auto& [cell, all] : cells) {
    const bool is_global = kernel_.buffers[cell.first].memory == Memory::Global;
    for (const At& x : all) {
      bool is_written = is_global;
      for (const At& y : all) {
        const bool is_before = comes_before(y.event, x.event);
        is_written = is_written || (y.access.is_write && is_before);
        if (x.access.thread == y.access.thread || (!x.access.is_write && !y.access.is_write)) {
          continue;
        }
        if (!is_before && !comes_before(x.event, y.event)) races_ = true;
      }
      if (!x.access.is_write && !is_written) reads_uninitialised_ = true;
    }
  }
}

}  // namespace selvage::test
