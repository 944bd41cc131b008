#pragma once

#include <selvage/runtime/disk_cache.h>

#include <string>
#include <vector>

namespace selvage {

struct Toolkit {
  int version = 0;      // as Nvrtc::version()
  std::string library;  // the file of its compiler; empty: not known
  bool operator==(const Toolkit&) const = default;
};

// The toolkits that have written to a disk cache, the one seen last first; kept in the cache as an
// entry like any other. Opening NVRTC takes longer than finding a kernel on disk, and the key needs
// only NVRTC's version: the notes tell it as long as the library is the same file.
struct ToolkitNote {
  Toolkit toolkit;
  std::string state;  // state_of(toolkit.library) at the time
  bool operator==(const ToolkitNote&) const = default;
};
std::vector<ToolkitNote> toolkits_on(DiskCache& disk);
void note_toolkit(DiskCache& disk, const Toolkit& toolkit);

// The time at which a file was written, its size, and LD_LIBRARY_PATH, by which the loader might
// find another; empty if there is no such file.
std::string state_of(const std::string& library);

}  // namespace selvage
