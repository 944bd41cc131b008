// Buffers with holes against the brute-force judge: how many holes, which of them a reader meets,
// with its guard and without, what must be stored before; and every witness does what is said.
#include <selvage/legality/fills.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>

#include "tests/oracle/brute_force.h"
#include "tests/oracle/random_access_case.h"
#include "tests/support/counts.h"
#include "tests/support/engine_access.h"

namespace selvage {
namespace {

using LoopPoint = std::vector<std::int64_t>;
using Witness = std::vector<std::pair<Expr, std::int64_t>>;

struct JudgedFill {
  std::string wrong;  // the first answer that is; empty: none
  int questions = 0, unknown = 0;
  bool has_holes = false, reads_hole = false;
};

// The first of the judge's reads that the engine's question is about, in loop order.
using First = std::optional<LoopPoint>;
void take(First& first, const oracle::Fills::Read& read) {
  if (!first || read.point < *first) first = read.point;
}

class FillCase {
 public:
  explicit FillCase(const oracle::AccessCase& access)
      : access_(access),
        engine_(access),
        write_(analyze(engine_.fusion(), engine_.schedule(), engine_.tensor().tensor)),
        read_(analyze(engine_.fusion(), reading(), engine_.tensor().tensor)),
        truth_(oracle::fills(access)) {}

  // A reader that adds up what it reads: of it all is asked.
  JudgedFill judge() {
    const bool guarded = access_.reader->guarded;
    judged_.has_holes = !truth_.holes.empty();
    judged_.reads_hole = !truth_.holes_read.empty();
    const auto found = fills(engine_.fusion(), engine_.schedule(), write_, &reading(), &read_,
                             {.is_guarded = guarded, .reduction = Reduction::Sum});
    if (!found) {
      expect(truth_.holes.empty() && !access_.asks_fill, "no holes");
      return judged_;
    }
    expect(found->elements.is_const(oracle::elements(access_.graph, access_.layout)), "elements");
    holes(*found);
    expect(found->unguarded.has_value(), "nothing of a reader without a guard");
    read_findings(found->reader, truth_, guarded);
    read_findings(*found->unguarded,
                  oracle::fills(access_.graph, access_.reader->graph, access_.layout, false),
                  false);
    initialised(*found);
    refusals(*found);
    return judged_;
  }

 private:
  const Schedule& reading() const { return *engine_.tensor().reading; }
  void expect(bool holds, const std::string& what) {
    if (!holds && judged_.wrong.empty()) judged_.wrong = what;
  }

  // A verdict is the judge's, and its witness is confirmed.
  template <class Confirms>
  void verdict(const std::string& what, const Verdict& verdict, bool holds,
               const Confirms& confirms) {
    ++judged_.questions;
    if (is_proved(verdict)) return expect(holds, what + " is proved");
    const auto* refuted = std::get_if<Refuted>(&verdict);
    if (refuted == nullptr) {
      ++judged_.unknown;
    } else {
      expect(!holds, what + " is refuted");
      expect(confirms(refuted->point), "the witness of " + what);
    }
  }

  void holes(const Fills& found) {
    judged_.questions += 2;
    judged_.unknown += !found.holes.has_value();
    judged_.unknown += !truth_.holes.empty() && !found.first;
    if (found.holes)
      expect(found.holes->is_const(std::int64_t(truth_.holes.size())), "number of holes");
    if (found.first)
      expect(!truth_.holes.empty() && *found.first == truth_.holes.front(), "first hole");
  }

  bool is_hole(std::int64_t element) const {
    return std::binary_search(truth_.holes.begin(), truth_.holes.end(), element);
  }

  void read_findings(const ReadFindings& found, const oracle::Fills& truth, bool guarded) {
    const std::string who = guarded ? "the guarded reader" : "the reader without a guard";
    const oracle::Graph& reader = access_.reader->graph;
    const std::int64_t size = oracle::elements(access_.graph, access_.layout);
    First outside, no_item, again;
    if (truth.outside) take(outside, *truth.outside);
    for (const oracle::Fills::Read& read : truth.holes_read) take(no_item, read);
    if (truth.item_at_a_hole) take(again, *truth.item_at_a_hole);
    // What lies outside is no item's, except where an item does itself.
    oracle::for_each_point(reader, [&](auto point, auto x, std::uint64_t mask) {
      const std::int64_t element = oracle::address(access_.layout, x);
      if (mask == 0 || guarded || (0 <= element && element < size)) return;
      take(no_item, {element, LoopPoint(point.begin(), point.end())});
    });
    // The first point of all; the reader is there; and the element is of the kind that is meant.
    const auto is_first = [&](const Witness& witness, const First& first, auto is_meant) {
      const auto point = loop_point(reading(), read_, witness);
      if (!point || point != first) return false;
      const LoopPoint x = oracle::coordinates(reader, *point);
      const bool valid = !oracle::is_hole(reader, x);
      return (valid || !guarded) && is_meant(oracle::address(access_.layout, x), valid);
    };
    const auto is_inside = [&](std::int64_t element) { return 0 <= element && element < size; };
    verdict(who + " stays inside", found.inside.verdict, !outside, [&](const Witness& witness) {
      return is_first(witness, outside,
                      [&](std::int64_t element, bool) { return !is_inside(element); });
    });
    verdict(who + " reads only items", found.only_items.verdict, !no_item,
            [&](const Witness& witness) {
              return is_first(witness, no_item, [&](std::int64_t element, bool) {
                return found.element == element && (!is_inside(element) || is_hole(element));
              });
            });
    expect(found.once.has_value(), "nothing of items that are read twice");
    verdict(who + " reads items once", found.once->verdict, !again, [&](const Witness& witness) {
      return is_first(witness, again, [&](std::int64_t element, bool valid) {
        return !valid && is_inside(element) && !is_hole(element);
      });
    });
  }

