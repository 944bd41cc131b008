#include "tests/threads/thread_view.h"

#include <algorithm>
#include <set>

namespace selvage::thread_oracle {

namespace {

std::int64_t extent_of(const Level& level, const ThreadCase& program) {
  std::int64_t n = 1;
  for (int v : level.indices) n *= program.variables[std::size_t(v)].extent;
  return n;
}

void find_parallels(const Item& item, std::vector<const Item*>& found) {
  for (const Item& inside : item.body) {
    if (inside.kind == Item::Kind::Parallel) {
      found.push_back(&inside);
    } else {
      find_parallels(inside, found);
    }
  }
}

bool is_block_kind(const std::string& kind) {
  return kind == "device" || kind == "block" || kind == "cluster";
}

// Kinds along every chain; what stands further in is known before.
class Completion {
 public:
  explicit Completion(ThreadCase& program) : case_(program) {}

  void run() { visit(case_.outermost, {}); }

 private:
  void visit(Item& parallel, std::vector<Level*> chain) {
    for (Level& level : parallel.levels) chain.push_back(&level);
    std::vector<Item*> inside;
    find(parallel, inside);
    if (inside.empty()) return close(parallel, chain);
    for (Item* next : inside) visit(*next, chain);
  }
  static void find(Item& item, std::vector<Item*>& found) {
    for (Item& inside : item.body) {
      if (inside.kind == Item::Kind::Parallel) {
        found.push_back(&inside);
      } else {
        find(inside, found);
      }
    }
  }

  void close(Item& innermost, std::vector<Level*>& chain) {
    const auto is = [](const char* kind) {
      return [kind](const Level* l) { return l->kind == kind; };
    };
    const bool has_block = std::any_of(chain.begin(), chain.end(), is("block"));
    bool only_devices = true, is_first = true;
    std::string last;
    for (Level* level : chain) {
      std::string kind = level->kind;
      if (kind.empty()) {
        const bool is_block = chain.size() > 1 && !has_block && only_devices && is_first;
        kind = is_block ? "block" : "thread";
        is_first = false;
      }
      only_devices = only_devices && kind == "device";
      level->is_in_block = !is_block_kind(kind);
      last = kind;
    }
    if (last != "warp" && last != "warpgroup") return;
    const Variable& unit = case_.variables[std::size_t(chain.back()->indices[0])];
    const std::int64_t threads = last == "warp" ? 32 : 128;
    case_.variables.push_back({.name = "lane_of_" + unit.name, .extent = threads});
    innermost.levels.push_back(
        {.kind = "thread", .indices = {int(case_.variables.size()) - 1}, .is_added = true});
  }

  ThreadCase& case_;
};

}  // namespace

void complete_levels(ThreadCase& program) { Completion(program).run(); }

std::vector<const Item*> parallels_in(const Item& item) {
  std::vector<const Item*> found;
  find_parallels(item, found);
  return found;
}

// ---- numbers ----

Numbering::Numbering(const ThreadCase& program) : case_(program) {
  const Item* parallel = &program.outermost;
  while (parallel != nullptr) {
    for (const Level& level : parallel->levels) {
      const std::int64_t n = extent_of(level, program);
      threads_ *= n;
      if (level.is_in_block) in_block_ *= n;
      if (level.kind != "device") on_device_ *= n;
    }
    const auto inside = parallels_in(*parallel);
    parallel = inside.empty() ? nullptr : inside[0];
  }
  for (std::int64_t t = 0; t < threads_; ++t) {
    decode(program.outermost, t, values_.emplace_back(program.variables.size(), 0));
  }
}

std::int64_t Numbering::inside(const Item& parallel) const {
  const auto inner = parallels_in(parallel);
  if (inner.empty()) return 1;
  std::int64_t n = inside(*inner[0]);
  for (const Level& level : inner[0]->levels) n *= extent_of(level, case_);
  return n;
}

void Numbering::decode(const Item& parallel, std::int64_t thread, Values& values) const {
  std::int64_t number = thread / inside(parallel);
  for (std::size_t l = parallel.levels.size(); l-- > 0;) {
    const std::vector<int>& indices = parallel.levels[l].indices;
    for (std::size_t k = indices.size(); k-- > 0;) {
      const std::int64_t extent = case_.variables[std::size_t(indices[k])].extent;
      values[std::size_t(indices[k])] = number % extent;
      number /= extent;
    }
  }
  for (const Item* inner : parallels_in(parallel)) decode(*inner, thread, values);
}

// ---- regions ----

bool holds(const Condition& condition, const Numbering& numbering, std::int64_t thread,
           const Values& values) {
  if (condition.zero_inside != nullptr) {
    return thread % numbering.inside(*condition.zero_inside) == 0;
  }
  return evaluate(*condition.term, values) != 0;
}

namespace {

class Regions {
 public:
  explicit Regions(const ThreadCase& program) : case_(program) {}

  std::vector<Region> all() {
    visit_parallel(case_.outermost, {}, {});
    return std::move(regions_);
  }

 private:
  struct At {
    const Item* parallel = nullptr;
    std::vector<Condition> conditions = {};
    std::vector<const Item*> loops = {};
    std::vector<Level> levels = {};
    bool is_in_implicit = false, is_in_inthreads = false;
  };

