#include <selvage/base/integer.h>
#include <selvage/ir/parallel.h>
#include <selvage/kernel/launch_limits.h>
#include <selvage/threads/bodies.h>
#include <selvage/threads/item_path.h>
#include <selvage/threads/levels.h>
#include <selvage/threads/refuse_at.h>

#include <algorithm>
#include <array>
#include <string>

namespace selvage {

namespace {

constexpr std::int64_t kMostInCluster = 8;
constexpr std::int64_t kMostDevices = 1'024;  // each is a run of its own

std::string name_of(const ParallelLevel& level) { return to_string(MaskLevel{level.indices}); }

void check_indices(const ParallelLevel& level) {
  if (level.indices.empty()) {
    refuse_at(level.place, "E823", "a level has no index", "give it one, such as {p: 6}");
  }
  if (level.indices.size() > ParallelLevel::kMostIndices) {
    refuse_at(level.place, "E823",
              "the level " + name_of(level) + " has " + std::to_string(level.indices.size()) +
                  " indices, and a level has three at most",
              "make the outer ones a level of their own");
  }
  for (const MaskIndex& i : level.indices) {
    if (i.extent >= 1) continue;
    refuse_at(level.place, "E823",
              "the parallel index " + std::string(i.symbol.name()) + " has the extent " +
                  std::to_string(i.extent) + ", and nobody would run what stands inside",
              "give it an extent of 1 or more");
  }
}

bool is_of_grid(LevelKind kind) { return kind == LevelKind::Block || kind == LevelKind::Cluster; }
bool is_of_block(LevelKind kind) { return kind >= LevelKind::Warpgroup; }
bool is_cluster(LevelKind kind) { return kind == LevelKind::Cluster; }
bool is_device(LevelKind kind) { return kind == LevelKind::Device; }
bool may_repeat(LevelKind kind) { return kind == LevelKind::Block || kind == LevelKind::Thread; }

// The kinds of levels that are not named, then the order of all.
void infer(std::vector<ParallelLevel>& levels) {
  const bool has_blocks = std::any_of(levels.begin(), levels.end(),
                                      [](const auto& l) { return l.kind == LevelKind::Block; });
  std::size_t outer = 0;  // behind the devices
  while (outer < levels.size() && levels[outer].kind == LevelKind::Device) ++outer;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    if (levels[k].kind) continue;
    const bool is_block = k == outer && !has_blocks && levels.size() - outer > 1;
    levels[k].kind = is_block ? LevelKind::Block : LevelKind::Thread;
    const auto next =
        std::find_if(levels.begin() + std::ptrdiff_t(k), levels.end(),
                     [&](const auto& l) { return l.kind && *l.kind < *levels[k].kind; });
    if (next == levels.end()) continue;
    refuse_at(levels[k].place, "E823",
              "the level " + name_of(levels[k]) + " has no kind and stands outside of " +
                  name_of(*next) + ", a level of kind " + std::string(to_string(*next->kind)),
              "name its kind, such as {block: [" + name_of(levels[k]) + ": " +
                  std::to_string(levels[k].extent()) + "]}");
  }
  for (std::size_t k = 1; k < levels.size(); ++k) {
    const LevelKind outside = *levels[k - 1].kind, inside = *levels[k].kind;
    if (outside < inside || (outside == inside && may_repeat(inside))) continue;
    const std::string kind(to_string(inside));
    refuse_at(levels[k].place, "E823",
              outside == inside ? "a level of kind " + kind + " stands in another"
                                : "a level of kind " + kind + " stands in one of kind " +
                                      std::string(to_string(outside)),
              outside == inside
                  ? "make them one level, such as {" + kind + ": [a: 2, b: 2]}"
                  : "from the outside in: device, block, cluster, warpgroup, warp, thread");
  }
}

std::int64_t extent_below(const std::vector<ParallelLevel>& levels, std::size_t level) {
  std::int64_t n = 1;
  for (std::size_t k = level + 1; k < levels.size(); ++k) {
    n = checked_mul(n, levels[k].extent()).value_or(INT64_MAX);
  }
  return n;
}

// The level of threads to add inside a warp or a warpgroup that has no level inside, with an index
// whose name nothing else in the program has.
std::optional<ParallelLevel> threads_within(const ParallelLevel& innermost, ExprPool& pool,
                                            NamesOf& names) {
  std::int64_t n = 0;
  if (innermost.kind == LevelKind::Warp) n = kWarp;
  if (innermost.kind == LevelKind::Warpgroup) n = kWarpgroup;
  if (n == 0) return std::nullopt;
  const std::string unit(innermost.indices.back().symbol.name());
  const Expr lane = pool.symbol(names.fresh("lane_of_" + unit));
  return ParallelLevel{.kind = LevelKind::Thread, .indices = {{lane, n}}, .place = innermost.place};
}

void check_groups(const std::vector<ParallelLevel>& levels) {
  for (std::size_t k = 0; k < levels.size(); ++k) {
    const LevelKind kind = *levels[k].kind;
    if (kind != LevelKind::Warp && kind != LevelKind::Warpgroup) continue;
    const std::int64_t within = extent_below(levels, k),
                       threads = kind == LevelKind::Warp ? kWarp : kWarpgroup;
    if (within == threads) continue;
    refuse_at(
        levels[k].place, "E821",
        "the level " + name_of(levels[k]) + " is of kind " + std::string(to_string(kind)) +
            ", which is " + std::to_string(threads) + " threads, and " + std::to_string(within) +
            " stand inside",
        "make the extents inside multiply to " + std::to_string(threads) + ", or leave them out");
  }
}

// For levels side by side the first count that differs is reported: blocks of the grid before
// blocks of a cluster, which are a part of them.
constexpr std::array<LevelCount, 4> kLevelCounts = {{
    {"threads", "block", "threads in a block", is_of_block, kMaxThreads,
     "make some of its levels blocks"},
    {"blocks", "grid", "blocks", is_of_grid, kMaxGrid[0], "make the extents smaller"},
    {"blocks", "cluster", "blocks in a cluster", is_cluster, kMostInCluster,
     "make the cluster smaller"},
    {"devices", "launch", "devices", is_device, kMostDevices, "make the extents smaller"},
}};

Diagnostic past_limit(const LevelChain& chain, const LevelCount& count) {
  const std::int64_t n = count.of(chain);
  const auto first = std::find_if(chain.levels.begin(), chain.levels.end(),
                                  [&](const auto& l) { return count.counts(*l.kind); });
  return {.code = "E820",
          .place = first->place,
          .message = (n == INT64_MAX ? "more than 2^63" : std::to_string(n)) + " " + count.what +
                     " in a " + count.where + ", and there are " + std::to_string(count.most) +
                     " at most",
          .help = count.help};
}

Diagnostic unlike(const LevelChain& chain, const LevelChain& first, const LevelCount& count) {
  const ParallelLevel& innermost = chain.levels.back();
  const std::string what = count.name;
  return {.code = "E822",
          .place = innermost.place,
          .message = "the levels down to " + name_of(innermost) + " make " +
                     std::to_string(count.of(chain)) + " " + what + ", and those down to " +
                     name_of(first.levels.back()) + " beside them " +
                     std::to_string(count.of(first)),
          .help = "give levels that stand side by side the same number of " + what +
                  ", and mask with inthreads what fewer of them run"};
}

bool is_same(const Diagnostic& a, const Diagnostic& b) {
  return a.message == b.message && at(a.place) == at(b.place);
}

// The extents of some levels, one times the other.
std::int64_t extent_of(const LevelChain& chain, const auto& counts) {
  std::int64_t n = 1;
  for (const ParallelLevel& l : chain.levels) {
    if (counts(*l.kind)) n = checked_mul(n, l.extent()).value_or(INT64_MAX);
  }
  return n;
}

class TreeMaker {
 public:
  TreeMaker(const ThreadProgram& program, std::vector<Diagnostic>& wrong)
      : program_(program), wrong_(wrong), names_(program) {}

