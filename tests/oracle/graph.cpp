#include "tests/oracle/graph.h"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

#include "tests/oracle/arithmetic.h"

namespace selvage::oracle {
namespace {

[[noreturn]] void fail(const char* what) { throw std::invalid_argument(what); }

std::size_t inputs(Step::Kind kind) {
  const bool is_split = kind == Step::Split || kind == Step::OuterSplit;
  return is_split || kind == Step::Resize || kind == Step::Skew ? 1 : 2;
}
std::size_t outputs(Step::Kind kind) {
  return kind == Step::Merge || kind == Step::Resize || kind == Step::Skew ? 1 : 2;
}

// The extents of a step's outputs; empty where it is illegal.
std::vector<std::int64_t> output_extents(const Graph& g, const Step& s) {
  const std::int64_t n = g.extents[s.in[0]], m = g.extents[s.in.back()];
  switch (s.kind) {
    case Step::Split:
      if (s.factor < 1) return {};
      return {ceil_div(n, s.factor), s.factor};
    case Step::OuterSplit:
      if (s.factor < 1) return {};
      return {s.factor, ceil_div(n, s.factor)};
    case Step::Merge: return {mul(n, m)};
    case Step::Resize: {
      const std::int64_t r = add(add(n, s.left), s.right);
      if (r < 1) return {};
      return {r};
    }
    case Step::Xor:
      if (!is_legal_xor(n, m)) return {};
      return {n, m};
    case Step::CyclicShift: return {n, m};
    case Step::Hilbert:
      if (!is_legal_hilbert(n, m)) return {};
      return {n, m};
    case Step::Skew:
      if (s.factor < 1) return {};
      return {add(n, s.factor - 1)};
  }
  return {};
}

// The structure alone: ids in range, one producer each, one consumer each among the view steps and
// among the transforms.
bool has_valid_structure(const Graph& g) {
  const int size = static_cast<int>(g.extents.size());
  if (size > kMaxIterdomains || g.names.size() != g.extents.size()) return false;
  if (g.view_steps < 0 || g.view_steps > static_cast<int>(g.steps.size())) return false;
  const auto distinct = [size](const std::vector<int>& ids) {
    std::uint64_t seen = 0;
    for (int x : ids) {
      if (x < 0 || x >= size || (seen & bit(x)) != 0) return false;
      seen |= bit(x);
    }
    return true;
  };
  if (!distinct(g.logical) || !distinct(g.loop) || g.logical.empty() || g.loop.empty())
    return false;
  std::uint64_t produced = 0, read_by_view = 0, read_by_transform = 0, used = 0;
  for (std::size_t k = 0; k < g.steps.size(); ++k) {
    const Step& s = g.steps[k];
    if (s.in.size() != inputs(s.kind) || s.out.size() != outputs(s.kind) || !distinct(s.in) ||
        !distinct(s.out))
      return false;
    if (s.along.has_value() != (s.kind == Step::Skew)) return false;
    if (s.along && (*s.along < 0 || *s.along >= size || *s.along == s.in[0])) return false;
    const std::uint64_t in = bits(s.in), out = bits(s.out);
    std::uint64_t& read = static_cast<int>(k) < g.view_steps ? read_by_view : read_by_transform;
    used |= in;
    if ((read & in) != 0 || ((produced | used) & out) != 0) return false;
    read |= in;
    produced |= out;
  }
  return true;
}

}  // namespace

bool is_legal_hilbert(std::int64_t extent_a, std::int64_t extent_b) {
  return extent_b <= 32 && std::has_single_bit(static_cast<std::uint64_t>(extent_b)) &&
         extent_a % extent_b == 0;
}

bool is_legal_xor(std::int64_t extent_a, std::int64_t extent_b) {
  return extent_b %
             static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(extent_a))) ==
         0;
}

Graph make_graph(const std::vector<std::int64_t>& logical_extents) {
  Graph g;
  for (std::int64_t n : logical_extents) {
    const int id = static_cast<int>(g.extents.size());
    g.extents.push_back(n);
    g.names.push_back("I" + std::to_string(id));
    g.logical.push_back(id);
    g.loop.push_back(id);
  }
  return g;
}

