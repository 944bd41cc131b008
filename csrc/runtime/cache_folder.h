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

// The system calls below the disk cache. On failure they return nullopt or false and leave errno.

// Makes a folder for this user alone (mode 0700), and the folders above it that are missing.
bool make_private_folder(const std::filesystem::path& folder);
// Whether anybody but this user may have written the file.
bool is_of_others(const struct stat& file);

// Reads a file in an open folder. It must belong to this user alone, be regular (no link, no pipe)
// and of at most `most` bytes.
struct OpenFile {
  Descriptor descriptor;
  std::vector<std::byte> bytes;
};
std::optional<OpenFile> read_private_file(int folder, const std::string& name, std::uint64_t most);
// Makes the file. False also if it exists; removes a file that could not be written whole.
bool write_new_file(int folder, const std::string& name, std::span<const std::byte> bytes);
// Sets the time of last use, with finer ticks than the system's clock for files.
void mark_used(int file);

// A name in the folder, and the result of fstatat for it (for a link: of the link itself).
struct NamedFile {
  std::string name;
  struct stat about;
};
std::vector<NamedFile> files_in(int folder);

// 16 hexadecimal digits that no other process draws.
std::string random_digits();

}  // namespace selvage
