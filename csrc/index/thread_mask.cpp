#include <selvage/base/check.h>
#include <selvage/base/integer.h>
#include <selvage/base/refuse.h>
#include <selvage/index/thread_mask.h>
#include <selvage/ir/parallel.h>

#include <bit>
#include <map>
#include <utility>

namespace selvage {

namespace {

constexpr int kBits = 32;
static_assert(kBits == kWarp);

std::int64_t active_in(const MaskRuns& threads) {
  std::int64_t n = 0;
  for (const MaskRun& run : threads) n += run.value * run.points();
  return n;
}

std::vector<std::uint32_t> lanes_of(const MaskRuns& threads) {
  std::vector<std::uint32_t> lanes(std::size_t(ceil_div(threads.back().end, kBits)), 0);
  for (const MaskRun& run : threads) {
    for (std::int64_t t = run.begin; run.value != 0 && t < run.end;) {
      const auto low = int(t % kBits);
      const auto n = int(std::min<std::int64_t>(kBits - low, run.end - t));
      lanes[std::size_t(t / kBits)] |= (~std::uint32_t{0} >> (kBits - n)) << low;
      t += n;
    }
  }
  return lanes;
}

// Counts the units of `unit` threads, a multiple of 32.
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

ActiveUnits in_all_blocks(const ThreadMask& mask, ActiveUnits BlockMask::*units) {
  ActiveUnits sum;
  for (const BlockMask& shape : mask.block_masks()) {
    const ActiveUnits& one = shape.*units;
    sum.full += shape.blocks * one.full;
    sum.partial += shape.blocks * one.partial;
    sum.idle += shape.blocks * one.idle;
  }
  return sum;
}

}  // namespace

bool have_same_threads(const ThreadMask& a, const ThreadMask& b) {
  return a.blocks() == b.blocks() && a.block_threads() == b.block_threads();
}

ThreadMask::ThreadMask(std::shared_ptr<const MaskShape> shape, std::uint32_t value)
    : shape_(std::move(shape)) {
  sets_ = {{{0, shape_->blocks, 0}}, {{{0, shape_->threads, value}}}};
}

ThreadMask ThreadMask::all(Levels levels) {
  return ThreadMask(std::make_shared<const MaskShape>(std::move(levels)), 1);
}
ThreadMask ThreadMask::none(Levels levels) {
  return ThreadMask(std::make_shared<const MaskShape>(std::move(levels)), 0);
}

bool ThreadMask::is_everywhere(std::uint32_t value) const {
  return sets_.kinds.size() == 1 && sets_.kinds[0].size() == 1 && sets_.kinds[0][0].value == value;
}

const MaskRuns& ThreadMask::threads_of(std::int64_t block) const {
  return sets_.kinds[value_at(sets_.blocks, block)];
}

bool ThreadMask::contains(std::span<const std::int64_t> indices) const {
  SELVAGE_CHECK(indices.size() == shape_->extents.size());
  std::int64_t thread = 0;
  for (std::size_t k = 0; k < indices.size(); ++k) {
    SELVAGE_CHECK(indices[k] >= 0 && indices[k] < shape_->extents[k]);
    thread = thread * shape_->extents[k] + indices[k];
  }
  return contains(thread);
}

bool ThreadMask::contains(std::int64_t thread) const {
  SELVAGE_CHECK(thread >= 0 && thread < size());
  return value_at(threads_of(thread / block_threads()), thread % block_threads()) != 0;
}

std::optional<std::int64_t> ThreadMask::first() const {
  for (const MaskRun& run : sets_.blocks) {
    for (const MaskRun& threads : sets_.kinds[run.value]) {
      if (threads.value != 0) return run.begin * block_threads() + threads.begin;
    }
  }
  return std::nullopt;
}

std::int64_t ThreadMask::count() const {
  std::vector<std::int64_t> active;
  for (const MaskRuns& kind : sets_.kinds) active.push_back(active_in(kind));
  std::int64_t n = 0;
  for (const MaskRun& run : sets_.blocks) n += run.points() * active[run.value];
  return n;
}

std::vector<BlockMask> ThreadMask::block_masks() const {
  constexpr std::int64_t kMost = std::int64_t{1} << 28;
  const std::int64_t threads = block_threads();
  const auto n = std::int64_t(sets_.kinds.size());
  if (n > kMost / threads) {
    refuse<BadInput>("E341",
                     "the warps of " + std::to_string(n) + " different blocks of " +
                         std::to_string(threads) + " threads are too many to be told apart, past " +
                         std::to_string(kMost) + " threads in all",
                     "smaller blocks, or a condition that fewer blocks differ in");
  }
  std::vector<BlockMask> shapes(sets_.kinds.size());
  for (const MaskRun& run : sets_.blocks) {
    BlockMask& shape = shapes[run.value];
    if (shape.blocks == 0) shape.first_block = run.begin;
    shape.blocks += run.points();
  }
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    shapes[k].active = active_in(sets_.kinds[k]);
    shapes[k].lanes = lanes_of(sets_.kinds[k]);
    shapes[k].warps = units_of(shapes[k].lanes, threads, kWarp);
    shapes[k].warpgroups = units_of(shapes[k].lanes, threads, kWarpgroup);
  }
  return shapes;
}

