#include <selvage/expr/text.h>
#include <selvage/report/point.h>
#include <selvage/report/tensor_lines.h>

namespace selvage {

namespace {

constexpr std::size_t kLongestNumber = 400;  // of a number of holes as text

std::string with_point(const TensorReport& tensor, const Finding& finding) {
  const Point at = witness_of(tensor, finding.verdict);
  return finding.reason + (at.empty() ? "" : ", at " + to_text(at));
}

// 32 of 512 elements are holes, the first one element 60
std::string holes_text(const Fills& fills) {
  const std::string elements = count_text(fills.elements) + " elements";
  if (!fills.holes) return "it is not known how many of " + elements + " are holes";
  const bool is_one = fills.holes->is_const(1);
  std::string text =
      count_text(*fills.holes) + " of " + elements + (is_one ? " is a hole" : " are holes");
  if (fills.first) text += ", the first one element " + std::to_string(*fills.first);
  return text;
}

}  // namespace

std::string count_text(Expr number) {
  return text_length(number, kLongestNumber) > kLongestNumber ? "a number of sizes"
                                                              : to_string(number);
}

void print_fill(const TensorReport& tensor, Lines& out) {
  if (!tensor.legality.fills) return;
  const Fills& fills = *tensor.legality.fills;
  const auto say = [&](const std::string& text, const Finding& f) {
    out.line(2, text + with_point(tensor, f) + " (" + std::string(to_string(f.verdict)) + ")");
  };
  out.heading("Fill: " + holes_text(fills));
  if (!fills.is_strong || fills.fits) say("", fills.reader.only_items);
  if (!fills.reader.inside.is_legal()) say("", fills.reader.inside);
  if (fills.unguarded && !is_proved(fills.unguarded->only_items.verdict) &&
      is_proved(fills.reader.only_items.verdict)) {
    const ReadFindings& read = *fills.unguarded;
    say("without its guard ", read.only_items);
    if (!read.inside.is_legal()) {
      say("without its guard ", read.inside);
    } else if (!read.once || read.once->is_legal()) {
      out.line(2, "its guard may go where every hole holds what changes nothing");
    }
  }
  if (!fills.is_strong) {
    out.line(2, "holes may hold anything: weak correctness is enough");
    return;
  }
  const std::string value = fills.value ? to_text(*fills.value) : "a value that the reader names";
  out.line(
      2, "holes must hold " + value + ": " +
             (fills.initialised.is_legal() ? "nothing need be done" : "they must be initialised"));
  say("", fills.initialised);
}

}  // namespace selvage
