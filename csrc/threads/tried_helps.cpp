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
      const std::vector<std::size_t> best = best_of(current, diagnostics[k], mends[k]);
      if (best.empty()) continue;
      first_[k] = best[0];
      mends[k][best[0]].act(current);
    }
    for (std::size_t k = 0; k < mends.size(); ++k) {
      ThreadProgram others = program_;
      for (std::size_t other = 0; other < mends.size(); ++other) {
        if (other != k && first_[other]) mends[other][*first_[other]].act(others);
      }
      std::vector<std::size_t> best = best_of(others, diagnostics[k], mends[k]);
      if (best.empty()) continue;
      // What the others have been tried with comes first.
      std::stable_partition(best.begin(), best.end(),
                            [&](std::size_t m) { return m == first_[k]; });
      constexpr std::size_t kMostNamed = 2;
      best.resize(std::min(best.size(), kMostNamed));
      std::string help;
      for (std::size_t m : best) help += (help.empty() ? "" : "; or ") + mends[k][m].help;
      diagnostics[k].help = help;
    }
  }

 private:
  Outcome outcome(const ThreadProgram& base, const Diagnostic& d, const Mend& mend) const {
    ThreadProgram tried = base;
    mend.act(tried);
    Outcome outcome = Outcome::Mended;
    for (const Diagnostic& after : check_(tried)) {
      if (key_of(after) == key_of(d)) return Outcome::Same;
      if (before_.contains(key_of(after))) continue;
      if (after.code == d.code) return Outcome::Same;
      outcome = Outcome::Another;
    }
    return outcome;
  }
  std::vector<std::size_t> best_of(const ThreadProgram& base, const Diagnostic& d,
                                   const std::vector<Mend>& mends) const {
    std::vector<std::size_t> mended;
    std::optional<std::size_t> other;
    for (std::size_t m = 0; m < mends.size(); ++m) {
      if (mends[m].is_last_resort && !mended.empty()) continue;
      const Outcome is = outcome(base, d, mends[m]);
      if (is == Outcome::Mended) mended.push_back(m);
      if (is == Outcome::Another && !other) other = m;
    }
    if (mended.empty() && other) mended.push_back(*other);
    return mended;
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
  if (!tree.chains.empty() && tree.chains.front().blocks() > kMostBlocks) return;
  std::vector<std::vector<Mend>> mends;
  bool has_any = false;
  for (const Diagnostic& d : diagnostics) {
    const bool is_told = d.place.line > 0 && std::int64_t(mends.size()) < kMostTold;
    mends.push_back(is_told ? mends_of(program, tree, d) : std::vector<Mend>{});
    has_any = has_any || !mends.back().empty();
  }
  if (has_any) Trier(program, check, diagnostics).choose(diagnostics, mends);
}

}  // namespace selvage
