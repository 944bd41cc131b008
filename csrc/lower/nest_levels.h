#pragma once

#include <selvage/legality/analysis.h>
#include <selvage/lower/draft.h>

#include <optional>
#include <unordered_map>
#include <vector>

namespace selvage {

// What stands directly inside the k outermost loops of a nest.
struct NestLevel {
  std::optional<Loop> loop;  // opened around this level; none at the outermost
  std::vector<Expr> masks;   // tested right inside the loop
  std::vector<Define> defines;
  std::vector<Expr> guards;
};

// The levels of a nest, and at which of them an expression is known: where all is that it depends
// on. `open`: so many outermost loops stand around the nest, and no expression is known outside.
class NestLevels {
 public:
  NestLevels(const TensorAnalysis& analysis, std::size_t open, KernelDraft& draft)
      : analysis_(analysis), open_(open), draft_(draft), levels_(analysis.loops.size() + 1) {}

  std::size_t size() const { return levels_.size(); }
  NestLevel& operator[](std::size_t k) { return levels_[k]; }
  const NestLevel& operator[](std::size_t k) const { return levels_[k]; }

  // The loop around level k.
  void open(std::size_t k, Loop loop);
  // A number that is known from level k on.
  void define(std::size_t k, Define define);

  // The level of the innermost loop that the expression depends on; at least that of open loops.
  std::size_t of(Expr e) const;
  // The expression with every Let replaced by a variable, defined at the level of the Let's value.
  Expr named(Expr e);
  // All guards of this level and inside; invalid: none.
  Expr conjunction_from(std::size_t level) const;
  // The body with what stands at level k in front of it. `is_guarded`: under its guards, too.
  Body wrapped(std::size_t k, bool is_guarded, Body body) const;

 private:
  void name(Expr let);
  Expr replaced(Expr e) const;

  const TensorAnalysis& analysis_;
  std::size_t open_;
  KernelDraft& draft_;
  std::vector<NestLevel> levels_;
  std::unordered_map<std::uint32_t, std::size_t> level_of_;  // by variable
  std::unordered_map<std::uint32_t, Expr> names_;            // by Let
};

}  // namespace selvage
