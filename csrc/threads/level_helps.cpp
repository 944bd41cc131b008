#include <selvage/base/integer.h>
#include <selvage/expr/text.h>
#include <selvage/ir/parallel.h>
#include <selvage/threads/bodies.h>
#include <selvage/threads/item_path.h>
#include <selvage/threads/level_helps.h>

#include <algorithm>
#include <numeric>
#include <optional>

namespace selvage {

namespace {

// A level and where it stands in a program.
struct LevelAt {
  InnerParallel* node = nullptr;
  std::size_t index = 0;
  Place item = {};  // of the parallel that has it; none: it is one of the outermost

  ParallelLevel& level() const { return node->levels[index]; }
};
using Chain = std::vector<LevelAt>;

// Adds every chain of levels from the outermost in to a node without levels inside it.
void add_chains(InnerParallel& node, const Place& item, Chain around, std::vector<Chain>& all);
bool add_inner(ThreadBody& body, const Chain& around, std::vector<Chain>& all) {
  bool has_inner = false;
  for (ThreadItem& item : body) {
    if (auto* inner = std::get_if<InnerParallel>(&item.node)) {
      add_chains(*inner, item.place, around, all);
      has_inner = true;
    } else if (auto* inside = const_cast<ThreadBody*>(body_of(item))) {
      has_inner = add_inner(*inside, around, all) || has_inner;
    }
  }
  return has_inner;
}
void add_chains(InnerParallel& node, const Place& item, Chain around, std::vector<Chain>& all) {
  for (std::size_t k = 0; k < node.levels.size(); ++k) around.push_back({&node, k, item});
  if (!add_inner(node.body, around, all)) all.push_back(std::move(around));
}
std::vector<Chain> chains_of(ThreadProgram& program) {
  std::vector<Chain> all;
  add_chains(program.outermost, {}, {}, all);
  return all;
}

std::optional<LevelAt> find_level(ThreadProgram& program, const Place& place) {
  for (const Chain& chain : chains_of(program)) {
    for (const LevelAt& l : chain) {
      if (at(l.level().place) == at(place)) return l;
    }
  }
  return std::nullopt;
}

std::string text_of(const MaskIndex& i) {
  return std::string(i.symbol.name()) + ": " + std::to_string(i.extent);
}
std::string text_of(const ParallelLevel& level) {
  std::string indices;
  for (const MaskIndex& i : level.indices) indices += (indices.empty() ? "" : ", ") + text_of(i);
  if (!level.kind) return "{" + indices + "}";
  return "{" + std::string(to_string(*level.kind)) + ": [" + indices + "]}";
}
std::string text_of(const std::vector<ParallelLevel>& levels) {
  std::string text;
  for (const ParallelLevel& level : levels) text += (text.empty() ? "" : ", ") + text_of(level);
  return text;
}

struct Extent {
  Expr index;
  std::int64_t extent;
};

class LevelMends {
 public:
  LevelMends(const ThreadProgram& program, const LevelTree& tree, const Diagnostic& d)
      : program_(program),
        copy_(program),
        tree_(tree),
        d_(d),
        count_(tree.count_behind(d)),
        chains_(chains_of(copy_)) {}

  std::vector<Mend> all() {
    for (const Chain& chain : chains_) {
      const auto own = std::find_if(chain.begin(), chain.end(), [&](const LevelAt& l) {
        return at(l.level().place) == at(d_.place);
      });
      if (own == chain.end()) continue;
      const std::size_t k = std::size_t(own - chain.begin());
      if (d_.code == "E820") past_limit(chain, k);
      if (d_.code == "E821") not_filled(chain, k);
      if (d_.code == "E822") side_by_side();
      if (d_.code == "E823") out_of_order(chain, k);
      break;
    }
    return std::move(mends_);
  }

 private:
  // ---- what is changed ----

  static void set_extents(ThreadProgram& program, const std::vector<Extent>& extents) {
    for (const Chain& chain : chains_of(program)) {
      for (const LevelAt& l : chain) {
        for (MaskIndex& i : l.level().indices) {
          for (const Extent& e : extents) {
            if (same(i.symbol, e.index)) i.extent = e.extent;
          }
        }
      }
    }
  }
  void give(const std::vector<Extent>& extents) {
    std::string help = "give ";
    for (const Extent& e : extents) {
      help += (help.size() > 5 ? " and " : "") + std::string(e.index.name()) + " the extent " +
              std::to_string(e.extent);
    }
    mends_.push_back({help, [extents](ThreadProgram& program) { set_extents(program, extents); }});
  }
  void last_resort() { mends_.back().is_last_resort = true; }

