#pragma once

#include <string>
#include <string_view>

namespace selvage {

// The text escaped for XML, in an element or between double quotes: < > & and quotes are escaped,
// and what is no character of XML (control characters, broken UTF-8) becomes U+FFFD.
std::string xml_escaped(std::string_view text);

// The columns that a text takes: one per character, two for wide characters.
int columns_of(std::string_view text);
// The text if it has at most `columns` columns, else its beginning and an ellipsis.
std::string shortened(std::string_view text, int columns);

// Styles of text. All but Title, Heading and Note are monospaced, so that their widths are known.
enum class TextStyle : unsigned char { Title, Heading, Note, Label, Small, Tiny, Micro };
int font_size(TextStyle style);  // pixels
// An upper bound of the text's width, in pixels.
int text_width(std::string_view text, TextStyle style);

enum class Anchor : unsigned char { Start, Middle, End };

// A drawing in whole pixels, x to the right and y down, that keeps its size: everything is in
// [0, width) x [0, height). Elements stand in the order of the calls.
class Drawing {
 public:
  // `classes` are those of picture_style.h. A title is a text about the element, shown where the
  // mouse rests and spoken by a screen reader; empty: none.
  void rect(int x, int y, int width, int height, std::string_view classes,
            std::string_view title = {}, int radius = 0);
  // `y` is the base line.
  void text(int x, int y, std::string_view text, TextStyle style, Anchor anchor = Anchor::Start,
            std::string_view classes = {});
  // A muted text beside a drawing.
  void note(int x, int y, std::string_view text) {
    this->text(x, y, text, TextStyle::Note, Anchor::Start, "muted");
  }
  void line(int x1, int y1, int x2, int y2, std::string_view classes);
  // `data`: the d attribute of a path. The caller must cover() its extent.
  void path(std::string_view data, std::string_view classes, std::string_view title = {});
  // Begins a group with a title, up to close().
  void open(std::string_view classes, std::string_view title = {});
  void close();
  // Adds another drawing at a position; `scale` in thousandths.
  void place(const Drawing& drawing, int x, int y, int scale = 1000);

  void cover(int x, int y);
  int width() const { return width_; }
  int height() const { return height_; }
  const std::string& elements() const { return text_; }

 private:
  std::string text_;
  int width_ = 0, height_ = 0;
};

}  // namespace selvage
