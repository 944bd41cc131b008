#pragma once

#include <selvage/ir/parallel.h>
#include <selvage/lower/draft.h>

#include <cstddef>
#include <optional>
#include <span>

namespace selvage {

// Turns stores to a tile in shared memory into copies that end later where they store elements of
// global memory unchanged; returns how many it begins.
//   CpAsync  an element of 4 or 8 bytes, or a vector of 4, 8 or 16
//   Bulk     a vector of any multiple of 16 bytes. Of one whose last elements do not exist, the c
//            that do, if they are pieces of 16 bytes for all sizes that the kernel is for; together
//            they are one copy:
//              for p in min(c, W) / 4 (Bulk)
//                begin xs[a + 4*p .. +4] = x[b + 4*p .. +4]
//   Tma      a box, which lower/box_nest.h has begun already
std::size_t begin_copies(KernelDraft& draft, BufferId tile, CopyBy by);

// The same of the nest of a tensor in global memory, whose stores of a tile in shared memory end
// later, by bulk copies. If `atomic`, they and those that are left combine their elements with what
// there is. That the last elements of a vector are pieces may become a condition of the kernel, on
// `sizes`; where it is known to be false none counts as begun.
std::size_t begin_stores(KernelDraft& draft, Body& nest, BufferId to, std::span<const Expr> sizes,
                         std::optional<Function> atomic);

// Whether vectors are stored to a buffer by transfers.
bool is_moved_into(const Body& body, BufferId tile);

}  // namespace selvage
