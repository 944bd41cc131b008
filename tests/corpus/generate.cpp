#include "tests/corpus/generate.h"

#include <selvage/base/integer.h>
#include <selvage/expr/text.h>
#include <selvage/simplifier/interval.h>

#include <algorithm>
#include <array>
#include <optional>
#include <random>

namespace selvage::corpus {

namespace {

// The extent of an iterdomain, and the most it can be.
struct Extent {
  Expr expr;
  std::int64_t most;
};

struct Step {
  enum Kind : std::uint8_t { Split, Merge } kind;
  // Of iterdomains: x and its parts o, i, in a split and in a merge.
  std::size_t x, outer, inner;
};

// Iterdomains made from logical ones by steps; the loops are those that no step uses up.
struct Chain {
  std::vector<Extent> extents;
  std::size_t logical = 0;  // the first ones
  std::vector<Step> steps;
  std::vector<std::size_t> loops;  // outermost first
};

class Generator {
 public:
  Generator(int number, std::uint64_t seed, const Scale& scale)
      : number_(number), scale_(scale), rng_(seed * 1'000'003 + std::uint64_t(number)) {
    symbolic_ = below(10) >= 6;
    draw_logical();
  }

  void write(std::vector<Line>& lines) {
    const Chain chain = grow();
    Line start;
    for (const auto& [name, most] : parameters_) start.parameters.push_back({name, 1, most});
    std::vector<Expr> index(chain.extents.size());
    for (std::size_t k = 0; k < chain.loops.size(); ++k) {
      const std::string name = "i" + std::to_string(k);
      start.loops.emplace_back(name, to_string(chain.extents[chain.loops[k]].expr));
      index[chain.loops[k]] = pool_.symbol(name);
    }
    compute_backward(chain, index);
    for (std::size_t k = 0; k < chain.logical; ++k) add(lines, start, 'I', index[k]);
    const Expr predicate = naive_predicate(chain, index);
    if (predicate.valid()) add(lines, start, 'P', predicate);
    add_round_trips(lines, start, chain, index, predicate);
    add_another_chain(lines, start, index);
  }

 private:
  std::uint64_t below(std::uint64_t n) { return rng_() % n; }

  Extent known(std::int64_t n) { return {pool_.constant(n), n}; }

  // Sizes as people have them: powers of two, round ones, odd ones.
  std::int64_t size() {
    const std::int64_t n = usual_size();
    return scale_.size_bits == 0 ? n : n << below(scale_.size_bits + 1);
  }
  std::int64_t usual_size() {
    switch (below(5)) {
      case 0: return std::int64_t{1} << below(11);
      case 1: return 3 * (std::int64_t{1} << below(8));
      case 2: return 1 + std::int64_t(below(20));
      case 3: return 10 * (1 + std::int64_t(below(60)));
      default: return 1 + std::int64_t(below(800));
    }
  }
  std::int64_t factor() {
    if (below(2) == 0) return std::int64_t{1} << (1 + below(8));
    return 2 + std::int64_t(below(below(3) == 0 ? 60 : 8));
  }

  Extent symbol() {
    constexpr std::int64_t kMost[] = {9, 128, 1024, 4096};
    if (parameters_.empty() || below(5) != 0) {
      parameters_.emplace_back("N" + std::to_string(parameters_.size()), kMost[below(4)]);
    }
    const auto& [name, most] = parameters_[below(parameters_.size())];
    return {pool_.symbol(name), most};
  }

  void draw_logical() {
    const std::size_t rank = 1 + below(scale_.most_rank), certain = below(rank);
    for (std::size_t k = 0; k < rank; ++k) {
      const bool is_symbol = symbolic_ && (k == certain || below(2) == 0);
      logical_.push_back(is_symbol ? symbol() : known(size()));
    }
  }

  // n / f rounded up, and a * b; constants folded as a person would.
  Extent quotient(const Extent& n, const Extent& f) {
    const std::int64_t most = f.expr.is(Op::Const) ? ceil_div(n.most, f.most) : n.most;
    if (n.expr.is(Op::Const) && f.expr.is(Op::Const)) return known(most);
    if (f.expr.is(Op::Const)) return {(n.expr + (f.most - 1)) / f.expr, most};
    return {selvage::ceil_div(n.expr, f.expr), most};
  }
  std::optional<Extent> product(const Extent& a, const Extent& b) {
    const std::optional<std::int64_t> most = checked_mul(a.most, b.most);
    if (!most || *most > scale_.most_points) return std::nullopt;
    if (a.expr.is(Op::Const) && b.expr.is(Op::Const)) return known(*most);
    return Extent{a.expr * b.expr, *most};
  }

