#include <selvage/base/diagnostic.h>
#include <selvage/base/integer.h>
#include <selvage/expr/text.h>
#include <selvage/legality/mend_tma.h>
#include <selvage/legality/remade.h>
#include <selvage/legality/tma.h>
#include <selvage/legality/tma_map.h>

#include <algorithm>
#include <bit>
#include <memory>

namespace selvage {

namespace {

std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t k = 0; k < names.size(); ++k) {
    text += (k == 0 ? "" : k + 1 == names.size() ? " and " : ", ") + names[k];
  }
  return text;
}

class Trials {
 public:
  Trials(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis,
         bool with_holes)
      : fusion_(fusion),
        schedule_(schedule),
        analysis_(analysis),
        t_(analysis.tensor),
        global_(copied(fusion, schedule, analysis).tensor),
        unit_(TmaLimits::kAlign / size_of(fusion[analysis.tensor].type)),
        with_holes_(with_holes) {
    for (DomainId d : analysis.loops) {
      if (schedule.parallel(t_, d) == ParallelType::Bulk) bulk_.push_back(d);
    }
    left_ = std::clamp<std::size_t>(kMostSteps / (1 + schedule.transforms(t_).size()), 4, 100);
  }

  std::optional<std::string> found(std::span<const TmaMend> tries) {
    for (TmaMend mend : tries) attempt(mend);
    return help_.empty() ? std::nullopt : std::optional(help_);
  }
  // Two changes: one after which the copy is refused for another reason, and one that mends that.
  std::optional<std::string> found_in_two(const Finding& refused, std::span<const TmaMend> tries) {
    before_ = kind_of(refused);
    left_ = std::min(left_, kMostSecond);
    const std::vector<TmaMend> first(tries.begin(), tries.end());
    for (TmaMend mend : first) attempt(mend);
    for (const Step& step : steps_) {
      TensorAnalysis a = analyze_loops(*step.fusion, step.schedule, t_);
      place_in_memory(*step.fusion, step.schedule, a);
      Trials second(*step.fusion, step.schedule, a, false);
      second.left_ = std::min(second.left_, kMostSecond);
      // Changes that name no loops: those that the first change made have no name in the file.
      constexpr TmaMend kNameNoLoops[] = {TmaMend::Strides, TmaMend::Factor};
      if (const auto rest = second.found(kNameNoLoops)) return step.words + ", and then " + *rest;
    }
    return std::nullopt;
  }
  std::optional<std::string> found_by_leaving_one() {
    if (bulk_.size() > 1) leave_one_serial();
    return help_.empty() ? std::nullopt : std::optional(help_);
  }
  std::string last_resort() const { return serial(bulk_); }

 private:
  static constexpr std::size_t kMostSteps = 2'000;  // transforms of all trials
  static constexpr std::size_t kMostSecond = 40;    // trials of a second change
  static constexpr std::size_t kMostFirst = 6;      // changes that a second one is sought for
  static constexpr std::size_t kNearest = 8;        // factors of one split

  struct Step {
    std::string words;
    std::shared_ptr<const Fusion> fusion;
    Schedule schedule;
  };

  // The refusal without its numbers.
  static std::string kind_of(const Finding& refused) {
    std::string kind = refused.code + " " + refused.reason;
    std::erase_if(kind, [](char c) { return '0' <= c && c <= '9'; });
    return kind;
  }

  void attempt(TmaMend mend) {
    switch (mend) {
      case TmaMend::Sizes: return split_unknown();
      case TmaMend::Inner: return split_bulk();
      case TmaMend::Factor: return change_factors();
      case TmaMend::Strides: return change_strides();
      case TmaMend::LastLoop: return change_last_loop();
      case TmaMend::Items: return split_a_long_loop();
      case TmaMend::Left: return resize_on_the_right();
      case TmaMend::Swizzle: return change_swizzles();
      case TmaMend::Whole: return bind_one_more();
    }
  }

  std::string name(DomainId d) const { return schedule_.name(t_, d); }
  Expr extent(DomainId d) const { return schedule_.graph()[d].extent; }
  std::string names(const std::vector<DomainId>& domains) const {
    std::vector<std::string> list;
    for (DomainId d : domains) list.push_back(name(d));
    return list_of(list);
  }
  std::string serial(const std::vector<DomainId>& loops) const {
    return "leave " + names(loops) + " serial";
  }

