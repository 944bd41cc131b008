#include "examples.h"

namespace selvage {

// y[b] = the row a[b] and behind it the row c[b]. A block takes 512 neighbours of a row, a thread
// four of them, 128 apart, so that a warp reads and writes 32 neighbours at a time wherever the
// seam lies. Every item is read from where it is; nothing is read that is not there.
Example concatenate() {
  auto f = std::make_shared<Fusion>();
  const Expr B = f->extent("B", 0), H = f->extent("H"), K = f->extent("K");
  const Tensor a = f->input("a", {B, H}, DataType::Float);
  const Tensor c = f->input("c", {B, K}, DataType::Float);
  const Tensor y = f->output("y", concatenate({a, c}, 1));

  Schedule s(*f);
  const auto [b, h] = s.loops<2>(y);
  const auto [block, item] = s.split(h, 512);
  const auto [step, thread] = s.split(item, 128);
  s.bind(b, ParallelType::BIDx).bind(block, ParallelType::BIDy);
  s.bind(step, ParallelType::Unroll).bind(thread, ParallelType::TIDx);
  return {"concatenate", f, s, {"B", "H", "K"}};
}

}  // namespace selvage
