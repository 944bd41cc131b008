#include "tests/oracle/access_case.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "tests/oracle/random_graph.h"

namespace selvage::oracle {

namespace {

bool is_among(const std::vector<int>& ids, int x) {
  return std::find(ids.begin(), ids.end(), x) != ids.end();
}

bool is_same(const Step& a, const Step& b) {
  return a.kind == b.kind && a.in == b.in && a.out == b.out && a.factor == b.factor &&
         a.left == b.left && a.right == b.right;
}

bool has_fair_size(const Graph& g, std::int64_t max_points) {
  try {
    return loop_points(g) <= max_points && loop_points(over_items(g)) <= max_points;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

// Do all of `wanted` follow from `from`?
bool follow(const Graph& g, const std::vector<int>& from, const std::vector<int>& wanted) {
  std::uint64_t known = bits(from), before = 0;
  while (known != before) {
    before = known;
    for (const Step& s : g.steps)
      if (contains(known, bits(s.needed(s.in))) || contains(known, bits(s.needed(s.out))))
        known |= bits(s.in) | bits(s.out);
  }
  return contains(known, bits(wanted));
}

bool binds_loops(const Graph& g, const Binding& binding) {
  return std::all_of(binding.begin(), binding.end(),
                     [&](const auto& bound) { return is_among(g.loop, bound.first); });
}

bool has_same_base(const AccessCase& access) {
  const Graph &writer = access.graph, &reader = access.reader->graph;
  if (writer.view_steps != 0 || reader.view_steps != access.base_steps) return false;
  if (writer.logical != reader.logical) return false;
  for (int k = 0; k < access.base_steps; ++k)
    if (!is_same(writer.steps[k], reader.steps[k])) return false;
  const auto has = [](const Graph& g, int x) { return x < static_cast<int>(g.extents.size()); };
  return std::all_of(access.layout.allocation.begin(), access.layout.allocation.end(),
                     [&](int x) { return has(reader, x); }) &&
         std::all_of(writer.logical.begin(), writer.logical.end(), [&](int x) {
           return has(reader, x) && writer.extents[x] == reader.extents[x];
         });
}

}  // namespace

bool is_well_formed(const AccessCase& access, std::int64_t max_points) {
  const Graph& g = access.graph;
  if (!is_well_formed(g) || !has_fair_size(g, max_points)) return false;
  if (access.base_steps < 0 || access.base_steps > static_cast<int>(g.steps.size())) return false;
  const Layout& layout = access.layout;
  const auto exists = [&g](int x) { return 0 <= x && x < static_cast<int>(g.extents.size()); };
  if (layout.allocation.empty() || layout.allocation.size() != layout.strides.size()) return false;
  if (!std::all_of(layout.allocation.begin(), layout.allocation.end(), exists)) return false;
  if (std::popcount(bits(layout.allocation)) != static_cast<int>(layout.allocation.size()))
    return false;  // an iterdomain stands there twice
  Graph over_allocation = g;
  over_allocation.loop = layout.allocation;
  if (!plan(over_allocation)) return false;  // an index follows in two ways, or in none
  if (!std::all_of(layout.strides.begin(), layout.strides.end(),
                   [](std::int64_t s) { return s >= 1; }))
    return false;
  if (!follow(g, layout.allocation, g.logical)) return false;
  if (!binds_loops(g, access.binding)) return false;
  if (!std::all_of(access.tma.begin(), access.tma.end(), [&](const TmaDim& d) {
        return exists(d.iterdomain) && (d.box < 0 || exists(d.box)) &&
               (d.step < 0 || exists(d.step)) && is_among(layout.allocation, d.axis);
      }))
    return false;
  if (!access.reader) return true;
  const Graph& reader = access.reader->graph;
  return is_well_formed(reader) && has_fair_size(reader, max_points) && has_same_base(access) &&
         binds_loops(reader, access.reader->binding);
}

bool repeats_base(const AccessCase& access) {
  if (!access.reader) return false;
  const std::vector<Step>& steps = access.reader->graph.steps;
  const auto base_end = steps.begin() + access.base_steps;
  return std::any_of(base_end, steps.end(), [&](const Step& own) {
    return std::any_of(steps.begin(), base_end, [&](const Step& base) {
      return own.kind == base.kind && own.in == base.in && own.factor == base.factor &&
             own.left == base.left && own.right == base.right && own.along == base.along &&
             own.by == base.by;
    });
  });
}

VectorAccess vector_access(const AccessCase& access) {
  const int vector = bound_to(access.binding, Role::Vector);
  if (vector < 0) throw std::invalid_argument("oracle: no loop is the vector");
  return vector_access(access.graph, access.layout, vector);
}

namespace {

std::array<std::int64_t, 3> block_of(const AccessCase& access) {
  std::array<std::int64_t, 3> block = {1, 1, 1};
  const auto grow = [&block](const Graph& g, const Binding& binding) {
    const Role roles[] = {Role::ThreadX, Role::ThreadY, Role::ThreadZ};
    for (std::size_t k = 0; k < 3; ++k) {
      const int x = bound_to(binding, roles[k]);
      if (x >= 0) block[k] = std::max(block[k], g.extents[x]);
    }
  };
  grow(access.graph, access.binding);
  if (access.reader) grow(access.reader->graph, access.reader->binding);
  return block;
}

std::optional<BankConflicts> conflicts(const AccessCase& access, const Graph& graph,
                                       const Binding& binding) {
  const int vector = bound_to(binding, Role::Vector);
  const std::int64_t width = vector < 0 ? 1 : graph.extents[vector];
  if (width > 1 && !is_legal_width(width, access.layout.element_bytes)) return std::nullopt;
  return bank_conflicts(graph, access.layout, binding, block_of(access));
}

}  // namespace

std::optional<BankConflicts> store_conflicts(const AccessCase& access) {
  return conflicts(access, access.graph, access.binding);
}
std::optional<BankConflicts> load_conflicts(const AccessCase& access) {
  if (!access.reader) return store_conflicts(access);
  return conflicts(access, access.reader->graph, access.reader->binding);
}

Fills fills(const AccessCase& access) {
  if (!access.reader) throw std::invalid_argument("oracle: nobody reads the buffer");
  return fills(access.graph, access.reader->graph, access.layout, access.reader->guarded);
}

TensorMap tensor_map(const AccessCase& access) {
  return tensor_map(access.graph, access.layout, access.tma);
}
TmaCopy tma_copy(const AccessCase& access) {
  std::vector<int> coordinate_of;
  for (const TmaDim& d : access.tma) coordinate_of.push_back(d.iterdomain);
  return tma_copy(access.graph, access.layout,
                  all_bound_to(access.graph, access.binding, Role::Bulk), tensor_map(access),
                  coordinate_of);
}

std::vector<Number> numbers(const AccessCase& access) {
  std::vector<Number> r;
  for (int x : root(access.graph)) r.push_back({Number::Extent, x});
  const auto of_steps = [&r](const Graph& g, int first, bool of_reader) {
    for (int k = first; k < static_cast<int>(g.steps.size()); ++k) {
      const Step::Kind kind = g.steps[k].kind;
      if (kind == Step::Split || kind == Step::OuterSplit)
        r.push_back({Number::Factor, k, of_reader});
      if (kind == Step::Resize) {
        r.push_back({Number::Left, k, of_reader});
        r.push_back({Number::Right, k, of_reader});
      }
    }
  };
  of_steps(access.graph, 0, false);
  if (access.reader) of_steps(access.reader->graph, access.base_steps, true);
  for (int k = 0; k < static_cast<int>(access.layout.strides.size()); ++k)
    r.push_back({Number::Stride, k});
  r.push_back({Number::Align, 0});
  return r;
}

namespace {

std::int64_t& field(AccessCase& access, const Number& n) {
  Graph& g = n.of_reader ? access.reader->graph : access.graph;
  switch (n.kind) {
    case Number::Extent: return g.extents[n.index];
    case Number::Factor: return g.steps[n.index].factor;
    case Number::Left: return g.steps[n.index].left;
    case Number::Right: return g.steps[n.index].right;
    case Number::Stride: return access.layout.strides[n.index];
    case Number::Align: return access.layout.align;
  }
  throw std::invalid_argument("oracle: no such number");
}

}  // namespace

std::int64_t get(const AccessCase& access, const Number& number) {
  AccessCase copy = access;
  return field(copy, number);
}

std::optional<AccessCase> with(AccessCase access, const Number& number, std::int64_t value) {
  const Graph before = access.graph;
  field(access, number) = value;
  if (access.reader) {  // the base is common
    Graph &writer = access.graph, &reader = access.reader->graph;
    for (int x : root(writer)) reader.extents[x] = writer.extents[x];
    for (int k = 0; k < access.base_steps; ++k) reader.steps[k] = writer.steps[k];
    if (!derive_extents(reader)) return std::nullopt;
  }
  if (!derive_extents(access.graph)) return std::nullopt;
  try {
    if (access.graph.extents != before.extents)
      access.layout = relaid(access.layout, before, access.graph);
    if (!is_well_formed(access)) return std::nullopt;
    elements(access.graph, access.layout);  // fits 64 bits
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
  return access;
}

}  // namespace selvage::oracle
