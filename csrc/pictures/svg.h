#pragma once

#include <string>
#include <string_view>

namespace selvage {

// Text as it may stand in XML, in an element or between double quotes: < > & and quotes escaped,
// and what is no character of XML (control characters, broken UTF-8) shown as U+FFFD.
std::string xml_escaped(std::string_view text);

// How many columns a text takes: one per character, two for those that are written wide.
int columns_of(std::string_view text);
// The text where it has at most that many columns, else its beginning and an ellipsis.
std::string shortened(std::string_view text, int columns);

// How text is set. All but Title, Heading and Note are monospaced, so that their widths are known.
enum class TextStyle : unsigned char { Title, Heading, Note, Label, Small, Tiny, Micro };
int font_size(TextStyle style);  // pixels
// No narrower than the text will be, in pixels.
int text_width(std::string_view text, TextStyle style);

enum class Anchor : unsigned char { Start, Middle, End };

// A drawing in whole pixels, x to the right and y down, that knows how large it is: everything
// lies in [0, width) x [0, height). Elements stand in the order of the calls.
class Drawing {
 public:
  // `classes` are those of picture_style.h. A title is what a reader of the picture is told of the
  // element: shown where the mouse rests, spoken by a screen reader; empty: none.
  void rect(int x, int y, int width, int height, std::string_view classes,
            std::string_view title = {}, int radius = 0);
  // `y` is the base line.
  void text(int x, int y, std::string_view text, TextStyle style, Anchor anchor = Anchor::Start,
            std::string_view classes = {});
  // What is said beside a drawing: muted.
  void note(int x, int y, std::string_view text) {
    this->text(x, y, text, TextStyle::Note, Anchor::Start, "muted");
  }
  void line(int x1, int y1, int x2, int y2, std::string_view classes);
  // `data` as in the d attribute of a path; the caller says by `cover` how far it reaches.
  void path(std::string_view data, std::string_view classes, std::string_view title = {});
  // Everything from here to `close` is told as one thing, with that title.
  void open(std::string_view classes, std::string_view title = {});
  void close();
  // Another drawing, moved there; `scale` in thousandths.
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
