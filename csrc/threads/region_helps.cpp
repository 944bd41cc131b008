#include <selvage/expr/symbols.h>
#include <selvage/expr/text.h>
#include <selvage/index/region_threads.h>
#include <selvage/threads/bodies.h>
#include <selvage/threads/divergence.h>
#include <selvage/threads/item_path.h>
#include <selvage/threads/region_helps.h>

#include <algorithm>

namespace selvage {

namespace {

using Among = Synchronize::Among;
using Act = std::function<void(const ItemPath&)>;

std::string name_of(Among among) {
  return among == Among::Shared ? "sync: shared"
         : among == Among::Warp ? "sync: warp"
                                : "sync: region";
}
ThreadItem sync_item(Among among) { return {Synchronize{among}, {}}; }

void insert(const ItemPath::Step& step, std::size_t behind, ThreadItem item) {
  step.body->insert(step.body->begin() + std::ptrdiff_t(step.index + behind), std::move(item));
}

void set_async(const ItemPath& path, bool is_async) {
  if (auto* in = std::get_if<InThreads>(&path.item().node)) in->is_async = is_async;
}

// The name of an item that has a body; empty for any other.
std::string kind_of(const ThreadItem& item) {
  if (std::holds_alternative<InThreads>(item.node)) return "inthreads";
  if (std::holds_alternative<SerialFor>(item.node)) return "for";
  if (std::holds_alternative<InnerParallel>(item.node)) return "parallel";
  return {};
}

// The predicate with each comparison a < b written a - b < 0, so that parallel indices are on one
// side only.
Expr on_one_side(Expr e) {
  if (e.is(Op::Not)) return !on_one_side(e[0]);
  if (e.is(Op::And)) return on_one_side(e[0]) && on_one_side(e[1]);
  if (e.is(Op::Or)) return on_one_side(e[0]) || on_one_side(e[1]);
  const Expr zero = e.pool().constant(0);
  if (e.is(Op::Lt)) return e[0] - e[1] < zero;
  if (e.is(Op::Le)) return e[0] - e[1] <= zero;
  if (e.is(Op::Eq)) return eq(e[0] - e[1], zero);
  return e;
}

class RegionMends {
 public:
  RegionMends(const ThreadProgram& program, const LevelTree& tree, const Diagnostic& d)
      : program_(program), copy_(program), tree_(tree), d_(d), names_(program) {}

  std::vector<Mend> all() {
    const auto path = find_item(copy_, d_.place);
    if (!path) return {};
    if (auto* in = std::get_if<InThreads>(&path->item().node)) {
      if (d_.code == "E810") outside_of_levels(*in);
      if (d_.code == "E811") asynchronous_inside(*in);
      if (d_.code == "E812") not_divergent(*in);
      if (d_.code == "E813") idle(*in, *path);
      if (d_.code == "E814" || d_.code == "E816") end_of(*in, *path);
    }
    if (auto* sync = std::get_if<Synchronize>(&path->item().node)) barrier(*sync, *path);
    if (d_.code == "E816") apart(*path);
    if (auto* leave = std::get_if<LeaveFor>(&path->item().node)) leaving(*leave, *path);
    return std::move(mends_);
  }

