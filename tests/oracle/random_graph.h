// Random graphs for the property tests, with known and with symbolic extents; their schedule files;
// and shrinking of a failure.
//
// Reproducible everywhere: std::mt19937_64 and draw() below, no std:: distribution.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/oracle/graph.h"

namespace selvage::oracle {

struct Limits {
  int max_logical = 3;            // logical iterdomains (root iterdomains of a view)
  std::int64_t max_extent = 100;  // of those
  int max_transforms = 8;         // after the view
  std::int64_t max_resize = 3;    // |left|, |right|
  std::int64_t min_points = 1;    // loop points of a graph with known extents
  std::int64_t max_points = 60'000;
  int max_view_steps = 4;  // random_view_graph: 1 to this many
  bool view_resizes = true;
  bool transforms_from_logical = true;  // a view's transforms; false: from any cut between root and
                                        // logical, so the path also runs forward
};

std::int64_t draw(std::mt19937_64& rng, std::int64_t low, std::int64_t high);  // both ends included

// Logical iterdomains, then up to max_transforms transforms of all kinds; loop: the leaves,
// shuffled.
Graph random_graph(std::mt19937_64& rng, const Limits& limits = {});
// Root iterdomains, a view of 1 to max_view_steps steps (its splits divisible), then transforms.
Graph random_view_graph(std::mt19937_64& rng, const Limits& limits = {});

// A graph whose root extents and factors may be symbols. Ids, names, logical, loop and hole mask
// bits are those of its instances.
struct Size {  // a number, or the symbol of this name
  std::int64_t number = 1;
  std::string symbol;
  Size(std::int64_t n = 1) : number(n) {}
  Size(std::string name) : symbol(std::move(name)) {}
  bool is_symbol() const { return !symbol.empty(); }
};
struct Symbol {
  std::string name;
  std::int64_t min = 1, max = 100, multiple_of = 1;
};
struct SymbolicStep {
  Step::Kind kind = Step::Split;
  std::vector<int> in, out;
  Size factor = 1;
  std::int64_t left = 0, right = 0;
  std::optional<int> along = {};
  std::int64_t by = 0;
};
struct SymbolicGraph {
  std::vector<Symbol> symbols;
  std::map<int, Size> root_extents;  // the other extents follow
  std::vector<std::string> names;
  std::vector<int> logical;
  std::vector<SymbolicStep> steps;
  std::vector<int> loop;
  int view_steps = 0;
};
using Values = std::map<std::string, std::int64_t>;

// Legal for every value that the facts allow. At least one root extent is a symbol.
SymbolicGraph random_symbolic_graph(std::mt19937_64& rng, const Limits& limits = {});
// Up to `count` distinct values that meet the facts and give at most max_points loop points; fewer
// if there are not as many. The smallest come first; half of the rest are small, half anywhere.
std::vector<Values> sample_values(std::mt19937_64& rng, const SymbolicGraph& graph, int count = 30,
                                  std::int64_t max_points = 60'000);
bool meets_facts(const SymbolicGraph& graph, const Values& values);
Graph instantiate(const SymbolicGraph& graph,
                  const Values& values);  // throws std::invalid_argument where a step is illegal

// A schedule file with the one tensor T0.
std::string to_yaml(const Graph& graph);
std::string to_yaml(const SymbolicGraph& graph);
std::string to_yaml(const Graph& graph, const Step& step);  // "split: {in: I0, ...}"

// The smallest graph that one-step reductions reach while it still fails: steps and logical
// iterdomains dropped, extents, factors and paddings reduced, loops put in order.
Graph shrink(Graph graph, const std::function<bool(const Graph&)>& still_fails);

}  // namespace selvage::oracle
