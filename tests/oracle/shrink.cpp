// Reduces a failing graph one step, number or loop order at a time, for as long as it fails.
#include <algorithm>
#include <utility>

#include "tests/oracle/random_graph.h"
#include "tests/oracle/reductions.h"

namespace selvage::oracle {
namespace {

bool mentions(const std::vector<int>& ids, int x) {
  return std::find(ids.begin(), ids.end(), x) != ids.end();
}

// Puts `by` where the first of `what` stands, and drops the rest of `what`.
void replace(std::vector<int>& ids, const std::vector<int>& what, const std::vector<int>& by) {
  const auto first =
      std::find_if(ids.begin(), ids.end(), [&what](int x) { return mentions(what, x); });
  if (first == ids.end()) return;
  ids.insert(first, by.begin(), by.end());
  std::erase_if(ids, [&what](int x) { return mentions(what, x); });
}

}  // namespace

void erase_iterdomains(Graph& g, std::vector<int> gone) {
  std::sort(gone.begin(), gone.end());
  for (auto x = gone.rbegin(); x != gone.rend(); ++x) {
    g.extents.erase(g.extents.begin() + *x);
    g.names.erase(g.names.begin() + *x);
    const auto renumber = [x](std::vector<int>& ids) {
      for (int& y : ids) y -= y > *x ? 1 : 0;
    };
    renumber(g.logical);
    renumber(g.loop);
    for (Step& s : g.steps) {
      renumber(s.in);
      renumber(s.out);
      if (s.along) *s.along -= *s.along > *x ? 1 : 0;
    }
  }
}

namespace {

// Drops from loop what a step consumes, adds the leaves that it lacks.
void loop_over_leaves(Graph& g) {
  const auto consumed = [&g](int x) {
    return std::any_of(g.steps.begin(), g.steps.end(),
                       [x](const Step& s) { return mentions(s.in, x); });
  };
  std::erase_if(g.loop, consumed);
  for (int x = 0; x < static_cast<int>(g.extents.size()); ++x)
    if (!consumed(x) && !mentions(g.loop, x)) g.loop.push_back(x);
}

}  // namespace

Graph without_step(Graph g, std::size_t k) {
  const Step s = g.steps[k];
  g.steps.erase(g.steps.begin() + static_cast<std::ptrdiff_t>(k));
  if (static_cast<int>(k) < g.view_steps) --g.view_steps;
  replace(g.logical, s.out, s.in);
  replace(g.loop, s.out, s.in);
  const auto take_back = [&s](int& x) {
    const std::ptrdiff_t place = std::find(s.out.begin(), s.out.end(), x) - s.out.begin();
    if (place < static_cast<std::ptrdiff_t>(s.out.size()))
      x = s.in[std::min<std::size_t>(place, s.in.size() - 1)];
  };
  for (std::size_t j = k; j < g.steps.size(); ++j) {
    for (int& x : g.steps[j].in) take_back(x);
    if (g.steps[j].along) take_back(*g.steps[j].along);
  }
  erase_iterdomains(g, s.out);
  if (g.view_steps == 0) loop_over_leaves(g);
  return g;
}

std::vector<std::int64_t> smaller(std::int64_t n, std::int64_t least) {
  if (n == least) return {};
  if (n < least) return {least, n + 1};
  return {least, least + (n - least) / 2, n - 1};
}

namespace {

std::vector<Graph> reductions(const Graph& g) {
  std::vector<Graph> r;
  for (std::size_t k = g.steps.size(); k-- > 0;) r.push_back(without_step(g, k));
  for (std::size_t k = g.steps.size();
       k-- > 0;)  // a split and the merge that undoes it go together
    for (std::size_t j = k; j-- > 0;) r.push_back(without_step(without_step(g, k), j));
  for (int x : root(g)) {
    const bool used = std::any_of(g.steps.begin(), g.steps.end(),
                                  [x](const Step& s) { return mentions(s.needed(s.in), x); });
    if (!used && g.logical.size() > 1) {
      Graph h = g;
      std::erase(h.logical, x);
      std::erase(h.loop, x);
      erase_iterdomains(h, {x});
      r.push_back(h);
    }
    for (std::int64_t n : smaller(g.extents[x], 1)) {
      r.push_back(g);
      r.back().extents[x] = n;
    }
  }
  for (std::size_t k = 0; k < g.steps.size(); ++k) {
    const auto try_value = [&](std::int64_t Step::*field, std::int64_t least) {
      for (std::int64_t n : smaller(g.steps[k].*field, least)) {
        r.push_back(g);
        r.back().steps[k].*field = n;
      }
    };
    try_value(&Step::factor, 1);
    try_value(&Step::left, 0);
    try_value(&Step::right, 0);
    try_value(&Step::by, 0);
  }
  if (!std::is_sorted(g.loop.begin(), g.loop.end())) {
    r.push_back(g);
    std::sort(r.back().loop.begin(), r.back().loop.end());
  }
  return r;
}

}  // namespace

Graph shrink(Graph graph, const std::function<bool(const Graph&)>& still_fails) {
  for (bool progress = true; progress;) {
    progress = false;
    for (Graph& smaller_graph : reductions(graph)) {
      if (!derive_extents(smaller_graph) || !is_well_formed(smaller_graph) ||
          !still_fails(smaller_graph))
        continue;
      graph = std::move(smaller_graph);
      progress = true;
      break;
    }
  }
  for (std::size_t k = 0; k < graph.names.size(); ++k) graph.names[k] = "I" + std::to_string(k);
  return graph;
}

}  // namespace selvage::oracle
