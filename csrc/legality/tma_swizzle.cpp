#include <selvage/legality/tma_swizzle.h>

namespace selvage {

std::string_view to_string(TmaSwizzle swizzle) {
  switch (swizzle) {
    case TmaSwizzle::None: return "none";
    case TmaSwizzle::B32: return "32B";
    case TmaSwizzle::B64: return "64B";
    case TmaSwizzle::B128: return "128B";
  }
  return {};
}

std::int64_t swizzle_bytes(TmaSwizzle swizzle) {
  switch (swizzle) {
    case TmaSwizzle::None: return 0;
    case TmaSwizzle::B32: return 32;
    case TmaSwizzle::B64: return 64;
    case TmaSwizzle::B128: return 128;
  }
  return 0;
}

std::int64_t tile_alignment(TmaSwizzle swizzle) {
  // s rows of 128 bytes, s = bytes / 16.
  return swizzle == TmaSwizzle::None ? 128 : swizzle_bytes(swizzle) / 16 * 128;
}

HardwareSwizzle hardware_swizzle(const TilePart& row, const TilePart& chunk, std::int64_t elements,
                                 std::int64_t size, const std::string& row_name,
                                 const std::string& chunk_name) {
  const auto none = [](std::string why) {
    return HardwareSwizzle{TmaSwizzle::None, std::move(why)};
  };
  const auto moves = [&](const std::string& name, const TilePart& part, const std::string& bytes) {
    return name + " moves " + std::to_string(part.weight * size) + " bytes at a step, not " + bytes;
  };
  if (chunk.weight * size != 16) return none(moves(chunk_name, chunk, "16"));
  if (chunk.count != 2 && chunk.count != 4 && chunk.count != 8) {
    return none(chunk_name + " has " + std::to_string(chunk.count) + " chunks, not 2, 4 or 8");
  }
  if (row.weight * size != 128) return none(moves(row_name, row, "128"));
  // Fewer rows are enough where the tile has no more.
  const bool is_top = row.weight * row.count == elements;
  if (row.count != chunk.count && !(is_top && row.count < chunk.count)) {
    return none(row_name + " has " + std::to_string(row.count) + " rows to " +
                std::to_string(chunk.count) + " chunks");
  }
  return {chunk.count == 2   ? TmaSwizzle::B32
          : chunk.count == 4 ? TmaSwizzle::B64
                             : TmaSwizzle::B128};
}

}  // namespace selvage
