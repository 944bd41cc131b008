// Makes a kernel wrong: one thread too many passes each guard.
#pragma once

#include <selvage/kernel/kernel.h>

namespace selvage::test {

// a < b becomes a <= b, in the guards that are in no other guard.
inline void widen_guards(Body& body) {
  for (Statement& s : body) {
    if (auto* loop = std::get_if<Loop>(&s.node)) widen_guards(loop->body);
    auto* guard = std::get_if<Guard>(&s.node);
    if (guard != nullptr) guard->condition = guard->condition[0] <= guard->condition[1];
  }
}

}  // namespace selvage::test
