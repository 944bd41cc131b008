#include <selvage/expr/substitute.h>
#include <selvage/expr/symbols.h>
#include <selvage/expr/text.h>
#include <selvage/index/region_threads.h>
#include <selvage/simplifier/simplifier.h>
#include <selvage/threads/bodies.h>
#include <selvage/threads/event_helps.h>
#include <selvage/threads/event_slots.h>
#include <selvage/threads/item_path.h>

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <utility>

namespace selvage {

namespace {

using Act = std::function<void(ThreadProgram&)>;

bool is_of_order(const Diagnostic& d) {
  return d.code == "E817" || d.code == "E818" || d.code == "E829";
}

// Lists changes, the most likely first.
class EventChanges {
 public:
  struct Change {
    std::string help;
    Act act;
  };

  EventChanges(const ThreadProgram& program, const LevelTree& tree)
      : program_(program), tree_(tree), known_(program.facts) {
    walk(program_.outermost.body, program_.pool->truth(true), nullptr);
  }

  std::vector<Change> all(bool is_of_race) {
    if (is_of_race) missing_waits();
    other_arrivals();
    for (const Found& f : found_) other_phase(f);
    for (const Found& f : found_) other_slot(f);
    missing_arrivals();
    if (!is_of_race) missing_waits();
    for (const Found& f : found_) needless(f);
    if (is_of_race) {
      for (const Found& f : found_) untold_stores(f);
    }
    return std::move(changes_);
  }

 private:
  // An item of an event, or a copy, with the loop around it.
  struct Found {
    ThreadItem item;
    const ThreadItem* loop;
    Expr condition;  // of all regions around
  };
  struct Turn {
    Expr slot, phase;
  };

  void walk(const ThreadBody& body, Expr condition, const ThreadItem* loop) {
    for (const ThreadItem& item : body) {
      ThreadItem copy = item;
      const bool is_copy = std::holds_alternative<CopyLater>(item.node);
      if (is_copy || slot_of(copy) != nullptr) found_.push_back({item, loop, condition});
      if (std::holds_alternative<SerialFor>(item.node)) loops_.push_back(&item);
      const ThreadBody* inside = body_of(item);
      if (inside == nullptr || is_copy) continue;
      const auto* in = std::get_if<InThreads>(&item.node);
      const bool is_loop = std::holds_alternative<SerialFor>(item.node);
      walk(*inside, in == nullptr ? condition : both(condition, in->when), is_loop ? &item : loop);
    }
  }

  void add(std::string help, Act act) { changes_.push_back({std::move(help), std::move(act)}); }
  template <class Node>
  void change(std::string help, const Place& place, std::function<void(Node&)> act) {
    add(std::move(help), [place, act](ThreadProgram& tried) {
      const auto path = find_item(tried, place);
      auto* node = path ? std::get_if<Node>(&path->item().node) : nullptr;
      if (node != nullptr) act(*node);
    });
  }

  // As the file names its indices: two loops may have one name.
  std::string text_of(Expr e) const {
    Environment names;
    for (Expr s : symbols_of(e)) {
      const auto is_it = [&](const ThreadItem* loop) {
        return same(std::get<SerialFor>(loop->node).index, s);
      };
      const auto loop = std::ranges::find_if(loops_, is_it);
      if (loop == loops_.end()) continue;
      names.emplace_back(s, program_.pool->symbol(std::get<SerialFor>((*loop)->node).label));
    }
    return to_string(substitute(e, names));
  }
  std::string text_of(std::uint32_t event, Expr slot) const {
    const ThreadEvent& e = program_.events[event];
    return e.slots == 1 ? e.name : fmt::format("\"{}[{}]\"", e.name, text_of(slot));
  }

  // The slot and the phase of an event's turn in an iteration.
  Turn turn(std::uint32_t event, Expr index) {
    const std::int64_t slots = program_.events[event].slots;
    return {known_.simplify(index % slots), known_.simplify(index / slots % 2)};
  }
  Expr other(Expr phase) { return known_.simplify((phase + 1) % 2); }

