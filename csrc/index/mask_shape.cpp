#include <selvage/base/integer.h>
#include <selvage/base/points.h>
#include <selvage/base/refuse.h>
#include <selvage/base/words.h>
#include <selvage/expr/symbols.h>
#include <selvage/index/thread_mask.h>

namespace selvage {

namespace {

[[noreturn]] void refuse_levels(const std::string& message, const std::string& help) {
  refuse<BadInput>("E343", message, help);
}

void check(const MaskLevel& level) {
  constexpr std::size_t kMostIndices = 3;
  if (level.indices.empty()) {
    refuse_levels("a level of threads has no index",
                  "give it one to three, or leave the level out");
  }
  if (level.indices.size() > kMostIndices) {
    refuse_levels("the level " + to_string(level) + " has " + std::to_string(level.indices.size()) +
                      " indices, and three are the most",
                  "make two levels of it");
  }
}

}  // namespace

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

Point instance_at(std::span<const MaskLevel> levels, std::int64_t number) {
  std::vector<Expr> symbols;
  std::vector<std::int64_t> extents;
  for (const MaskLevel& level : levels) {
    for (const MaskIndex& index : level.indices) {
      symbols.push_back(index.symbol);
      extents.push_back(index.extent);
    }
  }
  return point_at(symbols, nth_point(number, extents));
}

MaskShape::MaskShape(std::vector<MaskLevel> of) : levels(std::move(of)) {
  if (levels.empty()) {
    refuse_levels("a mask has no level of threads", "give it one, such as p with 32");
  }
  const MaskLevel* in_block = nullptr;  // the first
  for (const MaskLevel& level : levels) {
    check(level);
    for (const MaskIndex& index : level.indices) {
      const std::string name(index.symbol.name());
      if (index.extent < 1) {
        refuse_levels(
            "the parallel index " + name + " has an extent of " + std::to_string(index.extent),
            "an extent of at least 1");
      }
      if (contains(symbols, index.symbol)) {
        refuse_levels("the parallel index " + name + " stands in two places",
                      "give one of the two another name");
      }
      symbols.push_back(index.symbol);
      extents.push_back(index.extent);
      if (!checked_mul(blocks * threads, index.extent)) {
        refuse_levels("64 bits do not count the threads of the levels up to " + to_string(level),
                      "smaller extents");
      }
      (level.is_in_block ? threads : blocks) *= index.extent;
    }
    if (!level.is_in_block) block_axis = symbols.size();
    if (level.is_in_block && in_block == nullptr) in_block = &level;
    if (!level.is_in_block && in_block != nullptr) {
      refuse_levels(
          "the blocks " + to_string(level) + " stand inside of the threads " + to_string(*in_block),
          "put " + to_string(level) + " before " + to_string(*in_block));
    }
    if (threads > ThreadMask::kMostThreads) {
      refuse_levels("a block has " + std::to_string(threads) + " threads with the level " +
                        to_string(level) + ", and " + std::to_string(ThreadMask::kMostThreads) +
                        " are the most that a mask tells apart",
                    "smaller extents; CUDA's own limit is 1024");
    }
  }
}

void MaskShape::refuse_too_large(const std::string& of, std::span<const std::int64_t> used) const {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < used.size(); ++k) {
    if (used[k] == 1) continue;
    names.push_back(std::string(symbols[k].name()) + " (" + std::to_string(used[k]) + ")");
  }
  refuse<BadInput>("E341",
                   of + " over " + listed(std::move(names)) +
                       " is too large to be worked out: it takes " + "more than " +
                       std::to_string(ThreadMask::kMostAsked) +
                       " instances to be asked one by one, or more than " +
                       std::to_string(BlockSets::kMostRuns) + " runs of threads to be kept",
                   "smaller extents, or a condition that compares the larger index with a number");
}

}  // namespace selvage
