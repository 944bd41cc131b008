#include "tests/oracle/random_graph.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <stdexcept>
#include <utility>

#include "tests/oracle/arithmetic.h"
#include "tests/oracle/draws.h"

namespace selvage::oracle {

std::int64_t draw(std::mt19937_64& rng, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(rng() % static_cast<std::uint64_t>(high - low + 1));
}

namespace {

// What is known of an extent for all values of the symbols.
struct DrawRange {
  std::int64_t min = 1, max = 1, multiple_of = 1;
  bool known() const { return min == max; }
};

constexpr std::int64_t kMaxRange = 1'000'000'000;  // of one extent, so that products of two fit

DrawRange constant(std::int64_t n) { return {n, n, n}; }
DrawRange product(const DrawRange& a, const DrawRange& b) {
  return {a.min * b.min, a.max * b.max, a.multiple_of * b.multiple_of};
}
DrawRange quotient(const DrawRange& x, const DrawRange& factor) {  // rounded up
  const DrawRange r{ceil_div(x.min, factor.max), ceil_div(x.max, factor.min), 1};
  if (r.known()) return constant(r.min);
  const bool divides = factor.known() && x.multiple_of % factor.min == 0;
  return {r.min, r.max, divides ? x.multiple_of / factor.min : 1};
}
DrawRange range(const Symbol& s) {
  const DrawRange r{ceil_div(s.min, s.multiple_of) * s.multiple_of,
                    s.max / s.multiple_of * s.multiple_of, s.multiple_of};
  return r.known() ? constant(r.min) : r;
}

bool is_legal_xor(const DrawRange& a,
                  const DrawRange& b) {  // the power that a.max asks for is a multiple
                                         // of those that smaller extents ask for
  return b.multiple_of %
             static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(a.max))) ==
         0;
}

// One attempt at a graph, grown leaf by leaf. The number of leaves' points at the smallest values
// stays within max_points.
class Builder {
 public:
  Builder(std::mt19937_64& rng, const Limits& limits, bool symbolic)
      : rng_(rng), limits_(limits), symbolic_(symbolic) {
    const std::int64_t count = draw(rng_, 1, limits_.max_logical);
    // Tried again with as many roots, or those with many would be rare.
    for (int attempt = 0; attempt == 0 || (attempt < 100 && !fits()); ++attempt) draw_roots(count);
    if (symbolic_ && chance(rng_, 2)) factor_symbol();
    g_.logical = leaves_;
  }

  void view() {
    const std::int64_t count = draw(rng_, 1, limits_.max_view_steps);
    std::vector<std::vector<int>> cuts = {leaves_};
    in_view_ = true;
    for (std::int64_t k = 0; k < count; ++k)
      if (step()) cuts.push_back(leaves_);
    in_view_ = false;
    g_.view_steps = static_cast<int>(g_.steps.size());
    g_.logical = leaves_;
    if (!limits_.transforms_from_logical) leaves_ = pick(rng_, cuts);
  }

  SymbolicGraph finish() {
    const std::int64_t count =
        chance(rng_, 32) ? 0
                         : draw(rng_, std::min(1, limits_.max_transforms), limits_.max_transforms);
    for (std::int64_t k = 0; k < count; ++k) step();
    shuffle(rng_, leaves_);
    g_.loop = leaves_;
    return g_;
  }

  std::int64_t points() const {  // at the smallest values; stops counting past max_points
    std::int64_t n = 1;
    for (int x : leaves_)
      if (n <= limits_.max_points) n *= extents_[x].min;
    return n;
  }

  bool fits() const {
    return points() <= (symbolic_ ? limits_.max_points / 16 : limits_.max_points);
  }

 private:
  void draw_roots(std::int64_t count) {
    g_ = {};
    extents_.clear();
    leaves_.clear();
    const std::int64_t surely_symbolic = draw(rng_, 0, count - 1);
    for (std::int64_t k = 0; k < count; ++k) {
      if (symbolic_ && (k == surely_symbolic || chance(rng_, 2))) {
        const bool shared = chance(rng_, 5) && !g_.symbols.empty();
        const std::string name = shared ? pick(rng_, g_.symbols).name : extent_symbol();
        const int id = add(range(symbol(name)));
        g_.root_extents[id] = name;
      } else {
        const std::int64_t n = extent();
        const int id = add(constant(n));
        g_.root_extents[id] = n;
      }
    }
  }

  int add(const DrawRange& extent) {
    const int id = static_cast<int>(extents_.size());
    extents_.push_back(extent);
    g_.names.push_back("I" + std::to_string(id));
    leaves_.push_back(id);
    return id;
  }

