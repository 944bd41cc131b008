#include "examples.h"

namespace selvage {

// y[b, h] = exp(x[b, h] - max of the row) / their sum. A block takes a row, a thread eight items of
// it in one vector; the block folds the maximum, then the sum, by shuffles and shared memory.
// Kept: x is read once and exp computed once, both stay in the registers of the thread that needs
// them. Else each of the three passes reads the row, in vectors as well.
Example softmax(Row row) {
  auto f = std::make_shared<Fusion>();
  const Expr B = f->extent("B", 0), H = f->extent("H");
  const Tensor x = f->input("x", {B, H}, DataType::Half);
  const Tensor top = max(x, {1}, keepdim);
  const Tensor e = exp(x - top);
  const Tensor total = sum(e, {1}, keepdim);
  const Tensor y = f->output("y", e / total, DataType::Half);

  Schedule s(*f);
  const auto [b, h] = s.loops<2>(y);
  const auto [vector, lane] = s.split(h, 8);
  s.bind(b, ParallelType::BIDx).bind(vector, ParallelType::TIDx);
  s.bind(lane, ParallelType::Vectorize);
  if (row == Row::Kept) {
    s.materialize(e);
    for (const TensorId t : {s.cache(x, "x_row", Memory::Local), e.id()}) {
      s.like(t, y).compute_at(t, b).keep_in(t, Memory::Local);
    }
  } else {
    for (const Tensor fold : {top, total}) {
      s.like(fold, y).compute_at(fold, b);
      s.bind(s.loops(fold).back(), ParallelType::Vectorize);
    }
  }
  return {row == Row::Kept ? "softmax" : "softmax_long", f, s, {"B", "H"}};
}

}  // namespace selvage
