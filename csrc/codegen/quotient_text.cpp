// Divisions by what a loop shares (codegen/shared_quotients.h), as text.
#include <selvage/codegen/value_text.h>

#include <selvage/ir/reads.h>

#include <algorithm>

namespace selvage {

namespace {

// Whether many values are zeros, as those are that a mask leaves out.
bool is_often_zero(const ValueGraph& values, ValueId dividend) {
  return std::ranges::any_of(values_under(values, dividend), [&](ValueId v) {
    const ValueNode& node = values[v];
    return node.kind == ValueNode::Kind::Apply &&
           (node.function == Function::Select || node.function == Function::Relu);
  });
}

}  // namespace

std::vector<std::string> ValueText::share(const SharedQuotients& quotients) {
  std::vector<std::string> lines;
  std::string are_plain;
  for (ValueId v : quotients.divisors) {
    Written written = block(v);
    lines.insert(lines.end(), written.lines.begin(), written.lines.end());
    Divisor d{v, names_.declare("divisor"), names_.declare("inverse")};
    lines.push_back("const float " + d.name + " = " + written.value.text + ";");
    lines.push_back("const float " + d.reciprocal + " = " +
                    helpers_.use("plain_reciprocal", DataType::Float) + "(" + d.name + ");");
    are_plain += (are_plain.empty() ? "" : " && ") +
                 helpers_.use("is_plain_divisor", DataType::Float) + "(" + d.name + ")";
    divisors_.push_back(std::move(d));
  }
  is_exact_ = names_.declare("is_exact");
  lines.push_back("bool " + is_exact_ + " = " + are_plain + ";");
  for (const Divisor& d : divisors_) texts_[std::size_t(d.value)] = {d.name};
  shared_ = quotients.divisions;
  return lines;
}

void ValueText::forget() {
  for (const Divisor& d : divisors_) texts_[std::size_t(d.value)] = {};
  divisors_.clear();
  shared_.clear();
}

CText ValueText::shared_quotient(ValueId v, std::vector<std::string>& lines) {
  const ValueNode& node = kernel_.values[v];
  std::string dividend = text_of(node.operands[0]).text;
  const auto& by = *std::ranges::find(divisors_, node.operands[1], &Divisor::value);
  if (is_exact_.empty()) {
    return {helpers_.use("rare_quotient", DataType::Float) + "(" + dividend + ", " + by.name + ")"};
  }
  std::string is_zero;
  if (is_often_zero(kernel_.values, node.operands[0])) {
    CText named;
    lines.push_back("const " + declare(node.operands[0], named, dividend));
    dividend = named.text;
    is_zero = " | __float_as_uint(" + dividend + ") == 0u";
  }
  CText name;
  lines.push_back("const " + declare(v, name,
                                     helpers_.use("shared_quotient", DataType::Float) + "(" +
                                         dividend + ", " + by.name + ", " + by.reciprocal + ")"));
  lines.push_back(is_exact_ + " &= " + helpers_.use("is_plain_quotient", DataType::Float) + "(" +
                  name.text + ")" + is_zero + ";");
  return name;
}

}  // namespace selvage
