#include "examples.h"

namespace selvage {

// y = gelu(x + bias). Each thread takes eight items of a row in one access of 16 bytes, a block
// 1,024 of them; rows that do not fill their last vector are stored item by item.
Example bias_gelu() {
  auto f = std::make_shared<Fusion>();
  const Expr B = f->extent("B", 0), H = f->extent("H");
  const Tensor x = f->input("x", {B, H}, DataType::Half);
  const Tensor bias = f->input("bias", {H}, DataType::Half);
  const Tensor y = f->output("y", gelu(x + bias));

  Schedule s(*f);
  const auto [b, h] = s.loops<2>(y);
  const auto [vectors, lane] = s.split(h, 8);
  const auto [block, thread] = s.split(vectors, 128);
  s.bind(b, ParallelType::BIDx).bind(block, ParallelType::BIDy);
  s.bind(thread, ParallelType::TIDx).bind(lane, ParallelType::Vectorize);
  return {"bias_gelu", f, s, {"B", "H"}};
}

}  // namespace selvage
