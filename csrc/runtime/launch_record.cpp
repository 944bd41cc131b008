#include <selvage/runtime/launch_record.h>

#include <algorithm>
#include <utility>

namespace selvage {

void LaunchRecord::finished(const void* stream, Mark before) noexcept {
  for (Entry& entry : row_of(stream).entries) {
    if (entry.stream == stream && entry.order < before) entry.name = nullptr;
  }
}

void LaunchRecord::all_finished(Mark before) noexcept {
  for (Row& row : rows_) {
    for (Entry& entry : row.entries) {
      if (entry.order < before) entry.name = nullptr;
    }
  }
}

template <class Wanted>
std::vector<const std::string*> LaunchRecord::names(const Wanted& wanted) const {
  std::vector<std::pair<std::uint64_t, const std::string*>> found;
  for (const Row& row : rows_) {
    for (const Entry& entry : row.entries) {
      const std::string* name = entry.name.load(std::memory_order_acquire);
      if (name != nullptr && wanted(entry)) found.emplace_back(entry.order, name);
    }
  }
  std::ranges::sort(found, [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<const std::string*> last;
  for (std::size_t i = 0; i < std::min(found.size(), kNames); ++i) last.push_back(found[i].second);
  return last;
}

std::vector<const std::string*> LaunchRecord::pending() const {
  return names([](const Entry&) { return true; });
}

std::vector<const std::string*> LaunchRecord::pending(const void* stream, Mark since) const {
  return names([&](const Entry& entry) { return entry.stream == stream && entry.order >= since; });
}

void LaunchRecord::forget(const void* stream, Mark since) noexcept {
  for (Entry& entry : row_of(stream).entries) {
    if (entry.stream == stream && entry.order >= since) entry.name = nullptr;
  }
}

}  // namespace selvage
