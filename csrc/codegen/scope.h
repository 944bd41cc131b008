#pragma once

#include <selvage/kernel/forms.h>
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
  Scope(const Kernel& kernel, const Forms& forms) : kernel_(&kernel), forms_(&forms) {}

  // The body of a loop, what follows a definition, the body of a guard, what it does otherwise.
  void enter(const Statement& statement, Expr variable);
  void enter_guard(const Statement& statement, Expr condition);
  void enter_otherwise(const Guard& guard);
  void leave();

  // The points passed on the way here, the start of the kernel (nullptr) first.
  // They are told apart by a Statement or, for what a guard does otherwise, by that Body.
  using Place = const void*;
  struct Point {
    Place at = nullptr;
    Expr variable;          // which the statement defines, if any
    Place guard = nullptr;  // the innermost guard there
    int loops = 0;          // that iterate around it
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
  Division division(Expr form, std::size_t point);
  // What its divisions take at that point more than the machine's: less and less, guard by guard.
  std::uint32_t slowness(Expr form, std::size_t point);

 private:
  void enter_where(Place place, Expr condition);
  struct Known {
    std::unique_ptr<Simplifier> simplifier;  // made when it is asked
    std::unordered_map<std::uint32_t, Division> divisions;
    std::unordered_map<std::uint32_t, std::uint32_t> slowness;
  };
  Simplifier& simplifier(Place guard);
  std::uint32_t slowness_under(Place guard, Expr form);
  Division division_under(Place guard, Expr form);
  Division prove_division(Place guard, Expr form);

  const Kernel* kernel_;
  const Forms* forms_;
  std::vector<Point> points_ = std::vector<Point>(1);
  std::unordered_map<std::uint32_t, std::size_t> defined_;  // symbols, by id
  std::unordered_map<std::uint32_t, std::size_t> levels_;
  // What levels_ has at each.
  std::vector<std::vector<std::uint32_t>> at_level_ = std::vector<std::vector<std::uint32_t>>(1);
  struct Outer {
    Place guard;
    Expr condition;
  };
  std::map<Place, Outer> guards_;
  std::map<Place, Known> known_;  // by innermost guard
};

}  // namespace selvage
