#pragma once

#include <selvage/kernel/access_log.h>

#include <cstddef>
#include <optional>
#include <vector>

namespace selvage {

class RunState;

// Accesses of the memory of single threads by matrix multiplications, which end later: the last one
// that reads each element, and the last one that writes it. Those of one thread are made in order,
// so the last ones tell of all.
class RegisterLog {
 public:
  explicit RegisterLog(std::size_t elements = 0) : elements_(elements) {}

  // Notes an access that is made now, by the running thread or by what it begins, and returns one
  // that conflicts with it and may not have ended.
  std::optional<AccessLog::Race> access(std::size_t element, bool is_write,
                                        const BarrierClock& clock);
  void forget() { elements_.assign(elements_.size(), {}); }
  void describe(RunState& state) const;

 private:
  struct Element {
    Moment read, written;
  };
  std::vector<Element> elements_;
};

}  // namespace selvage
