#include <selvage/base/diagnostic.h>

namespace selvage {

namespace {

const char* name(Severity severity) { return severity == Severity::Error ? "error" : "warning"; }

}  // namespace

std::string to_text(const Diagnostic& d) {
  std::string text = d.place.file.empty() ? "selvage" : d.place.file;
  if (d.place.line > 0) {
    text += ":" + std::to_string(d.place.line) + ":" + std::to_string(d.place.column);
  }
  text += std::string(": ") + name(d.severity) + "[" + d.code + "]: " + d.message;
  for (const std::string& note : d.notes) text += "; " + note;
  if (!d.help.empty()) text += "; help: " + d.help;
  // A diagnostic is one line, even if it quotes text that has line ends.
  for (char& c : text) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

std::string to_text(const std::vector<Diagnostic>& diagnostics, std::size_t limit) {
  std::string text;
  for (std::size_t i = 0; i < diagnostics.size() && i < limit; ++i) {
    text += to_text(diagnostics[i]) + "\n";
  }
  if (diagnostics.size() > limit) {
    text += "... and " + std::to_string(diagnostics.size() - limit) + " more\n";
  }
  return text;
}

Error::Error(Diagnostic diagnostic)
    : std::runtime_error(to_text(diagnostic)), diagnostic_(std::move(diagnostic)) {}

}  // namespace selvage
