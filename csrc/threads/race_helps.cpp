#include <selvage/index/region_threads.h>
#include <selvage/threads/copy_helps.h>
#include <selvage/threads/item_path.h>
#include <selvage/threads/race_helps.h>
#include <selvage/threads/verify_threads.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace selvage {

namespace {

using At = LineAndColumn;

bool is_race(const Diagnostic& d) { return d.code == "E817" || d.code == "E818"; }
bool is_error(const Diagnostic& d) { return d.severity == Severity::Error; }

// A change of a program that may end a race, and the help that tells the user to make it.
struct Edit {
  std::optional<Place> before = {};    // a sync in front of the item there
  std::optional<Place> loop_end = {};  // and one at the end of this loop
  Synchronize::Among among = Synchronize::Among::Shared;
  std::optional<InThreads> alone = {};         // the statement goes in there
  std::string help = {}, help_elsewhere = {};  // for this race, and for another one
};

class Mender {
 public:
  Mender(const ThreadProgram& program, const LevelTree& tree, const ThreadCheck& check)
      : program_(program), tree_(tree), check_(check) {}

  void run(std::vector<Diagnostic>& diagnostics) {
    std::vector<Diagnostic> open = races(diagnostics);
    for (const Diagnostic& d : diagnostics) {
      if (!is_race(d)) others_.insert({at(d.place), d.code});
    }
    std::map<At, std::vector<std::string>> helps;
    std::map<At, Place> gone_with;  // by the help of another race
    Place last = open.front().place;
    const std::set<At> known = places(open);
    for (int round = 0; round < kMostRounds && !open.empty(); ++round) {
      const Diagnostic race = open.front();
      const bool is_own = known.contains(at(race.place));
      if (is_own) last = race.place;
      const std::set<At> before = places(open);
      const std::optional<Edit> edit = mend(race, open);
      // The help for a race that shows only after an edit is added to that of the race edited last.
      if (!edit || (!is_own && edit->alone)) return keep_plain(diagnostics);
      helps[at(last)].push_back(is_own ? edit->help : edit->help_elsewhere);
      const std::set<At> after = places(open);
      for (At place : before) {
        if (!after.contains(place)) gone_with.try_emplace(place, last);
      }
    }
    // If races are left, the edits do not mend the program, and no help may name them.
    if (!open.empty()) return keep_plain(diagnostics);
    for (Diagnostic& d : diagnostics) {
      if (!is_race(d)) continue;
      const auto it = helps.find(at(d.place));
      const auto other = gone_with.find(at(d.place));
      std::string what;
      if (it != helps.end()) {
        what = joined_by_and(it->second);
      } else if (other != gone_with.end()) {
        what = "do what is said of " + text(other->second);
      }
      if (!what.empty()) d.help = "give each thread elements of its own, or " + what;
    }
  }

 private:
  static constexpr int kMostRounds = 8;

  static std::vector<Diagnostic> races(const std::vector<Diagnostic>& all) {
    std::vector<Diagnostic> some;
    std::copy_if(all.begin(), all.end(), std::back_inserter(some), is_race);
    return some;
  }
  static std::set<At> places(const std::vector<Diagnostic>& all) {
    std::set<At> some;
    for (const Diagnostic& d : all) some.insert(at(d.place));
    return some;
  }
  static std::string joined_by_and(const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& p : parts) text += (text.empty() ? "" : ", and ") + p;
    return text;
  }
  static void keep_plain(std::vector<Diagnostic>& diagnostics) {
    for (Diagnostic& d : diagnostics) {
      if (is_race(d)) d.help = "give each thread elements of its own: syncs alone do not mend this";
    }
  }

  // The first edit that ends the race without new errors; sets `left` to the races that remain.
  std::optional<Edit> mend(const Diagnostic& race, std::vector<Diagnostic>& left) {
    for (const Edit& edit : candidates(race)) {
      ThreadProgram tried = program_;
      for (const auto& [place, done] : done_) apply(tried, place, done);
      apply(tried, race.place, edit);
      const std::vector<Diagnostic> after = check_(tried);
      const bool is_worse = std::any_of(after.begin(), after.end(), [&](const Diagnostic& d) {
        return is_error(d) && !is_race(d) && !others_.contains({at(d.place), d.code});
      });
      std::vector<Diagnostic> open = races(after);
      if (is_worse || places(open).contains(at(race.place))) continue;
      done_.emplace_back(race.place, edit);
      left = std::move(open);
      return edit;
    }
    return std::nullopt;
  }

