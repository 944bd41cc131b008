#include "tests/lower/random_whole_schedule.h"

#include <selvage/base/diagnostic.h>
#include <selvage/ir/reads.h>

#include <algorithm>
#include <array>

#include "tests/oracle/draws.h"
#include "tests/support/random_layout.h"

namespace selvage::test {

using oracle::chance;
using oracle::draw;

namespace {

template <class T>
const T& any_of(const std::vector<T>& v, std::mt19937_64& rng) {
  return v[std::size_t(draw(rng, 0, std::int64_t(v.size()) - 1))];
}

constexpr std::array kTypes = {
    ParallelType::BIDx,     ParallelType::BIDy, ParallelType::TIDx,      ParallelType::TIDx,
    ParallelType::TIDy,     ParallelType::TIDy, ParallelType::Vectorize, ParallelType::Unroll,
    ParallelType::Unswitch, ParallelType::CIDx};

// One step. Its name comes first, for what refuses it.
class RandomStep {
 public:
  RandomStep(Schedule& s, std::mt19937_64& rng) : s_(s), rng_(rng) {}

  void take(std::string& name) {
    std::vector<TensorId> computed;
    for (TensorId t : definition_order(s_.fusion())) {
      if (!s_.fusion()[t].is_input) computed.push_back(t);
    }
    t_ = any_of(computed, rng_);
    switch (draw(rng_, 1, 26)) {
      case 1:
      case 2: name = "split"; return void(split());
      case 3:
      case 4: name = "merge"; return merge();
      case 5: name = "reorder"; return reorder();
      case 6:
      case 7:
      case 8: name = "bind"; return bind();
      case 9:
      case 10: name = "vectorize"; return vectorize();
      case 11:
      case 12:
      case 13: name = "threads"; return threads();
      case 14: name = "materialize"; return void(s_.materialize(t_));
      case 15: name = "inline"; return void(s_.inline_into_readers(t_));
      case 16:
      case 17: name = "compute_at"; return compute_at();
      case 18:
      case 19: name = "cache"; return cache();
      case 20: name = "rfactor"; return rfactor();
      case 21: name = "like"; return like(computed);
      case 22: name = "keep_in"; return keep_in();
      case 23:
      case 24: name = "layout"; return layout();
      case 25:
      case 26: name = "stages"; return void(s_.stages(t_, draw(rng_, 1, 3)));
    }
  }

 private:
  std::vector<ScheduledLoop> loops() const { return s_.loops(t_); }

  std::pair<ScheduledLoop, ScheduledLoop> split() {
    static const std::vector<std::int64_t> factors = {2, 2, 3, 4, 4, 5, 8, 32, 33, 64};
    return s_.split(any_of(checked(loops()), rng_),
                    s_.fusion().pool().constant(any_of(factors, rng_)),
                    {.inner_split = !chance(rng_, 5)});
  }
  // No loops: there is nothing to do.
  struct Nothing {};
  static const std::vector<ScheduledLoop>& checked(const std::vector<ScheduledLoop>& l) {
    if (l.empty()) throw Nothing{};
    return l;
  }

  void merge() {
    const auto all = checked(loops());
    const auto k = std::size_t(draw(rng_, 0, std::int64_t(all.size()) - 1));
    if (k + 1 < all.size()) s_.merge(all[k], all[k + 1]);
  }

  void reorder() {
    auto all = loops();
    for (std::size_t k = all.size(); k > 1; --k) {
      std::swap(all[k - 1], all[std::size_t(draw(rng_, 0, std::int64_t(k) - 1))]);
    }
    s_.reorder(all);
  }

  void bind() {
    const ScheduledLoop l = any_of(checked(loops()), rng_);
    const ParallelType type = kTypes[std::size_t(draw(rng_, 0, std::int64_t(kTypes.size()) - 1))];
    s_.bind(l, type);
    if (is_block(type) && s_.is_folded(t_, l.domain)) s_.meet_atomically(t_);
  }

  void vectorize() {
    const ScheduledLoop last = checked(loops()).back();
    const auto [outer, inner] = s_.split(last, chance(rng_, 2) ? 2 : 4);
    s_.bind(inner, ParallelType::Vectorize);
    if (chance(rng_, 4)) s_.bind(outer, ParallelType::Unswitch);
  }

  // Rows to blocks, and a row to threads, or to those of a cluster; or a loop to threads only.
  void threads() {
    static const std::vector<std::int64_t> widths = {2, 4, 5, 8, 32, 33, 64};
    const auto all = checked(loops());
    const auto [outer, inner] = s_.split(all.back(), any_of(widths, rng_));
    s_.bind(inner, chance(rng_, 4) ? ParallelType::TIDy : ParallelType::TIDx);
    if (all.size() > 1 && chance(rng_, 2)) s_.bind(all.front(), ParallelType::BIDx);
    if (!chance(rng_, 4)) return;
    const auto [rest, rank] = s_.split(outer, draw(rng_, 2, 4), {.inner_split = chance(rng_, 2)});
    s_.bind(draw(rng_, 0, 1) == 0 ? rank : rest, ParallelType::CIDx);
  }

