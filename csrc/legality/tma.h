#pragma once

#include <selvage/index/access.h>
#include <selvage/legality/analysis.h>
#include <selvage/legality/finding.h>
#include <selvage/legality/tma_swizzle.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace selvage {

// A copy between a global tensor and a tile of shared memory by the tensor memory accelerator.
//
// The nest is that of a tensor in shared memory which is nothing but another one, its cache: then
// its access to that one is copied. Or it is that of a tensor in global memory, whose own access to
// itself is looked at, the other side being nobody's. Loops that are bound to Bulk, in loop order,
// are the tile, dense; the others (serial, BIDx, TIDx, ...) say where the box lies: at each of
// their points one copy is issued. What the hardware then does, it does by a tensor map:
//
//   size S, box B, element stride e of one dimension; coordinate c of the box
//
//     tile element t, 0 <= t < ceil(B / e), is item c + t*e where 0 <= c + t*e < S, else 0
//
// One dimension of the tensor map: iterdomains that lie behind one another in memory.
struct TmaDim {
  std::vector<DomainId> domains;    // outer to inner, collapsed to one
  Expr size;                        // items
  Expr stride;                      // bytes from one to the next
  std::int64_t box = 1;             // items that the box spans
  std::int64_t element_stride = 1;  // of these every so many are copied
  std::int64_t count = 1;           // ceil(box / element_stride): of the tile
  Expr coordinate;                  // of the box, over the loops that are not Bulk
  Expr index;                       // of the element, over all loops: coordinate + stride * place
};

// Whether every hole of the tile holds 0.
enum class TmaStrong : std::uint8_t {
  ByHardware,  // as it is: every hole lies outside a dimension of the tensor map
  ByFallback,  // if `if (guard) copy; else copy past the end` is issued: a copy has items or holes
  Impossible,  // one copy brings items, and into a hole of the same tile another item
};
std::string_view to_string(TmaStrong strong);  // "by hardware", "by fallback", "impossible"

struct TmaCopy {
  // Weak correctness: valid items right, no fault. Where a fill is asked for, that it holds, too.
  Finding finding;
  bool weak = false;  // proved, under finding.conditions; what follows is known only then

  std::vector<TmaDim> dims;  // outer to inner
  TmaSwizzle swizzle = TmaSwizzle::None;
  std::int64_t tile_bytes = 0;
  std::string_view type;  // of the tensor map: FLOAT32, ...

  std::optional<TmaStrong> strong;  // nothing: not decided
  std::string strong_reason;
  // Where it is not by hardware: a hole of the tile, and the item that the plain copy puts there.
  Point hole;
  std::vector<Expr> guard;  // by fallback: where the plain copy is issued; empty: where one of
                            // the copy's points is valid

  std::size_t rank() const { return dims.size(); }
};

// Is a loop bound to Bulk? Then the nest is one of TMA copies.
bool is_tma_copy(const Schedule& schedule, TensorId tensor);

// What they copy: the read of a cache, else the tensor itself, where the fusion lays it out.
Access copied(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis);

// Nothing where it is none. Refused with
//   E460 the Bulk loops are no box              E464 a fill other than 0
//   E461 a rule of the tensor map is broken     E465 a fill that no copy gives (strong: impossible)
//   E462 a box across a break in memory         E466 not decided
//   E463 a swizzle that the hardware lacks
std::optional<TmaCopy> tma_copy(const Fusion& fusion, const Schedule& schedule,
                                const TensorAnalysis& analysis, Help help = Help::With);

}  // namespace selvage