  // Makes `words` the help if this change mends the copy.
  void ask(const std::string& words, const std::shared_ptr<const Fusion>& changed,
           const Schedule& schedule) {
    if (left_ == 0 || !help_.empty()) return;
    --left_;
    const Fusion& fusion = *changed;
    TensorAnalysis a = analyze_loops(fusion, schedule, t_);
    if (is_proved(analysis_.coverage.verdict) && !is_proved(a.coverage.verdict)) return;
    place_in_memory(fusion, schedule, a);
    const auto copy = tma_copy(fusion, schedule, a, Help::Without);
    if (copy && (copy->finding.is_legal() || (copy->weak && !with_holes_))) help_ = words;
    const bool is_step = before_ && copy && help_.empty() && steps_.size() < kMostFirst;
    if (is_step && kind_of(copy->finding) != *before_) steps_.push_back({words, changed, schedule});
  }
  // Asks about a change to a copy of the schedule, unless it makes no sense there.
  template <class Change>
  void ask_after(const std::string& words, Change&& change) {
    if (left_ == 0 || !help_.empty()) return;
    try {
      Schedule trial = schedule_;
      change(trial);
      // The pointer does not own the fusion.
      ask(words, std::shared_ptr<const Fusion>(std::shared_ptr<void>(), &fusion_), trial);
    } catch (const Illegal&) {}
  }
  void ask_remade(const std::string& words, TransformId which, std::optional<Transform> otherwise) {
    ask_after(words, [&](Schedule& trial) {
      trial = remade(fusion_, schedule_, t_, which, std::move(otherwise));
    });
  }

  // Factors to try instead: those near to it that divide the extent, or are whole pieces of 16
  // bytes, and powers of two.
  std::vector<std::int64_t> factors_near(std::int64_t factor, Expr extent) const {
    const std::int64_t from = std::min(factor, TmaLimits::kBox);
    const auto distance = [&](std::int64_t f) { return f < from ? from - f : f - from; };
    std::vector<std::int64_t> near, powers;
    for (std::int64_t f = 1; f <= TmaLimits::kBox; ++f) {
      const bool divides = extent.is(Op::Const) && extent.value() % f == 0;
      if (f == factor) continue;
      if (std::has_single_bit(std::uint64_t(f)))
        powers.push_back(f);
      else if (divides || f % unit_ == 0)
        near.push_back(f);
    }
    const auto nearer = [&](std::int64_t a, std::int64_t b) { return distance(a) < distance(b); };
    std::stable_sort(near.begin(), near.end(), nearer);
    near.resize(std::min(near.size(), kNearest));
    near.insert(near.end(), powers.begin(), powers.end());
    std::stable_sort(near.begin(), near.end(), nearer);
    return near;
  }

  void split_by(const std::vector<DomainId>& loops, std::int64_t factor) {
    const std::string parts = loops.size() == 1 ? "part" : "parts";
    ask_after("split " + names(loops) + " by " + std::to_string(factor) + " and bind the inner " +
                  parts + " to Bulk",
              [&](Schedule& trial) {
                for (DomainId d : loops) {
                  trial.bind({t_, d}, ParallelType::Serial);
                  trial.bind(trial.split({t_, d}, factor).second, ParallelType::Bulk);
                }
              });
  }

  void split_unknown() {
    std::vector<DomainId> unknown;
    for (DomainId d : bulk_) {
      if (!extent(d).is(Op::Const)) unknown.push_back(d);
    }
    if (unknown.empty()) return;
    for (std::int64_t f = 64; f >= 1; f /= 2) split_by(unknown, f);
  }

  void split_bulk() {
    std::vector<DomainId> widest = bulk_;
    std::erase_if(widest, [&](DomainId d) { return !extent(d).is(Op::Const); });
    std::stable_sort(widest.begin(), widest.end(),
                     [&](DomainId a, DomainId b) { return extent(a).value() > extent(b).value(); });
    for (DomainId d : widest) {
      for (std::int64_t f : factors_near(extent(d).value(), extent(d))) split_by({d}, f);
    }
    for (std::int64_t f = TmaLimits::kBox; f >= 1 && widest.size() > 1; f /= 2) {
      std::vector<DomainId> wider = widest;
      std::erase_if(wider, [&](DomainId d) { return extent(d).value() <= f; });
      if (wider.size() > 1) split_by(wider, f);
    }
  }

  // The least change first: by how much a factor is multiplied or divided.
  void change_factors() {
    struct Other {
      TransformId id;
      Split split;
      std::int64_t was, now;
      double change() const { return double(std::max(was, now)) / double(std::min(was, now)); }
    };
    std::vector<Other> others;
    for (TransformId id : own_transforms(fusion_, schedule_, t_)) {
      const auto* split = std::get_if<Split>(&schedule_.graph()[id]);
      if (split == nullptr || !split->factor.is(Op::Const)) continue;
      const std::int64_t factor = split->factor.value();
      for (std::int64_t f : factors_near(factor, extent(split->in))) {
        others.push_back({id, *split, factor, f});
        others.back().split.factor = fusion_.pool().constant(f);
      }
    }
    std::stable_sort(others.begin(), others.end(),
                     [](const Other& a, const Other& b) { return a.change() < b.change(); });
    for (const Other& o : others) {
      ask_remade("split " + name(o.split.in) + " by " + std::to_string(o.now) + " instead of " +
                     std::to_string(o.was),
                 o.id, o.split);
    }
  }

