#include <selvage/base/refuse.h>
#include <selvage/ir/about.h>
#include <selvage/ir/reads.h>
#include <selvage/legality/analysis.h>
#include <selvage/scheduler/automatic.h>
#include <selvage/scheduler/carry_out.h>
#include <selvage/scheduler/kept_indices.h>
#include <selvage/scheduler/last_block.h>
#include <selvage/scheduler/pointwise.h>
#include <selvage/scheduler/stored_tensors.h>
#include <selvage/scheduler/view_loops.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace selvage {

namespace {

constexpr std::size_t kMostTried = 12;  // plans of one segment that are refused

// Whether nobody has said how a tensor is computed.
bool is_open(const Schedule& schedule, TensorId t) {
  const TensorInfo& tensor = schedule.fusion()[t];
  if (tensor.is_input || schedule.site(t) || schedule.memory(t)) return false;
  const Schedule::Making* making = schedule.making(t);
  const bool is_made = making != nullptr && making->kind != Schedule::Making::Kind::Mean;
  if (!tensor.is_output && (schedule.is_inlined(t) || is_made)) return false;
  const std::vector<DomainId>& loops = schedule.loop_domains(t);
  return loops == nest_domain(tensor) && std::ranges::all_of(loops, [&](DomainId d) {
           return schedule.parallel(t, d) == ParallelType::Serial;
         });
}

// A fold over the rows of other folds would keep these from sharing a kernel: with it they have no
// row in common, and without it one of their readers is missing. So what it folds is stored, where
// that is little beside what the others fold.
Schedule with_stored_operands(const Schedule& schedule,
                              const std::map<std::string, std::int64_t>& sizes) {
  constexpr double kLittle = 1.0 / 8;
  const Fusion& fusion = schedule.fusion();
  int folds = 0;
  for (std::size_t t = 0; t < fusion.size(); ++t) folds += fusion[TensorId(t)].fold.has_value();
  if (folds < 2) return schedule;
  const ReadTable table(schedule);
  const TypicalSizes typical(fusion, sizes);
  Schedule result = schedule;
  for (TensorId t : table.order()) {
    const bool has_open_readers = std::ranges::all_of(
        table.readers(t), [&](const auto& reader) { return is_open(schedule, reader.tensor); });
    if (!table.is_computed(t) || !fusion[t].fold || !is_open(schedule, t)) continue;
    if (!has_open_readers && schedule.follows(t)) continue;
    const auto is_over_rows = [&](const EffectiveRead& read) {
      const auto is_folded = [&](const auto& d) {
        return d && contains(fusion[t].fold->domains, *d);
      };
      return table.is_computed(read.source) && fusion[read.source].fold &&
             std::ranges::any_of(read.axes, is_folded) &&
             points_of(fusion, t, typical) <= kLittle * points_of(fusion, read.source, typical);
    };
    if (std::ranges::none_of(table.reads(t), is_over_rows)) continue;
    for (ValueId v : values_under(fusion.values(), *fusion[t].definition)) {
      const ValueNode& node = fusion.values()[v];
      if (node.kind != ValueNode::Kind::Read) continue;
      const auto source = TensorId(node.source);
      if (!fusion[source].is_input && schedule.is_inlined(source)) result.materialize(source);
    }
  }
  return result;
}

class Automatic {
 public:
  // `open`: by tensor, whether nobody has said how it is computed.
  Automatic(const Schedule& schedule, std::vector<bool> open,
            const std::map<std::string, std::int64_t>& sizes, const Device& device,
            const PlanChoices& choices)
      : result_{schedule, {}},
        table_(schedule),
        sizes_(schedule.fusion(), sizes),
        device_(device),
        choices_(choices),
        written_(schedule),
        open_(std::move(open)),
        moves_(schedule, sizes_) {}

  // The time that the kernels of run() take.
  double seconds_in_all() const { return seconds_; }

  AutomaticSchedule run() {
    std::vector<TensorId> open;
    for (std::size_t k = table_.order().size(); k-- > 0;) {
      const TensorId t = table_.order()[k];
      if (!table_.is_computed(t) || !open_[index_of(t)]) continue;
      // A fold that follows a reader with a schedule of its own goes on following it.
      const bool leads = std::ranges::all_of(table_.readers(t), [&](const auto& reader) {
        return std::ranges::find(open, reader.tensor) != open.end();
      });
      if (leads || !written_.follows(t)) open.push_back(t);
    }
    const auto points = [&](TensorId t) { return points_of(written_.fusion(), t, sizes_); };
    const KeepsTogether keeps = [&](const Segment& apart, const Segment& together) {
      return is_faster(apart, together);
    };
    // What a kernel reads is scheduled before it, so that it may be computed by a last block of
    // that.
    const std::vector<Segment> segments = segments_of(written_, table_, open, points, keeps);
    for (auto segment = segments.rbegin(); segment != segments.rend(); ++segment) {
      schedule_segment(*segment);
    }
    std::ranges::reverse(result_.kernels);
    return std::move(result_);
  }

