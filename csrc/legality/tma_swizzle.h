#pragma once

#include <selvage/legality/tma_part.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace selvage {

// How the hardware permutes the 16-byte chunks of a tile. The place in the tile in bytes, from the
// high bits on, is [.., s rows of 128 bytes, 8/s, s chunks, 16 bytes]:
//
//   chunk ^= row,   s = 2, 4, 8 for 32, 64, 128 bytes
enum class TmaSwizzle : std::uint8_t { None, B32, B64, B128 };
std::string_view to_string(TmaSwizzle swizzle);  // "none", "32B", "64B", "128B"
// 0, 32, 64 or 128: the inner box has at most so many bytes.
std::int64_t swizzle_bytes(TmaSwizzle swizzle);
// Bytes to which the tile's address in shared memory is aligned: the pattern begins there.
std::int64_t tile_alignment(TmaSwizzle swizzle);

// The swizzle by which the hardware xors part `chunk` with part `row` of a tile of `elements`
// elements of `size` bytes; None, and why, if it does not.
struct HardwareSwizzle {
  TmaSwizzle swizzle = TmaSwizzle::None;
  std::string why = {};
};
HardwareSwizzle hardware_swizzle(const TilePart& row, const TilePart& chunk, std::int64_t elements,
                                 std::int64_t size, const std::string& row_name,
                                 const std::string& chunk_name);

}  // namespace selvage
