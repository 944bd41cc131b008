#pragma once

#include <selvage/kernel/kernel.h>
#include <selvage/simplifier/simplifier.h>

#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

namespace selvage {

// Where a walk over a kernel's body stands: the variables that are defined there, each with the
// statement that defines it, and what holds there: the kernel's facts and the guards around.
class Scope {
 public:
  explicit Scope(const Kernel& kernel);

  // The body of a loop, what follows a definition, the body of a guard.
  void enter(const Statement& statement, Expr variable);
  void enter_guard(const Statement& statement, Expr condition);
  void leave();

  // The points passed on the way here, the start of the kernel (nullptr) first.
  struct Point {
    const Statement* at = nullptr;
    Expr variable;                     // which the statement defines, if any
    const Statement* guard = nullptr;  // the innermost guard there
  };
  const std::vector<Point>& points() const { return points_; }
  // The first point at which all variables of an expression are defined.
  std::size_t level(Expr e);

  // How a division is written so that it is Euclid's.
  enum class Division {
    Machine,  // dividend >= 0 and divisor > 0 are proved
    Floor,    // divisor > 0 is proved
    Euclid,
  };
  Division division(Expr e, std::size_t point);
  // Every division in e is the machine's at that point?
  bool is_plain(Expr e, std::size_t point);

 private:
  struct Known {
    std::unique_ptr<Simplifier> simplifier;
    std::unordered_map<std::uint32_t, Division> divisions;
    std::unordered_map<std::uint32_t, bool> plain;
  };
  Known& known(const Statement* guard);
  bool is_plain(Expr e, Known& known);
  static Division division(Expr e, Known& known);

  const Kernel* kernel_;
  std::vector<Point> points_;
  std::unordered_map<std::uint32_t, std::size_t> defined_;  // symbols, by id
  std::unordered_map<std::uint32_t, std::size_t> levels_;
  std::vector<std::vector<std::uint32_t>> at_level_;  // what levels_ has there
  struct Outer {
    const Statement* guard;
    Expr condition;
  };
  std::map<const Statement*, Outer> guards_;
  std::map<const Statement*, Known> known_;  // by innermost guard
};

}  // namespace selvage
