// Steps of the oracle, by name: apply(g, split(x, 4)).
#pragma once

#include "tests/oracle/graph.h"

namespace selvage::oracle {

inline Step step(Step::Kind kind, std::vector<int> in) {
  Step s;
  s.kind = kind;
  s.in = std::move(in);
  return s;
}
inline Step split(int x, std::int64_t factor, Step::Kind kind = Step::Split) {
  Step s = step(kind, {x});
  s.factor = factor;
  return s;
}
inline Step merge(int outer, int inner) { return step(Step::Merge, {outer, inner}); }
inline Step resize(int x, std::int64_t left, std::int64_t right) {
  Step s = step(Step::Resize, {x});
  s.left = left;
  s.right = right;
  return s;
}
inline Step skew(int x, int along, std::int64_t by, std::int64_t modulo) {
  Step s = step(Step::Skew, {x});
  s.factor = modulo;
  s.along = along;
  s.by = by;
  return s;
}
inline Step swizzle(Step::Kind kind, int x, int y) { return step(kind, {x, y}); }

}  // namespace selvage::oracle
