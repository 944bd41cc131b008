#include <selvage/base/array.h>
#include <selvage/base/check.h>
#include <selvage/base/diagnostic.h>
#include <selvage/base/integer.h>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <string>
#include <type_traits>

namespace selvage {

namespace {

// The 16-bit floats as types of their own, so that one visit knows every element type.
struct Half {
  std::uint16_t bits;
};
struct BFloat16 {
  std::uint16_t bits;
};

// Calls f with a value-initialised element of the C++ type that holds `type`.
template <typename F>
auto with_element(DataType type, F f) {
  switch (type) {
    case DataType::Bool: return f(bool{});
    case DataType::Int8: return f(std::int8_t{});
    case DataType::Int16: return f(std::int16_t{});
    case DataType::Int32: return f(std::int32_t{});
    case DataType::Int64: return f(std::int64_t{});
    case DataType::UInt8: return f(std::uint8_t{});
    case DataType::UInt16: return f(std::uint16_t{});
    case DataType::UInt32: return f(std::uint32_t{});
    case DataType::UInt64: return f(std::uint64_t{});
    case DataType::Half: return f(Half{});
    case DataType::BFloat16: return f(BFloat16{});
    case DataType::Float: return f(float{});
    case DataType::Double: return f(double{});
  }
  SELVAGE_CHECK(!"a data type");
}

// An integer rounded to odd: at most 52 bits, the last one set if any below it was.
double to_odd(std::int64_t value) {
  constexpr std::int64_t kLow = 0x7ff;
  if (value >= -(std::int64_t{1} << 52) && value <= (std::int64_t{1} << 52)) {
    return static_cast<double>(value);
  }
  const bool lost = (value & kLow) != 0;
  // Clearing bits rounds towards -infinity; setting bit 11 as well is odd from both sides.
  return static_cast<double>((value & ~kLow) | (lost ? kLow + 1 : 0));
}

// C leaves a cast undefined past the integer's range; here it saturates, and NaN is 0.
template <typename T>
T saturate(double value) {
  if (std::isnan(value)) return 0;
  const double above = std::ldexp(1.0, std::numeric_limits<T>::digits);  // the maximum, plus 1
  if (value >= above) return std::numeric_limits<T>::max();
  if (value <= static_cast<double>(std::numeric_limits<T>::min())) {
    return std::numeric_limits<T>::min();
  }
  return static_cast<T>(value);
}

template <typename To, typename From>
To convert(From value) {
  if constexpr (std::is_same_v<From, To>) {
    return value;
  } else if constexpr (std::is_same_v<From, Half>) {
    return convert<To>(half_to_float(value.bits));
  } else if constexpr (std::is_same_v<From, BFloat16>) {
    return convert<To>(bfloat16_to_float(value.bits));
  } else if constexpr (std::is_same_v<To, Half>) {
    return Half{float_to_half(round_to_odd(static_cast<double>(value)))};
  } else if constexpr (std::is_same_v<To, BFloat16>) {
    return BFloat16{float_to_bfloat16(round_to_odd(static_cast<double>(value)))};
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != 0;
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return saturate<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

template <typename Wide>
Wide load(const Array& a, std::int64_t k) {
  SELVAGE_CHECK(k >= 0 && k < a.size());
  return with_element(a.type, [&](auto element) {
    using Element = decltype(element);
    const std::byte* at = a.bytes.data() + static_cast<std::size_t>(k) * sizeof(Element);
    if constexpr (std::is_same_v<Element, bool>) return static_cast<Wide>(*at != std::byte{0});
    std::memcpy(&element, at, sizeof(Element));
    return convert<Wide>(element);
  });
}

template <typename Wide>
void store(Array& a, std::int64_t k, Wide value) {
  SELVAGE_CHECK(k >= 0 && k < a.size());
  with_element(a.type, [&](auto element) {
    using Element = decltype(element);
    constexpr bool kNarrow = std::is_same_v<Element, Half> || std::is_same_v<Element, BFloat16>;
    if constexpr (kNarrow && std::is_same_v<Wide, std::int64_t>) {
      element = convert<Element>(to_odd(value));
    } else {
      element = convert<Element>(value);
    }
    std::memcpy(a.bytes.data() + static_cast<std::size_t>(k) * sizeof(Element), &element,
                sizeof(Element));
  });
}

[[noreturn]] void refuse_array(DataType type, const std::vector<std::int64_t>& shape,
                               const std::string& why,
                               const std::string& help = "make the extents smaller") {
  std::string text;
  for (std::int64_t n : shape) text += (text.empty() ? "" : ", ") + std::to_string(n);
  throw BadInput(
      {.code = "E601",
       .place = {},
       .message = "an array of " + std::string(to_string(type)) + "[" + text + "] " + why,
       .help = help});
}

std::int64_t physical_memory() {
  const std::int64_t pages = sysconf(_SC_PHYS_PAGES);
  const std::int64_t page = sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || page <= 0) return std::numeric_limits<std::int64_t>::max();
  return checked_mul(pages, page).value_or(std::numeric_limits<std::int64_t>::max());
}

}  // namespace

Array::Array(DataType type_, std::vector<std::int64_t> shape_)
    : type(type_), shape(std::move(shape_)) {
  std::int64_t count = size_of(type);
  for (std::int64_t n : shape) {
    if (n < 0) refuse_array(type, shape, "has a negative extent", "extents are 0 or more");
    if (n == 0) count = 0;
  }
  for (std::int64_t n : shape) {
    const auto product = checked_mul(count, n);
    if (!product) refuse_array(type, shape, "has more bytes than 64 bits can count");
    count = *product;
  }
  if (count > physical_memory()) {
    refuse_array(type, shape, "does not fit in memory: " + std::to_string(count) + " bytes");
  }
  try {
    bytes.resize(static_cast<std::size_t>(count));
  } catch (const std::bad_alloc&) {
    refuse_array(type, shape, "does not fit in memory: " + std::to_string(count) + " bytes");
  }
}

std::int64_t Array::size() const { return static_cast<std::int64_t>(bytes.size()) / size_of(type); }

double Array::get(std::int64_t k) const { return load<double>(*this, k); }
std::int64_t Array::get_int(std::int64_t k) const { return load<std::int64_t>(*this, k); }
void Array::set(std::int64_t k, double value) { store(*this, k, value); }
void Array::set_int(std::int64_t k, std::int64_t value) { store(*this, k, value); }

}  // namespace selvage