 private:
  // Adds a mend that runs `act` on the item at a place, by default that of the diagnostic.
  void add(std::string help, Act act, std::optional<Place> place = {}) {
    const Place where = place.value_or(d_.place);
    mends_.push_back({std::move(help), [where, act](ThreadProgram& program) {
                        if (const auto path = find_item(program, where)) act(*path);
                      }});
  }
  // Adds a mend that replaces the item of the diagnostic; if `waits`, also ones that put a barrier
  // behind the replacement.
  void replace(const std::string& text, ThreadItem by, bool waits = false) {
    by.place = d_.place;
    const std::string help = "write " + text + " in its place";
    add(help, [by](const ItemPath& path) { write(path, by); });
    if (!waits) return;
    for (Among among : {Among::Shared, Among::Region}) {
      add(help + ", and " + name_of(among) + " behind it", [by, among](const ItemPath& path) {
        write(path, by);
        insert(path.steps.back(), 1, sync_item(among));
      });
      mends_.back().is_last_resort = true;
    }
  }
  // Replaces an item by `by`; the body of a region becomes that of its replacement.
  static void write(const ItemPath& path, ThreadItem by) {
    auto* in = std::get_if<InThreads>(&path.item().node);
    ThreadBody* body = const_cast<ThreadBody*>(body_of(by));
    if (std::holds_alternative<InnerParallel>(by.node)) {
      body = const_cast<ThreadBody*>(body_of(body->front()));
    }
    if (body != nullptr) {
      if (in == nullptr) return;
      *body = std::move(in->body);
    }
    path.item() = std::move(by);
  }

  // Replaces a region by a loop that runs once: it has the same condition, no barrier at its end,
  // and may be left by a break.
  void once(const InThreads& in, bool waits) {
    const std::string name = names_.fresh("once");
    SerialFor loop{.index = program_.pool->symbol(name),
                   .extent = program_.pool->constant(1),
                   .label = name,
                   .condition = in.when,
                   .text = in.text,
                   .body = {}};
    replace("for: {index: " + name + ", in: 1, if: " + in.text + ", do: [...]}",
            {std::move(loop), {}}, waits);
  }

  void outside_of_levels(const InThreads& in) {
    once(in, false);
    const std::string name = names_.fresh("p");
    const Expr p = program_.pool->symbol(name);
    InThreads inside{.when = {}, .text = {}, .is_async = in.is_async, .body = {}};
    inside.text = name + " == 0";
    inside.when = eq(p, program_.pool->constant(0));
    InnerParallel level{.levels = {{.kind = {}, .indices = {{p, 6}}, .place = d_.place}},
                        .body = {{std::move(inside), d_.place}}};
    replace("parallel: {levels: [{" + name + ": 6}], do: [{inthreads: {when: " + name +
                " == 0, do: [...]}}]}",
            {std::move(level), {}});
  }

  void asynchronous_inside(const InThreads& in) {
    add("leave async out here", [](const ItemPath& path) { set_async(path, false); });
    once(in, false);
  }

  bool is_nameable(Expr e) const {
    const std::vector<Expr> symbols = symbols_of(e);
    return std::all_of(symbols.begin(), symbols.end(), [&](Expr s) {
      const auto is_it = [&](const auto& name) { return name == s.name(); };
      return std::any_of(program_.names.begin(), program_.names.end(), is_it) ||
             contains(program_.symbols, s);
    });
  }

  void write_when(Expr when, const std::string& text, const std::string& more) {
    add("write when: " + text + more, [when, text](const ItemPath& at) {
      auto* own = std::get_if<InThreads>(&at.item().node);
      if (own == nullptr) return;
      own->when = when;
      own->text = text;
    });
  }

  void not_divergent(const InThreads& in) {
    const Expr when = on_one_side(in.when);
    if (d_.cause == "both sides" && is_nameable(when)) {
      const std::string text = to_string(when);
      write_when(when, text, "");
    }
    once(in, !in.is_async);
  }