  LevelTree make() {
    visit(program_.outermost, {});
    for (const LevelChain& chain : tree_.chains) check_alike(chain);
    return std::move(tree_);
  }

 private:
  using Nest = std::vector<const InnerParallel*>;

  // What is wrong with levels is said once, however many levels stand inside.
  void tell(const Diagnostic& d, const LevelCount* count = nullptr) {
    const auto is_it = [&](const Diagnostic& said) { return is_same(said, d); };
    if (std::any_of(wrong_.begin(), wrong_.end(), is_it)) return;
    wrong_.push_back(d);
    if (count != nullptr) tree_.counts.emplace_back(d, count);
  }
  void attempt(const auto& action) {
    try {
      action();
    } catch (const Illegal& refusal) {
      tell(refusal.diagnostic());
    }
  }

  void visit(const InnerParallel& node, Nest around) {
    for (const ParallelLevel& level : node.levels) {
      attempt([&] { check_indices(level); });
    }
    around.push_back(&node);
    if (!visit(node.body, around)) attempt([&] { finish(around); });
  }
  // Whether some level stands in there.
  bool visit(const ThreadBody& body, const Nest& around) {
    bool has_inner = false;
    for (const ThreadItem& item : body) {
      if (const auto* inner = std::get_if<InnerParallel>(&item.node)) {
        visit(*inner, around);
        has_inner = true;
      } else if (const ThreadBody* inside = body_of(item)) {
        has_inner = visit(*inside, around) || has_inner;
      }
    }
    return has_inner;
  }

