#include <selvage/base/names.h>

#include <gtest/gtest.h>

#include <array>

namespace selvage {
namespace {

std::string verdict(std::string_view name) {
  const auto wrong = check_name(name, {"a.yaml", 3, 5});
  return wrong ? to_text(*wrong) : "fine";
}

std::string code(std::string_view name) {
  const auto wrong = check_name(name, {});
  return wrong ? wrong->code : "fine";
}

TEST(Names, OrdinaryNamesAreFine) {
  for (const char* name :
       {"I0",   "T0",       "n_o",      "_",         "_x",         "N",   "no",
        "null", "yes",      "y0",       "j1",        "x_t0",       "_t",  "_ta",
        "_t0a", "stride_x", "a_stride", "a_stride_", "a_stride_0", "T",   "Int",
        "sum",  "mean",     "minimum",  "BIDx",      "in",         "out", "norm"}) {
    EXPECT_EQ(verdict(name), "fine") << name;
  }
  EXPECT_EQ(verdict(std::string(64, 'x')), "fine");
}

TEST(Names, WhatIsNoNameIsE201) {
  for (const char* name : {"", "0", "1x", "a b", "a-b", "a.b", "x;", "\xc3\xa9", "a\n", " a", "$x",
                           "a\"", "x(int)", "*p", "a\\", "a//", "I0/*"}) {
    EXPECT_EQ(code(name), "E201") << name;
  }
  EXPECT_EQ(verdict("x; system(\"rm\")"),
            "a.yaml:3:5: error[E201]: 'x; system(\"rm\")' is not a name; help: names consist of "
            "letters, digits and '_' and do not begin with a digit");
}

TEST(Names, LongNamesAreE201) {
  EXPECT_EQ(verdict(std::string(65, 'x')),
            "a.yaml:3:5: error[E201]: '" + std::string(40, 'x') +
                "...' is 65 characters long; help: names have at most 64 characters");
}

TEST(Names, TwoUnderscoresInFrontAreE201) {
  EXPECT_EQ(verdict("__global__"),
            "a.yaml:3:5: error[E201]: '__global__' begins with '__', which belongs to the "
            "compiler; help: leave out the underscores");
  EXPECT_EQ(code("__"), "E201");
}

TEST(Names, OperatorsAreE202) {
  EXPECT_EQ(verdict("ceilDiv"),
            "a.yaml:3:5: error[E202]: 'ceilDiv' is an operator of expressions; help: choose "
            "another name, such as 'ceilDiv_'");
  for (const char* name : {"min", "max", "select"}) EXPECT_EQ(code(name), "E202") << name;
}

TEST(Names, NamesOfPrintedPartsAreE202) {
  EXPECT_EQ(verdict("_t12"),
            "a.yaml:3:5: error[E202]: '_t12' is reserved: _t and digits name parts of printed "
            "expressions; help: choose another name, such as 't12'");
}

TEST(Names, NamesOfStridesAreE202) {
  EXPECT_EQ(verdict("T0_stride_I0"),
            "a.yaml:3:5: error[E202]: 'T0_stride_I0' is reserved: TENSOR_stride_AXIS names the "
            "strides of tensors; help: choose a name without '_stride_'");
  EXPECT_EQ(code("a_stride_0_stride_b"), "E202");
  EXPECT_EQ(code("__stride_x"), "E201");
}

TEST(Names, KeywordsAndBuiltInsAreE203) {
  EXPECT_EQ(verdict("threadIdx"),
            "a.yaml:3:5: error[E203]: 'threadIdx' is a keyword or built-in of C++ or CUDA; help: "
            "choose another name, such as 'threadIdx_'");
  for (const char* name :
       {"int",       "for",      "class",     "true",     "false",    "and",
        "xor_eq",    "co_await", "constinit", "blockIdx", "blockDim", "gridDim",
        "warpSize",  "dim3",     "float4",    "uchar2",   "half",     "half2",
        "int32",     "uint8",    "int64_t",   "size_t",   "bfloat16", "double",
        "restrict",  "_Bool",    "NULL",      "asm",      "exp",      "expf",
        "atomicAdd", "printf",   "std",       "abs",      "xor",      "alignas"}) {
    EXPECT_EQ(code(name), "E203") << name;
  }
}

TEST(Names, EveryNameThatIsOfferedInsteadIsFine) {
  for (const char* name : {"min", "int", "threadIdx"}) {
    EXPECT_EQ(code(std::string(name) + "_"), "fine");
  }
}

TEST(Names, TheNearestWordHasFewTypingMistakes) {
  constexpr std::array<std::string_view, 4> kWords = {"transforms", "loop", "bind", "logical"};
  EXPECT_EQ(nearest("transform", kWords), "transforms");
  EXPECT_EQ(nearest("tranfsorms", kWords), "transforms");
  EXPECT_EQ(nearest("lopo", kWords), "loop");
  EXPECT_EQ(nearest("Bind", kWords), "bind");
  EXPECT_EQ(nearest("memory", kWords), std::nullopt);
  EXPECT_EQ(nearest("", kWords), std::nullopt);
  EXPECT_EQ(nearest(std::string(100000, 'x'), kWords), std::nullopt);
}

TEST(Names, TextIsShownOnOneLineAndCut) {
  EXPECT_EQ(shown("a b"), "'a b'");
  EXPECT_EQ(shown("a\nb\tc\x01\x7f\r"), "'a\\nb\\tc\\x01\\x7f\\x0d'");
  EXPECT_EQ(shown(std::string(40, 'x')), "'" + std::string(40, 'x') + "'");
  std::string accents;
  std::string cut;
  for (int i = 0; i < 50; ++i) accents += "\xc3\xa9";
  for (int i = 0; i < 40; ++i) cut += "\xc3\xa9";
  EXPECT_EQ(shown(accents), "'" + cut + "...'");  // never in the middle of a character
}

TEST(Names, CharactersAreWhole) {
  EXPECT_EQ(first_characters("a\u00e9\u20ac", 0), "");
  EXPECT_EQ(first_characters("a\u00e9\u20ac", 2), "a\u00e9");
  EXPECT_EQ(first_characters("a\u00e9\u20ac", 3), "a\u00e9\u20ac");
  EXPECT_EQ(first_characters("a\u00e9\u20ac", 9), "a\u00e9\u20ac");
  EXPECT_EQ(first_characters("\xa9"
                             "a",
                             1),
            "\xa9")
      << "no UTF-8, and no byte is lost";
}

}  // namespace
}  // namespace selvage
