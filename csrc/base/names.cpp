#include <selvage/base/names.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <vector>

namespace selvage {

namespace {

constexpr std::size_t kLongestName = 64;

// What a name would clash with in emitted text, sorted. Names that begin with "__" are refused
// before, so CUDA's qualifiers and synchronisation functions need no row. The Bessel functions j0,
// j1, y0, y1 are missing on purpose: they are good names for loops, and nothing emits them.
// clang-format off
constexpr std::string_view kTaken[] = {
    "NULL", "_Alignas", "_Alignof", "_Atomic", "_Bool", "_Complex", "_Generic",
    "_Imaginary", "_Noreturn", "_Static_assert", "_Thread_local",
    "abs", "acos", "acosf", "acosh", "acoshf", "alignas", "alignof", "and", "and_eq", "asin",
    "asinf", "asinh", "asinhf", "asm", "assert", "atan", "atan2", "atan2f", "atanf", "atanh",
    "atanhf", "atomicAdd", "atomicAnd", "atomicCAS", "atomicDec", "atomicExch", "atomicInc",
    "atomicMax", "atomicMin", "atomicOr", "atomicSub", "atomicXor", "auto",
    "bfloat16", "bitand", "bitor", "blockDim", "blockIdx", "bool", "break",
    "case", "catch", "cbrt", "cbrtf", "ceil", "ceilf", "char", "char1", "char16_t", "char2",
    "char3", "char32_t", "char4", "char8_t", "class", "clock", "clock64", "co_await", "co_return",
    "co_yield", "compl", "concept", "const", "const_cast", "consteval", "constexpr", "constinit",
    "continue", "copysign", "copysignf", "cos", "cosf", "cosh", "coshf",
    "decltype", "default", "delete", "dim3", "do", "double", "double1", "double2", "double3",
    "double4", "dynamic_cast",
    "else", "enum", "erf", "erfc", "erfcf", "erff", "exp", "exp10", "exp10f", "exp2", "exp2f",
    "expf", "explicit", "expm1", "expm1f", "export", "extern",
    "fabs", "fabsf", "false", "float", "float1", "float2", "float3", "float4", "floor", "floorf",
    "fma", "fmaf", "fmax", "fmaxf", "fmin", "fminf", "fmod", "fmodf", "for", "free", "friend",
    "goto", "gridDim",
    "half", "half2", "hypot", "hypotf",
    "if", "inline", "int", "int1", "int16", "int16_t", "int2", "int3", "int32", "int32_t", "int4",
    "int64", "int64_t", "int8", "int8_t", "intptr_t", "isfinite", "isinf", "isnan",
    "lgamma", "lgammaf", "linux", "log", "log10", "log10f", "log1p", "log1pf", "log2", "log2f",
    "logf", "long", "long1", "long2", "long3", "long4", "longlong1", "longlong2", "longlong3",
    "longlong4",
    "malloc", "memcpy", "memset", "mutable",
    "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "nv_bfloat16", "nv_bfloat162",
    "operator", "or", "or_eq",
    "pow", "powf", "printf", "private", "protected", "ptrdiff_t", "public",
    "register", "reinterpret_cast", "requires", "restrict", "return", "rint", "rintf", "round",
    "roundf", "rsqrt", "rsqrtf",
    "short", "short1", "short2", "short3", "short4", "signbit", "signed", "sin", "sinf", "sinh",
    "sinhf", "size_t", "sizeof", "sqrt", "sqrtf", "static", "static_assert", "static_cast", "std",
    "struct", "switch",
    "tan", "tanf", "tanh", "tanhf", "template", "tgamma", "tgammaf", "this", "threadIdx",
    "thread_local", "throw", "true", "trunc", "truncf", "try", "typedef", "typeid", "typename",
    "typeof",
    "uchar", "uchar1", "uchar2", "uchar3", "uchar4", "uint", "uint1", "uint16", "uint16_t",
    "uint2", "uint3", "uint32", "uint32_t", "uint4", "uint64", "uint64_t", "uint8", "uint8_t",
    "uintptr_t", "ulong", "ulong1", "ulong2", "ulong3", "ulong4", "ulonglong1", "ulonglong2",
    "ulonglong3", "ulonglong4", "union", "unix", "unsigned", "ushort", "ushort1", "ushort2",
    "ushort3", "ushort4", "using",
    "virtual", "void", "volatile",
    "warpSize", "wchar_t", "while",
    "xor", "xor_eq",
};
// clang-format on
static_assert(std::is_sorted(std::begin(kTaken), std::end(kTaken)));

constexpr std::array<std::string_view, 4> kOperators = {"ceilDiv", "max", "min", "select"};

// Not <cctype>: its answers depend on the locale.
bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

bool is_let_name(std::string_view name) {
  return name.size() > 2 && name.starts_with("_t") &&
         std::all_of(name.begin() + 2, name.end(), is_digit);
}

bool is_stride_name(std::string_view name) {
  constexpr std::string_view kMiddle = "_stride_";
  for (std::size_t at = name.find(kMiddle, 1); at != std::string_view::npos;
       at = name.find(kMiddle, at + 1)) {
    if (is_identifier(name.substr(at + kMiddle.size()))) return true;
  }
  return false;
}

// Insertions, deletions, replacements and swaps of neighbours that turn a into b.
std::size_t typing_mistakes(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> here(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    here[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t differs = a[i - 1] == b[j - 1] ? 0 : 1;
      here[j] = std::min({above[j] + 1, here[j - 1] + 1, above[j - 1] + differs});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        here[j] = std::min(here[j], before[j - 2] + 1);
      }
    }
    std::swap(before, above);
    std::swap(above, here);
  }
  return above[b.size()];
}

}  // namespace

