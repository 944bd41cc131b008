// Traversals of the iterdomain graph. Only this file includes Boost.Graph, whose headers are slow
// to compile.
#include <selvage/ir/path.h>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/reverse_graph.hpp>

#include <algorithm>
#include <deque>
#include <optional>
#include <set>
#include <unordered_map>

namespace selvage {

std::vector<DomainId> sources(const DomainGraph& graph, const Step& step) {
  const Transform& t = graph[step.transform];
  std::vector<DomainId> list = step.direction == Direction::Forward ? inputs(t) : outputs(t);
  if (const auto d = beside(t)) list.push_back(*d);
  return list;
}

std::vector<DomainId> results(const DomainGraph& graph, const Step& step) {
  const Transform& t = graph[step.transform];
  return step.direction == Direction::Forward ? outputs(t) : inputs(t);
}

bool reaches(const Path& path, DomainId d) { return contains(path.domains, d); }

bool are_dependent(const DomainGraph& graph, std::span<const DomainId> domains) {
  const auto maker = [&](DomainId d) -> std::optional<TransformId> {
    for (TransformId t : graph.around(d)) {
      const std::vector<DomainId> made = outputs(graph[t]);
      if (contains(made, d)) return t;
    }
    return std::nullopt;
  };
  // Walks back from d over the transforms that make it. False on reaching an iterdomain that no
  // transform makes; true if all ways end at others of `domains`.
  const auto is_made_of_others = [&](DomainId d) {
    std::set<DomainId> seen = {d};
    std::vector<DomainId> open = {d};
    while (!open.empty()) {
      const auto made = maker(open.back());
      open.pop_back();
      if (!made) return false;
      for (DomainId in : sources(graph, {*made, Direction::Forward})) {
        if (!contains(domains, in) && seen.insert(in).second) open.push_back(in);
      }
    }
    return true;
  };
  return std::any_of(domains.begin(), domains.end(), is_made_of_others);
}

Path everything_from(const DomainGraph& graph, std::span<const DomainId> from,
                     std::span<const TransformId> transforms) {
  std::vector<char> known(graph.size(), 0), taken(graph.transforms(), 0);
  std::vector<char> allowed(graph.transforms(), transforms.empty() ? 1 : 0);
  for (TransformId t : transforms) allowed[index_of(t)] = 1;
  Path path;
  std::deque<DomainId> fresh;
  const auto learn = [&](DomainId d) {
    if (known[index_of(d)]) return;
    known[index_of(d)] = 1;
    path.domains.push_back(d);
    fresh.push_back(d);
  };
  for (DomainId d : from) learn(d);
  // A transform is crossed once all of one side is known: a hypergraph, walked breadth first.
  while (!fresh.empty()) {
    const DomainId d = fresh.front();
    fresh.pop_front();
    for (TransformId t : graph.around(d)) {
      if (taken[index_of(t)] || !allowed[index_of(t)]) continue;
      for (Direction direction : {Direction::Backward, Direction::Forward}) {
        const Step step{t, direction};
        const std::vector<DomainId> need = sources(graph, step), give = results(graph, step);
        const auto is_known = [&](DomainId e) { return known[index_of(e)] != 0; };
        if (!std::all_of(need.begin(), need.end(), is_known)) continue;
        // A known iterdomain keeps its coordinate, so a step that gives it anew is not taken.
        if (std::any_of(give.begin(), give.end(), is_known)) continue;
        taken[index_of(t)] = 1;
        path.steps.push_back(step);
        for (DomainId e : give) learn(e);
        break;
      }
    }
  }
  return path;
}

Path needed_for(const DomainGraph& graph, const Path& path, std::span<const DomainId> from,
                std::span<const DomainId> targets) {
  // Vertices: the steps, and one for the targets. An edge leads from a step to one that reads it.
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;
  const std::size_t goal = path.steps.size();
  Graph flow(goal + 1);
  std::unordered_map<std::uint32_t, std::size_t> maker;
  for (std::size_t i = 0; i < goal; ++i) {
    for (DomainId d : sources(graph, path.steps[i])) {
      if (const auto it = maker.find(std::uint32_t(d)); it != maker.end()) {
        boost::add_edge(it->second, i, flow);
      }
    }
    for (DomainId d : results(graph, path.steps[i])) maker[std::uint32_t(d)] = i;
  }
  for (DomainId d : targets) {
    if (const auto it = maker.find(std::uint32_t(d)); it != maker.end()) {
      boost::add_edge(it->second, goal, flow);
    }
  }
  std::vector<boost::default_color_type> color(goal + 1, boost::white_color);
  boost::breadth_first_search(boost::make_reverse_graph(flow), goal,
                              boost::color_map(boost::make_iterator_property_map(
                                  color.begin(), get(boost::vertex_index, flow))));

  Path part;
  part.domains.assign(from.begin(), from.end());
  for (std::size_t i = 0; i < goal; ++i) {
    if (color[i] == boost::white_color) continue;
    part.steps.push_back(path.steps[i]);
    for (DomainId d : results(graph, path.steps[i])) part.domains.push_back(d);
  }
  return part;
}

}  // namespace selvage
