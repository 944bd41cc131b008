// cuTensorMapEncodeTiled, with the rules of its documentation.
#include <algorithm>
#include <cstring>

#include "tests/driver_stub/state.h"

namespace driver_stub {

namespace {

constexpr std::uint64_t kMark = 0x70616D2D65736C53;  // of a map of ours

// 128 bytes, as the real one; what a test decodes, and no hardware.
struct Bytes {
  std::uint64_t mark, address;
  std::uint64_t strides[4];
  std::uint32_t last[5];  // size - 1
  std::uint16_t box[5];
  std::uint8_t element_strides[5];
  std::uint8_t rank, type, interleave, swizzle, promotion, fill;
};
static_assert(sizeof(Bytes) <= 128);

struct Type {
  int bits;
  bool is_floating;
  bool is_wide;  // sub-byte values in chunks of 16 bytes
};
constexpr Type kTypes[] = {
    {8, false, false},  {16, false, false}, {32, false, false}, {32, false, false},
    {64, false, false}, {64, false, false}, {16, true, false},  {32, true, false},
    {64, true, false},  {16, true, false},  {32, true, false},  {32, true, false},
    {32, true, false},  {4, false, false},  {4, false, true},   {6, false, true}};

bool is_legal(const EncodedMap& m, std::size_t rank) {
  if (m.type < 0 || m.type > 15 || m.interleave < 0 || m.interleave > 2 || m.swizzle < 0 ||
      m.swizzle > 6 || m.promotion < 0 || m.promotion > 3 || m.fill < 0 || m.fill > 1) {
    return false;
  }
  const Type type = kTypes[m.type];
  if (m.interleave != 0 && rank < 3) return false;
  const std::uint64_t align = m.interleave == 2 || type.is_wide ? 32 : 16;
  if (m.address % align != 0) return false;
  const auto in = [](auto low, auto high) { return [=](auto n) { return n >= low && n <= high; }; };
  if (!std::ranges::all_of(m.sizes, in(1U, std::uint64_t{1} << 32U))) return false;
  if (type.is_wide && m.sizes[0] % 128 != 0) return false;
  if (m.type == 13 && m.sizes[0] % 2 != 0) return false;
  for (std::uint64_t stride : m.strides) {
    if (stride == 0 || stride % align != 0 || stride >= std::uint64_t{1} << 40U) return false;
  }
  if (!std::ranges::all_of(m.box, in(1U, 256U))) return false;
  if (!std::ranges::all_of(m.element_strides, in(1U, 8U))) return false;
  if (type.is_wide && m.box[0] != 128) return false;
  const std::uint32_t row_bits = m.box[0] * static_cast<std::uint32_t>(type.bits);
  if (m.interleave == 0) {
    if (row_bits % 128 != 0) return false;
    const std::uint32_t span = m.swizzle == 0 ? 0 : m.swizzle == 1 ? 32 : m.swizzle == 2 ? 64 : 128;
    if (span != 0 && row_bits > span * 8) return false;
  }
  if (m.interleave == 2 && m.swizzle != 1) return false;
  if (m.type == 15 && m.interleave != 0) return false;
  // Modes that a load or a store alone has are let pass: a map does not say which it serves.
  if (m.type == 15 && m.swizzle != 0 && m.swizzle != 3 && m.swizzle != 4 && m.swizzle != 6) {
    return false;
  }
  if (m.type == 14 && m.swizzle != 0 && m.swizzle != 3 && m.swizzle != 4) return false;
  return m.fill == 0 || type.is_floating;
}

}  // namespace

EncodedMap decode_map(const void* map) {
  Bytes bytes;
  std::memcpy(&bytes, map, sizeof bytes);
  EncodedMap m;
  if (bytes.mark != kMark) return m;
  m.type = bytes.type;
  m.interleave = bytes.interleave;
  m.swizzle = bytes.swizzle;
  m.promotion = bytes.promotion;
  m.fill = bytes.fill;
  m.address = bytes.address;
  for (std::size_t k = 0; k < bytes.rank; ++k) {
    m.sizes.push_back(std::uint64_t{bytes.last[k]} + 1);
    m.box.push_back(bytes.box[k]);
    m.element_strides.push_back(bytes.element_strides[k]);
    if (k + 1 < bytes.rank) m.strides.push_back(bytes.strides[k]);
  }
  return m;
}

}  // namespace driver_stub

using namespace driver_stub;

extern "C" int cuTensorMapEncodeTiled(void* map, int type, unsigned rank, void* address,
                                      const std::uint64_t* sizes, const std::uint64_t* strides,
                                      const std::uint32_t* box,
                                      const std::uint32_t* element_strides, int interleave,
                                      int swizzle, int promotion, int fill) {
  Call in("cuTensorMapEncodeTiled", Needs::Init, [&] { return fmt::format("rank {}", rank); });
  if (in) return in.result();
  if (in.s.major < 9) return kNotSupported;
  if (map == nullptr || reinterpret_cast<std::uintptr_t>(map) % 64 != 0 || address == nullptr ||
      rank < 1 || rank > 5 || sizes == nullptr || (strides == nullptr && rank > 1) ||
      box == nullptr || element_strides == nullptr) {
    return kInvalidValue;
  }
  const EncodedMap m{type,
                     interleave,
                     swizzle,
                     promotion,
                     fill,
                     reinterpret_cast<std::uint64_t>(address),
                     {sizes, sizes + rank},
                     {strides, strides + rank - 1},
                     {box, box + rank},
                     {element_strides, element_strides + rank}};
  if (!is_legal(m, rank)) return kInvalidValue;
  Bytes bytes{};
  bytes.mark = kMark;
  bytes.address = m.address;
  std::ranges::copy(m.strides, bytes.strides);
  for (std::size_t k = 0; k < rank; ++k) {
    bytes.last[k] = static_cast<std::uint32_t>(sizes[k] - 1);
    bytes.box[k] = static_cast<std::uint16_t>(box[k]);
    bytes.element_strides[k] = static_cast<std::uint8_t>(element_strides[k]);
  }
  bytes.rank = static_cast<std::uint8_t>(rank);
  bytes.type = static_cast<std::uint8_t>(type);
  bytes.interleave = static_cast<std::uint8_t>(interleave);
  bytes.swizzle = static_cast<std::uint8_t>(swizzle);
  bytes.promotion = static_cast<std::uint8_t>(promotion);
  bytes.fill = static_cast<std::uint8_t>(fill);
  std::memset(map, 0, 128);
  std::memcpy(map, &bytes, sizeof bytes);
  return kSuccess;
}
