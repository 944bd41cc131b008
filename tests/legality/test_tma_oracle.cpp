// TMA copies of random tiles against the brute-force judge, which does what the hardware does by
// the very tensor map that the engine reports: what is legal brings every item and breaks no rule,
// what is said of the holes is so, and every refusal has a witness that the judge confirms.
#include <selvage/expr/tape.h>
#include <selvage/legality/tma.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <random>

#include "tests/legality/tma_refusal.h"
#include "tests/oracle/brute_force.h"
#include "tests/oracle/random_access_case.h"
#include "tests/support/counts.h"
#include "tests/support/engine_access.h"

namespace selvage {
namespace {

using LoopPoint = std::vector<std::int64_t>;

struct JudgedTma {
  std::string wrong;               // the first answer that is; empty: none
  bool can = false, weak = false;  // legal by the judge's own tensor map; and by the engine
  TmaStrong can_be = TmaStrong::Impossible;  // by the judge's own tensor map
  std::optional<TmaStrong> strong;           // by the engine
  std::string code;                          // of a refusal
};

TmaStrong strong_of(const oracle::TmaCopy& copy) {
  return copy.strong()                 ? TmaStrong::ByHardware
         : copy.strong_with_fallback() ? TmaStrong::ByFallback
                                       : TmaStrong::Impossible;
}

class TmaOracleCase {
 public:
  explicit TmaOracleCase(const oracle::AccessCase& access)
      : access_(access),
        g_(access.graph),
        engine_(access),
        analysis_(analyze(engine_.fusion(), engine_.schedule(), engine_.tensor().tensor)),
        copy_(*tma_copy(engine_.fusion(), engine_.schedule(), analysis_)),
        bulk_(oracle::all_bound_to(g_, access.binding, oracle::Role::Bulk)) {}

  JudgedTma judge() {
    const oracle::TmaCopy own = oracle::tma_copy(access_);
    judged_.can = own.weak() && oracle::broken_rules(oracle::tensor_map(access_)).empty();
    judged_.can_be = strong_of(own);
    judged_.weak = copy_.weak;
    judged_.strong = copy_.strong;
    judged_.code = copy_.finding.code;
    copy_.weak ? weak() : refused();
    return judged_;
  }

 private:
  void expect(bool holds, const std::string& what) {
    if (!holds && judged_.wrong.empty()) judged_.wrong = what;
  }

  // The tensor map as it is reported; nothing where that is no map of numbers.
  std::optional<oracle::TensorMap> map() const {
    oracle::TensorMap map;
    map.element_bytes = access_.layout.element_bytes;
    for (const TmaDim& d : copy_.dims) {
      if (!d.size.is(Op::Const) || !d.stride.is(Op::Const)) return std::nullopt;
      map.dims.push_back(d.size.value());
      map.strides.push_back(d.stride.value());
      map.box.push_back(d.box);
      map.element_strides.push_back(d.element_stride);
    }
    return map;
  }

  // Its coordinates, evaluated where a copy is issued.
  oracle::Corner corner() const {
    std::vector<Expr> coordinates;
    for (const TmaDim& d : copy_.dims) coordinates.push_back(d.coordinate);
    return [this, tape = Tape(coordinates, analysis_.variables),
            n = coordinates.size()](std::span<const std::int64_t> x) mutable {
      if (!tape.evaluate(oracle::loop_point(g_, x))) throw std::runtime_error("no coordinates");
      LoopPoint corner;
      for (std::size_t k = 0; k < n; ++k) corner.push_back(tape.root(k));
      return corner;
    };
  }

  // The base is aligned to 16 bytes, or that is asked for at launch; nothing else is.
  void conditions() {
    std::vector<Expr> wanted;
    const Expr base = engine_.fusion().pool().symbol("T0");
    if (access_.layout.align % 16 != 0) wanted.push_back(eq(base % 16, 0));
    const std::vector<Expr>& found = copy_.finding.conditions;
    expect(found.size() == wanted.size() && (found.empty() || same(found[0], wanted[0])),
           "conditions");
  }

