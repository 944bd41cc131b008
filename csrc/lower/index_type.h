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
  bool never_fits = false;  // some intermediate fits 32 bits at no sizes
  // Conditions over sizes. If one holds, evaluated with checked arithmetic without overflow, every
  // intermediate fits that width.
  Expr condition_32, condition_64;
};

// Answers questions about the sizes of a program, and remembers the answers for all its kernels.
class KnownSizes {
 public:
  KnownSizes(std::vector<Expr> symbols, const Facts& facts);

  const std::vector<Expr>& symbols() const { return symbols_; }
  Simplifier& ranges() { return ranges_; }
  // Whether b <= a is proved; both are expressions over sizes.
  bool covers(Expr a, Expr b);

 private:
  std::optional<std::int64_t> sample(Expr e);

  std::vector<Expr> symbols_;
  Simplifier ranges_;
  std::vector<std::int64_t> sizes_;  // one sample, all different: a < b there refutes covers(a, b)
  std::unordered_map<std::uint32_t, std::optional<std::int64_t>> samples_;  // absent: no value
  std::map<std::pair<std::uint32_t, std::uint32_t>, bool> covers_;          // by ids
};

struct IndexWidthRequest {
  std::span<const Expr> values;                        // all intermediates that are computed
  std::span<const Expr> elements;                      // Buffer::elements of every buffer
  std::span<const std::pair<Expr, Expr>> definitions;  // variables and their values
  Simplifier& ranges;  // loops and sizes, without guards: a value may be computed before its guard
  KnownSizes& sizes;   // every other symbol is a loop variable or is defined
};
IndexWidth index_width(const IndexWidthRequest& request);

}  // namespace selvage
