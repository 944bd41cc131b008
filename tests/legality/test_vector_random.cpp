// Vectors of random tensors, half of them legal, near misses included, against the brute-force
// judge: no verdict is unsound, every refusal has a witness that the judge confirms, and what the
// judge finds legal is hardly ever refused.
#include <selvage/expr/tape.h>
#include <selvage/legality/analysis.h>

#include <gtest/gtest.h>

#include <cstdio>
#include <random>

#include "tests/oracle/brute_force.h"
#include "tests/oracle/random_access_case.h"
#include "tests/oracle/vector_access.h"
#include "tests/support/counts.h"
#include "tests/support/engine_access.h"

namespace selvage {
namespace {

// The group that a witness is in: do its addresses go wrong, all of its points being valid?
bool is_confirmed(const oracle::AccessCase& access, const TensorAnalysis& analysis,
                  const Refuted& refuted) {
  const VectorAccess& v = *analysis.vector;
  std::vector<Expr> symbols;
  std::vector<std::int64_t> point;
  for (Expr s : analysis.variables) {
    symbols.push_back(s);
    point.push_back(0);
    for (const auto& [symbol, value] : refuted.point) {
      if (same(symbol, s)) point.back() = value;
    }
  }
  const auto at = std::size_t(
      std::find_if(symbols.begin(), symbols.end(), [&](Expr s) { return same(s, v.variable); }) -
      symbols.begin());
  std::vector<std::int64_t> addresses;
  for (std::int64_t k = 0; k < v.width; ++k) {
    point[at] = k;
    const std::vector<std::int64_t> x = oracle::coordinates(access.graph, point);
    if (oracle::is_hole(access.graph, x)) return false;
    addresses.push_back(oracle::address(access.layout, x));
  }
  if (addresses[0] % v.width != 0) return true;
  for (std::size_t k = 0; k < addresses.size(); ++k) {
    if (addresses[k] != addresses[0] + std::int64_t(k)) return true;
  }
  return false;
}

struct JudgedVector {
  bool is_right = true;
  bool legal = false, refused = false;  // by the judge; and by the engine
};

JudgedVector judge(const oracle::AccessCase& access) {
  const EngineAccess engine(access);
  const TensorAnalysis analysis =
      analyze(engine.fusion(), engine.schedule(), engine.tensor().tensor);
  const Finding& finding = analysis.vector->finding;
  const oracle::VectorAccess truth = oracle::vector_access(access);
  JudgedVector judged{.legal = truth.legal(), .refused = !finding.is_legal()};
  if (finding.is_legal()) {
    judged.is_right = truth.legal() && finding.conditions.empty() == !truth.asks_base_alignment &&
                      is_proved(analysis.vector->is_whole) == (truth.partial == 0);
  } else if (const auto* refuted = std::get_if<Refuted>(&finding.verdict)) {
    judged.is_right =
        !truth.legal() &&
        (refuted->point.empty() ? !truth.width_is_legal : is_confirmed(access, analysis, *refuted));
  }
  return judged;
}

TEST(RandomVectors, AreJudgedAsBruteForceDoes) {
  std::mt19937_64 rng(11);
  const int cases = count(200, 5'000);
  int legal = 0, refused = 0, undecided = 0;
  for (int k = 0; k < cases && !testing::Test::HasFailure(); ++k) {
    const oracle::AccessCase access = oracle::random_vector_case(rng);
    const JudgedVector judged = judge(access);
    legal += judged.legal;
    refused += judged.legal && judged.refused;
    undecided += judged.is_right && judged.refused && judged.legal;
    if (judged.is_right) continue;
    const auto still_wrong = [](const oracle::AccessCase& c) { return !judge(c).is_right; };
    ADD_FAILURE() << oracle::to_yaml(oracle::shrink(access, still_wrong));
  }
  std::printf("[FIGURE] vectors: %d of %d legal, %d of those refused (%.2f %%)\n", legal, cases,
              refused, 100.0 * refused / std::max(1, legal));
  EXPECT_GE(legal, cases / 3);
  EXPECT_LE(refused * 50, legal);
}

}  // namespace
}  // namespace selvage
