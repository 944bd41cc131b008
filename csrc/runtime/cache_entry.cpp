#define XXH_INLINE_ALL  // its functions stand in the header: nothing to link
#include <selvage/runtime/cache_entry.h>

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace selvage {

namespace {

constexpr std::string_view kMagic = "SELVAGE\n";
constexpr std::uint64_t kVersion = 1;
constexpr std::size_t kVersionBytes = 4;
constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kHead = kMagic.size() + kVersionBytes + 2 * kLengthBytes;
constexpr std::size_t kChecksum = 16;

using Checksum = std::array<unsigned char, kChecksum>;

Checksum checksum(const void* bytes, std::size_t size) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes, size));
  Checksum sum;
  std::copy_n(canonical.digest, kChecksum, sum.begin());
  return sum;
}

void append(std::vector<std::byte>& bytes, std::span<const std::byte> more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

void append_number(std::vector<std::byte>& bytes, std::uint64_t n, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) bytes.push_back(std::byte(n >> 8 * i & 0xff));
}

// All of an entry before the payload.
std::vector<std::byte> head(std::string_view key, std::size_t payload) {
  std::vector<std::byte> bytes;
  bytes.reserve(kHead + key.size() + payload + kChecksum);
  append(bytes, std::as_bytes(std::span(kMagic)));
  append_number(bytes, kVersion, kVersionBytes);
  append_number(bytes, key.size(), kLengthBytes);
  append_number(bytes, payload, kLengthBytes);
  append(bytes, std::as_bytes(std::span(key)));
  return bytes;
}

}  // namespace

std::vector<std::byte> to_entry(std::string_view key, std::span<const std::byte> payload) {
  std::vector<std::byte> entry = head(key, payload.size());
  append(entry, payload);
  const Checksum sum = checksum(entry.data(), entry.size());
  append(entry, std::as_bytes(std::span(sum)));
  return entry;
}

std::optional<std::vector<std::byte>> payload_of(std::span<const std::byte> entry,
                                                 std::string_view key) {
  if (entry.size() < kHead + kChecksum || entry.size() - kHead - kChecksum < key.size()) {
    return std::nullopt;
  }
  // What precedes the payload is known to the last byte: the payload's length follows from the
  // key's and the file's.
  const std::size_t payload = entry.size() - kHead - kChecksum - key.size();
  const std::vector<std::byte> wanted = head(key, payload);
  if (std::memcmp(entry.data(), wanted.data(), wanted.size()) != 0) return std::nullopt;
  const Checksum sum = checksum(entry.data(), entry.size() - kChecksum);
  const auto kept = entry.last(kChecksum);
  if (std::memcmp(kept.data(), sum.data(), kChecksum) != 0) return std::nullopt;
  const auto found = entry.subspan(wanted.size(), payload);
  return std::vector<std::byte>(found.begin(), found.end());
}

std::string entry_name(std::string_view key) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string name;
  for (const unsigned char byte : checksum(key.data(), key.size())) {
    name += kDigits[byte >> 4];
    name += kDigits[byte & 0xf];
  }
  return name;
}

bool is_entry_name(std::string_view name) {
  return name.size() == 2 * kChecksum &&
         name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace selvage
