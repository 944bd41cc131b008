#pragma once

#include <selvage/runtime/descriptor.h>

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace selvage {

// The system calls below the disk cache. What fails returns none or false and leaves errno.

// Makes a folder for this user alone (mode 0700), and the folders above it that are missing.
bool make_private_folder(const std::filesystem::path& folder);
// May anybody but this user have written it?
bool is_of_others(const struct stat& file);

// A file of this user alone, in an open folder, of at most `most` bytes; no link, no pipe.
struct OpenFile {
  Descriptor descriptor;
  std::vector<std::byte> bytes;
};
std::optional<OpenFile> read_private_file(int folder, const std::string& name, std::uint64_t most);
// Makes the file. False also where it exists; a file that could not be written whole is removed.
bool write_new_file(int folder, const std::string& name, std::span<const std::byte> bytes);
// Sets when the file was last used, more finely than the system's own clock for files ticks.
void mark_used(int file);

// A name in the folder, with what fstatat says of it (of a link, not of what it leads to).
struct NamedFile {
  std::string name;
  struct stat about;
};
std::vector<NamedFile> files_in(int folder);

// 16 hexadecimal digits that no other process draws.
std::string random_digits();

}  // namespace selvage
