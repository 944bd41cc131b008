#pragma once

#include <selvage/ir/scalar.h>

#include <optional>
#include <string>
#include <string_view>

namespace selvage {

// What a reader folds the elements that it reads into one with.
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
};

std::string_view to_string(Reduction r);              // "sum", "prod", "max", ...
std::span<const std::string_view> reduction_names();  // in the order of the enumerators

// The function that takes in one more element: Add, Mul, Max, Min, Or or And. Mean adds, and
// divides once at the end by how many items there are; an argmax compares as a max does, a variance
// adds squares of distances (ir/fold.h has what else it keeps).
Function combiner(Reduction r);

// What elements of a type are folded as, and what comes out, as in PyTorch: a sum of integers or
// of bool is one of int64, but that of uint64, a mean or a variance of them is a float, an argmax
// is an int64, any and all are bool; everything else stays what it is.
DataType fold_type(Reduction r, DataType element);
DataType result_type(Reduction r, DataType element);

// The value of the storage type `type` that changes nothing, in its compute type:
//   combine(identity, x) == x   for every x of the type, as numbers: 0 + -0.0 is 0.0. Any and all
//                               see an x as bool(x). An fmax passes over a NaN, so NaNs alone
//                               give the identity
// Lowest and highest are of the values that the type holds; floats end in infinities.
Scalar identity(Reduction r, DataType type);

// combine(x, combine(x, y)) == combine(x, y): an element may be read any number of times.
bool is_idempotent(Reduction r);

// What a variance takes off the number of items unless it is told: PyTorch's choice, Bessel's.
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
