#pragma once

#include <selvage/expr/text.h>
#include <selvage/index/thread_mask.h>

#include <string>
#include <utility>
#include <vector>

namespace selvage::test {

// Masks over levels, given by names and extents.
struct MaskCase {
  explicit MaskCase(const std::vector<std::vector<std::pair<std::string, std::int64_t>>>& sizes,
                    std::size_t outside_block = 0) {
    for (const auto& level : sizes) {
      MaskLevel& out = levels.emplace_back();
      out.is_in_block = levels.size() > outside_block;
      for (const auto& [name, extent] : level) out.indices.push_back({pool.symbol(name), extent});
    }
  }
  ThreadMask mask(const std::string& predicate) {
    return ThreadMask::of(parse_expr(pool, predicate), levels, Facts(pool)).value();
  }

  ExprPool pool;
  ThreadMask::Levels levels;
};

}  // namespace selvage::test
