#include <selvage/base/check.h>
#include <selvage/base/integer.h>
#include <selvage/expr/substitute.h>
#include <selvage/legality/warp_access.h>

#include <algorithm>
#include <unordered_map>

namespace selvage {

namespace {

std::optional<std::int64_t> number(Expr e) {
  return e.is(Op::Const) ? std::optional(e.value()) : std::nullopt;
}

// Longer addresses and guards, of loops crossed and split again and again, are not looked at.
constexpr std::size_t kMostWarpNodes = 2'000;

bool is_too_long(const Access& access) {
  std::vector<Expr> all = access.guard;
  all.push_back(access.address);
  return reachable(all, true).size() > kMostWarpNodes;
}

}  // namespace

BlockShape block_shape(const Schedule& schedule, const TensorAnalysis& a) {
  BlockShape shape = {1, 1, 1};
  for (DomainId d : a.loops) {
    const ParallelType p = schedule.parallel(a.tensor, d);
    if (!is_thread(p)) continue;
    shape[std::size_t(axis(p))] = number(a.ranges->simplify(schedule.graph()[d].extent));
  }
  return shape;
}

BlockShape common_block(const BlockShape& a, const BlockShape& b) {
  BlockShape shape;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (a[i] && b[i]) shape[i] = std::max(*a[i], *b[i]);
  }
  return shape;
}

bool WarpAccess::is_thread(Expr symbol) const {
  return std::any_of(threads.begin(), threads.end(),
                     [&](const ThreadLoop& t) { return same(t.variable, symbol); });
}

std::variant<WarpAccess, NoWarpAccess> warp_access(const Schedule& schedule,
                                                   const TensorAnalysis& a, const Access& of,
                                                   const BlockShape& block) {
  WarpAccess access;
  if (!of.loaded.empty()) return NoWarpAccess{"memory says which elements are read"};
  std::int64_t threads = 1;
  for (std::size_t i = 0; i < block.size(); ++i) {
    if (!block[i]) return NoWarpAccess{"the number of threads is not known"};
    const auto more = checked_mul(threads, *block[i]);
    if (!more || *more > kMostThreads) {
      return NoWarpAccess{"a block has at most " + std::to_string(kMostThreads) + " threads"};
    }
    threads = *more;
    access.block[i] = *block[i];
  }
  // What the fusion lays out has the type that the user gave it.
  access.element_bytes =
      size_of(of.storage.base.valid() ? said_type(schedule.fusion()[of.tensor]) : of.storage.type);
  for (std::size_t i = 0; i < a.loops.size(); ++i) {
    const ParallelType p = schedule.parallel(a.tensor, a.loops[i]);
    const Expr extent = a.ranges->simplify(schedule.graph()[a.loops[i]].extent);
    if (p == ParallelType::Vectorize) {
      access.first_lane.emplace_back(a.variables[i], of.address.pool().constant(0));
      continue;
    }
    access.loops.push_back(a.variables[i]);
    if (is_thread(p)) {
      SELVAGE_CHECK(extent.is(Op::Const));  // as its block is known
      access.threads.push_back({a.variables[i], axis(p), extent.value()});
    } else {
      access.others.push_back({a.variables[i], extent, number(extent)});
    }
  }
  if (is_too_long(of)) return NoWarpAccess{"its address or its guard is too long"};
  if (a.vector && of.tensor != a.tensor) return NoWarpAccess{"a vector reads it"};
  if (a.vector) {
    if (!a.vector->finding.is_legal()) return NoWarpAccess{a.vector->finding.reason};
    access.bytes = a.vector->bytes;
    access.address = written_out(a.vector->start);
    access.guards.push_back(written_out(a.vector->full.condition));
    return access;
  }
  access.bytes = access.element_bytes;
  access.address = written_out(of.address);
  for (Expr condition : of.guard) access.guards.push_back(written_out(condition));
  if (of.condition.valid()) access.guards.push_back(written_out(of.condition));
  return access;
}

static std::vector<Expr> variables_of(const WarpAccess& access) {
  std::vector<Expr> variables;
  for (const WarpAccess::ThreadLoop& t : access.threads) variables.push_back(t.variable);
  for (const WarpAccess::Loop& l : access.others) variables.push_back(l.variable);
  return variables;
}

BlockWalk::BlockWalk(const WarpAccess& access, std::span<const Expr> roots,
                     std::vector<Range> ranges, bool guarded)
    : access_(access),
      ranges_(std::move(ranges)),
      inputs_(variables_of(access)),
      at_(inputs_.size(), 0),
      guards_(guarded ? access.guards.size() : 0),
      tests_(std::span(access.guards).first(guards_), inputs_),
      values_(roots, inputs_) {
  for (const Range& r : ranges_) {
    const auto it =
        std::find_if(inputs_.begin(), inputs_.end(), [&](Expr e) { return same(e, r.variable); });
    SELVAGE_CHECK(it != inputs_.end());
    positions_.push_back(std::size_t(it - inputs_.begin()));
  }
}

bool BlockWalk::advance() {
  for (std::size_t i = ranges_.size(); i-- > 0;) {
    std::int64_t& value = at_[positions_[i]];
    if (++value < ranges_[i].extent) return true;
    value = 0;
  }
  return false;
}

BlockWalk::Thread BlockWalk::at(std::int64_t thread) {
  const std::int64_t xyz[] = {thread % access_.block[0],
                              thread / access_.block[0] % access_.block[1],
                              thread / (access_.block[0] * access_.block[1])};
  std::array<bool, 3> used = {};
  for (std::size_t i = 0; i < access_.threads.size(); ++i) {
    const WarpAccess::ThreadLoop& t = access_.threads[i];
    used[std::size_t(t.axis)] = true;
    at_[i] = xyz[t.axis];
    if (at_[i] >= t.extent) return Thread::Idle;
  }
  // Along an axis that the access does not use, thread 0 alone makes it.
  for (std::size_t axis = 0; axis < used.size(); ++axis) {
    if (!used[axis] && xyz[axis] != 0) return Thread::Idle;
  }
  if (guards_ > 0) {
    if (!tests_.evaluate(at_)) return Thread::Undefined;
    for (std::size_t i = 0; i < guards_; ++i) {
      if (tests_.root(i) == 0) return Thread::Idle;
    }
  }
  return values_.evaluate(at_) ? Thread::Active : Thread::Undefined;
}

Point BlockWalk::point() const { return in_order(access_.loops, point_at(inputs_, at_)); }

}  // namespace selvage
