// Makes a kernel wrong: one thread too many passes each guard.
#pragma once

#include <selvage/kernel/kernel.h>

namespace selvage::test {

// Replaces a < b by a <= b in guards that are not within another guard.
inline void widen_guards(Body& body) {
  for (Statement& s : body) {
    if (auto* loop = std::get_if<Loop>(&s.node)) widen_guards(loop->body);
    auto* guard = std::get_if<Guard>(&s.node);
    if (guard != nullptr) guard->condition = guard->condition[0] <= guard->condition[1];
  }
}

}  // namespace selvage::test
