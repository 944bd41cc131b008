// The brute-force oracle: an independent judge of the engine's indices, predicates and coverage. It
// shares no code with the engine; it visits every loop point, computes every coordinate from the
// definition of its transform (graph.h), and looks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "tests/oracle/graph.h"

namespace selvage::oracle {

// All coordinates at one point, by the definitions alone. Slow; tests compare Walk with it.
std::vector<std::int64_t> coordinates(const Graph& graph,
                                      std::span<const std::int64_t> loop_indices);
std::uint64_t hole_mask(const Graph& graph, std::span<const std::int64_t> coordinates);
bool is_hole(const Graph& graph, std::span<const std::int64_t> coordinates);

// Visits every loop point in lexicographic order. A step recomputes only the coordinates that
// depend on the changed loops.
class Walk {
 public:
  explicit Walk(const Graph& graph);  // at the first point; throws std::invalid_argument unless
                                      // is_well_formed
  bool next();                        // false past the last point
  std::span<const std::int64_t> loop_indices() const { return indices_; }
  std::span<const std::int64_t> coordinates() const { return coordinates_; }  // of all iterdomains
  std::uint64_t hole_mask() const { return outside_ & path_; }

 private:
  // Combine: to0 = from0*n + from1. Divide: to0 = from0 / n, to1 = from0 mod n. Shift: to0 = from0
  // + n. Xor: to0 = from0, to1 = from0 ^ from1. Rotate, RotateBack: to0 = from0, to1 = (from1 +-
  // from0) mod n. Curve, CurveBack: (to0, to1) is point from0*n + from1 of Hilbert's curve, and
  // back. Skew, SkewBack: to0 = from0 +- by*from1 mod n.
  enum class Action {
    Combine,
    Divide,
    Shift,
    Xor,
    Rotate,
    RotateBack,
    Curve,
    CurveBack,
    Skew,
    SkewBack
  };
  struct Move {
    Action action;
    int from0, from1, to0, to1;
    std::int64_t n, by;
  };
  void set(int iterdomain, std::int64_t value);
  void run(const Move& move);

  std::vector<std::int64_t> extents_, indices_, coordinates_;
  std::vector<int> loop_;
  std::vector<std::vector<Move>> moves_;  // [k]: what depends on loop k or on one inside it
  std::uint64_t outside_ = 0, path_ = 0;
};

// callback(loop_indices, coordinates) or callback(loop_indices, coordinates, hole_mask).
template <class Callback>
void for_each_point(const Graph& graph, Callback&& callback) {
  using Values = std::span<const std::int64_t>;
  Walk walk(graph);
  do {
    if constexpr (std::is_invocable_v<Callback&, Values, Values, std::uint64_t>)
      callback(walk.loop_indices(), walk.coordinates(), walk.hole_mask());
    else
      callback(walk.loop_indices(), walk.coordinates());
  } while (walk.next());
}

struct HoleMask {
  std::uint64_t mask = 0;           // the path's iterdomains that are out of bounds
  std::vector<std::int64_t> point;  // the first loop point with this mask
};
std::vector<HoleMask> hole_masks(const Graph& graph);  // distinct, without 0, ascending
std::vector<std::uint64_t> masks_of(std::span<const HoleMask> holes);

// A set of predicates is equivalent to "no hole" iff each mask contains one of them (at a valid
// point all of the path is in bounds).
std::vector<int> minimum_hitting_set(std::span<const std::uint64_t> masks);  // exact
bool is_equivalent(std::span<const std::uint64_t> masks, std::span<const int> chosen);
bool is_irredundant(std::span<const std::uint64_t> masks,
                    std::span<const int> chosen);  // equivalent, and none can be dropped

// How often the valid loop points reach the items of the logical domain.
struct Coverage {
  std::int64_t items = 0, missed = 0, repeated = 0, valid_points = 0;
  std::optional<std::vector<std::int64_t>> first_missed, first_repeated;  // logical coordinates
  bool complete() const { return missed == 0; }
  bool exactly_once() const { return missed == 0 && repeated == 0; }
};
Coverage coverage(const Graph& graph);

}  // namespace selvage::oracle