  // A fresh chain of 3 to 12 transforms over the logical iterdomains.
  Chain grow() {
    Chain chain{logical_, logical_.size(), {}, {}};
    for (std::size_t k = 0; k < logical_.size(); ++k) chain.loops.push_back(k);
    const std::size_t transforms =
        scale_.least_transforms + below(scale_.most_transforms - scale_.least_transforms + 1);
    for (std::size_t made = 0, tries = 0; made < transforms && tries < scale_.most_tries; ++tries) {
      const std::uint64_t pick = below(20);
      if (pick < 9 ? split(chain) : pick < 17 ? merge(chain) : reorder(chain)) ++made;
    }
    return chain;
  }
  bool split(Chain& chain) {
    if (chain.loops.size() >= scale_.most_axes) return false;
    const std::size_t at = below(chain.loops.size()), x = chain.loops[at];
    const Extent f = symbolic_ && below(10) == 0 ? symbol() : known(factor());
    if (chain.extents[x].most == 1 && below(4) != 0) return false;
    const Extent outer = quotient(chain.extents[x], f);
    const std::size_t o = chain.extents.size();
    chain.extents.insert(chain.extents.end(), {outer, f});
    chain.steps.push_back({Step::Split, x, o, o + 1});
    chain.loops[at] = o;
    chain.loops.insert(chain.loops.begin() + std::ptrdiff_t(at) + 1, o + 1);
    return true;
  }
  bool merge(Chain& chain) {
    if (chain.loops.size() < 2) return false;
    const std::size_t at = below(chain.loops.size() - 1);
    const std::size_t outer = chain.loops[at], inner = chain.loops[at + 1];
    const std::optional<Extent> all = product(chain.extents[outer], chain.extents[inner]);
    if (!all) return false;
    chain.steps.push_back({Step::Merge, chain.extents.size(), outer, inner});
    chain.loops[at] = chain.extents.size();
    chain.extents.push_back(*all);
    chain.loops.erase(chain.loops.begin() + std::ptrdiff_t(at) + 1);
    return true;
  }
  bool reorder(Chain& chain) {
    if (chain.loops.size() < 2) return false;
    const std::size_t a = below(chain.loops.size()), b = below(chain.loops.size());
    std::swap(chain.loops[a], chain.loops[b]);
    return a != b;
  }

  // The number from its digits, and the digits from the number.
  static void to_number(const Chain& chain, const Step& s, std::vector<Expr>& index) {
    index[s.x] = index[s.outer] * chain.extents[s.inner].expr + index[s.inner];
  }
  static void to_digits(const Chain& chain, const Step& s, std::vector<Expr>& index) {
    index[s.outer] = index[s.x] / chain.extents[s.inner].expr;
    index[s.inner] = index[s.x] % chain.extents[s.inner].expr;
  }
  static void compute_backward(const Chain& chain, std::vector<Expr>& index) {
    for (auto s = chain.steps.rbegin(); s != chain.steps.rend(); ++s) {
      if (s->kind == Step::Split) to_number(chain, *s, index);
      if (s->kind == Step::Merge) to_digits(chain, *s, index);
    }
  }
  static void compute_forward(const Chain& chain, std::vector<Expr>& index) {
    for (const Step& s : chain.steps) {
      if (s.kind == Step::Split) to_digits(chain, s, index);
      if (s.kind == Step::Merge) to_number(chain, s, index);
    }
  }

  static Expr naive_predicate(const Chain& chain, const std::vector<Expr>& index) {
    Expr all;
    for (std::size_t k = 0; k < chain.extents.size(); ++k) {
      if (std::find(chain.loops.begin(), chain.loops.end(), k) != chain.loops.end()) continue;
      const Expr one = index[k] < chain.extents[k].expr;
      all = all.valid() ? all && one : one;
    }
    return all;
  }

  void add_round_trips(std::vector<Line>& lines, const Line& start, const Chain& chain,
                       std::vector<Expr> index, Expr predicate) {
    std::vector<Expr> loops(index.size());
    for (std::size_t k : chain.loops) loops[k] = index[k];
    compute_forward(chain, index);
    for (std::size_t k : chain.loops) {
      if (same(index[k], loops[k])) continue;
      add(lines, start, 'R', index[k], predicate, "." + to_string(loops[k]));
    }
  }
  void add_another_chain(std::vector<Line>& lines, const Line& start, std::vector<Expr> index) {
    const std::size_t before = parameters_.size();
    const Chain other = grow();
    Line with = start;
    for (std::size_t k = before; k < parameters_.size(); ++k) {
      with.parameters.push_back({parameters_[k].first, 1, parameters_[k].second});
    }
    index.resize(other.logical);
    index.resize(other.extents.size());
    compute_forward(other, index);
    for (std::size_t k : other.loops) add(lines, with, 'F', index[k]);
  }

  void add(std::vector<Line>& lines, const Line& start, char kind, Expr e, Expr guard = {},
           const std::string& suffix = "") {
    if (e.args().empty() || e.size() > scale_.most_nodes) return;
    if (guard.valid() && guard.size() > 2 * scale_.most_nodes) return;
    Line line = start;
    line.kind = std::string(1, kind) + (symbolic_ ? 's' : 'c');
    line.id = std::to_string(number_) + '.' + line.kind + std::to_string(written_++) + suffix;
    line.expression = to_string(e);
    if (guard.valid()) line.guard = to_string(guard);
    lines.push_back(std::move(line));
  }

  int number_;
  Scale scale_;
  std::mt19937_64 rng_;
  bool symbolic_ = false;
  ExprPool pool_;
  std::vector<std::pair<std::string, std::int64_t>> parameters_;  // name, the most it can be
  std::vector<Extent> logical_;
  std::size_t written_ = 0;
};

}  // namespace

std::vector<Line> generate(int chains, std::uint64_t seed, const Scale& scale) {
  std::vector<Line> lines;
  for (int k = 0; k < chains; ++k) Generator(k, seed, scale).write(lines);
  return lines;
}

}  // namespace selvage::corpus