  std::vector<Edit> candidates(const Diagnostic& race) const {
    ThreadProgram copy = program_;
    const auto found = find_item(copy, race.place);
    if (!found) return {};
    const ItemPath& way = *found;
    std::vector<Edit> parts, turns;
    for (std::size_t depth = way.steps.size(); depth-- > 0;) {
      const ThreadItem& item = way.steps[depth].item();
      if (item.place.line == 0) return {};
      const bool is_region = way.is_in_inthreads(depth);
      const std::string sync = is_region ? "sync: region" : "sync: shared";
      Edit edit{.before = item.place,
                .among = is_region ? Synchronize::Among::Region : Synchronize::Among::Shared,
                .alone = {}};
      const auto* region = std::get_if<InThreads>(&item.node);
      const bool is_next_to_it = race.code == "E817" ? region != nullptr && region->is_async
                                                     : depth + 1 == way.steps.size();
      edit.help_elsewhere = "put " + sync + " in front of " + text(item.place);
      edit.help = is_next_to_it ? "put " + sync + " between the two" : edit.help_elsewhere;
      parts.push_back(edit);
      for (std::size_t around = depth; around-- > 0;) {
        const ThreadItem& loop = way.steps[around].item();
        if (!std::holds_alternative<SerialFor>(loop.node)) continue;
        if (way.is_in_inthreads(around + 1) != is_region) break;
        edit.loop_end = loop.place;
        const std::string more = " and at the end of the for at " + text(loop.place);
        edit.help += more;
        edit.help_elsewhere += more;
        turns.push_back(edit);
        break;
      }
    }
    parts.insert(parts.end(), turns.begin(), turns.end());
    const auto alone = by_one_thread(way);
    if (!alone) return parts;
    // Also a sync and one thread together, for a statement that races with another and with itself.
    std::vector<Edit> all = parts;
    all.push_back(*alone);
    for (Edit& edit : parts) {
      edit.alone = alone->alone;
      edit.help += " and " + alone->help;
      all.push_back(std::move(edit));
    }
    return all;
  }
  // The program's name of an index. If several indices have that name, the symbol has a number
  // appended.
  std::string name_of(Expr symbol) const {
    const std::string name(symbol.name());
    const std::vector<std::string>& names = program_.names;
    if (std::find(names.begin(), names.end(), name) != names.end()) return name;
    return name.substr(0, name.find_last_of('_'));
  }

  // An edit that lets one thread of each block run the statement; nothing if that needs an index
  // without a name in the program.
  std::optional<Edit> by_one_thread(const ItemPath& way) const {
    // The tree has the nodes of program_ as keys.
    const std::vector<const InnerParallel*> around = levels_around(program_, way);
    std::string when;
    std::vector<Expr> indices;
    for (const InnerParallel* parallel : around) {
      const auto it = tree_.levels.find(parallel);
      if (it == tree_.levels.end()) continue;
      for (std::size_t k = 0; k < it->second.size(); ++k) {
        const ParallelLevel& level = it->second[k];
        if (!level.kind || *level.kind < LevelKind::Warpgroup) continue;
        if (k >= parallel->levels.size()) return std::nullopt;  // added, and nameless in the file
        for (const MaskIndex& i : level.indices) {
          if (i.extent == 1) continue;
          const std::string own = name_of(i.symbol) + " == 0";
          when += (when.empty() ? "" : " && ") + own;
          indices.push_back(i.symbol);
        }
      }
    }
    if (when.empty()) return std::nullopt;
    const bool is_async = !way.is_in_inthreads(way.steps.size());
    Edit edit{.alone = InThreads{.when = elected(indices, *program_.pool),
                                 .text = when,
                                 .is_async = is_async,
                                 .body = {}}};
    edit.help = "let one thread do it, inthreads: {when: " + when +
                (is_async ? ", async: true" : "") + ", do: [...]}";
    return edit;
  }

  static void apply(ThreadProgram& program, const Place& race, const Edit& edit) {
    const auto way = find_item(program, race);
    if (!way) return;
    const ThreadItem sync{Synchronize{edit.among}, {}};
    if (edit.alone) {
      Edit sync_alone = edit;
      sync_alone.alone.reset();
      if (edit.before) apply(program, race, sync_alone);
      const auto moved = find_item(program, race);
      if (!moved) return;
      ThreadItem& item = moved->item();
      InThreads alone = *edit.alone;
      alone.body = {item};
      item.node = std::move(alone);
      return;
    }
    for (const ItemPath::Step& step : way->steps) {
      if (edit.loop_end && at(step.item().place) == at(*edit.loop_end)) {
        if (auto* loop = std::get_if<SerialFor>(&step.item().node)) loop->body.push_back(sync);
        // The push_back may have moved the items that the steps further in point to.
        Edit rest = edit;
        rest.loop_end.reset();
        return apply(program, race, rest);
      }
    }
    for (const ItemPath::Step& step : way->steps) {
      if (at(step.item().place) != at(*edit.before)) continue;
      step.body->insert(step.body->begin() + std::ptrdiff_t(step.index), sync);
      return;
    }
  }

  const ThreadProgram& program_;
  const LevelTree& tree_;
  const ThreadCheck& check_;
  std::vector<std::pair<Place, Edit>> done_;
  std::set<std::pair<At, std::string>> others_;  // errors that are no races
};

}  // namespace

void check_race_helps(const ThreadProgram& program, const LevelTree& tree, const ThreadCheck& check,
                      std::vector<Diagnostic>& diagnostics) {
  constexpr std::int64_t kMostItems = 100, kMostBlocks = 64;
  const auto is_unseen = [](const Diagnostic& d) { return is_race(d) && d.cause == kNotProved; };
  if (std::none_of(diagnostics.begin(), diagnostics.end(), is_race)) return;
  if (std::any_of(diagnostics.begin(), diagnostics.end(), is_unseen)) return;
  if (items_in(program.outermost.body) > kMostItems) return;
  if (tree.chains.front().blocks() > kMostBlocks) return;
  const bool has_places = std::all_of(diagnostics.begin(), diagnostics.end(),
                                      [](const Diagnostic& d) { return d.place.line > 0; });
  if (!has_places) return;
  const auto first = std::ranges::find_if(diagnostics, is_race);
  if (const auto help = help_for_copies(program, check, first->place)) {
    for (Diagnostic& d : diagnostics) {
      if (is_race(d)) d.help = *help;
    }
    return;
  }
  Mender(program, tree, check).run(diagnostics);
}

}  // namespace selvage