  // Adds a mend that replaces a level by others.
  void replace(const LevelAt& l, const std::vector<ParallelLevel>& by, const std::string& help) {
    const Place place = l.level().place;
    mends_.push_back({help, [place, by](ThreadProgram& program) {
                        const auto own = find_level(program, place);
                        if (!own) return;
                        auto& levels = own->node->levels;
                        const auto first =
                            levels.erase(levels.begin() + std::ptrdiff_t(own->index));
                        levels.insert(first, by.begin(), by.end());
                      }});
  }
  void replace(const LevelAt& l, const std::vector<ParallelLevel>& by) {
    const bool is_own = at(l.level().place) == at(d_.place);
    const std::string where =
        is_own ? " in its place" : " for the level at " + text(l.level().place);
    replace(l, by, "write " + text_of(by) + where);
  }
  void rename_kind(const LevelAt& l, LevelKind kind) {
    if (l.level().kind == kind) return;
    ParallelLevel by = l.level();
    by.kind = kind;
    replace(l, {by});
  }
  // Adds a mend that replaces all levels of the list that `l` is in.
  void write_list(const LevelAt& l, const std::vector<ParallelLevel>& by) {
    const Place place = l.level().place;
    mends_.push_back(
        {"write the levels there as " + text_of(by), [place, by](ThreadProgram& program) {
           const auto own = find_level(program, place);
           if (own) own->node->levels = by;
         }});
  }

  // ---- limits ----

  std::optional<LevelKind> kind_of(const LevelAt& l) const {
    // The tree has the nodes of program_ as keys, but `l` points into a copy.
    const auto own = find_level(const_cast<ThreadProgram&>(program_), l.level().place);
    const auto it = own ? tree_.levels.find(own->node) : tree_.levels.end();
    if (it == tree_.levels.end() || own->index >= it->second.size()) return l.level().kind;
    return it->second[own->index].kind;
  }

  void past_limit(const Chain& chain, std::size_t first) {
    if (count_ == nullptr) return;
    std::int64_t most = count_->most;
    const bool is_of_block = count_->counts(LevelKind::Thread);
    std::vector<MaskIndex> counted;
    for (const LevelAt& l : chain) {
      const auto kind = kind_of(l);
      if (!kind) return;
      if (!count_->counts(*kind)) continue;
      counted.insert(counted.end(), l.level().indices.begin(), l.level().indices.end());
    }
    // Where warps or warpgroups are innermost, their threads count but have no index in the file.
    if (is_of_block) {
      const auto kind = kind_of(chain.back());
      if (kind == LevelKind::Warp) most /= kWarp;
      if (kind == LevelKind::Warpgroup) most /= kWarpgroup;
    }
    for (std::size_t k = 0; k < counted.size(); ++k) {
      std::int64_t others = 1;
      for (std::size_t o = 0; o < counted.size(); ++o) {
        if (o != k) others = checked_mul(others, counted[o].extent).value_or(INT64_MAX);
      }
      if (most / others < 1) continue;
      give({{counted[k].symbol, most / others}});
      if (k > 0) last_resort();
    }
    std::vector<Extent> several;
    std::int64_t left = most;
    for (std::size_t k = counted.size(); k-- > 0;) {
      const std::int64_t extent = std::min(left, counted[k].extent);
      if (extent < counted[k].extent) several.push_back({counted[k].symbol, extent});
      left /= extent;
    }
    if (several.size() > 1) {
      give(several);
      last_resort();
    }
    if (is_of_block) rename_kind(chain[first], LevelKind::Block);
  }

  // ---- warps ----

  void not_filled(const Chain& chain, std::size_t own) {
    const std::int64_t threads = chain[own].level().kind == LevelKind::Warp ? kWarp : kWarpgroup;
    const bool has_lanes = kind_of(chain.back()) == LevelKind::Warp;
    const std::int64_t wanted = has_lanes ? threads / kWarp : threads;
    std::vector<MaskIndex> inside;
    std::int64_t within = 1;
    for (std::size_t k = own + 1; k < chain.size(); ++k) {
      for (const MaskIndex& i : chain[k].level().indices) inside.push_back(i);
    }
    for (const MaskIndex& i : inside) within = checked_mul(within, i.extent).value_or(INT64_MAX);
    for (std::size_t k = inside.size(); k-- > 0;) {
      const std::int64_t others = within / inside[k].extent;
      if (within == INT64_MAX || others > wanted || wanted % others != 0) continue;
      give({{inside[k].symbol, wanted / others}});
      if (mends_.size() > 1) last_resort();
    }
    std::vector<Extent> all;
    for (const MaskIndex& i : inside) all.push_back({i.symbol, 1});
    if (all.empty()) return;
    all.back().extent = wanted;
    give(all);
    last_resort();
    rename_kind(chain[own], LevelKind::Thread);
  }

