#include <selvage/base/check.h>
#include <selvage/base/number_text.h>
#include <selvage/ir/identity.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace selvage {

namespace {

enum class Start : std::uint8_t { Zero, One, Lowest, Highest };

struct Row {
  Reduction reduction;
  std::string_view name;
  Function combiner;
  Start start;
  bool idempotent;
};

// clang-format off
constexpr std::array<Row, 13> kReductions = {{
    {Reduction::Sum,    "sum",    Function::Add, Start::Zero,    false},
    {Reduction::Prod,   "prod",   Function::Mul, Start::One,     false},
    {Reduction::Max,    "max",    Function::Max, Start::Lowest,  true},
    {Reduction::Min,    "min",    Function::Min, Start::Highest, true},
    {Reduction::FMax,   "fmax",   Function::FMax, Start::Lowest, true},
    {Reduction::FMin,   "fmin",   Function::FMin, Start::Highest, true},
    {Reduction::Mean,   "mean",   Function::Add, Start::Zero,    false},
    {Reduction::Any,    "any",    Function::Or,  Start::Zero,    true},
    {Reduction::All,    "all",    Function::And, Start::One,     true},
    {Reduction::ArgMax, "argmax", Function::Max, Start::Lowest,  true},
    {Reduction::ArgMin, "argmin", Function::Min, Start::Highest, true},
    {Reduction::Variance, "var",  Function::Add, Start::Zero,    false},
    {Reduction::LogSumExp, "logsumexp", Function::Add, Start::Lowest, false},
}};

// The least and the greatest value of each type, as it is read back.
struct Ends {
  DataType type;
  std::int64_t lowest, highest;  // of floats: below and above these there are no integers but
                                 // infinity, as far as 64 bits reach
};
constexpr std::array<Ends, 13> kEnds = {{
    {DataType::Bool,     0,         1},
    {DataType::Int8,     INT8_MIN,  INT8_MAX},
    {DataType::Int16,    INT16_MIN, INT16_MAX},
    {DataType::Int32,    INT32_MIN, INT32_MAX},
    {DataType::Int64,    INT64_MIN, INT64_MAX},
    {DataType::UInt8,    0,         UINT8_MAX},
    {DataType::UInt16,   0,         UINT16_MAX},
    {DataType::UInt32,   0,         UINT32_MAX},
    {DataType::UInt64,   0,         INT64_MAX},  // as far as int64 reaches
    {DataType::Half,     -65504,    65504},
    {DataType::BFloat16, INT64_MIN, INT64_MAX},
    {DataType::Float,    INT64_MIN, INT64_MAX},
    {DataType::Double,   INT64_MIN, INT64_MAX},
}};
// clang-format on

constexpr bool in_order_of_the_enums() {
  for (std::size_t i = 0; i < kReductions.size(); ++i) {
    if (static_cast<std::size_t>(kReductions[i].reduction) != i) return false;
  }
  for (std::size_t i = 0; i < kEnds.size(); ++i) {
    if (static_cast<std::size_t>(kEnds[i].type) != i) return false;
  }
  return true;
}
static_assert(in_order_of_the_enums());

const Row& row(Reduction r) {
  const auto i = static_cast<std::size_t>(r);
  SELVAGE_CHECK(i < kReductions.size());
  return kReductions[i];
}
const Ends& ends(DataType type) {
  const auto i = static_cast<std::size_t>(type);
  SELVAGE_CHECK(i < kEnds.size());
  return kEnds[i];
}

Scalar integer(std::int64_t v, DataType type) {
  return convert(Scalar::of(DataType::Int64, v), type);
}
Scalar infinity(DataType type, double sign) {
  return convert(Scalar::of(sign * std::numeric_limits<double>::infinity()), type);
}

}  // namespace

std::string_view to_string(Reduction r) { return row(r).name; }

std::span<const std::string_view> reduction_names() {
  static constexpr auto kNames = [] {
    std::array<std::string_view, kReductions.size()> names;
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = kReductions[i].name;
    return names;
  }();
  return kNames;
}

