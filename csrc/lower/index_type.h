#pragma once

#include <selvage/kernel/kernel.h>
#include <selvage/simplifier/simplifier.h>

#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace selvage {

// Which integers a kernel's index arithmetic needs.
struct IndexWidth {
  bool fits_32 = false;     // every intermediate is proved to fit 32 bits
  bool never_fits = false;  // some intermediate is known not to, whatever the sizes
  // Over sizes, to be evaluated with checked arithmetic: where it holds (and evaluates), every
  // intermediate fits.
  Expr condition_32, condition_64;
};

// What all kernels of a program ask of its sizes, which is remembered.
class KnownSizes {
 public:
  KnownSizes(std::vector<Expr> symbols, const Facts& facts);

  const std::vector<Expr>& symbols() const { return symbols_; }
  Simplifier& ranges() { return ranges_; }
  // Is b <= a proved, of expressions over sizes?
  bool covers(Expr a, Expr b);

 private:
  std::optional<std::int64_t> sample(Expr e);

  std::vector<Expr> symbols_;
  Simplifier ranges_;
  std::vector<std::int64_t> sizes_;  // that are all different: what is smaller there covers nothing
  std::unordered_map<std::uint32_t, std::optional<std::int64_t>> samples_;  // nothing: no value
  std::map<std::pair<std::uint32_t, std::uint32_t>, bool> covers_;          // by ids
};

struct IndexWidthRequest {
  std::span<const Expr> values;                        // of every intermediate that is computed
  std::span<const Expr> elements;                      // of every buffer
  std::span<const std::pair<Expr, Expr>> definitions;  // variables and their values
  Simplifier& ranges;  // loops and sizes, without guards: a value may be computed before its guard
  KnownSizes& sizes;   // every other symbol is a loop variable or is defined
};
IndexWidth index_width(const IndexWidthRequest& request);

}  // namespace selvage
