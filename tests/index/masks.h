#pragma once

#include <selvage/base/random.h>
#include <selvage/expr/text.h>
#include <selvage/index/thread_mask.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace selvage::test {

// Levels by names and extents: {{{"p", 3}}, {{"x", 2}, {"y", 4}}}, threads unless said otherwise.
using LevelSizes = std::vector<std::vector<std::pair<std::string, std::int64_t>>>;

inline ThreadMask::Levels levels_of(ExprPool& pool, const LevelSizes& sizes,
                                    std::size_t outside_block = 0) {
  ThreadMask::Levels levels;
  for (const auto& level : sizes) {
    MaskLevel& out = levels.emplace_back();
    out.is_in_block = levels.size() > outside_block;
    for (const auto& [name, extent] : level) out.indices.push_back({pool.symbol(name), extent});
  }
  return levels;
}

// The mask of a text, which must not be dynamic.
struct Masks {
  ThreadMask of(const std::string& predicate, const LevelSizes& sizes,
                std::size_t outside_block = 0) {
    return ThreadMask::of(parse_expr(pool, predicate), levels_of(pool, sizes, outside_block), facts)
        .value();
  }

  ExprPool pool;
  Facts facts{pool};
};

// Numbers of threads, as text of a product tells them: every level's own numbers, multiplied out.
std::set<std::int64_t> read_product(const std::string& text);
// "1{3}(01){2}" is "1110101".
std::string spelled_out(const std::string& bits);

}  // namespace selvage::test
