#pragma once

#include <selvage/ir/scalar.h>
#include <selvage/kernel/verify_access.h>

#include <cstdint>

namespace selvage {

// What an access does to an element of memory, as far as another access of it may mind.
enum class Effect : std::uint8_t {
  Read,
  Write,
  Repeat,     // a write of the value that is there already, by leave
  Duplicate,  // a write, by leave, of what every other Duplicate of the element writes, too
  Add,        // atomic
  Min,
  Max,
  Signal,  // an event that belongs to a barrier object
};
inline constexpr std::size_t kEffects = 8;
// Of atomic stores of that function.
Effect atomic_effect(Function f);
Effect effect_of(const AccessMap& map, const KernelAccess& a);
// Do two accesses make a race where nothing orders them? Two of one effect do not, but for writes.
bool conflict(Effect a, Effect b);

}  // namespace selvage
