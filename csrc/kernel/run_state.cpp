#include <selvage/kernel/block_events.h>
#include <selvage/kernel/run_state.h>

#include <algorithm>

namespace selvage {

void RunState::ticks(const std::vector<Tick>& of_all) {
  for (std::size_t agent = 0; agent < of_all.size(); ++agent) {
    tick(std::int64_t(agent), of_all[agent]);
  }
}

// The clock of a thread's fences says when the thread was there: it is compared with its ticks.
// That of its copies before a fence is compared with those of its queue.
std::int64_t RunState::clock_of(std::int64_t agent) const {
  const std::int64_t first = BlockEvents::agent_of_fences(threads_, 0);
  const bool is_of_fences = agent >= first && agent < first + threads_;
  if (is_of_fences) return agent - first;
  const std::int64_t fenced = first_behind_objects() + BlockEvents::warps(threads_);
  return agent >= fenced ? BlockEvents::agent_of_queue(threads_, agent - fenced) : agent;
}
std::int64_t RunState::first_behind_objects() const {
  return BlockEvents::agent_of_object(threads_, ended_.size());
}

std::vector<std::int64_t> RunState::normal_form() const {
  const std::int64_t objects = BlockEvents::agent_of_object(threads_, 0);
  // Phases before the last two are asked for in no run without faults; what is left of them is
  // their order.
  const auto oldest_of = [&](std::int64_t clock) {
    const bool is_object = clock >= objects && clock < first_behind_objects();
    return is_object ? ended_[std::size_t(clock - objects)] - 2 : INT64_MAX;
  };
  std::vector<std::vector<std::int64_t>> values(
      std::size_t(first_behind_objects() + BlockEvents::warps(threads_)));
  for (const Entry& e : entries_) {
    if (e.agent == kNumber) continue;
    const std::int64_t clock = clock_of(e.agent);
    if (e.value < oldest_of(clock)) values[std::size_t(clock)].push_back(e.value);
  }
  for (auto& all : values) {
    std::ranges::sort(all);
    all.erase(std::ranges::unique(all).begin(), all.end());
  }
  std::vector<std::int64_t> form;
  form.reserve(entries_.size());
  for (const Entry& e : entries_) {
    if (e.agent == kNumber) {
      form.push_back(e.value);
      continue;
    }
    const std::int64_t clock = clock_of(e.agent), oldest = oldest_of(clock);
    const auto& all = values[std::size_t(clock)];
    // From the greatest down, so that those of an object go on from the phases that are counted.
    form.push_back(e.value < oldest ? std::ranges::lower_bound(all, e.value) - all.end() - 2
                                    : e.value - oldest - 2);
  }
  return form;
}

}  // namespace selvage
