// Steps by name: each applies to loops of the graph, as apply() in graph.h does.
#pragma once

#include <utility>

#include "tests/oracle/graph.h"

namespace selvage::oracle {

struct OuterInner {
  int outer, inner;
};
inline OuterInner split_by(Graph& g, int x, std::int64_t factor) {
  const auto out = apply(g, {.kind = Step::Split, .in = {x}, .out = {}, .factor = factor});
  return {out[0], out[1]};
}
inline OuterInner outer_split_by(Graph& g, int x, std::int64_t factor) {
  const auto out = apply(g, {.kind = Step::OuterSplit, .in = {x}, .out = {}, .factor = factor});
  return {out[0], out[1]};
}
inline int merge_of(Graph& g, int outer, int inner) {
  return apply(g, {.kind = Step::Merge, .in = {outer, inner}, .out = {}})[0];
}
inline int resize_of(Graph& g, int x, std::int64_t left, std::int64_t right) {
  return apply(
      g,
      {.kind = Step::Resize, .in = {x}, .out = {}, .factor = 1, .left = left, .right = right})[0];
}
// kind: Xor or CyclicShift.
inline OuterInner swizzle_of(Graph& g, Step::Kind kind, int x, int y) {
  const auto out = apply(g, {.kind = kind, .in = {x, y}, .out = {}});
  return {out[0], out[1]};
}

}  // namespace selvage::oracle