std::vector<int> apply(Graph& graph, Step step) {
  const std::vector<std::int64_t> extents = output_extents(graph, step);
  if (extents.empty()) fail("oracle: illegal step");
  step.out.clear();
  for (std::int64_t n : extents) {
    step.out.push_back(static_cast<int>(graph.extents.size()));
    graph.names.push_back("I" + std::to_string(graph.extents.size()));
    graph.extents.push_back(n);
  }
  const auto first = std::find(graph.loop.begin(), graph.loop.end(), step.in[0]);
  if (first == graph.loop.end()) fail("oracle: not a loop iterdomain");
  graph.loop.insert(first, step.out.begin(), step.out.end());
  std::erase_if(graph.loop,
                [&step](int x) { return std::count(step.in.begin(), step.in.end(), x) != 0; });
  graph.steps.push_back(step);
  return step.out;
}

std::vector<int> root(const Graph& graph) {
  std::uint64_t produced = 0;
  for (const Step& s : graph.steps) produced |= bits(s.out);
  std::vector<int> r;
  for (int x = 0; x < static_cast<int>(graph.extents.size()); ++x)
    if ((produced & bit(x)) == 0) r.push_back(x);
  return r;
}

bool derive_extents(Graph& graph) {
  for (int x : root(graph))
    if (graph.extents[x] < 1) return false;
  try {
    for (const Step& s : graph.steps) {
      const std::vector<std::int64_t> extents = output_extents(graph, s);
      if (extents.size() != s.out.size()) return false;
      for (std::size_t k = 0; k < extents.size(); ++k) graph.extents[s.out[k]] = extents[k];
    }
  } catch (const std::invalid_argument&) {
    return false;
  }
  return true;
}

bool is_well_formed(const Graph& graph) {
  if (!has_valid_structure(graph)) return false;
  Graph derived = graph;
  return derive_extents(derived) && derived.extents == graph.extents && plan(graph).has_value();
}

std::optional<std::vector<Turn>> plan(const Graph& graph) {
  std::vector<Turn> turns;
  std::vector<bool> used(graph.steps.size(), false);
  std::uint64_t known = bits(graph.loop);
  for (bool progress = true; progress;) {
    progress = false;
    for (std::size_t k = 0; k < graph.steps.size(); ++k) {
      const std::uint64_t in = bits(graph.steps[k].in), out = bits(graph.steps[k].out);
      const auto is_known = [&](const std::vector<int>& side) {
        return contains(known, bits(graph.steps[k].needed(side)));
      };
      const bool backward = is_known(graph.steps[k].out) && (known & in) == 0;
      const bool forward = is_known(graph.steps[k].in) && (known & out) == 0;
      if (used[k] || (!backward && !forward)) continue;
      turns.push_back({static_cast<int>(k), forward});
      used[k] = progress = true;
      known |= in | out;
    }
  }
  // A step left over: the loops do not determine it, or they contradict it.
  const bool all_used = turns.size() == graph.steps.size();
  // An iterdomain left over: no step and no loop.
  const bool all_known = static_cast<std::size_t>(std::popcount(known)) == graph.extents.size();
  if (!all_used || !all_known) return std::nullopt;
  return turns;
}

std::uint64_t path_mask(const Graph& graph) {
  const auto turns = plan(graph);
  if (!turns) fail("oracle: the loop domain does not determine every iterdomain once");
  std::uint64_t path = bits(graph.logical);
  for (auto t = turns->rbegin(); t != turns->rend(); ++t) {
    const Step& s = graph.steps[t->step];
    if ((path & bits(t->forward ? s.out : s.in)) != 0) path |= bits(s.needed(s.in)) | bits(s.out);
  }
  return path;
}

std::int64_t loop_points(const Graph& graph) {
  std::int64_t points = 1;
  for (int x : graph.loop) points = mul(points, graph.extents[x]);
  return points;
}

}  // namespace selvage::oracle
