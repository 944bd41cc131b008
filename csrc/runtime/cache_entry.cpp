#define XXH_INLINE_ALL  // its functions stand in the header: nothing to link
#include <selvage/runtime/cache_entry.h>

#include <fmt/format.h>
#include <xxhash.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace selvage {

namespace {

constexpr std::string_view kMagic = "SELVAGE\n";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHead = kMagic.size() + sizeof kVersion + 2 * sizeof(std::uint64_t);
constexpr std::size_t kChecksum = sizeof(XXH128_canonical_t);

static_assert(std::endian::native == std::endian::little);

XXH128_canonical_t checksum(const void* bytes, std::size_t size) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes, size));
  return canonical;
}

void append(std::vector<std::byte>& bytes, const auto& more) {
  const auto all = std::as_bytes(std::span(more));
  bytes.insert(bytes.end(), all.begin(), all.end());
}

// All of an entry before the payload.
std::vector<std::byte> head(std::string_view key, std::size_t payload) {
  std::vector<std::byte> bytes;
  bytes.reserve(kHead + key.size() + payload + kChecksum);
  append(bytes, kMagic);
  append(bytes, std::array<std::uint32_t, 1>{kVersion});
  append(bytes, std::array<std::uint64_t, 2>{key.size(), payload});
  append(bytes, key);
  return bytes;
}

}  // namespace

std::vector<std::byte> to_entry(std::string_view key, std::span<const std::byte> payload) {
  std::vector<std::byte> entry = head(key, payload.size());
  append(entry, payload);
  append(entry, checksum(entry.data(), entry.size()).digest);
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
  const XXH128_canonical_t sum = checksum(entry.data(), entry.size() - kChecksum);
  if (std::memcmp(entry.last(kChecksum).data(), sum.digest, kChecksum) != 0) return std::nullopt;
  const auto found = entry.subspan(wanted.size(), payload);
  return std::vector<std::byte>(found.begin(), found.end());
}

std::string entry_name(std::string_view key) {
  return fmt::format("{:02x}", fmt::join(checksum(key.data(), key.size()).digest, ""));
}

bool is_entry_name(std::string_view name) {
  return name.size() == 2 * kChecksum &&
         name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace selvage
