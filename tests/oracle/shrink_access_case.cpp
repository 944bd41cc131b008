// Reduces a failing case by one step, axis, binding or number at a time, for as long as it fails.
// Iterdomains are renumbered on the way; their names, which are distinct, tell them apart.
#include <algorithm>
#include <utility>

#include "tests/oracle/access_case.h"
#include "tests/oracle/reductions.h"

namespace selvage::oracle {
namespace {

int find_name(const Graph& g, const std::string& name) {
  const auto found = std::find(g.names.begin(), g.names.end(), name);
  return found == g.names.end() ? -1 : static_cast<int>(found - g.names.begin());
}

Binding carried(const Graph& before, const Binding& binding, const Graph& after) {
  Binding r;
  for (const auto& [x, role] : binding) {
    const int y = find_name(after, before.names[x]);
    const bool is_loop =
        y >= 0 && std::find(after.loop.begin(), after.loop.end(), y) != after.loop.end();
    if (is_loop) r[y] = role;
  }
  return r;
}

// The case over other graphs; what these no longer have is left out.
AccessCase carried(const AccessCase& access, Graph writer, std::optional<Graph> reader) {
  AccessCase r = access;
  r.binding = carried(access.graph, access.binding, writer);
  r.layout.allocation.clear();
  r.layout.strides.clear();
  r.open_strides = 0;
  for (std::size_t k = 0; k < access.layout.allocation.size(); ++k) {
    const int y = find_name(writer, access.graph.names[access.layout.allocation[k]]);
    if (y < 0) continue;
    r.open_strides |= (access.open_strides >> k & 1) << r.layout.allocation.size();
    r.layout.allocation.push_back(y);
    r.layout.strides.push_back(access.layout.strides[k]);
  }
  r.tma.clear();
  for (TmaDim d : access.tma) {
    for (int* x : {&d.iterdomain, &d.axis, &d.box, &d.step})
      *x = *x < 0 ? -1 : find_name(writer, access.graph.names[*x]);
    if (d.iterdomain >= 0 && d.axis >= 0) r.tma.push_back(d);
  }
  if (access.reader && reader) {
    r.reader->binding = carried(access.reader->graph, access.reader->binding, *reader);
    r.reader->graph = std::move(*reader);
  } else {
    r.reader.reset();
  }
  r.graph = std::move(writer);
  return r;
}

std::optional<Graph> reader_graph(const AccessCase& access) {
  if (!access.reader) return std::nullopt;
  return access.reader->graph;
}

// Without a step of the base: the buffer lies densely over what is left of it.
AccessCase without_base_step(const AccessCase& access, std::size_t k) {
  Graph allocated = access.graph;  // with the allocation iterdomains in place of the logical ones
  allocated.logical = access.layout.allocation;
  allocated = without_step(allocated, k);
  std::optional<Graph> reader = reader_graph(access);
  if (reader) reader = without_step(*reader, k);
  AccessCase r = carried(access, without_step(access.graph, k), std::move(reader));
  if (r.base_steps > 0) --r.base_steps;
  const std::int64_t align = r.layout.align;
  derive_extents(r.graph);  // where that fails, it fails for who tries this reduction, too
  r.layout = dense_layout(r.graph, allocated.logical, r.layout.element_bytes);
  r.layout.align = align;
  r.open_strides = 0;
  return r;
}

std::optional<AccessCase> without_axis(const AccessCase& access, int x) {
  const auto uses = [x](const Graph& g) {
    return std::any_of(g.steps.begin(), g.steps.end(), [x](const Step& s) {
      const std::vector<int> needed = s.needed(s.in);
      return std::find(needed.begin(), needed.end(), x) != needed.end();
    });
  };
  std::optional<Graph> reader = reader_graph(access);
  if (access.graph.logical.size() < 2 || uses(access.graph) || (reader && uses(*reader)))
    return std::nullopt;
  const auto without = [x](Graph g) {
    std::erase(g.logical, x);
    std::erase(g.loop, x);
    erase_iterdomains(g, {x});
    return g;
  };
  if (reader) reader = without(*reader);
  return carried(access, without(access.graph), std::move(reader));
}

std::vector<AccessCase> reductions(const AccessCase& access) {
  std::vector<AccessCase> r;
  const Graph& writer = access.graph;
  if (access.reader) {
    r.push_back(carried(access, writer, std::nullopt));
    const Graph& reader = access.reader->graph;
    for (std::size_t k = reader.steps.size(); k-- > static_cast<std::size_t>(access.base_steps);)
      r.push_back(carried(access, writer, without_step(reader, k)));
  }
  const auto base = static_cast<std::size_t>(access.base_steps);
  for (std::size_t k = writer.steps.size(); k-- > base;)
    r.push_back(carried(access, without_step(writer, k), reader_graph(access)));
  for (std::size_t k = writer.steps.size(); k-- > base;)  // a split and the merge that undoes it
    for (std::size_t j = k; j-- > base;)
      r.push_back(carried(access, without_step(without_step(writer, k), j), reader_graph(access)));
  for (std::size_t k = base; k-- > 0;) r.push_back(without_base_step(access, k));
  for (int x : root(writer))
    if (auto smaller_case = without_axis(access, x)) r.push_back(std::move(*smaller_case));

  for (const Number& n : numbers(access)) {
    const std::int64_t least = n.kind == Number::Left || n.kind == Number::Right ? 0
                               : n.kind == Number::Align                         ? 16
                                                                                 : 1;
    std::vector<std::int64_t> values;
    if (n.kind == Number::Align) {
      if (get(access, n) != 16) values = {16};
    } else {
      values = smaller(get(access, n), least);
    }
    for (std::int64_t value : values)
      if (auto smaller_case = with(access, n, value)) r.push_back(std::move(*smaller_case));
  }

  const auto add = [&r, &access](auto change) {
    r.push_back(access);
    change(r.back());
  };
  for (const auto& [x, role] : access.binding)
    if (role != Role::Vector && role != Role::Bulk)
      add([y = x](AccessCase& c) { c.binding.erase(y); });
  if (access.reader)
    for (const auto& [x, role] : access.reader->binding)
      if (role != Role::Vector) add([y = x](AccessCase& c) { c.reader->binding.erase(y); });
  const auto sort_loops = [](Graph& g) { std::sort(g.loop.begin(), g.loop.end()); };
  const auto is_sorted = [](const Graph& g) {
    return std::is_sorted(g.loop.begin(), g.loop.end());
  };
  if (!is_sorted(writer)) add([&](AccessCase& c) { sort_loops(c.graph); });
  if (access.reader && !is_sorted(access.reader->graph))
    add([&](AccessCase& c) { sort_loops(c.reader->graph); });
  if (access.open_strides != 0) add([](AccessCase& c) { c.open_strides = 0; });
  if (access.asks_fill) add([](AccessCase& c) { c.asks_fill = false; });
  return r;
}

std::size_t held(const AccessCase& access) {  // loops bound to what must stay bound
  const auto holds = [](const auto& bound) {
    return bound.second == Role::Vector || bound.second == Role::Bulk;
  };
  return static_cast<std::size_t>(
      std::count_if(access.binding.begin(), access.binding.end(), holds));
}

// Iterdomains get names by their ids again.
void rename(Graph& g) {
  for (std::size_t k = 0; k < g.names.size(); ++k) g.names[k] = "I" + std::to_string(k);
}

}  // namespace

AccessCase shrink(AccessCase access, const std::function<bool(const AccessCase&)>& still_fails) {
  for (bool progress = true; progress;) {
    progress = false;
    for (AccessCase& candidate : reductions(access)) {
      const bool derived = derive_extents(candidate.graph) &&
                           (!candidate.reader || derive_extents(candidate.reader->graph));
      if (!derived || !is_well_formed(candidate) ||
          held(candidate) < std::min<std::size_t>(held(access), 1) ||
          candidate.tma.empty() != access.tma.empty() || !still_fails(candidate))
        continue;
      access = std::move(candidate);
      progress = true;
      break;
    }
  }
  rename(access.graph);
  if (access.reader) rename(access.reader->graph);
  return access;
}

}  // namespace selvage::oracle
