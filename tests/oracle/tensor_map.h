// What a TMA copy of a tile does: the map of a global tensor, and what it loads.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace selvage::oracle {

// Dimensions run from outer to inner (cuTensorMapEncodeTiled: from inner to outer).
struct TensorMap {
  std::vector<std::int64_t> dims;             // in elements
  std::vector<std::int64_t> strides;          // in bytes; the innermost is implicit: an element
  std::vector<std::int64_t> box;              // in elements of the tensor
  std::vector<std::int64_t> element_strides;  // of the innermost: ignored, taken for 1
  std::int64_t element_bytes = 4;
};

// How many elements a load brings per dimension: ceil(box / element stride).
std::vector<std::int64_t> loaded_extents(const TensorMap& map);

// One load at the coordinates of the box's corner: for each element that arrives in shared memory,
// row-major, the global element's distance from the base in bytes; nothing where one of its
// coordinates is outside [0, dim), for which 0 arrives.
std::vector<std::optional<std::int64_t>> load(const TensorMap& map,
                                              const std::vector<std::int64_t>& coordinates);

// The types, interleavings and swizzles of the driver's interface, by its numbers.
enum class TmaType {
  U8,
  U16,
  U32,
  I32,
  U64,
  I64,
  F16,
  F32,
  F64,
  BF16,
  F32Ftz,
  TF32,
  TF32Ftz,
  U4Align8,
  U4Align16,
  U6Align16
};
enum class TmaInterleave { None, B16, B32 };
enum class TmaSwizzle { None, B32, B64, B128, B128Atom32, B128Atom32Flip8, B128Atom64 };
struct TmaSettings {
  std::optional<TmaType> type;  // default: by the size of the map's elements
  std::int64_t base = 0;        // global address in bytes
  TmaInterleave interleave = TmaInterleave::None;
  TmaSwizzle swizzle = TmaSwizzle::None;
  int promotion = 0;  // of L2: 0 to 3
  bool nan_fill = false;
  bool is_store = false;
  int compute_capability = 90;
};

enum class TmaRule {
  Rank,           // 1 to 5, as many entries everywhere; interleaved: at least 3
  Type,           // the map's element has the size of its type
  Base,           // a multiple of 16; of 32 with 32-byte interleaving or 16-byte aligned sub-bytes
  Dim,            // 1 to 2^32; packed types: a multiple of 128, or of 2
  Stride,         // but the innermost: positive, a multiple of 16 or 32 as the base, below 2^40
  Box,            // 1 to 256; 128 for 16-byte aligned sub-bytes
  BoxBytes,       // not interleaved: the innermost has a multiple of 16 bytes
  ElementStride,  // 1 to 8
  Interleave,     // 32 bytes: with a swizzle of 32; none for six-bit types
  Swizzle,        // the types that go with it
  SwizzleSpan,    // not interleaved: the innermost of the box is no wider than it
  Promotion,      // 0 to 3
  Fill,           // NaN: floating types only
  Device          // compute capability 9.0
};
std::string_view to_string(TmaRule rule);

// All rules of cuTensorMapEncodeTiled that the map breaks, in the order above; each once.
std::vector<TmaRule> broken_rules(const TensorMap& map, const TmaSettings& settings = {});

}  // namespace selvage::oracle
