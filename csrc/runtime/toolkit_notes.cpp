#include <selvage/runtime/packed.h>
#include <selvage/runtime/toolkit_notes.h>

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace selvage {

namespace {

constexpr std::size_t kMostNotes = 16;
constexpr std::string_view kKey = "toolkits, version 1";

}  // namespace

std::vector<ToolkitNote> toolkits_on(DiskCache& disk) {
  std::vector<ToolkitNote> notes;
  const auto bytes = disk.get(kKey);
  if (!bytes) return notes;
  Unpacker from(*bytes);
  for (std::size_t n = std::min(from.count(), kMostNotes); n > 0 && from.good(); --n) {
    ToolkitNote note;
    note.toolkit.version = static_cast<int>(from.number(std::numeric_limits<int>::max()));
    note.toolkit.library = from.text();
    note.state = from.text();
    if (from.good()) notes.push_back(std::move(note));
  }
  return notes;
}

void note_toolkit(DiskCache& disk, const Toolkit& toolkit) {
  const ToolkitNote note = {toolkit, state_of(toolkit.library)};
  std::vector<ToolkitNote> notes = toolkits_on(disk);
  if (!notes.empty() && notes.front() == note) return;
  std::erase_if(notes, [&](const ToolkitNote& old) { return old.toolkit == toolkit; });
  notes.insert(notes.begin(), note);
  if (notes.size() > kMostNotes) notes.resize(kMostNotes);
  Packer list;
  list.number(notes.size());
  for (const ToolkitNote& each : notes) {
    list.number(static_cast<std::uint64_t>(each.toolkit.version));
    list.text(each.toolkit.library);
    list.text(each.state);
  }
  disk.put(kKey, list.take());
}

std::string state_of(const std::string& library) {
  struct stat about;
  if (library.empty() || ::stat(library.c_str(), &about) != 0) return {};
  const char* path = std::getenv("LD_LIBRARY_PATH");
  return fmt::format("{} {}.{} {}", about.st_size, about.st_mtim.tv_sec, about.st_mtim.tv_nsec,
                     path == nullptr ? "" : path);
}

}  // namespace selvage
