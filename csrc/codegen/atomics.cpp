#include <selvage/base/check.h>
#include <selvage/codegen/atomics.h>
#include <selvage/codegen/helpers.h>
#include <selvage/ir/identity.h>

#include <fmt/format.h>

namespace selvage {

namespace {

// The type in which operands are combined. Bools are combined as ints: their sum and maximum are
// "or", their minimum is "and".
DataType counted_in(DataType type) {
  return type == DataType::Bool ? DataType::Int32 : compute_type(type);
}

// C text that converts operand $0 from memory into the type it is computed in, and back.
struct Conversions {
  const char *load, *store;
};
Conversions conversions(DataType type) {
  switch (type) {
    case DataType::Bool: return {"($0 != 0)", "(unsigned char)($0 != 0)"};
    case DataType::Int8: return {"$0", "(signed char)$0"};
    case DataType::Int16: return {"$0", "(short)$0"};
    case DataType::UInt8: return {"$0", "(unsigned char)$0"};
    case DataType::UInt16: return {"$0", "(unsigned short)$0"};
    case DataType::UInt32: return {"(long long)$0", "(unsigned)$0"};
    case DataType::Half: return {"@half_to_float($0)", "@float_to_half($0)"};
    case DataType::BFloat16: return {"@bfloat16_to_float($0)", "@float_to_bfloat16($0)"};
    case DataType::Int32:
    case DataType::Int64:
    case DataType::UInt64:
    case DataType::Float:
    case DataType::Double: return {"$0", "$0"};
  }
  return {};
}

const char* combination(Function f, DataType compute) {
  const bool real = is_floating(compute);
  if (f == Function::Add) return real ? "($0 + $1)" : "@wrap_add($0, $1)";
  if (f == Function::Min) return real ? "@min_or_nan($0, $1)" : "@min_of($0, $1)";
  return real ? "@max_or_nan($0, $1)" : "@max_of($0, $1)";
}

// C text for the combination of `old` and v, both and the result as they lie in memory.
std::string combined(Function f, DataType type, const std::string& old, Helpers& helpers) {
  const DataType compute = counted_in(type);
  const auto [load, store] = conversions(type);
  const std::string v = "v";
  const std::string operands[] = {expand(load, compute, &helpers, &old),
                                  expand(load, compute, &helpers, &v)};
  const std::string result = expand(combination(f, compute), compute, &helpers, operands);
  return expand(store, compute, &helpers, &result);
}

// A call of the GPU's own atomic instruction; empty where it has none.
std::string instruction(Function f, DataType type) {
  if (!is_atomic_in_hardware(f, type)) return {};
  const std::string call = f == Function::Add   ? "atomicAdd"
                           : f == Function::Min ? "atomicMin"
                                                : "atomicMax";
  const bool is_long = is_integer(type) && size_of(type) == 8;
  if (!is_long) return call + "(p, v)";
  const bool is_unsigned = f == Function::Add || type == DataType::UInt64;
  return fmt::format("{0}(({1}*)p, ({1})v)", call,
                     is_unsigned ? "unsigned long long" : "long long");
}

// A loop that reads, combines, and stores if no other thread has stored since the read.
std::string compare_and_swap(Function f, DataType type, Helpers& helpers) {
  if (size_of(type) == 1) {
    const std::string old = fmt::format("({})(was >> shift)", c_storage_type(type));
    return "  unsigned* const word = (unsigned*)((unsigned long long)p & ~3ULL);\n"
           "  const unsigned shift = 8 * (unsigned)((unsigned long long)p & 3);\n"
           "  unsigned was, old = *word;\n"
           "  do {\n"
           "    was = old;\n"
           "    old = atomicCAS(word, was, (was & ~(0xffu << shift)) |\n"
           "                    (unsigned)(unsigned char)" +
           combined(f, type, old, helpers) +
           " << shift);\n"
           "  } while (old != was);\n";
  }
  const std::string_view bits = size_of(type) == 2   ? "unsigned short"
                                : size_of(type) == 4 ? "int"
                                                     : "unsigned long long";
  std::string old = "was", as_bits = "{}";
  if (type == DataType::Float) {
    old = "__int_as_float(was)";
    as_bits = "__float_as_int({})";
  } else if (type == DataType::Double) {
    old = "__longlong_as_double((long long)was)";
    as_bits = "(unsigned long long)__double_as_longlong({})";
  } else if (type == DataType::Int16) {
    old = "(short)was";
    as_bits = "(unsigned short){}";
  }
  const std::string fresh = fmt::format(fmt::runtime(as_bits), combined(f, type, old, helpers));
  return fmt::format(
      "  {0}* const word = ({0}*)p;\n"
      "  {0} was, old = *word;\n"
      "  do {{\n"
      "    was = old;\n"
      "    old = atomicCAS(word, was, {1});\n"
      "  }} while (old != was);\n",
      bits, fresh);
}

}  // namespace

std::string_view atomic_word(Function f) {
  SELVAGE_CHECK(f == Function::Add || f == Function::Min || f == Function::Max);
  return f == Function::Add ? "add" : f == Function::Min ? "min" : "max";
}

std::string atomic_name(Function f, DataType type) {
  return fmt::format("atomic_{}_{}", atomic_word(f), to_string(type));
}

std::string atomic_definition(Function f, DataType type, Helpers& helpers) {
  const std::string own = instruction(f, type);
  return fmt::format(
      "static __device__ __forceinline__ void {0}({1}* p, {1} v) {{\n"
      "#ifdef SELVAGE_VIRTUAL_DEVICE\n"
      "  *p = {2};\n"
      "#else\n"
      "{3}"
      "#endif\n"
      "}}\n",
      atomic_name(f, type), c_storage_type(type), combined(f, type, "*p", helpers),
      own.empty() ? compare_and_swap(f, type, helpers) : "  " + own + ";\n");
}

}  // namespace selvage
