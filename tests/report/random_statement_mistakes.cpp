// Mistakes in statements in index notation: E302, E314 to E319.
#include "tests/oracle/draws.h"
#include "tests/report/random_mistakes.h"

namespace selvage::test {

namespace {

using oracle::chance;
using oracle::pick;
using Rng = std::mt19937_64;
using Words = std::vector<std::string>;

constexpr const char* kStatements = "(\"t\\[i, j\\] = .*?\")";

// One of several statements instead of the first.
MistakeMaker statement(Words by) { return any_of(random_fusion, kStatements, std::move(by)); }

// Elements out of bounds filled with another type.
Mistake another_type(Rng& rng) {
  const std::string type = pick(rng, Words{"int32", "int64", "uint8"});
  const std::string by = pick(rng, Words{"0.5", "-1.5", "inf", "nan"});
  return {{"inputs: {k: {shape: [9], dtype: " + type +
           "}}\noutputs: {y: {shape: [9]}}\n"
           "compute: [\"y[i] = fill(k[i + 1], " +
           by + ")\"]\n"},
          ""};
}

// An index whose extent nothing tells.
Mistake no_extent(Rng& rng) {
  const Words statements = {"y[i] = a[2 * i]", "y[i] = a[i + 1] * 2", "y[i, j] = a[i]",
                            "y[i] = a[i] + sum[k](a[2 * k])", "y[i] = sum[k](a[i + k])"};
  return {{"inputs: {a: {shape: [64], dtype: float}}\noutputs: {y: {dtype: float}}\ncompute: [\"" +
           pick(rng, statements) + "\"]\n"},
          ""};
}

Mistake read_before(Rng& rng) {
  if (chance(rng, 3)) {
    return instead(random_fusion(rng), "compute: (\\[)", "[\"z[i] = t[i, 0] + 1\", ", rng);
  }
  if (chance(rng, 2)) {
    return instead(random_fusion(rng), "relu\\((x)\\[", pick(rng, Words{"y", "t"}), rng);
  }
  return instead(random_fusion(rng), "\"y\\[.*?= .*?(t)\\[", "y", rng);
}

}  // namespace

const MistakeMakers& statement_mistakes() {
  static const MistakeMakers makers = {
      {"E302",
       {any_of(random_fusion, "relu\\((x\\[i, j\\])", {"x", "w", "k", "q", "ij", "n"}),
        any_of(random_fusion, "\\+ (w\\[j\\])", {"w", "x", "NN", "Nn", "length"})}},
      {"E314",
       {statement({"\"t[i, j] = (x[i, j]\"", "\"t[i, j] x[i, j]\"", "\"t[i, j] =\"",
                   "\"t = x[i, j]\"", "\"x[i, j]\"", "\"t[i, i] = x[i, i]\"",
                   "\"t[i + 1, j] = x[i, j]\"", "\"t[i, 2 * j] = x[i, j]\"",
                   "\"t[0, j] = x[0, j]\"", "\"[i, j] = x[i, j]\"", "\"t[i, j] = x[i, j] +\"",
                   "\"t[i, j] = x[i, j] $ 2\"", "\"t[i, j] = x[i, j]]\"",
                   "\"t[i, j] = x[i, j] x[i, j]\""}),
        statement({"\"t[i, j] = x[i, j] ** 2\"", "\"t[i, j] = x[i, j] if x[i, j] > 0 else 0\"",
                   "\"t[i, j] = x[i, j] > 0 ? x[i, j] : 0\"", "\"t[i, j] = x[:, j]\"",
                   "\"t[i, j] = select(x[i, j] > 0 and x[i, j] < 1, 0, 1)\"",
                   "\"t[i, j] = select(x[i, j] > 0 or x[i, j] < 1, 0, 1)\"",
                   "\"t[i, j] = select(not x[i, j] > 0, 0, 1)\"", "\"t[i, :] = x[i, j]\""}),
        statement({"\"t[i, j] = x[i, j] + 1.5.2\"", "\"t[i, j] = x[i, j] * 4f\"",
                   "\"t[i, j] = x[i, j] * 1e\"", "\"t[i, j] = 0x10 * x[i, j]\""}),
        statement({"\"t[i, j] = sum(x[i, j])\"", "\"t[i, j] = max(x[i, j])\"",
                   "\"t[i, j] = sum[j](x[i, j])\"", "\"t[i, j] = mirror(x[i, j])\"",
                   "\"t[i, j] = fill(2 * x[i, j], 0)\"", "\"t[i, j] = safe(3)\"",
                   "\"t[i, j] = sum[k, k](x[k, j])\""})}},
      {"E315",
       {statement({"\"t[i, j] = rellu(x[i, j])\"", "\"t[i, j] = softplus(x[i, j])\"",
                   "\"t[i, j] = exp(x[i, j], 2)\"", "\"t[i, j] = pow(x[i, j])\"",
                   "\"t[i, j] = select(x[i, j] > 0, 1)\"", "\"t[i, j] = fmaxx(x[i, j], 0)\"",
                   "\"t[i, j] = float(x[i, j], 2)\"", "\"t[i, j] = sum(x[i, k], x[k, j])\"",
                   "\"t[i, j] = fill(x[i, j])\"", "\"t[i, j] = sqrt()\"",
                   "\"t[i, j] = var(x[k, j], 1, 2)\"", "\"t[i, j] = x[mirror(i, j), j]\""})}},
      {"E316",
       {statement({"\"t[i, j] = x[i * i, j]\"", "\"t[i, j] = x[i * j, j]\"",
                   "\"t[i, j] = x[i / 2, j]\"", "\"t[i, j] = x[1.5, j]\"",
                   "\"t[i, j] = x[exp(i), j]\"", "\"t[i, j] = x[i < 2, j]\"",
                   "\"t[i, j] = x[i + mirror(j), j]\"", "\"t[i, j] = x[2 * clamped(i), j]\""})}},
      {"E317", {no_extent}},
      {"E318", {read_before}},
      {"E319", {another_type}},
  };
  return makers;
}

}  // namespace selvage::test
