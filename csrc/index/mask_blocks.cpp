#include <selvage/base/check.h>
#include <selvage/base/integer.h>
#include <selvage/base/refuse.h>
#include <selvage/index/mask_axes.h>
#include <selvage/index/thread_mask.h>
#include <selvage/ir/parallel.h>

#include <algorithm>
#include <bit>

namespace selvage {

namespace {

using NodeId = MaskDiagram::NodeId;

constexpr int kBits = 32;
static_assert(kBits == kWarp);

// The threads of one block, a bit each.
class LaneWriter {
 public:
  LaneWriter(const MaskDiagram& diagram, const MaskAxes& axes, std::vector<std::uint32_t>& lanes)
      : diagram_(diagram), axes_(axes), lanes_(lanes) {}

  // The node's set over the axes from `axis` on, from thread `at` on.
  void write(NodeId node, std::size_t axis, std::int64_t at) {
    if (node == MaskDiagram::kNone) return;
    if (node == MaskDiagram::kAll) {
      set(at, at + axes_.inner[axis]);
      return;
    }
    const std::size_t own = diagram_.axis(node);
    for (const std::int64_t end = at + axes_.inner[axis]; at < end; at += axes_.inner[own]) {
      std::int64_t x = 0;
      for (const MaskDiagram::Run& run : diagram_.runs(node)) {
        const std::int64_t step = axes_.inner[own + 1];
        if (run.to == MaskDiagram::kAll) set(at + x * step, at + run.end * step);
        const bool is_open = run.to > MaskDiagram::kAll;
        for (; is_open && x < run.end; ++x) write(run.to, own + 1, at + x * step);
        x = run.end;
      }
    }
  }

 private:
  void set(std::int64_t begin, std::int64_t end) {
    while (begin < end) {
      const auto word = std::size_t(begin / kBits);
      const auto low = int(begin % kBits);
      const auto high = int(std::min<std::int64_t>(kBits, low + (end - begin)));
      lanes_[word] |= (~std::uint32_t{0} >> (kBits - (high - low))) << low;
      begin += high - low;
    }
  }

  const MaskDiagram& diagram_;
  const MaskAxes& axes_;
  std::vector<std::uint32_t>& lanes_;
};

// Units of so many threads, a multiple of 32.
ActiveUnits units_of(const std::vector<std::uint32_t>& lanes, std::int64_t threads,
                     std::int64_t unit) {
  ActiveUnits units;
  const auto words = std::size_t(unit / kBits);
  for (std::size_t begin = 0; begin < lanes.size(); begin += words) {
    std::int64_t active = 0;
    const std::size_t end = std::min(begin + words, lanes.size());
    for (std::size_t i = begin; i < end; ++i) active += std::popcount(lanes[i]);
    const std::int64_t there = std::min(unit, threads - std::int64_t(begin) * kBits);
    ++(active == 0 ? units.idle : active == there ? units.full : units.partial);
  }
  return units;
}

}  // namespace

std::int64_t ThreadMask::block_threads() const {
  const MaskAxes axes(*levels_);
  return axes.inner[axes.block_axis];
}

std::int64_t ThreadMask::blocks() const {
  const MaskAxes axes(*levels_);
  return axes.points(0, axes.block_axis);
}

std::vector<ThreadMask::Block> ThreadMask::different_blocks() const {
  const MaskAxes axes(*levels_);
  const std::vector<Arrival> met = arrivals(diagram_, axes, axes.block_axis);
  std::vector<Block> blocks;
  for (NodeId node = 0; node < met.size(); ++node) {
    if (met[node].points > 0) blocks.push_back({node, met[node].points, met[node].first});
  }
  std::ranges::sort(blocks, {}, &Block::first);
  constexpr std::int64_t kMost = std::int64_t{1} << 28;
  const auto work = checked_mul(std::int64_t(blocks.size()), axes.inner[axes.block_axis]);
  if (!work || *work > kMost) {
    refuse<BadInput>("E341",
                     "the warps of " + std::to_string(blocks.size()) + " different blocks of " +
                         std::to_string(axes.inner[axes.block_axis]) +
                         " threads are too many to be told apart, past " + std::to_string(kMost) +
                         " threads in all",
                     "smaller blocks, or a condition that fewer blocks differ in");
  }
  return blocks;
}

std::vector<std::uint32_t> ThreadMask::lanes_of(NodeId node) const {
  const MaskAxes axes(*levels_);
  std::vector<std::uint32_t> lanes(std::size_t(ceil_div(axes.inner[axes.block_axis], kBits)), 0);
  LaneWriter(diagram_, axes, lanes).write(node, axes.block_axis, 0);
  return lanes;
}

std::vector<BlockMask> ThreadMask::block_masks() const {
  const std::int64_t threads = block_threads();
  std::vector<BlockMask> shapes;
  for (const Block& block : different_blocks()) {
    BlockMask shape;
    shape.blocks = block.blocks;
    shape.first_block = block.first;
    shape.lanes = lanes_of(block.node);
    for (std::uint32_t word : shape.lanes) shape.active += std::popcount(word);
    shape.warps = units_of(shape.lanes, threads, kWarp);
    shape.warpgroups = units_of(shape.lanes, threads, kWarpgroup);
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

ActiveUnits ThreadMask::in_all_blocks(std::int64_t unit) const {
  const std::int64_t threads = block_threads();
  ActiveUnits sum;
  for (const Block& block : different_blocks()) {
    const ActiveUnits units = units_of(lanes_of(block.node), threads, unit);
    sum.full += block.blocks * units.full;
    sum.partial += block.blocks * units.partial;
    sum.idle += block.blocks * units.idle;
  }
  return sum;
}

ActiveUnits ThreadMask::warps() const { return in_all_blocks(kWarp); }
ActiveUnits ThreadMask::warpgroups() const { return in_all_blocks(kWarpgroup); }

bool ThreadMask::same_in_every_block() const {
  const MaskAxes axes(*levels_);
  const NodeId root = diagram_.root();
  return root <= MaskDiagram::kAll || diagram_.axis(root) >= axes.block_axis;
}

std::vector<std::uint32_t> ThreadMask::lanes(std::int64_t block) const {
  const MaskAxes axes(*levels_);
  SELVAGE_CHECK(block >= 0 && block < blocks());
  NodeId node = diagram_.root();
  for (std::size_t k = 0; k < axes.block_axis; ++k) {
    const std::int64_t x = block / axes.points(k + 1, axes.block_axis) % axes.extents[k];
    node = diagram_.follow(node, std::uint32_t(k), x);
  }
  return lanes_of(node);
}

}  // namespace selvage
