// Values for the symbols of a kernel that its facts allow.
#pragma once

#include <selvage/expr/tape.h>
#include <selvage/kernel/kernel.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/oracle/random_graph.h"

namespace selvage::test {

// Symbols in the order of their declaration, each with a value.
struct SizedPoint {
  std::vector<Expr> symbols;
  std::vector<std::int64_t> values;

  std::optional<std::int64_t> operator()(Expr e) const { return evaluate(e, symbols, values); }
};

// Sizes as given; every other symbol at one of its ends or anywhere between, its bounds being those
// of a loop. Nothing where a loop does not run at all.
inline std::optional<SizedPoint> random_point(std::mt19937_64& rng, const Facts& facts,
                                              const std::map<std::string, std::int64_t>& sizes) {
  SizedPoint point;
  for (const Facts::Symbol& s : facts.symbols()) {
    const auto size = sizes.find(std::string(s.symbol.name()));
    point.symbols.push_back(s.symbol);
    point.values.push_back(0);
    if (size != sizes.end()) {
      point.values.back() = size->second;
      continue;
    }
    const std::int64_t lo = s.lo.valid() ? point(s.lo).value() : 0;
    const std::int64_t hi = s.hi.valid() ? point(s.hi).value() : lo + 99;
    if (hi < lo) return std::nullopt;
    const std::int64_t where = oracle::draw(rng, 0, 3);
    point.values.back() = where == 0 ? lo : where == 1 ? hi : oracle::draw(rng, lo, hi);
  }
  return point;
}

}  // namespace selvage::test
