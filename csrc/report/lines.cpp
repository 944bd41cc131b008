#include <selvage/report/lines.h>

#include <algorithm>

namespace selvage {

void Lines::line(std::size_t indent, std::string_view text) {
  indent = std::min(indent, kColumns / 2);
  std::size_t hanging = indent;
  for (;;) {
    const std::size_t room = kColumns - hanging;
    std::size_t end = text.size();
    if (text.size() > room) {
      const std::size_t blank = text.rfind(' ', room);
      // A word that is longer than a line is cut.
      end = blank == std::string_view::npos || blank == 0 ? room : blank;
    }
    text_ += std::string(hanging, ' ');
    text_ += text.substr(0, end);
    text_ += '\n';
    text.remove_prefix(end);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    if (text.empty()) return;
    hanging = indent + 4;
  }
}

void Lines::verbatim(std::size_t indent, std::string_view text) {
  text_ += std::string(indent, ' ') + std::string(text) + "\n";
}

void Lines::blank() {
  if (!text_.empty() && !text_.ends_with("\n\n")) text_ += '\n';
}

void Lines::rest(std::size_t indent, std::size_t left, const char* more) {
  line(indent,
       std::string("... ") + more + " " + std::to_string(left) + " more, which --json lists");
}

void Lines::heading(const std::string& text) {
  blank();
  line(0, text);
}

}  // namespace selvage
