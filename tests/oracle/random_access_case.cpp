// Vector accesses and buffers with holes; and how a case is spoilt.
#include "tests/oracle/random_access_case.h"

#include <algorithm>
#include <utility>

#include "tests/oracle/arithmetic.h"
#include "tests/oracle/draws.h"
#include "tests/oracle/random_pieces.h"
#include "tests/oracle/steps.h"

namespace selvage::oracle {

AccessCase near_miss(std::mt19937_64& rng, const AccessCase& access) {
  const std::vector<Number> all = numbers(access);
  for (int attempt = 0; attempt < 50; ++attempt) {
    const Number& n = pick(rng, all);
    const std::int64_t value = get(access, n);
    std::int64_t other = value;
    switch (draw(rng, 0, 5)) {
      case 0:
      case 1: other = value + 1; break;
      case 2: other = value - 1; break;
      case 3: other = value * 2; break;
      case 4: other = value / 2; break;
      default: other = value + draw(rng, -4, 4); break;
    }
    if (n.kind == Number::Align) other = std::int64_t{1} << draw(rng, 0, 5);
    if (other == value) continue;
    if (auto changed = with(access, n, other)) return *changed;
  }
  return access;
}

AccessCase spoilt(std::mt19937_64& rng, AccessCase access,
                  const std::function<bool(const AccessCase&)>& is_legal) {
  const std::int64_t way = draw(rng, 0, 3);
  if (way == 0) return access;
  AccessCase changed = near_miss(rng, access);
  for (int more = way == 1 ? 0 : 4; more > 0 && is_legal(changed); --more)
    changed = near_miss(rng, access);
  return changed;
}

void cut_up_leaves(std::mt19937_64& rng, Graph& g, const std::vector<int>& keep, int steps) {
  for (int k = 0; k < steps; ++k) {
    std::vector<int> free;
    for (int x : g.loop)
      if (std::find(keep.begin(), keep.end(), x) == keep.end()) free.push_back(x);
    if (free.empty() || g.extents.size() + 2 > kMaxIterdomains) return;
    shuffle(rng, free);
    const std::int64_t n = g.extents[free[0]];
    Graph h = g;
    switch (draw(rng, 0, 6)) {
      case 0:
      case 1: split_by(h, free[0], draw(rng, 1, std::max<std::int64_t>(2, n / 2 + 1))); break;
      case 2: outer_split_by(h, free[0], draw(rng, 1, std::max<std::int64_t>(2, n / 2 + 1))); break;
      case 3:
        if (n > 2) resize_of(h, free[0], draw(rng, -1, 2), draw(rng, -1, 2));
        break;
      case 4:
        if (free.size() > 1) merge_of(h, free[0], free[1]);
        break;
      case 5:
        if (free.size() > 1 && is_legal_xor(n, h.extents[free[1]]))
          swizzle_of(h, Step::Xor, free[0], free[1]);
        break;
      default:
        if (free.size() > 1) swizzle_of(h, Step::CyclicShift, free[0], free[1]);
        break;
    }
    if (loop_points(h) <= kMostRandomPoints) g = std::move(h);
  }
}

void bind_at_random(std::mt19937_64& rng, const Graph& g, Binding& binding) {
  const std::vector<Role> roles = {Role::BlockX, Role::ThreadX, Role::BlockY, Role::ThreadY,
                                   Role::Unroll};
  for (Role role : roles) {
    const int x = pick(rng, g.loop);
    const bool is_thread = role == Role::ThreadX || role == Role::ThreadY;
    if (binding.count(x) == 0 && chance(rng, 2) && (!is_thread || g.extents[x] <= 32))
      binding[x] = role;
  }
}

namespace {

// Width in elements of an access of 2 to 16 bytes.
std::int64_t draw_width(std::mt19937_64& rng, std::int64_t element_bytes) {
  std::vector<std::int64_t> widths;
  for (std::int64_t bytes : {2, 4, 8, 16})
    if (bytes >= element_bytes) widths.push_back(bytes / element_bytes);
  // Of 1, only a few.
  const std::int64_t width = pick(rng, widths);
  return width == 1 && !chance(rng, 4) ? widths.back() : width;
}

std::int64_t round_up(std::int64_t n, std::int64_t multiple) {
  return ceil_div(n, multiple) * multiple;
}

// A tensor whose `run` innermost axes are contiguous; the distances outside of them, and the
// product of the run where something is left of it, are multiples of w.
struct Run {
  std::vector<std::int64_t> extents, strides;
  std::size_t first = 0;  // axis of the run
};
Run draw_run(std::mt19937_64& rng, std::int64_t w) {
  Run r;
  const std::int64_t axes = draw(rng, 1, 4);
  const std::int64_t most = axes == 1 ? 200 : axes == 2 ? 40 : axes == 3 ? 12 : 6;
  r.first = static_cast<std::size_t>(draw(rng, 0, axes - 1));
  for (std::int64_t k = 0; k < axes; ++k)
    r.extents.push_back(chance(rng, 5) ? 1 : draw(rng, 2, most));
  bool alone = true;
  for (std::size_t k = 0; k < r.first; ++k) alone = alone && r.extents[k] == 1;
  if (!alone || chance(rng, 2)) {
    // Factors of w in any of the axes, in one of them or here and there.
    const bool together = chance(rng, 2);
    std::size_t axis =
        static_cast<std::size_t>(draw(rng, static_cast<std::int64_t>(r.first), axes - 1));
    for (std::size_t k = r.first; k < r.extents.size(); ++k)
      r.extents[k] = std::max<std::int64_t>(1, r.extents[k] / (together ? 4 : 2));
    for (std::int64_t f = 1; f < w; f *= 2) {
      if (!together)
        axis = static_cast<std::size_t>(draw(rng, static_cast<std::int64_t>(r.first), axes - 1));
      r.extents[axis] *= 2;
    }
  }
  r.strides.assign(r.extents.size(), 1);
  std::int64_t next = 1;
  for (std::size_t k = r.extents.size(); k-- > 0;) {
    if (k < r.first) next = round_up(next, w) + (chance(rng, 2) ? w * draw(rng, 1, 4) : 0);
    r.strides[k] = next;
    if (r.extents[k] > 1) next *= r.extents[k];
    // An axis of extent 1 may have any stride at all.
    if (r.extents[k] == 1 && chance(rng, 3)) r.strides[k] = draw(rng, 1, 100);
  }
  return r;
}

// Neighbours merged, in any order of merges: the axes from `first` to the last.
int merge_neighbours(std::mt19937_64& rng, Graph& g, std::size_t first) {
  std::vector<int> axes(g.logical.begin() + static_cast<std::ptrdiff_t>(first), g.logical.end());
  while (axes.size() > 1) {
    const auto k =
        static_cast<std::size_t>(draw(rng, 0, static_cast<std::int64_t>(axes.size()) - 2));
    axes[k] = merge_of(g, axes[k], axes[k + 1]);
    axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(k) + 1);
  }
  return axes[0];
}

// Any leaf split by w, in any graph, over any layout.
AccessCase any_vector_case(std::mt19937_64& rng, std::int64_t element_bytes, std::int64_t w) {
  AccessCase c;
  const bool view = chance(rng, 2);
  const Limits limits{.max_logical = 3, .max_extent = 24, .max_transforms = 3, .max_points = 2'000};
  c.graph = view ? random_view_graph(rng, limits) : random_graph(rng, limits);
  const int vector = split_by(c.graph, pick(rng, c.graph.loop), w).inner;
  c.binding[vector] = Role::Vector;
  const std::vector<int> roots = root(c.graph);
  c.layout = dense_layout(c.graph, view && chance(rng, 2) ? roots : c.graph.logical, element_bytes);
  if (chance(rng, 2)) {
    const auto k = static_cast<std::size_t>(
        draw(rng, 0, static_cast<std::int64_t>(c.layout.strides.size()) - 1));
    for (std::size_t j = 0; j <= k; ++j) c.layout.strides[j] = round_up(c.layout.strides[j], w) + w;
  }
  return c;
}

}  // namespace

AccessCase random_vector_case(std::mt19937_64& rng) {
  const std::int64_t element_bytes = std::int64_t{1} << draw(rng, 0, 3);
  const std::int64_t w = draw_width(rng, element_bytes);
  if (chance(rng, 8)) return any_vector_case(rng, element_bytes, w);
  AccessCase c;
  const Run run = draw_run(rng, w);
  Graph& g = c.graph = make_graph(run.extents);
  c.layout = {g.logical, run.strides, element_bytes};
  if (chance(rng, 4)) c.layout.align = std::int64_t{1} << draw(rng, 0, 6);

  // From the run outwards or from inside the run; past it only multiples of w meet.
  const auto axes = static_cast<std::int64_t>(run.extents.size());
  const auto first = static_cast<std::size_t>(chance(rng, 2) ? static_cast<std::int64_t>(run.first)
                                                             : draw(rng, 0, axes - 1));
  int x = merge_neighbours(rng, g, first);
  if (chance(rng, 6) && g.extents[x] > w + 1)
    x = resize_of(g, x, w * draw(rng, -1, 1), draw(rng, -1, 2));
  if (chance(rng, 3)) x = split_by(g, x, w * draw(rng, 1, 8)).inner;
  const bool outer = chance(rng, 4) && g.extents[x] % w == 0;
  const OuterInner cut = outer ? outer_split_by(g, x, g.extents[x] / w) : split_by(g, x, w);
  const std::vector<int> keep = {cut.inner};
  c.binding[cut.inner] = Role::Vector;
  cut_up_leaves(rng, g, chance(rng, 16) ? std::vector<int>{} : keep,
                static_cast<int>(draw(rng, 0, 3)));
  if (std::find(g.loop.begin(), g.loop.end(), cut.inner) == g.loop.end()) {
    c.binding = {{g.loop.back(), Role::Vector}};  // a swizzle or the like took the vector with it
  }
  if (loop_points(g) > 2 * kMostRandomPoints) return random_vector_case(rng);
  shuffle(rng, g.loop);
  bind_at_random(rng, g, c.binding);
  return spoilt(rng, c, [](const AccessCase& d) { return vector_access(d).legal(); });
}

AccessCase random_fill_case(std::mt19937_64& rng) {
  AccessCase c;
  c.is_shared = true;
  std::vector<std::int64_t> extents;
  const std::int64_t axes = draw(rng, 1, 3);
  for (std::int64_t k = 0; k < axes; ++k)
    extents.push_back(draw(rng, 1, axes == 1 ? 40 : axes == 2 ? 14 : 7));
  Graph base = make_graph(extents);
  for (std::int64_t k = draw(rng, 0, 3); k > 0; --k) {
    const int x = pick(rng, base.loop);
    const std::int64_t n = base.extents[x];
    switch (draw(rng, 0, 3)) {
      case 0: split_by(base, x, draw(rng, 1, n)); break;
      case 1: outer_split_by(base, x, draw(rng, 1, n)); break;
      case 2: resize_of(base, x, draw(rng, 0, 2), draw(rng, 0, 3)); break;
      default:
        if (base.loop.size() > 1 && base.loop[0] != x) merge_of(base, base.loop[0], x);
        break;
    }
  }
  if (loop_points(base) > kMostRandomPoints) return random_fill_case(rng);
  c.base_steps = static_cast<int>(base.steps.size());
  std::vector<int> allocation = base.loop;
  if (chance(rng, 3)) shuffle(rng, allocation);
  c.layout = dense_layout(base, allocation, std::int64_t{1} << draw(rng, 0, 3));
  if (chance(rng, 4)) {  // padding: holes between the rows
    const std::int64_t more = draw(rng, 1, 4);
    for (std::size_t k = 0; k + 1 < allocation.size(); ++k) c.layout.strides[k] += more;
  }

  c.graph = base;
  cut_up_leaves(rng, c.graph, {}, static_cast<int>(draw(rng, 0, 2)));
  AccessCase::Reader reader{base, {}, chance(rng, 3)};
  reader.graph.view_steps = c.base_steps;
  if (chance(rng, 2)) reader.graph.loop = reader.graph.logical;
  if (chance(rng, 3)) {
    reader.graph = c.graph;  // the writer's own loops
    reader.graph.view_steps = c.base_steps;
  } else {
    cut_up_leaves(rng, reader.graph, {}, static_cast<int>(draw(rng, 0, 3)));
  }
  shuffle(rng, c.graph.loop);
  shuffle(rng, reader.graph.loop);
  c.reader = std::move(reader);
  c.asks_fill = chance(rng, 2);
  const AccessCase drawn =
      spoilt(rng, c, [](const AccessCase& d) { return !fills(d).needs_initialisation(); });
  return repeats_base(drawn) ? random_fill_case(rng) : drawn;
}

}  // namespace selvage::oracle
