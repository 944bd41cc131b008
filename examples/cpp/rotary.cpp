#include "examples.h"

namespace selvage {

// Rotary embedding: the pair (x[b, 0, i], x[b, 1, i]) is turned by an angle whose cosine and sine
// are tables over (b, i). A thread takes eight neighbours of both halves, each in one vector, and
// a block 128 of these in 8 rows. Written in index notation, for the other half is x[b, 1 - k, i].
Example rotary() {
  auto f = std::make_shared<Fusion>();
  const Expr B = f->extent("B", 0), H = f->extent("H");
  const Tensor x = f->input("x", {B, f->constant(2), H}, DataType::Half);
  const Tensor cos = f->input("cos", {B, H}, DataType::Half);
  const Tensor sin = f->input("sin", {B, H}, DataType::Half);
  const Expr b = f->fresh_index("b"), k = f->fresh_index("k"), i = f->fresh_index("i");
  const auto other = x(b, 1 - k, i);
  const Tensor y = f->compute("y", {b, k, i}, x.shape(),
                              x(b, k, i) * cos(b, i) + select(eq(k, 0), -other, other) * sin(b, i),
                              DataType::Half);
  f->output("y", y);

  Schedule s(*f);
  const auto [row, half, item] = s.loops<3>(y);
  const auto [block, thread_y] = s.split(row, 8);
  const auto [vector, lane] = s.split(item, 8);
  const auto [block_x, thread_x] = s.split(vector, 16);
  s.reorder({block, block_x, thread_y, thread_x, half, lane});
  s.bind(block, ParallelType::BIDx).bind(block_x, ParallelType::BIDy);
  s.bind(thread_y, ParallelType::TIDy);
  s.bind(thread_x, ParallelType::TIDx).bind(half, ParallelType::Unroll);
  s.bind(lane, ParallelType::Vectorize);
  return {"rotary", f, s, {"B", "H"}};
}

}  // namespace selvage
