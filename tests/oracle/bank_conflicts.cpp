#include "tests/oracle/bank_conflicts.h"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "tests/oracle/arithmetic.h"
#include "tests/oracle/brute_force.h"

namespace selvage::oracle {

int bound_to(const Binding& binding, Role role) {
  const auto found = std::find_if(binding.begin(), binding.end(),
                                  [role](const auto& bound) { return bound.second == role; });
  return found == binding.end() ? -1 : found->first;
}

std::vector<int> all_bound_to(const Graph& graph, const Binding& binding, Role role) {
  std::vector<int> r;
  for (int x : graph.loop) {
    const auto found = binding.find(x);
    if (found != binding.end() && found->second == role) r.push_back(x);
  }
  return r;
}

namespace {

std::int64_t threads_of_a_phase(std::int64_t bytes) {
  if (bytes == 1 || bytes == 2 || bytes == 4) return kWarp;
  if (bytes == 8) return kWarp / 2;
  if (bytes == 16) return kWarp / 4;
  throw std::invalid_argument("oracle: no access of so many bytes");
}

}  // namespace

int conflict_degree(std::span<const std::optional<std::int64_t>> byte_addresses,
                    std::int64_t bytes) {
  const std::int64_t phase = threads_of_a_phase(bytes);
  std::size_t degree = 0;
  for (std::size_t first = 0; first < byte_addresses.size();
       first += static_cast<std::size_t>(phase)) {
    std::array<std::set<std::int64_t>, kBanks> words;
    const std::size_t end =
        std::min(byte_addresses.size(), first + static_cast<std::size_t>(phase));
    for (std::size_t t = first; t < end; ++t) {
      if (!byte_addresses[t]) continue;
      const std::int64_t from = *byte_addresses[t];
      for (std::int64_t byte = from; byte < from + bytes; ++byte) {
        const std::int64_t word = floor_div(byte, kWordBytes);
        words[floor_mod(word, kBanks)].insert(word);
      }
    }
    for (const auto& of_bank : words) degree = std::max(degree, of_bank.size());
  }
  return static_cast<int>(degree);
}

namespace {

// The accesses of all threads of the block at one value of the other loops.
class Block {
 public:
  Block(std::int64_t threads, std::int64_t width)
      : vectors_(threads), scalars_(width, Addresses(threads)), points_(threads) {}

  void clear() {
    std::fill(vectors_.begin(), vectors_.end(), std::nullopt);
    for (Addresses& lane : scalars_) std::fill(lane.begin(), lane.end(), std::nullopt);
  }

  // The group of one thread: the byte address of each of its points, nothing where it is a hole.
  void access(std::int64_t thread, std::span<const std::optional<std::int64_t>> group,
              std::vector<std::int64_t> point) {
    points_[thread] = std::move(point);
    const bool full = std::all_of(group.begin(), group.end(), [](auto a) { return a.has_value(); });
    if (full) {
      vectors_[thread] = group[0];
    } else {
      for (std::size_t lane = 0; lane < group.size(); ++lane) scalars_[lane][thread] = group[lane];
    }
  }

  void judge(std::int64_t bytes, std::int64_t element_bytes, BankConflicts& worst) const {
    judge(vectors_, bytes, worst.degree, worst);
    for (const Addresses& lane : scalars_) judge(lane, element_bytes, worst.scalar_degree, worst);
  }

 private:
  using Addresses = std::vector<std::optional<std::int64_t>>;

  void judge(const Addresses& threads, std::int64_t bytes, int& worst, BankConflicts& of) const {
    for (std::size_t first = 0; first < threads.size(); first += kWarp) {
      const std::size_t count = std::min<std::size_t>(kWarp, threads.size() - first);
      const int degree = conflict_degree(std::span(threads).subspan(first, count), bytes);
      if (degree <= worst) continue;
      const bool is_worst = degree > std::max(of.degree, of.scalar_degree);
      worst = degree;
      std::size_t thread = first;
      while (!threads[thread]) ++thread;
      if (is_worst) of.point = points_[thread];
    }
  }

  Addresses vectors_;
  std::vector<Addresses> scalars_;  // by lane
  std::vector<std::vector<std::int64_t>> points_;
};

}  // namespace

BankConflicts bank_conflicts(const Graph& graph, const Layout& layout, const Binding& binding,
                             std::array<std::int64_t, 3> block) {
  // Loops from the outside: those that are not bound to threads, then z, y, x, then the vector.
  const std::array<int, 3> axes = {bound_to(binding, Role::ThreadX),
                                   bound_to(binding, Role::ThreadY),
                                   bound_to(binding, Role::ThreadZ)};
  const int vector = bound_to(binding, Role::Vector);
  std::vector<int> inner;
  std::int64_t points = 1;  // of the block at one value of the outer loops
  for (std::size_t k = 3; k-- > 0;) {
    const std::int64_t n = axes[k] < 0 ? 1 : graph.extents[axes[k]];
    block[k] = std::max(block[k], n);
    points = mul(points, n);
    if (axes[k] >= 0) inner.push_back(axes[k]);
  }
  const std::int64_t width = vector < 0 ? 1 : graph.extents[vector];
  if (vector >= 0) inner.push_back(vector);
  points = mul(points, width);
  const std::int64_t bytes = mul(width, layout.element_bytes);
  threads_of_a_phase(bytes);  // throws for widths that no access has

  BankConflicts worst;
  Block accesses(mul(mul(block[0], block[1]), block[2]), width);
  std::vector<std::optional<std::int64_t>> group;
  std::int64_t seen = 0;
  for_each_point(with_innermost(graph, inner), [&](auto, auto coordinates, std::uint64_t mask) {
    const auto at = [&](int x) { return x < 0 ? 0 : coordinates[x]; };
    group.push_back(std::nullopt);
    if (mask == 0) group.back() = mul(address(layout, coordinates), layout.element_bytes);
    if (at(vector) + 1 == width) {
      const std::int64_t thread = at(axes[0]) + block[0] * (at(axes[1]) + block[1] * at(axes[2]));
      accesses.access(thread, group, loop_point(graph, coordinates));
      group.clear();
    }
    if (++seen < points) return;
    accesses.judge(bytes, layout.element_bytes, worst);
    accesses.clear();
    seen = 0;
  });
  return worst;
}

}  // namespace selvage::oracle