  // ---- levels side by side ----

  // Gives an index a greater extent; only the instances below the old one (`from`) run the body.
  struct Growth {
    Expr index;
    std::int64_t from = 0, to = 0;
    Place item = {};
  };
  std::vector<Growth> growths(const Chain& chain, const Chain& other, std::int64_t own,
                              std::int64_t wanted) const {
    std::vector<Growth> all;
    for (std::size_t l = chain.size(); l-- > 0;) {
      if (l < other.size() && at(other[l].level().place) == at(chain[l].level().place)) break;
      const auto kind = kind_of(chain[l]);
      if (!kind || !count_->counts(*kind)) continue;
      const auto& indices = chain[l].level().indices;
      for (std::size_t k = indices.size(); k-- > 0;) {
        const MaskIndex& i = indices[k];
        const std::int64_t rest = own / i.extent;
        if (wanted % rest == 0) all.push_back({i.symbol, i.extent, wanted / rest, chain[l].item});
      }
    }
    return all;
  }
  void grow(const std::vector<Growth>& growths, bool is_region) {
    std::string help;
    for (const Growth& g : growths) {
      const std::string name(g.index.name());
      const std::string when = name + " < " + std::to_string(g.from);
      help += (help.empty() ? "give " : ", and give ") + name + " the extent " +
              std::to_string(g.to) + " and put " +
              (is_region ? "inthreads: {when: " + when : "for: {index: once, in: 1, if: " + when) +
              ", do: [...]} around what stands in the parallel at " + text(g.item);
    }
    const auto once = program_.pool->symbol("once");
    mends_.push_back({help, [growths, is_region, once](ThreadProgram& program) {
                        for (const Growth& g : growths) {
                          set_extents(program, {{g.index, g.to}});
                          const auto path = find_item(program, g.item);
                          auto* node =
                              path ? std::get_if<InnerParallel>(&path->item().node) : nullptr;
                          if (node == nullptr) continue;
                          const Expr when = g.index < g.index.pool().constant(g.from);
                          ThreadItem around;
                          if (is_region) {
                            around.node = InThreads{when, to_string(when), false, node->body};
                          } else {
                            around.node = SerialFor{.index = once,
                                                    .extent = program.pool->constant(1),
                                                    .label = "once",
                                                    .condition = when,
                                                    .text = to_string(when),
                                                    .body = node->body};
                          }
                          node->body = {around};
                        }
                      }});
    if (!is_region) last_resort();
  }
  // Mends that give all chains the same count: the largest, or their least common multiple.
  void side_by_side() {
    if (count_ == nullptr || tree_.chains.size() != chains_.size()) return;
    std::int64_t most = 1, multiple = 1;
    for (const LevelChain& chain : tree_.chains) {
      most = std::max(most, count_->of(chain));
      multiple = std::lcm(multiple, count_->of(chain));
    }
    constexpr std::size_t kMostTried = 3;
    for (const std::int64_t wanted : {most, multiple}) {
      for (const bool is_region : {true, false}) {
        for (std::size_t option = 0; option < kMostTried; ++option) {
          const std::vector<Growth> all = growths_to(wanted, option);
          if (all.empty()) continue;
          grow(all, is_region);
          if (mends_.size() > 1) last_resort();
        }
      }
    }
  }
  // Growths that give every chain the wanted count; empty if some chain cannot get it.
  std::vector<Growth> growths_to(std::int64_t wanted, std::size_t option) const {
    std::vector<Growth> all;
    for (std::size_t k = 0; k < chains_.size(); ++k) {
      const std::int64_t own = count_->of(tree_.chains[k]);
      if (own == wanted) continue;
      const std::vector<Growth> ways =
          growths(chains_[k], chains_[k == 0 ? chains_.size() - 1 : 0], own, wanted);
      if (ways.empty()) return {};
      const Growth& way = ways[std::min(option, ways.size() - 1)];
      const auto is_it = [&](const Growth& g) { return same(g.index, way.index); };
      if (std::none_of(all.begin(), all.end(), is_it)) all.push_back(way);
    }
    return all;
  }

  // ---- kinds and indices ----

