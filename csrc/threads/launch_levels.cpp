#include <selvage/kernel/launch_limits.h>
#include <selvage/simplifier/simplifier.h>
#include <selvage/threads/launch_levels.h>

#include <algorithm>
#include <set>

namespace selvage {

namespace {

using Indices = std::vector<MaskIndex>;

class LevelPlacer {
 public:
  LevelPlacer(const ThreadProgram& program, const LevelTree& tree)
      : tree_(tree), pool_(*program.pool), out_{.facts = program.facts} {
    const Expr one = pool_.constant(1);
    out_.launch = {{one, one, one}, {one, one, one}, pool_.constant(0)};
  }

  LaunchLevels place() {
    const LevelChain& first = tree_.chains.front();
    for (const MaskIndex& d : indices(first, LevelKind::Device, LevelKind::Device)) {
      out_.devices.push_back(d.symbol);
      out_.facts.loop(d.symbol, pool_.constant(d.extent));
    }
    out_.launch.cluster = first.extent(LevelKind::Cluster);
    bind(LevelKind::Block, LevelKind::Cluster, ParallelType::BIDx, kMaxGrid, first.blocks(),
         out_.launch.grid);
    bind(LevelKind::Warpgroup, LevelKind::Thread, ParallelType::TIDx, kMaxBlock, first.threads(),
         out_.launch.block);
    // All indices in the order of levels number the threads.
    out_.number = pool_.constant(0);
    for (const ParallelLevel& level : first.levels) {
      for (const MaskIndex& i : level.indices) {
        out_.number = out_.number * i.extent + i.symbol;
        out_.threads *= i.extent;
      }
    }
    out_.number = Simplifier(out_.facts).simplify(out_.number);
    return std::move(out_);
  }

 private:
  static Indices indices(const LevelChain& chain, LevelKind from, LevelKind to) {
    Indices all;
    for (const ParallelLevel& level : chain.levels) {
      if (*level.kind < from || *level.kind > to) continue;
      all.insert(all.end(), level.indices.begin(), level.indices.end());
    }
    return all;
  }

  void bind(LevelKind from, LevelKind to, ParallelType x, const std::array<std::int64_t, 3>& most,
            std::int64_t count, std::array<Expr, 3>& extents) {
    const Indices first = indices(tree_.chains.front(), from, to);
    if (first.empty()) return;
    const bool is_direct = tree_.chains.size() == 1 && first.size() <= 3 &&
                           (from != LevelKind::Block || out_.launch.cluster == 1) &&
                           fits(first, most);
    if (is_direct) {
      for (std::size_t k = 0; k < first.size(); ++k) {
        const std::size_t axis = first.size() - 1 - k;
        loop(first[k].symbol, first[k].extent, ParallelType(int(x) + int(axis)), extents[axis]);
      }
      return;
    }
    const Expr flat = pool_.symbol("every." + std::string(to_string(x)));
    loop(flat, count, x, extents[0]);
    for (const LevelChain& chain : tree_.chains) define(indices(chain, from, to), flat, count);
  }
  static bool fits(const Indices& indices, const std::array<std::int64_t, 3>& most) {
    for (std::size_t k = 0; k < indices.size(); ++k) {
      if (indices[k].extent > most[indices.size() - 1 - k]) return false;
    }
    return true;
  }
  void loop(Expr variable, std::int64_t extent, ParallelType bound, Expr& of_launch) {
    of_launch = pool_.constant(extent);
    out_.loops.push_back(
        {.variable = variable, .extent = of_launch, .parallel = bound, .body = {}});
    out_.facts.loop(variable, of_launch);
  }
  void define(const Indices& indices, Expr flat, std::int64_t count) {
    for (const MaskIndex& i : indices) {
      count /= i.extent;
      if (!defined_.insert(i.symbol.id()).second) continue;
      const Expr value = Simplifier(out_.facts).simplify(flat / count % i.extent);
      out_.indices.push_back({i.symbol, value});
      out_.facts.loop(i.symbol, pool_.constant(i.extent));
    }
  }

  const LevelTree& tree_;
  ExprPool& pool_;
  std::set<std::uint32_t> defined_;
  LaunchLevels out_;
};

}  // namespace

Body LaunchLevels::around(Body body) const {
  Body out;
  for (const Define& d : indices) out.push_back({d});
  for (Statement& s : body) out.push_back(std::move(s));
  for (std::size_t k = loops.size(); k-- > 0;) {
    Loop loop = loops[k];
    loop.body = std::move(out);
    out.clear();
    out.push_back({std::move(loop)});
  }
  return out;
}

LaunchLevels launch_levels(const ThreadProgram& program, const LevelTree& tree) {
  return LevelPlacer(program, tree).place();
}

}  // namespace selvage
