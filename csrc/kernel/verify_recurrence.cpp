#include <selvage/kernel/block_run.h>
#include <selvage/kernel/run_state.h>
#include <selvage/kernel/verify_parts.h>
#include <selvage/kernel/verify_recurrence.h>
#include <selvage/kernel/verify_shifts.h>

#include <algorithm>
#include <map>

namespace selvage {

namespace {

constexpr std::int64_t kMostSteps = 16;  // of n, in which the same state must have come again

// Looks for the same state again in the part of runs that does not depend on the size. That part
// is the same in all of them, so what one run has seen need not be looked at in the next.
class Recurrence : public ReplayWatch {
 public:
  Recurrence(const AccessMap& map, const Shifts& shifts, std::int64_t threads)
      : map_(map), shifts_(shifts), has_been_in_loop_(std::size_t(threads)) {
    std::int64_t begin = 0;
    for (const Buffer& b : map.kernel().buffers) {
      first_object_.push_back(begin);
      if (b.arrivals) begin += b.elements.value();
    }
    first_object_.push_back(begin);
    for (const StatementPlace& p : map.places()) {
      const auto* wait = std::get_if<Wait>(&p.statement->node);
      if (wait != nullptr && !wait->object) groups_ = std::max(groups_, wait->pending + 1);
    }
  }

  // The next run is for this value.
  void start(std::int64_t n) {
    is_looking_ = n >= shifts_.least && step_ == 0;
    std::ranges::fill(has_been_in_loop_, false);
    ends_.clear();
    for (PlaceId loop : shifts_.loops) {
      ends_[loop] = *value_at(map_.places()[loop].extent, shifts_.size, n);
    }
  }
  // What n is greater by where the run goes the same way once more; 0: not found.
  std::int64_t step() const { return step_; }

  const std::vector<PlaceId>& loops() const override { return shifts_.loops; }
  void turn(std::uint32_t thread, PlaceId loop) override {
    if (ends_.contains(loop)) has_been_in_loop_[thread] = true;
  }

  void round(const BlockRun& run, const std::function<void(RunState&)>& describe,
             std::int64_t& work) override {
    if (!is_looking_) return;
    work -= std::int64_t(has_been_in_loop_.size());
    const auto at = steady_iteration(run);
    if (!at || (!seen_.empty() && *at <= seen_.rbegin()->first)) return;
    RunState state(std::int64_t(has_been_in_loop_.size()), groups_);
    run.describe(state, shifts_.loops, *at);
    describe(state);
    work -= 8 * std::int64_t(state.size());
    Seen now{state.phases_ended(), state.normal_form()};
    // The state may have a period of its own.
    for (std::int64_t times = 1; times <= kMostTimes && step_ == 0; ++times) {
      const auto before = seen_.find(*at - times * shifts_.turns);
      if (before == seen_.end() || before->second.form != now.form) continue;
      if (phases_shift(before->second.ended, now.ended, times)) step_ = times * shifts_.step;
    }
    is_looking_ = step_ == 0;
    seen_.emplace(*at, std::move(now));
    while (seen_.size() * state.size() > kMostKept) seen_.erase(seen_.begin());
  }

 private:
  static constexpr std::int64_t kMostTimes = 4;
  static constexpr std::size_t kMostKept = 1 << 23;  // numbers
  struct Seen {
    std::vector<std::int64_t> ended, form;
  };

  // The iteration of the first thread in a long loop, if all that are in one have done those at its
  // begin and not come to those at its end, and no other ever comes to one.
  std::optional<std::int64_t> steady_iteration(const BlockRun& run) const {
    std::optional<std::int64_t> first;
    for (std::uint32_t t = 0; t < has_been_in_loop_.size(); ++t) {
      const auto turn = run.turn_of(t, shifts_.loops);
      if (!turn) {
        if (has_been_in_loop_[t] || !is_behind_all(run, t)) return std::nullopt;
        continue;
      }
      const std::int64_t begin = map_.places()[turn->loop].begin.value();
      if (turn->iteration < begin + shifts_.edge ||
          turn->iteration + shifts_.edge >= ends_.at(turn->loop)) {
        return std::nullopt;
      }
      if (!first) first = turn->iteration;
    }
    return first;
  }
  bool is_behind_all(const BlockRun& run, std::uint32_t t) const {
    if (run.has_ended(t)) return true;
    const auto at = run.waits_at(t);
    return at && *at > shifts_.loops.back();
  }

  bool phases_shift(const std::vector<std::int64_t>& before, const std::vector<std::int64_t>& now,
                    std::int64_t times) const {
    return std::ranges::all_of(shifts_.phases, [&](const auto& shift) {
      const auto& wait = std::get<Wait>(map_.places()[shift.first].statement->node);
      const BufferId b = wait.object->buffer;
      for (auto o = std::size_t(first_object_[b]); o < std::size_t(first_object_[b + 1]); ++o) {
        const std::int64_t more = now[o] - before[o] - times * shift.second;
        if (wait.by_parity ? more % 2 != 0 : more != 0) return false;
      }
      return true;
    });
  }

  const AccessMap& map_;
  const Shifts& shifts_;
  std::vector<std::int64_t> first_object_;  // by buffer
  std::int64_t groups_ = 0;
  std::map<PlaceId, std::int64_t> ends_;  // of long loops in this run
  std::vector<char> has_been_in_loop_;    // by thread
  std::map<std::int64_t, Seen> seen_;     // by steady_iteration
  bool is_looking_ = false;
  std::int64_t step_ = 0;
};

}  // namespace

std::optional<RecurringRuns> recurring_runs(const AccessMap& map, std::int64_t work) {
  const auto shifts = shifts_of(map);
  if (!shifts) return std::nullopt;
  const Facts::Symbol& size = *map.size_facts().find(shifts->size);
  const auto block = *map.block_extents();
  Recurrence recurrence(map, *shifts, block[0] * block[1] * block[2]);
  const std::int64_t most = shifts->least + kMostSteps * shifts->step;
  std::int64_t end = size.range.has_hi() ? size.range.hi + 1 : INT64_MAX;
  for (std::int64_t n = size.range.lo; n < end; ++n) {
    if (!size.congruence.contains(n)) continue;
    if (n > most) return std::nullopt;
    Facts facts = map.size_facts();
    facts.bound(shifts->size, map.pool().constant(n), map.pool().constant(n));
    const std::vector<Point> sizes = sample_points(facts, map.sizes(), 1);
    if (sizes.empty()) return std::nullopt;
    const bool was_found = recurrence.step() > 0;
    recurrence.start(n);
    Replay run = replay_first_block(map, sizes[0], work, &recurrence);
    work = run.work_left;
    if (!run.faults.empty()) return RecurringRuns{{std::move(run)}};
    if (!run.is_complete) return std::nullopt;
    if (!was_found && recurrence.step() > 0) end = std::min(end, n + recurrence.step());
  }
  return RecurringRuns{{}, true};
}

}  // namespace selvage
