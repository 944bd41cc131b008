#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace selvage {

// One entry of the disk cache as the bytes of its file. Numbers are little-endian.
//
//   bytes     8       4        8           8               of key  of payload  16
//             magic   version  key length  payload length  key     payload     XXH3-128 of the rest
//
// The lengths add up to that of the file, and any change of one byte changes the checksum; so a
// file that is accepted is the one that was written. (This does not protect against an attacker.)
std::vector<std::byte> to_entry(std::string_view key, std::span<const std::byte> payload);
// The payload, if the bytes are a whole entry of this version for this key.
std::optional<std::vector<std::byte>> payload_of(std::span<const std::byte> entry,
                                                 std::string_view key);
// The name of the key's file: the key's XXH3-128 in 32 hexadecimal digits. If two keys have the
// same name, one replaces the other; they are never confused, since the file holds the key.
std::string entry_name(std::string_view key);
bool is_entry_name(std::string_view name);

}  // namespace selvage
