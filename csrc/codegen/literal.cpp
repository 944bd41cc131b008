#include <selvage/base/check.h>
#include <selvage/base/number_text.h>
#include <selvage/codegen/value_text.h>

#include <fmt/format.h>

#include <bit>
#include <cmath>

namespace selvage {

namespace {

CText with_sign(std::string text) {
  const int precedence = text[0] == '-' ? kPrefix : kCall;
  return {std::move(text), precedence};
}

}  // namespace

CText literal(const Scalar& v) {
  if (v.type == DataType::Bool) return {v.integer != 0 ? "true" : "false"};
  if (v.type == DataType::Int32) {
    if (v.integer == INT32_MIN) return {"-2147483647 - 1", info(Op::Sub).precedence};
    return with_sign(std::to_string(v.integer));
  }
  if (v.type == DataType::Int64) {
    if (v.integer == INT64_MIN) return {"-9223372036854775807LL - 1", info(Op::Sub).precedence};
    return with_sign(std::to_string(v.integer) + "LL");
  }
  if (v.type == DataType::UInt64) return {std::to_string(std::uint64_t(v.integer)) + "ULL"};
  if (v.type == DataType::Float) {
    if (std::isfinite(v.single)) return with_sign(shortest_real(v.single) + "f");
    return {fmt::format("__uint_as_float({:#x}u)", std::bit_cast<std::uint32_t>(v.single))};
  }
  SELVAGE_CHECK(v.type == DataType::Double);
  if (std::isfinite(v.real)) return with_sign(shortest_real(v.real));
  return {fmt::format("__longlong_as_double((long long){:#x}ULL)",
                      std::bit_cast<std::uint64_t>(v.real))};
}

}  // namespace selvage