  void finish(const Nest& nest) {
    LevelChain chain;
    for (const InnerParallel* node : nest) {
      chain.levels.insert(chain.levels.end(), node->levels.begin(), node->levels.end());
    }
    // Said already.
    for (const ParallelLevel& level : chain.levels) check_indices(level);
    if (chain.levels.empty()) return tree_.chains.push_back(std::move(chain));
    infer(chain.levels);
    std::size_t next = 0;
    for (const InnerParallel* node : nest) {
      std::vector<ParallelLevel>& own = tree_.levels[node];
      own.assign(chain.levels.begin() + std::ptrdiff_t(next),
                 chain.levels.begin() + std::ptrdiff_t(next + node->levels.size()));
      next += node->levels.size();
    }
    if (const auto added = threads_within(chain.levels.back(), *program_.pool, names_)) {
      chain.levels.push_back(*added);
      tree_.levels[nest.back()].push_back(*added);
    }
    check_groups(chain.levels);
    bool fits = true;
    for (const LevelCount& count : kLevelCounts) {
      if (count.of(chain) <= count.most) continue;
      tell(past_limit(chain, count), &count);
      fits = false;
    }
    if (fits) tree_.chains.push_back(std::move(chain));
  }

  // All ways from the outside in are run by the same launch.
  void check_alike(const LevelChain& chain) {
    const LevelChain& first = tree_.chains.front();
    for (const LevelCount& count : kLevelCounts) {
      if (count.of(chain) == count.of(first)) continue;
      return tell(unlike(chain, first, count), &count);
    }
  }

  const ThreadProgram& program_;
  std::vector<Diagnostic>& wrong_;
  NamesOf names_;
  LevelTree tree_;
};

}  // namespace

std::string_view to_string(LevelKind kind) { return kLevelKinds[std::size_t(kind)]; }

std::optional<LevelKind> parse_level_kind(std::string_view name) {
  const auto it = std::find(kLevelKinds.begin(), kLevelKinds.end(), name);
  if (it == kLevelKinds.end()) return std::nullopt;
  return LevelKind(it - kLevelKinds.begin());
}

std::int64_t ParallelLevel::extent() const {
  std::int64_t n = 1;
  for (const MaskIndex& i : indices) n = checked_mul(n, i.extent).value_or(INT64_MAX);
  return n;
}

std::int64_t LevelChain::extent(LevelKind kind) const {
  return extent_of(*this, [&](LevelKind k) { return k == kind; });
}
std::int64_t LevelChain::blocks() const { return extent_of(*this, is_of_grid); }
std::int64_t LevelChain::threads() const { return extent_of(*this, is_of_block); }

std::int64_t LevelCount::of(const LevelChain& chain) const { return extent_of(chain, counts); }

const LevelCount* LevelTree::count_behind(const Diagnostic& d) const {
  const auto it = std::find_if(counts.begin(), counts.end(),
                               [&](const auto& told) { return is_same(told.first, d); });
  return it == counts.end() ? nullptr : it->second;
}

ThreadMask::Levels mask_levels(std::span<const ParallelLevel> levels) {
  ThreadMask::Levels out;
  for (const ParallelLevel& l : levels) out.push_back({l.indices, is_of_block(*l.kind)});
  return out;
}

LevelTree level_tree(const ThreadProgram& program, std::vector<Diagnostic>& wrong) {
  return TreeMaker(program, wrong).make();
}

}  // namespace selvage
