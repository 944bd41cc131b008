#include "tests/values/element.h"
#include "tests/support/special_values.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

namespace selvage::values {

namespace {

struct Format {
  int precision;
  int least;  // the exponent of the least subnormal
  double most;
};

Format format_of(DataType type) {
  if (type == DataType::Half) return {11, -24, 65504.0};
  if (type == DataType::BFloat16) return {8, -133, 0x1.fep127};
  if (type == DataType::Float) return {24, -149, 0x1.fffffep127};
  return {53, -1074, 0x1.fffffffffffffp1023};
}

DataType carrier(DataType type) { return type == DataType::Double ? type : DataType::Float; }

bool is_signed(DataType type) {
  return type == DataType::Int8 || type == DataType::Int16 || type == DataType::Int32 ||
         type == DataType::Int64;
}

int bits_of(DataType type) { return 8 * size_of(type); }

Wide wrapped(Wide v, DataType type) {
  const int bits = bits_of(type);
  const unsigned __int128 mask = (static_cast<unsigned __int128>(1) << bits) - 1;
  const Wide low = Wide(static_cast<unsigned __int128>(v) & mask);
  return is_signed(type) && (low >> (bits - 1)) != 0 ? low - (Wide(1) << bits) : low;
}

// An integer as a double or float, rounded once. A Wide of 65 bits at most.
double real_of(Wide v, DataType type) {
  const bool is_negative = v < 0;
  const auto size = std::uint64_t(is_negative ? -v : v);
  const double r = carrier(type) == DataType::Double ? double(size) : double(float(size));
  return is_negative ? -r : r;
}

// Towards zero, the nearest end of what the page names, then wrapped.
Element whole_from_real(double v, DataType type) {
  if (std::isnan(v)) return whole(type, 0);
  Wide low = std::numeric_limits<std::int32_t>::min(),
       high = std::numeric_limits<std::int32_t>::max();
  if (type == DataType::UInt64) {
    low = 0, high = std::numeric_limits<std::uint64_t>::max();
  } else if (type == DataType::UInt32 || type == DataType::Int64) {
    low = std::numeric_limits<std::int64_t>::min(), high = std::numeric_limits<std::int64_t>::max();
  }
  const double t = std::trunc(v);
  if (t <= -0x1p63) return whole(type, low);
  if (t >= 0x1p64) return whole(type, high);
  const Wide w = t < 0 ? -Wide(std::uint64_t(-t)) : Wide(std::uint64_t(t));
  return whole(type, w < low ? low : w > high ? high : w);
}

}  // namespace

Element whole(DataType type, Wide v) {
  Element e{.type = type};
  e.integer = type == DataType::Bool ? Wide(v != 0) : wrapped(v, type);
  return e;
}

Element number(DataType type, double v) {
  return {.type = type, .real = round_to_carried(v, type)};
}

bool is_open(const Element& e) { return std::isinf(e.slack); }
bool is_nan(const Element& e) { return is_floating(e.type) && std::isnan(e.real); }

double rounded(double v, int precision, int least, double most) {
  if (v == 0 || !std::isfinite(v)) return v;
  int exponent = 0;
  std::frexp(v, &exponent);
  const int step = std::max(exponent - precision, least);
  const double r = std::ldexp(std::nearbyint(std::ldexp(v, -step)), step);
  return std::abs(r) > most ? std::copysign(kInfinity, v) : std::copysign(r, v);
}

double round_to(double v, DataType type) {
  if (type == DataType::Double) return v;
  const Format f = format_of(type);
  return rounded(v, f.precision, f.least, f.most);
}

double round_to_carried(double v, DataType type) { return round_to(v, carrier(type)); }

double step_at(double v, DataType type) {
  const Format f = format_of(type);
  int exponent = 0;
  std::frexp(v, &exponent);
  return std::ldexp(1.0, v == 0 ? f.least : std::max(exponent - f.precision, f.least));
}

Element carried(const Element& e, DataType type) {
  if (!is_floating(type)) return cast(e, type);
  Element r = cast(e, carrier(type));
  r.type = type;
  return r;
}

Element cast(const Element& e, DataType type) {
  Element r{.type = type, .slack = e.slack};
  if (is_open(e)) return r;
  if (is_floating(type)) {
    if (is_floating(e.type)) {
      r.real = round_to(e.real, type);
    } else {
      // To half and bfloat16 by way of float.
      r.real = round_to(real_of(e.integer, type), type);
    }
    if (e.slack > 0) {
      r.slack += step_at(std::abs(e.real) + e.slack, type);
      if (!std::isfinite(round_to(std::abs(e.real) + r.slack, type))) r.slack = kInfinity;
    }
    return r;
  }
  if (!is_floating(e.type)) {
    const Element w = whole(type, e.integer);
    return {.type = type, .integer = w.integer, .slack = e.slack};
  }
  if (type == DataType::Bool) {
    r.integer = e.real != 0;
    if (e.slack > 0) r.slack = std::abs(e.real) > e.slack ? 0 : kInfinity;
    return r;
  }
  r.integer = whole_from_real(e.real, type).integer;
  if (e.slack > 0) {
    const bool is_told = whole_from_real(e.real - e.slack, type).integer == r.integer &&
                         whole_from_real(e.real + e.slack, type).integer == r.integer;
    r.slack = is_told ? 0 : kInfinity;
  }
  return r;
}

Element item_of(const Array& a, std::int64_t k) {
  const std::byte* at = a.bytes.data() + std::size_t(k) * std::size_t(size_of(a.type));
  const auto load = [&]<class T>(T v) {
    std::memcpy(&v, at, sizeof v);
    return v;
  };
  Element e{.type = a.type};
  switch (a.type) {
    case DataType::Bool: e.integer = load(std::uint8_t()); break;  // 2 would be wrong: it is seen
    case DataType::Int8: e.integer = load(std::int8_t()); break;
    case DataType::Int16: e.integer = load(std::int16_t()); break;
    case DataType::Int32: e.integer = load(std::int32_t()); break;
    case DataType::Int64: e.integer = load(std::int64_t()); break;
    case DataType::UInt8: e.integer = load(std::uint8_t()); break;
    case DataType::UInt16: e.integer = load(std::uint16_t()); break;
    case DataType::UInt32: e.integer = load(std::uint32_t()); break;
    case DataType::UInt64: e.integer = load(std::uint64_t()); break;
    case DataType::Half: {
      const auto bits = load(std::uint16_t());
      const int exponent = bits >> 10 & 31, fraction = bits & 1023;
      double v = exponent == 31  ? (fraction != 0 ? kNaN : kInfinity)
                 : exponent == 0 ? std::ldexp(fraction, -24)
                                 : std::ldexp(1024 + fraction, exponent - 25);
      e.real = bits >> 15 != 0 ? -v : v;
      break;
    }
    case DataType::BFloat16: {
      const std::uint32_t bits = std::uint32_t(load(std::uint16_t())) << 16;
      float v = 0;
      std::memcpy(&v, &bits, sizeof v);
      e.real = v;
      break;
    }
    case DataType::Float: e.real = load(float()); break;
    case DataType::Double: e.real = load(double()); break;
  }
  return e;
}

void set_item(Array& a, std::int64_t k, const Element& e) {
  std::byte* at = a.bytes.data() + std::size_t(k) * std::size_t(size_of(a.type));
  const auto store = [&](auto v) { std::memcpy(at, &v, sizeof v); };
  if (!is_floating(a.type)) {
    const auto v = std::uint64_t(e.integer);
    return void(std::memcpy(at, &v, std::size_t(size_of(a.type))));  // little-endian
  }
  const double v = e.real;
  const std::uint16_t sign = std::signbit(v) ? 0x8000 : 0;
  if (a.type == DataType::Half) {
    if (std::isnan(v)) return store(std::uint16_t(0x7e00));
    if (std::isinf(v)) return store(std::uint16_t(sign | 0x7c00));
    int exponent = 0;
    std::frexp(v, &exponent);
    if (v == 0 || exponent < -13)
      return store(std::uint16_t(sign | int(std::ldexp(std::abs(v), 24))));
    const int fraction = int(std::ldexp(std::abs(v), 11 - exponent));  // 1024 to 2047
    return store(std::uint16_t(sign | ((exponent + 14) << 10) | (fraction - 1024)));
  }
  if (a.type == DataType::BFloat16) {
    const auto f = float(v);
    std::uint32_t bits = 0;
    std::memcpy(&bits, &f, sizeof bits);
    return store(std::uint16_t(std::isnan(v) ? 0x7fc0 : bits >> 16));
  }
  if (a.type == DataType::Float) return store(float(v));
  store(v);
}

bool is_as_expected(const Element& expected, const Element& actual) {
  if (is_open(expected)) return true;
  if (!is_floating(expected.type)) return expected.integer == actual.integer;
  if (std::isnan(expected.real)) return std::isnan(actual.real);
  if (expected.slack > 0) return std::abs(expected.real - actual.real) <= expected.slack;
  return expected.real == actual.real && std::signbit(expected.real) == std::signbit(actual.real);
}

std::string to_text(const Element& e) {
  if (is_open(e)) return "anything";
  if (is_floating(e.type)) {
    char text[64];
    std::snprintf(text, sizeof text, "%.17g", e.real);
    std::string all = text;
    if (e.slack > 0) {
      std::snprintf(text, sizeof text, " +- %.3g", e.slack);
      all += text;
    }
    return all;
  }
  return e.integer < 0 ? std::to_string(std::int64_t(e.integer))
                       : std::to_string(std::uint64_t(e.integer));
}

}  // namespace selvage::values