  // Tries rows that begin at multiples of 16 bytes: as far apart as now or wider, or as close as
  // that allows; and the same with another axis innermost.
  void change_strides() {
    const std::vector<DomainId>& axes = allocation_of(fusion_, global_);
    Simplifier simplifier(*fusion_.facts());
    const std::vector<Expr> now = strides_of(fusion_, schedule_.graph(), global_, simplifier);
    std::vector<std::size_t> order(axes.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    const bool known = std::all_of(now.begin(), now.end(), [](Expr s) { return s.is(Op::Const); });
    if (known) {
      std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return now[a].value() > now[b].value();
      });
    }
    for (std::size_t inner = order.size(); inner-- > 0;) {
      std::vector<std::size_t> rotated = order;
      std::rotate(rotated.begin() + std::ptrdiff_t(inner),
                  rotated.begin() + std::ptrdiff_t(inner) + 1, rotated.end());
      ask_strides(known ? wide(rotated, now) : rounded(rotated, now, simplifier));
      ask_strides(close(rotated, simplifier));
    }
  }

  std::vector<Expr> wide(const std::vector<std::size_t>& order, std::vector<Expr> strides) const {
    const std::vector<DomainId>& axes = allocation_of(fusion_, global_);
    std::int64_t reach = 1;
    for (std::size_t k = order.size(); k-- > 0;) {
      const Expr n = extent(axes[order[k]]);
      if (!n.is(Op::Const)) return {};
      const bool is_inner = k + 1 == order.size();
      const std::int64_t own = strides[order[k]].value();
      const std::int64_t stride = is_inner ? 1 : ceil_div(own < reach ? reach : own, unit_) * unit_;
      strides[order[k]] = fusion_.pool().constant(stride);
      const auto end = checked_mul(stride, n.value());
      if (!end || *end > TmaLimits::kStride << 20) return {};
      reach = *end;
    }
    return strides;
  }

  std::vector<Expr> rounded(const std::vector<std::size_t>& order, std::vector<Expr> strides,
                            Simplifier& simplifier) const {
    for (std::size_t k = 0; k + 1 < order.size(); ++k) {
      Expr& stride = strides[order[k]];
      if (simplifier.proves(eq(stride % unit_, 0))) continue;
      stride = simplifier.simplify((stride + (unit_ - 1)) / unit_ * unit_);
    }
    strides[order.back()] = fusion_.pool().constant(1);
    return strides;
  }

  std::vector<Expr> close(const std::vector<std::size_t>& order, Simplifier& simplifier) const {
    const std::vector<DomainId>& axes = allocation_of(fusion_, global_);
    std::vector<Expr> strides(axes.size());
    Expr stride = fusion_.pool().constant(1);
    for (std::size_t k = order.size(); k-- > 0;) {
      strides[order[k]] = stride;
      Expr reach = simplifier.simplify(stride * extent(axes[order[k]]));
      const bool is_inner = k + 1 == order.size();
      if (is_inner && !simplifier.proves(eq(reach % unit_, 0))) {
        reach = simplifier.simplify((reach + (unit_ - 1)) / unit_ * unit_);
      }
      stride = reach;
    }
    return strides;
  }

  void ask_strides(const std::vector<Expr>& strides) {
    if (strides.empty()) return;
    std::string text;
    for (Expr s : strides) text += (text.empty() ? "" : ", ") + to_string(s);
    const auto moved = std::make_shared<Fusion>(fusion_);
    moved->edit(global_).strides = strides;
    ask("strides: [" + text + "]", moved, remade(*moved, schedule_, t_));
  }

  // Makes another loop the one that moves fastest in the tile.
  void change_last_loop() {
    for (DomainId d : analysis_.loops) {
      const ParallelType type = schedule_.parallel(t_, d);
      const bool is_bulk = type == ParallelType::Bulk;
      if (!is_bulk && type != ParallelType::Serial) continue;
      if (is_bulk && d == analysis_.loops.back()) continue;
      const std::string last = is_bulk ? "let " + name(d) + " be the last loop"
                                       : "bind " + name(d) + " to Bulk as the last loop";
      ask_after(last, [&](Schedule& trial) { put_last(trial, {t_, d}); });
      for (std::int64_t f = 64; f >= unit_ && !is_bulk; f /= 2) {
        ask_after("split " + name(d) + " by " + std::to_string(f) +
                      " and bind the inner part to Bulk as the last loop",
                  [&](Schedule& trial) {
                    put_last(trial, trial.split({t_, d}, f).second);
                  });
      }
    }
  }
  void put_last(Schedule& trial, ScheduledLoop loop) const {
    std::vector<ScheduledLoop> order = trial.loops(t_);
    std::erase(order, loop);
    order.push_back(loop);
    trial.reorder(order);
    trial.bind(loop, ParallelType::Bulk);
  }

  // Splits a loop of more than 2^32 items: the outer part becomes a dimension of its own if an
  // inner part moves.
  void split_a_long_loop() {
    for (DomainId d : analysis_.loops) {
      const bool is_long = extent(d).is(Op::Const) && extent(d).value() > TmaLimits::kSize;
      if (!is_long || schedule_.parallel(t_, d) != ParallelType::Serial) continue;
      for (std::int64_t f = 1 << 20; f >= 4; f /= 4) {
        ask_after("split " + name(d) + " by " + std::to_string(f) +
                      ", the inner part by 2, and bind the innermost part to Bulk",
                  [&](Schedule& trial) {
                    const ScheduledLoop inner = trial.split({t_, d}, f).second;
                    trial.bind(trial.split(inner, 2).second, ParallelType::Bulk);
                  });
      }
    }
  }

  void resize_on_the_right() {
    for (TransformId id : own_transforms(fusion_, schedule_, t_)) {
      const auto* resize = std::get_if<Resize>(&schedule_.graph()[id]);
      if (resize == nullptr || resize->left.is_const(0)) continue;
      Resize other = *resize;
      other.left = fusion_.pool().constant(0);
      other.right = analysis_.ranges->simplify(resize->left + resize->right);
      ask_remade("resize " + name(resize->in) + " by " + to_string(other.right) +
                     " on the right, and by nothing on the left",
                 id, other);
    }
  }

  void change_swizzles() {
    const std::vector<TransformId> own = own_transforms(fusion_, schedule_, t_);
    for (TransformId id : own) {
      const auto* swizzle = std::get_if<Swizzle>(&schedule_.graph()[id]);
      if (swizzle == nullptr || swizzle->kind == SwizzleKind::Xor) continue;
      Swizzle other = *swizzle;
      other.kind = SwizzleKind::Xor;
      ask_remade("swizzle " + names(inputs(*swizzle)) + " with kind: xor", id, other);
    }
    for (TransformId id : own) {
      const auto* swizzle = std::get_if<Swizzle>(&schedule_.graph()[id]);
      if (swizzle == nullptr) continue;
      ask_remade("leave the swizzle of " + names(inputs(*swizzle)) + " out", id, std::nullopt);
    }
  }

  void bind_one_more() {
    for (DomainId d : analysis_.loops) {
      if (schedule_.parallel(t_, d) != ParallelType::Serial) continue;
      ask_after("bind " + name(d) + " to Bulk, too", [&](Schedule& trial) {
        trial.bind({t_, d}, ParallelType::Bulk);
      });
    }
  }

  void leave_one_serial() {
    for (DomainId d : bulk_) {
      ask_after(serial({d}), [&](Schedule& trial) { trial.bind({t_, d}, ParallelType::Serial); });
    }
  }

  const Fusion& fusion_;
  const Schedule& schedule_;
  const TensorAnalysis& analysis_;
  TensorId t_;         // the tensor of the nest
  TensorId global_;    // what is copied
  std::int64_t unit_;  // elements in 16 bytes
  bool with_holes_;
  std::vector<DomainId> bulk_;
  std::size_t left_ = 0;
  std::string help_;
  std::optional<std::string> before_;  // the kind of the refusal, if two changes may be named
  std::vector<Step> steps_;
};

}  // namespace

std::string help_for_tma(const Fusion& fusion, const Schedule& schedule,
                         const TensorAnalysis& analysis, const TmaRefused& refused) {
  const auto trials = [&] { return Trials(fusion, schedule, analysis, false); };
  if (const auto one = trials().found(refused.tries)) return *one;
  if (const auto two = trials().found_in_two(refused.finding, refused.tries)) return *two;
  return trials().found_by_leaving_one().value_or(trials().last_resort());
}

std::optional<std::string> help_for_holes(const Fusion& fusion, const Schedule& schedule,
                                          const TensorAnalysis& analysis,
                                          std::span<const TmaMend> tries) {
  return Trials(fusion, schedule, analysis, true).found(tries);
}

}  // namespace selvage
