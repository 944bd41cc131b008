#include <selvage/base/check.h>
#include <selvage/base/diagnostic.h>
#include <selvage/frontend/whole_file.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace selvage {

FileToRead open_regular_file(const std::string& path, std::string_view what,
                             std::string_view kind) {
  const auto refuse = [&](const std::string& why) {
    throw BadInput({.code = "E602",
                    .place = {path, 0, 0},
                    .message = "cannot read the " + std::string(what) + ": " + why,
                    .help = "name a " + std::string(kind) + " file that can be read"});
  };
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) refuse(std::strerror(errno));
  if (!S_ISREG(status.st_mode)) refuse("it is not a regular file");
  FileToRead opened{OwnedFile(std::fopen(path.c_str(), "rb")), status.st_size};
  if (!opened.file) refuse(std::strerror(errno));
  return opened;
}

void write_whole_file(const std::string& path, std::string_view what,
                      std::span<const std::span<const std::byte>> parts) {
  const auto refuse = [&](const std::string& why) {
    throw BadInput({.code = "E603",
                    .place = {path, 0, 0},
                    .message = "cannot write the " + std::string(what) + ": " + why,
                    .help = "name a file in a directory that exists and can be written to"});
  };
  const auto write_to = [&](std::FILE* out) {
    for (const std::span<const std::byte> part : parts) {
      if (part.empty()) continue;
      if (std::fwrite(part.data(), 1, part.size(), out) != part.size()) {
        refuse(std::strerror(errno));
      }
    }
    if (std::fflush(out) != 0) refuse(std::strerror(errno));
  };

  std::error_code error;
  const std::filesystem::path target = std::filesystem::weakly_canonical(path, error);
  if (error) refuse(error.message());
  const std::filesystem::file_status status = std::filesystem::status(target, error);
  if (std::filesystem::is_directory(status)) refuse("it is a directory");
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    const OwnedFile out(std::fopen(path.c_str(), "wb"));  // a device or a pipe cannot be replaced
    if (!out) refuse(std::strerror(errno));
    write_to(out.get());
    return;
  }

  static std::atomic<int> count = 0;
  const std::string part =
      target.string() + "." + std::to_string(getpid()) + "-" + std::to_string(count++) + ".part";
  try {
    const int fd = open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) refuse(std::strerror(errno));
    const OwnedFile out(fdopen(fd, "wb"));
    SELVAGE_CHECK(out != nullptr);
    write_to(out.get());
    if (std::rename(part.c_str(), target.c_str()) != 0) refuse(std::strerror(errno));
  } catch (...) {
    unlink(part.c_str());
    throw;
  }
}

}  // namespace selvage
