#include "tests/oracle/tensor_map.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "tests/oracle/arithmetic.h"

namespace selvage::oracle {

namespace {

std::int64_t step(const TensorMap& map, std::size_t d) {
  return d + 1 == map.dims.size() ? 1 : map.element_strides[d];
}

}  // namespace

std::vector<std::int64_t> loaded_extents(const TensorMap& map) {
  std::vector<std::int64_t> r;
  for (std::size_t d = 0; d < map.box.size(); ++d) r.push_back(ceil_div(map.box[d], step(map, d)));
  return r;
}

std::vector<std::optional<std::int64_t>> load(const TensorMap& map,
                                              const std::vector<std::int64_t>& coordinates) {
  const std::size_t rank = map.dims.size();
  const std::vector<std::int64_t> extents = loaded_extents(map);
  std::vector<std::optional<std::int64_t>> r;
  std::vector<std::int64_t> at(rank, 0);
  for (;;) {
    std::optional<std::int64_t> bytes = 0;
    for (std::size_t d = 0; d < rank; ++d) {
      const std::int64_t x = add(coordinates[d], mul(at[d], step(map, d)));
      const std::int64_t stride = d + 1 == rank ? map.element_bytes : map.strides[d];
      if (x < 0 || x >= map.dims[d]) bytes = std::nullopt;
      if (bytes) bytes = add(*bytes, mul(x, stride));
    }
    r.push_back(bytes);
    std::size_t d = rank;
    while (d > 0 && at[d - 1] + 1 == extents[d - 1]) at[--d] = 0;
    if (d == 0) return r;
    ++at[d - 1];
  }
}

std::string_view to_string(TmaRule rule) {
  switch (rule) {
    case TmaRule::Rank: return "rank";
    case TmaRule::Type: return "type";
    case TmaRule::Base: return "base";
    case TmaRule::Dim: return "dim";
    case TmaRule::Stride: return "stride";
    case TmaRule::Box: return "box";
    case TmaRule::BoxBytes: return "box bytes";
    case TmaRule::ElementStride: return "element stride";
    case TmaRule::Interleave: return "interleave";
    case TmaRule::Swizzle: return "swizzle";
    case TmaRule::SwizzleSpan: return "swizzle span";
    case TmaRule::Promotion: return "promotion";
    case TmaRule::Fill: return "fill";
    case TmaRule::Device: return "device";
  }
  return "";
}

namespace {

int bits_of(TmaType type) {
  switch (type) {
    case TmaType::U8: return 8;
    case TmaType::U16:
    case TmaType::F16:
    case TmaType::BF16: return 16;
    case TmaType::U32:
    case TmaType::I32:
    case TmaType::F32:
    case TmaType::F32Ftz:
    case TmaType::TF32:
    case TmaType::TF32Ftz: return 32;
    case TmaType::U64:
    case TmaType::I64:
    case TmaType::F64: return 64;
    case TmaType::U4Align8:
    case TmaType::U4Align16: return 4;
    case TmaType::U6Align16: return 6;
  }
  return 0;
}

bool is_floating(TmaType type) {
  return type == TmaType::F16 || type == TmaType::F32 || type == TmaType::F64 ||
         type == TmaType::BF16 || type == TmaType::F32Ftz || type == TmaType::TF32 ||
         type == TmaType::TF32Ftz;
}

TmaType type_of_size(std::int64_t bytes) {
  switch (bytes) {
    case 1: return TmaType::U8;
    case 2: return TmaType::U16;
    case 4: return TmaType::U32;
    case 8: return TmaType::U64;
    default: throw std::invalid_argument("oracle: no type of a tensor map has this size");
  }
}

// The widest row of bytes that a swizzle permutes; 0: any.
std::int64_t span_of(TmaSwizzle swizzle) {
  switch (swizzle) {
    case TmaSwizzle::None: return 0;
    case TmaSwizzle::B32: return 32;
    case TmaSwizzle::B64: return 64;
    case TmaSwizzle::B128:
    case TmaSwizzle::B128Atom32:
    case TmaSwizzle::B128Atom32Flip8:
    case TmaSwizzle::B128Atom64: return 128;
  }
  return 0;
}

bool swizzle_suits(TmaType type, TmaSwizzle swizzle, bool is_store) {
  const bool plain = swizzle == TmaSwizzle::None || swizzle == TmaSwizzle::B128;
  if (type == TmaType::U6Align16)
    return plain || swizzle == TmaSwizzle::B128Atom32 ||
           (is_store && swizzle == TmaSwizzle::B128Atom64);
  if (type == TmaType::U4Align16) return plain || (!is_store && swizzle == TmaSwizzle::B128Atom32);
  return true;
}

}  // namespace

std::vector<TmaRule> broken_rules(const TensorMap& map, const TmaSettings& settings) {
  std::vector<TmaRule> broken;
  const auto demand = [&broken](bool holds, TmaRule rule) {
    if (!holds && std::find(broken.begin(), broken.end(), rule) == broken.end())
      broken.push_back(rule);
  };
  const std::size_t rank = map.dims.size();
  const bool interleaved = settings.interleave != TmaInterleave::None;
  if (map.strides.size() != rank || map.box.size() != rank || map.element_strides.size() != rank ||
      rank == 0)
    return {TmaRule::Rank};
  const TmaType type = settings.type ? *settings.type : type_of_size(map.element_bytes);
  const int bits = bits_of(type);
  const bool wide_sub_bytes = type == TmaType::U4Align16 || type == TmaType::U6Align16;
  const std::int64_t align = settings.interleave == TmaInterleave::B32 || wide_sub_bytes ? 32 : 16;
  const auto all = [](const std::vector<std::int64_t>& values, auto holds) {
    return std::all_of(values.begin(), values.end(), holds);
  };
  const auto within = [](std::int64_t low, std::int64_t high) {
    return [=](std::int64_t n) { return low <= n && n <= high; };
  };

  demand(rank <= 5 && (!interleaved || rank >= 3), TmaRule::Rank);
  demand(bits < 8 ? map.element_bytes == 1 : map.element_bytes * 8 == bits, TmaRule::Type);
  demand(settings.base % align == 0, TmaRule::Base);
  demand(all(map.dims, within(1, std::int64_t{1} << 32)), TmaRule::Dim);
  if (wide_sub_bytes) demand(map.dims.back() % 128 == 0, TmaRule::Dim);
  if (type == TmaType::U4Align8) demand(map.dims.back() % 2 == 0, TmaRule::Dim);
  for (std::size_t d = 0; d + 1 < rank; ++d) {
    const std::int64_t stride = map.strides[d];
    demand(0 < stride && stride % align == 0 && stride < (std::int64_t{1} << 40), TmaRule::Stride);
  }
  demand(all(map.box, within(1, 256)), TmaRule::Box);
  if (wide_sub_bytes) demand(map.box.back() == 128, TmaRule::Box);
  const std::int64_t box_bits = mul(map.box.back(), bits);
  if (!interleaved) demand(box_bits % (16 * 8) == 0, TmaRule::BoxBytes);
  demand(all(map.element_strides, within(1, 8)), TmaRule::ElementStride);
  if (settings.interleave == TmaInterleave::B32)
    demand(settings.swizzle == TmaSwizzle::B32, TmaRule::Interleave);
  if (type == TmaType::U6Align16) demand(!interleaved, TmaRule::Interleave);
  demand(swizzle_suits(type, settings.swizzle, settings.is_store), TmaRule::Swizzle);
  const std::int64_t span = span_of(settings.swizzle);
  if (!interleaved && span != 0) demand(box_bits <= span * 8, TmaRule::SwizzleSpan);
  demand(0 <= settings.promotion && settings.promotion <= 3, TmaRule::Promotion);
  if (settings.nan_fill) demand(is_floating(type), TmaRule::Fill);
  demand(settings.compute_capability >= 90, TmaRule::Device);
  return broken;
}

}  // namespace selvage::oracle
