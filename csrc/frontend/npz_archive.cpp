#include <selvage/base/check.h>
#include <selvage/base/diagnostic.h>
#include <selvage/frontend/npz_archive.h>
#include <selvage/frontend/whole_file.h>

#include <zip.h>

#include <algorithm>
#include <ctime>

namespace selvage {

namespace {

struct FreeSource {
  void operator()(zip_source_t* source) const { zip_source_free(source); }
};
using ZipSource = std::unique_ptr<zip_source_t, FreeSource>;

struct CloseMember {
  void operator()(zip_file_t* member) const { zip_fclose(member); }
};

struct ZipError {
  ZipError() { zip_error_init(&error); }
  ~ZipError() { zip_error_fini(&error); }
  ZipError(const ZipError&) = delete;
  ZipError& operator=(const ZipError&) = delete;
  zip_error_t error;
};

[[noreturn]] void refuse_archive(const std::string& path, const std::string& why) {
  throw BadInput({.code = "E602",
                  .place = {path, 0, 0},
                  .message = why,
                  .help = "save the matrix again with scipy.sparse.save_npz"});
}

}  // namespace

void NpzArchive::Discard::operator()(zip* archive) const { zip_discard(archive); }

NpzArchive::NpzArchive(const std::string& path) : path_(path) {
  FileToRead in = open_regular_file(path, "matrix", ".npz");
  file_size_ = static_cast<std::uint64_t>(in.size);
  ZipError why;
  ZipSource source(zip_source_filep_create(in.file.get(), 0, -1, &why.error));
  if (source) {
    static_cast<void>(in.file.release());  // the source closes it
    archive_.reset(zip_open_from_source(source.get(), ZIP_RDONLY, &why.error));
  }
  if (!archive_) {
    if (zip_error_code_zip(&why.error) == ZIP_ER_NOZIP) {
      refuse_archive(path_, "not a .npz file: it is no zip archive, or not a whole one");
    }
    refuse_archive(path_, "the zip archive is damaged");
  }
  static_cast<void>(source.release());  // the archive frees it
}

std::optional<std::uint64_t> NpzArchive::index_of(const std::string& member) const {
  std::optional<std::uint64_t> found;
  const auto entries = static_cast<zip_uint64_t>(zip_get_num_entries(archive_.get(), 0));
  for (zip_uint64_t k = 0; k < entries; ++k) {
    const char* name = zip_get_name(archive_.get(), k, ZIP_FL_ENC_RAW);
    if (name == nullptr || member != name) continue;
    if (found) refuse_archive(path_, "there are two members " + member);
    found = k;
  }
  return found;
}

std::string NpzArchive::bytes(const std::string& member, std::uint64_t most) const {
  const auto refuse = [&](const std::string& why) {
    refuse_archive(path_, "the member " + member + " " + why);
  };
  const std::optional<std::uint64_t> index = index_of(member);
  SELVAGE_CHECK(index);
  zip_stat_t stat;
  constexpr zip_uint64_t kNeeded =
      ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
  if (zip_stat_index(archive_.get(), *index, 0, &stat) != 0 || (stat.valid & kNeeded) != kNeeded) {
    refuse("is damaged: its size is not stated");
  }
  if (stat.encryption_method != ZIP_EM_NONE) refuse("is encrypted");
  const bool is_stored = stat.comp_method == ZIP_CM_STORE;
  if (!is_stored && stat.comp_method != ZIP_CM_DEFLATE) {
    refuse("is compressed by the method " + std::to_string(stat.comp_method) +
           " of zip, neither stored nor deflated");
  }
  // What is deflated can inflate to no more than 1,032 times its size.
  const bool can_be = is_stored ? stat.size == stat.comp_size : stat.size / 1032 <= stat.comp_size;
  if (stat.comp_size > file_size_ || !can_be) {
    refuse("is damaged: " + std::to_string(stat.size) + " bytes cannot lie in " +
           std::to_string(std::min<std::uint64_t>(stat.comp_size, file_size_)));
  }
  if (stat.size > most) refuse("has " + std::to_string(stat.size) + " bytes, which is too long");

  const std::unique_ptr<zip_file_t, CloseMember> in(zip_fopen_index(archive_.get(), *index, 0));
  if (!in) refuse("is damaged: it cannot be opened");
  std::string bytes;
  constexpr std::uint64_t kStep = 1 << 16;
  // One byte more is asked for than there should be: libzip compares the checksum at the end.
  for (zip_int64_t n = 1; n > 0 && bytes.size() <= stat.size;) {
    const std::size_t before = bytes.size();
    bytes.resize(before + std::min<std::uint64_t>(stat.size - before + 1, kStep));
    n = zip_fread(in.get(), &bytes[before], bytes.size() - before);
    if (n < 0 && before == stat.size) refuse("is damaged: its checksum is another");
    n = std::max<zip_int64_t>(n, 0);
    bytes.resize(before + static_cast<std::size_t>(n));
  }
  if (bytes.size() != stat.size) {
    refuse("is damaged: it does not inflate to the " + std::to_string(stat.size) +
           " bytes that the archive states");
  }
  return bytes;
}

std::string npz_archive(const std::vector<std::pair<std::string, std::string>>& members,
                        const std::string& path) {
  const auto refuse = [&](zip_error_t* why) {
    throw BadInput({.code = "E603",
                    .place = {path, 0, 0},
                    .message = "cannot write the matrix: " + std::string(zip_error_strerror(why)),
                    .help = "free some memory"});
  };
  ZipError why;
  ZipSource result(zip_source_buffer_create(nullptr, 0, 0, &why.error));
  if (!result) refuse(&why.error);
  std::unique_ptr<zip, NpzArchive::Discard> archive(
      zip_open_from_source(result.get(), ZIP_TRUNCATE, &why.error));
  if (!archive) refuse(&why.error);
  zip_source_keep(result.get());  // once for the archive, once for `result`
  // Every file has the first date that zip knows, so that equal matrices are equal files.
  std::tm date{};
  date.tm_year = 80;
  date.tm_mday = 1;
  date.tm_isdst = -1;
  const std::time_t time = std::mktime(&date);
  for (const auto& [name, bytes] : members) {
    ZipSource source(zip_source_buffer(archive.get(), bytes.data(), bytes.size(), 0));
    if (!source) refuse(zip_get_error(archive.get()));
    const zip_int64_t index = zip_file_add(archive.get(), name.c_str(), source.get(), 0);
    if (index < 0) refuse(zip_get_error(archive.get()));
    static_cast<void>(source.release());  // the archive frees it
    const auto at = static_cast<zip_uint64_t>(index);
    if (zip_set_file_compression(archive.get(), at, ZIP_CM_DEFLATE, 6) != 0 ||
        zip_file_set_mtime(archive.get(), at, time, 0) != 0) {
      refuse(zip_get_error(archive.get()));
    }
  }
  if (zip_close(archive.get()) != 0) refuse(zip_get_error(archive.get()));
  static_cast<void>(archive.release());  // closing has freed it

  zip_source_t* out = result.get();
  std::string text;
  if (zip_source_open(out) != 0 || zip_source_seek(out, 0, SEEK_END) != 0) {
    refuse(zip_source_error(out));
  }
  text.resize(static_cast<std::size_t>(std::max<zip_int64_t>(zip_source_tell(out), 0)));
  if (zip_source_seek(out, 0, SEEK_SET) != 0 ||
      zip_source_read(out, text.data(), text.size()) != static_cast<zip_int64_t>(text.size())) {
    refuse(zip_source_error(out));
  }
  zip_source_close(out);
  return text;
}

}  // namespace selvage
