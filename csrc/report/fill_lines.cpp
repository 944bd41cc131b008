#include <selvage/expr/text.h>
#include <selvage/report/fill_lines.h>
#include <selvage/report/point.h>

#include <nlohmann/json.hpp>

#include <cmath>

namespace selvage {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongest = 400;  // of a number of holes as text

// A witness with a value for every size.
Point witness(const TensorReport& tensor, const Verdict& verdict) {
  const auto* refuted = std::get_if<Refuted>(&verdict);
  return refuted == nullptr || refuted->point.empty() ? Point{} : completed(tensor, refuted->point);
}

std::string with_point(const TensorReport& tensor, const Finding& finding) {
  const Point at = witness(tensor, finding.verdict);
  return finding.reason + (at.empty() ? "" : ", at " + to_text(at));
}

std::string word(const Verdict& verdict) {
  return is_proved(verdict)                         ? "proved"
         : std::holds_alternative<Refuted>(verdict) ? "refuted"
                                                    : "unknown";
}

// Does it happen? The verdict is of the claim that it does not.
Json happens(const Verdict& verdict) {
  if (std::holds_alternative<Unknown>(verdict)) return nullptr;
  return !is_proved(verdict);
}

std::string text_of(Expr number) {
  return text_length(number, kLongest) > kLongest ? "a number of sizes" : to_string(number);
}

// 32 of 512 elements are holes, the first one element 60
std::string count_text(const Fills& fills) {
  const std::string elements = text_of(fills.elements) + " elements";
  if (!fills.holes) return "it is not known how many of " + elements + " are holes";
  const bool is_one = fills.holes->is_const(1);
  std::string text =
      text_of(*fills.holes) + " of " + elements + (is_one ? " is a hole" : " are holes");
  if (fills.first) text += ", the first one element " + std::to_string(*fills.first);
  return text;
}

Json json_of(const Point& point) {
  Json json = Json::object();
  for (const auto& [symbol, value] : point) json[std::string(symbol.name())] = value;
  return json;
}

Json json_of(const Scalar& value) {
  if (value.type == DataType::Float || value.type == DataType::Double) {
    const double real = value.type == DataType::Float ? double(value.single) : value.real;
    if (!std::isfinite(real)) return to_text(value);
    if (!whole(value)) return real;
  }
  return *whole(value);
}

}  // namespace

void print_fill(const TensorReport& tensor, Lines& out) {
  if (!tensor.legality.fills) return;
  const Fills& fills = *tensor.legality.fills;
  const auto say = [&](const std::string& text, const Finding& f) {
    out.line(2, text + with_point(tensor, f) + " (" + word(f.verdict) + ")");
  };
  out.heading("Fill: " + count_text(fills));
  if (!fills.is_strong || fills.fits) say("", fills.reader.only_items);
  if (!fills.reader.inside.is_legal()) say("", fills.reader.inside);
  if (!is_proved(fills.unguarded.only_items.verdict) &&
      is_proved(fills.reader.only_items.verdict)) {
    say("without its guard ", fills.unguarded.only_items);
    const bool may_go = fills.unguarded.inside.is_legal() &&
                        (!fills.unguarded.once || fills.unguarded.once->is_legal());
    if (!fills.unguarded.inside.is_legal()) {
      say("without its guard ", fills.unguarded.inside);
    } else if (may_go) {
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

std::string fill_json(const TensorReport& tensor, const Fills& fills) {
  const auto number = [](Expr n) { return n.is(Op::Const) ? Json(n.value()) : Json(text_of(n)); };
  Json json = {{"holes", fills.holes ? number(*fills.holes) : Json(nullptr)}};
  json["elements"] = number(fills.elements);
  if (fills.first) json["first"] = *fills.first;
  json["read"] = happens(fills.reader.only_items.verdict);
  json["needs"] = fills.is_strong ? "strong" : "weak";
  json["initialise"] = !fills.initialised.is_legal();
  if (fills.value) json["value"] = json_of(*fills.value);
  json["verdict"] = word(fills.initialised.verdict);
  const Point at = witness(tensor, fills.initialised.verdict);
  if (!at.empty()) json["witness"] = json_of(at);
  json["reason"] = fills.initialised.reason;
  Json& unguarded = json["unguarded"] = Json::object();
  unguarded["read"] = happens(fills.unguarded.only_items.verdict);
  unguarded["inside"] = happens(fills.unguarded.inside.verdict).is_null()
                            ? Json(nullptr)
                            : Json(fills.unguarded.inside.is_legal());
  if (fills.unguarded.once) unguarded["once"] = fills.unguarded.once->is_legal();
  const Point met = witness(tensor, fills.unguarded.only_items.verdict);
  if (!met.empty()) unguarded["witness"] = json_of(met);
  if (fills.unguarded.element) unguarded["element"] = *fills.unguarded.element;
  return json.dump();
}

}  // namespace selvage
