#pragma once

#include <selvage/base/diagnostic.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace selvage {

class Descriptor;

// Payloads by key in the files of one folder, shared by any number of processes and threads.
//
//   right       An entry is written under another name and then renamed: so it is there whole or
//               not at all, even if a process is killed. An entry that is damaged, of another
//               version or key, no regular file, or writable by others counts as absent, and the
//               next put replaces it.
//   safe        The folder must belong to this user, and nobody else may write in it. It is made
//               with mode 0700. Entries are opened without following links.
//   bounded     A put that takes the entries past `bound` bytes removes those that were used
//               longest ago, down to three quarters of `bound`. Several processes may together
//               hold a little more for a moment.
//   never fatal If the folder cannot be used or written, there is no cache: `warn` is called with a
//               warning (E711), the first time only. Nothing is thrown.
class DiskCache {
 public:
  using Warn = std::function<void(const Diagnostic&)>;
  static constexpr std::uint64_t kDefaultBound = std::uint64_t{256} << 20;

  // Nothing is read or made before the first get or put. An empty folder: no cache.
  explicit DiskCache(std::filesystem::path folder, std::uint64_t bound = kDefaultBound,
                     Warn warn = warn_on_stderr);
  // The user's own, in disk_cache_folder() with disk_cache_bound(), as they are at the first call.
  static DiskCache& instance();
  static void warn_on_stderr(const Diagnostic& warning);

  // Marks the entry as used.
  std::optional<std::vector<std::byte>> get(std::string_view key);
  // Keeps the payload, replacing the key's former one; not if it is larger than the bound.
  void put(std::string_view key, std::span<const std::byte> payload);
  // Removes every entry; other files in the folder stay.
  void clear();

  struct Contents {
    std::size_t entries = 0;
    std::uint64_t bytes = 0;
  };
  Contents contents();
  const std::filesystem::path& folder() const { return folder_; }
  std::uint64_t bound() const { return bound_; }

 private:
  enum class Absent { Fine, Make };
  Descriptor open_folder(Absent absent);
  bool write_entry(int folder, const std::string& name, std::span<const std::byte> entry);
  void bound_entries(int folder, const std::string& newest, std::uint64_t bytes);
  void warn(const std::string& why, const std::string& help);

  std::filesystem::path folder_;
  std::uint64_t bound_;
  Warn warn_;
  std::mutex mutex_;  // over what follows
  bool warned_ = false;
  std::uint64_t written_ = 0;  // since the folder was last listed
  std::uint64_t allowed_ = 0;  // to be written before it is listed again
};

// $SELVAGE_CACHE_DIR; else $XDG_CACHE_HOME/selvage; else $HOME/.cache/selvage. Empty if
// SELVAGE_CACHE_DIR is set to nothing, or none of the three is set.
std::filesystem::path disk_cache_folder();
// $SELVAGE_CACHE_BYTES, else the default; a value that is no number is ignored with a warning
// (E712).
std::uint64_t disk_cache_bound(const DiskCache::Warn& warn = DiskCache::warn_on_stderr);

}  // namespace selvage
