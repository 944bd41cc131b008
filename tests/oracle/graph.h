// Graphs of iterdomains for the brute-force oracle: how they are built, what makes them well
// formed, and in which order their steps make coordinates known.
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
//   Skew        a -> b, along r   a = b - (by*r mod factor)  b = a + (by*r mod factor)  |b| = |a| + factor - 1
//   CyclicShift [a, b] -> [c, d]  a = c, b = (d + c) mod |b| c = a, d = (b - a) mod |b| |c| = |a|, |d| = |b|
//   Hilbert     [a, b] -> [c, d]  (a, b) is point c*|b| + d  c*|b| + d is its number   |c| = |a|, |d| = |b|
// clang-format on
//
// Hilbert's curve goes through squares of |b|^2 points one below the other, |b| a power of two that
// divides |a|; the square is that of the row, and what is out of bounds beside it counts by its
// remainder.
// Xor acts on two's complement, so also on coordinates out of bounds; it is legal iff the least
// power of two >= |a| divides |b|.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace selvage::oracle {

struct Step {
  enum Kind { Split, OuterSplit, Merge, Resize, Xor, CyclicShift, Hilbert, Skew };
  Kind kind = Split;
  std::vector<int> in, out;          // iterdomains
  std::int64_t factor = 1;           // Split, OuterSplit; the modulus of a Skew
  std::int64_t left = 0, right = 0;  // Resize
  std::optional<int> along = {};     // Skew: an iterdomain that it reads and leaves
  std::int64_t by = 0;               // Skew

  // What must be known before it is crossed: `side` is in or out.
  std::vector<int> needed(const std::vector<int>& side) const {
    std::vector<int> all = side;
    if (along) all.push_back(*along);
    return all;
  }
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

// Sets of iterdomains, one bit each.
inline constexpr int kMaxIterdomains = 64;
inline std::uint64_t bit(int iterdomain) { return std::uint64_t{1} << iterdomain; }
inline std::uint64_t bits(std::span<const int> iterdomains) {
  std::uint64_t r = 0;
  for (int x : iterdomains) r |= bit(x);
  return r;
}
inline bool contains(std::uint64_t set, std::uint64_t part) { return (set & part) == part; }

bool is_legal_xor(std::int64_t extent_a, std::int64_t extent_b);
bool is_legal_hilbert(std::int64_t extent_a, std::int64_t extent_b);

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

// The order in which steps make coordinates known, starting from the loop domain. Nothing where it
// leaves a step or an iterdomain over, or determines one twice.
struct Turn {
  int step;
  bool forward;  // outputs from inputs
};
std::optional<std::vector<Turn>> plan(const Graph& graph);

// The iterdomains on the path from loop to logical, ends included: those whose bounds make holes.
std::uint64_t path_mask(const Graph& graph);
std::int64_t loop_points(const Graph& graph);

}  // namespace selvage::oracle
