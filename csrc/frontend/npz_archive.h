#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

struct zip;  // libzip's

namespace selvage {

// The zip archive that a .npz file is.
class NpzArchive {
 public:
  // Throws BadInput (E602) if it is none.
  explicit NpzArchive(const std::string& path);

  // Throws BadInput (E602) if there are two.
  bool has(const std::string& member) const { return index_of(member).has_value(); }

  // The bytes of a member that is there, stored or deflated. Throws BadInput (E602) if there are
  // more than `most`, or not those that the archive states. They are kept as they come, so that no
  // size that is merely stated reserves memory.
  std::string bytes(const std::string& member, std::uint64_t most) const;

  struct Discard {
    void operator()(zip* archive) const;
  };

 private:
  std::optional<std::uint64_t> index_of(const std::string& member) const;

  std::string path_;
  std::uint64_t file_size_ = 0;
  std::unique_ptr<zip, Discard> archive_;
};

// The bytes of an archive of these members, names and contents, deflated. The same members always
// give the same bytes. Throws BadInput (E603) of `path` if there is no memory.
std::string npz_archive(const std::vector<std::pair<std::string, std::string>>& members,
                        const std::string& path);

}  // namespace selvage