  void visit_parallel(const Item& parallel, At at, const std::vector<Level>& around) {
    std::vector<Level> levels = around;
    levels.insert(levels.end(), parallel.levels.begin(), parallel.levels.end());
    at.parallel = &parallel;
    at.levels = levels;
    for (auto inner = parallels_in(parallel); !inner.empty(); inner = parallels_in(*inner[0])) {
      const auto& more = inner[0]->levels;
      at.levels.insert(at.levels.end(), more.begin(), more.end());
    }
    visit_body(parallel.body, at, levels);
  }

  void visit_body(const std::vector<Item>& body, const At& around, const std::vector<Level>& own) {
    // Statements one behind the other are one region; a let is none of them.
    const Item* last = nullptr;
    for (const Item& item : body) {
      visit(item, last != nullptr && last->kind == Item::Kind::Assign, around, own);
      if (item.kind != Item::Kind::Let) last = &item;
    }
  }

  void visit(const Item& item, bool is_behind_statement, At at, const std::vector<Level>& own) {
    const bool has_inside = !parallels_in(*at.parallel).empty();
    const bool is_beside = has_inside && !item.holds_parallel() && !at.is_in_implicit;
    switch (item.kind) {
      case Item::Kind::Let:
      case Item::Kind::Sync:
      case Item::Kind::Break:
      case Item::Kind::Continue: return;
      case Item::Kind::Parallel: return visit_parallel(item, at, own);
      case Item::Kind::InThreads:
        if (is_beside) at.conditions.push_back({.zero_inside = at.parallel});
        at.is_in_implicit = at.is_in_implicit || is_beside;
        at.conditions.push_back({.term = item.term});
        add(item, at, text_of(item.term), false);
        at.is_in_inthreads = true;
        return visit_body(item.body, at, own);
      case Item::Kind::Do:
      case Item::Kind::Assign:
      case Item::Kind::For:
      case Item::Kind::With:
        if (is_beside) {
          at.conditions.push_back({.zero_inside = at.parallel});
          at.is_in_implicit = true;
          if (item.kind != Item::Kind::Assign || !is_behind_statement) {
            add(item, at, zero_text(*at.parallel), true);
          }
        }
        if (item.kind == Item::Kind::For) {
          at.loops.push_back(&item);
          if (item.term) {
            at.conditions.push_back({.term = item.term});
            add(item, at, text_of(item.term), false);
            regions_.back().is_iteration = true;
          }
        }
        return visit_body(item.body, at, own);
    }
  }

  void add(const Item& item, const At& at, std::string when, bool is_implicit) {
    regions_.push_back({.item = &item,
                        .when = std::move(when),
                        .is_implicit = is_implicit,
                        .is_async = item.is_async,
                        .conditions = at.conditions,
                        .loops = at.loops,
                        .levels = at.levels,
                        .is_in_inthreads = at.is_in_inthreads});
  }

  std::string zero_text(const Item& parallel) const {
    std::string text;
    for (auto inner = parallels_in(parallel); !inner.empty(); inner = parallels_in(*inner[0])) {
      for (const Level& level : inner[0]->levels) {
        for (int v : level.indices) {
          text += (text.empty() ? "" : " && ") + case_.variables[std::size_t(v)].name + " == 0";
        }
      }
    }
    return text;
  }

  const ThreadCase& case_;
  std::vector<Region> regions_;
};

}  // namespace

std::vector<Region> regions_of(const ThreadCase& program) { return Regions(program).all(); }

// ---- masks ----

Mask mask_of(const Region& region, const ThreadCase& program, const Numbering& numbering,
             const Values& others) {
  Mask mask;
  for (const Level& level : region.levels) mask.extents.push_back(extent_of(level, program));
  for (std::int64_t t = 0; t < numbering.threads(); ++t) {
    Values values = numbering.values_of(t);
    for (std::size_t v = 0; v < values.size(); ++v) {
      if (program.variables[v].kind != Variable::Kind::Parallel) values[v] = others[v];
    }
    bool is_active = true;
    for (const Condition& c : region.conditions) {
      is_active = is_active && holds(c, numbering, t, values);
    }
    mask.active.push_back(is_active);
  }
  return mask;
}

std::int64_t Mask::count() const { return std::count(active.begin(), active.end(), true); }

namespace {

// By level, which of its instances have an active thread.
std::vector<std::vector<bool>> shadows(const Mask& mask) {
  std::vector<std::vector<bool>> all;
  for (std::int64_t n : mask.extents) all.emplace_back(std::size_t(n), false);
  for (std::size_t t = 0; t < mask.active.size(); ++t) {
    if (!mask.active[t]) continue;
    std::size_t rest = t;
    for (std::size_t l = all.size(); l-- > 0;) {
      all[l][rest % all[l].size()] = true;
      rest /= all[l].size();
    }
  }
  return all;
}

}  // namespace

bool Mask::is_product() const {
  std::int64_t box = 1;
  for (const auto& level : shadows(*this)) box *= std::count(level.begin(), level.end(), true);
  return box == count();
}

std::string Mask::text() const {
  std::string text;
  for (const auto& level : shadows(*this)) {
    if (!text.empty()) text += '-';
    for (std::size_t k = level.size(); k-- > 0;) text += level[k] ? '1' : '0';
  }
  return text;
}

std::vector<std::string> Mask::rows() const {
  std::vector<std::string> rows;
  const std::size_t n = std::size_t(extents.back());
  for (std::size_t first = 0; first < active.size(); first += n) {
    std::string& row = rows.emplace_back();
    for (std::size_t k = n; k-- > 0;) row += active[first + k] ? '1' : '0';
  }
  return rows;
}

}  // namespace selvage::thread_oracle
