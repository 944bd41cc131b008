#include <selvage/runtime/cache_folder.h>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <memory>
#include <random>

namespace selvage {

namespace {

bool write_all(int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(file, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) errno = ENOSPC;
    if (n <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return true;
}

}  // namespace

bool make_private_folder(const std::filesystem::path& folder) {
  if (::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return true;
  if (errno != ENOENT) return false;
  const auto above = folder.parent_path();
  if (above.empty() || above == folder || !make_private_folder(above)) return false;
  return ::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST;
}

bool is_of_others(const struct stat& file) {
  return file.st_uid != ::geteuid() || (file.st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

std::optional<OpenFile> read_private_file(int folder, const std::string& name, std::uint64_t most) {
  // O_NONBLOCK: a pipe would wait for its writer.
  OpenFile file{Descriptor(::openat(folder, name.c_str(),
                                    O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)),
                {}};
  struct stat about;
  if (!file.descriptor || ::fstat(file.descriptor.get(), &about) != 0) return std::nullopt;
  if (!S_ISREG(about.st_mode) || is_of_others(about)) return std::nullopt;
  if (about.st_size < 0 || static_cast<std::uint64_t>(about.st_size) > most) return std::nullopt;
  file.bytes.resize(static_cast<std::size_t>(about.st_size));
  for (std::size_t at = 0; at < file.bytes.size();) {
    const ssize_t n = ::read(file.descriptor.get(), file.bytes.data() + at, file.bytes.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return std::nullopt;
    at += static_cast<std::size_t>(n);
  }
  return file;
}

bool write_new_file(int folder, const std::string& name, std::span<const std::byte> bytes) {
  // Past this limit a write would end the process by SIGXFSZ.
  struct rlimit limit;
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      bytes.size() > limit.rlim_cur) {
    errno = EFBIG;
    return false;
  }
  Descriptor file(
      ::openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return false;
  if (write_all(file.get(), bytes)) {
    mark_used(file.get());
    if (file.close()) return true;
  }
  const int why = errno;
  ::unlinkat(folder, name.c_str(), 0);
  errno = why;
  return false;
}

void mark_used(int file) {
  struct timespec now[2];
  ::clock_gettime(CLOCK_REALTIME, &now[1]);
  now[0] = now[1];
  ::futimens(file, now);
}

std::vector<NamedFile> files_in(int folder) {
  std::vector<NamedFile> files;
  Descriptor again(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!again) return files;
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::fdopendir(again.get()), ::closedir);
  if (!listing) return files;
  again.release();
  while (const dirent* entry = ::readdir(listing.get())) {
    NamedFile file{entry->d_name, {}};
    if (::fstatat(folder, entry->d_name, &file.about, AT_SYMLINK_NOFOLLOW) != 0) continue;
    files.push_back(std::move(file));
  }
  return files;
}

std::string random_digits() {
  std::uint64_t drawn = 0;
  if (::getrandom(&drawn, sizeof drawn, GRND_NONBLOCK) != sizeof drawn) {
    drawn = std::uint64_t{std::random_device{}()} << 32 | std::random_device{}();
  }
  return fmt::format("{:016x}", drawn);
}

}  // namespace selvage
