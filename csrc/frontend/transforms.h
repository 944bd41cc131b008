#pragma once

#include <selvage/frontend/schedule_file.h>
#include <selvage/frontend/symbols.h>

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace selvage {

// The parts of a file that use an iterdomain as input of a transform, each at most once.
enum class Feeds : std::uint8_t { View, Transforms, Read, Layout };
inline constexpr std::size_t kFeeds = 4;

// The iterdomain names of one tensor, numbered in the order of the file.
class DomainNames {
 public:
  struct Domain {
    std::string name;
    Place place;
    std::array<bool, kFeeds> feeds = {};  // by Feeds
  };

  DomainNames(std::string tensor, const FileSymbols& symbols, const Diagnostics& errors)
      : tensor_(std::move(tensor)), symbols_(symbols), errors_(errors) {}

  // A new name (E104, E201 to E204).
  std::size_t define(const std::string& name, const Place& place);
  // The number of a name that exists (E205).
  std::size_t find(const Node& node, std::string_view what) const;
  std::size_t find(const std::string& name, const Place& place, std::string_view what) const;
  // The same, and notes that it is an input of a transform; E306 if it is one already.
  std::size_t feed(const Node& node, std::string_view what, Feeds feeds);

  // A copy for another tensor, which begins with the same names.
  DomainNames of(std::string tensor) const {
    DomainNames copy = *this;
    copy.tensor_ = std::move(tensor);
    return copy;
  }
  bool has(const std::string& name) const { return positions_.count(name) != 0; }

  const std::string& tensor() const { return tensor_; }
  const std::vector<Domain>& all() const { return domains_; }
  std::size_t size() const { return domains_.size(); }

 private:
  std::string tensor_;
  const FileSymbols& symbols_;
  const Diagnostics& errors_;
  std::vector<Domain> domains_;
  std::unordered_map<std::string, std::size_t> positions_;
  std::unordered_map<std::size_t, Place> fed_[kFeeds];
};

// Reads `split: {in: I0, factor: 6, out: [I1, I2]}` or another transform, by `entry.key`. Defines
// the names in `out` even if something else is wrong, so that one mistake is reported once. E304
// for an unknown kind of transform.
FileTransform read_transform(const Entry& entry, DomainNames& names, SizeScope& sizes, Feeds feeds,
                             Diagnostics& errors);
// A list of them; counts against kMostTransforms (E104).
std::vector<FileTransform> read_transforms(const Node& list, std::string_view what,
                                           DomainNames& names, SizeScope& sizes, Feeds feeds,
                                           std::int64_t& count, Diagnostics& errors);
// Refuses amounts that have no value (E311, E402); writes the others in canonical form.
void check_amounts(std::span<FileTransform> transforms, const DomainNames& names, SizeScope& sizes,
                   Diagnostics& errors);

// The transform between iterdomains; `domains`: by name. Its outputs are not set.
Transform request(const FileTransform& transform, std::span<const DomainId> domains);
// The names of its outputs.
std::vector<std::string> names_made(const FileTransform& transform, const DomainNames& names);

}  // namespace selvage
