// Thread programs that multiply matrices: y[m, n] = sum over k of x[m, k] * w[n, k], by `groups`
// warpgroups, of 64 rows each, in `tiles` tiles of `depth` along k, which go through `slots` slots.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace selvage::threads {

struct MmaProgram {
  std::int64_t columns = 16, depth = 16, tiles = 3, slots = 2, groups = 1;
  bool is_a_shared = true;
  std::string type = "half";

  std::int64_t threads() const { return 128 * groups; }
  std::int64_t all_depth() const { return tiles * depth; }

  // x[m, k] is at k / 8, m, k % 8, and so is w, so that threads copy neighbours. The threads divide
  // what a tile has of w.
  std::string text() const {
    const std::int64_t t = threads();
    const std::string row = "t // 32 * 16 + t % 32 // 4 + v // 2 % 2 * 8",
                      column = "(v // 4 * 8 + t % 4 * 2 + v % 2)",
                      of_w = fmt::format("(i * {} + t)", t), of_x = "(i * 128 + t % 128)";
    std::string loads = fmt::format(
        "    - for: {{index: i, in: {0}, do: [\"ws[k % {1}, {2} // {3}, {2} // 8 % {4}, t % 8] = "
        "w[k * {5} + {2} // {3}, {2} // 8 % {4}, t % 8]\"]}}\n",
        depth * columns / t, slots, of_w, 8 * columns, columns, depth / 8);
    loads += is_a_shared
                 ? fmt::format(
                       "    - for: {{index: i, in: {0}, do: [\"xs[k % {1}, t // 128, {2} // 512, "
                       "{2} // 8 % 64, t % 8] = x[k * {3} + {2} // 512, t // 128 * 64 + {2} // 8 % "
                       "64, t % 8]\"]}}\n",
                       depth / 2, slots, of_x, depth / 8)
                 : fmt::format(
                       "    - for: {{index: v, in: {0}, do: [\"xs[k % {1}, v] = x[k * {2} + {3} // "
                       "8, {4}, {3} % 8]\"]}}\n",
                       depth / 2, slots, depth / 8, column, row);
    const std::string shape_of_xs =
        is_a_shared ? fmt::format("[{}, {}, {}, 64, 8], dtype: {}, memory: shared", slots, groups,
                                  depth / 8, type)
                    : fmt::format("[{}, {}], dtype: {}, memory: local", slots, depth / 2, type);
    return fmt::format(
               "arrays:\n"
               "  x: {{shape: [{0}, {1}, 8], dtype: {2}}}\n"
               "  y: {{shape: [{1}, {3}], dtype: float}}\n"
               "  w: {{shape: [{0}, {3}, 8], dtype: {2}}}\n"
               "  ws: {{shape: [{4}, {5}, {3}, 8], dtype: {2}, memory: shared}}\n"
               "  xs: {{shape: {6}}}\n"
               "  acc: {{shape: [{7}], memory: local}}\n"
               "parallel: [{{thread: {{t: {8}}}}}]\n",
               tiles * depth / 8, 64 * groups, type, columns, slots, depth / 8, shape_of_xs,
               columns / 2, t) +
           fmt::format(
               "body:\n"
               "- for: {{index: v, in: {0}, do: [\"acc[v] = 0\"]}}\n"
               "- for:\n    index: k\n    in: {1}\n    do:\n"
               "    - await_mma: {2}\n"
               "    - sync: shared\n{3}"
               "    - fence: shared\n"
               "    - sync: shared\n"
               "    - mma: {{sums: acc, a: \"xs[k % {4}{5}]\", b: \"ws[k % {4}]\"}}\n"
               "- await_mma: 0\n"
               "- for: {{index: v, in: {0}, do: [\"y[{6}, {7}] = acc[v]\"]}}\n",
               columns / 2, tiles, slots - 1, loads, slots, is_a_shared ? ", t / 128" : "", row,
               column);
  }
};

}  // namespace selvage::threads