  std::int64_t extent() {
    const std::int64_t most = limits_.max_extent;
    const std::int64_t way = draw(rng_, 0, 9);
    if (way == 0) return 1;
    if (way == 1) return std::min(most, draw(rng_, 2, 8));
    if (way == 2) return std::min(most, std::int64_t{1} << draw(rng_, 1, 6));
    return draw(rng_, 1, most);
  }

  const Symbol& symbol(const std::string& name) const {
    return *std::find_if(g_.symbols.begin(), g_.symbols.end(),
                         [&](const Symbol& s) { return s.name == name; });
  }
  std::string extent_symbol() {
    Symbol s{"N" + std::to_string(g_.symbols.size()), 1, limits_.max_extent,
             std::int64_t{1} << draw(rng_, 0, 3)};
    if (limits_.max_extent >= 17 && chance(rng_, 4)) s.min = draw(rng_, 1, 16);
    if (limits_.max_extent >= 17 && chance(rng_, 4)) s.max = draw(rng_, 17, limits_.max_extent);
    if (range(s).min > range(s).max) s.multiple_of = 1;
    g_.symbols.push_back(s);
    return s.name;
  }
  void factor_symbol() {
    Symbol s{"F" + std::to_string(g_.symbols.size()), 1, draw(rng_, 4, 16),
             std::int64_t{1} << draw(rng_, 0, 2)};
    if (chance(rng_, 3)) s.min = draw(rng_, 1, s.max);
    if (range(s).min > range(s).max) s.multiple_of = 1;
    g_.symbols.push_back(s);
  }

  // Dividing for sure, 1, small, or anything up to past the extent. Before the logical domain:
  // dividing for sure.
  Size factor(const DrawRange& x) {
    if (symbolic_ && !in_view_ && chance(rng_, 3)) return pick(rng_, g_.symbols).name;
    const std::int64_t way = in_view_ ? 0 : draw(rng_, 0, 7);
    if (way <= 1) {
      std::vector<std::int64_t> divisors;
      for (std::int64_t d = 1; d * d <= x.multiple_of; ++d)
        if (x.multiple_of % d == 0) divisors.insert(divisors.end(), {d, x.multiple_of / d});
      return pick(rng_, divisors);
    }
    if (way == 2) return 1;
    if (way <= 5) return draw(rng_, 2, 8);
    const std::int64_t n = std::min<std::int64_t>(draw(rng_, x.min, x.max), 1000);
    return draw(rng_, 1, n + n / 2 + 2);
  }
  DrawRange range_of(const Size& size) const {
    return size.is_symbol() ? range(symbol(size.symbol)) : constant(size.number);
  }

  // One more step, of a kind and at leaves drawn at random; false where none of a few draws is
  // legal and within max_points.
  bool step() {
    for (int attempt = 0; attempt < 20; ++attempt) {
      SymbolicStep s;
      std::vector<DrawRange> out;
      const std::int64_t kind = draw(rng_, 0, 11);
      std::vector<int> order = leaves_;
      shuffle(rng_, order);
      const DrawRange& x = extents_[order[0]];
      if (kind <= 4) {
        s.kind = kind <= 2 ? Step::Split : Step::OuterSplit;
        s.factor = factor(x);
        out = {quotient(x, range_of(s.factor)), range_of(s.factor)};
        if (s.kind == Step::OuterSplit) std::swap(out[0], out[1]);
        s.in = {order[0]};
      } else if (kind <= 6) {
        if (order.size() < 2) continue;
        s.kind = Step::Merge;
        s.in = {order[0], order[1]};
        out = {product(x, extents_[order[1]])};
      } else if (kind <= 8) {
        if (in_view_ && !limits_.view_resizes) continue;
        s.kind = Step::Resize;
        s.in = {order[0]};
        s.left = draw(rng_, -limits_.max_resize, limits_.max_resize);
        s.right = draw(rng_, -limits_.max_resize, limits_.max_resize);
        const std::int64_t more = s.left + s.right;
        if (x.min + more < 1) continue;
        out = {x.known() ? constant(x.min + more)
                         : DrawRange{x.min + more, x.max + more, more == 0 ? x.multiple_of : 1}};
      } else if (kind == 9) {
        std::vector<std::vector<int>> legal;
        for (int a : order)
          for (int b : order)
            if (a != b && is_legal_xor(extents_[a], extents_[b])) legal.push_back({a, b});
        if (legal.empty()) continue;
        s.kind = Step::Xor;
        s.in = pick(rng_, legal);
        out = {extents_[s.in[0]], extents_[s.in[1]]};
      } else if (kind == 10) {
        if (order.size() < 2 || in_view_) continue;
        s.kind = Step::Skew;
        s.in = {order[0]};
        s.along = order[1];
        s.factor = draw(rng_, 1, 8);
        s.by = draw(rng_, 0, 20);
        const std::int64_t more = s.factor.number - 1;
        out = {x.known() ? constant(x.min + more)
                         : DrawRange{x.min + more, x.max + more, more == 0 ? x.multiple_of : 1}};
      } else {
        if (order.size() < 2) continue;
        const DrawRange& y = extents_[order[1]];
        const bool is_curve = y.known() && y.min > 1 && y.min <= 32 &&
                              std::has_single_bit(std::uint64_t(y.min)) &&
                              x.multiple_of % y.min == 0;
        s.kind = is_curve ? Step::Hilbert : Step::CyclicShift;
        s.in = {order[0], order[1]};
        out = {x, y};
      }
      if (extents_.size() + out.size() > kMaxIterdomains) return false;
      if (std::any_of(out.begin(), out.end(), [](const DrawRange& r) { return r.max > kMaxRange; }))
        continue;
      const std::vector<int> before = leaves_;
      const std::size_t size = extents_.size();
      std::erase_if(leaves_,
                    [&s](int id) { return std::count(s.in.begin(), s.in.end(), id) != 0; });
      for (const DrawRange& r : out) s.out.push_back(add(r));
      if (fits()) {
        g_.steps.push_back(s);
        return true;
      }
      leaves_ = before;
      extents_.resize(size);
      g_.names.resize(size);
    }
    return false;
  }