  // Those that read it, inputs as well.
  std::vector<TensorId> readers(TensorId t) const {
    std::vector<TensorId> result;
    for (std::size_t k = 0; k < s_.fusion().size(); ++k) {
      const TensorInfo& other = s_.fusion()[TensorId(k)];
      if (!other.definition) continue;
      const auto read = tensors_read(s_.fusion(), TensorId(k));
      if (std::find(read.begin(), read.end(), t) != read.end()) result.push_back(TensorId(k));
    }
    return result;
  }

  void place(TensorId t) {
    const auto all = readers(t);
    if (all.empty()) throw Nothing{};
    const TensorId reader = any_of(all, rng_);
    const auto host = s_.loops(reader);
    if (host.empty() || chance(rng_, 5)) {
      s_.compute_in(t, reader);
    } else {
      s_.compute_at(t, host[std::size_t(draw(rng_, 0, std::int64_t(host.size()) - 1))]);
    }
  }

  void compute_at() {
    place(t_);
    if (chance(rng_, 2)) s_.keep_in(t_, memory());
  }

  Memory memory() {
    const auto pick = draw(rng_, 1, 5);
    return pick <= 2 ? Memory::Shared : pick <= 4 ? Memory::Local : Memory::Global;
  }

  // Of any tensor, inputs most of all.
  void cache() {
    TensorId of = t_;
    if (chance(rng_, 2)) of = TensorId(draw(rng_, 0, std::int64_t(s_.fusion().size()) - 1));
    const TensorId copy = s_.cache(of, "", memory());
    if (chance(rng_, 2)) place(copy);
    if (chance(rng_, 3)) {
      t_ = copy;
      threads();
    }
  }

  void rfactor() {
    std::vector<TensorId> folds;
    for (std::size_t k = 0; k < s_.fusion().size(); ++k) {
      if (s_.fusion()[TensorId(k)].fold) folds.push_back(TensorId(k));
    }
    if (folds.empty()) throw Nothing{};
    t_ = any_of(folds, rng_);
    const bool is_variance = s_.fusion()[t_].fold->how == Reduction::Variance;
    if (is_variance && chance(rng_, 2)) return void(s_.two_pass(t_));
    std::vector<ScheduledLoop> folded;
    for (ScheduledLoop l : loops()) {
      if (s_.is_folded(t_, l.domain)) folded.push_back(l);
    }
    if (folded.size() == 1) {
      const auto [outer, inner] = s_.split(folded[0], chance(rng_, 2) ? 4 : 3);
      if (is_scan(s_.fusion()[t_])) return void(s_.scan_in_parts(t_, inner, {}));
      folded = {chance(rng_, 2) ? outer : inner};
    } else if (!folded.empty()) {
      folded = {any_of(folded, rng_)};
    }
    s_.rfactor(t_, folded, "");
  }

  void layout() {
    checked(loops());
    lay_out(s_, t_, rng_);
    if (s_.memory(t_) == Memory::Global || chance(rng_, 2)) s_.keep_in(t_, Memory::Shared);
  }

  void like(const std::vector<TensorId>& computed) { s_.like(t_, any_of(computed, rng_)); }
  void keep_in() { s_.keep_in(t_, memory()); }

  friend bool test::take_step(Schedule&, std::mt19937_64&, std::string&);
  Schedule& s_;
  std::mt19937_64& rng_;
  TensorId t_{};
};

}  // namespace

bool take_step(Schedule& s, std::mt19937_64& rng, std::string& name) {
  try {
    RandomStep(s, rng).take(name);
    return true;
  } catch (const RandomStep::Nothing&) {
    return false;
  }
}

std::optional<Program> WholeCase::try_lower(const Schedule& s) {
  try {
    return lower(*random.fusion, s);
  } catch (const Illegal& refusal) {
    ++refused_lowering[refusal.diagnostic().code];
    examples.emplace("lower " + refusal.diagnostic().code, refusal.what());
    return std::nullopt;
  }
}

WholeCase::WholeCase(const WholeRecipe& r) : recipe(r), random(r) {
  const bool looks_ahead = recipe.seed % 3 != 0;
  std::vector<Schedule> history = {Schedule(*random.fusion)};
  for (int k = 0; k < recipe.steps; ++k) {
    if (recipe.steps_left_out.contains(k)) continue;
    std::mt19937_64 rng(recipe.seed * 7'919 + 1'000'000 + std::uint64_t(k));
    Schedule next = history.back();
    std::string name;
    try {
      if (!take_step(next, rng, name)) continue;
    } catch (const Illegal& refusal) {
      const std::string key = name + " " + refusal.diagnostic().code;
      ++refused_steps[key];
      examples.emplace(key, refusal.what());
      continue;
    }
    if (looks_ahead && !try_lower(next)) continue;
    history.push_back(std::move(next));
  }
  while (!history.empty()) {
    program = try_lower(history.back());
    if (program) break;
    if (history.size() == 1) {
      // What has no steps is refused as it stands.
      try {
        lower(*random.fusion, history.back());
      } catch (const Illegal& refusal) {
        const std::string key = "default " + refusal.diagnostic().code;
        ++refused_steps[key];
        examples.emplace(key, refusal.what());
      }
      break;
    }
    history.pop_back();
  }
  steps_taken = int(history.size()) - 1;
  schedule = std::make_unique<Schedule>(history.back());
}

}  // namespace selvage::test
