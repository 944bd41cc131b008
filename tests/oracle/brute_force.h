// The brute-force oracle: an independent judge of the engine's indices, predicates and coverage. It
// shares no code with the engine; it visits every loop point, computes every coordinate from the
// definition of its transform, and looks.
//
// All arithmetic is Euclidean and checked. The transforms, |x| being the extent of x:
//
// clang-format off
//   step                          backward                   forward                    extents
//   Split, OuterSplit x -> [o, i] x = o*|i| + i              o = x / |i|, i = x mod |i| Split: |i| = factor, |o| = ceil(|x| / factor)
//                                                                                       OuterSplit: |o| = factor, |i| = ceil(|x| / factor)
//   Merge       [o, i] -> x       o = x / |i|, i = x mod |i| x = o*|i| + i              |x| = |o||i|
//   Resize      a -> b            a = b - left               b = a + left               |b| = |a| + left + right
//   Xor         [a, b] -> [c, d]  a = c, b = c ^ d           c = a, d = a ^ b           |c| = |a|, |d| = |b|
//   CyclicShift [a, b] -> [c, d]  a = c, b = (d + c) mod |b| c = a, d = (b - a) mod |b| |c| = |a|, |d| = |b|
// clang-format on
//
// Xor acts on two's complement, so also on coordinates out of bounds; it is legal iff the least
// power of two >= |a| divides |b|.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace selvage::oracle {

struct Step {
  enum Kind { Split, OuterSplit, Merge, Resize, Xor, CyclicShift };
  Kind kind = Split;
  std::vector<int> in, out;          // iterdomains
  std::int64_t factor = 1;           // Split, OuterSplit
  std::int64_t left = 0, right = 0;  // Resize
};

// An iterdomain is its position in extents and names. Root iterdomains are those that no step
// produces. The first view_steps steps lead from the root to the logical domain (none: the root is
// the logical domain); the others are the schedule's transforms.
struct Graph {
  std::vector<std::int64_t> extents;
  std::vector<std::string> names;
  std::vector<int> logical;
  std::vector<Step> steps;  // a step comes after those that produce its inputs
  std::vector<int> loop;    // outer to inner; every other iterdomain follows from these
  int view_steps = 0;
};

inline constexpr int kMaxIterdomains = 64;  // one bit each in a hole mask

std::int64_t floor_div(std::int64_t x, std::int64_t d);  // Euclidean, d >= 1
std::int64_t floor_mod(std::int64_t x, std::int64_t d);
bool is_legal_xor(std::int64_t extent_a, std::int64_t extent_b);

// Building: iterdomains named I0, I1, ..., logical and loop alike; then steps (out is filled in),
// which take their inputs' place in loop.
Graph make_graph(const std::vector<std::int64_t>& logical_extents);
std::vector<int> apply(Graph& graph, Step step);

std::vector<int> root(const Graph& graph);
// Sets the extents of all produced iterdomains from those of the root. False where a step is
// illegal or an extent overflows.
bool derive_extents(Graph& graph);
// Every iterdomain feeds at most one view step and one transform, extents fit their steps, and loop
// determines every iterdomain once.
bool is_well_formed(const Graph& graph);

// The iterdomains on the path from loop to logical, ends included: those whose bounds make holes.
std::uint64_t path_mask(const Graph& graph);
std::int64_t loop_points(const Graph& graph);
// All coordinates at one point, straight from the definitions. Slow: Walk below is judged by it.
std::vector<std::int64_t> coordinates(const Graph& graph,
                                      std::span<const std::int64_t> loop_indices);
std::uint64_t hole_mask(const Graph& graph, std::span<const std::int64_t> coordinates);
bool is_hole(const Graph& graph, std::span<const std::int64_t> coordinates);

// Every loop point in lexicographic order. A step back is taken only for what the changed loops
// reach.
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
  // from0) mod n.
  enum class Action { Combine, Divide, Shift, Xor, Rotate, RotateBack };
  struct Move {
    Action action;
    int from0, from1, to0, to1;
    std::int64_t n;
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
