#include <selvage/base/names.h>
#include <selvage/codegen/helpers.h>
#include <selvage/codegen/names.h>

#include <algorithm>
#include <unordered_set>

namespace selvage {

namespace {

// clang-format off
constexpr std::string_view kWords[] = {
    // C and C++
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break",
    "case", "catch", "char", "char16_t", "char32_t", "char8_t", "class", "co_await", "co_return",
    "co_yield", "compl", "concept", "const", "const_cast", "consteval", "constexpr", "constinit",
    "continue", "decltype", "default", "delete", "do", "double", "dynamic_cast", "else", "enum",
    "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if", "inline",
    "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr",
    "operator", "or", "or_eq", "private", "protected", "public", "register", "reinterpret_cast",
    "requires", "restrict", "return", "short", "signed", "sizeof", "static", "static_assert",
    "static_cast", "struct", "switch", "template", "this", "thread_local", "throw", "true", "try",
    "typedef", "typeid", "typename", "typeof", "union", "unsigned", "using", "virtual", "void",
    "volatile", "wchar_t", "while", "xor", "xor_eq", "main", "linux", "unix", "i386",
    // CUDA
    "KERNEL", "DYNAMIC_SHARED", "sync_threads", "sync_members", "begin_copy", "begin_copy_16", "begin_copy_by", "end_copy_group", "wait_for_copy_groups", "is_last_block", "count_block", "SELVAGE_VIRTUAL_DEVICE", "NAN", "INFINITY", "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize",
    "CLUSTER", "ALIGNED_DYNAMIC_SHARED", "RANK_SHARED", "cluster_rank", "cluster_number",
    "place_in_rank", "in_rank", "sync_cluster", "elect_one", "shared_address", "init_object",
    "publish_objects", "arrive_with_copies", "ask_for_phase", "wait_asking", "arrive_in_rank", "ask_for_ranks", "wait_for_ranks", "announce_bytes", "begin_bulk_copy",
    "arrive_at", "arrive_announcing",
    "fence_for_copies", "wait_for_phase", "end_store_group", "wait_for_store_groups", "wait_for_store_reads", "tensor_map",
    "fewer_registers", "more_registers", "record_failure", "count_failure", "begin_box_copy_1",
    "begin_box_copy_2", "begin_box_copy_3", "begin_box_copy_4", "begin_box_copy_5", "store_bytes", "combine_bytes", "store_box_1",
    "store_box_2", "store_box_3", "store_box_4", "store_box_5", "combine_box_1", "combine_box_2", "combine_box_3",
    "combine_box_4", "combine_box_5", "begin_copy_to_ranks", "begin_box_to_ranks_1", "begin_box_to_ranks_2",
    "begin_box_to_ranks_3", "begin_box_to_ranks_4", "begin_box_to_ranks_5",
    "fence_mma", "begin_mma", "begin_mma_of_registers", "end_mma_group", "wait_for_mma_groups",
    "mma_result", "mma_tile", "mma_pair", "mma_register",
    "load_mma_registers",
    "dim3", "uint3", "int2", "int4", "uint2", "uint4", "float2", "float4", "double2", "longlong2",
    "ushort2", "ushort4", "half", "size_t",
};
// Functions of the C library and of CUDA; those of kMathematics exist with a suffix f, too. A
// variable may hide one that no kernel calls (y0 is a good name for an output); a kernel may not.
constexpr std::string_view kFunctions[] = {
    "abs", "labs", "llabs", "min", "max", "malloc", "free", "printf", "assert", "memcpy", "memset",
    "memmove", "isnan", "isinf", "isfinite", "signbit", "clock", "clock64",
};
constexpr std::string_view kBessel[] = {"j0", "j1", "jn", "y0", "y1", "yn"};
constexpr std::string_view kMathematics[] = {
    "exp", "exp2", "exp10", "expm1", "log", "log2", "log10", "log1p", "sqrt", "rsqrt", "cbrt",
    "rcbrt", "sin", "cos", "tan", "sincos", "sinpi", "cospi", "asin", "acos", "atan", "sinh",
    "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "erfc", "erfinv", "tgamma", "lgamma", "fabs",
    "floor", "ceil", "trunc", "round", "rint", "nearbyint", "pow", "atan2", "fmod", "remainder",
    "fmin", "fmax", "fdim", "hypot", "norm", "copysign", "nextafter", "fma", "frexp", "ldexp",
    "modf", "logb", "ilogb", "scalbn", "remquo", "fdivide",
};
// clang-format on

bool is_word(const std::string& name) {
  static const std::unordered_set<std::string> words = [] {
    std::unordered_set<std::string> all;
    for (std::string_view word : kWords) all.emplace(word);
    for (std::string_view function : kFunctions) all.emplace(function);
    for (std::string_view function : kMathematics) {
      all.emplace(function);
      all.insert(std::string(function) + "f");
    }
    return all;
  }();
  return words.contains(name);
}

std::string identifier(std::string_view wanted) {
  std::string name;
  for (char c : wanted) name += is_letter(c) || is_digit(c) ? c : '_';
  if (name.empty() || is_digit(name[0])) name = "_" + name;
  // Names that begin with two underscores, or with one and a capital, are reserved.
  const bool of_compiler =
      name.size() > 1 && name[0] == '_' && (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z'));
  return of_compiler ? "x" + name : name;
}

}  // namespace

bool Names::taken(const std::string& name) const {
  if (is_word(name) || name.starts_with("selvage_") || is_helper_name(name)) return true;
  return std::any_of(blocks_.begin(), blocks_.end(),
                     [&](const auto& block) { return block.count(name) > 0; });
}

std::string Names::declare_kernel(std::string_view wanted) {
  const bool bessel =
      std::find(std::begin(kBessel), std::end(kBessel), wanted) != std::end(kBessel);
  return declare(bessel ? std::string(wanted) + "_kernel" : std::string(wanted));
}

std::string Names::declare(std::string_view wanted) {
  const std::string base = identifier(wanted);
  std::string name = base;
  for (int n = 2; taken(name); ++n) name = base + "_" + std::to_string(n);
  blocks_.back().insert(name);
  return name;
}

}  // namespace selvage