  void idle(const InThreads& in, const ItemPath& path) {
    if (d_.cause == "always") {
      return replace("do: [...]", {DoTogether{}, {}}, !in.is_async);
    }
    add("take it out", take_out);
    for (Among among : {Among::Shared, Among::Region}) {
      if (in.is_async) continue;
      replace(name_of(among), sync_item(among));
      mends_.back().is_last_resort = true;
    }
    const auto [when, text] = some_thread(path);
    if (!when.valid()) return;
    write_when(when, text, ", which holds for one that gets here");
  }
  // The condition, with its text, that picks the first thread for which all conditions around hold;
  // invalid if none is found.
  std::pair<Expr, std::string> some_thread(const ItemPath& path) const {
    ThreadMask::Levels levels;
    std::vector<const ParallelLevel*> named;
    for (const InnerParallel* node : levels_around(program_, path)) {
      const auto it = tree_.levels.find(node);
      if (it == tree_.levels.end()) continue;
      for (const MaskLevel& level : mask_levels(it->second)) levels.push_back(level);
      for (const ParallelLevel& level : node->levels) named.push_back(&level);
    }
    if (named.empty()) return {};
    Expr condition = program_.pool->truth(true), when = condition;
    for (std::size_t k = 0; k + 1 < path.steps.size(); ++k) {
      const ThreadItem& item = path.steps[k].item();
      if (const auto* in = std::get_if<InThreads>(&item.node)) {
        condition = both(condition, in->when);
      }
    }
    std::string text;
    try {
      const auto mask = ThreadMask::of(condition, levels, program_.facts);
      if (!mask || !mask->first()) return {};
      const Point thread = instance_at(levels, *mask->first());
      for (const ParallelLevel* level : named) {
        for (const MaskIndex& i : level->indices) {
          if (i.extent == 1) continue;
          if (!is_nameable(i.symbol)) return {};
          const Expr own = eq(i.symbol, program_.pool->constant(*value_of(i.symbol, thread)));
          when = both(when, own);
          text += (text.empty() ? "" : " && ") + to_string(own);
        }
      }
    } catch (const Error&) {  // too large to be told
      return {};
    }
    if (text.empty()) return {};
    return {when, text};
  }

  void end_of(const InThreads& in, const ItemPath& path) {
    if (in.is_async) return;
    if (!path.is_in_inthreads(path.steps.size() - 1)) {
      add("make it asynchronous, async: true", [](const ItemPath& at) { set_async(at, true); });
    }
    once(in, false);
  }

  void barrier(const Synchronize& sync, const ItemPath& path) {
    const std::size_t own = path.steps.size() - 1;
    if (sync.among != Among::Region) replace("sync: region", sync_item(Among::Region));
    // Move the barrier behind an item around it, which only some threads may run, or may leave.
    for (std::size_t k = own; k-- > 0;) {
      const ThreadItem& around = path.steps[k].item();
      const std::string kind = kind_of(around);
      if (kind.empty() || around.place.line == 0) continue;
      const Among among =
          sync.among == Among::Region && !path.is_in_region(k) ? Among::Shared : sync.among;
      add("write " + name_of(among) + " behind the " + kind + " at " + text(around.place) +
              " instead",
          [among, k](const ItemPath& at) {
            if (at.steps.size() <= k + 1) return;
            take_out(at);  // what stands further in moves with what is put in further out
            insert(at.steps[k], 1, sync_item(among));
          });
    }
    split(sync, path);
    add("leave it out", take_out);
    mends_.back().is_last_resort = true;
  }
  static void take_out(const ItemPath& path) {
    const ItemPath::Step& step = path.steps.back();
    step.body->erase(step.body->begin() + std::ptrdiff_t(step.index));
  }
  // Adds a mend that splits the region around the barrier in two, with the barrier between.
  void split(const Synchronize& sync, const ItemPath& path) {
    if (path.steps.size() < 2) return;
    const ThreadItem& around = path.steps[path.steps.size() - 2].item();
    if (!std::holds_alternative<InThreads>(around.node)) return;
    const bool is_inside = path.is_in_region(path.steps.size() - 2);
    const Among among = sync.among != Among::Region ? sync.among
                        : is_inside                 ? Among::Region
                                                    : Among::Shared;
    add("close the inthreads at " + text(around.place) + " in front of it, write " +
            name_of(among) + ", and open it again behind",
        [among](const ItemPath& at) {
          if (at.steps.size() < 2) return;
          const ItemPath::Step step = at.steps[at.steps.size() - 2];
          const std::size_t own = at.steps.back().index;
          if (!std::holds_alternative<InThreads>(step.item().node)) return;
          ThreadItem rest = step.item();
          auto& first = std::get<InThreads>(step.item().node).body;
          auto& second = std::get<InThreads>(rest.node).body;
          first.erase(first.begin() + std::ptrdiff_t(own), first.end());
          second.erase(second.begin(), second.begin() + std::ptrdiff_t(own + 1));
          insert(step, 1, std::move(rest));
          insert(step, 1, sync_item(among));
        });
  }