 private:
  struct Rated {
    SegmentTraffic traffic;
    std::vector<RatedPlan> plans;
  };
  // Each segment is rated once, however often it is compared.
  const Rated& rated(const Segment& segment) {
    std::vector<TensorId> key = segment.members;
    std::ranges::sort(key);
    key.push_back(segment.root);
    std::vector<TensorId> columns = segment.columns;
    std::ranges::sort(columns);
    key.insert(key.end(), columns.begin(), columns.end());
    const auto [known, is_new] =
        rated_.try_emplace(std::tuple(std::move(key), segment.are_siblings, segment.are_apart));
    if (is_new) {
      known->second.traffic = traffic_of(written_, table_, segment, sizes_, moves_);
      known->second.plans = plans_of(segment, known->second.traffic, Listed::Likely);
    }
    return known->second;
  }
  std::vector<RatedPlan> plans_of(const Segment& segment, const SegmentTraffic& traffic,
                                  Listed listed) const {
    return plans_for(written_.fusion(), segment, traffic, device_, listed);
  }
  double seconds(const Segment& segment) { return rated(segment).plans.front().time.seconds; }

  bool is_faster(const Segment& apart, const Segment& together) {
    double separate = seconds(apart);
    std::vector<Segment> others;
    for (TensorId m : together.members) {
      if (contains(apart, m)) continue;
      const auto joins = [&](Segment& other) {
        const std::optional<Segment> larger = with_sibling(written_, table_, other, m);
        if (larger) other = *larger;
        return larger.has_value();
      };
      if (std::ranges::none_of(others, joins)) others.push_back(segment_of(written_, m));
    }
    for (const Segment& other : others) separate += seconds_at_least(other);
    return seconds(together) <= separate;
  }
  // Of siblings, together or apart.
  double seconds_at_least(const Segment& segment) {
    if (!segment.are_apart) return seconds(segment);
    double apart = 0;
    for (TensorId m : segment.members) apart += seconds(segment_of(written_, m));
    return std::min(apart, seconds(segment));
  }

  // The plans of a segment, and those by which the last block of another kernel computes it.
  std::vector<RatedPlan> with_last_block(const Segment& segment, Listed listed) {
    const SegmentTraffic& traffic = rated(segment).traffic;
    std::vector<RatedPlan> plans =
        listed == Listed::Likely ? rated(segment).plans : plans_of(segment, traffic, listed);
    const auto host = last_block_host(result_.schedule, table_, segment);
    if (!host) return plans;
    const std::vector<RatedPlan> more =
        last_block_plans(written_.fusion(), segment, traffic, device_, *host);
    const bool is_faster = !more.empty() && more.front().time.seconds < plans.front().time.seconds;
    plans.insert(is_faster ? plans.begin() : plans.end(), more.begin(), more.end());
    return plans;
  }

  // What somebody has chosen for the kernel of a segment; null: nothing.
  const PlanChoice* choice_of(const Segment& segment) const {
    const auto own = choices_.find(written_.fusion()[segment.root].name);
    if (own != choices_.end()) return &own->second;
    for (TensorId m : segment.members) {
      const auto other = choices_.find(written_.fusion()[m].name);
      if (other != choices_.end()) return &other->second;
    }
    return nullptr;
  }

  // The plans that a choice allows; behind them all others, if it is a wish.
  static std::vector<RatedPlan> chosen_first(std::vector<RatedPlan> plans,
                                             const PlanChoice& choice) {
    const auto rest = std::ranges::stable_partition(
        plans, [&](const RatedPlan& p) { return choice.allows(p.plan); });
    if (!choice.is_wish) plans.erase(rest.begin(), rest.end());
    return plans;
  }

  [[noreturn]] void refuse_choice(const Segment& segment, const PlanChoice& choice) {
    const RowPlan best = with_last_block(segment, Listed::Likely).front().plan;
    refuse<Illegal>("E424",
                    "no automatic schedule of " + written_.fusion()[segment.root].name + " has {" +
                        choice.text() + "}",
                    "leave some of it open; the model would take " + best.text());
  }