bool is_identifier(std::string_view text) {
  if (text.empty() || !is_letter(text[0])) return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

std::optional<Diagnostic> check_name(std::string_view name, const Place& place) {
  const auto wrong = [&](const char* code, std::string why, std::string help) {
    return Diagnostic{
        .code = code, .place = place, .message = shown(name) + why, .help = std::move(help)};
  };
  if (!is_identifier(name)) {
    return wrong("E201", " is not a name",
                 "names consist of letters, digits and '_' and do not begin with a digit");
  }
  if (name.size() > kLongestName) {
    return wrong("E201", " is " + std::to_string(name.size()) + " characters long",
                 "names have at most 64 characters");
  }
  if (name.starts_with("__")) {
    return wrong("E201", " begins with '__', which belongs to the compiler",
                 "leave out the underscores");
  }
  const std::string other = "choose another name, such as '" + std::string(name) + "_'";
  if (std::find(kOperators.begin(), kOperators.end(), name) != kOperators.end()) {
    return wrong("E202", " is an operator of expressions", other);
  }
  if (is_let_name(name)) {
    return wrong("E202", " is reserved: _t and digits name parts of printed expressions",
                 "choose another name, such as 't" + std::string(name.substr(2)) + "'");
  }
  if (is_stride_name(name)) {
    return wrong("E202", " is reserved: TENSOR_stride_AXIS names the strides of tensors",
                 "choose a name without '_stride_'");
  }
  if (std::binary_search(std::begin(kTaken), std::end(kTaken), name)) {
    return wrong("E203", " is a keyword or built-in of C++ or CUDA", other);
  }
  return std::nullopt;
}

std::optional<std::string_view> nearest(std::string_view word,
                                        std::span<const std::string_view> words) {
  if (word.size() > kLongestName) return std::nullopt;
  std::optional<std::string_view> best;
  std::size_t fewest = std::max<std::size_t>(word.size() / 3, 1) + 1;
  for (const std::string_view candidate : words) {
    const std::size_t mistakes = typing_mistakes(word, candidate);
    if (mistakes < fewest && mistakes < candidate.size()) {
      fewest = mistakes;
      best = candidate;
    }
  }
  return best;
}

std::string_view first_characters(std::string_view text, std::size_t count) {
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
  std::size_t end = 0;
  for (; end < text.size() && count > 0; --count) {
    do ++end;
    while (end < text.size() && continues(text[end]));
  }
  return text.substr(0, end);
}

std::string shown(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  constexpr const char* kHex = "0123456789abcdef";
  const std::string_view start = first_characters(text, kLongest);
  std::string out = "'";
  for (const char c : start) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (is_control(c)) {
      out += std::string("\\x") + kHex[byte >> 4] + kHex[byte & 15];
    } else {
      out += c;
    }
  }
  return out + (start.size() < text.size() ? "...'" : "'");
}

}  // namespace selvage