  // Mends that put barriers of the block between sets of threads which wait for one another.
  void apart(const ItemPath& path) {
    for (std::size_t k = 0; k < path.steps.size(); ++k) {
      if (path.is_in_region(k)) return;
      const ThreadBody& body = *path.steps[k].body;
      for (std::size_t i = 0; i < body.size(); ++i) {
        const Place place = body[i].place;
        if (place.line == 0) continue;
        add(
            "put sync: shared in front of " + text(place),
            [](const ItemPath& at) { insert(at.steps.back(), 0, sync_item(Among::Shared)); },
            place);
      }
      const auto* loop = k == 0 ? nullptr : std::get_if<SerialFor>(&path.steps[k - 1].item().node);
      if (loop == nullptr) continue;
      add(
          "put sync: shared at the end of the for at " + text(path.steps[k - 1].item().place),
          [](const ItemPath& at) {
            auto* own = std::get_if<SerialFor>(&at.item().node);
            if (own != nullptr) own->body.push_back(sync_item(Among::Shared));
          },
          path.steps[k - 1].item().place);
      mends_.back().is_last_resort = true;
    }
  }

  void leaving(const LeaveFor& leave, const ItemPath& path) {
    const std::string word = leave.is_next ? "continue: " : "break: ";
    std::size_t level = path.steps.size();
    for (std::size_t k = path.steps.size(); k-- > 0 && level == path.steps.size();) {
      if (std::holds_alternative<InnerParallel>(path.steps[k].item().node)) level = k;
    }
    const std::size_t from = level == path.steps.size() ? 0 : level + 1;
    for (std::size_t k = path.steps.size() - 1; k-- > from;) {
      const auto* loop = std::get_if<SerialFor>(&path.steps[k].item().node);
      if (loop == nullptr) continue;
      const std::string label = loop->label;
      replace(word + label, {LeaveFor{label, leave.is_next}, {}});
    }
    // The body of the level becomes a loop that runs once; leaving that loop ends the body.
    const std::string name = names_.fresh("once");
    SerialFor loop{.index = program_.pool->symbol(name),
                   .extent = program_.pool->constant(1),
                   .label = name,
                   .body = {}};
    const std::string what =
        from == 0 ? "the body"
                  : "what stands in the parallel at " + text(path.steps[level].item().place);
    const Place own = d_.place;
    const bool is_next = leave.is_next;
    mends_.push_back({"put for: {index: " + name + ", in: 1, do: [...]} around " + what +
                          ", and write " + word + name + " in its place",
                      [loop, from, own, is_next](ThreadProgram& program) {
                        const auto at = find_item(program, own);
                        if (!at) return;
                        at->item().node = LeaveFor{loop.label, is_next};
                        ThreadBody& body = *at->steps[from].body;
                        SerialFor around = loop;
                        around.body = body;
                        body = {{std::move(around), {}}};
                      }});
  }

  const ThreadProgram& program_;
  ThreadProgram copy_;  // to find what stands where
  const LevelTree& tree_;
  const Diagnostic& d_;
  NamesOf names_;
  std::vector<Mend> mends_;
};

}  // namespace

std::vector<Mend> region_mends(const ThreadProgram& program, const LevelTree& tree,
                               const Diagnostic& d) {
  return RegionMends(program, tree, d).all();
}

}  // namespace selvage
