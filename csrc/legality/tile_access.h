#pragma once

#include <selvage/legality/swizzle_lines.h>
#include <selvage/legality/warp_access.h>

#include <optional>

namespace selvage {

// A tensor as a tile and both sides of its traffic as maps to rows and columns, however it lies in
// memory now: what a search for a better layout starts from.
struct TileTraffic {
  TileAxes axes;
  Tile tile;
  TileAccess store, load;
};

struct ScheduledAccess {
  const Schedule& schedule;
  const TensorAnalysis& analysis;
  const WarpAccess& access;
};

// The column is the last iterdomain of the tensor's items (of its root domain if it is a view, else
// of its logical domain), the row all others, the last fastest. Nothing where it has less than two,
// an extent that is no number, vectors that run along no row, or more than kMostTileAccesses.
inline constexpr std::int64_t kMostTileAccesses = 1 << 15;
std::optional<TileTraffic> tile_traffic(const Fusion& fusion, TensorId tensor,
                                        const ScheduledAccess& store, const ScheduledAccess& load);

}  // namespace selvage