ActiveUnits ThreadMask::warps() const { return in_all_blocks(*this, &BlockMask::warps); }
ActiveUnits ThreadMask::warpgroups() const { return in_all_blocks(*this, &BlockMask::warpgroups); }

std::vector<std::uint32_t> ThreadMask::lanes(std::int64_t block) const {
  SELVAGE_CHECK(block >= 0 && block < blocks());
  return lanes_of(threads_of(block));
}

// The threads for which `keep(in a, in b)` holds.
ThreadMask combined(const ThreadMask& a, const ThreadMask& b, bool (*keep)(bool, bool)) {
  SELVAGE_CHECK(have_same_threads(a, b));
  const auto too_large = [&] {
    a.shape_->refuse_too_large("a mask put together of two", a.shape_->extents);
  };
  std::size_t steps = 0;
  const auto step = [&] {
    if (++steps > BlockSets::kMostRuns) too_large();
  };
  BlockSetsBuilder builder;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> known;
  for_each_pair(a.sets_.blocks, b.sets_.blocks,
                [&](std::int64_t blocks, std::uint32_t x, std::uint32_t y) {
                  step();
                  const auto [it, is_new] = known.try_emplace({x, y});
                  if (is_new) {
                    MaskRuns threads;
                    for_each_pair(a.sets_.kinds[x], b.sets_.kinds[y],
                                  [&](std::int64_t n, bool in_a, bool in_b) {
                                    step();
                                    append(threads, n, keep(in_a, in_b));
                                  });
                    it->second = builder.kind(threads);
                  }
                  builder.add(blocks, it->second);
                });
  if (builder.is_full()) too_large();
  return ThreadMask(a.shape_, builder.take());
}

ThreadMask operator&(const ThreadMask& a, const ThreadMask& b) {
  return combined(a, b, [](bool x, bool y) { return x && y; });
}

ThreadMask operator|(const ThreadMask& a, const ThreadMask& b) {
  return combined(a, b, [](bool x, bool y) { return x || y; });
}

ThreadMask operator-(const ThreadMask& a, const ThreadMask& b) {
  return combined(a, b, [](bool x, bool y) { return x && !y; });
}

ThreadMask operator~(const ThreadMask& a) {
  ThreadMask out = a;
  for (MaskRuns& kind : out.sets_.kinds) {
    for (MaskRun& run : kind) run.value = 1 - run.value;
  }
  return out;
}

bool operator==(const ThreadMask& a, const ThreadMask& b) {
  return a.sets_.blocks == b.sets_.blocks && a.sets_.kinds == b.sets_.kinds;
}

bool disjoint(const ThreadMask& a, const ThreadMask& b) { return (a & b).is_none(); }
bool is_subset(const ThreadMask& a, const ThreadMask& of) { return (a - of).is_none(); }

}  // namespace selvage
