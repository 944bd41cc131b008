// Identities of integer division, of splits and merges and of bounds, as expression lines. The
// letters and numbers are those of nvFuser's notes on integer division and divisible splits; what
// those say of division that truncates is Euclid's for operands that are not negative.
#include <gtest/gtest.h>

#include "tests/corpus/check.h"

namespace selvage::corpus {
namespace {

struct Identity {
  const char* name;
  const char* loops;
  const char* parameters;
  const char* expression;
  const char* guard;
  const char* simplest;
};

// clang-format off
constexpr Identity kIdentities[] = {
  // Division: E2.1 and E2.2, it neither associates nor distributes
  {"E2_1_associate",        "",            "x:-99:99",              "x / (6 / 4)",                        "", "x"},
  {"E2_2_distribute",       "",            "x:-99:99;y:-99:99",     "(x + y) / 4",                        "", "(x + y) / 4"},
  // Congruence and remainders
  {"E2_3_congruent",        "",            "x:-99:99;k:-9:9",       "(x + 12 * k) % 4",                   "", "x % 4"},
  {"E2_3_equal",            "",            "x:-99:99",              "x % 4 == (x + 8) % 4",               "", "true"},
  {"E2_3_symbolic",         "",            "x:-99:99;k:-9:9;n:1:9", "(x + n * k) % n",                    "", "x % n"},
  {"E2_4_own_remainder",    "",            "x:-99:99",              "(x - x % 4) % 4",                    "", "0"},
  {"E2_4_symbolic",         "",            "x:-99:99;n:1:9",        "(x - x % n) % n",                    "", "0"},
  {"E2_5_small_remainder",  "r:5",         "a:5:9",                 "r % a",                              "", "r"},
  {"E2_5_small_quotient",   "r:5",         "a:5:9",                 "r / a",                              "", "0"},
  {"E2_5_negative",         "r:5",         "a:5:9",                 "r % (0 - a) + r / (0 - a)",          "", "r"},
  {"E2_6_quotient",         "",            "x:-99:99",              "x / -3 + x / 3",                     "", "0"},
  {"E2_6_remainder",        "",            "x:-99:99",              "x % -3",                             "", "x % 3"},
  {"E2_6_symbolic",         "",            "x:-99:99;b:1:9",        "x / (0 - b) + x / b",                "", "0"},
  {"E2_6_symbolic_mod",     "",            "x:-99:99;b:1:9",        "x % (0 - b) - x % b",                "", "0"},
  {"E2_7_sum",              "",            "a:-99:99;b:-99:99",     "(a % 6 + b % 6) % 6",                "", "(a + b) % 6"},
  {"E2_7_symbolic",         "",            "a:-99:99;b:-99:99;n:1:9", "(a % n + b % n) % n",              "", "(a + b) % n"},
  {"E2_7_1_multiple",       "",            "a:-99:99;b:-99:99",     "(6 * a + b) % 6",                    "", "b % 6"},
  {"E2_7_2_below_gcd",      "b:4",         "a:-99:99",              "(a * 4 + b) % 8",                    "", "a % 2 * 4 + b"},
  {"E2_7_2_symbolic",       "b:n",         "a:-99:99;n:1:9",        "(a * n + b) % (n * 2)",              "", "n * (a % 2) + b"},
  {"E2_8_product",          "",            "a:-99:99;b:-99:99",     "a % 6 * (b % 6) % 6",                "", "a * b % 6"},
  {"E2_9_divides",          "",            "a:-99:99",              "a * 4 % 2",                          "", "0"},
  {"E2_9_symbolic",         "",            "a:-99:99;n:1:9",        "a * n % n",                          "", "0"},
  {"E2_10_factor",          "",            "x:-99:99;k:-9:9",       "x * (k * 8 / 8)",                    "", "k * x"},
  {"E2_10_product",         "",            "x:-99:99;k:-9:9",       "x * k * 8 / 8",                      "", "k * x"},
  {"E2_11_nested",          "",            "x:-99:99;n:1:9;m:1:9",  "x / n / m",                          "", "x / (m * n)"},
  {"E2_11_number",          "",            "x:-99:99;n:1:9",        "x / 4 / n - x / (4 * n)",            "", "0"},
  {"E2_12_digits",          "",            "x:-99:99",              "x % 4 + x / 4 % 3 * 4",              "", "x % 12"},
  {"E2_12_symbolic",        "",            "x:-99:99;n:1:9;m:1:9",  "x % n + x / n % m * n",              "", "x % (m * n)"},
  {"E2_13_common_factor",   "",            "x:-99:99",              "x * 4 % 12",                         "", "x % 3 * 4"},
  {"E2_13_symbolic",        "",            "x:-99:99;n:1:9;m:1:9",  "x * n % (m * n)",                    "", "n * (x % m)"},
  {"E2_14_divisor",         "",            "a:-99:99;n:1:9",        "a / (n * 4 / 4)",                    "", "a / n"},
  {"E2_14_common_factor",   "",            "a:-99:99;n:1:9",        "a * 4 / (n * 4)",                    "", "a / n"},
  // No rule looks for two remainders that the guard adds: this is 0, and stays as it is.
  {"E2_15_no_carry",        "",            "a:0:99;b:0:99",         "(a + b) / 5 - a / 5 - b / 5",        "a % 5 + b % 5 < 5", "(a + b) / 5 - a / 5 - b / 5"},
  {"E2_15_1_multiple",      "",            "x:-99:99;y:-99:99",     "(x * 4 + y) / 4 - y / 4",            "", "x"},
  {"E2_15_2_below_gcd",     "b:4",         "a:-99:99",              "(a * 4 + b) / 8",                    "", "a / 2"},
  {"E2_15_2_symbolic",      "b:n",         "a:-99:99;n:1:9",        "(a * n + b) / (n * 2)",              "", "a / 2"},
  {"E2_16_order",           "",            "x:-99:99;n:-9:9",       "x / 4 < n",                          "", "x < n * 4"},
  {"E2_16_symbolic",        "",            "x:-99:99;d:1:9;n:-9:9", "x / d < n",                          "", "x < d * n"},
  // Rounding up
  {"C5_0_not_below",        "",            "a:-99:99",              "a <= ceilDiv(a, 4) * 4",             "", "true"},
  {"C5_0_within",           "",            "a:-99:99",              "ceilDiv(a, 4) * 4 - a < 4",          "", "true"},
  {"C5_0_symbolic",         "",            "a:-99:99;b:1:9",        "a <= ceilDiv(a, b) * b",             "", "true"},
  {"C5_0_symbolic_within",  "",            "a:-99:99;b:1:9",        "ceilDiv(a, b) * b - a < b",          "", "true"},
  {"C5_11_nested",          "",            "a:-99:99",              "ceilDiv(ceilDiv(a, 4), 3)",          "", "(a + 11) / 12"},
  {"C5_11_symbolic",        "",            "a:-99:99;b:1:9;c:1:9",  "ceilDiv(ceilDiv(a, b), c) - ceilDiv(a, b * c)", "", "0"},
  {"C5_12_remainder",       "",            "a:-99:99",              "a - ceilDiv(a, 4) * 4 + (ceilDiv(a, 4) - ceilDiv(ceilDiv(a, 4), 3) * 3) * 4 - (a - ceilDiv(a, 12) * 12)", "", "0"},
  {"C5_12_symbolic",        "",            "a:-99:99;b:1:9;c:1:9",  "a - ceilDiv(a, b) * b + (ceilDiv(a, b) - ceilDiv(ceilDiv(a, b), c) * c) * b - (a - ceilDiv(a, b * c) * (b * c))", "", "0"},
  // Splits and merges
  {"D1_outer",              "",            "x:-99:99",              "x / 4 / 3 - x / 12",                 "", "0"},
  {"D1_middle",             "",            "x:-99:99",              "x % 12 / 4 - x / 4 % 3",             "", "0"},
  {"D1_symbolic",           "",            "x:-99:99;n:1:9;m:1:9",  "x % (m * n) / n - x / n % m",        "", "0"},
  {"D2_outer",              "i:12",        "o:0:99",                "(o * 12 + i) / 4",                   "", "o * 3 + i / 4"},
  {"D2_inner",              "i:12",        "o:0:99",                "(o * 12 + i) % 4",                   "", "i % 4"},
  {"D2_symbolic",           "i:n * k",     "o:0:99;n:1:9;k:1:9",    "(o * (n * k) + i) / n - o * k",      "", "i / n"},
  {"D2_symbolic_inner",     "i:n * k",     "o:0:99;n:1:9;k:1:9",    "(o * (n * k) + i) % n",              "", "i % n"},
  {"D3_outer",              "i:n",         "o:0:99;n:1:99",         "(o * n + i) / n",                    "", "o"},
  {"D3_inner",              "i:n",         "o:0:99;n:1:99",         "(o * n + i) % n",                    "", "i"},
  // Conditions
  {"L1_under_the_other",    "i:100",       "n:1:3",                 "i < 4 && i % 4 < n",                 "", "i < n"},
  {"L1_both_stay",          "i:100;j:100", "n:1:99",                "i < 4 && j + i % 4 < n",             "", "i < 4 && i + j < n"},
  {"M1_strict",             "",            "x:-99:99;y:-99:99",     "3 * x + 1 < 3 * y + 1",              "", "x < y"},
  {"M1_weak",               "",            "x:-99:99;y:-99:99;n:1:9", "n * x <= n * y",                   "", "x <= y"},
  {"M2_weak",               "",            "x:-99:99;y:-99:99",     "x / 4 <= y / 4",                     "x <= y", "true"},
  {"M2_strict",             "",            "x:-99:99;y:-99:99",     "x < y",                              "x / 4 < y / 4", "true"},
  {"M2_symbolic",           "",            "x:-99:99;y:-99:99;n:1:9", "x / n <= y / n",                   "x <= y", "true"},
  // Bounds: an index computed from others
  {"P1_split",              "",            "o:-50:50;i:-50:50",     "0 <= o && o < 3",                    "0 <= o * 4 + i && o * 4 + i < 10 && 0 <= i && i < 4", "true"},
  {"P1_symbolic",           "",            "n:1:99;o:-50:50;i:-50:50", "0 <= o && o < (n + 3) / 4",       "0 <= o * 4 + i && o * 4 + i < n && 0 <= i && i < 4", "true"},
  {"P2_merge",              "",            "z:-99:99",              "0 <= z && z < 35",                   "0 <= z / 7 && z / 7 < 5", "true"},
  {"P2_merge_back",         "",            "z:-99:99",              "0 <= z / 7 && z / 7 < 5",            "0 <= z && z < 35", "true"},
  {"P2_symbolic",           "",            "n:1:9;m:1:9;z:-99:99",  "0 <= z && z < n * m",                "0 <= z / m && z / m < n", "true"},
  {"P2_symbolic_back",      "",            "n:1:9;m:1:9;z:-99:99",  "0 <= z / m && z / m < n",            "0 <= z && z < n * m", "true"},
  {"P3_padded",             "",            "n:1:99;x:-50:50",       "0 <= x + 2 && x + 2 < n + 5",        "0 <= x && x < n", "true"},
  {"P3_cut",                "",            "n:9:99;x:-50:99",       "0 <= x && x < n",                    "0 <= x - 2 && x - 2 < n - 5", "true"},
  {"P4_xor",                "x:8;y:8",     "",                      "(x ^ y) < 8",                        "", "true"},
  {"P4_xor_back",           "x:8;y:8",     "",                      "((x ^ y) ^ y)",                      "", "x"},
  {"P4_shift",              "x:8;y:8",     "",                      "((x + y) % 8 - y) % 8",              "", "x"},
  {"divisible_split",       "o:n;i:4",     "n:1:99",                "o * 4 + i < n * 4",                  "", "true"},
  {"merge_inner",           "",            "z:-99:99;m:1:9",        "0 <= z % m && z % m < m",            "", "true"},
};
// clang-format on

Line to_line(const Identity& identity) {
  return parse_line(std::string(identity.name) + "\tT\t" + identity.loops + '\t' +
                    identity.parameters + '\t' + identity.expression + '\t' + identity.guard);
}

void PrintTo(const Identity& identity, std::ostream* out) { *out << identity.name; }

class Identities : public testing::TestWithParam<Identity> {};

TEST_P(Identities, GiveTheSimplestForm) {
  const Line line = to_line(GetParam());
  const Checked checked = check(line, 4000);
  EXPECT_EQ(checked.simplified, GetParam().simplest) << to_text(line);
  EXPECT_EQ(checked.wrong_value, "") << to_text(line);
  EXPECT_EQ(checked.not_idempotent, "") << to_text(line);
  EXPECT_EQ(checked.dearer(), "") << to_text(line);
}

INSTANTIATE_TEST_SUITE_P(Corpus, Identities, testing::ValuesIn(kIdentities),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace selvage::corpus