  void schedule_segment(const Segment& segment) {
    const SegmentTraffic& traffic = rated(segment).traffic;
    const PlanChoice* choice = choice_of(segment);
    std::vector<RatedPlan> plans =
        with_last_block(segment, choice != nullptr ? Listed::All : Listed::Likely);
    if (choice != nullptr) plans = chosen_first(std::move(plans), *choice);
    std::vector<RowPlan> refused;
    for (std::size_t k = 0; k < plans.size() && refused.size() < kMostTried; ++k) {
      const auto is_alike = [&](const RowPlan& plan) { return plan.is_alike(plans[k].plan); };
      if (std::ranges::any_of(refused, is_alike)) continue;
      Schedule tried = result_.schedule;
      const auto refusal = refusal_of([&] {
        carry_out({tried, segment, traffic, plans[k].plan});
        check_vectors(tried, segment);
      });
      if (refusal) {
        refused.push_back(plans[k].plan);
        continue;
      }
      result_.schedule = std::move(tried);
      seconds_ += plans[k].time.seconds;
      result_.kernels.push_back(
          {.device = device_,
           .root = segment.root,
           .tensors = segment.members,
           .taken = plans[k],
           .runner_up = k + 1 < plans.size() ? std::optional(plans[k + 1]) : std::nullopt,
           .others = {plans.begin() + std::ptrdiff_t(k + 1),
                      plans.begin() + std::ptrdiff_t(std::min(k + 1 + AutomaticKernel::kMostOthers,
                                                              plans.size()))},
           .is_tuned = choice != nullptr && choice->is_wish && choice->allows(plans[k].plan)});
      return;
    }
    if (choice != nullptr && !choice->is_wish) {
      about(segment.root, [&] { refuse_choice(segment, *choice); });
    }
    seconds_ = INFINITY;
    for (TensorId t : segment.members) schedule_pointwise(result_.schedule, t);
  }

  // Throws Illegal where a vector is stored that is not legal.
  void check_vectors(const Schedule& tried, const Segment& segment) const {
    std::vector<TensorId> stored;
    for (TensorId t : segment.members) {
      const bool is_whole_nest = t == segment.root || segment.are_siblings;
      if (is_whole_nest || tried.fusion()[t].is_output) stored.push_back(t);
    }
    // What the first of two kernels stores.
    for (std::size_t t = result_.schedule.fusion().size(); t < tried.fusion().size(); ++t) {
      if (tried.memory(TensorId(t)) == Memory::Global) stored.push_back(TensorId(t));
    }
    for (TensorId t : stored) {
      const auto is_vector = [&](DomainId d) {
        return tried.parallel(t, d) == ParallelType::Vectorize;
      };
      if (std::ranges::none_of(tried.loop_domains(t), is_vector)) continue;
      check_vector(tried, t, Part::Everything);
      // The results of a fold are stored by a nest of their own.
      if (tried.fusion()[t].fold) check_vector(tried, t, Part::Result);
    }
  }

  static void check_vector(const Schedule& tried, TensorId t, Part part) {
    TensorAnalysis analysis = analyze_loops(tried.fusion(), tried, t, {}, part);
    analyze_memory(tried.fusion(), tried, analysis);
    if (!analysis.vector || analysis.vector->finding.is_legal()) return;
    const Finding& finding = analysis.vector->finding;
    refuse<Illegal>(finding.code, finding.reason, finding.help);
  }