  void other_phase(const Found& f) {
    const auto* wait = std::get_if<WaitFor>(&f.item.node);
    if (wait == nullptr) return;
    const Expr phase = other(wait->phase);
    change<WaitFor>(fmt::format("write phase: {} at {}", text_of(phase), text(f.item.place)),
                    f.item.place, [phase](WaitFor& w) { w.phase = phase; });
    if (f.loop == nullptr) return;
    const Expr own = turn(wait->at.event, std::get<SerialFor>(f.loop->node).index).phase;
    for (Expr p : {own, other(own)}) {
      if (same(p, phase)) continue;
      change<WaitFor>(fmt::format("write phase: {} at {}", text_of(p), text(f.item.place)),
                      f.item.place, [p](WaitFor& w) { w.phase = p; });
    }
  }

  void other_slot(const Found& f) {
    const EventSlot* at = slot_of(f.item);
    if (at == nullptr) return;
    const Place place = f.item.place;
    for (std::uint32_t e = 0; e < program_.events.size(); ++e) {
      const Expr own = turn(e, index_of(f)).slot;
      if (e == at->event && same(own, at->slot)) continue;
      add(fmt::format("write event: {} at {}", text_of(e, own), text(place)),
          [place, e, own](ThreadProgram& tried) {
            const auto path = find_item(tried, place);
            EventSlot* slot = path ? slot_of(path->item()) : nullptr;
            if (slot != nullptr) *slot = {e, own, {}};
          });
    }
  }
  // Of the loop around; 0: there is none.
  Expr index_of(const Found& f) const {
    return f.loop == nullptr ? program_.pool->constant(0) : std::get<SerialFor>(f.loop->node).index;
  }

  // As many as arrive: the threads of one arrival, or of all.
  void other_arrivals() {
    for (std::uint32_t e = 0; e < program_.events.size(); ++e) {
      std::set<std::int64_t> counts;
      std::int64_t all = 0;
      for (const Found& f : found_) {
        const EventSlot* at = slot_of(f.item);
        if (at == nullptr || at->event != e || std::holds_alternative<WaitFor>(f.item.node)) {
          continue;
        }
        const std::int64_t n = threads_of(f.condition);
        counts.insert(n);
        all += n;
      }
      counts.insert(all);
      const ThreadEvent& event = program_.events[e];
      for (std::int64_t n : counts) {
        if (n < 1 || n == event.arrivals) continue;
        add(fmt::format("give the event {} arrivals: {} at {}", event.name, n, text(event.place)),
            [e, n](ThreadProgram& tried) { tried.events[e].arrivals = n; });
      }
    }
  }
  // Of a block; 0: not known.
  std::int64_t threads_of(Expr condition) const {
    const auto levels = mask_levels(tree_.chains.front().levels);
    try {
      const auto mask = ThreadMask::of(condition, levels, program_.facts);
      const std::int64_t blocks = tree_.chains.front().blocks();
      return mask && mask->count() % blocks == 0 ? mask->count() / blocks : 0;
    } catch (const Error&) {  // too large to be told
      return 0;
    }
  }

  void missing_waits() {
    for (const ThreadItem* loop : loops_) {
      for (std::uint32_t e = 0; e < program_.events.size(); ++e) {
        const Turn own = turn(e, std::get<SerialFor>(loop->node).index);
        for (Expr phase : {own.phase, other(own.phase)}) {
          const WaitFor wait{{e, own.slot, {}}, phase};
          change<SerialFor>(
              fmt::format("put wait: {{event: {}, phase: {}}} at the beginning of the for at {}",
                          text_of(e, own.slot), text_of(phase), text(loop->place)),
              loop->place, [wait](SerialFor& l) {
                l.body.insert(l.body.begin(), {wait, {}});
              });
        }
      }
    }
  }

