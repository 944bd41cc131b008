#include <selvage/base/check.h>
#include <selvage/codegen/atomics.h>
#include <selvage/codegen/helpers.h>

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

namespace selvage {

namespace {

// One row per helper; what a row uses stands above it.
//   usual      the type for which the name has no suffix
//   signature  what stands between the name's qualifiers and its body, with @ for the name
//   body       in C; asm only beside plain C that gives the same bits
//   otherwise  the body for all types but the usual one, where that differs
struct Helper {
  std::string_view name;
  DataType usual;
  std::string_view result, parameters, body;
  std::string_view otherwise = {};
};

#define SELVAGE_SEARCH                                        \
  "  while (first < last) {\n"                                \
  "    const $T middle = last - (last - first) / 2;\n"        \
  "    if (offsets[middle] <= position - added * middle) {\n" \
  "      first = middle;\n"                                   \
  "    } else {\n"                                            \
  "      last = middle - 1;\n"                                \
  "    }\n"                                                   \
  "  }\n"                                                     \
  "  return first;\n"

constexpr Helper kHelpers[] = {
    // Division by b > 0, rounded down.
    {"floor_div", DataType::Int32, "$T", "$T a, $T b", "  return a / b - (a % b < 0);\n"},
    {"floor_mod", DataType::Int32, "$T", "$T a, $T b",
     "  const $T r = a % b;\n"
     "  return r < 0 ? r + b : r;\n"},
    // a % b of a dividend that is one b outside at most: below, above, or either.
    {"mod_below", DataType::Int32, "$T", "$T a, $T b", "  return a < 0 ? a + b : a;\n"},
    {"mod_above", DataType::Int32, "$T", "$T a, $T b", "  return a < b ? a : a - b;\n"},
    {"mod_near", DataType::Int32, "$T", "$T a, $T b",
     "  return a < 0 ? a + b : a < b ? a : a - b;\n"},
    // Euclid: a = b*q + r, 0 <= r < |b|. If b = 0 both are 0; a quotient that does not fit wraps.
    {"euclid_div", DataType::Int32, "$T", "$T a, $T b",
     "  if (b == 0) return 0;\n"
     "  if (b == -1) return ($T)(0 - ($U)a);\n"
     "  if (a % b >= 0) return a / b;\n"
     "  return b > 0 ? a / b - 1 : a / b + 1;\n"},
    {"euclid_mod", DataType::Int32, "$T", "$T a, $T b",
     "  if (b == 0 || b == -1) return 0;\n"
     "  const $T r = a % b;\n"
     "  if (r >= 0) return r;\n"
     "  return b > 0 ? r + b : r - b;\n"},
    {"quotient_or_zero", DataType::UInt64, "$T", "$T a, $T b", "  return b == 0 ? 0 : a / b;\n"},
    {"modulus_or_zero", DataType::UInt64, "$T", "$T a, $T b", "  return b == 0 ? 0 : a % b;\n"},
    {"min_of", DataType::Int32, "$T", "$T a, $T b", "  return a < b ? a : b;\n"},
    {"max_of", DataType::Int32, "$T", "$T a, $T b", "  return a < b ? b : a;\n"},

    // Of offsets that rise, each with `added` for each row before it: the last from `first` on
    // that is at most `position`.
    {"row_at", DataType::Int32, "$T",
     "const long long* offsets, $T first, $T last, $T position, $T added", SELVAGE_SEARCH},
    {"row_at_int", DataType::Int32, "$T",
     "const int* offsets, $T first, $T last, $T position, $T added", SELVAGE_SEARCH},

    {"checked", DataType::Float, "$T",
     "bool holds, $T value, long long* failures, int check, long long point, long long shown",
     "  if (!holds) record_failure(failures, check, point, shown);\n  return value;\n"},

    // Signed overflow is undefined in C; through unsigned it wraps around.
    {"wrap_add", DataType::Int32, "$T", "$T a, $T b", "  return ($T)(($U)a + ($U)b);\n"},
    {"wrap_sub", DataType::Int32, "$T", "$T a, $T b", "  return ($T)(($U)a - ($U)b);\n"},
    {"wrap_mul", DataType::Int32, "$T", "$T a, $T b", "  return ($T)(($U)a * ($U)b);\n"},
    {"wrap_neg", DataType::Int32, "$T", "$T a", "  return ($T)(0 - ($U)a);\n"},
    {"shift_left", DataType::Int32, "$T", "$T a, $T n",
     "  return ($U)n < 8 * sizeof(a) ? ($T)(($U)a << (int)n) : 0;\n"},
    // The sign fills what becomes free.
    {"shift_right", DataType::Int32, "$T", "$T a, $T n",
     "  return a >> (($U)n < 8 * sizeof(a) ? (int)n : 8 * (int)sizeof(a) - 1);\n"},
    {"shift_right_or_zero", DataType::UInt64, "$T", "$T a, $T n",
     "  return n < 8 * sizeof(a) ? a >> (int)n : 0;\n"},
    {"wrap_abs", DataType::Int32, "$T", "$T a", "  return a < 0 ? ($T)(0 - ($U)a) : a;\n"},

    // NaN if an operand is NaN; fmin and fmax would return the other operand.
    {"min_or_nan", DataType::Float, "$T", "$T a, $T b",
     "#ifdef SELVAGE_VIRTUAL_DEVICE\n"
     "  return a != a || b != b ? a + b : fminf(a, b);\n"
     "#else\n"
     "  float x;\n"
     "  asm(\"min.NaN.f32 %0, %1, %2;\" : \"=f\"(x) : \"f\"(a), \"f\"(b));\n"
     "  return x;\n"
     "#endif\n",
     "  return a != a || b != b ? a + b : fmin$f(a, b);\n"},
    {"max_or_nan", DataType::Float, "$T", "$T a, $T b",
     "#ifdef SELVAGE_VIRTUAL_DEVICE\n"
     "  return a != a || b != b ? a + b : fmaxf(a, b);\n"
     "#else\n"
     "  float x;\n"
     "  asm(\"max.NaN.f32 %0, %1, %2;\" : \"=f\"(x) : \"f\"(a), \"f\"(b));\n"
     "  return x;\n"
     "#endif\n",
     "  return a != a || b != b ? a + b : fmax$f(a, b);\n"},
    {"relu", DataType::Float, "$T", "$T x", "  return x <= 0 ? 0 : x;\n"},
    {"sign", DataType::Float, "$T", "$T x", "  return ($T)((x > 0) - (x < 0));\n"},
    {"sign_or_zero", DataType::UInt64, "$T", "$T x", "  return x > 0;\n"},
    {"reciprocal", DataType::Float, "$T", "$T x", "  return 1.0$f / x;\n"},
    // Division by what a loop shares (shared_quotients.h): x / s from r = 1 / s. It is exact where
    // the divisor lies in 2^-24 .. 2^100, and the quotient is at least 2^-77.
    {"shared_quotient", DataType::Float, "$T", "$T x, $T s, $T r",
     "  const $T q = x * r;\n"
     "  return fma$f(fma$f(-q, s, x), r, q);\n"},
    // 1 / s of such a divisor, rounded once, as the compiler itself divides 1 by it, without the
    // test for others.
    {"plain_reciprocal", DataType::Float, "$T", "$T s",
     "#ifdef SELVAGE_VIRTUAL_DEVICE\n"
     "  return 1.0f / s;\n"
     "#else\n"
     "  float r;\n"
     "  asm(\"rcp.approx.ftz.f32 %0, %1;\" : \"=f\"(r) : \"f\"(s));\n"
     "  return fmaf(r, fmaf(-s, r, 1.0f), r);\n"
     "#endif\n"},
    {"is_plain_divisor", DataType::Float, "bool", "$T s",
     "  return s >= 5.9604644775390625e-8f && s <= 1.2676506002282294e30f;\n"},
    {"is_plain_quotient", DataType::Float, "bool", "$T q",
     "  return fabs$f(q) >= 6.617444900424222e-24f;\n"},
    // 0 is the most common of the others.
    {"rare_quotient", DataType::Float, "$T", "$T x, $T s",
     "  return x == 0 && s > 0 && s <= 3.4028234663852886e38f ? x : x / s;\n"},
    // x - x is 0 of finite numbers alone.
    {"is_nan", DataType::Float, "bool", "$T x", "  return x != x;\n"},
    {"is_infinite", DataType::Float, "bool", "$T x", "  return x == x && x - x != 0;\n"},
    {"is_finite", DataType::Float, "bool", "$T x", "  return x - x == 0;\n"},
    {"floor_quotient", DataType::Float, "$T", "$T a, $T b",
     "  return b < 0 ? ceil$f(a / b) : floor$f(a / b);\n"},
    {"remainder_of", DataType::Float, "$T", "$T a, $T b",
     "  const $T r = fmod$f(a, b);\n"
     "  return r < 0 ? r + fabs$f(b) : r;\n"},
    {"sigmoid", DataType::Float, "$T", "$T x", "  return 1.0$f / (1.0$f + exp$f(-x));\n"},
    {"silu", DataType::Float, "$T", "$T x", "  return x / (1.0$f + exp$f(-x));\n"},
    {"gelu", DataType::Float, "$T", "$T x",
     "  return 0.5$f * x * (1.0$f + erf$f(x * 0.70710678118654752440$f));\n"},
    {"gelu_tanh", DataType::Float, "$T", "$T x",
     "  const $T inner = 0.7978845608028654$f * (x + 0.044715$f * (x * x * x));\n"
     "  return 0.5$f * x * (1.0$f + tanh$f(inner));\n"},
    {"softplus", DataType::Float, "$T", "$T x", "  return x > 20 ? x : log1p$f(exp$f(x));\n"},
    // Fast forms, off by at most fast_error() (ir/fast_math.h). What a GPU approximates is exact in
    // the plain C beside it.
    {"approx_exp2", DataType::Float, "$T", "$T x",
     "#ifdef SELVAGE_VIRTUAL_DEVICE\n"
     "  return exp2f(x);\n"
     "#else\n"
     "  float y;\n"
     "  asm(\"ex2.approx.ftz.f32 %0, %1;\" : \"=f\"(y) : \"f\"(x));\n"
     "  return y;\n"
     "#endif\n"},
    {"approx_log2", DataType::Float, "$T", "$T x",
     "#ifdef SELVAGE_VIRTUAL_DEVICE\n"
     "  return log2f(x);\n"
     "#else\n"
     "  float y;\n"
     "  asm(\"lg2.approx.ftz.f32 %0, %1;\" : \"=f\"(y) : \"f\"(x));\n"
     "  return y;\n"
     "#endif\n"},
    {"approx_reciprocal", DataType::Float, "$T", "$T x",
     "#ifdef SELVAGE_VIRTUAL_DEVICE\n"
     "  return 1.0f / x;\n"
     "#else\n"
     "  float y;\n"
     "  asm(\"rcp.approx.ftz.f32 %0, %1;\" : \"=f\"(y) : \"f\"(x));\n"
     "  return y;\n"
     "#endif\n"},
    {"approx_sqrt", DataType::Float, "$T", "$T x",
     "#ifdef SELVAGE_VIRTUAL_DEVICE\n"
     "  return sqrtf(x);\n"
     "#else\n"
     "  float y;\n"
     "  asm(\"sqrt.approx.ftz.f32 %0, %1;\" : \"=f\"(y) : \"f\"(x));\n"
     "  return y;\n"
     "#endif\n"},
    {"approx_rsqrt", DataType::Float, "$T", "$T x",
     "#ifdef SELVAGE_VIRTUAL_DEVICE\n"
     "  return 1.0f / sqrtf(x);\n"
     "#else\n"
     "  float y;\n"
     "  asm(\"rsqrt.approx.ftz.f32 %0, %1;\" : \"=f\"(y) : \"f\"(x));\n"
     "  return y;\n"
     "#endif\n"},
    {"fast_exp", DataType::Float, "$T", "$T x",
     "  return @approx_exp2(x * 1.4426950408889634f);\n"},
    {"fast_log", DataType::Float, "$T", "$T x",
     "  return @approx_log2(x) * 0.69314718055994531f;\n"},
    {"fast_quotient", DataType::Float, "$T", "$T x, $T s", "  return x * @approx_reciprocal(s);\n"},
    {"fast_sigmoid", DataType::Float, "$T", "$T x",
     "  return @approx_reciprocal(1.0f + @approx_exp2(x * -1.4426950408889634f));\n"},
    {"fast_silu", DataType::Float, "$T", "$T x", "  return x * @fast_sigmoid(x);\n"},
    // 1 - 2 / (1 + exp(2x))
    {"fast_tanh", DataType::Float, "$T", "$T x",
     "  const float y = @approx_reciprocal(1.0f + @approx_exp2(x * 2.8853900817779268f));\n"
     "  return fmaf(-2.0f, y, 1.0f);\n"},
    // x * sigmoid(2z) = 0.5 * x * (1 + tanh(z)) for the z of gelu_tanh
    {"fast_gelu_tanh", DataType::Float, "$T", "$T x",
     "  const float w = x * fmaf(x * x, -0.10294324f, -2.3022082f);\n"
     "  return x * @approx_reciprocal(1.0f + @approx_exp2(w));\n"},

    // Rounds towards zero; values out of range become the nearest end of it, NaN becomes 0.
    {"to_int", DataType::Float, "int", "$T x",
     "  if (x >= 2147483648.0$f) return 2147483647;\n"
     "  if (x <= -2147483648.0$f) return -2147483647 - 1;\n"
     "  return x == x ? (int)x : 0;\n"},
    {"to_long", DataType::Float, "long long", "$T x",
     "  if (x >= 9223372036854775808.0$f) return 9223372036854775807LL;\n"
     "  if (x <= -9223372036854775808.0$f) return -9223372036854775807LL - 1;\n"
     "  return x == x ? (long long)x : 0;\n"},

    {"to_ulong", DataType::Float, "unsigned long long", "$T x",
     "  if (x >= 18446744073709551616.0$f) return 18446744073709551615ULL;\n"
     "  return x > 0 ? (unsigned long long)x : 0;\n"},

    // x rounded towards zero to a float, with its last bit set if that was inexact. Rounding this
    // float to 16 bits gives the same as rounding x itself.
    {"round_to_odd", DataType::Double, "float", "double x",
     "  const float f = (float)x;\n"
     "  const double back = f;\n"
     "  if (back == x || x != x) return f;\n"
     "  return __uint_as_float((__float_as_uint(f) - (unsigned)(fabs(back) > fabs(x))) | 1u);\n"},

    // Philox4x32-10 of the counter n / 4 and the key `seed`: word n % 4 (base/philox.h).
    {"random_word", DataType::Int64, "unsigned", "$T seed, $T n",
     "  unsigned a = (unsigned)(($U)n >> 2), b = (unsigned)(($U)n >> 34), c = 0, d = 0;\n"
     "  unsigned k = (unsigned)seed, l = (unsigned)(($U)seed >> 32);\n"
     "  for (int round = 0; round < 10; ++round) {\n"
     "    const $U p = 0xd2511f53ULL * a, q = 0xcd9e8d57ULL * c;\n"
     "    a = (unsigned)(q >> 32) ^ b ^ k;\n"
     "    b = (unsigned)q;\n"
     "    c = (unsigned)(p >> 32) ^ d ^ l;\n"
     "    d = (unsigned)p;\n"
     "    k += 0x9e3779b9u;\n"
     "    l += 0xbb67ae85u;\n"
     "  }\n"
     "  if ((n & 2) != 0) return (n & 1) != 0 ? d : c;\n"
     "  return (n & 1) != 0 ? b : a;\n"},
    {"random_bits", DataType::Int64, "$T", "$T seed, $T n",
     "  return ($T)@random_word(seed, n);\n"},
    {"random_uniform", DataType::Int64, "float", "$T seed, $T n",
     "  return (float)(int)(@random_word(seed, n) >> 8) * 5.9604644775390625e-8f;\n"},
    // normal_of in base/philox.h: additions, products, quotients and roots alone, in its order.
    {"random_normal", DataType::Int64, "float", "$T seed, $T n",
     "  const unsigned word = @random_word(seed, n);\n"
     "  const int m = (int)(word & 0x7fffffffu);\n"
     "  float x;\n"
     "  if (m <= 1825361100) {\n"
     "    const float q = ((float)m + 0.5f) * 2.3283064365386963e-10f;\n"
     "    const float r = 0.180625f - q * q;\n"
     "    const float above =\n"
     "        ((59.109374720f * r + 159.29113202f) * r + 50.434271938f) * r + 3.3871327179f;\n"
     "    x = q * above / (((67.187563600f * r + 78.757757664f) * r + 17.895169469f) * r + 1.0f);\n"
     "  } else {\n"
     "    const float y = (float)(2147483647 - m) + 0.5f;\n"
     "    const int e = (__float_as_int(y) - 0x3f3504f3) >> 23;\n"
     "    const float f = __uint_as_float(__float_as_uint(y) - ((unsigned)e << 23)) - 1.0f;\n"
     "    float p = 7.0376836292e-2f;\n"
     "    p = p * f + -1.1514610310e-1f;\n"
     "    p = p * f + 1.1676998740e-1f;\n"
     "    p = p * f + -1.2420140846e-1f;\n"
     "    p = p * f + 1.4249322787e-1f;\n"
     "    p = p * f + -1.6668057665e-1f;\n"
     "    p = p * f + 2.0000714765e-1f;\n"
     "    p = p * f + -2.4999993993e-1f;\n"
     "    p = p * f + 3.3333331174e-1f;\n"
     "    const float log_z = f - 0.5f * (f * f) + f * (f * f) * p;\n"
     "    const float r = sqrtf((float)(32 - e) * 0.69314718056f - log_z) - 1.6f;\n"
     "    const float above =\n"
     "        ((0.17023821103f * r + 1.3067284816f) * r + 2.7568153900f) * r + 1.4234372777f;\n"
     "    x = above / ((0.12021132975f * r + 0.73700164250f) * r + 1.0f);\n"
     "  }\n"
     "  return word >> 31 != 0 ? -x : x;\n"},

    // Between 16-bit floats as they lie in memory and the floats that they are computed in.
    {"half_to_float", DataType::Float, "float", "unsigned short h",
     "#ifdef SELVAGE_VIRTUAL_DEVICE\n"
     "  const unsigned sign = (h & 0x8000u) << 16;\n"
     "  const unsigned a = h & 0x7fffu;\n"
     "  if (a >= 0x7c00u) return __uint_as_float(sign | 0x7f800000u | (a & 0x3ffu) << 13);\n"
     "  if (a >= 0x400u) return __uint_as_float(sign | (a + 0x1c000u) << 13);\n"
     "  return __uint_as_float(sign | __float_as_uint((float)(int)a * 5.9604644775390625e-8f));\n"
     "#else\n"
     "  float x;\n"
     "  asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(x) : \"h\"(h));\n"
     "  return x;\n"
     "#endif\n"},
    // Below 2^-14, adding 0.5 makes the hardware round at the last place of a subnormal half.
    {"float_to_half", DataType::Float, "unsigned short", "float x",
     "#ifdef SELVAGE_VIRTUAL_DEVICE\n"
     "  const unsigned bits = __float_as_uint(x);\n"
     "  const unsigned sign = bits >> 16 & 0x8000u;\n"
     "  const unsigned a = bits & 0x7fffffffu;\n"
     "  unsigned h;\n"
     "  if (a > 0x7f800000u) {\n"
     "    h = a >> 13 & 0x3ffu ? 0x7c00u | (a >> 13 & 0x3ffu) : 0x7e00u;\n"
     "  } else if (a >= 0x477ff000u) {\n"
     "    h = 0x7c00u;\n"
     "  } else if (a >= 0x38800000u) {\n"
     "    h = (a - 0x38000000u + 0xfffu + (a >> 13 & 1u)) >> 13;\n"
     "  } else {\n"
     "    h = __float_as_uint(__uint_as_float(a) + 0.5f) - 0x3f000000u;\n"
     "  }\n"
     "  return (unsigned short)(sign | h);\n"
     "#else\n"
     "  unsigned short h;\n"
     "  asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(h) : \"f\"(x));\n"
     "  return h;\n"
     "#endif\n"},
    {"bfloat16_to_float", DataType::Float, "float", "unsigned short h",
     "  return __uint_as_float((unsigned)h << 16);\n"},
    {"float_to_bfloat16", DataType::Float, "unsigned short", "float x",
     "#ifdef SELVAGE_VIRTUAL_DEVICE\n"
     "  const unsigned a = __float_as_uint(x);\n"
     "  if (x != x) return (unsigned short)(a >> 16 & 0x7fu ? a >> 16 : a >> 16 | 0x40u);\n"
     "  return (unsigned short)((a + 0x7fffu + (a >> 16 & 1u)) >> 16);\n"
     "#else\n"
     "  unsigned short h;\n"
     "  asm(\"cvt.rn.bf16.f32 %0, %1;\" : \"=h\"(h) : \"f\"(x));\n"
     "  return h;\n"
     "#endif\n"},
};

constexpr DataType kComputeTypes[] = {DataType::Bool,   DataType::Int32, DataType::Int64,
                                      DataType::UInt64, DataType::Float, DataType::Double};

std::string_view body_of(const Helper& helper, DataType type) {
  return type == helper.usual || helper.otherwise.empty() ? helper.body : helper.otherwise;
}

std::string_view suffix(DataType compute) {
  if (compute == DataType::Bool) return "_bool";
  if (compute == DataType::Int32) return "_int";
  if (compute == DataType::Int64) return "_long";
  if (compute == DataType::UInt64) return "_ulong";
  return compute == DataType::Double ? "_double" : "_float";
}

std::string c_name(const Helper& helper, DataType type) {
  return std::string(helper.name) + (type == helper.usual ? "" : std::string(suffix(type)));
}

bool is_of_name(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

}  // namespace

std::string_view c_type(DataType compute) {
  SELVAGE_CHECK(std::find(std::begin(kComputeTypes), std::end(kComputeTypes), compute) !=
                std::end(kComputeTypes));
  return compute == DataType::Bool ? "bool" : c_storage_type(compute);
}

std::string_view c_unsigned_type(DataType compute) {
  return size_of(compute) == 8 ? "unsigned long long" : "unsigned";
}

std::string_view c_function_suffix(DataType compute) {
  return compute == DataType::Float ? "f" : "";
}

std::string_view c_bits_type(std::int64_t bytes) {
  switch (bytes) {
    case 2: return "unsigned short";
    case 4: return "unsigned";
    case 8: return "uint2";
    case 16: return "uint4";
    default: SELVAGE_CHECK(!"the width of an access"); return {};
  }
}

std::string_view c_storage_type(DataType type) {
  switch (type) {
    case DataType::Bool: return "unsigned char";
    case DataType::Int8: return "signed char";
    case DataType::Int16: return "short";
    case DataType::Int32: return "int";
    case DataType::Int64: return "long long";
    case DataType::UInt8: return "unsigned char";
    case DataType::UInt16: return "unsigned short";
    case DataType::UInt32: return "unsigned";
    case DataType::UInt64: return "unsigned long long";
    case DataType::Half: return "unsigned short";
    case DataType::BFloat16: return "unsigned short";
    case DataType::Float: return "float";
    case DataType::Double: return "double";
  }
  SELVAGE_CHECK(!"a data type");
}

std::string expand(std::string_view pattern, DataType type, Helpers* used,
                   const std::string* operands) {
  std::string text;
  text.reserve(2 * pattern.size());
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const std::size_t plain = i;
    while (i < pattern.size() && pattern[i] != '@' && pattern[i] != '$') ++i;
    text += pattern.substr(plain, i - plain);
    if (i == pattern.size()) break;
    if (pattern[i] == '@') {
      std::size_t end = i + 1;
      while (end < pattern.size() && is_of_name(pattern[end])) ++end;
      text += used->use(pattern.substr(i + 1, end - i - 1), type);
      i = end - 1;
    } else {
      const char what = pattern[++i];
      if (what == 'T') {
        text += c_type(type);
      } else if (what == 'U') {
        text += c_unsigned_type(type);
      } else if (what == 'f') {
        text += c_function_suffix(type);
      } else {
        text += operands[what - '0'];
      }
    }
  }
  return text;
}

std::string Helpers::use(std::string_view name, DataType type) {
  const auto* row = std::find_if(std::begin(kHelpers), std::end(kHelpers),
                                 [&](const Helper& h) { return h.name == name; });
  SELVAGE_CHECK(row != std::end(kHelpers));
  if (used_.insert({std::size_t(row - kHelpers), type}).second)
    expand(body_of(*row, type), type, this);
  return c_name(*row, type);
}

std::string Helpers::vector_type(DataType type, std::int64_t elements) {
  return std::string(to_string(type)) + "_x" + std::to_string(elements);
}

std::string Helpers::use_atomic(Function f, DataType type) {
  if (atomics_.insert({f, type}).second) atomic_definition(f, type, *this);
  return atomic_name(f, type);
}

std::vector<std::string> Helpers::definitions() const {
  std::vector<std::string> list;
  for (const auto& [type, elements] : vectors_) {
    list.push_back(fmt::format("typedef struct __align__({}) {{ {} at[{}]; }} {};\n",
                               elements * size_of(type), c_storage_type(type), elements,
                               vector_type(type, elements)));
  }
  Helpers all = *this;  // nothing new comes up: use() has noted what each helper uses
  for (const auto& [i, type] : used_) {
    const Helper& helper = kHelpers[i];
    list.push_back("static __device__ __forceinline__ " + expand(helper.result, type, nullptr) +
                   " " + c_name(helper, type) + "(" + expand(helper.parameters, type, nullptr) +
                   ") {\n" + expand(body_of(helper, type), type, &all) + "}\n");
  }
  for (const auto& [f, type] : atomics_) list.push_back(atomic_definition(f, type, all));
  return list;
}

bool is_helper_name(const std::string& name) {
  static const std::unordered_set<std::string> names = [] {
    std::unordered_set<std::string> all;
    for (const Helper& helper : kHelpers) {
      for (DataType type : kComputeTypes) all.insert(c_name(helper, type));
    }
    for (int type = 0; type <= int(DataType::Double); ++type) {
      for (int n = 1; n <= 16; n *= 2) all.insert(Helpers::vector_type(DataType(type), n));
      for (Function f : {Function::Add, Function::Min, Function::Max}) {
        all.insert(atomic_name(f, DataType(type)));
      }
    }
    return all;
  }();
  return names.contains(name);
}

}  // namespace selvage
