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
std::set<Key> keys_of(const std::vector<Diagnostic>& diagnostics) {
  std::set<Key> keys;
  for (const Diagnostic& d : diagnostics) keys.insert(key_of(d));
  return keys;
}

enum class Outcome { Same, Another, Mended };
struct Tried {
  Outcome outcome = Outcome::Same;
  std::size_t left = 0;  // of what was told before
};

class Trier {
 public:
  Trier(const ThreadProgram& program, const ThreadCheck& check,
        std::vector<Diagnostic>& diagnostics, const std::vector<std::vector<Mend>>& mends)
      : program_(program),
        check_(check),
        diagnostics_(diagnostics),
        mends_(mends),
        before_(keys_of(diagnostics)),
        unchanged_(keys_of(check(program))),
        alone_(mends.size()),
        first_(mends.size()) {}

  // Chooses the mend that is named first for each diagnostic in turn, tried on the program with
  // those chosen before it; then writes the helps.
  void choose() {
    Base current{program_};
    for (std::size_t k = 0; k < mends_.size(); ++k) {
      if (mends_[k].empty() || is_gone(current, k)) continue;
      for (std::size_t m : best_of(current, k)) {
        if (mends_[k][m].second) continue;
        first_[k] = m;
        current.act(mends_[k][m]);
        break;
      }
    }
    for (std::size_t k = 0; k < mends_.size(); ++k) {
      if (!mends_[k].empty()) name_best(k);
    }
  }

 private:
  // The program with the mends of some diagnostics applied.
  struct Base {
    ThreadProgram program;
    bool is_changed = false;

    void act(const Mend& mend) {
      mend.act(program);
      is_changed = true;
    }
  };

  bool is_gone(const Base& base, std::size_t k) const {
    const Key key = key_of(diagnostics_[k]);
    return !(base.is_changed ? keys_of(check_(base.program)) : unchanged_).contains(key);
  }

  void name_best(std::size_t k) {
    Base others{program_};
    for (std::size_t other = 0; other < mends_.size(); ++other) {
      if (other != k && first_[other]) others.act(mends_[other][*first_[other]]);
    }
    // A diagnostic that the mends of others end gets the mends that end it alone.
    std::vector<std::size_t> best = is_gone(others, k) ? best_alone(k) : best_of(others, k);
    // The mend with which the others have been tried comes first.
    std::stable_partition(best.begin(), best.end(), [&](std::size_t m) { return m == first_[k]; });
    constexpr std::size_t kMostNamed = 2;
    best.resize(std::min(best.size(), kMostNamed));
    std::string help;
    for (std::size_t m : best) help += (help.empty() ? "" : "; or ") + mends_[k][m].help;
    if (!help.empty()) diagnostics_[k].help = help;
  }

  // The mends of diagnostic k, best first: those that leave the fewest diagnostics.
  std::vector<std::size_t> best_of(const Base& base, std::size_t k) {
    return base.is_changed ? best_of(base.program, diagnostics_[k], mends_[k]) : best_alone(k);
  }
  // The same for the unchanged program, remembered, as it may be asked for twice.
  const std::vector<std::size_t>& best_alone(std::size_t k) {
    if (!alone_[k]) alone_[k] = best_of(program_, diagnostics_[k], mends_[k]);
    return *alone_[k];
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
  std::vector<Diagnostic>& diagnostics_;
  const std::vector<std::vector<Mend>>& mends_;  // by diagnostic
  const std::set<Key> before_;                   // keys of diagnostics_
  const std::set<Key> unchanged_;                // keys that the check gives for the program as is
  // By diagnostic: best_alone(), once known; the mend that is named first.
  std::vector<std::optional<std::vector<std::size_t>>> alone_;
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
    // Checking levels does not look at what threads do, so it is cheap for many blocks, too.
    const bool is_of_levels = d.code >= "E820" && d.code <= "E823";
    const bool is_told =
        d.place.line > 0 && (is_of_levels || !is_large) && std::int64_t(mends.size()) < kMostTold;
    mends.push_back(is_told ? mends_of(program, tree, d) : std::vector<Mend>{});
    has_any = has_any || !mends.back().empty();
  }
  if (has_any) Trier(program, check, diagnostics, mends).choose();
}

}  // namespace selvage
