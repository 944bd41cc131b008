#pragma once

#include <selvage/base/data_type.h>
#include <selvage/ir/scalar.h>

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace selvage {

// C's names of a compute type: "int", "unsigned" (of integers only), and "f" or "" as in expf, exp.
std::string_view c_type(DataType compute);
std::string_view c_unsigned_type(DataType compute);
std::string_view c_function_suffix(DataType compute);
// The type of an element in memory: "signed char", "unsigned short" for half, ...
std::string_view c_storage_type(DataType type);
// The built-in type that is 2, 4, 8 or 16 bytes wide.
std::string_view c_bits_type(std::int64_t bytes);

// Replaces in a pattern:  $T $U $f  the first three names above;  $0 $1 $2  the operands;
//                         @name  the helper of that name for `type`, and adds it to `used`.
class Helpers;
std::string expand(std::string_view pattern, DataType type, Helpers* used,
                   const std::string* operands = nullptr);

// The functions that emitted text defines before its kernel: only those that are used. A helper is
// written once as a pattern for all types that it makes sense for. Its name ends in its type,
// except for the usual one: relu, relu_double, floor_div, floor_div_long.
class Helpers {
 public:
  // Adds a helper and those that it uses; returns its name in C.
  std::string use(std::string_view name, DataType type);
  // float_x4: a struct of neighbouring elements that one access moves.
  static std::string vector_type(DataType type, std::int64_t elements);
  void use_vector(DataType type, std::int64_t elements) { vectors_.insert({type, elements}); }
  // Adds the helper that combines an element of memory with a value atomically; returns its name.
  std::string use_atomic(Function f, DataType type);
  // The definitions of all helpers that were added, each after those that it uses.
  std::vector<std::string> definitions() const;

 private:
  std::set<std::pair<std::size_t, DataType>> used_;  // row of the table, type
  std::set<std::pair<DataType, std::int64_t>> vectors_;
  std::set<std::pair<Function, DataType>> atomics_;
};

bool is_helper_name(const std::string& name);

}  // namespace selvage
