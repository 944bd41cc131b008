// Zip archives made by hand, right ones and wrong ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace selvage {

struct ZipMember {
  std::string name;
  std::string bytes;  // as they lie in the archive
  std::uint16_t method = 0, flags = 0;
  // What the archive states of the inflated bytes; if nothing, that they are these.
  std::optional<std::uint32_t> size = {};
  std::optional<std::uint32_t> checksum = {};
};

inline std::uint32_t crc32_of(std::string_view bytes) {
  std::uint32_t crc = ~0U;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320 : 0);
  }
  return ~crc;
}

// Deflated without being any shorter: one stored block, its length, the length's complement.
inline std::string deflated(std::string_view bytes) {
  const auto n = static_cast<std::uint16_t>(bytes.size());
  const auto low = static_cast<char>(n & 255), high = static_cast<char>(n >> 8);
  return std::string{1, low, high, static_cast<char>(~low), static_cast<char>(~high)} +
         std::string(bytes);
}

inline std::string zip_bytes(const std::vector<ZipMember>& members) {
  std::string files, directory;
  const auto put = [](std::string& to, std::uint32_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) to += static_cast<char>(value >> 8 * i & 255);
  };
  for (const ZipMember& m : members) {
    const auto at = static_cast<std::uint32_t>(files.size());
    std::string both;
    put(both, 20, 2);
    put(both, m.flags, 2);
    put(both, m.method, 2);
    put(both, 0x00210000, 4);  // 1 January 1980
    put(both, m.checksum.value_or(crc32_of(m.bytes)), 4);
    put(both, static_cast<std::uint32_t>(m.bytes.size()), 4);
    put(both, m.size.value_or(static_cast<std::uint32_t>(m.bytes.size())), 4);
    put(both, static_cast<std::uint32_t>(m.name.size()), 2);
    put(both, 0, 2);
    files += "PK\3\4" + both + m.name + m.bytes;
    directory += std::string("PK\1\2\24\0", 6) + both + std::string(10, '\0');
    put(directory, at, 4);
    directory += m.name;
  }
  std::string end = std::string("PK\5\6\0\0\0\0", 8);
  put(end, static_cast<std::uint32_t>(members.size()), 2);
  put(end, static_cast<std::uint32_t>(members.size()), 2);
  put(end, static_cast<std::uint32_t>(directory.size()), 4);
  put(end, static_cast<std::uint32_t>(files.size()), 4);
  put(end, 0, 2);
  return files + directory + end;
}

}  // namespace selvage
