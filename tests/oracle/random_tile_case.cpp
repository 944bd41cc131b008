// Tiles in shared memory that two loop nests go through; and tiles that TMA copies.
#include <algorithm>
#include <utility>

#include "tests/oracle/arithmetic.h"
#include "tests/oracle/draws.h"
#include "tests/oracle/random_access_case.h"
#include "tests/oracle/random_pieces.h"
#include "tests/oracle/steps.h"

namespace selvage::oracle {

namespace {

// The loops but the vector, the first of them for x and the second for y, as far as a block goes.
void bind_threads(const Graph& g, const std::vector<int>& order, Binding& binding) {
  const Role roles[] = {Role::ThreadX, Role::ThreadY};
  std::int64_t threads = 1;
  for (std::size_t k = 0; k < 2 && k < order.size(); ++k) {
    threads *= g.extents[order[k]];
    if (threads <= 1024) binding[order[k]] = roles[k];
  }
}

std::int64_t draw_vector(std::mt19937_64& rng, std::int64_t element_bytes) {
  const std::int64_t bytes = pick(rng, std::vector<std::int64_t>{4, 8, 16});
  return chance(rng, 2) ? 1 : std::max<std::int64_t>(1, bytes / element_bytes);
}

// Rows and columns permuted within the rows: columns in pieces of `piece`, rows in periods of as
// many as a row has pieces. The allocation iterdomains.
std::vector<int> swizzle_tile(Graph& g, Step::Kind kind, std::int64_t piece) {
  int row = g.logical[0], column = g.logical[1];
  std::vector<int> allocation;
  int lane = -1;
  if (piece > 1) {
    const OuterInner cut = split_by(g, column, piece);
    column = cut.outer;
    lane = cut.inner;
  }
  if (g.extents[row] > g.extents[column]) {
    const OuterInner cut = split_by(g, row, g.extents[column]);
    allocation.push_back(cut.outer);
    row = cut.inner;
  }
  if (kind == Step::CyclicShift || is_legal_xor(g.extents[row], g.extents[column])) {
    const OuterInner swizzled = swizzle_of(g, kind, row, column);
    row = swizzled.outer;
    column = swizzled.inner;
  }
  allocation.insert(allocation.end(), {row, column});
  if (lane >= 0) allocation.push_back(lane);
  return allocation;
}

// Cuts `x` by the vector, binds that, and gives what is left of x.
int vectorized(Graph& g, int x, std::int64_t w, Binding& binding) {
  if (w == 1) return x;
  const OuterInner cut = split_by(g, x, w);
  binding[cut.inner] = Role::Vector;
  return cut.outer;
}

AccessCase any_bank_case(std::mt19937_64& rng, std::int64_t element_bytes) {
  AccessCase c;
  c.graph = random_graph(
      rng, {.max_logical = 3, .max_extent = 33, .max_transforms = 4, .max_points = 3'000});
  c.layout = dense_layout(c.graph, c.graph.logical, element_bytes);
  for (std::int64_t& stride : c.layout.strides)
    if (chance(rng, 4)) stride += draw(rng, 1, 8);
  std::vector<int> order = c.graph.loop;
  shuffle(rng, order);
  bind_threads(c.graph, order, c.binding);
  return c;
}

}  // namespace

AccessCase random_bank_case(std::mt19937_64& rng) {
  const std::int64_t element_bytes = pick(rng, std::vector<std::int64_t>{1, 2, 4, 4, 4, 8});
  AccessCase c;
  if (chance(rng, 8)) {
    c = any_bank_case(rng, element_bytes);
    c.is_shared = true;
    return c;
  }
  c.is_shared = true;
  const std::vector<std::int64_t> sizes = {4, 8, 16, 24, 32, 32, 32, 33, 40, 64};
  const std::int64_t rows = pick(rng, sizes), columns = pick(rng, sizes);
  Graph& g = c.graph = make_graph({rows, columns});
  const std::int64_t style = draw(rng, 0, 2);
  const std::int64_t piece = std::int64_t{1} << draw(rng, 0, 3);
  std::vector<int> allocation = g.logical;
  if (style > 0)
    allocation = swizzle_tile(g, style == 1 ? Step::Xor : Step::CyclicShift,
                              columns % piece == 0 ? piece : 1);
  c.base_steps = static_cast<int>(g.steps.size());
  c.layout = dense_layout(g, allocation, element_bytes);
  if (style == 0) c.layout.strides[0] += pick(rng, std::vector<std::int64_t>{0, 1, 1, 2, 4, 8});

  // The writer goes along the rows, as the tile lies in memory.
  AccessCase::Reader reader{g, {}, true};
  int last = vectorized(g, allocation.back(), draw_vector(rng, element_bytes), c.binding);
  std::vector<int> order = {last};
  for (std::size_t k = allocation.size() - 1; k-- > 0;) order.push_back(allocation[k]);
  if (allocation.size() > 2 && chance(rng, 2)) {  // one thread index along the whole row
    order = {merge_of(g, order[1], order[0])};
    for (std::size_t k = allocation.size() - 2; k-- > 0;) order.push_back(allocation[k]);
  }
  bind_threads(g, order, c.binding);

  // The reader goes down the columns, or along the rows like the writer.
  Graph& h = reader.graph;
  h.view_steps = c.base_steps;
  h.loop = h.logical;
  last = vectorized(h, h.logical[1], draw_vector(rng, element_bytes), reader.binding);
  order = {h.logical[0], last};
  if (chance(rng, 4)) std::swap(order[0], order[1]);
  bind_threads(h, order, reader.binding);
  c.reader = std::move(reader);
  return chance(rng, 2) ? near_miss(rng, c) : c;
}

namespace {

// What is bound of one dimension of a tensor map.
struct Tile {
  Graph& g;
  std::vector<int> bulk;  // outer to inner
  std::int64_t elements = 1;
};

// One dimension over iterdomain x, whose contiguous axis is `axis`: whole, by boxes, by boxes and
// an element stride, or stepped through. `unit`: how many elements the innermost box comes in.
TmaDim draw_dimension(std::mt19937_64& rng, Tile& tile, int x, int axis, std::int64_t unit,
                      bool innermost) {
  TmaDim dim{x, axis};
  Graph& g = tile.g;
  const std::int64_t n = g.extents[x];
  const bool may_be_whole = n % unit == 0 && n <= 256 && tile.elements * n <= 1024;
  const std::int64_t way = draw(rng, 0, innermost ? 1 : 4);
  if (way == 0 && may_be_whole) {
    dim.box = x;
    tile.bulk.push_back(x);
    tile.elements *= n;
    return dim;
  }
  if (way == 4 && !innermost) return dim;  // stepped through by its own loop
  const std::int64_t box =
      unit * draw(rng, 1, std::max<std::int64_t>(1, std::min(n, n / unit + 1)));
  const OuterInner cut = split_by(g, x, box);
  dim.box = cut.inner;
  int bulk = cut.inner;
  if (way >= 2 && !innermost) {
    std::vector<std::int64_t> divisors;
    for (std::int64_t d = 1; d <= 8; ++d)
      if (box % d == 0) divisors.push_back(d);
    const std::int64_t e = chance(rng, 2) ? pick(rng, divisors) : draw(rng, 1, 8);
    const OuterInner steps = split_by(g, cut.inner, e);
    dim.step = steps.inner;
    bulk = steps.outer;
  }
  tile.bulk.push_back(bulk);
  tile.elements *= g.extents[bulk];
  return dim;
}

}  // namespace

AccessCase random_tma_case(std::mt19937_64& rng) {
  AccessCase c;
  const std::int64_t element_bytes = std::int64_t{1} << draw(rng, 0, 3);
  const std::int64_t unit = 16 / element_bytes;
  const std::int64_t axes = draw(rng, 1, 4);
  std::vector<std::int64_t> extents, strides(static_cast<std::size_t>(axes));
  for (std::int64_t k = 0; k < axes; ++k)
    extents.push_back(chance(rng, 8) ? 1 : draw(rng, 2, axes < 3 ? 40 : 10));
  if (chance(rng, 2)) extents.back() = unit * draw(rng, 1, 3);
  std::int64_t next = 1;
  for (std::size_t k = strides.size(); k-- > 0;) {
    if (k + 1 < strides.size()) {
      next = ceil_div(next, unit) * unit;
      if (chance(rng, 4)) next += unit * draw(rng, 1, 3);
    }
    strides[k] = next;
    next *= extents[k];
  }
  Graph& g = c.graph = make_graph(extents);
  c.layout = {g.logical, strides, element_bytes};

  Tile tile{g, {}};
  for (std::size_t k = 0; k < extents.size(); ++k) {
    const std::size_t rest = extents.size() - k;
    const bool contiguous = rest > 1 && strides[k] == strides[k + 1] * extents[k + 1];
    if (rest > 1 && (contiguous ? chance(rng, 2) : chance(rng, 24))) {
      // Two axes are one dimension.
      const int x = merge_of(g, g.logical[k], g.logical[k + 1]);
      const bool innermost = rest == 2;
      c.tma.push_back(
          draw_dimension(rng, tile, x, g.logical[k + 1], innermost ? unit : 1, innermost));
      ++k;
    } else if (rest > 1 && chance(rng, 6)) {
      // Two dimensions under one loop, cut by a box that divides the inner one.
      const std::int64_t box = rest == 2 ? unit : draw(rng, 1, 4);
      if (extents[k + 1] % box != 0 && !chance(rng, 4)) return random_tma_case(rng);
      const int x = merge_of(g, g.logical[k], g.logical[k + 1]);
      const int bulk = split_by(g, x, box).inner;
      c.tma.push_back({g.logical[k], g.logical[k]});
      c.tma.push_back({g.logical[k + 1], g.logical[k + 1], bulk});
      tile.bulk.push_back(bulk);
      tile.elements *= box;
      ++k;
    } else {
      c.tma.push_back(
          draw_dimension(rng, tile, g.logical[k], g.logical[k], rest == 1 ? unit : 1, rest == 1));
    }
  }
  if (tile.elements > 4096 || loop_points(g) > kMostRandomPoints) return random_tma_case(rng);
  for (int x : tile.bulk) c.binding[x] = Role::Bulk;
  cut_up_leaves(rng, g, tile.bulk, static_cast<int>(draw(rng, 0, 2)));
  std::vector<int> issue;
  for (int x : g.loop)
    if (c.binding.count(x) == 0) issue.push_back(x);
  shuffle(rng, issue);
  if (chance(rng, 24)) shuffle(rng, tile.bulk);
  g.loop = issue;
  g.loop.insert(g.loop.end(), tile.bulk.begin(), tile.bulk.end());
  c.asks_fill = chance(rng, 2);
  if (!issue.empty()) bind_at_random(rng, g, c.binding);
  return spoilt(rng, c, [](const AccessCase& d) {
    return tma_copy(d).weak() && broken_rules(tensor_map(d)).empty();
  });
}

}  // namespace selvage::oracle
