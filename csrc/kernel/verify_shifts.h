#pragma once

#include <selvage/kernel/verify_access.h>

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace selvage {

// What a kernel does in its long loops, those whose end depends on a size n, is the same again some
// iterations on. For all n >= `least`, and for iterations k of a long loop with end e(n), of what
// decides where threads of a block go, and what they do there to one another (conditions, extents,
// addresses outside of global memory, phases):
//
//   e(n + step) = e(n) + turns
//   as long as k + edge < e(n), it does not depend on n; nor does it outside of these loops
//   from k = edge on, it is for k + turns and n + step what it is for k and n, but for phases that
//   waits are for, which are greater by `phases`
//
// A thread runs one of the long loops at most.
struct Shifts {
  Expr size;
  std::int64_t least = 0, step = 0, turns = 0, edge = 0;
  std::vector<PlaceId> loops;
  std::map<PlaceId, std::int64_t> phases;  // by wait for an object
};

// nullopt: not proved.
std::optional<Shifts> shifts_of(const AccessMap& map);

// The value of an expression in which no other symbol occurs.
std::optional<std::int64_t> value_at(Expr e, Expr symbol, std::int64_t value);

}  // namespace selvage
