#pragma once

#include <selvage/expr/tape.h>
#include <selvage/simplifier/facts.h>
#include <selvage/simplifier/point.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace selvage {

// The current values of symbols while points are enumerated.
class Slots {
 public:
  std::size_t operator()(Expr symbol);
  bool has(Expr symbol) const { return slots_.count(symbol.id()) > 0; }
  bool has_all(Expr e) const;  // every symbol in it
  std::int64_t& operator[](std::size_t slot) { return values_[slot]; }
  std::int64_t value(Expr symbol) const { return values_[slots_.at(symbol.id())]; }

 private:
  std::unordered_map<std::uint32_t, std::size_t> slots_;
  std::vector<std::int64_t> values_;
};

// Evaluates expressions at the values of the slots.
class SlotTape {
 public:
  SlotTape(std::span<const Expr> roots, Slots& slots);
  bool evaluate(Slots& slots, std::int64_t& work);  // false: some expression is undefined
  std::int64_t root(std::size_t i) const { return tape_.root(i); }
  std::int64_t cost() const { return cost_; }  // operations of an evaluation

 private:
  std::vector<std::size_t> from_;
  std::vector<std::int64_t> inputs_;
  Tape tape_;
  std::int64_t cost_;
};

// begin <= symbol < end; begin and end are over symbols of the axes before.
struct PointAxis {
  Expr symbol, begin, end;
  bool only_first = false;  // one value is enough
};

// Enumerates all points of some axes, outer to inner, at which the conditions hold. Points are
// collected, and what is asked of each evaluated at many of them together.
class PointWalk {
 public:
  // Conditions and results are over the axes and the symbols that the slots have already.
  PointWalk(std::span<const PointAxis> axes, std::span<const Expr> conditions,
            std::span<const Expr> results, Slots& slots);

  enum class End : std::uint8_t { Done, Stopped, Undefined, OutOfWork };
  using Visit = std::function<bool()>;
  // Calls `visit` at each point, which stands in the slots, until it returns false. `work`: the
  // operations left for evaluations; reduced by those taken.
  End run(std::int64_t& work, const Visit& visit);
  std::int64_t result(std::size_t i) const {
    return lane_ ? lanes_->root(at_points_.count + i, *lane_) : results_.root(i);
  }

 private:
  static constexpr std::size_t kFewPoints = 8;  // which are evaluated one by one

  struct Conditions {
    std::optional<SlotTape> tape;
    std::size_t count = 0;
  };
  struct Level {
    Expr symbol;
    std::size_t slot = 0;
    SlotTape range;
    Conditions conditions;
    bool only_first = false;
  };
  static Conditions conditions_of(std::span<const Expr> all, Slots& slots);
  bool hold(Conditions& conditions, std::int64_t& work, bool& is_defined);
  End run(std::size_t level, std::int64_t& work, const Visit& visit);
  End collect(std::int64_t& work, const Visit& visit);
  End visit_collected(std::int64_t& work, const Visit& visit);
  End visit_point(std::int64_t& work, const Visit& visit);
  bool evaluate_lanes(std::size_t points, std::int64_t& work);
  bool holds_in_lane() const;
  void go_to(std::size_t point);

  Slots& slots_;
  Conditions before_;  // over no axis
  std::vector<Level> levels_;
  Conditions at_points_;  // over the last axis, too
  SlotTape results_;
  std::vector<std::int64_t> points_;  // collected: a value for each level
  // The conditions at points, then the results; over the axes, then over other symbols.
  std::vector<Expr> roots_, others_;
  std::optional<LaneTape> lanes_;    // made when there are several points
  std::optional<std::size_t> lane_;  // in which a point is visited
};

// The least n such that replacing symbol by symbol + n changes no value of the expressions, for a
// symbol that occurs only in remainders: 6 for x in x % 2 + (4*x + y) % 24. nullopt: the symbol
// occurs elsewhere, or n is large.
std::optional<std::int64_t> period_of(Expr symbol, std::span<const Expr> expressions);

// At most `most` different assignments to the symbols that the facts allow, small and middling
// values in turn. Without symbols: one empty assignment. Empty: none was found.
std::vector<Point> sample_points(const Facts& facts, std::span<const Expr> symbols,
                                 std::size_t most);

// All assignments to the symbols that the facts allow; nullopt if these are more than `most`, or
// the facts relate the symbols to others. Without symbols: one empty assignment.
std::optional<std::vector<Point>> all_points(const Facts& facts, std::span<const Expr> symbols,
                                             std::size_t most);

}  // namespace selvage