  AutomaticSchedule result_;
  double seconds_ = 0;
  ReadTable table_;
  TypicalSizes sizes_;
  const Device& device_;
  const PlanChoices& choices_;
  const Schedule& written_;
  const std::vector<bool> open_;
  ReadMoves moves_;
  // By members, root and columns, and whether they are siblings.
  std::map<std::tuple<std::vector<TensorId>, bool, bool>, Rated> rated_;
};

struct Filled {
  AutomaticSchedule automatic;
  double seconds = 0;
};

// The folds over the items of rows that are gone through by a schedule of their own: no tensor over
// items of these rows reads them, so no nest is one row at a time together with theirs.
std::vector<TensorId> folds_of_rows(const Schedule& schedule, const PlanChoices& choices,
                                    const DecidesOf& decides) {
  const Fusion& fusion = schedule.fusion();
  std::vector<TensorId> found;
  if (fusion.domains().rows() == 0) return found;
  const ReadTable table(schedule);
  for (TensorId t : table.order()) {
    const auto choice = choices.find(fusion[t].name);
    const bool is_chosen = choice != choices.end() && !choice->second.is_wish;
    if (!table.is_computed(t) || is_chosen || !decides(t) || !is_open(schedule, t)) continue;
    const auto rows = folded_rows(fusion, t);
    const auto is_over_items = [&](const auto& reader) {
      return std::ranges::any_of(nest_domain(fusion[reader.tensor]), [&](DomainId d) {
        const auto& ragged = fusion.domains()[d].ragged;
        return ragged && ragged->rows == rows;
      });
    };
    if (rows && std::ranges::none_of(table.readers(t), is_over_items)) found.push_back(t);
  }
  return found;
}

// A fold that a fold over rows reads does not follow it, as that has loops of its own.
void lead_themselves(Schedule& schedule, const std::vector<AutomaticKernel>& by_rows,
                     const DecidesOf& decides) {
  if (by_rows.empty()) return;
  const ReadTable table(schedule);
  for (TensorId t : table.order()) {
    const auto is_by_rows = [&](const auto& reader) {
      return std::ranges::find(by_rows, reader.tensor, &AutomaticKernel::root) != by_rows.end();
    };
    const bool is_fold = table.is_computed(t) && schedule.fusion()[t].fold.has_value();
    if (!is_fold || !schedule.follows(t) || !decides(t)) continue;
    if (std::ranges::any_of(table.readers(t), is_by_rows)) schedule.stop_following(t);
  }
}

Filled fill(const Schedule& schedule, const std::map<std::string, std::int64_t>& sizes,
            const Device& device, const PlanChoices& choices, const RowSchedule& rows,
            const DecidesOf& decides = of_all) {
  Schedule stored = with_stored_operands(with_stored_tensors(schedule, decides), sizes);
  std::vector<AutomaticKernel> by_rows;
  for (TensorId t : folds_of_rows(stored, choices, decides)) {
    stored.stop_following(t);
    const bool is_classed = folded_rows(stored.fusion(), t) == classed_rows(stored.fusion());
    const RowSchedule own = schedule_rows(stored, t, is_classed ? rows : RowSchedule());
    by_rows.push_back({.device = device, .root = t, .tensors = {t}, .taken = {}, .rows = own});
  }
  lead_themselves(stored, by_rows, decides);
  std::vector<bool> open;
  for (std::size_t t = 0; t < stored.fusion().size(); ++t) {
    open.push_back(decides(TensorId(t)) && is_open(stored, TensorId(t)));
  }
  const Schedule written = with_loops_of_views(stored, open);
  Automatic automatic(written, std::move(open), sizes, device, choices);
  AutomaticSchedule made = automatic.run();
  keep_indices(made.schedule, decides);
  made.kernels.insert(made.kernels.end(), by_rows.begin(), by_rows.end());
  return {std::move(made), automatic.seconds_in_all()};
}

// The open variances, in groups that go in one pass or in two together: each by itself, but where
// there are many.
std::vector<std::vector<TensorId>> variances_of(const Schedule& schedule) {
  constexpr std::size_t kMostApart = 4;
  std::vector<std::vector<TensorId>> groups;
  std::vector<TensorId> all;
  for (std::size_t k = 0; k < schedule.fusion().size(); ++k) {
    const auto t = TensorId(k);
    const auto& fold = schedule.fusion()[t].fold;
    if (!fold || fold->how != Reduction::Variance || !is_open(schedule, t)) continue;
    if (refusal_of([&] { Schedule(schedule).two_pass(t); })) continue;
    groups.push_back({t});
    all.push_back(t);
  }
  if (groups.size() > kMostApart) groups = {all};
  return groups;
}

}  // namespace

AutomaticSchedule filled_in(const Schedule& schedule,
                            const std::map<std::string, std::int64_t>& sizes, const Device& device,
                            const PlanChoices& choices, const RowSchedule& rows) {
  Schedule begin = schedule;
  std::optional<Filled> best;
  const auto refused = refusal_of([&] { best = fill(begin, sizes, device, choices, rows); });
  for (const std::vector<TensorId>& group : variances_of(schedule)) {
    Schedule tried = begin;
    for (TensorId t : group) tried.two_pass(t);
    std::optional<Filled> other;
    if (refusal_of([&] { other = fill(tried, sizes, device, choices, rows); })) continue;
    if (best && other->seconds >= best->seconds) continue;
    best = std::move(other);
    begin = std::move(tried);
  }
  if (!best) throw Illegal(*refused);
  return std::move(best->automatic);
}

Schedule with_filled_in(const Schedule& schedule, const std::set<TensorId>& tensors,
                        const Device& device) {
  if (tensors.empty()) return schedule;
  const auto is_one = [&](TensorId t) { return tensors.contains(t); };
  return fill(schedule, {}, device, {}, {}, is_one).automatic.schedule;
}

Schedule auto_schedule(const Fusion& fusion, const std::map<std::string, std::int64_t>& sizes,
                       const Device& device, const PlanChoices& choices) {
  return filled_in(Schedule(fusion), sizes, device, choices).schedule;
}

}  // namespace selvage
