#pragma once

#include <selvage/kernel/forms.h>
#include <selvage/simplifier/simplifier.h>

#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

namespace selvage {

// The position of a walk over a kernel's body: the variables that are defined there, each with the
// statement that defines it, and the facts that hold there: the kernel's and those of the guards
// around.
class Scope {
 public:
  Scope(const Kernel& kernel, const Forms& forms) : kernel_(&kernel), forms_(&forms) {}

  // Enters the body of a loop or the statements after a Define; the body of a guard; its
  // `otherwise`. leave() ends the last one entered.
  void enter(const Statement& statement, Expr variable);
  void enter_body(const Statement& statement);  // of a statement without a variable or a condition
  void enter_guard(const Statement& statement, Expr condition);
  void enter_otherwise(const Guard& guard);
  void leave();

  // The points entered on the way here, the start of the kernel (nullptr) first. A Place is the
  // address of a Statement or, for the `otherwise` of a guard, of that Body.
  using Place = const void*;
  struct Point {
    Place at = nullptr;
    Expr variable;          // defined by the statement, if any
    Place guard = nullptr;  // the innermost guard there
    int loops = 0;          // the number of iterating loops around
  };
  const std::vector<Point>& points() const { return points_; }
  // The first point at which all variables of an expression are defined.
  std::size_t level(Expr e);

  // How to write a division so that it is Euclidean. Of a remainder by n > 0, no division at all
  // where it is proved that the dividend is within
  enum class Division {
    Below,    // -n and n - 1
    Above,    // 0 and 2n - 1
    Near,     // -n and 2n - 1
    Machine,  // dividend >= 0 and divisor > 0 are proved
    Floor,    // divisor > 0 is proved
    Euclid,
  };
  Division division(Expr form, std::size_t point);
  // The extra cost of its divisions at a point, compared with machine division. It falls, or stays,
  // with each further guard around.
  std::uint32_t slowness(Expr form, std::size_t point);

 private:
  void enter_where(Place place, Expr condition);
  struct Known {
    std::unique_ptr<Simplifier> simplifier;  // made at its first use
    std::unordered_map<std::uint32_t, Division> divisions;
    std::unordered_map<std::uint32_t, std::uint32_t> slowness;
  };
  Simplifier& simplifier(Place guard);
  std::uint32_t slowness_under(Place guard, Expr form);
  Division division_under(Place guard, Expr form);
  Division prove_division(Place guard, Expr form);
  bool may_be_near(Expr dividend) const;

  const Kernel* kernel_;
  const Forms* forms_;
  std::vector<Point> points_ = std::vector<Point>(1);
  std::unordered_map<std::uint32_t, std::size_t> defined_;  // symbols, by id
  std::unordered_map<std::uint32_t, std::size_t> levels_;
  // The ids in levels_, by level.
  std::vector<std::vector<std::uint32_t>> at_level_ = std::vector<std::vector<std::uint32_t>>(1);
  struct Outer {
    Place guard;
    Expr condition;
  };
  std::map<Place, Outer> guards_;
  std::map<Place, Known> known_;  // by innermost guard
};

}  // namespace selvage
