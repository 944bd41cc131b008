#include <selvage/pictures/svg.h>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace selvage {

namespace {

constexpr char32_t kNoCharacter = 0xFFFD;

// The character at `at`, which moves past it; kNoCharacter for a byte that begins none.
char32_t next_character(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at++);
  if (first < 0x80) return first;
  const int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
  if (first < 0xC2 || first > 0xF4 || at + std::size_t(more) > text.size()) return kNoCharacter;
  char32_t c = first & (0x3Fu >> more);
  for (int i = 0; i < more; ++i) {
    if ((byte(at + std::size_t(i)) & 0xC0) != 0x80) return kNoCharacter;
    c = c << 6 | (byte(at + std::size_t(i)) & 0x3Fu);
  }
  const char32_t least[] = {0x80, 0x800, 0x10000};
  const bool is_surrogate = c >= 0xD800 && c < 0xE000;
  if (c < least[more - 1] || c > 0x10FFFF || is_surrogate) return kNoCharacter;
  at += std::size_t(more);
  return c;
}

// Whether XML 1.0 allows a character in a text. Control characters, which no picture can show, are
// excluded.
bool is_shown(char32_t c) {
  return c >= 0x20 && c != 0x7F && !(c >= 0x80 && c < 0xA0) && c != 0xFFFE && c != 0xFFFF;
}

int columns_of(char32_t c) {
  const bool is_wide = (c >= 0x1100 && c < 0x1160) || (c >= 0x2E80 && c < 0xA4D0) ||
                       (c >= 0xAC00 && c < 0xD7A4) || (c >= 0xF900 && c < 0xFB00) ||
                       (c >= 0xFE30 && c < 0xFE70) || (c >= 0xFF00 && c < 0xFF61) || c >= 0x1F300;
  return is_wide ? 2 : 1;
}

struct Face {
  const char* name;  // the class
  int size;          // pixels
  int advance;       // of a column, in thousandths of the size
};
// A bold or proportional letter is no wider than this on the whole.
constexpr Face kFaces[] = {
    {"title", 17, 660}, {"heading", 13, 640}, {"note", 12, 580}, {"label", 12, 612},
    {"small", 10, 612}, {"tiny", 9, 612},     {"micro", 8, 612},
};
const Face& face(TextStyle style) { return kFaces[std::size_t(style)]; }

void append_title(std::string& out, std::string_view title) {
  if (!title.empty()) out += "<title>" + xml_escaped(title) + "</title>";
}

// Ends an element that has no content but its title.
void end_element(std::string& out, std::string_view name, std::string_view title) {
  if (title.empty()) {
    out += "/>\n";
    return;
  }
  out += ">";
  append_title(out, title);
  out += fmt::format("</{}>\n", name);
}

}  // namespace

std::string xml_escaped(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t c = next_character(text, at);
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default:
        if (is_shown(c) && c != kNoCharacter) {
          out += text.substr(begin, at - begin);
        } else {
          out += "\xEF\xBF\xBD";
        }
    }
  }
  return out;
}

int columns_of(std::string_view text) {
  int columns = 0;
  for (std::size_t at = 0; at < text.size();) columns += columns_of(next_character(text, at));
  return columns;
}

std::string shortened(std::string_view text, int columns) {
  int taken = 0;
  std::size_t end = 0;  // of what fits beside the ellipsis
  for (std::size_t at = 0; at < text.size();) {
    taken += columns_of(next_character(text, at));
    if (taken < columns) end = at;
    if (taken > columns) return std::string(text.substr(0, end)) + "\xE2\x80\xA6";
  }
  return std::string(text);
}

int font_size(TextStyle style) { return face(style).size; }

int text_width(std::string_view text, TextStyle style) {
  return (columns_of(text) * face(style).size * face(style).advance + 999) / 1000;
}

void Drawing::cover(int x, int y) {
  width_ = std::max(width_, x);
  height_ = std::max(height_, y);
}

void Drawing::rect(int x, int y, int width, int height, std::string_view classes,
                   std::string_view title, int radius) {
  fmt::format_to(std::back_inserter(text_),
                 R"(<rect class="{}" x="{}" y="{}" width="{}" height="{}")", classes, x, y, width,
                 height);
  if (radius > 0) fmt::format_to(std::back_inserter(text_), R"( rx="{}")", radius);
  end_element(text_, "rect", title);
  cover(x + width, y + height);
}

void Drawing::text(int x, int y, std::string_view text, TextStyle style, Anchor anchor,
                   std::string_view classes) {
  constexpr const char* kAnchors[] = {"", " middle", " end"};
  fmt::format_to(std::back_inserter(text_),
                 R"(<text class="{}{}{}{}" x="{}" y="{}">{}</text>)"
                 "\n",
                 face(style).name, kAnchors[std::size_t(anchor)], classes.empty() ? "" : " ",
                 classes, x, y, xml_escaped(text));
  const int width = text_width(text, style);
  const int before = anchor == Anchor::Start ? 0 : anchor == Anchor::End ? width : width / 2;
  cover(x - before + width, y + font_size(style) / 3);
}

void Drawing::line(int x1, int y1, int x2, int y2, std::string_view classes) {
  path(fmt::format("M{} {}L{} {}", x1, y1, x2, y2), classes);
  cover(std::max(x1, x2), std::max(y1, y2));
}

void Drawing::path(std::string_view data, std::string_view classes, std::string_view title) {
  fmt::format_to(std::back_inserter(text_), R"(<path class="{}" d="{}")", classes, data);
  end_element(text_, "path", title);
}

void Drawing::open(std::string_view classes, std::string_view title) {
  fmt::format_to(std::back_inserter(text_), R"(<g class="{}">)", classes);
  append_title(text_, title);
  text_ += "\n";
}

void Drawing::close() { text_ += "</g>\n"; }

void Drawing::place(const Drawing& drawing, int x, int y, int scale) {
  const std::string smaller = scale == 1000 ? "" : fmt::format(" scale({})", scale / 1000.0);
  fmt::format_to(std::back_inserter(text_), "<g transform=\"translate({} {}){}\">\n{}</g>\n", x, y,
                 smaller, drawing.elements());
  cover(x + (drawing.width() * scale + 999) / 1000, y + (drawing.height() * scale + 999) / 1000);
}

}  // namespace selvage
