#include <selvage/kernel/register_log.h>
#include <selvage/kernel/run_state.h>

namespace selvage {

std::optional<Moment> RegisterLog::access(std::size_t element, bool is_write,
                                          const BarrierClock& clock) {
  Element& e = elements_[element];
  std::optional<Moment> open;
  const auto look_at = [&](const Moment& earlier) {
    if (!earlier.is_none() && !clock.has_ended(earlier)) open = earlier;
  };
  look_at(e.written);
  if (is_write) look_at(e.read);
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
