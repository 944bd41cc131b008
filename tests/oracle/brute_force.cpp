#include "tests/oracle/brute_force.h"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "tests/oracle/arithmetic.h"

namespace selvage::oracle {

namespace {

// Hilbert's curve as it is usually drawn: small squares first, each turned into its place in the
// next larger one. Rows of squares of n*n lie one below the other.
void turn(std::int64_t n, std::int64_t& x, std::int64_t& y, bool low, bool right) {
  if (right) return;
  if (low) {
    x = n - 1 - x;
    y = n - 1 - y;
  }
  std::swap(x, y);
}
std::pair<std::int64_t, std::int64_t> curve_point(std::int64_t u, std::int64_t v, std::int64_t n) {
  std::int64_t rest = floor_mod(u, n) * n + floor_mod(v, n), x = 0, y = 0;
  for (std::int64_t s = 1; s < n; s *= 2) {
    const bool low = rest / 2 % 2 == 1, right = (rest % 2 == 1) != low;
    turn(s, x, y, low, right);
    x += low ? s : 0;
    y += right ? s : 0;
    rest /= 4;
  }
  return {floor_div(u, n) * n + x, y};
}
std::pair<std::int64_t, std::int64_t> curve_number(std::int64_t row, std::int64_t column,
                                                   std::int64_t n) {
  std::int64_t x = floor_mod(row, n), y = floor_mod(column, n), number = 0;
  for (std::int64_t s = n / 2; s > 0; s /= 2) {
    const bool low = x / s % 2 == 1, right = y / s % 2 == 1;
    number += s * s * (low ? (right ? 2 : 3) : (right ? 1 : 0));
    x %= s;
    y %= s;
    turn(s, x, y, low, right);
  }
  return {floor_div(row, n) * n + number / n, number % n};
}

}  // namespace

std::vector<std::int64_t> coordinates(const Graph& graph,
                                      std::span<const std::int64_t> loop_indices) {
  std::vector<std::optional<std::int64_t>> value(graph.extents.size());
  for (std::size_t k = 0; k < graph.loop.size(); ++k) value[graph.loop[k]] = loop_indices[k];
  const auto known = [&value](const std::vector<int>& ids) {
    return std::all_of(ids.begin(), ids.end(), [&value](int x) { return value[x].has_value(); });
  };
  // As many rounds as there are steps: in each, at least one more becomes computable.
  for (std::size_t round = 0; round < graph.steps.size(); ++round) {
    for (const Step& s : graph.steps) {
      const std::vector<int>&in = s.in, &out = s.out;
      if (known(s.needed(out)) && !known(in)) {  // backward
        switch (s.kind) {
          case Step::Split:
          case Step::OuterSplit:
            value[in[0]] = add(mul(*value[out[0]], graph.extents[out[1]]), *value[out[1]]);
            break;
          case Step::Merge:
            value[in[0]] = floor_div(*value[out[0]], graph.extents[in[1]]);
            value[in[1]] = floor_mod(*value[out[0]], graph.extents[in[1]]);
            break;
          case Step::Resize: value[in[0]] = add(*value[out[0]], -s.left); break;
          case Step::Xor:
            value[in[0]] = *value[out[0]];
            value[in[1]] = *value[out[0]] ^ *value[out[1]];
            break;
          case Step::CyclicShift:
            value[in[0]] = *value[out[0]];
            value[in[1]] = floor_mod(add(*value[out[1]], *value[out[0]]), graph.extents[in[1]]);
            break;
          case Step::Hilbert:
            std::tie(value[in[0]], value[in[1]]) =
                curve_point(*value[out[0]], *value[out[1]], graph.extents[in[1]]);
            break;
          case Step::Skew:
            value[in[0]] = add(*value[out[0]], -floor_mod(mul(s.by, *value[*s.along]), s.factor));
            break;
        }
      } else if (known(s.needed(in)) && !known(out)) {  // forward
        switch (s.kind) {
          case Step::Split:
          case Step::OuterSplit:
            value[out[0]] = floor_div(*value[in[0]], graph.extents[out[1]]);
            value[out[1]] = floor_mod(*value[in[0]], graph.extents[out[1]]);
            break;
          case Step::Merge:
            value[out[0]] = add(mul(*value[in[0]], graph.extents[in[1]]), *value[in[1]]);
            break;
          case Step::Resize: value[out[0]] = add(*value[in[0]], s.left); break;
          case Step::Xor:
            value[out[0]] = *value[in[0]];
            value[out[1]] = *value[in[1]] ^ *value[in[0]];
            break;
          case Step::CyclicShift:
            value[out[0]] = *value[in[0]];
            value[out[1]] = floor_mod(add(*value[in[1]], -*value[in[0]]), graph.extents[in[1]]);
            break;
          case Step::Hilbert:
            std::tie(value[out[0]], value[out[1]]) =
                curve_number(*value[in[0]], *value[in[1]], graph.extents[in[1]]);
            break;
          case Step::Skew:
            value[out[0]] = add(*value[in[0]], floor_mod(mul(s.by, *value[*s.along]), s.factor));
            break;
        }
      }
    }
  }
  std::vector<std::int64_t> r;
  for (const auto& v : value) {
    if (!v) {
      throw std::invalid_argument("oracle: the loop domain does not determine every iterdomain");
    }
    r.push_back(*v);
  }
  return r;
}

std::uint64_t hole_mask(const Graph& graph, std::span<const std::int64_t> coordinates) {
  std::uint64_t outside = 0;
  for (std::size_t x = 0; x < coordinates.size(); ++x)
    if (coordinates[x] < 0 || coordinates[x] >= graph.extents[x])
      outside |= bit(static_cast<int>(x));
  return outside & path_mask(graph);
}
bool is_hole(const Graph& graph, std::span<const std::int64_t> coordinates) {
  return hole_mask(graph, coordinates) != 0;
}

Walk::Walk(const Graph& graph)
    : extents_(graph.extents),
      indices_(graph.loop.size(), 0),
      coordinates_(graph.extents.size(), 0),
      loop_(graph.loop),
      moves_(graph.loop.size()) {
  if (!is_well_formed(graph)) throw std::invalid_argument("oracle: the graph is not well formed");
  const auto turns = plan(graph);
  path_ = path_mask(graph);
  // The innermost loop that a coordinate depends on.
  std::vector<int> innermost(graph.extents.size(), -1);
  for (std::size_t k = 0; k < loop_.size(); ++k) innermost[loop_[k]] = static_cast<int>(k);
  for (const Turn& t : *turns) {
    const Step& s = graph.steps[t.step];
    const std::vector<int>&from = t.forward ? s.in : s.out, &to = t.forward ? s.out : s.in;
    Move move{Action::Shift, from[0], from.back(), to[0], to.back(), 0, 0};
    switch (s.kind) {
      case Step::Split:
      case Step::OuterSplit:
        move.action = t.forward ? Action::Divide : Action::Combine;
        move.n = graph.extents[s.out[1]];
        break;
      case Step::Merge:
        move.action = t.forward ? Action::Combine : Action::Divide;
        move.n = graph.extents[s.in[1]];
        break;
      case Step::Resize: move.n = t.forward ? s.left : -s.left; break;
      case Step::Xor: move.action = Action::Xor; break;
      case Step::CyclicShift:
        move.action = t.forward ? Action::RotateBack : Action::Rotate;
        move.n = graph.extents[s.in[1]];
        break;
      case Step::Hilbert:
        move.action = t.forward ? Action::CurveBack : Action::Curve;
        move.n = graph.extents[s.in[1]];
        break;
      case Step::Skew:
        move.action = t.forward ? Action::Skew : Action::SkewBack;
        move.from1 = *s.along;
        move.n = s.factor;
        move.by = s.by;
        break;
    }
    const int depth = std::max(innermost[move.from0], innermost[move.from1]);
    for (int x : to) innermost[x] = depth;
    for (int k = 0; k <= depth; ++k) moves_[k].push_back(move);
  }
  for (const Move& move : moves_[0]) run(move);
}

void Walk::set(int iterdomain, std::int64_t value) {
  coordinates_[iterdomain] = value;
  // Unsigned, so that a negative value is large.
  const std::uint64_t outside =
      static_cast<std::uint64_t>(value) >= static_cast<std::uint64_t>(extents_[iterdomain]);
  outside_ = (outside_ & ~bit(iterdomain)) | (outside << iterdomain);
}

void Walk::run(const Move& move) {
  const std::int64_t x = coordinates_[move.from0], y = coordinates_[move.from1];
  switch (move.action) {
    case Action::Combine: set(move.to0, add(mul(x, move.n), y)); break;
    case Action::Divide:
      set(move.to0, floor_div(x, move.n));
      set(move.to1, floor_mod(x, move.n));
      break;
    case Action::Shift: set(move.to0, add(x, move.n)); break;
    case Action::Xor:
      set(move.to0, x);
      set(move.to1, x ^ y);
      break;
    case Action::Rotate:
      set(move.to0, x);
      set(move.to1, floor_mod(add(y, x), move.n));
      break;
    case Action::RotateBack:
      set(move.to0, x);
      set(move.to1, floor_mod(add(y, -x), move.n));
      break;
    case Action::Curve:
    case Action::CurveBack: {
      const auto [to0, to1] =
          move.action == Action::Curve ? curve_point(x, y, move.n) : curve_number(x, y, move.n);
      set(move.to0, to0);
      set(move.to1, to1);
      break;
    }
    case Action::Skew: set(move.to0, add(x, floor_mod(mul(move.by, y), move.n))); break;
    case Action::SkewBack: set(move.to0, add(x, -floor_mod(mul(move.by, y), move.n))); break;
  }
}

bool Walk::next() {
  std::size_t k = loop_.size();
  while (k > 0 && indices_[k - 1] + 1 == extents_[loop_[k - 1]]) {
    --k;
    indices_[k] = coordinates_[loop_[k]] = 0;
  }
  if (k == 0) return false;
  coordinates_[loop_[k - 1]] = ++indices_[k - 1];
  for (const Move& move : moves_[k - 1]) run(move);
  return true;
}

std::vector<HoleMask> hole_masks(const Graph& graph) {
  std::vector<HoleMask> holes;
  std::unordered_map<std::uint64_t, bool> seen;
  std::uint64_t last = 0;
  for_each_point(graph, [&](auto point, auto, std::uint64_t mask) {
    if (mask == 0 || mask == last) return;
    last = mask;
    if (seen.emplace(mask, true).second) holes.push_back({mask, {point.begin(), point.end()}});
  });
  std::sort(holes.begin(), holes.end(),
            [](const HoleMask& a, const HoleMask& b) { return a.mask < b.mask; });
  return holes;
}

std::vector<std::uint64_t> masks_of(std::span<const HoleMask> holes) {
  std::vector<std::uint64_t> masks;
  for (const HoleMask& h : holes) masks.push_back(h.mask);
  return masks;
}

namespace {

// Branch and bound. `open`: the masks that `chosen` does not hit, less the iterdomains already
// tried and ruled out.
void search(const std::vector<std::uint64_t>& open, std::uint64_t chosen, std::uint64_t& best) {
  std::uint64_t packed = 0;
  int bound = std::popcount(chosen);  // pairwise disjoint masks need one iterdomain each
  for (std::uint64_t m : open)
    if ((m & packed) == 0) {
      packed |= m;
      ++bound;
    }
  if (bound >= std::popcount(best)) return;
  if (open.empty()) {
    best = chosen;
    return;
  }
  const std::uint64_t smallest = *std::min_element(
      open.begin(), open.end(),
      [](std::uint64_t a, std::uint64_t b) { return std::popcount(a) < std::popcount(b); });
  std::uint64_t tried = 0;
  for (std::uint64_t rest = smallest; rest != 0; rest &= rest - 1) {
    const std::uint64_t pick = rest & -rest;
    std::vector<std::uint64_t> left;
    bool possible = true;
    for (std::uint64_t m : open) {
      if ((m & pick) != 0) continue;
      possible = possible && (m & ~tried) != 0;
      left.push_back(m & ~tried);
    }
    if (possible) search(left, chosen | pick, best);
    tried |= pick;
  }
}

bool hits_all(std::span<const std::uint64_t> masks, std::uint64_t chosen) {
  return std::all_of(masks.begin(), masks.end(),
                     [chosen](std::uint64_t m) { return m == 0 || (m & chosen) != 0; });
}

}  // namespace

std::vector<int> minimum_hitting_set(std::span<const std::uint64_t> masks) {
  // Only masks that contain no other mask matter.
  std::vector<std::uint64_t> sorted(masks.begin(), masks.end()), minimal;
  std::erase(sorted, 0);
  std::sort(sorted.begin(), sorted.end(), [](std::uint64_t a, std::uint64_t b) {
    return std::pair(std::popcount(a), a) < std::pair(std::popcount(b), b);
  });
  std::uint64_t best = 0;
  for (std::uint64_t m : sorted)
    if (std::none_of(minimal.begin(), minimal.end(),
                     [m](std::uint64_t n) { return contains(m, n); })) {
      minimal.push_back(m);
      best |= m;  // all of them is a hitting set
    }
  search(minimal, 0, best);
  std::vector<int> chosen;
  for (; best != 0; best &= best - 1) chosen.push_back(std::countr_zero(best));
  return chosen;
}

bool is_equivalent(std::span<const std::uint64_t> masks, std::span<const int> chosen) {
  return hits_all(masks, bits(chosen));
}

bool is_irredundant(std::span<const std::uint64_t> masks, std::span<const int> chosen) {
  const std::uint64_t all = bits(chosen);
  return hits_all(masks, all) && std::none_of(chosen.begin(), chosen.end(), [&](int x) {
           return hits_all(masks, all & ~bit(x));
         });
}

Coverage coverage(const Graph& graph) {
  Coverage r;
  r.items = 1;
  for (int x : graph.logical) r.items = mul(r.items, graph.extents[x]);
  // 2 stands for more than once.
  std::vector<std::uint8_t> visits(static_cast<std::size_t>(r.items), 0);
  for_each_point(graph, [&](auto, auto coordinates, std::uint64_t mask) {
    if (mask != 0) return;
    ++r.valid_points;
    std::int64_t item = 0;
    for (int x : graph.logical) item = item * graph.extents[x] + coordinates[x];
    if (visits[item] < 2) ++visits[item];
  });
  const auto coordinates_of = [&graph](std::int64_t item) {
    std::vector<std::int64_t> c(graph.logical.size());
    for (std::size_t k = c.size(); k-- > 0; item /= graph.extents[graph.logical[k]])
      c[k] = item % graph.extents[graph.logical[k]];
    return c;
  };
  for (std::int64_t item = 0; item < r.items; ++item) {
    if (visits[item] == 0 && r.missed++ == 0) r.first_missed = coordinates_of(item);
    if (visits[item] == 2 && r.repeated++ == 0) r.first_repeated = coordinates_of(item);
  }
  return r;
}

}  // namespace selvage::oracle
