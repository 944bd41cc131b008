#pragma once

#include <selvage/ir/scalar.h>
#include <selvage/kernel/verify_access.h>

#include <cstdint>

namespace selvage {

// The effect of an access on an element of memory, as far as it matters for races.
enum class Effect : std::uint8_t {
  Read,
  Write,
  Repeat,     // a write, where duplicates are allowed, of the value that is there already
  Duplicate,  // a write, where duplicates are allowed, of what every other Duplicate writes
  Add,        // atomic
  Min,
  Max,
  Signal,  // an event that belongs to a barrier object
};
inline constexpr std::size_t kEffects = 8;
// The effect of atomic stores of a function.
Effect atomic_effect(Function f);
Effect effect_of(const AccessMap& map, const KernelAccess& a);
// Whether two unordered accesses race: all but two of the same effect, other than Write.
bool conflict(Effect a, Effect b);

}  // namespace selvage