  void weak() {
    const std::optional<oracle::TensorMap> map = this->map();
    if (!map) return expect(false, "the tensor map is not of numbers");
    const oracle::TmaCopy truth = oracle::tma_copy(g_, access_.layout, bulk_, *map, corner());
    expect(oracle::broken_rules(*map).empty(), "a rule of the tensor map is broken");
    expect(truth.fits, "the tile does not fit the box");
    expect(truth.weak(), "a valid item is not brought");
    expect(copy_.swizzle == TmaSwizzle::None, "swizzle");
    expect(copy_.tile_bytes == tile_elements() * access_.layout.element_bytes, "tile bytes");
    for (std::size_t k = 0; k < copy_.dims.size(); ++k) {
      const std::int64_t count = oracle::loaded_extents(*map)[k];
      expect(copy_.dims[k].count == count, "count of a dimension");
    }
    conditions();
    if (!judged_.wrong.empty()) return;
    expect(copy_.strong.has_value(), "strong is not decided");
    if (!copy_.strong) return;
    const TmaStrong strong = strong_of(truth);
    expect(*copy_.strong == strong, "strong is " + std::string(to_string(strong)));
    holes(*map);
    const bool is_refused = access_.asks_fill && strong == TmaStrong::Impossible;
    expect(copy_.finding.is_legal() == !is_refused, "the fill that is asked for");
    if (is_refused) {
      const auto* refuted = std::get_if<Refuted>(&copy_.finding.verdict);
      expect(copy_.finding.code == "E465", "code of a refused fill");
      expect(refuted != nullptr && loop_point(engine_.schedule(), analysis_, refuted->point) ==
                                       loop_point(engine_.schedule(), analysis_, copy_.hole),
             "witness of a refused fill");
    }
  }

  std::int64_t tile_elements() const {
    std::int64_t n = 1;
    for (int x : bulk_) n *= g_.extents[std::size_t(x)];
    return n;
  }

  // What one copy brings, and into what.
  struct Tile {
    std::vector<LoopPoint> points;
    std::vector<std::optional<std::int64_t>> loaded;
    std::vector<bool> valid;
    bool has_item() const { return std::find(valid.begin(), valid.end(), true) != valid.end(); }
    bool fills_a_hole() const {
      for (std::size_t k = 0; k < valid.size(); ++k) {
        if (!valid[k] && loaded[k]) return true;
      }
      return false;
    }
  };
  template <class Callback>
  void for_each_tile(const oracle::TensorMap& map, const Callback& callback) const {
    const oracle::Corner at = corner();
    Tile tile;
    oracle::for_each_point(oracle::with_innermost(g_, bulk_),
                           [&](auto, auto x, std::uint64_t mask) {
                             if (tile.points.empty()) tile.loaded = oracle::load(map, at(x));
                             tile.points.push_back(oracle::loop_point(g_, x));
                             tile.valid.push_back(mask == 0);
                             if (tile.points.size() < tile.loaded.size()) return;
                             callback(tile);
                             tile = {};
                           });
  }

  // The hole that is shown gets an item that is not wanted, beside a wanted one where that makes it
  // impossible; the guard issues the copies with items, and no other that fills a hole.
  void holes(const oracle::TensorMap& map) {
    if (*copy_.strong == TmaStrong::ByHardware) return expect(copy_.hole.empty(), "a hole");
    const auto hole = loop_point(engine_.schedule(), analysis_, copy_.hole);
    Tape guard(copy_.guard, analysis_.variables);
    bool is_shown = false;
    for_each_tile(map, [&](const Tile& tile) {
      const auto at = std::find(tile.points.begin(), tile.points.end(), hole);
      if (at != tile.points.end()) {
        const auto k = std::size_t(at - tile.points.begin());
        is_shown = !tile.valid[k] && tile.loaded[k] &&
                   (*copy_.strong == TmaStrong::ByFallback || tile.has_item());
      }
      if (copy_.guard.empty()) return;
      expect(guard.evaluate(tile.points[0]), "the guard has no value");
      bool is_issued = true;
      for (std::size_t k = 0; k < copy_.guard.size(); ++k) is_issued &= guard.root(k) != 0;
      expect(is_issued || !tile.has_item(), "the guard stops an item");
      expect(!is_issued || !tile.fills_a_hole(), "the guard lets a hole be filled");
    });
    expect(is_shown, "the hole that is shown");
  }

