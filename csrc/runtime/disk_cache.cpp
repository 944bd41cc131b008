#include <selvage/runtime/cache_entry.h>
#include <selvage/runtime/cache_folder.h>
#include <selvage/runtime/disk_cache.h>

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <tuple>

namespace selvage {

namespace {

constexpr std::string_view kTemporary = "new-";
// Writing an entry takes milliseconds: what is older was left by a process that died.
constexpr std::time_t kLifeOfTemporary = 600;

std::string words_of(int error) { return std::generic_category().message(error); }

std::uint64_t bytes_of(const struct stat& file) {
  return file.st_size < 0 ? 0 : static_cast<std::uint64_t>(file.st_size);
}

auto last_use(const NamedFile& file) {
  return std::tie(file.about.st_mtim.tv_sec, file.about.st_mtim.tv_nsec, file.name);
}

// An entry, or what stands under the name of one; a folder there is none of ours.
bool is_entry(const NamedFile& file) {
  return is_entry_name(file.name) && !S_ISDIR(file.about.st_mode);
}

bool is_temporary(const NamedFile& file) {
  return file.name.starts_with(kTemporary) && file.name.size() == kTemporary.size() + 16 &&
         S_ISREG(file.about.st_mode);
}

// The first folder on the way to it that is no folder; else itself, which may not be a link either.
std::filesystem::path first_that_is_no_folder(const std::filesystem::path& folder) {
  std::filesystem::path part;
  std::error_code ignored;
  for (const std::filesystem::path& name : folder) {
    part /= name;
    if (part != folder && !std::filesystem::is_directory(part, ignored)) return part;
  }
  return folder;
}

bool is_stale(const NamedFile& file) {
  const std::time_t age = std::time(nullptr) - file.about.st_mtim.tv_sec;
  return age > kLifeOfTemporary || age < -kLifeOfTemporary;  // the clock may have been set back
}

}  // namespace

DiskCache::DiskCache(std::filesystem::path folder, std::uint64_t bound, Warn warn)
    : folder_(std::move(folder)), bound_(bound), warn_(std::move(warn)) {
  // Behind "folder/" a link would be followed.
  while (!folder_.empty() && !folder_.has_filename() && folder_ != folder_.root_path()) {
    folder_ = folder_.parent_path();
  }
}

DiskCache& DiskCache::instance() {
  // Never freed: kernels may be compiled while the process ends.
  static DiskCache& cache = *new DiskCache(disk_cache_folder(), disk_cache_bound());
  return cache;
}

void DiskCache::warn_on_stderr(const Diagnostic& warning) {
  std::fputs((to_text(warning) + "\n").c_str(), stderr);
}

void DiskCache::warn(const std::string& why, const std::string& help) {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(warned_, true)) return;
  }
  Diagnostic warning;
  warning.code = "E711";
  warning.severity = Severity::Warning;
  warning.place.file = folder_.string();
  warning.message = "compiled kernels are not kept on disk: " + why;
  warning.help = help + "; SELVAGE_CACHE_DIR names another folder, or none when it is empty";
  if (warn_) warn_(warning);
}

