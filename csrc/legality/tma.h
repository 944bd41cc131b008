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
// The nest is either that of a cache in shared memory, whose read of the cached tensor is the copy;
// or that of a tensor in global memory, whose access to itself is examined, with no tensor on the
// other side. The loops that are bound to Bulk, in loop order, are the tile, dense. The others
// (serial, BIDx, TIDx, ...) say where the box lies: at each of their points one copy is issued. The
// hardware copies by a tensor map:
//
//   size S, box B, element stride e of one dimension; coordinate c of the box
//
//     tile element t, 0 <= t < ceil(B / e), is item c + t*e where 0 <= c + t*e < S, else 0
//
// One dimension of the tensor map: iterdomains that are contiguous in memory.
struct TmaDim {
  std::vector<DomainId> domains;    // outer to inner, collapsed to one
  Expr size;                        // items
  Expr stride;                      // bytes from one to the next
  std::int64_t box = 1;             // items that the box spans
  std::int64_t element_stride = 1;  // one of so many of these is copied
  std::int64_t count = 1;           // ceil(box / element_stride): of the tile
  Expr coordinate;                  // of the box, over the loops that are not Bulk
  Expr index;  // of the element, over all loops: coordinate + element_stride * place
};

// Whether every hole of the tile holds 0.
enum class TmaStrong : std::uint8_t {
  ByHardware,  // as it is: every hole lies outside a dimension of the tensor map
  ByFallback,  // by `if (guard) copy; else copy past the end`: no copy brings items and loads holes
  Impossible,  // one copy brings items, and into a hole of the same tile another item
};
std::string_view to_string(TmaStrong strong);  // "by hardware", "by fallback", "impossible"

struct TmaCopy {
  // Weak correctness (valid items right, no fault); and that the holes have the fill, if one is
  // asked for.
  Finding finding;
  bool weak = false;  // proved, under finding.conditions; what follows is known only then

  std::vector<TmaDim> dims;  // outer to inner
  TmaSwizzle swizzle = TmaSwizzle::None;
  std::int64_t tile_bytes = 0;
  std::string_view type;  // of the tensor map: FLOAT32, ...

  std::optional<TmaStrong> strong;  // nothing: not decided
  std::string strong_reason;
  // If not by hardware: a hole of the tile into which the plain copy puts an item.
  Point hole;
  std::vector<Expr> guard;  // by fallback: where the plain copy is issued; empty: where one of
                            // the copy's points is valid

  std::size_t rank() const { return dims.size(); }
};

// Whether a loop is bound to Bulk, so that the nest is one of TMA copies.
bool is_tma_copy(const Schedule& schedule, TensorId tensor);

// The access that the copies make to global memory: the read of a cache, else the tensor's own; as
// the fusion lays it out.
Access copied(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis);

// Examines the TMA copies of a nest; nothing if it has none. Refused, in `finding`, with
//   E460 the Bulk loops are no box              E464 a fill other than 0
//   E461 a rule of the tensor map is broken     E465 a fill that no copy gives (strong: impossible)
//   E462 a box across a break in memory         E466 not decided
//   E463 a swizzle that the hardware lacks
std::optional<TmaCopy> tma_copy(const Fusion& fusion, const Schedule& schedule,
                                const TensorAnalysis& analysis, Help help = Help::With);

}  // namespace selvage
