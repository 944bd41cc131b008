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
  if (fills.unguarded && !is_proved(fills.unguarded->only_items.verdict) &&
      is_proved(fills.reader.only_items.verdict)) {
    const Meeting& m = *fills.unguarded;
    say("without its guard ", m.only_items);
    if (!m.inside.is_legal()) {
      say("without its guard ", m.inside);
    } else if (!m.once || m.once->is_legal()) {
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
  if (!fills.unguarded) return json.dump();
  const Meeting& m = *fills.unguarded;
  Json& unguarded = json["unguarded"] = Json::object();
  unguarded["read"] = happens(m.only_items.verdict);
  const Json leaves = happens(m.inside.verdict);
  unguarded["inside"] = leaves.is_null() ? leaves : Json(!leaves.get<bool>());
  if (m.once) unguarded["once"] = m.once->is_legal();
  const Point met = witness(tensor, m.only_items.verdict);
  if (!met.empty()) unguarded["witness"] = json_of(met);
  if (m.element) unguarded["element"] = *m.element;
  return json.dump();
}

}  // namespace selvage