  void out_of_order(const Chain& chain, std::size_t own) {
    const ParallelLevel level = chain[own].level();
    if (level.indices.empty()) return without_index(chain[own]);
    if (level.indices.size() > ParallelLevel::kMostIndices) return too_many(chain[own]);
    for (const MaskIndex& i : level.indices) {
      if (i.extent < 1) return below_one(i);
    }
    // The levels of the list sorted by kind, outermost first; levels of a kind that may stand only
    // once are merged.
    std::vector<ParallelLevel> list = chain[own].node->levels;
    for (LevelKind unnamed : {LevelKind::Block, LevelKind::Thread}) {
      std::vector<ParallelLevel> named = list;
      for (ParallelLevel& l : named) l.kind = l.kind.value_or(unnamed);
      std::stable_sort(named.begin(), named.end(),
                       [](const auto& a, const auto& b) { return *a.kind < *b.kind; });
      std::vector<ParallelLevel> merged;
      for (const ParallelLevel& l : named) {
        const bool repeats = *l.kind == LevelKind::Block || *l.kind == LevelKind::Thread;
        if (!merged.empty() && merged.back().kind == l.kind && !repeats) {
          auto& indices = merged.back().indices;
          indices.insert(indices.end(), l.indices.begin(), l.indices.end());
        } else {
          merged.push_back(l);
        }
      }
      write_list(chain[own], merged);
      if (mends_.size() > 1) last_resort();
    }
    for (LevelKind kind : {LevelKind::Block, LevelKind::Thread, LevelKind::Warp,
                           LevelKind::Warpgroup, LevelKind::Cluster, LevelKind::Device}) {
      rename_kind(chain[own], kind);
      if (mends_.size() > 1) last_resort();
      if (own == 0) continue;
      rename_kind(chain[own - 1], kind);
      last_resort();
    }
    // The level moved to each other place in its list, which helps one without a kind.
    for (std::size_t l = 0; l < list.size(); ++l) {
      std::vector<ParallelLevel> moved = chain[own].node->levels;
      const ParallelLevel out = moved[chain[own].index];
      moved.erase(moved.begin() + std::ptrdiff_t(chain[own].index));
      moved.insert(moved.begin() + std::ptrdiff_t(l), out);
      write_list(chain[own], moved);
      last_resort();
    }
  }

  void without_index(const LevelAt& own) {
    NamesOf names(program_);
    const Expr index = program_.pool->symbol(names.fresh("p"));
    for (std::int64_t extent : {1, 32, 128, 4}) {
      ParallelLevel by = own.level();
      by.indices = {{index, extent}};
      replace(own, {by});
      if (extent > 1) last_resort();
    }
    if (own.node->levels.size() > 1) replace(own, {}, "take it out");
  }

  // Mends that split a level of too many indices: the outer indices become levels of their own.
  void too_many(const LevelAt& own) {
    const ParallelLevel& level = own.level();
    std::vector<std::optional<LevelKind>> kinds = {level.kind};
    if (!level.kind) kinds = {LevelKind::Thread, LevelKind::Block};
    if (level.kind && *level.kind != LevelKind::Thread && *level.kind != LevelKind::Block) {
      kinds = {LevelKind::Thread, LevelKind::Block, LevelKind::Warp, LevelKind::Warpgroup};
    }
    for (const bool keeps_one : {false, true}) {
      for (const auto& kind : kinds) {
        std::vector<ParallelLevel> by;
        std::size_t k = 0;
        while (k < level.indices.size()) {
          const std::size_t first = level.indices.size() % ParallelLevel::kMostIndices;
          const std::size_t n = k == 0 && first != 0 ? first : ParallelLevel::kMostIndices;
          ParallelLevel part = level;
          part.kind = kind;
          part.indices.assign(level.indices.begin() + std::ptrdiff_t(k),
                              level.indices.begin() + std::ptrdiff_t(k + n));
          by.push_back(part);
          k += n;
        }
        if (keeps_one) by.back().kind = level.kind;
        replace(own, by);
        if (mends_.size() > 1) last_resort();
      }
    }
  }

  // Mends that give the index a usual extent, or that of another index of the program.
  void below_one(const MaskIndex& index) {
    std::vector<std::int64_t> extents = {1, 32, 128, 4, 2, 8, 16, 64};
    for (const Chain& chain : chains_) {
      for (const LevelAt& l : chain) {
        for (const MaskIndex& i : l.level().indices) extents.push_back(i.extent);
      }
    }
    for (std::int64_t extent : extents) {
      if (extent < 1) continue;
      give({{index.symbol, extent}});
      if (mends_.size() > 1) last_resort();
    }
  }

  const ThreadProgram& program_;
  ThreadProgram copy_;  // to find what stands where
  const LevelTree& tree_;
  const Diagnostic& d_;
  const LevelCount* count_;  // null: it is not told of one
  std::vector<Chain> chains_;
  std::vector<Mend> mends_;
};

}  // namespace

std::vector<Mend> level_mends(const ThreadProgram& program, const LevelTree& tree,
                              const Diagnostic& d) {
  return LevelMends(program, tree, d).all();
}

}  // namespace selvage
