#include "examples.h"

namespace selvage {

// y = (x - mean) / sqrt(variance + 1e-5) * weight + bias, over rows. A block takes a row, a thread
// eight items of it in one vector. Mean and variance are folds of their own, the variance by
// Welford's method, merged across the block. Kept: x is read once, into registers; else by each
// pass, in vectors as well.
Example layer_norm(Row row) {
  auto f = std::make_shared<Fusion>();
  const Expr B = f->extent("B", 0), H = f->extent("H");
  const Tensor x = f->input("x", {B, H}, DataType::Half);
  const Tensor weight = f->input("weight", {H}, DataType::Half);
  const Tensor bias = f->input("bias", {H}, DataType::Half);
  const Tensor centre = mean(x, {1}, keepdim), spread = variance(x, {1}, keepdim, 0);
  const Tensor normal = (x - centre) * rsqrt(spread + 1e-5f);
  const Tensor y = f->output("y", normal * weight + bias, DataType::Half);

  Schedule s(*f);
  const auto [b, h] = s.loops<2>(y);
  const auto [vector, lane] = s.split(h, 8);
  s.bind(b, ParallelType::BIDx).bind(vector, ParallelType::TIDx);
  s.bind(lane, ParallelType::Vectorize);
  if (row == Row::Kept) {
    const TensorId x_row = s.cache(x, "x_row", Memory::Local);
    s.like(x_row, y).compute_at(x_row, b);
  } else {
    for (const Tensor fold : {centre, spread}) {
      s.like(fold, y).compute_at(fold, b);
      s.bind(s.loops(fold).back(), ParallelType::Vectorize);
    }
  }
  return {row == Row::Kept ? "layer_norm" : "layer_norm_long", f, s, {"B", "H"}};
}

}  // namespace selvage
