#pragma once

#include <selvage/ir/path.h>
#include <selvage/simplifier/propagation.h>

#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace selvage {

enum class Half : std::uint8_t { Lo, Hi };  // 0 <= index, index < extent

// The coordinates along a path as integers and the relations between them, for known extents.
// Variables are the path's iterdomains, numbered by their position in path.domains: loops first.
class HoleSystem {
 public:
  struct Relation {
    enum class Kind : std::uint8_t { Digits, Shift, Xor, CyclicShift, Hilbert, Skew, Rows };
    Kind kind;
    Direction direction;
    // Digits: x = o*n + i as (o, i, x); Shift: b = a + n as (a, b); swizzles: (x, y, u, v);
    // Skew: b = a + by*x mod n as (a, b, x); Rows: position x of item i of row o as (o, i, x), of
    // which nothing is said here, as the offsets are not known
    std::uint32_t v[4];
    std::int64_t n;
    std::int64_t by = 0;
  };

  // `value` gives the number that an extent or a side of a resize stands for.
  HoleSystem(const DomainGraph& graph, const Path& path, std::size_t loops,
             const std::function<std::int64_t(Expr)>& value);

  std::size_t size() const { return extents_.size(); }
  std::size_t loops() const { return loops_; }
  std::int64_t extent(std::size_t variable) const { return extents_[variable]; }
  const std::vector<Relation>& relations() const { return relations_; }

  // All coordinates at one loop point; nothing where one leaves 64 bits, or depends on offsets.
  std::optional<std::vector<std::int64_t>> at(std::span<const std::int64_t> loop_point) const;
  // The relations for propagation, with the loop variables within their extents.
  const Relations& equations() const { return equations_; }
  // No chain of relations connects variables in different components.
  std::uint32_t component(std::size_t variable) const { return component_[variable]; }
  bool in_bounds(std::size_t variable, std::int64_t index) const {
    return 0 <= index && index < extents_[variable];
  }

 private:
  void add_equations(const Relation& r);

  std::size_t loops_;
  std::vector<std::int64_t> extents_;
  std::vector<Relation> relations_;
  std::vector<std::uint32_t> component_;
  Relations equations_;
};

// The interval known of every variable (simplifier/propagation.h).
class Bounds : public IntervalBox {
 public:
  // Starts with the loop variables within their extents, propagated.
  explicit Bounds(const HoleSystem& system);

  // Each narrows and propagates; false: no loop point is left.
  bool assume(std::size_t variable, Half half);
  bool deny(std::size_t variable, Half half);
  // Narrows without propagating; after several of these, call propagate().
  bool set_half(std::size_t variable, Half half);

  bool implies(std::size_t variable, Half half) const;
  bool implies(std::size_t variable) const {
    return implies(variable, Half::Lo) && implies(variable, Half::Hi);
  }

 private:
  const HoleSystem* system_;
};

}  // namespace selvage
