#pragma once

#include <selvage/ir/scalar.h>

#include <optional>
#include <string>
#include <string_view>

namespace selvage {

// The operation by which many elements are folded into one.
enum class Reduction : std::uint8_t {
  Sum,
  Prod,
  Max,
  Min,
  FMax,
  FMin,
  Mean,
  Any,
  All,
  ArgMax,
  ArgMin,
  Variance,
  LogSumExp,
};

std::string_view to_string(Reduction r);              // "sum", "prod", "max", ...
std::span<const std::string_view> reduction_names();  // in the order of the enumerators

// The function that takes in one more element: Add, Mul, Max, Min, Or or And. Mean adds, and
// divides once at the end by how many items there are; an argmax compares as a max does, a variance
// adds squares of distances, a logsumexp adds powers (ir/fold.h has what else they keep).
Function combiner(Reduction r);

// Whether GPUs combine an element of memory by f, Add, Min or Max, in one atomic instruction: they
// add float and double, and do all three of integers of 32 and 64 bits.
bool is_atomic_in_hardware(Function f, DataType type);

// Whether a scan may fold by it: the state of the fold is one element, which is its result as well.
bool is_scannable(Reduction r);
std::string scan_name(Reduction r);  // "cumsum", "cumprod", "cummax", ...

// The type in which elements are folded, and the type of the result, as in PyTorch. Sums and
// products of integers and bool are int64 (of uint64: uint64), their means and variances float; any
// and all are bool; the result of argmax and argmin is int64. Everything else keeps its type.
DataType fold_type(Reduction r, DataType element);
DataType result_type(Reduction r, DataType element);

// The value of the storage type `type` that changes nothing, in its compute type:
//   combine(identity, x) == x   for every x of the type, as numbers: 0 + -0.0 is 0.0. Any and all
//                               see an x as bool(x). An fmax passes over a NaN, so NaNs alone
//                               give the identity
// That of a logsumexp is -inf, whose power is 0. The identity of max is the lowest value of the
// type, of min the highest; of floats, infinities.
Scalar identity(Reduction r, DataType type);

// combine(x, combine(x, y)) == combine(x, y): an element may be read any number of times.
bool is_idempotent(Reduction r);

// The default correction of a variance: PyTorch's choice, Bessel's.
inline constexpr std::int64_t kUsualCorrection = 1;

// v as an element of the storage type, in its compute type; nothing where the type has no such
// value: out of its range, or lost by rounding. Of uint64, the values that int64 holds.
std::optional<Scalar> exactly(std::int64_t v, DataType type);
// An integer close to v that an element of the type can be: the end of the range, or v rounded.
std::int64_t nearest(std::int64_t v, DataType type);

// A value as an integer, where it is one of 64 bits; true is 1.
std::optional<std::int64_t> whole(const Scalar& v);

// "0", "-inf", "-128", "true"
std::string to_text(const Scalar& v);

}  // namespace selvage