  std::mt19937_64& rng_;
  const Limits& limits_;
  bool symbolic_, in_view_ = false;
  SymbolicGraph g_;
  std::vector<DrawRange> extents_;
  std::vector<int> leaves_;
};

Graph random_known(std::mt19937_64& rng, const Limits& limits, bool with_view) {
  for (int attempt = 0; attempt < 1'000'000; ++attempt) {
    Builder builder(rng, limits, false);
    if (!builder.fits()) continue;
    if (with_view) builder.view();
    const SymbolicGraph g = builder.finish();
    if (with_view && g.view_steps == 0) continue;
    if (builder.points() >= limits.min_points && builder.fits()) return instantiate(g, {});
  }
  throw std::invalid_argument("random graph: nothing meets the limits");
}

}  // namespace

Graph random_graph(std::mt19937_64& rng, const Limits& limits) {
  return random_known(rng, limits, false);
}
Graph random_view_graph(std::mt19937_64& rng, const Limits& limits) {
  return random_known(rng, limits, true);
}

SymbolicGraph random_symbolic_graph(std::mt19937_64& rng, const Limits& limits) {
  for (int attempt = 0; attempt < 1'000'000; ++attempt) {
    Builder builder(rng, limits, true);
    if (!builder.fits()) continue;
    return builder.finish();
  }
  throw std::invalid_argument("random graph: nothing meets the limits");
}

bool meets_facts(const SymbolicGraph& graph, const Values& values) {
  return std::all_of(graph.symbols.begin(), graph.symbols.end(), [&values](const Symbol& s) {
    const auto v = values.find(s.name);
    return v != values.end() && s.min <= v->second && v->second <= s.max &&
           v->second % s.multiple_of == 0;
  });
}

Graph instantiate(const SymbolicGraph& graph, const Values& values) {
  const auto value = [&values](const Size& size) {
    return size.is_symbol() ? values.at(size.symbol) : size.number;
  };
  Graph g;
  g.names = graph.names;
  g.logical = graph.logical;
  g.loop = graph.loop;
  g.view_steps = graph.view_steps;
  g.extents.resize(graph.names.size(), 0);
  for (const auto& [id, size] : graph.root_extents) g.extents[id] = value(size);
  for (const SymbolicStep& s : graph.steps)
    g.steps.push_back({s.kind, s.in, s.out, value(s.factor), s.left, s.right, s.along, s.by});
  if (!derive_extents(g))
    throw std::invalid_argument("instantiate: a step is illegal at these values");
  return g;
}

std::vector<Values> sample_values(std::mt19937_64& rng, const SymbolicGraph& graph, int count,
                                  std::int64_t max_points) {
  std::vector<Values> samples;
  const auto take = [&](const Values& v) {
    const Graph g = instantiate(graph, v);
    std::int64_t points = 1;  // stops counting past max_points: the product itself may not fit
    for (int x : g.loop)
      if (points <= max_points) points *= g.extents[x];
    if (points <= max_points && std::find(samples.begin(), samples.end(), v) == samples.end())
      samples.push_back(v);
  };
  Values smallest;
  for (const Symbol& s : graph.symbols) smallest[s.name] = range(s).min;
  take(smallest);
  for (int attempt = 0; attempt < 20 * count && static_cast<int>(samples.size()) < count;
       ++attempt) {
    Values v;
    const bool small = attempt % 2 == 0;
    for (const Symbol& s : graph.symbols) {
      const std::int64_t first = range(s).min / s.multiple_of, last = range(s).max / s.multiple_of;
      v[s.name] = draw(rng, first, small ? std::min(last, first + 7) : last) * s.multiple_of;
    }
    take(v);
  }
  return samples;
}

