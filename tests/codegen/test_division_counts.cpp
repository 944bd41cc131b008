// How many divisions are written for random kernels: one for all dividends that are seen to be
// congruent, and no remainder beside a quotient of the same operands.
#include <selvage/base/integer.h>
#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/kernel/forms.h>
#include <selvage/lower/program.h>

#include <gtest/gtest.h>

#include <bit>
#include <cstdio>
#include <set>

#include "tests/codegen/random_fusion.h"
#include "tests/codegen/run.h"
#include "tests/kernel/points.h"
#include "tests/oracle/random_graph.h"
#include "tests/support/counts.h"
#include "tests/support/engine_schedule.h"

namespace selvage {
namespace {

// By what is no power of two: those are shifts and masks.
bool is_counted(Expr e) {
  if (!e.is(Op::Div) && !e.is(Op::Mod)) return false;
  return !e[1].is(Op::Const) || !std::has_single_bit(std::uint64_t(e[1].value()));
}

std::vector<Expr> divisions_in(const std::vector<Expr>& expressions) {
  std::vector<Expr> found = reachable(expressions, true);
  std::erase_if(found, [](Expr e) { return !is_counted(e); });
  return found;
}

// Classes of the divisions by what is observed at random points: equal divisors and dividends that
// differ by multiples of them.
int observed_classes(const std::vector<Expr>& divisions, const Kernel& kernel) {
  std::mt19937_64 rng(3);
  std::set<std::vector<std::int64_t>> classes;
  std::vector<test::SizedPoint> points;
  for (int k = 0; k < 60; ++k) {
    std::map<std::string, std::int64_t> sizes;
    for (Expr size : kernel.sizes) sizes[std::string(size.name())] = oracle::draw(rng, 1, 60);
    if (const auto p = test::random_point(rng, kernel.facts, sizes)) points.push_back(*p);
  }
  for (Expr e : divisions) {
    std::vector<std::int64_t> observed;
    for (const test::SizedPoint& point : points) {
      const std::int64_t divisor = point(e[1]).value();
      observed.push_back(divisor);
      observed.push_back(euclid_mod(point(e[0]).value(), divisor).value());
    }
    classes.insert(std::move(observed));
  }
  return int(classes.size());
}

// The operators of the text, those by a number that is a power of two left out.
struct Written {
  int quotients = 0, remainders = 0, products = 0;
  int divisions() const { return quotients + remainders; }
};
Written count_operators(const std::string& text) {
  Written w;
  const std::size_t head = text.find("\nKERNEL(");
  for (std::size_t at = text.find("{\n", head); at < text.size(); ++at) {
    const std::string_view here = std::string_view(text).substr(at);
    if (here.starts_with(" * ")) ++w.products;
    if (here.starts_with("floor_div") || here.starts_with("euclid_div")) ++w.quotients;
    if (here.starts_with("floor_mod") || here.starts_with("euclid_mod")) ++w.remainders;
    if (!here.starts_with(" / ") && !here.starts_with(" % ")) continue;
    const long long divisor = std::atoll(text.c_str() + at + 3);
    if (divisor > 0 && std::has_single_bit(std::uint64_t(divisor))) continue;
    ++(here[1] == '/' ? w.quotients : w.remainders);
  }
  return w;
}

struct Totals {
  int kernels = 0, distinct = 0, written = 0, classes = 0, products = 0;

  void add(const Kernel& kernel) {
    Simplifier ranges(kernel.facts);
    const Forms forms(kernel, ranges);
    const std::vector<Expr> divisions = divisions_in(forms.computed().all);
    const CudaText text = cuda(kernel);
    const Written w = count_operators(text.text);
    EXPECT_LE(w.divisions(), int(divisions.size())) << text.text;
    expect_no_pairs(forms);
    ++kernels;
    distinct += int(divisions.size());
    written += w.divisions();
    classes += observed_classes(divisions, kernel);
    products += w.products;
  }
  static void expect_no_pairs(const Forms& forms) {
    std::vector<Expr> all;
    for (Expr e : forms.computed().all) all.push_back(forms(e));
    std::set<std::pair<std::uint32_t, std::uint32_t>> quotients;
    const std::vector<Expr> divisions = divisions_in(all);
    for (Expr e : divisions) {
      if (e.is(Op::Div)) quotients.insert({e[0].id(), e[1].id()});
    }
    for (Expr e : divisions) {
      const bool is_beside = e.is(Op::Mod) && quotients.count({e[0].id(), e[1].id()}) > 0;
      EXPECT_FALSE(is_beside) << to_string(e);
    }
  }
  // Some that are congruent are not seen to be, such as a skew's x % 2 beside x - x / 2 * 2; others
  // follow from one another without being so.
  void print(const char* what) const {
    EXPECT_LE(written, classes + classes / 20) << what;
    std::printf(
        "[FIGURE] divisions in %d %s: %d distinct ones, %d written, %d classes observed; "
        "%d multiplications\n",
        kernels, what, distinct, written, classes, products);
  }
};

TEST(DivisionCounts, OneForEveryClassOfCongruentDividends) {
  for (bool symbolic : {false, true}) {
    std::mt19937_64 rng(19);
    Totals totals;
    const int fusions = count(120, 2'000);
    for (int i = 0; i < fusions && !testing::Test::HasFailure(); ++i) {
      const test::RandomFusion r(rng, symbolic);
      for (const ProgramStep& step : r.lowered({.draws_out_checks = false}).steps)
        totals.add(step.variants[0]);
    }
    totals.print(symbolic ? "kernels of symbolic fusions" : "kernels of known fusions");
  }
}

TEST(DivisionCounts, OfRandomGraphs) {
  std::mt19937_64 rng(5);
  oracle::Limits limits;
  limits.max_points = 4'000;
  Totals totals;
  const int graphs = count(120, 3'000);
  for (int i = 0; i < graphs && !testing::Test::HasFailure(); ++i) {
    const oracle::Graph g = oracle::random_graph(rng, limits);
    const EngineSchedule s(g);
    const Program p =
        lower(*s.fusion, *s.schedule, {.items_may_be_lost = true, .draws_out_checks = false});
    totals.add(p.steps[0].variants[0]);
  }
  totals.print("kernels of random graphs");
}

}  // namespace
}  // namespace selvage