  void missing_arrivals() {
    for (const Found& f : found_) {
      const auto* copies = std::get_if<CopyLater>(&f.item.node);
      if (copies == nullptr || copies->at) continue;
      for (std::uint32_t e = 0; e < program_.events.size(); ++e) {
        const EventSlot at{e, turn(e, index_of(f)).slot, {}};
        change<CopyLater>(
            fmt::format("give the copy at {} event: {}", text(f.item.place), text_of(e, at.slot)),
            f.item.place, [at](CopyLater& c) { c.at = at; });
      }
    }
    for (const ThreadItem* loop : loops_) {
      for (std::uint32_t e = 0; e < program_.events.size(); ++e) {
        const Expr slot = turn(e, std::get<SerialFor>(loop->node).index).slot;
        const ArriveAt arrive{{e, slot, {}}};
        change<SerialFor>(fmt::format("put arrive: {{event: {}}} at the end of the for at {}",
                                      text_of(e, slot), text(loop->place)),
                          loop->place, [arrive](SerialFor& l) {
                            l.body.push_back({arrive, {}});
                          });
      }
    }
  }

  // An arrival of copies tells of no store.
  void untold_stores(const Found& f) {
    const auto* copies = std::get_if<CopyLater>(&f.item.node);
    if (copies == nullptr || !copies->at) return;
    const EventSlot at = *copies->at;
    const Place place = f.item.place;
    const ThreadEvent& event = program_.events[at.event];
    const std::int64_t n = event.arrivals + threads_of(f.condition);
    add(fmt::format("put arrive: {{event: {}}} behind the copy at {}, which tells of what the "
                    "thread has stored, and give the event {} arrivals: {}",
                    text_of(at.event, at.slot), text(place), event.name, n),
        [place, at, n](ThreadProgram& tried) {
          const auto path = find_item(tried, place);
          if (!path) return;
          const ItemPath::Step& step = path->steps.back();
          step.body->insert(step.body->begin() + std::ptrdiff_t(step.index) + 1,
                            {ArriveAt{at}, {}});
          tried.events[at.event].arrivals = n;
        });
  }

  void needless(const Found& f) {
    if (slot_of(f.item) == nullptr) return;
    const Place place = f.item.place;
    const char* what = std::holds_alternative<WaitFor>(f.item.node)    ? "wait"
                       : std::holds_alternative<ArriveAt>(f.item.node) ? "arrive"
                                                                       : "copy";
    add(fmt::format("take out the {} at {}", what, text(place)), [place](ThreadProgram& tried) {
      const auto path = find_item(tried, place);
      if (!path) return;
      const ItemPath::Step& step = path->steps.back();
      step.body->erase(step.body->begin() + std::ptrdiff_t(step.index));
    });
  }

  const ThreadProgram& program_;
  const LevelTree& tree_;
  Simplifier known_;
  std::vector<Found> found_;
  std::vector<const ThreadItem*> loops_;
  std::vector<Change> changes_;
};

}  // namespace

bool check_event_helps(const ThreadProgram& program, const LevelTree& tree,
                       const ThreadCheck& check, std::vector<Diagnostic>& diagnostics) {
  constexpr std::int64_t kMostItems = 100, kMostBlocks = 64;
  constexpr std::size_t kMostTried = 64;
  if (program.events.empty() || items_in(program.outermost.body) > kMostItems) return false;
  const auto first = std::ranges::find_if(diagnostics, is_of_order);
  const auto is_error = [](const Diagnostic& d) { return d.severity == Severity::Error; };
  const auto is_another = [&](const Diagnostic& d) {
    return is_error(d) && !is_of_order(d) && d.code != "E824";
  };
  if (first == diagnostics.end() || std::ranges::any_of(diagnostics, is_another)) return false;
  if (tree.chains.front().blocks() > kMostBlocks) return false;
  std::optional<std::string> help;
  std::vector<EventChanges::Change> changes =
      EventChanges(program, tree).all(first->code != "E829");
  changes.resize(std::min(changes.size(), kMostTried));
  for (const EventChanges::Change& change : changes) {
    ThreadProgram tried = program;
    change.act(tried);
    const std::vector<Diagnostic> left = check(tried);
    if (std::ranges::any_of(left, is_error)) continue;
    // One without warnings is better.
    if (!help || left.empty()) help = change.help;
    if (left.empty()) break;
  }
  if (!help) return false;
  for (Diagnostic& d : diagnostics) {
    if (is_error(d)) d.help = *help;
  }
  return true;
}

}  // namespace selvage