  // Holes are what must be stored into before, all of them where a fill is asked for; items are
  // for the writer, whose coverage tells of those that it leaves out.
  void initialised(const Fills& found) {
    const bool outside = truth_.outside.has_value();
    const bool holds = access_.asks_fill ? truth_.holes.empty() : truth_.holes_read.empty();
    if (outside && !access_.asks_fill) return;  // refused: what is read there is no hole
    expect(
        found.is_strong == (access_.asks_fill || !truth_.holes_read.empty()) || judged_.unknown > 0,
        "is strong");
    verdict("initialised", found.initialised.verdict, holds, [&](const Witness& witness) {
      return access_.asks_fill ? is_hole_of_memory(witness) : is_hole_read(witness);
    });
    if (truth_.unwritten_item) expect(!is_proved(write_.coverage.verdict), "coverage");
    if (found.initialised.is_legal() && is_proved(write_.coverage.verdict)) {
      expect(access_.asks_fill || !truth_.needs_initialisation(), "initialisation");
    }
  }

  bool is_hole_read(const Witness& witness) const {
    const auto point = loop_point(reading(), read_, witness);
    return point && is_hole(oracle::address(access_.layout,
                                            oracle::coordinates(access_.reader->graph, *point)));
  }

  // Indices of the allocation; none where the first hole lies in a gap between them.
  bool is_hole_of_memory(const Witness& witness) const {
    const oracle::Graph& g = access_.graph;
    LoopPoint x(g.extents.size(), 0);
    for (const auto& [symbol, value] : witness) {
      const auto name = std::find(g.names.begin(), g.names.end(), symbol.name());
      if (name == g.names.end() || value < 0) return false;
      x[std::size_t(name - g.names.begin())] = value;
      if (value >= g.extents[std::size_t(name - g.names.begin())]) return false;
    }
    return !truth_.holes.empty() &&
           (witness.empty() || is_hole(oracle::address(access_.layout, x)));
  }

  // 0 fits, and is what a sum needs; what is wrong is what the reader does.
  void refusals(const Fills& found) {
    std::vector<std::string> codes, wanted;
    for (const Finding& f : found.refusals()) codes.push_back(f.code);
    if (!found.reader.inside.is_legal()) wanted.push_back("E472");
    if (!found.reader.once->is_legal()) wanted.push_back("E473");
    expect(codes == wanted, "refusals");
  }

  const oracle::AccessCase& access_;
  const EngineAccess engine_;
  const TensorAnalysis write_, read_;
  const oracle::Fills truth_;
  JudgedFill judged_;
};

TEST(FillOracle, HolesAndWhoReadsThemAreAsBruteForceSays) {
  std::mt19937_64 rng(31);
  const int cases = count(200, 5'000);
  int with_holes = 0, read = 0, questions = 0, unknown = 0;
  for (int k = 0; k < cases && !testing::Test::HasFailure(); ++k) {
    const oracle::AccessCase access = oracle::random_fill_case(rng);
    const JudgedFill judged = FillCase(access).judge();
    with_holes += judged.has_holes;
    read += judged.reads_hole;
    questions += judged.questions;
    unknown += judged.unknown;
    if (judged.wrong.empty()) continue;
    const auto still_wrong = [&](const oracle::AccessCase& c) {
      return c.reader && !oracle::repeats_base(c) && FillCase(c).judge().wrong == judged.wrong;
    };
    ADD_FAILURE() << judged.wrong << "\n" << oracle::to_yaml(oracle::shrink(access, still_wrong));
  }
  std::printf(
      "[FIGURE] fills: %d of %d with holes, read in %d; %d of %d answers not known (%.2f %%)\n",
      with_holes, cases, read, unknown, questions, 100.0 * unknown / std::max(1, questions));
  EXPECT_GE(with_holes, cases / 3);
  EXPECT_GE(read, cases / 10);
  EXPECT_LE(unknown * 50, questions);
}

}  // namespace
}  // namespace selvage
