#include <selvage/base/integer.h>
#include <selvage/base/refuse.h>
#include <selvage/base/words.h>
#include <selvage/index/mask_axes.h>
#include <selvage/index/mask_sweep.h>

#include <algorithm>
#include <numeric>
#include <unordered_set>

namespace selvage {

std::int64_t MaskLevel::extent() const {
  std::int64_t n = 1;
  for (const MaskIndex& index : indices) n = checked_mul(n, index.extent).value_or(INT64_MAX);
  return n;
}

std::string to_string(const MaskLevel& level) {
  std::vector<std::string> names;
  for (const MaskIndex& index : level.indices) names.emplace_back(index.symbol.name());
  return names.size() == 1 ? names[0] : "{" + joined(names) + "}";
}

MaskAxes::MaskAxes(const ThreadMask::Levels& levels) {
  bool is_in_block = false;
  for (const MaskLevel& level : levels) {
    begins.push_back(symbols.size());
    if (level.is_in_block && !is_in_block) {
      is_in_block = true;
      block_axis = symbols.size();
    }
    for (const MaskIndex& index : level.indices) {
      symbols.push_back(index.symbol);
      extents.push_back(index.extent);
    }
  }
  begins.push_back(symbols.size());
  if (!is_in_block) block_axis = symbols.size();
  inner.assign(size() + 1, 1);
  for (std::size_t k = size(); k-- > 0;) inner[k] = inner[k + 1] * extents[k];
}

void check_levels(const ThreadMask::Levels& levels) {
  constexpr std::size_t kMostIndices = 3;
  const auto fail = [](const std::string& message, const std::string& help) {
    refuse<BadInput>("E343", message, help);
  };
  if (levels.empty()) fail("a mask has no level of threads", "give it one, such as p with 32");
  std::unordered_set<std::uint32_t> met;
  const MaskLevel* in_block = nullptr;
  std::int64_t all = 1, of_block = 1;
  for (const MaskLevel& level : levels) {
    if (level.indices.empty()) {
      fail("a level of threads has no index", "give it one to three, or leave the level out");
    }
    if (level.indices.size() > kMostIndices) {
      fail("the level " + to_string(level) + " has " + std::to_string(level.indices.size()) +
               " indices, and three are the most",
           "make two levels of it");
    }
    for (const MaskIndex& index : level.indices) {
      const std::string name(index.symbol.name());
      if (index.extent < 1) {
        fail("the parallel index " + name + " has an extent of " + std::to_string(index.extent),
             "an extent of at least 1");
      }
      if (!met.insert(index.symbol.id()).second) {
        fail("the parallel index " + name + " stands in two places",
             "give one of the two another name");
      }
      const auto more = checked_mul(all, index.extent);
      if (!more) {
        fail("64 bits do not count the threads of the levels up to " + to_string(level),
             "smaller extents");
      }
      all = *more;
      if (level.is_in_block) of_block *= index.extent;
    }
    if (level.is_in_block) {
      if (in_block == nullptr) in_block = &level;
    } else if (in_block != nullptr) {
      fail(
          "the blocks " + to_string(level) + " stand inside of the threads " + to_string(*in_block),
          "put " + to_string(level) + " before " + to_string(*in_block));
    }
    if (of_block > ThreadMask::kMostThreads) {
      fail("a block has " + std::to_string(of_block) + " threads with the level " +
               to_string(level) + ", and " + std::to_string(ThreadMask::kMostThreads) +
               " are the most that a mask tells apart",
           "smaller extents; CUDA's own limit is 1024");
    }
  }
}

std::vector<Arrival> arrivals(const MaskDiagram& diagram, const MaskAxes& axes,
                              std::size_t boundary) {
  std::vector<Arrival> met(diagram.nodes());
  const auto axis_of = [&](MaskDiagram::NodeId node) {
    return node <= MaskDiagram::kAll ? boundary
                                     : std::min<std::size_t>(diagram.axis(node), boundary);
  };
  // The axes in between may have any value.
  const auto arrive = [&](MaskDiagram::NodeId node, std::int64_t points, std::int64_t first,
                          std::size_t from) {
    const std::int64_t free = axes.points(from, axis_of(node));
    met[node].points += points * free;
    met[node].first = std::min(met[node].first, first * free);
  };
  arrive(diagram.root(), 1, 0, 0);
  std::vector<MaskDiagram::NodeId> before(diagram.nodes() - 2);
  std::iota(before.begin(), before.end(), MaskDiagram::kAll + 1);
  std::erase_if(before, [&](auto node) { return diagram.axis(node) >= boundary; });
  std::ranges::stable_sort(before, {}, [&](auto node) { return diagram.axis(node); });
  for (MaskDiagram::NodeId node : before) {
    const Arrival here = met[node];
    met[node] = {};
    const std::size_t axis = diagram.axis(node);
    std::int64_t begin = 0;
    for (const MaskDiagram::Run& run : diagram.runs(node)) {
      arrive(run.to, here.points * (run.end - begin), here.first * axes.extents[axis] + begin,
             axis + 1);
      begin = run.end;
    }
  }
  return met;
}

void refuse_too_large(const std::string& of, const MaskAxes& axes,
                      const std::vector<std::uint32_t>& used) {
  std::vector<std::string> names;
  for (std::uint32_t axis : used) {
    if (axes.extents[axis] == 1) continue;
    names.push_back(std::string(axes.symbols[axis].name()) + " (" +
                    std::to_string(axes.extents[axis]) + ")");
  }
  refuse<BadInput>("E341",
                   of + " over " + listed(std::move(names)) +
                       " is too large to be worked out: it takes " + "more than " +
                       std::to_string(MaskSweep::kMostPoints) +
                       " instances to be asked one by one, or more than " +
                       std::to_string(MaskDiagram::kMostRuns) + " runs of threads to be kept",
                   "smaller extents, or a condition that compares the larger index with a number");
}

}  // namespace selvage