namespace {

std::string text(const Size& size) {
  return size.is_symbol() ? size.symbol : std::to_string(size.number);
}

std::string list(const SymbolicGraph& g, const std::vector<int>& ids) {
  std::string r;
  for (int x : ids) r += (r.empty() ? "" : ", ") + g.names[x];
  return "[" + r + "]";
}

std::string roots(const SymbolicGraph& g, const std::vector<int>& ids) {
  std::string r;
  for (int x : ids) r += (r.empty() ? "" : ", ") + g.names[x] + ": " + text(g.root_extents.at(x));
  return "{" + r + "}";
}

std::string entry(const SymbolicGraph& g, const SymbolicStep& s) {
  const std::string in = g.names[s.in[0]], out = g.names[s.out[0]], ins = list(g, s.in),
                    outs = list(g, s.out);
  switch (s.kind) {
    case Step::Split:
      return "split: {in: " + in + ", factor: " + text(s.factor) + ", out: " + outs + "}";
    case Step::OuterSplit:
      return "split: {in: " + in + ", factor: " + text(s.factor) + ", out: " + outs +
             ", inner: false}";
    case Step::Merge: return "merge: {in: " + ins + ", out: " + out + "}";
    case Step::Resize:
      return "resize: {in: " + in + ", left: " + std::to_string(s.left) +
             ", right: " + std::to_string(s.right) + ", out: " + out + "}";
    case Step::Xor: return "swizzle: {kind: xor, in: " + ins + ", out: " + outs + "}";
    case Step::CyclicShift:
      return "swizzle: {kind: cyclic_shift, in: " + ins + ", out: " + outs + "}";
    case Step::Hilbert: return "swizzle: {kind: hilbert, in: " + ins + ", out: " + outs + "}";
    case Step::Skew:
      return "skew: {in: " + in + ", along: " + g.names[*s.along] +
             ", by: " + std::to_string(s.by) + ", modulo: " + text(s.factor) + ", out: " + out +
             "}";
  }
  return "";
}

}  // namespace

std::string to_yaml(const SymbolicGraph& graph) {
  std::string r;
  if (!graph.symbols.empty()) r += "symbols:\n";
  for (const Symbol& s : graph.symbols) {
    r += "  " + s.name + ": {min: " + std::to_string(s.min) + ", max: " + std::to_string(s.max) +
         ", multiple_of: " + std::to_string(s.multiple_of) + "}\n";
  }
  r += "tensors:\n  T0:\n    dtype: float\n";
  const auto steps = [&](const char* key, std::size_t begin, std::size_t end) {
    if (begin < end) r += std::string("    ") + key + ":\n";
    for (std::size_t k = begin; k < end; ++k) r += "      - " + entry(graph, graph.steps[k]) + "\n";
  };
  const std::size_t view_steps = static_cast<std::size_t>(graph.view_steps);
  if (view_steps == 0) {
    r += "    logical: " + roots(graph, graph.logical) + "\n";
  } else {
    std::vector<int> ids;
    for (const auto& [id, size] : graph.root_extents) ids.push_back(id);
    r += "    root: " + roots(graph, ids) + "\n";
    steps("view", 0, view_steps);
    r += "    logical: " + list(graph, graph.logical) + "\n";
  }
  steps("transforms", view_steps, graph.steps.size());
  return r + "    loop: " + list(graph, graph.loop) + "\n";
}

std::string to_yaml(const Graph& graph, const Step& step) {
  SymbolicGraph g;
  g.names = graph.names;
  return entry(
      g, {step.kind, step.in, step.out, step.factor, step.left, step.right, step.along, step.by});
}

std::string to_yaml(const Graph& graph) {
  SymbolicGraph g;
  g.names = graph.names;
  g.logical = graph.logical;
  g.loop = graph.loop;
  g.view_steps = graph.view_steps;
  for (int x : root(graph)) g.root_extents[x] = graph.extents[x];
  for (const Step& s : graph.steps)
    g.steps.push_back({s.kind, s.in, s.out, s.factor, s.left, s.right, s.along, s.by});
  return to_yaml(g);
}

}  // namespace selvage::oracle
