#include <selvage/expr/text.h>
#include <selvage/ir/value_check.h>

namespace selvage {

namespace {

// "i = 7, j = 3"; nothing where an extent is not known.
std::optional<std::string> point_text(const ValueCheck& check, std::int64_t number,
                                      std::span<const std::optional<std::int64_t>> extents) {
  std::string text;
  for (std::size_t k = check.indices.size(); k-- > 0;) {
    if (!extents[k] || *extents[k] <= 0) return std::nullopt;
    // The outermost index is what is left.
    const std::int64_t at = k == 0 ? number : number % *extents[k];
    number /= *extents[k];
    text = check.indices[k] + " = " + std::to_string(at) + (text.empty() ? "" : ", ") + text;
  }
  return text;
}

std::string place_text(const ValueCheck& check) {
  if (check.place.line == 0) return "";
  return ", at " + check.place.file + ":" + std::to_string(check.place.line);
}

}  // namespace

std::vector<std::optional<std::int64_t>> check_extents(
    const ValueCheck& check, const std::function<std::optional<std::int64_t>(Expr)>& value) {
  std::vector<std::optional<std::int64_t>> values;
  for (Expr e : check.extents) values.push_back(value(e));
  values.push_back(check.extent.valid() ? value(check.extent) : std::nullopt);
  return values;
}

std::string subject_text(const ValueCheck& check) {
  switch (check.kind) {
    case ValueCheck::Kind::Inside:
      return check.computed + " reads " + check.read + " inside, at " + check.text + " on axis " +
             std::to_string(check.axis);
    case ValueCheck::Kind::Divisor: return check.computed + " divides by no 0 (" + check.text + ")";
    case ValueCheck::Kind::Assertion:
      return check.text.empty() ? check.computed + ": " + check.message : "assert " + check.text;
  }
  return {};
}

std::string failure_text(const ValueCheck& check, std::int64_t number, std::int64_t shown,
                         std::span<const std::optional<std::int64_t>> extents) {
  const auto point = point_text(check, number, extents);
  const std::string at = point ? (point->empty() ? "" : " at " + *point)
                               : " at point " + std::to_string(number) + " of its indices";
  std::string text;
  switch (check.kind) {
    case ValueCheck::Kind::Inside: {
      const auto extent = extents.back();
      text = check.computed + at + " reads " + check.read + " at " + std::to_string(shown) +
             " on axis " + std::to_string(check.axis) + ", which has " +
             (extent ? std::to_string(*extent) : to_string(check.extent)) + " items";
      break;
    }
    case ValueCheck::Kind::Divisor:
      text = check.computed + at + " divides by 0 (" + check.text + ")";
      break;
    case ValueCheck::Kind::Assertion:
      text = (check.text.empty() ? "an assertion of " + check.computed
                                 : "the assertion " + check.text) +
             " fails" + at + (check.message.empty() ? "" : ": " + check.message);
      break;
  }
  return text + place_text(check);
}

}  // namespace selvage
