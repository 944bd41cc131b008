#include "tests/lower/random_whole_fusion.h"

#include <selvage/base/diagnostic.h>
#include <selvage/expr/tape.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tests/oracle/draws.h"

namespace selvage::test {

using oracle::chance;
using oracle::draw;

namespace {

constexpr std::int64_t kMostItems = 1'500;
constexpr double kMostWhole = 1 << 20;  // sums of such floats are exact
constexpr double kMostInexact = 64;     // so that errors stay within what is allowed
constexpr std::size_t kMostRank = 4;

std::size_t index(std::mt19937_64& rng, std::size_t n) {
  return std::size_t(draw(rng, 0, std::int64_t(n) - 1));
}

std::mt19937_64 stream(std::uint64_t seed, std::uint64_t part) {
  return std::mt19937_64(seed * 1'000'003 + part);
}

bool is_one(Expr e) { return e.is(Op::Const) && e.value() == 1; }

std::int64_t items(const std::vector<std::int64_t>& shape) {
  std::int64_t n = 1;
  for (std::int64_t x : shape) n *= x;
  return n;
}

Array filled(DataType type, std::vector<std::int64_t> shape, std::mt19937_64& rng) {
  Array a(type, std::move(shape));
  const bool is_signed = type != DataType::UInt8 && type != DataType::Bool;
  for (std::int64_t k = 0; k < a.size(); ++k) {
    a.set_int(k, type == DataType::Bool ? draw(rng, 0, 1) : draw(rng, is_signed ? -4 : 0, 4));
  }
  return a;
}

}  // namespace

WholeFusion::WholeFusion(const WholeRecipe& recipe) {
  std::mt19937_64 rng = stream(recipe.seed, 0);
  add_sizes(rng);
  std::vector<Expr> shape;
  for (std::int64_t k = draw(rng, 1, 3); k > 0; --k)
    shape.push_back(extents_[index(rng, extents_.size())]);
  add_input(shape, rng);
  for (int k = 0; k < recipe.operations; ++k) {
    if (recipe.left_out.contains(k)) continue;
    std::mt19937_64 own = stream(recipe.seed, std::uint64_t(1 + k));
    try {
      operate(own);
    } catch (const BadInput&) {
      ++refused;
    }
  }
  std::mt19937_64 last = stream(recipe.seed, 500);
  choose_outputs(last);
}

std::int64_t WholeFusion::value(Expr e, const std::map<std::string, std::int64_t>& sizes) const {
  std::vector<Expr> symbols;
  std::vector<std::int64_t> values;
  for (Expr n : fusion->sizes()) {
    symbols.push_back(n);
    values.push_back(sizes.at(std::string(n.name())));
  }
  return evaluate(e, symbols, values).value();
}

void WholeFusion::add_sizes(std::mt19937_64& rng) {
  static constexpr std::array<std::int64_t, 9> kOdd = {1, 2, 3, 5, 7, 4, 9, 13, 33};
  for (int k = 0; k < 4; ++k) {
    const std::int64_t n = kOdd[index(rng, k == 0 ? 9 : 6)];
    if (chance(rng, 3)) {
      const std::string name = "N" + std::to_string(k);
      extents_.push_back(fusion->extent(name, 0));
      sizes[name] = n;
    } else {
      extents_.push_back(fusion->constant(n));
    }
  }
}

WholeFusion::Known& WholeFusion::add_input(std::vector<Expr> shape, std::mt19937_64& rng) {
  static constexpr std::array kTypes = {
      DataType::Float, DataType::Float, DataType::Float, DataType::Half,  DataType::BFloat16,
      DataType::Int32, DataType::Int64, DataType::Int8,  DataType::UInt8, DataType::Double,
      DataType::Bool,  DataType::Int16, DataType::Half};
  const DataType type = kTypes[index(rng, kTypes.size())];
  const std::string name = "a" + std::to_string(inputs.size());
  std::vector<std::int64_t> numbers;
  for (Expr n : shape) numbers.push_back(value(n));
  inputs[name] = filled(type, numbers, rng);
  known_.push_back({fusion->input(name, std::move(shape), type), numbers, Kind::Whole, 4, false});
  return known_.back();
}

bool WholeFusion::has_shapes(const std::map<std::string, std::int64_t>& sizes) const {
  for (const auto& [name, array] : inputs) {
    for (Expr n : fusion->shape(*fusion->find(name))) {
      if (value(n, sizes) < 0) return false;
    }
  }
  return true;
}

std::map<std::string, Array> WholeFusion::inputs_at(
    const std::map<std::string, std::int64_t>& sizes) const {
  std::mt19937_64 rng(1);
  std::map<std::string, Array> arrays;
  for (const auto& [name, array] : inputs) {
    std::vector<std::int64_t> shape;
    for (Expr n : fusion->shape(*fusion->find(name))) shape.push_back(value(n, sizes));
    arrays[name] = filled(array.type, std::move(shape), rng);
  }
  return arrays;
}

// Rather one of the last ones.
std::size_t WholeFusion::pick(std::mt19937_64& rng) {
  const std::size_t n = known_.size();
  return chance(rng, 3) ? index(rng, n) : n - 1 - index(rng, std::min<std::size_t>(n, 3));
}

// One that can be repeated to its shape, or the other way round: a new input where there is none.
std::size_t WholeFusion::partner(std::size_t of, std::mt19937_64& rng) {
  const std::vector<Expr> shape = fusion->shape(known_[of].tensor.id());
  std::vector<std::size_t> fitting;
  for (std::size_t k = 0; k < known_.size(); ++k) {
    const std::vector<Expr> other = fusion->shape(known_[k].tensor.id());
    bool fits = k != of;
    for (std::size_t i = 1; i <= std::min(shape.size(), other.size()); ++i) {
      const Expr a = shape[shape.size() - i], b = other[other.size() - i];
      fits = fits && (value(a) == value(b) || is_one(a) || is_one(b));
    }
    if (fits) fitting.push_back(k);
  }
  if (!fitting.empty() && (!chance(rng, 4) || inputs.size() >= 4)) {
    return fitting[index(rng, fitting.size())];
  }
  if (inputs.size() >= 4) return of;
  std::vector<Expr> own(shape.begin() + std::ptrdiff_t(index(rng, shape.size() + 1)), shape.end());
  for (Expr& n : own) {
    if (chance(rng, 5)) n = fusion->constant(1);
  }
  add_input(std::move(own), rng);
  return known_.size() - 1;
}

void WholeFusion::keep(Tensor t, Kind kind, double bound) {
  std::vector<std::int64_t> shape;
  for (Expr n : fusion->shape(t.id())) shape.push_back(value(n));
  if (!is_floating((*fusion)[t.id()].type)) kind = Kind::Whole;
  known_.push_back({t, std::move(shape), kind, bound, false});
}

void WholeFusion::operate(std::mt19937_64& rng) {
  const std::size_t a = pick(rng);
  switch (draw(rng, 1, 14)) {
    case 1:
    case 2:
    case 3:
    case 4: return binary(a, rng);
    case 5: return unary(a, rng);
    case 6:
    case 7:
    case 8: return fold(a, rng);
    case 9: return repeat(a, rng);
    case 10: return reorder(a, rng);
    case 11: return regroup(a, rng);
    case 12:
    case 13: return cut(a, rng);
    case 14: return join(a, rng);
  }
}

void WholeFusion::binary(std::size_t a, std::mt19937_64& rng) {
  const std::size_t b = partner(a, rng);
  const Known x = known_[a], y = known_[b];
  std::vector<std::int64_t> shape(std::max(x.shape.size(), y.shape.size()), 1);
  for (const auto& s : {x.shape, y.shape}) {
    for (std::size_t i = 1; i <= s.size(); ++i) {
      std::int64_t& n = shape[shape.size() - i];
      n = std::max(n, s[s.size() - i]);
    }
  }
  if (items(shape) > kMostItems) return;
  const Kind kind = std::max(x.kind, y.kind);
  const double most = kind == Kind::Inexact ? kMostInexact : kMostWhole;
  known_[a].is_read = known_[b].is_read = true;
  const auto take = [&](Tensor t, double bound, Kind k) { keep(t, k, bound); };
  switch (draw(rng, 1, 9)) {
    case 1:
      if (x.bound * y.bound <= most) return take(x.tensor * y.tensor, x.bound * y.bound, kind);
      [[fallthrough]];
    case 2:
      if (x.bound + y.bound <= most) return take(x.tensor + y.tensor, x.bound + y.bound, kind);
      [[fallthrough]];
    case 3:
      if (x.bound + y.bound <= most) return take(x.tensor - y.tensor, x.bound + y.bound, kind);
      [[fallthrough]];
    case 4: return take(max(x.tensor, y.tensor), std::max(x.bound, y.bound), kind);
    case 5: return take(min(x.tensor, y.tensor), std::max(x.bound, y.bound), kind);
    case 6:
      if (kind == Kind::Inexact)
        return take(max(x.tensor, y.tensor), std::max(x.bound, y.bound), kind);
      return take(x.tensor < y.tensor, 1, Kind::Whole);
    case 7:
      if (kind == Kind::Inexact)
        return take(min(x.tensor, y.tensor), std::max(x.bound, y.bound), kind);
      return take(select(x.tensor <= y.tensor, x.tensor, y.tensor * 1), std::max(x.bound, y.bound),
                  kind);
    case 8:
      if (kind != Kind::Whole)
        return take(max(x.tensor, y.tensor), std::max(x.bound, y.bound), kind);
      return take(floor_div(x.tensor, y.tensor), x.bound + 1, kind);
    case 9:
      if (kind != Kind::Whole)
        return take(min(x.tensor, y.tensor), std::max(x.bound, y.bound), kind);
      return take(x.tensor / (abs(y.tensor) + 1), x.bound, Kind::Fractions);
  }
}

void WholeFusion::unary(std::size_t a, std::mt19937_64& rng) {
  const Known x = known_[a];
  known_[a].is_read = true;
  static constexpr std::array kTypes = {DataType::Int8,  DataType::UInt8,   DataType::Int64,
                                        DataType::Int32, DataType::Half,    DataType::Double,
                                        DataType::Float, DataType::BFloat16};
  const Kind fractions = std::max(x.kind, Kind::Fractions);
  const bool is_inexact = x.kind == Kind::Inexact;
  switch (draw(rng, 1, 12)) {
    case 1: return keep(abs(x.tensor), x.kind, x.bound);
    case 2: return keep(relu(x.tensor), x.kind, x.bound);
    case 3: return keep(tanh(x.tensor), fractions, 1);
    case 4: return keep(sigmoid(x.tensor), fractions, 1);
    case 5:
      if (x.kind == Kind::Inexact) return keep(-x.tensor, x.kind, x.bound);
      return keep(sqrt(abs(x.tensor) + 1), fractions, std::sqrt(x.bound + 1));
    case 6:
      if (x.bound * 3 + 1 > (x.kind == Kind::Inexact ? kMostInexact : kMostWhole)) return;
      return keep(x.tensor * 3 + 1, x.kind, x.bound * 3 + 1);
    case 7:
      if (x.kind == Kind::Inexact || x.bound > 1e5) return keep(-x.tensor, x.kind, x.bound);
      return keep(exp(clamp(x.tensor, -2, 2)), fractions, 8);
    case 8: {
      const DataType to = kTypes[index(rng, kTypes.size())];
      if (x.kind == Kind::Inexact && !is_floating(to)) return;
      return keep(cast(x.tensor, to), x.kind,
                  is_floating(to) ? x.bound * 1.01 : std::max(x.bound, 255.0));
    }
    case 9:
      if (is_inexact) return keep(softplus(x.tensor), x.kind, x.bound + 1);
      return keep(chance(rng, 2) ? trunc(x.tensor) : round(x.tensor), x.kind, x.bound + 1);
    case 10:
      if (is_inexact) return keep(gelu_tanh(x.tensor), x.kind, x.bound);
      return keep(sign(x.tensor), Kind::Whole, 1);
    case 11: return keep(select(isfinite(x.tensor), x.tensor, 0), x.kind, x.bound);
    case 12:
      if (is_inexact || x.bound > 1e6 || is_floating((*fusion)[x.tensor.id()].type)) {
        return keep(log1p(abs(x.tensor)), fractions, std::log1p(x.bound));
      }
      return keep(bit_and(bit_xor(x.tensor, shift_right(x.tensor, 1)), 127), Kind::Whole, 127);
  }
}

void WholeFusion::fold(std::size_t a, std::mt19937_64& rng) {
  const Known x = known_[a];
  Axes axes;
  std::int64_t n = 1;
  for (std::size_t k = 0; k < x.shape.size(); ++k) {
    if (!chance(rng, 2)) continue;
    axes.push_back(int(k));
    n *= x.shape[k];
  }
  if (axes.empty() && !x.shape.empty()) {
    axes = {int(x.shape.size()) - 1};
    n = x.shape.back();
  }
  if (x.shape.empty()) return;
  const bool keeps = chance(rng, 2);
  known_[a].is_read = true;
  const bool is_inexact = x.kind == Kind::Inexact, is_whole = x.kind == Kind::Whole;
  const Kind summed = is_whole ? Kind::Whole : Kind::Inexact;
  const double most = is_whole ? kMostWhole : kMostInexact;
  switch (draw(rng, 1, 10)) {
    case 1:
    case 2:
      if (x.bound * double(n) > most) break;
      return keep(sum(x.tensor, axes, keeps), summed, x.bound * double(n));
    case 3:
      if (std::pow(std::max(x.bound, 1.0), double(n)) > most) break;
      return keep(prod(x.tensor, axes, keeps), summed, std::pow(std::max(x.bound, 1.0), double(n)));
    case 4: return keep(min(x.tensor, axes, keeps), x.kind, x.bound);
    case 5:
      if (x.bound > kMostInexact) break;
      return keep(mean(x.tensor, axes, keeps), Kind::Inexact, x.bound);
    case 6:
      if (x.bound > 8) break;
      return keep(variance(x.tensor, axes, keeps, draw(rng, 0, 1)), Kind::Inexact,
                  2 * x.bound * x.bound);
    case 7:
      if (is_inexact) break;
      return keep(chance(rng, 2) ? any(x.tensor, axes, keeps) : all(x.tensor, axes, keeps),
                  Kind::Whole, 1);
    case 8:
      if (is_inexact) break;
      return keep(argmax(x.tensor, axes, keeps), Kind::Whole, double(n));
    case 9:
      if (is_inexact) break;
      return keep(argmin(x.tensor, axes, keeps), Kind::Whole, double(n));
    case 10: return scan(x, axes[0], rng);
  }
  keep(max(x.tensor, axes, keeps), x.kind, x.bound);
}

void WholeFusion::scan(const Known& x, int axis, std::mt19937_64& rng) {
  const bool is_whole = x.kind == Kind::Whole;
  const auto n = double(x.shape[std::size_t(axis)]);
  const double most = is_whole ? kMostWhole : kMostInexact;
  if (chance(rng, 2) && x.bound * n <= most) {
    return keep(cumsum(x.tensor, axis), is_whole ? Kind::Whole : Kind::Inexact, x.bound * n);
  }
  const double product = std::pow(std::max(x.bound, 1.0), n);
  if (chance(rng, 3) && product <= most) {
    return keep(cumprod(x.tensor, axis), is_whole ? Kind::Whole : Kind::Inexact, product);
  }
  keep(chance(rng, 2) ? cummax(x.tensor, axis) : cummin(x.tensor, axis), x.kind, x.bound);
}

void WholeFusion::repeat(std::size_t a, std::mt19937_64& rng) {
  const Known x = known_[a];
  if (x.shape.size() >= kMostRank) return;
  if (chance(rng, 3)) {
    known_[a].is_read = true;
    return keep(unsqueeze(x.tensor, int(index(rng, x.shape.size() + 1))), x.kind, x.bound);
  }
  const Expr first = extents_[index(rng, extents_.size())];
  if (items(x.shape) * value(first) > kMostItems) return;
  std::vector<Extent> shape = {first};
  for (Expr n : fusion->shape(x.tensor.id())) shape.push_back(n);
  known_[a].is_read = true;
  keep(broadcast_to(x.tensor, shape), x.kind, x.bound);
}

void WholeFusion::reorder(std::size_t a, std::mt19937_64& rng) {
  const Known x = known_[a];
  std::vector<int> order;
  for (std::size_t k = 0; k < x.shape.size(); ++k) order.push_back(int(k));
  for (std::size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[index(rng, k)]);
  known_[a].is_read = true;
  keep(transpose(x.tensor, order), x.kind, x.bound);
}

// Two axes into one, one into two, or all of them into one.
void WholeFusion::regroup(std::size_t a, std::mt19937_64& rng) {
  const Known x = known_[a];
  const std::vector<Expr> old = fusion->shape(x.tensor.id());
  if (old.empty()) return;
  std::vector<Extent> shape;
  const std::size_t at = index(rng, old.size());
  const std::int64_t how = draw(rng, 1, 3);
  if (how == 1) {
    known_[a].is_read = true;
    return keep(flatten(x.tensor), x.kind, x.bound);
  }
  for (std::size_t k = 0; k < old.size(); ++k) {
    if (how == 2 && k == at && k + 1 < old.size()) {
      shape.push_back(old[k] * old[k + 1]);
      ++k;
    } else if (how == 3 && k == at && old[k].is(Op::Const) && old.size() < kMostRank) {
      std::int64_t factor = 1;
      for (std::int64_t f : {2, 3, 5, 7}) {
        if (old[k].value() % f == 0) factor = f;
      }
      if (chance(rng, 2)) factor = old[k].value() / factor;
      shape.push_back(old[k].value() / factor);
      shape.push_back(factor);
    } else {
      shape.push_back(old[k]);
    }
  }
  known_[a].is_read = true;
  keep(reshape(x.tensor, shape), x.kind, x.bound);
}

// A part of it, every second or third element, or more around it.
void WholeFusion::cut(std::size_t a, std::mt19937_64& rng) {
  const Known x = known_[a];
  if (x.shape.empty()) return;
  const std::size_t axis = index(rng, x.shape.size());
  const std::int64_t n = x.shape[axis];
  if (chance(rng, 2)) {
    std::vector<std::pair<Extent, Extent>> sides;
    for (std::size_t k = 0; k < x.shape.size(); ++k) {
      sides.emplace_back(k == axis || chance(rng, 3) ? draw(rng, x.shape[k] > 3 ? -1 : 0, 3) : 0,
                         k == axis || chance(rng, 3) ? draw(rng, x.shape[k] > 3 ? -1 : 0, 2) : 0);
    }
    known_[a].is_read = true;
    return keep(pad(x.tensor, sides, chance(rng, 2) ? 0 : 1), x.kind, x.bound);
  }
  const bool is_known = fusion->shape(x.tensor.id())[axis].is(Op::Const);
  const std::int64_t begin = is_known ? draw(rng, 0, n - 1) : 0;
  const std::int64_t end = is_known ? draw(rng, begin + 1, n) : kEnd;
  known_[a].is_read = true;
  keep(slice(x.tensor, int(axis), begin, end, chance(rng, 2) ? 1 : draw(rng, 2, 3)), x.kind,
       x.bound);
}

void WholeFusion::join(std::size_t a, std::mt19937_64& rng) {
  const Known x = known_[a];
  if (x.shape.empty()) return;
  const std::size_t axis = index(rng, x.shape.size());
  std::vector<std::size_t> parts = {a};
  for (std::size_t k = 0; k < known_.size(); ++k) {
    const std::vector<Expr> one = fusion->shape(known_[k].tensor.id()),
                            two = fusion->shape(x.tensor.id());
    bool fits = one.size() == two.size() && k != a && parts.size() < 3;
    for (std::size_t i = 0; fits && i < one.size(); ++i) fits = i == axis || same(one[i], two[i]);
    if (fits) parts.push_back(k);
  }
  if (parts.size() == 1) parts.push_back(a);
  std::vector<Tensor> tensors;
  Kind kind = Kind::Whole;
  double bound = 0;
  std::int64_t n = 0;
  for (std::size_t k : parts) n += items(known_[k].shape);
  if (n > kMostItems) return;
  for (std::size_t k : parts) {
    tensors.push_back(known_[k].tensor);
    kind = std::max(kind, known_[k].kind);
    bound = std::max(bound, known_[k].bound);
    known_[k].is_read = true;
  }
  keep(concatenate(tensors, int(axis)), kind, bound);
}

// The last one, most of those that nobody reads, and now and then one that others read.
void WholeFusion::choose_outputs(std::mt19937_64& rng) {
  int n = 0;
  for (std::size_t k = known_.size(); k-- > 0;) {
    const bool is_input = (*fusion)[known_[k].tensor.id()].is_input;
    const bool is_last = k + 1 == known_.size();
    if (!is_last && (is_input || n >= 4 || !chance(rng, known_[k].is_read ? 6 : 2))) continue;
    const std::string name = "y" + std::to_string(n++);
    std::optional<DataType> type;
    if (known_[k].kind == Kind::Inexact) inexact.insert(name);
    if (known_[k].kind == Kind::Whole && is_floating(type_of(known_[k])) && chance(rng, 4)) {
      type = DataType::Half;
    }
    // Who reads an output reads what was rounded.
    if (known_[k].bound > 6e4) type = std::nullopt;
    fusion->output(name, known_[k].tensor, type);
  }
}

WholeRecipe shrunk(WholeRecipe recipe,
                   const std::function<std::string(const WholeRecipe&)>& outcome) {
  const auto kind = [](const std::string& text) { return text.substr(0, text.find(' ')); };
  const std::string wanted = kind(outcome(recipe));
  bool gets_smaller = true;
  const auto leave_out = [&](int WholeRecipe::*count, std::set<int> WholeRecipe::*left_out) {
    for (int k = recipe.*count; k-- > 0;) {
      if ((recipe.*left_out).contains(k)) continue;
      WholeRecipe less = recipe;
      (less.*left_out).insert(k);
      if (kind(outcome(less)) == wanted) recipe = less, gets_smaller = true;
    }
  };
  while (gets_smaller) {
    gets_smaller = false;
    leave_out(&WholeRecipe::operations, &WholeRecipe::left_out);
    leave_out(&WholeRecipe::steps, &WholeRecipe::steps_left_out);
  }
  return recipe;
}

}  // namespace selvage::test
