#pragma once

#include <selvage/index/hole_system.h>
#include <selvage/index/predicate.h>

#include <vector>

namespace selvage {

// Bounds with symbolic ends: what Bounds is for known extents. Every end is an expression over
// sizes alone; two that the facts cannot compare are both kept.
class SymbolicBounds {
 public:
  // Starts with the loop variables within their extents, propagated. `budget`: how many ends this
  // and all its copies may put to the prover; after that nothing narrows any more.
  SymbolicBounds(const PredicateRequest& request, std::uint64_t& budget);

  // Each narrows, without propagating.
  void assume(std::size_t variable, Half half);
  void deny(std::size_t variable, Half half);
  // Narrows until nothing more follows or the rounds are used up. False: no loop point is left.
  bool propagate();

  bool implies(std::size_t variable, Half half);

 private:
  using Ends = std::vector<Expr>;  // each one holds; at most kEnds of them
  struct Range {
    Ends lo, hi;
  };
  void set_lo(std::size_t variable, Expr e);
  void set_hi(std::size_t variable, Expr e);
  void insert(Ends& ends, Expr e, bool is_lo);
  void apply(std::size_t relation);
  void apply_digits(const HoleSystem::Relation& relation, Expr n);
  void copy(std::size_t from, std::size_t to, Expr shift);
  bool contradicts(std::size_t variable);

  const PredicateRequest* request_;
  std::uint64_t* budget_;
  HoleSystem structure_;       // kinds and variables of the relations; its numbers mean nothing
  std::vector<Expr> sides_;    // by relation: n
  std::vector<Expr> extents_;  // by variable
  std::vector<Range> ranges_;
  bool changed_ = false;
};

}  // namespace selvage
