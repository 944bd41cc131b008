#include <selvage/kernel/register_log.h>
#include <selvage/kernel/run_state.h>

namespace selvage {

std::optional<AccessLog::Race> RegisterLog::access(std::size_t element, bool is_write,
                                                   const BarrierClock& clock) {
  Element& e = elements_[element];
  std::optional<AccessLog::Race> open;
  const auto look_at = [&](const Moment& earlier, Effect effect) {
    if (!earlier.is_none() && !clock.has_ended(earlier)) open = {earlier, effect};
  };
  if (is_write) look_at(e.read, Effect::Read);
  look_at(e.written, Effect::Write);
  const Moment now = clock.now();
  if (now.is_copy()) (is_write ? e.written : e.read) = now;
  return open;
}

void RegisterLog::describe(RunState& state) const {
  for (const Element& e : elements_) {
    for (const Moment& m : {e.read, e.written}) {
      state.number(m.agent);
      if (!m.is_none()) state.tick(m.agent, m.block_barriers);
    }
  }
}

}  // namespace selvage
