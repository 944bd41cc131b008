#pragma once

#include <selvage/legality/bank_degree.h>
#include <selvage/legality/row_map.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace selvage {

// A tile of shared memory: rows of elements, row-major, one behind the other.
struct Tile {
  std::int64_t rows = 1, columns = 1;
  int element_bytes = 4;
};
// What one thread accesses: an item, or the first of a vector of items in one row.
struct TileItem {
  std::int64_t row = 0, column = 0;
  friend auto operator<=>(const TileItem&, const TileItem&) = default;
};
// How warps access a tile: one entry for each warp at each value of the other loops, with up to 32
// threads in order; nothing for an idle thread.
struct TileAccess {
  std::int64_t lanes = 1;  // elements of one access
  std::vector<std::vector<std::optional<TileItem>>> warps = {};
};

struct TileSwizzle {
  std::vector<XorField> fields = {};  // their xor is the map; none: the tile is free as it lies
  RowMap map = {};
};
// No row map makes both sides conflict-free.
struct NoSwizzle {
  // OneRow    two threads of a phase go to one row in columns that any row map leaves in one bank
  // AllBanks  rows that differ by `first.row ^ second.row` meet at every distance of banks, so that
  //           each value that f could have there puts some pair into one bank
  // Search    the maps were searched bit by bit of the row, none is left
  enum class Proof : std::uint8_t { OneRow, AllBanks, Search } proof = Proof::Search;
  TileItem first, second;  // of the pair, or of one of the pairs
};
// Why the maps were not searched, or not to the end.
struct SwizzleUnknown {
  std::string why;
};
using SwizzleResult = std::variant<TileSwizzle, NoSwizzle, SwizzleUnknown>;

// A row map that keeps vectors whole and under which every phase of both sides has degree 1. Single
// fields first, by the least shift of the row, then of the column, then the most bits; then all
// linear row maps. The rows' pitch must be a power of two or whole bank rows of 128 bytes, for only
// then does a xor of the column move banks by a xor.
SwizzleResult find_swizzle(const Tile& tile, const TileAccess& store, const TileAccess& load);

// The least number of elements to add to each row that makes both sides conflict-free and keeps
// vectors aligned; nothing if there is none. Up to 128 bytes are tried: 128 bytes more in each row
// change no bank.
struct Padding {
  std::int64_t elements = 0;  // in each row
  std::int64_t bytes = 0;     // in all
};
std::optional<Padding> find_padding(const Tile& tile, const TileAccess& store,
                                    const TileAccess& load);

// The largest degree of a phase, the tile's rows being `pitch` elements apart (at least its
// columns) and its columns swizzled by `map`.
std::int64_t tile_degree(const Tile& tile, const TileAccess& access, std::int64_t pitch,
                         const RowMap& map = {});

}  // namespace selvage
