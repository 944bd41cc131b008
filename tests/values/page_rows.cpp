// The rows of doc/values.md that are about bits, roundings, signs and random numbers.
#include "tests/values/page_rows.h"

namespace selvage::values {

void add_bits(Rows& rows) {
  const Given truths = wholes(Bool, {1, 0});
  const Given others = wholes(Bool, {1, 1});
  rows["bit_and, bit_or, bit_xor, bit_not of bools"] = {
      two(
          truths, others, "bit_and(a[i], b[i])",
          [](const Tensors& t) { return bit_and(t[0], t[1]); }, wholes(Bool, {1, 0})),
      two(
          truths, others, "bit_or(a[i], b[i])", [](const Tensors& t) { return bit_or(t[0], t[1]); },
          wholes(Bool, {1, 1})),
      two(
          truths, others, "bit_xor(a[i], b[i])",
          [](const Tensors& t) { return bit_xor(t[0], t[1]); }, wholes(Bool, {0, 1})),
      one(
          truths, "bit_not(a[i])", [](const Tensors& t) { return bit_not(t[0]); },
          wholes(Bool, {0, 1}))};
  auto& no_bits = rows["bit_and and the like of a float"];
  for (const DataType type : kFloats) {
    no_bits.push_back(refused(two(reals(type, {1}), wholes(Int8, {1}), "bit_and(a[i], b[i])",
                                  [](const Tensors& t) { return bit_and(t[0], t[1]); }, {}),
                              "E506"));
    no_bits.push_back(refused(one(reals(type, {1}), "shift_right(a[i], 1)",
                                  [](const Tensors& t) { return shift_right(t[0], 1); }, {}),
                              "E506"));
  }
  rows["shift_left(bool, bool)"] = {two(
      truths, others, "shift_left(a[i], b[i])",
      [](const Tensors& t) { return shift_left(t[0], t[1]); }, wholes(Int32, {2, 0}))};
  auto& tests = rows["isnan, isinf, isfinite of an integer"];
  for (const DataType type : kIntegers) {
    const Given most = wholes(type, {-1, 0});
    tests.push_back(one(
        most, "isnan(a[i])", [](const Tensors& t) { return isnan(t[0]); }, wholes(Bool, {0, 0})));
    tests.push_back(one(
        most, "isinf(a[i])", [](const Tensors& t) { return isinf(t[0]); }, wholes(Bool, {0, 0})));
    tests.push_back(one(
        most, "isfinite(a[i])", [](const Tensors& t) { return isfinite(t[0]); },
        wholes(Bool, {1, 1})));
  }
  rows["bit_not of uint8 5"] = {
      one(
          wholes(UInt8, {5}), "bit_not(a[i])", [](const Tensors& t) { return bit_not(t[0]); },
          wholes(UInt8, {250})),
      one(
          wholes(UInt32, {5}), "bit_not(a[i]) > 0",
          [](const Tensors& t) { return bit_not(t[0]) > 0; }, wholes(Bool, {1}))};
  const auto left = [](Given a, Given n, Given expected) {
    return two(
        std::move(a), std::move(n), "shift_left(a[i], b[i])",
        [](const Tensors& t) { return shift_left(t[0], t[1]); }, std::move(expected));
  };
  const auto right = [](Given a, Given n, Given expected) {
    return two(
        std::move(a), std::move(n), "shift_right(a[i], b[i])",
        [](const Tensors& t) { return shift_right(t[0], t[1]); }, std::move(expected));
  };
  rows["int8: shift_left(1, 7), shift_left(3, 7)"] = {
      left(wholes(Int8, {1, 3}), wholes(Int8, {7, 7}), wholes(Int8, {-128, -128}))};
  const Given past = wholes(Int8, {8, 9, 31, 32, 64, 127, -1, -128});
  rows["int8: shift_left(1, n) where n >= 8 or n < 0"] = {
      left(wholes(Int8, {1, 1, 1, 1, 1, 1, 1, 1}), past, wholes(Int8, {0, 0, 0, 0, 0, 0, 0, 0})),
      left(wholes(Int64, {1, 1, 1}), wholes(Int64, {63, 64, -1}),
           wholes(Int64, {-(Wide(1) << 63), 0, 0}))};
  rows["int8: shift_right(-128, 3)"] = {
      right(wholes(Int8, {-128}), wholes(Int8, {3}), wholes(Int8, {-16}))};
  rows["int8: shift_right(a, n) where n >= 8 or n < 0"] = {
      right(wholes(Int8, {-9, 9, -1, 127, -128, 5, -7, 7}), past,
            wholes(Int8, {-1, 0, -1, 0, -1, 0, -1, 0}))};
  rows["uint8: shift_right(128, 7), shift_right(128, 8)"] = {
      right(wholes(UInt8, {128, 128, 128}), wholes(UInt8, {7, 8, 255}), wholes(UInt8, {1, 0, 0})),
      right(wholes(UInt64, {kEnd64 - 1, kEnd64 - 1}), wholes(UInt64, {63, 64}),
            wholes(UInt64, {1, 0}))};
  auto& signs = rows["sign of an integer"];
  for (const DataType type : kIntegers) {
    const bool is_natural = type >= UInt8;
    signs.push_back(one(
        wholes(type, {-5, 0, 7}), "sign(a[i])", [](const Tensors& t) { return sign(t[0]); },
        wholes(type, {is_natural ? 1 : -1, 0, 1})));
  }
}

void add_roundings(Rows& rows) {
  const auto of = [](std::initializer_list<double> items, const std::string& name, Call call,
                     std::initializer_list<double> expected) {
    std::vector<PageCase> cases;
    for (const DataType type : kFloats) {
      cases.push_back(one(reals(type, items), name + "(a[i])", call, reals(type, expected)));
    }
    return cases;
  };
  const auto all_of = [](std::initializer_list<std::vector<PageCase>> lists) {
    std::vector<PageCase> all;
    for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
    return all;
  };
  const Call round_it = [](const Tensors& t) { return round(t[0]); };
  const Call trunc_it = [](const Tensors& t) { return trunc(t[0]); };
  const Call sign_of = [](const Tensors& t) { return sign(t[0]); };
  const Call inverse = [](const Tensors& t) { return reciprocal(t[0]); };
  const Call power = [](const Tensors& t) { return exp2(t[0]); };
  const Call logarithm = [](const Tensors& t) { return log2(t[0]); };
  const Call power_less = [](const Tensors& t) { return expm1(t[0]); };
  const Call log_of_more = [](const Tensors& t) { return log1p(t[0]); };
  rows["round(0.5), round(1.5), round(-0.5)"] =
      of({0.5, 1.5, -0.5}, "round", round_it, {0.0, 2.0, -0.0});
  rows["trunc(1.5), trunc(-0.5)"] = of({1.5, -0.5}, "trunc", trunc_it, {1.0, -0.0});
  rows["sign(NaN), sign(-0.0)"] = of({kNaN, -0.0, -3}, "sign", sign_of, {0.0, 0.0, -1});
  rows["reciprocal(0.0), reciprocal(-0.0)"] = of({0.0, -0.0}, "reciprocal", inverse, {kInf, -kInf});
  rows["exp2(-inf), log2(0.0), log2(-1)"] =
      all_of({of({-kInf}, "exp2", power, {0.0}), of({0.0, -1}, "log2", logarithm, {-kInf, kNaN})});
  rows["expm1(-0.0), log1p(-0.0), log1p(-1)"] =
      all_of({of({-0.0}, "expm1", power_less, {-0.0}),
              of({-0.0, -1}, "log1p", log_of_more, {-0.0, -kInf})});
  rows["softplus(-inf), softplus(21), softplus(NaN)"] =
      of({-kInf, 21, kNaN}, "softplus", [](const Tensors& t) { return softplus(t[0]); },
         {0.0, 21, kNaN});
  rows["gelu_tanh(inf), gelu_tanh(-inf)"] = of(
      {kInf, -kInf}, "gelu_tanh", [](const Tensors& t) { return gelu_tanh(t[0]); }, {kInf, kNaN});
}

void add_random(Rows& rows) {
  const auto number = [](Given seed, Given n, Function f, const std::string& name, Given expected) {
    return two(
        std::move(seed), std::move(n), name + "(a[i], b[i])",
        [f](const Tensors& t) {
          return selvage::apply(f, {t[0], t[1]});
        },
        std::move(expected));
  };
  const Given zeros = wholes(Int64, {0, 0, 0, 0}), places = wholes(UInt8, {0, 1, 2, 3});
  rows["random_bits(0, n), n = 0, 1, 2, 3"] = {
      number(zeros, places, Function::RandomBits, "random_bits",
             wholes(UInt32, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8})),
      // Seeds and places of 64 bits: their upper halves count, and how they are typed does not.
      number(wholes(UInt64, {kEnd64 - 1}), wholes(Int64, {Wide(1) << 40}), Function::RandomBits,
             "random_bits", wholes(UInt32, {0xad19d836}))};
  rows["random_uniform(0, 0)"] = {number(wholes(Bool, {0}), wholes(Int32, {0}),
                                         Function::RandomUniform, "random_uniform",
                                         reals(Float, {0x6627e8 * 0x1p-24}))};
  rows["random_normal(0, n), n = 0, 1"] = {number(wholes(Int8, {0, 0}), wholes(Int64, {0, 1}),
                                                  Function::RandomNormal, "random_normal",
                                                  reals(Float, {1.27613711, -1.17759109}))};
  rows["random_bits(0.5, n)"] = {refused(
      number(reals(Float, {0.5}), wholes(Int64, {0}), Function::RandomBits, "random_bits", {}),
      "E506")};
}

}  // namespace selvage::values
