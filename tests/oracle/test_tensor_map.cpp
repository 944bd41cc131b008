// The model of TMA: small loads by hand, and every rule of a tensor map.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "tests/oracle/tensor_map.h"

namespace selvage::oracle {
namespace {

using Ints = std::vector<std::int64_t>;

// The loaded elements by their number in the tensor; -1: 0 arrived.
Ints loaded(const TensorMap& map, const Ints& coordinates) {
  Ints r;
  for (const auto& bytes : load(map, coordinates)) r.push_back(bytes ? *bytes / 4 : -1);
  return r;
}

TEST(TensorMap, LoadsABoxAndZeroesPastEveryEdge) {
  const TensorMap map{{3, 4}, {16, 4}, {2, 4}, {1, 1}, 4};
  EXPECT_EQ(loaded(map, {0, 0}), (Ints{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(loaded(map, {2, 0}), (Ints{8, 9, 10, 11, -1, -1, -1, -1}));
  EXPECT_EQ(loaded(map, {1, 2}), (Ints{6, 7, -1, -1, 10, 11, -1, -1}));
  EXPECT_EQ(loaded(map, {-1, -3}), (Ints{-1, -1, -1, -1, -1, -1, -1, 0}));
}

TEST(TensorMap, AnElementStrideLoadsEveryNthOfTheBox) {
  const TensorMap map{{9, 4}, {16, 4}, {5, 4}, {2, 1}, 4};
  EXPECT_EQ(loaded_extents(map), (Ints{3, 4}));
  EXPECT_EQ(loaded(map, {3, 0}), (Ints{12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31}));
  // The innermost one is ignored.
  const TensorMap inner{{4}, {4}, {4}, {2}, 4};
  EXPECT_EQ(loaded(inner, {0}), (Ints{0, 1, 2, 3}));
}

// A map that breaks no rule, and what each change breaks.
TEST(TensorMap, EveryRuleOfTheDriverIsNamed) {
  struct Change {
    const char* broken;
    std::function<void(TensorMap&, TmaSettings&)> make;
  };
  using M = TensorMap;
  using S = TmaSettings;
  const std::int64_t two_to_32 = std::int64_t{1} << 32, two_to_40 = std::int64_t{1} << 40;
  const auto six_bits = [](M& m, S& s) {
    s.type = TmaType::U6Align16;
    m.element_bytes = 1;
    m.dims[2] = m.box[2] = 128;
  };
  const auto four_bits = [](M& m, S& s) {
    s.type = TmaType::U4Align8;
    m.element_bytes = 1;
  };
  const std::vector<Change> changes = {
      {"", [](M&, S&) {}},
      {"rank", [](M& m, S&) { m.box.pop_back(); }},
      {"rank", [](M& m, S&) { m = {}; }},
      {"",
       [](M& m, S&) {
         m = {Ints(5, 4), Ints(5, 64), Ints(5, 4), Ints(5, 1)};
       }},
      {"rank",
       [](M& m, S&) {
         m = {Ints(6, 4), Ints(6, 64), Ints(6, 4), Ints(6, 1)};
       }},
      {"", [](M&, S& s) { s.interleave = TmaInterleave::B16; }},
      {"rank",
       [](M& m, S& s) {
         m = {{8, 8}, {32, 4}, {4, 4}, {1, 1}};
         s.interleave = TmaInterleave::B16;
       }},
      {"type", [](M&, S& s) { s.type = TmaType::F16; }},
      {"type", [](M&, S& s) { s.type = TmaType::U4Align8; }},
      {"base", [](M&, S& s) { s.base = 8; }},
      {"", [](M&, S& s) { s.base = 16; }},
      {"base",
       [](M&, S& s) {
         s.base = 16;
         s.interleave = TmaInterleave::B32;
         s.swizzle = TmaSwizzle::B32;
       }},
      {"dim", [](M& m, S&) { m.dims[1] = 0; }},
      {"", [=](M& m, S&) { m.dims[1] = two_to_32; }},
      {"dim", [=](M& m, S&) { m.dims[1] = two_to_32 + 1; }},
      {"stride", [](M& m, S&) { m.strides[0] = 8200; }},
      {"stride", [](M& m, S&) { m.strides[1] = 0; }},
      {"", [=](M& m, S&) { m.strides[0] = two_to_40 - 16; }},
      {"stride", [=](M& m, S&) { m.strides[0] = two_to_40; }},
      {"stride",
       [](M& m, S& s) {
         m.strides[1] = 272;
         s.interleave = TmaInterleave::B32;
         s.swizzle = TmaSwizzle::B32;
       }},
      {"", [](M& m, S&) { m.strides[2] = 7; }},  // the innermost is implicit
      {"",
       [](M& m, S&) {
         m.box = {256, 256, 256};
       }},
      {"box", [](M& m, S&) { m.box[1] = 257; }},
      {"box", [](M& m, S&) { m.box[0] = 0; }},
      {"box bytes", [](M& m, S&) { m.box[2] = 33; }},
      {"",
       [](M& m, S& s) {
         m.box[2] = 33;
         s.interleave = TmaInterleave::B16;
       }},
      {"",
       [](M& m, S&) {
         m.element_strides = {8, 8, 8};
       }},
      {"element stride", [](M& m, S&) { m.element_strides[0] = 9; }},
      {"element stride", [](M& m, S&) { m.element_strides[1] = 0; }},
      {"interleave", [](M&, S& s) { s.interleave = TmaInterleave::B32; }},
      {"", six_bits},
      {"interleave",
       [=](M& m, S& s) {
         six_bits(m, s);
         s.interleave = TmaInterleave::B16;
       }},
      {"dim",
       [=](M& m, S& s) {
         six_bits(m, s);
         m.dims[2] = 192;
       }},
      {"box",
       [=](M& m, S& s) {
         six_bits(m, s);
         m.box[2] = 64;
       }},
      {"swizzle",
       [=](M& m, S& s) {
         six_bits(m, s);
         s.swizzle = TmaSwizzle::B128Atom64;
       }},
      {"",
       [=](M& m, S& s) {
         six_bits(m, s);
         s.swizzle = TmaSwizzle::B128Atom64;
         s.is_store = true;
       }},
      {"swizzle",
       [=](M& m, S& s) {
         six_bits(m, s);
         s.type = TmaType::U4Align16;
         s.swizzle = TmaSwizzle::B128Atom32;
         s.is_store = true;
       }},
      {"", four_bits},
      {"dim",
       [=](M& m, S& s) {
         four_bits(m, s);
         m.dims[2] = 63;
       }},
      {"", [](M&, S& s) { s.swizzle = TmaSwizzle::B128; }},
      {"swizzle span", [](M&, S& s) { s.swizzle = TmaSwizzle::B64; }},
      {"swizzle span",
       [](M& m, S& s) {
         m.box[2] = 64;
         s.swizzle = TmaSwizzle::B128;
       }},
      {"promotion", [](M&, S& s) { s.promotion = 4; }},
      {"fill", [](M&, S& s) { s.nan_fill = true; }},
      {"",
       [](M&, S& s) {
         s.nan_fill = true;
         s.type = TmaType::F32;
       }},
      {"device", [](M&, S& s) { s.compute_capability = 89; }},
      {"base, stride, box",
       [](M& m, S& s) {
         s.base = 4;
         m.strides[0] = 4;
         m.box[1] = 300;
       }},
  };
  for (const Change& change : changes) {
    TensorMap map{{64, 32, 64}, {8192, 256, 4}, {2, 8, 32}, {1, 2, 1}, 4};
    TmaSettings settings;
    change.make(map, settings);
    std::string broken;
    for (TmaRule rule : broken_rules(map, settings))
      broken += (broken.empty() ? "" : ", ") + std::string(to_string(rule));
    EXPECT_EQ(broken, change.broken) << "change " << &change - changes.data();
  }
}

}  // namespace
}  // namespace selvage::oracle
