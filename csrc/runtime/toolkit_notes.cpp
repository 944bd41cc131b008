#include <selvage/runtime/packed_kernels.h>
#include <selvage/runtime/toolkit_notes.h>

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdlib>

namespace selvage {

namespace {

constexpr std::size_t kMostNotes = 16;
constexpr std::string_view kKey = "toolkits, version 1";

}  // namespace

auto fields(MaybeConst<Toolkit> auto& t) { return std::tie(t.version, t.library); }
auto fields(MaybeConst<ToolkitNote> auto& n) { return std::tie(n.toolkit, n.state); }

std::vector<ToolkitNote> toolkits_on(DiskCache& disk) {
  const auto bytes = disk.get(kKey);
  if (!bytes) return {};
  return unpacked<std::vector<ToolkitNote>>(*bytes).value_or(std::vector<ToolkitNote>());
}

void note_toolkit(DiskCache& disk, const Toolkit& toolkit) {
  const ToolkitNote note = {toolkit, state_of(toolkit.library)};
  std::vector<ToolkitNote> notes = toolkits_on(disk);
  if (!notes.empty() && notes.front() == note) return;
  std::erase_if(notes, [&](const ToolkitNote& old) { return old.toolkit == toolkit; });
  notes.insert(notes.begin(), note);
  if (notes.size() > kMostNotes) notes.resize(kMostNotes);
  disk.put(kKey, packed(notes));
}

std::string state_of(const std::string& library) {
  struct stat about;
  if (library.empty() || ::stat(library.c_str(), &about) != 0) return {};
  const char* path = std::getenv("LD_LIBRARY_PATH");
  return fmt::format("{} {}.{} {}", about.st_size, about.st_mtim.tv_sec, about.st_mtim.tv_nsec,
                     path == nullptr ? "" : path);
}

}  // namespace selvage