Descriptor DiskCache::open_folder(Absent absent) {
  if (folder_.empty()) return {};
  const auto open = [&] {
    return Descriptor(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  };
  Descriptor folder = open();
  if (!folder && errno == ENOENT) {
    if (absent == Absent::Fine) return {};
    if (make_private_folder(folder_)) folder = open();
  }
  if (!folder) {
    const int why = errno;
    if (why == ENOTDIR || why == ELOOP) {
      const std::filesystem::path wrong = first_that_is_no_folder(folder_);
      if (wrong == folder_) {
        warn("this is no folder, or a link to one", "put a folder in its place");
      } else {
        warn(wrong.string() + " is no folder", "put a folder in its place");
      }
    } else if (why == ENAMETOOLONG) {
      warn(words_of(why), "take a shorter name");
    } else {
      warn(words_of(why), "make it a folder that you can read and write");
    }
    return {};
  }
  struct stat about;
  if (::fstat(folder.get(), &about) != 0) return {};
  if (about.st_uid != ::geteuid()) {
    warn("this folder belongs to another user", "make one of your own");
    return {};
  }
  if (is_of_others(about)) {
    warn("others can write in this folder", "chmod go-w " + folder_.string());
    return {};
  }
  return folder;
}

std::optional<std::vector<std::byte>> DiskCache::get(std::string_view key) {
  const Descriptor folder = open_folder(Absent::Fine);
  if (!folder) return std::nullopt;
  const auto file = read_private_file(folder.get(), entry_name(key), bound_);
  if (!file) return std::nullopt;
  auto payload = payload_of(file->bytes, key);
  if (payload) mark_used(file->descriptor.get());
  return payload;
}

void DiskCache::put(std::string_view key, std::span<const std::byte> payload) {
  if (folder_.empty() || payload.size() > bound_) return;
  const std::vector<std::byte> entry = to_entry(key, payload);
  if (entry.size() > bound_) return;
  const Descriptor folder = open_folder(Absent::Make);
  if (!folder) return;
  const std::string name = entry_name(key);
  if (write_entry(folder.get(), name, entry)) {
    bound_entries(folder.get(), name, entry.size());
  } else {
    warn(words_of(errno), "make room on its disk, and see that you can write in it");
  }
}

// False, with errno, where the entry could not be written.
bool DiskCache::write_entry(int folder, const std::string& name, std::span<const std::byte> entry) {
  const std::string temporary = std::string(kTemporary) + random_digits();
  if (!write_new_file(folder, temporary, entry)) return false;
  const auto rename = [&] {
    return ::renameat(folder, temporary.c_str(), folder, name.c_str()) == 0;
  };
  if (rename()) return true;
  if (errno == EISDIR && ::unlinkat(folder, name.c_str(), AT_REMOVEDIR) == 0 && rename()) {
    return true;
  }
  const int why = errno;
  ::unlinkat(folder, temporary.c_str(), 0);
  errno = why;
  // Somebody has cleared the folder in between: nothing is wrong with it.
  return why == ENOENT;
}

// The folder is listed when this process has written an eighth of the room that was left the last
// time: eight processes at once keep the bound, and a put costs no listing of its own.
void DiskCache::bound_entries(int folder, const std::string& newest, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  written_ += bytes;
  if (written_ <= allowed_) return;

  std::uint64_t held = 0;
  std::vector<NamedFile> entries;
  for (NamedFile& file : files_in(folder)) {
    if (is_temporary(file) && is_stale(file)) ::unlinkat(folder, file.name.c_str(), 0);
    if (!is_entry(file)) continue;
    held += bytes_of(file.about);
    entries.push_back(std::move(file));
  }
  if (held > bound_) {
    std::ranges::sort(entries, {}, last_use);
    for (const NamedFile& entry : entries) {
      if (held <= bound_ / 4 * 3) break;
      if (entry.name == newest) continue;
      // One that another process has just removed is gone as well.
      if (::unlinkat(folder, entry.name.c_str(), 0) == 0 || errno == ENOENT) {
        held -= bytes_of(entry.about);
      }
    }
  }
  written_ = 0;
  allowed_ = held < bound_ ? (bound_ - held) / 8 : 0;
}

void DiskCache::clear() {
  const Descriptor folder = open_folder(Absent::Fine);
  if (!folder) return;
  for (const NamedFile& file : files_in(folder.get())) {
    if (is_entry(file) || is_temporary(file)) ::unlinkat(folder.get(), file.name.c_str(), 0);
  }
}

DiskCache::Contents DiskCache::contents() {
  Contents all;
  const Descriptor folder = open_folder(Absent::Fine);
  if (!folder) return all;
  for (const NamedFile& file : files_in(folder.get())) {
    if (!is_entry(file)) continue;
    ++all.entries;
    all.bytes += bytes_of(file.about);
  }
  return all;
}

std::filesystem::path disk_cache_folder() {
  // Not in a program that runs with more rights than its user.
  if (const char* folder = ::secure_getenv("SELVAGE_CACHE_DIR")) {
    std::error_code failed;
    return *folder == '\0' ? "" : std::filesystem::absolute(folder, failed);
  }
  const auto under = [](const char* variable, const char* below) -> std::filesystem::path {
    const char* folder = ::secure_getenv(variable);
    // A relative folder is to be passed over, says the XDG specification.
    if (folder == nullptr || *folder != '/') return {};
    return std::filesystem::path(folder) / below;
  };
  const auto cache = under("XDG_CACHE_HOME", "selvage");
  return cache.empty() ? under("HOME", ".cache/selvage") : cache;
}

std::uint64_t disk_cache_bound(const DiskCache::Warn& warn) {
  const char* variable = ::secure_getenv("SELVAGE_CACHE_BYTES");
  if (variable == nullptr || *variable == '\0') return DiskCache::kDefaultBound;
  const std::string_view text = variable;
  std::uint64_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  if (error == std::errc{} && end == text.data() + text.size()) return bytes;
  Diagnostic warning;
  warning.code = "E712";
  warning.severity = Severity::Warning;
  warning.message = fmt::format("SELVAGE_CACHE_BYTES is no number of bytes: '{}'", text);
  warning.help = fmt::format("write digits alone; {} is taken", DiskCache::kDefaultBound);
  if (warn) warn(warning);
  return DiskCache::kDefaultBound;
}

}  // namespace selvage
