#include "examples.h"

namespace selvage {

// y = x / sqrt(mean of x*x + 1e-6) * weight, over rows. A block takes a row, a thread eight items
// of it in one vector; the block folds the mean. Kept: x is read once, and
// the mean follows y's loops without being asked; else it is told to, so as to read in vectors.
Example rms_norm(Row row) {
  auto f = std::make_shared<Fusion>();
  const Expr B = f->extent("B", 0), H = f->extent("H");
  const Tensor x = f->input("x", {B, H}, DataType::Half);
  const Tensor weight = f->input("weight", {H}, DataType::Half);
  const Tensor square = mean(x * x, {1}, keepdim);
  const Tensor y = f->output("y", x * rsqrt(square + 1e-6f) * weight, DataType::Half);

  Schedule s(*f);
  const auto [b, h] = s.loops<2>(y);
  const auto [vector, lane] = s.split(h, 8);
  s.bind(b, ParallelType::BIDx).bind(vector, ParallelType::TIDx);
  s.bind(lane, ParallelType::Vectorize);
  if (row == Row::Kept) {
    const TensorId x_row = s.cache(x, "x_row", Memory::Local);
    s.like(x_row, y).compute_at(x_row, b);
  } else {
    s.like(square, y).compute_at(square, b);
    s.bind(s.loops(square).back(), ParallelType::Vectorize);
  }
  return {row == Row::Kept ? "rms_norm" : "rms_norm_long", f, s, {"B", "H"}};
}

}  // namespace selvage
