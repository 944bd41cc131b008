#include <selvage/threads/item_path.h>
#include <selvage/threads/tried_helps.h>

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

namespace selvage {

namespace {

using Key = std::tuple<LineAndColumn, std::string>;
Key key_of(const Diagnostic& d) { return {at(d.place), d.code}; }

enum class Outcome { Same, Another, Mended };
struct Tried {
  Outcome outcome = Outcome::Same;
  std::size_t left = 0;  // of what was told before
};

class Trier {
 public:
  Trier(const ThreadProgram& program, const ThreadCheck& check,
        const std::vector<Diagnostic>& before)
      : program_(program), check_(check) {
    for (const Diagnostic& d : before) before_.insert(key_of(d));
  }

  // What is named first for each, in turn, done on top of what is named before.
  void choose(std::vector<Diagnostic>& diagnostics, const std::vector<std::vector<Mend>>& mends) {
    ThreadProgram current = program_;
    first_.assign(mends.size(), {});
    for (std::size_t k = 0; k < mends.size(); ++k) {
      if (mends[k].empty() || is_gone(current, diagnostics[k])) continue;
      for (std::size_t m : best_of(current, diagnostics[k], mends[k])) {
        if (mends[k][m].second) continue;
        first_[k] = m;
        mends[k][m].act(current);
        break;
      }
    }
    for (std::size_t k = 0; k < mends.size(); ++k) {
      if (!mends[k].empty()) name_best(diagnostics[k], mends, k);
    }
  }

 private:
  bool is_gone(const ThreadProgram& program, const Diagnostic& d) const {
    const std::vector<Diagnostic> all = check_(program);
    return std::none_of(all.begin(), all.end(),
                        [&](const Diagnostic& other) { return key_of(other) == key_of(d); });
  }

  void name_best(Diagnostic& d, const std::vector<std::vector<Mend>>& mends, std::size_t k) const {
    ThreadProgram others = program_;
    for (std::size_t other = 0; other < mends.size(); ++other) {
      if (other != k && first_[other]) mends[other][*first_[other]].act(others);
    }
    // One that goes with another is mended by itself.
    std::vector<std::size_t> best = best_of(is_gone(others, d) ? program_ : others, d, mends[k]);
    // What the others have been tried with comes first.
    std::stable_partition(best.begin(), best.end(), [&](std::size_t m) { return m == first_[k]; });
    constexpr std::size_t kMostNamed = 2;
    best.resize(std::min(best.size(), kMostNamed));
    std::string help;
    for (std::size_t m : best) help += (help.empty() ? "" : "; or ") + mends[k][m].help;
    if (!help.empty()) d.help = help;
  }

  Tried done(const ThreadProgram& base, const Diagnostic& d, const Mend& mend) const {
    Tried worst{Outcome::Mended};
    for (const auto& act : {mend.act, mend.second}) {
      if (!act) continue;
      ThreadProgram tried = base;
      act(tried);
      for (const Diagnostic& after : check_(tried)) {
        const bool is_known = before_.contains(key_of(after));
        if (key_of(after) == key_of(d) || (!is_known && after.code == d.code)) return {};
        worst.left += is_known ? 1 : 0;
        if (!is_known) worst.outcome = Outcome::Another;
      }
    }
    return worst;
  }
  // Those first that mend the most of what is told.
  std::vector<std::size_t> best_of(const ThreadProgram& base, const Diagnostic& d,
                                   const std::vector<Mend>& mends) const {
    std::vector<std::pair<std::size_t, std::size_t>> mended;  // what is left, which
    std::optional<std::size_t> other;
    const auto is_needless = [&](std::size_t m, std::size_t left) {
      return mends[m].is_last_resort && std::any_of(mended.begin(), mended.end(), [&](auto& best) {
               return best.first <= left && best.second < m;
             });
    };
    for (std::size_t m = 0; m < mends.size(); ++m) {
      if (is_needless(m, 0)) continue;
      const Tried is = done(base, d, mends[m]);
      if (is.outcome == Outcome::Another && !other) other = m;
      if (is.outcome == Outcome::Mended && !is_needless(m, is.left))
        mended.emplace_back(is.left, m);
    }
    std::stable_sort(mended.begin(), mended.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::size_t> best;
    for (const auto& [left, m] : mended) best.push_back(m);
    if (best.empty() && other) best.push_back(*other);
    return best;
  }

  const ThreadProgram& program_;
  const ThreadCheck& check_;
  std::set<Key> before_;
  std::vector<std::optional<std::size_t>> first_;
};

}  // namespace

void check_tried_helps(const ThreadProgram& program, const LevelTree& tree,
                       const ThreadCheck& check, const MendsOf& mends_of,
                       std::vector<Diagnostic>& diagnostics) {
  constexpr std::int64_t kMostItems = 100, kMostBlocks = 64, kMostTold = 8;
  if (items_in(program.outermost.body) > kMostItems) return;
  const bool is_large = !tree.chains.empty() && tree.chains.front().blocks() > kMostBlocks;
  std::vector<std::vector<Mend>> mends;
  bool has_any = false;
  for (const Diagnostic& d : diagnostics) {
    // What is wrong with levels is told without a look at what is done.
    const bool is_of_levels = d.code >= "E820" && d.code <= "E823";
    const bool is_told =
        d.place.line > 0 && (is_of_levels || !is_large) && std::int64_t(mends.size()) < kMostTold;
    mends.push_back(is_told ? mends_of(program, tree, d) : std::vector<Mend>{});
    has_any = has_any || !mends.back().empty();
  }
  if (has_any) Trier(program, check, diagnostics).choose(diagnostics, mends);
}

}  // namespace selvage
