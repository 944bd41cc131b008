#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace selvage {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using OwnedFile = std::unique_ptr<std::FILE, CloseFile>;

struct FileToRead {
  OwnedFile file;
  std::int64_t size = 0;
};

// Opens a regular file. Throws BadInput (E602) otherwise: cannot read the `what`; name a file of
// this `kind`, as .npy, that can be read.
FileToRead open_regular_file(const std::string& path, std::string_view what, std::string_view kind);

// Writes these parts, one after the other. The file appears whole or not at all; a former file
// stays until then. What a link points to is replaced, not the link; a device or a pipe is written
// to. Throws BadInput (E603) if that cannot be done: cannot write the `what`.
void write_whole_file(const std::string& path, std::string_view what,
                      std::span<const std::span<const std::byte>> parts);

}  // namespace selvage
