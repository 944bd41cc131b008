#include "tests/index/claims.h"

#include <algorithm>

#include "tests/oracle/brute_force.h"
#include "tests/support/steps.h"

namespace selvage {

namespace {

struct HalfBound {
  std::size_t letter;
  bool lo;
};

std::vector<HalfBound> read_bounds(const World& world, std::string_view text) {
  std::vector<HalfBound> bounds;
  while (!text.empty()) {
    const std::size_t letter = world.letters.find(text[3]);
    if (text.substr(0, 2) != "hi") bounds.push_back({letter, true});
    if (text.substr(0, 2) != "lo") bounds.push_back({letter, false});
    text.remove_prefix(std::min<std::size_t>(text.size(), 6));
  }
  return bounds;
}

void fill_points(World& world) {
  const std::vector<int> from = world.step().needed(
      world.direction == Direction::Forward ? world.step().in : world.step().out);
  world.graph.loop = from;
  std::vector<std::int64_t> first, last;
  for (int d : from) {
    const std::int64_t n = world.graph.extents[std::size_t(d)];
    first.push_back(-n - 2);
    last.push_back(2 * n + 1);
  }
  for (std::vector<std::int64_t> at = first;;) {
    const std::vector<std::int64_t> all = oracle::coordinates(world.graph, at);
    WorldPoint point{};
    std::copy(all.begin(), all.end(), point.begin());
    world.points.push_back(point);
    std::size_t k = at.size();
    while (k > 0 && at[k - 1] == last[k - 1]) --k, at[k] = first[k];
    if (k == 0) return;
    ++at[k - 1];
  }
}

void add_both_ways(std::vector<World>& worlds, Law::Over over, std::vector<std::int64_t> extents,
                   oracle::Step step) {
  for (Direction direction : {Direction::Forward, Direction::Backward}) {
    World world{over, direction, oracle::make_graph(extents), {}, {}};
    oracle::apply(world.graph, step);
    switch (over) {
      case Law::Over::Split: world.letters = "xoi"; break;
      case Law::Over::Merge: world.letters = "oix"; break;
      case Law::Over::Resize: world.letters = "ab"; break;
      case Law::Over::Skew: world.letters = "arb"; break;
      case Law::Over::Swizzle:
      case Law::Over::Xor:
      case Law::Over::CyclicShift: world.letters = "xyuv"; break;
      case Law::Over::Rows:
      case Law::Over::Groups: continue;  // whose points the offsets tell
    }
    fill_points(world);
    worlds.push_back(std::move(world));
  }
}

}  // namespace

bool World::computes_digits() const {
  return (over == Law::Over::Split && direction == Direction::Forward) ||
         (over == Law::Over::Merge && direction == Direction::Backward);
}

std::int64_t World::extent_at(const WorldPoint& point, std::size_t letter) const {
  if (height > 0 && letters[letter] == 'x') {
    const auto [begin, end] = positions_of(point[3]);
    return end - begin;
  }
  if (offsets.empty() || letters[letter] != 'i') return graph.extents[letter];
  const std::int64_t row = point[height > 0 ? 4 : 0];
  if (row < 0 || row >= rows()) return 0;
  return offsets[std::size_t(row) + 1] - offsets[std::size_t(row)];
}

// A group that there is none of has no positions, and begins at 0, as in a nest.
std::pair<std::int64_t, std::int64_t> World::positions_of(std::int64_t group) const {
  if (group < 0 || group * height >= rows()) return {0, 0};
  const std::int64_t end = std::min(group * height + height, rows());
  return {offsets[std::size_t(group * height)], offsets[std::size_t(end)]};
}

std::string World::text() const {
  if (!offsets.empty()) {
    std::string text = height > 0 ? "groups of " + std::to_string(height) : "rows";
    text += direction == Direction::Forward ? " forward:" : " backward:";
    for (std::int64_t o : offsets) text += " " + std::to_string(o);
    return text;
  }
  static const char* const kNames[] = {"Split", "OuterSplit",  "Merge",   "Resize",
                                       "Xor",   "CyclicShift", "Hilbert", "Skew"};
  std::string text = kNames[step().kind];
  text += direction == Direction::Forward ? " forward" : " backward";
  if (step().kind == oracle::Step::Resize) {
    text += " by " + std::to_string(step().left) + ", " + std::to_string(step().right);
  }
  if (step().kind == oracle::Step::Skew) {
    text += " by " + std::to_string(step().by) + " mod " + std::to_string(step().factor);
  }
  for (char c : letters) text += std::string(", |") + c + "| = " + std::to_string(extent(c));
  return text;
}

const std::vector<World>& small_worlds() {
  static const std::vector<World> worlds = [] {
    std::vector<World> made;
    for (std::int64_t n = 1; n <= 6; ++n) {
      for (std::int64_t factor = 1; factor <= 7; ++factor) {
        for (oracle::Step::Kind kind : {oracle::Step::Split, oracle::Step::OuterSplit}) {
          add_both_ways(made, Law::Over::Split, {n}, oracle::split(0, factor, kind));
        }
      }
    }
    for (std::int64_t o = 1; o <= 4; ++o) {
      for (std::int64_t i = 1; i <= 5; ++i) {
        add_both_ways(made, Law::Over::Merge, {o, i}, oracle::merge(0, 1));
        add_both_ways(made, Law::Over::CyclicShift, {o, i},
                      oracle::swizzle(oracle::Step::CyclicShift, 0, 1));
      }
    }
    for (std::int64_t n = 1; n <= 5; ++n) {
      for (std::int64_t left = -4; left <= 3; ++left) {
        for (std::int64_t right = -4; right <= 3; ++right) {
          if (n + left + right < 1) continue;
          add_both_ways(made, Law::Over::Resize, {n}, oracle::resize(0, left, right));
        }
      }
    }
    for (std::int64_t modulo = 1; modulo <= 4; ++modulo) {
      for (std::int64_t by = 0; by <= 5; ++by) {
        add_both_ways(made, Law::Over::Skew, {3, 4}, oracle::skew(0, 1, by, modulo));
        add_both_ways(made, Law::Over::Skew, {1, 2}, oracle::skew(0, 1, by, modulo));
      }
    }
    for (const auto& [x, y] : {std::pair(1, 1), std::pair(3, 1), std::pair(2, 2), std::pair(6, 2),
                               std::pair(4, 4), std::pair(8, 4)}) {
      add_both_ways(made, Law::Over::CyclicShift, {x, y},
                    oracle::swizzle(oracle::Step::Hilbert, 0, 1));
    }
    for (std::int64_t x = 1; x <= 5; ++x) {
      for (std::int64_t y = 1; y <= 9; ++y) {
        if (!oracle::is_legal_xor(x, y)) continue;
        add_both_ways(made, Law::Over::Xor, {x, y}, oracle::swizzle(oracle::Step::Xor, 0, 1));
      }
    }
    return made;
  }();
  return worlds;
}

namespace {

// Past all bounds on both sides. A row that is none begins at 0, as in a nest.
World row_world(const std::vector<std::int64_t>& offsets, Direction direction) {
  const std::int64_t rows = std::int64_t(offsets.size()) - 1, items = offsets.back();
  World world{Law::Over::Rows, direction, oracle::make_graph({rows, 1}), "oix", {}, offsets};
  oracle::apply(world.graph, oracle::merge(0, 1));
  world.graph.extents[2] = items;
  if (direction == Direction::Forward) {
    for (std::int64_t o = -2; o < rows + 2; ++o) {
      const std::int64_t begin = o < 0 || o >= rows ? 0 : offsets[std::size_t(o)];
      for (std::int64_t i = -3; i <= items + 2; ++i) world.points.push_back({o, i, begin + i, 0});
    }
    return world;
  }
  for (std::int64_t x = -3; x <= items + 3; ++x) {
    std::int64_t o = 0;
    for (std::int64_t k = 1; k < rows; ++k) o += offsets[std::size_t(k)] <= x;
    world.points.push_back({o, x - offsets[std::size_t(o)], x, 0});
  }
  return world;
}

// Past all bounds on both sides, as above.
World group_world(const std::vector<std::int64_t>& offsets, std::int64_t height,
                  Direction direction) {
  World world{Law::Over::Groups, direction, {}, "oixtr", {}, offsets, height};
  const std::int64_t rows = world.rows(), groups = (rows + height - 1) / height;
  world.graph = oracle::make_graph({height, 1, 1, groups, rows});
  oracle::apply(world.graph, oracle::merge(0, 1));
  for (std::int64_t t = -2; t < groups + 2; ++t) {
    const std::int64_t begin = world.positions_of(t).first;
    if (direction == Direction::Forward) {
      for (std::int64_t o = -2; o < height + 2; ++o) {
        const std::int64_t r = t * height + o;
        const std::int64_t own = r < 0 || r >= rows ? 0 : offsets[std::size_t(r)];
        for (std::int64_t i = -3; i <= offsets.back() + 2; ++i) {
          world.points.push_back({o, i, own + i - begin, t, r});
        }
      }
      continue;
    }
    // Only rows of the group are searched, brought in among those that there are.
    const auto a_row = [&](std::int64_t r) { return std::clamp<std::int64_t>(r, 0, rows - 1); };
    for (std::int64_t x = -3; x <= offsets.back() + 3; ++x) {
      std::int64_t r = a_row(t * height);
      for (std::int64_t k = r + 1; k <= a_row(t * height + height - 1); ++k) {
        if (offsets[std::size_t(k)] <= begin + x) r = k;
      }
      world.points.push_back({r - t * height, begin + x - offsets[std::size_t(r)], x, t, r});
    }
  }
  return world;
}

// Calls `make` with the offsets of every few rows of at most `longest` items.
template <class Make>
void for_each_offsets(std::int64_t longest, Make make) {
  for (std::size_t rows = 1; rows <= 4; ++rows) {
    std::vector<std::int64_t> lengths(rows, 0);
    for (;;) {
      std::vector<std::int64_t> offsets = {0};
      for (std::int64_t n : lengths) offsets.push_back(offsets.back() + n);
      make(offsets);
      std::size_t k = rows;
      while (k > 0 && lengths[k - 1] == longest) lengths[--k] = 0;
      if (k == 0) break;
      ++lengths[k - 1];
    }
  }
}

constexpr Direction kDirections[] = {Direction::Forward, Direction::Backward};

}  // namespace

const std::vector<World>& row_worlds() {
  static const std::vector<World> worlds = [] {
    std::vector<World> made;
    for_each_offsets(3, [&](const std::vector<std::int64_t>& offsets) {
      for (Direction d : kDirections) made.push_back(row_world(offsets, d));
    });
    return made;
  }();
  return worlds;
}

const std::vector<World>& group_worlds() {
  static const std::vector<World> worlds = [] {
    std::vector<World> made;
    for_each_offsets(2, [&](const std::vector<std::int64_t>& offsets) {
      for (std::int64_t height : {1, 2, 3}) {
        for (Direction d : kDirections) made.push_back(group_world(offsets, height, d));
      }
    });
    return made;
  }();
  return worlds;
}

std::vector<World> digit_worlds(Direction direction) {
  std::vector<World> made;
  for (std::int64_t o = 1; o <= 4; ++o) {
    for (std::int64_t i = 1; i <= 4; ++i) {
      for (std::int64_t x = 1; x <= o * i + 4; ++x) {
        World world{Law::Over::Merge, direction, oracle::make_graph({o, i}), "oix", {}};
        oracle::apply(world.graph, oracle::merge(0, 1));
        world.graph.extents[2] = x;
        fill_points(world);
        made.push_back(std::move(world));
      }
    }
  }
  return made;
}

std::string counterexample(const World& world, std::string_view premises,
                           std::string_view conclusion) {
  const std::vector<HalfBound> given = read_bounds(world, premises);
  const std::vector<HalfBound> claimed = read_bounds(world, conclusion);
  for (const auto& point : world.points) {
    const auto holds = [&](const HalfBound& b) {
      return b.lo ? 0 <= point[b.letter] : point[b.letter] < world.extent_at(point, b.letter);
    };
    if (!std::all_of(given.begin(), given.end(), holds)) continue;
    if (std::all_of(claimed.begin(), claimed.end(), holds)) continue;
    std::string text = world.text() + ":";
    for (std::size_t k = 0; k < world.letters.size(); ++k) {
      text += std::string(" ") + world.letters[k] + " = " + std::to_string(point[k]);
    }
    return text;
  }
  return {};
}

}  // namespace selvage