bool is_scannable(Reduction r) {
  switch (r) {
    case Reduction::Sum:
    case Reduction::Prod:
    case Reduction::Max:
    case Reduction::Min:
    case Reduction::FMax:
    case Reduction::FMin: return true;
    case Reduction::Mean:
    case Reduction::Any:
    case Reduction::All:
    case Reduction::ArgMax:
    case Reduction::ArgMin:
    case Reduction::Variance:
    case Reduction::LogSumExp: return false;
  }
  return false;
}

std::string scan_name(Reduction r) { return "cum" + std::string(to_string(r)); }

DataType fold_type(Reduction r, DataType element) {
  switch (r) {
    case Reduction::Sum:
    case Reduction::Prod:
      return is_floating(element) || element == DataType::UInt64 ? element : DataType::Int64;
    case Reduction::Mean:
    case Reduction::Variance:
    case Reduction::LogSumExp: return is_floating(element) ? element : DataType::Float;
    case Reduction::Any:
    case Reduction::All: return DataType::Bool;
    case Reduction::Max:
    case Reduction::Min:
    case Reduction::FMax:
    case Reduction::FMin:
    case Reduction::ArgMax:
    case Reduction::ArgMin: return element;
  }
  SELVAGE_CHECK(!"a reduction");
}

DataType result_type(Reduction r, DataType element) {
  const bool is_place = r == Reduction::ArgMax || r == Reduction::ArgMin;
  return is_place ? DataType::Int64 : fold_type(r, element);
}

Function combiner(Reduction r) { return row(r).combiner; }
bool is_atomic_in_hardware(Function f, DataType type) {
  return size_of(type) >= 4 && (is_integer(type) || (is_floating(type) && f == Function::Add));
}
bool is_idempotent(Reduction r) { return row(r).idempotent; }

Scalar identity(Reduction r, DataType type) {
  switch (row(r).start) {
    case Start::Zero: return integer(0, type);
    case Start::One: return integer(1, type);
    case Start::Lowest:
      return is_floating(type) ? infinity(type, -1) : integer(ends(type).lowest, type);
    case Start::Highest:
      if (type == DataType::UInt64) return integer(-1, type);
      return is_floating(type) ? infinity(type, 1) : integer(ends(type).highest, type);
  }
  SELVAGE_CHECK(!"a start");
}

std::optional<Scalar> exactly(std::int64_t v, DataType type) {
  if (v < ends(type).lowest || v > ends(type).highest) return std::nullopt;
  const Scalar stored = integer(v, type);
  if (whole(stored) != v) return std::nullopt;
  return stored;
}

std::int64_t nearest(std::int64_t v, DataType type) {
  v = std::clamp(v, ends(type).lowest, ends(type).highest);
  // Without a value, v was rounded up to 2^63; the float below is next.
  const auto rounded = whole(integer(v, type));
  if (rounded) return *rounded;
  std::int64_t step = 1;
  while (!exactly(v - v % step, type)) step *= 2;
  return v - v % step;
}

std::optional<std::int64_t> whole(const Scalar& v) {
  if (v.type == DataType::UInt64 && v.integer < 0) return std::nullopt;
  if (v.type != DataType::Float && v.type != DataType::Double) return v.integer;
  const double real = v.type == DataType::Float ? double(v.single) : v.real;
  constexpr double kTwoTo63 = 9223372036854775808.0;
  if (!(real >= -kTwoTo63 && real < kTwoTo63) || std::floor(real) != real) return std::nullopt;
  return std::int64_t(real);
}

std::string to_text(const Scalar& v) {
  if (v.type == DataType::Float) return shortest(v.single);
  if (v.type == DataType::Double) return shortest(v.real);
  if (v.type == DataType::Bool) return v.integer != 0 ? "true" : "false";
  if (v.type == DataType::UInt64) return std::to_string(std::uint64_t(v.integer));
  return std::to_string(v.integer);
}

}  // namespace selvage
