// Each row of the tables of doc/values.md.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/support/text_files.h"
#include "tests/values/page_rows.h"

namespace selvage::values {
namespace {

// All items folded into one.
PageCase fold(Given a, const std::string& name, Call call, Given expected,
              const std::string& more = "") {
  return {.inputs = {std::move(a)},
          .statement = "y[] = " + name + "[i](a[i]" + more + ")",
          .call = std::move(call),
          .expected = std::move(expected)};
}

const Call kAdd = [](const Tensors& t) { return t[0] + t[1]; };
const Call kSum = [](const Tensors& t) { return sum(t[0]); };
const Call kProd = [](const Tensors& t) { return prod(t[0]); };
const Call kMax = [](const Tensors& t) { return max(t[0], selvage::Axes{}); };
const Call kMin = [](const Tensors& t) { return min(t[0], selvage::Axes{}); };
const Call kMean = [](const Tensors& t) { return mean(t[0]); };
const Call kVariance = [](const Tensors& t) { return variance(t[0]); };
const Call kArgMax = [](const Tensors& t) { return argmax(t[0]); };

PageCase added(Given a, Given b, Given expected) {
  return two(std::move(a), std::move(b), "a[i] + b[i]", kAdd, std::move(expected));
}

void add_types(Rows& rows) {
  rows["half and half, bfloat16 and bfloat16"] = {
      added(reals(Half, {1.5}), reals(Half, {2}), reals(Half, {3.5})),
      added(reals(BFloat16, {1.5}), reals(BFloat16, {2}), reals(BFloat16, {3.5}))};
  rows["half and bfloat16"] = {
      added(reals(Half, {1}), reals(BFloat16, {0x1p-20}), reals(Float, {1 + 0x1p-20})),
      added(reals(BFloat16, {0x1p-20}), reals(Half, {1}), reals(Float, {1 + 0x1p-20}))};
  auto& with_floats = rows["a float and an integer or bool"];
  for (const DataType f : kFloats) {
    for (const DataType i : kIntegers) {
      with_floats.push_back(added(reals(f, {0.5}), wholes(i, {3}), reals(f, {3.5})));
    }
    with_floats.push_back(added(wholes(Bool, {1}), reals(f, {0.5}), reals(f, {1.5})));
  }
  auto& alike = rows["two signed or two unsigned integers"];
  for (std::size_t k = 0; k < 4; ++k) {
    for (std::size_t j = 0; j < 4; ++j) {
      const std::size_t wider = std::max(k, j);
      alike.push_back(
          added(wholes(kSigned[k], {-3}), wholes(kSigned[j], {7}), wholes(kSigned[wider], {4})));
      alike.push_back(added(wholes(kUnsigned[k], {200}), wholes(kUnsigned[j], {7}),
                            wholes(kUnsigned[wider], {207})));
    }
  }
  auto& mixed = rows["int8 and uint8 (16, 32 alike)"];
  for (std::size_t k = 0; k < 3; ++k) {
    mixed.push_back(
        added(wholes(kSigned[k], {-1}), wholes(kUnsigned[k], {3}), wholes(kSigned[k + 1], {2})));
    mixed.push_back(added(wholes(kUnsigned[k], {-1}), wholes(kSigned[k], {1}),
                          wholes(kSigned[k + 1], {Wide(1) << (8 << k)})));
  }
  rows["int32 and uint8, int8 and uint16"] = {
      added(wholes(Int32, {-1}), wholes(UInt8, {3}), wholes(Int32, {2})),
      added(wholes(UInt8, {3}), wholes(Int32, {-1}), wholes(Int32, {2})),
      added(wholes(Int8, {-1}), wholes(UInt16, {65535}), wholes(Int32, {65534})),
      added(wholes(UInt32, {3}), wholes(Int8, {-1}), wholes(Int64, {2})),
      added(wholes(Int64, {-1}), wholes(UInt32, {3}), wholes(Int64, {2}))};
  auto& refusals = rows["uint64 and a signed integer"];
  for (const DataType type : kSigned) {
    refusals.push_back(refused(added(wholes(UInt64, {1}), wholes(type, {1}), {}), "E506"));
    refusals.push_back(refused(added(wholes(type, {1}), wholes(UInt64, {1}), {}), "E506"));
  }
  const Given truths = wholes(Bool, {1, 0});
  rows["bool + bool, -bool and other arithmetic"] = {
      added(truths, wholes(Bool, {1, 1}), wholes(Int32, {2, 1})),
      one(
          truths, "-a[i]", [](const Tensors& t) { return -t[0]; }, wholes(Int32, {-1, 0})),
      one(
          truths, "a[i] * a[i]", [](const Tensors& t) { return t[0] * t[0]; },
          wholes(Int32, {1, 0})),
      one(
          truths, "min(a[i], a[i])", [](const Tensors& t) { return min(t[0], t[0]); },
          wholes(Int32, {1, 0})),
      one(
          truths, "a[i] - 1", [](const Tensors& t) { return t[0] - 1; }, wholes(Int32, {0, -1}))};
  rows["select(c, bool, bool), the folds max, min of bool"] = {
      two(
          truths, wholes(Bool, {0, 1}), "select(a[i], b[i], a[i])",
          [](const Tensors& t) { return select(t[0], t[1], t[0]); }, wholes(Bool, {0, 0})),
      fold(truths, "max", kMax, wholes(Bool, {1})), fold(truths, "min", kMin, wholes(Bool, {0}))};
  auto& roots = rows["sqrt, floor and the like of an integer"];
  for (const DataType type : kIntegers) {
    roots.push_back(one(
        wholes(type, {9}), "sqrt(a[i])", [](const Tensors& t) { return sqrt(t[0]); },
        reals(Float, {3})));
    roots.push_back(one(
        wholes(type, {9}), "floor(a[i])", [](const Tensors& t) { return floor(t[0]); },
        reals(Float, {9})));
  }
  auto& quotients = rows["integer / integer"];
  for (const DataType type : kIntegers) {
    quotients.push_back(two(
        wholes(type, {7}), wholes(type, {2}), "a[i] / b[i]",
        [](const Tensors& t) { return t[0] / t[1]; }, reals(Float, {3.5})));
  }
  rows["int8 and the literal 200"] = {
      refused(one(wholes(Int8, {1}), "a[i] + 200", [](const Tensors& t) { return t[0] + 200; }, {}),
              "E506")};
  rows["half and the literal 1.5"] = {one(
      reals(Half, {2}), "a[i] + 1.5", [](const Tensors& t) { return t[0] + 1.5; },
      reals(Half, {3.5}))};
  rows["half and the literal 0.1"] = {
      one(
          reals(Half, {0}), "a[i] + 0.1", [](const Tensors& t) { return t[0] + 0.1; },
          reals(Half, {0.1})),
      one(
          reals(Half, {0}), "float(a[i] + 0.1)",
          [](const Tensors& t) { return cast(t[0] + 0.1, Float); }, reals(Float, {0.1}))};
  rows["half 0 and the int32 2049, as float"] = {two(
      reals(Half, {0}), wholes(Int32, {2049}), "float(a[i] + b[i])",
      [](const Tensors& t) { return cast(t[0] + t[1], Float); }, reals(Float, {2049}))};
  rows["int32 and the literal 1.5"] = {one(
      wholes(Int32, {2}), "a[i] + 1.5", [](const Tensors& t) { return t[0] + 1.5; },
      reals(Float, {3.5}))};
}

void add_integers(Rows& rows) {
  const auto subtracted = [](Given a, Given b, Given expected) {
    return two(
        std::move(a), std::move(b), "a[i] - b[i]", [](const Tensors& t) { return t[0] - t[1]; },
        std::move(expected));
  };
  rows["int8: 100 + 100"] = {
      added(wholes(Int8, {100}), wholes(Int8, {100}), wholes(Int8, {-56})),
      // Within a statement, and by way of a tensor that is an output too, or none.
      one(
          wholes(Int8, {100}), "int32(a[i] + a[i])",
          [](const Tensors& t) { return cast(t[0] + t[0], Int32); }, wholes(Int32, {-56}))};
  for (const bool is_output : {false, true}) {
    PageCase c = one(
        wholes(Int8, {100}), "int32(t[i])", [](const Tensors& t) { return cast(t[1], Int32); },
        wholes(Int32, {-56}));
    c.before = "t[i] = a[i] + a[i]";
    c.call_before = [](const Tensors& t) { return t[0] + t[0]; };
    if (is_output) c.expected_before = wholes(Int8, {-56});
    rows["int8: 100 + 100"].push_back(c);
  }
  rows["uint8: 3 - 5"] = {subtracted(wholes(UInt8, {3}), wholes(UInt8, {5}), wholes(UInt8, {254}))};
  rows["uint32: 0 - 1"] = {
      subtracted(wholes(UInt32, {0}), wholes(UInt32, {1}), wholes(UInt32, {4294967295})),
      one(
          wholes(UInt32, {0}), "(a[i] - 1) > 5", [](const Tensors& t) { return t[0] - 1 > 5; },
          wholes(Bool, {1}))};
  rows["uint64: 2^64 - 1 > 5"] = {one(
      wholes(UInt64, {kEnd64 - 1}), "a[i] > 5", [](const Tensors& t) { return t[0] > 5; },
      wholes(Bool, {1}))};
  rows["`float(uint64)` of 2^63"] = {one(
      wholes(UInt64, {Wide(1) << 63}), "float(a[i])",
      [](const Tensors& t) { return cast(t[0], Float); }, reals(Float, {0x1p63}))};
  const Given least = wholes(Int8, {-128});
  rows["int8: -(-128), abs(-128), -128 // -1"] = {
      one(
          least, "-a[i]", [](const Tensors& t) { return -t[0]; }, least),
      one(
          least, "abs(a[i])", [](const Tensors& t) { return abs(t[0]); }, least),
      one(
          least, "a[i] // -1", [](const Tensors& t) { return floor_div(t[0], -1); }, least)};
  const auto divided = [](Wide a, Wide b, Wide quotient, Wide rest) {
    return std::vector{
        two(
            wholes(Int32, {a}), wholes(Int32, {b}), "a[i] // b[i]",
            [](const Tensors& t) { return floor_div(t[0], t[1]); }, wholes(Int32, {quotient})),
        two(
            wholes(Int32, {a}), wholes(Int32, {b}), "a[i] % b[i]",
            [](const Tensors& t) { return t[0] % t[1]; }, wholes(Int32, {rest}))};
  };
  rows["-7 // 2, -7 % 2"] = divided(-7, 2, -4, 1);
  rows["7 // -2, 7 % -2"] = divided(7, -2, -3, 1);
  rows["7 // 0, 7 % 0"] = divided(7, 0, 0, 0);
}

void add_halves(Rows& rows) {
  rows["half x: (x * 300) / 300 at x = 300"] = {one(
      reals(Half, {300}), "(a[i] * 300) / 300", [](const Tensors& t) { return (t[0] * 300) / 300; },
      reals(Half, {300}))};
  for (const bool is_output : {false, true}) {
    PageCase c = one(
        reals(Half, {40000}), "float(t[i])", [](const Tensors& t) { return cast(t[1], Float); },
        reals(Float, {80000}));
    c.before = "t[i] = a[i] + a[i]";
    c.call_before = [](const Tensors& t) { return t[0] + t[0]; };
    if (is_output) c.expected_before = reals(Half, {kInf});
    rows["half t = a + a at a = 40000, y = float(t)"].push_back(c);
  }
  rows["y = float(half(a + a)) at a = 40000"] = {one(
      reals(Half, {40000}), "float(half(a[i] + a[i]))",
      [](const Tensors& t) { return cast(cast(t[0] + t[0], Half), Float); }, reals(Float, {kInf}))};
  rows["half of the double 1 + 2^-11 + 2^-40"] = {one(
      reals(Double, {1 + 0x1p-11 + 0x1p-40}), "half(a[i])",
      [](const Tensors& t) { return cast(t[0], Half); }, reals(Half, {1 + 0x1p-10}))};
}

void add_nans(Rows& rows) {
  const Given x = reals(Float, {1, kNaN, kNaN}), y = reals(Float, {kNaN, 2, kNaN});
  const Given nans = reals(Float, {kNaN, kNaN, kNaN}), others = reals(Float, {1, 2, kNaN});
  const auto pair = [](Given a, Given b, const std::string& name, Call call, Given expected) {
    return two(std::move(a), std::move(b), name + "(a[i], b[i])", std::move(call),
               std::move(expected));
  };
  const Call greater = [](const Tensors& t) { return max(t[0], t[1]); };
  const Call less = [](const Tensors& t) { return min(t[0], t[1]); };
  rows["max(x, NaN), min(x, NaN)"] = {pair(x, y, "max", greater, nans),
                                      pair(x, y, "min", less, nans)};
  rows["fmax(x, NaN), fmin(x, NaN)"] = {
      pair(
          x, y, "fmax", [](const Tensors& t) { return fmax(t[0], t[1]); }, others),
      pair(
          x, y, "fmin", [](const Tensors& t) { return fmin(t[0], t[1]); }, others)};
  const Given items = reals(Float, {1, kNaN, 3});
  rows["the folds max, min with a NaN among the items"] = {
      fold(items, "max", kMax, reals(Float, {kNaN})),
      fold(items, "min", kMin, reals(Float, {kNaN})),
      fold(reals(Half, {kNaN, 1}), "max", kMax, reals(Half, {kNaN}))};
  const Call fold_fmax = [](const Tensors& t) { return fmax(t[0], selvage::Axes{}); };
  const Call fold_fmin = [](const Tensors& t) { return fmin(t[0], selvage::Axes{}); };
  rows["the folds fmax, fmin"] = {fold(items, "fmax", fold_fmax, reals(Float, {3})),
                                  fold(items, "fmin", fold_fmin, reals(Float, {1})),
                                  fold(nans, "fmax", fold_fmax, reals(Float, {-kInf})),
                                  fold(nans, "fmin", fold_fmin, reals(Float, {kInf}))};
  rows["argmax, argmin with a NaN"] = {
      fold(reals(Float, {5, kNaN, 9, kNaN}), "argmax", kArgMax, wholes(Int64, {1})),
      fold(
          reals(Float, {5, 1, kNaN}), "argmin", [](const Tensors& t) { return argmin(t[0]); },
          wholes(Int64, {2}))};
  const Given nan = reals(Float, {kNaN});
  rows["relu(NaN), clamp(NaN, 0, 1)"] = {
      one(
          nan, "relu(a[i])", [](const Tensors& t) { return relu(t[0]); }, nan),
      one(
          nan, "min(max(a[i], 0), 1)", [](const Tensors& t) { return clamp(t[0], 0, 1); }, nan)};
  const Given two_nans = reals(Float, {kNaN, kNaN}), some = reals(Float, {kNaN, 1});
  rows["NaN == NaN, NaN < x; NaN != NaN"] = {
      two(
          two_nans, some, "a[i] == b[i]", [](const Tensors& t) { return t[0] == t[1]; },
          wholes(Bool, {0, 0})),
      two(
          two_nans, some, "a[i] < b[i]", [](const Tensors& t) { return t[0] < t[1]; },
          wholes(Bool, {0, 0})),
      two(
          two_nans, some, "a[i] != b[i]", [](const Tensors& t) { return t[0] != t[1]; },
          wholes(Bool, {1, 1}))};
  const Given zeros = reals(Float, {-0.0, 0.0}), turned = reals(Float, {0.0, -0.0});
  rows["max(-0.0, 0.0), min(0.0, -0.0)"] = {
      pair(zeros, turned, "max", greater, reals(Float, {0.0, 0.0})),
      pair(zeros, turned, "min", less, reals(Float, {-0.0, -0.0})),
      fold(zeros, "max", kMax, reals(Float, {0.0})),
      fold(turned, "max", kMax, reals(Float, {0.0})),
      fold(zeros, "min", kMin, reals(Float, {-0.0})),
      fold(turned, "min", kMin, reals(Float, {-0.0}))};
  rows["fmax(-0.0, 0.0), fmin(0.0, -0.0)"] = {
      pair(
          zeros, turned, "fmax", [](const Tensors& t) { return fmax(t[0], t[1]); },
          reals(Float, {0.0, 0.0})),
      pair(
          zeros, turned, "fmin", [](const Tensors& t) { return fmin(t[0], t[1]); },
          reals(Float, {-0.0, -0.0}))};
  rows["relu(-0.0)"] = {one(
      reals(Float, {-0.0}), "relu(a[i])", [](const Tensors& t) { return relu(t[0]); },
      reals(Float, {0.0}))};
  rows["-(0.0), abs(-0.0)"] = {one(
                                   zeros, "-a[i]", [](const Tensors& t) { return -t[0]; }, turned),
                               one(
                                   zeros, "abs(a[i])", [](const Tensors& t) { return abs(t[0]); },
                                   reals(Float, {0.0, 0.0}))};
  rows["-0.0 + 0.0, the sum of -0.0 alone"] = {
      added(zeros, turned, reals(Float, {0.0, 0.0})),
      fold(reals(Float, {-0.0, -0.0}), "sum", kSum, reals(Float, {0.0}))};
  rows["argmax of -0.0, 0.0"] = {fold(zeros, "argmax", kArgMax, wholes(Int64, {0}))};
  const Given dividends = reals(Double, {-7, 7, -7, 7, 6}),
              divisors = reals(Double, {2, -2, -2, 2, 0});
  rows["a // b, a % b of floats"] = {
      two(
          dividends, divisors, "a[i] // b[i]",
          [](const Tensors& t) { return floor_div(t[0], t[1]); },
          reals(Double, {-4, -3, 4, 3, kInf})),
      two(
          dividends, divisors, "a[i] % b[i]", [](const Tensors& t) { return t[0] % t[1]; },
          reals(Double, {1, 1, 1, 1, kNaN}))};
}

void add_folds(Rows& rows) {
  auto& sums = rows["sum, prod of bool, integers"];
  for (const DataType type : kIntegers) {
    if (type == UInt64) continue;
    sums.push_back(fold(wholes(type, {100, 100, 100}), "sum", kSum, wholes(Int64, {300})));
    sums.push_back(fold(wholes(type, {100, 100, 100}), "prod", kProd, wholes(Int64, {1000000})));
  }
  sums.push_back(fold(wholes(Bool, {1, 0, 1}), "sum", kSum, wholes(Int64, {2})));
  sums.push_back(fold(wholes(Bool, {1, 1}), "prod", kProd, wholes(Int64, {1})));
  rows["sum, prod of uint64"] = {
      fold(wholes(UInt64, {Wide(1) << 32, (Wide(1) << 31) + 1}), "prod", kProd,
           wholes(UInt64, {(Wide(1) << 63) + (Wide(1) << 32)})),
      fold(wholes(UInt64, {Wide(1) << 63, 5}), "sum", kSum, wholes(UInt64, {(Wide(1) << 63) + 5}))};
  rows["sum, prod, mean of half"] = {
      fold(reals(Half, {40000, 40000, -40000}), "sum", kSum, reals(Half, {40000})),
      fold(reals(Half, {256, 512, 0x1p-10}), "prod", kProd, reals(Half, {128})),
      fold(reals(Half, {60000, 60000}), "mean", kMean, reals(Half, {60000}))};
  auto& means = rows["mean, var of integers"];
  for (const DataType type : kIntegers) {
    means.push_back(fold(wholes(type, {1, 2}), "mean", kMean, reals(Float, {1.5})));
    means.push_back(fold(wholes(type, {1, 3}), "var", kVariance, reals(Float, {2})));
  }
  const Given items = reals(Float, {1, 3});
  rows["var(x)"] = {fold(items, "var", kVariance, reals(Float, {2}))};
  rows["var(x, 0); `variance(x, axes, keepdim, 0)`"] = {fold(
      items, "var", [](const Tensors& t) { return variance(t[0], {}, false, 0); },
      reals(Float, {1}), ", 0")};
  rows["var of one item"] = {fold(reals(Float, {3}), "var", kVariance, reals(Float, {kNaN}))};
  const auto nothing = [](DataType type) { return Given{.type = type}; };
  const auto all_powers = [](const Tensors& t) { return reduce(Reduction::LogSumExp, t[0]); };
  rows["logsumexp of -inf alone or of nothing; with an inf, with a NaN"] = {
      fold(reals(Float, {-kInf, -kInf}), "logsumexp", all_powers, reals(Float, {-kInf})),
      fold(nothing(Float), "logsumexp", all_powers, reals(Float, {-kInf})),
      fold(reals(Float, {1, kInf, -kInf, kInf}), "logsumexp", all_powers, reals(Float, {kInf})),
      fold(reals(Float, {1, kNaN, kInf}), "logsumexp", all_powers, reals(Float, {kNaN}))};
  auto& ends = rows["max, min of nothing"];
  for (std::size_t k = 0; k < 4; ++k) {
    const Wide size = Wide(1) << (8 << k);
    ends.push_back(fold(nothing(kSigned[k]), "max", kMax, wholes(kSigned[k], {-size / 2})));
    ends.push_back(fold(nothing(kSigned[k]), "min", kMin, wholes(kSigned[k], {size / 2 - 1})));
    ends.push_back(fold(nothing(kUnsigned[k]), "max", kMax, wholes(kUnsigned[k], {0})));
    ends.push_back(fold(nothing(kUnsigned[k]), "min", kMin, wholes(kUnsigned[k], {size - 1})));
    ends.push_back(fold(nothing(kFloats[k]), "max", kMax, reals(kFloats[k], {-kInf})));
    ends.push_back(fold(nothing(kFloats[k]), "min", kMin, reals(kFloats[k], {kInf})));
  }
  rows["sum, prod, any, all, argmax, mean of nothing"] = {
      fold(nothing(Float), "sum", kSum, reals(Float, {0.0})),
      fold(nothing(Float), "prod", kProd, reals(Float, {1})),
      fold(
          nothing(Float), "any", [](const Tensors& t) { return any(t[0]); }, wholes(Bool, {0})),
      fold(
          nothing(Float), "all", [](const Tensors& t) { return all(t[0]); }, wholes(Bool, {1})),
      fold(nothing(Float), "argmax", kArgMax, wholes(Int64, {0})),
      fold(nothing(Float), "mean", kMean, reals(Float, {kNaN}))};
  rows["argmax among equals"] = {
      fold(wholes(Int32, {1, 7, 7}), "argmax", kArgMax, wholes(Int64, {1})),
      fold(reals(Float, {kInf, 1, kInf}), "argmax", kArgMax, wholes(Int64, {0}))};
}

const Rows& rows() {
  static const Rows all = [] {
    Rows made;
    add_types(made);
    add_integers(made);
    add_halves(made);
    add_nans(made);
    add_folds(made);
    add_bits(made);
    add_roundings(made);
    add_random(made);
    return made;
  }();
  return all;
}

// The first cells of the rows of all tables, but for their heads.
std::set<std::string> first_cells(const std::string& page) {
  std::set<std::string> cells;
  bool is_row = false;
  for (const std::string& line : lines_of(page)) {
    if (is_row && line.starts_with("|")) cells.insert(line.substr(2, line.find(" |", 2) - 2));
    is_row = line.starts_with("|") && (is_row || line.starts_with("|---"));
  }
  return cells;
}

TEST(ValuesPage, EveryRowHasATest) {
  std::set<std::string> tested;
  for (const auto& [row, cases] : rows()) tested.insert(row);
  EXPECT_EQ(tested, first_cells(contents(kRepository / "doc/values.md")));
}

TEST(ValuesPage, EveryRowIsSo) {
  for (const auto& [row, cases] : rows()) {
    EXPECT_FALSE(cases.empty()) << row;
    for (const PageCase& c : cases) EXPECT_EQ(wrong(c), "") << row;
  }
}

}  // namespace
}  // namespace selvage::values