  // The judge sees what is said against it, too; the witness is a valid point, where there is one,
  // and shows it, where one of these does. What the judge's map does may be refused unconfirmed:
  // that is counted.
  void refused() {
    const auto* refuted = std::get_if<Refuted>(&copy_.finding.verdict);
    expect(refuted != nullptr || judged_.can, "unknown");
    if (refuted == nullptr) return;
    const auto witness = loop_point(engine_.schedule(), analysis_, refuted->point);
    if (!witness) return expect(false, "no witness");
    const TmaRefusal refusal(access_, copy_.finding);
    const auto shows = refusal.confirmed();
    if (!shows) return expect(judged_.can, "not confirmed: " + copy_.finding.reason);
    bool some_are_valid = false, some_show = false;
    oracle::for_each_point(g_, [&](auto point, auto, std::uint64_t mask) {
      if (mask != 0) return;
      some_are_valid = true;
      some_show = some_show || (*shows)(LoopPoint(point.begin(), point.end()));
    });
    const bool valid = !oracle::is_hole(g_, oracle::coordinates(g_, *witness));
    expect(valid == some_are_valid, "the witness is a hole");
    expect(!some_show || (*shows)(*witness), "the witness shows nothing");
  }

  const oracle::AccessCase& access_;
  const oracle::Graph& g_;
  const EngineAccess engine_;
  const TensorAnalysis analysis_;
  const TmaCopy copy_;
  const std::vector<int> bulk_;
  JudgedTma judged_;
};

TEST(TmaOracle, CopiesDoWhatTheHardwareDoesByTheirMaps) {
  std::mt19937_64 rng(41);
  const int cases = count(600, 5'000);
  int can = 0, refused = 0, legal = 0, weaker = 0;
  std::map<TmaStrong, int> strong;
  std::map<std::string, int> codes;
  for (int k = 0; k < cases && !testing::Test::HasFailure(); ++k) {
    const oracle::AccessCase access = oracle::random_tma_case(rng);
    const JudgedTma judged = TmaOracleCase(access).judge();
    can += judged.can;
    refused += judged.can && !judged.weak;
    legal += judged.weak;
    weaker += judged.can && judged.weak && judged.strong > judged.can_be;
    if (judged.strong) ++strong[*judged.strong];
    if (!judged.code.empty()) ++codes[judged.code];
    if (judged.wrong.empty()) continue;
    const auto still_wrong = [&](const oracle::AccessCase& c) {
      return TmaOracleCase(c).judge().wrong.substr(0, 14) == judged.wrong.substr(0, 14);
    };
    ADD_FAILURE() << judged.wrong << "\n" << oracle::to_yaml(oracle::shrink(access, still_wrong));
  }
  std::printf("[FIGURE] TMA: %d of %d possible, %d of those refused (%.2f %%)\n", can, cases,
              refused, 100.0 * refused / std::max(1, can));
  std::printf("[FIGURE] TMA: %d legal", legal);
  for (const auto& [kind, n] : strong) std::printf(", %d strong %s", n, to_string(kind).data());
  std::printf("; refused:");
  for (const auto& [code, n] : codes) std::printf(" %d %s", n, code.c_str());
  std::printf("; %d holes worse than possible\n", weaker);
  EXPECT_GE(can, cases / 3);
  EXPECT_LE(refused * 50, can);
  EXPECT_LE(weaker * 50, can);
  EXPECT_EQ(strong.size(), 3u);
  EXPECT_GT(codes["E461"], cases / 10);
  EXPECT_GT(codes["E462"], cases / 100);
  EXPECT_GT(codes["E465"], more_than(0));
}

}  // namespace
}  // namespace selvage
