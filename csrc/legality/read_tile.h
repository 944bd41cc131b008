#pragma once

#include <selvage/legality/analysis.h>

#include <optional>
#include <string>

namespace selvage {

// The tile of t that the reader of loop `at` reads in one iteration of its loops from the outermost
// to `at`: along each axis the least subscript of its reads, drawn out of the loops inside, and how
// many there are from there on, which must be a number. An axis that no such loop moves is taken
// whole. Reads of one tensor under several modes, or with several fills, have no common tile; nor
// have reads at loaded numbers.
struct ReadTile {
  std::optional<Schedule::Tile> tile;
  std::string why_not = {};  // "its reads at axis 0 differ in their access modes"
};
ReadTile read_tile(const Schedule& schedule, TensorId t, ScheduledLoop at);

// Keeps that tile in memory of a block, or of a thread, while the reader's loops inside of `at`
// run: Schedule::cache_tile and compute_at. In shared memory the threads of the block fill it
// together, each loop over an axis split by the extent of the reader's threads along x, y, z, last
// axis first. E420 where there is no such tile; else throws what these primitives do.
TensorId cache_tile(Schedule& schedule, TensorId t, ScheduledLoop at, std::string name = {},
                    Memory memory = Memory::Shared);

// The second part of that, for a tile that Schedule::cache_tile has made.
void share_among_threads(Schedule& schedule, TensorId tile, TensorId reader);

// Whether the definition of `reader` reads t at anything but indices by themselves.
bool reads_windows(const Fusion& fusion, TensorId reader, TensorId t);

}  // namespace selvage
