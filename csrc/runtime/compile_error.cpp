#include <selvage/base/words.h>
#include <selvage/runtime/compile_error.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace selvage {

namespace {

// One error of a compiler's log.
struct Fault {
  std::string_view file;
  int line = 0;
  int column = 0;
  std::string_view message;
};

// Takes a number off the front of `text`; 0 when there is none.
int take_number(std::string_view& text) {
  int n = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), n).ptr;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return n;
}

// "file:7: error: ...", "file:7:12: error: ..." or "file(7): error: ..."
std::optional<Fault> parse_fault(std::string_view line) {
  constexpr std::string_view kMark = "error: ";
  const auto mark = line.find(kMark);
  if (mark == std::string_view::npos) return std::nullopt;
  Fault fault;
  fault.message = trimmed(line.substr(mark + kMark.size()));
  const std::string_view where = line.substr(0, mark);
  const auto end = where.find_first_of(":(");
  fault.file = where.substr(0, end);
  if (end == std::string_view::npos) return fault;
  std::string_view rest = where.substr(end + 1);
  fault.line = take_number(rest);
  if (rest.starts_with(':')) {
    rest.remove_prefix(1);
    fault.column = take_number(rest);
  }
  return fault;
}

std::string names_of(std::span<const KernelSource> sources) {
  std::vector<std::string> names;
  for (const KernelSource& source : sources) names.push_back(source.name);
  return joined(names);
}

}  // namespace

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string line_of(std::string_view text, int n) {
  const auto lines = lines_of(text);
  if (n < 1 || static_cast<std::size_t>(n) > lines.size()) return {};
  return std::string(trimmed(lines[static_cast<std::size_t>(n) - 1]));
}

Diagnostic compile_error(std::string code, std::string_view compiler,
                         std::span<const KernelSource> sources, std::string_view log) {
  std::vector<Fault> faults;
  for (std::string_view line : lines_of(log)) {
    if (auto fault = parse_fault(line)) faults.push_back(*fault);
  }
  Diagnostic d;
  d.code = std::move(code);
  if (faults.empty()) {
    d.place.file = names_of(sources);
    d.message = fmt::format("{} refuses the emitted text: {}", compiler, trimmed(log));
    return d;
  }
  const Fault& fault = faults.front();
  const auto source = std::ranges::find(sources, fault.file, &KernelSource::name);
  d.message = fmt::format("{} refuses the emitted text: {}", compiler, fault.message);
  if (source == sources.end()) {
    d.place.file = names_of(sources);
    if (!fault.file.empty()) d.notes.push_back("in " + std::string(fault.file));
  } else {
    d.place = {source->name, fault.line, fault.column};
    d.notes.push_back(fmt::format("line {}: {}", fault.line, line_of(source->text, fault.line)));
    const auto at = std::size_t(fault.line) - 1;
    if (fault.line > 0 && at < source->origins.size() && !source->origins[at].empty()) {
      d.notes.push_back("it computes " + source->origins[at]);
    }
  }
  if (faults.size() > 1) {
    d.notes.push_back(fmt::format("{} more after it", faults.size() - 1));
  }
  return d;
}

}  // namespace selvage
