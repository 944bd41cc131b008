#pragma once

#include <selvage/index/hole_system.h>
#include <selvage/simplifier/simplifier.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace selvage {

// One law of hole propagation: where `when` holds for the extents, the premises give the
// conclusion.
//   over    the transforms it speaks of; direction: how the coordinates are computed, if it matters
//   roles   x = o*n + i, or position x of item i of row o: x, o, i; Groups: position x in group t
//   of item i of row r, the o-th of the group; Resize and Skew: a to b; Swizzle: (x, y) to (u, v);
//   CyclicShift: and Hilbert's curve
//   halves  "lo x": 0 <= index of x; "hi x": index of x < extent of x
//   when    over the extents, by the same names, and the sides L and R of a resize
struct Law {
  std::string_view name;
  enum class Over : std::uint8_t {
    Split,
    Merge,
    Resize,
    Swizzle,
    Xor,
    CyclicShift,
    Skew,
    Rows,
    Groups
  } over;
  std::optional<Direction> direction;
  std::string_view premises;    // "hi x, lo i"; empty: always
  std::string_view conclusion;  // "hi o"
  std::string_view when;        // "true": no condition
};
// Laws A to E, R and G. (F and S speak of two ways to reach the same iterdomains and V of vectors,
// not of holes.)
std::span<const Law> laws();

// One law at one step of a path, its condition met. Bounds are numbered 2*variable + half,
// variables as in path.domains.
using BoundId = std::uint32_t;
inline BoundId bound_id(std::size_t variable, Half half) {
  return BoundId(2 * variable + std::size_t(half));
}
struct Implication {
  const Law* law;
  std::size_t step;
  std::vector<BoundId> premises;
  BoundId conclusion;
};

// Every law at every step of the path whose condition `simplifier` proves.
std::vector<Implication> implications(const DomainGraph& graph, const Path& path,
                                      Simplifier& simplifier);

// Finds all that follows from some bounds by implications alone, in linear time.
class LawClosure {
 public:
  LawClosure(std::span<const Implication> implications, std::size_t variables);

  // Adds bounds that hold, and all that follows from them and those added before.
  void add(std::span<const BoundId> bounds);
  bool holds(BoundId b) const { return holds_[b] != 0; }
  bool holds(std::size_t variable) const {
    return holds(bound_id(variable, Half::Lo)) && holds(bound_id(variable, Half::Hi));
  }
  // The implication that gave a bound; null where it was added.
  const Implication* reason(BoundId b) const { return reasons_[b]; }

 private:
  std::span<const Implication> implications_;
  std::vector<std::vector<std::uint32_t>> watchers_;  // by bound: implications with that premise
  std::vector<std::uint32_t> missing_;                // by implication: premises not yet true
  std::vector<char> holds_;
  std::vector<const Implication*> reasons_;
  std::vector<std::uint32_t> free_;  // implications without premises
};

}  // namespace selvage
