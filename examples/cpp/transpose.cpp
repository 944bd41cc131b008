#include "examples.h"

namespace selvage {

// y[h, b] = x[b, h] by tiles of 32 x 32 through shared memory: a warp reads a row of x and writes a
// row of y. A tensor kept in shared memory lies as its loops run, so a swizzle of the tile's loops
// is its layout: item (r, c) of the tile lies at r*32 + (c ^ r), and both its rows and its columns
// are spread over all 32 banks.
Example transpose() {
  auto f = std::make_shared<Fusion>();
  const Expr B = f->extent("B", 0), H = f->extent("H");
  const Tensor x = f->input("x", {B, H}, DataType::Float, {"b", "h"});
  const Tensor y = f->output("y", transpose(x, {1, 0}));

  Schedule s(*f);
  const TensorId tile = s.cache(x, "tile", Memory::Shared);
  // Both nests: blocks, then steps over rows of eight at a time, one to a warp, and its 32 lanes.
  const auto bind = [&](const std::vector<ScheduledLoop>& tiles, ScheduledLoop row,
                        ScheduledLoop lane) {
    const auto [step, warp] = s.split(row, 8);
    s.reorder({tiles[0], tiles[1], step, warp, lane});
    s.bind(tiles[0], ParallelType::BIDx).bind(tiles[1], ParallelType::BIDy);
    s.bind(warp, ParallelType::TIDy).bind(lane, ParallelType::TIDx);
  };
  const auto [h, b] = s.loops<2>(y);
  const auto [h_tile, h_in] = s.split(h, 32);
  const auto [b_tile, b_in] = s.split(b, 32);
  bind({b_tile, h_tile}, h_in, b_in);

  const auto tile_loops = s.loops(tile);
  const auto [r_tile, r] = s.split(tile_loops[0], 32);
  const auto [c_tile, c] = s.split(tile_loops[1], 32);
  const auto [row, place] = s.swizzle(SwizzleKind::Xor, r, c);
  bind({r_tile, c_tile}, row, place);
  s.compute_at(tile, h_tile);
  return {"transpose", f, s, {"B", "H"}};
}

}  // namespace selvage
