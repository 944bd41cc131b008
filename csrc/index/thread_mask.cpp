#include <selvage/base/check.h>
#include <selvage/index/mask_axes.h>
#include <selvage/index/thread_mask.h>

#include <numeric>

namespace selvage {

namespace {

std::shared_ptr<const ThreadMask::Levels> checked(ThreadMask::Levels levels) {
  check_levels(levels);
  return std::make_shared<const ThreadMask::Levels>(std::move(levels));
}

MaskDiagram combined(const ThreadMask::Levels& a, const ThreadMask::Levels& b, const MaskDiagram& x,
                     const MaskDiagram& y, bool (*keep)(bool, bool)) {
  SELVAGE_CHECK(have_same_shape(a, b));
  auto out = combine(x, y, keep);
  if (out) return std::move(*out);
  const MaskAxes axes(a);
  std::vector<std::uint32_t> used(axes.size());
  std::iota(used.begin(), used.end(), 0);
  refuse_too_large("a mask put together of two", axes, used);
}

}  // namespace

bool have_same_shape(const ThreadMask::Levels& a, const ThreadMask::Levels& b) {
  const auto same_index = [](const MaskIndex& i, const MaskIndex& k) {
    return i.extent == k.extent;
  };
  return &a == &b || std::ranges::equal(a, b, [&](const MaskLevel& x, const MaskLevel& y) {
    return x.is_in_block == y.is_in_block && std::ranges::equal(x.indices, y.indices, same_index);
  });
}

ThreadMask ThreadMask::all(Levels levels) {
  return ThreadMask(checked(std::move(levels)), MaskDiagram::all());
}

ThreadMask ThreadMask::none(Levels levels) {
  return ThreadMask(checked(std::move(levels)), MaskDiagram::none());
}

std::int64_t ThreadMask::size() const { return MaskAxes(*levels_).inner[0]; }

std::int64_t ThreadMask::count() const {
  const MaskAxes axes(*levels_);
  return arrivals(diagram_, axes, axes.size())[MaskDiagram::kAll].points;
}

bool ThreadMask::contains(std::span<const std::int64_t> indices) const {
  NodeId node = diagram_.root();
  std::uint32_t axis = 0;
  for (const MaskLevel& level : *levels_) {
    for (const MaskIndex& index : level.indices) {
      SELVAGE_CHECK(axis < indices.size() && indices[axis] >= 0 && indices[axis] < index.extent);
      node = diagram_.follow(node, axis, indices[axis]);
      ++axis;
    }
  }
  SELVAGE_CHECK(axis == indices.size());
  return node == MaskDiagram::kAll;
}

bool ThreadMask::contains(std::int64_t thread) const {
  const MaskAxes axes(*levels_);
  SELVAGE_CHECK(thread >= 0 && thread < axes.inner[0]);
  NodeId node = diagram_.root();
  for (std::size_t k = 0; k < axes.size(); ++k) {
    node = diagram_.follow(node, std::uint32_t(k), thread / axes.inner[k + 1] % axes.extents[k]);
  }
  return node == MaskDiagram::kAll;
}

std::optional<std::int64_t> ThreadMask::first() const {
  if (is_none()) return std::nullopt;
  const MaskAxes axes(*levels_);
  std::int64_t thread = 0;
  for (NodeId node = diagram_.root(); node != MaskDiagram::kAll;) {
    const auto runs = diagram_.runs(node);
    const std::size_t axis = diagram_.axis(node);
    // Neighbouring runs differ: one of the first two leads somewhere.
    const bool is_first = runs[0].to != MaskDiagram::kNone;
    thread += (is_first ? 0 : runs[0].end) * axes.inner[axis + 1];
    node = is_first ? runs[0].to : runs[1].to;
  }
  return thread;
}

ThreadMask operator&(const ThreadMask& a, const ThreadMask& b) {
  return ThreadMask(a.levels_, combined(*a.levels_, *b.levels_, a.diagram_, b.diagram_,
                                        [](bool x, bool y) { return x && y; }));
}

ThreadMask operator|(const ThreadMask& a, const ThreadMask& b) {
  return ThreadMask(a.levels_, combined(*a.levels_, *b.levels_, a.diagram_, b.diagram_,
                                        [](bool x, bool y) { return x || y; }));
}

ThreadMask operator-(const ThreadMask& a, const ThreadMask& b) {
  return ThreadMask(a.levels_, combined(*a.levels_, *b.levels_, a.diagram_, b.diagram_,
                                        [](bool x, bool y) { return x && !y; }));
}

ThreadMask operator~(const ThreadMask& a) { return ThreadMask(a.levels_, complement(a.diagram_)); }

bool operator==(const ThreadMask& a, const ThreadMask& b) {
  return have_same_shape(*a.levels_, *b.levels_) && a.diagram_ == b.diagram_;
}

bool disjoint(const ThreadMask& a, const ThreadMask& b) { return (a & b).is_none(); }
bool is_subset(const ThreadMask& a, const ThreadMask& of) { return (a - of).is_none(); }

}  // namespace selvage
