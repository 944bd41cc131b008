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

// Which toolkits have written to a disk cache, the one seen last first; kept in the cache as an
// entry like any other. To open NVRTC takes longer than to find a kernel on disk, and the key needs
// only its version: that is known from here as long as the library is the same file.
struct ToolkitNote {
  Toolkit toolkit;
  std::string state;  // state_of(toolkit.library) at the time
  bool operator==(const ToolkitNote&) const = default;
};
std::vector<ToolkitNote> toolkits_on(DiskCache& disk);
void note_toolkit(DiskCache& disk, const Toolkit& toolkit);

// When a file was written, its size, and where else the loader would look (LD_LIBRARY_PATH); empty
// where there is no such file.
std::string state_of(const std::string& library);

}  // namespace selvage
