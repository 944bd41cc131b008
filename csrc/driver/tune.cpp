#include <selvage/base/refuse.h>
#include <selvage/driver/kernel_timer.h>
#include <selvage/driver/tune.h>
#include <selvage/lower/cost.h>
#include <selvage/runtime/gpu_device.h>
#include <selvage/runtime/kept_plans.h>
#include <selvage/scheduler/typical_sizes.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

namespace selvage {

namespace {

class Tuning {
 public:
  Tuning(const Schedule& schedule, const TuneRequest& request)
      : schedule_(schedule),
        request_(request),
        typical_(schedule.fusion(), request.sizes),
        driver_(driver_of(request)),
        result_{.made = {schedule, {}}, .kernels = {}, .device = {}} {
    result_.device = request.device       ? *request.device
                     : driver_ != nullptr ? gpu_device(driver_->calls(), driver_->ordinal())
                                          : default_device();
    result_.is_timed = driver_ != nullptr;
    result_.runs = result_.is_timed ? request.runs : 0;
    result_.made = filled_in(schedule, request.sizes, result_.device);
    if (driver_ != nullptr) {
      timer_.emplace(*driver_, request.compiled, typical_.all(), request.runs);
    }
  }

  TuneResult run() {
    const auto begin = std::chrono::steady_clock::now();
    // Which kernels there are does not depend on their plans.
    const std::vector<AutomaticKernel> kernels = result_.made.kernels;
    for (const AutomaticKernel& kernel : kernels) {
      progress_.all +=
          int(std::min(std::size_t(std::max(request_.most, 1)), kernel.others.size() + 1));
    }
    for (std::size_t k = 0; k < kernels.size(); ++k) tune_kernel(kernels, k);
    if (!choices_.empty()) keep();
    result_.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return std::move(result_);
  }

 private:
  static const Driver* driver_of(const TuneRequest& request) {
    if (request.driver != nullptr) return request.driver;
    return request.device ? nullptr : Driver::instance();
  }

  struct Trial {
    RatedPlan plan;
    AutomaticSchedule made;
    Program program;
  };

  const std::string& name(TensorId t) const { return schedule_.fusion()[t].name; }

  void tune_kernel(const std::vector<AutomaticKernel>& kernels, std::size_t k) {
    const AutomaticKernel& kernel = kernels[k];
    if (kernel.rows) return;  // it has no plans
    TunedKernel tuned{.root = name(kernel.root), .plans = {}};
    std::vector<RatedPlan> plans = {kernel.taken};
    plans.insert(plans.end(), kernel.others.begin(), kernel.others.end());
    std::vector<Trial> trials;
    for (const RatedPlan& plan : plans) {
      if (int(trials.size()) >= request_.most) break;
      add_trial(trials, kernels, k, plan);
    }
    compile(trials);
    const Trial* best = nullptr;
    double least = INFINITY;
    for (const Trial& trial : trials) {
      progress_.kernel = tuned.root;
      progress_.plan = trial.plan.plan.text();
      if (request_.progress) request_.progress(progress_);
      const double measured = seconds(trial.program, kernels, k);
      if (!std::isfinite(measured)) continue;
      ++progress_.done;
      tuned.plans.push_back(
          {.plan = trial.plan.plan, .predicted = trial.plan.time.seconds, .measured = measured});
      if (measured >= least) continue;
      best = &trial;
      least = measured;
      for (TriedPlan& p : tuned.plans) p.is_taken = false;
      tuned.plans.back().is_taken = true;
    }
    if (best == nullptr) return;
    result_.made = best->made;
    const auto taken = std::ranges::find_if(tuned.plans, &TriedPlan::is_taken);
    choices_[tuned.root] = exactly(taken->plan);
    std::ranges::stable_sort(tuned.plans, std::less<>(), &TriedPlan::measured);
    result_.kernels.push_back(std::move(tuned));
  }

  static PlanChoice exactly(const RowPlan& plan) {
    PlanChoice choice = PlanChoice::of(plan);
    choice.batch = plan.batch;
    choice.turns = plan.turns;
    return choice;
  }

  // Adds the program with this plan for kernel k, unless the plan is refused.
  void add_trial(std::vector<Trial>& trials, const std::vector<AutomaticKernel>& kernels,
                 std::size_t k, const RatedPlan& plan) const {
    PlanChoices choices = choices_;
    choices[name(kernels[k].root)] = exactly(plan.plan);
    (void)refusal_of([&] {
      AutomaticSchedule made = filled_in(schedule_, request_.sizes, result_.device, choices);
      Program program = lower(made.schedule);
      trials.push_back({plan, std::move(made), std::move(program)});
    });
  }

  void compile(const std::vector<Trial>& trials) {
    if (!timer_) return;
    std::vector<const Program*> programs;
    for (const Trial& trial : trials) programs.push_back(&trial.program);
    timer_->compile(programs);
  }

  // Whether the last block of one of two kernels computes the other, by one of the plans for it.
  static bool may_share_a_launch(const AutomaticKernel& a, const AutomaticKernel& b) {
    const auto is_of = [](const AutomaticKernel& host, const AutomaticKernel& kernel) {
      const auto is_by_it = [&](const RatedPlan& p) { return p.plan.last_block_of == host.root; };
      return is_by_it(kernel.taken) || std::ranges::any_of(kernel.others, is_by_it);
    };
    return is_of(a, b) || is_of(b, a);
  }

  // The time of the launches that store nothing of other kernels' tensors, but for those with which
  // this one may share a launch; infinite: not known.
  double seconds(const Program& program, const std::vector<AutomaticKernel>& kernels,
                 std::size_t k) {
    std::set<TensorId> others;
    for (std::size_t j = 0; j < kernels.size(); ++j) {
      if (j == k || may_share_a_launch(kernels[j], kernels[k])) continue;
      others.insert(kernels[j].tensors.begin(), kernels[j].tensors.end());
    }
    const std::vector<double> times = times_of(program);
    if (times.size() != program.steps.size()) return INFINITY;
    double sum = 0;
    for (std::size_t s = 0; s < times.size(); ++s) {
      const auto is_other = [&](TensorId t) { return others.contains(t); };
      if (std::ranges::none_of(program.steps[s].stores, is_other)) sum += times[s];
    }
    return sum;
  }

  std::vector<double> times_of(const Program& program) {
    if (timer_) return timer_->times(program);
    std::vector<double> times;
    const auto cost = cost_of(program, request_.sizes, result_.device);
    if (!cost) return times;
    for (const KernelCost& kernel : cost->kernels) times.push_back(kernel.time.seconds);
    return times;
  }

  void keep() {
    DiskCache& cache = request_.kept != nullptr ? *request_.kept : DiskCache::instance();
    PlanChoices wishes = choices_;
    for (auto& [name, wish] : wishes) {
      wish.batch.reset();
      wish.turns.reset();
      wish.is_wish = true;
    }
    keep_plans(schedule_.fusion(), request_.sizes, result_.device, wishes, cache);
    const PlanChoices kept = kept_plans(schedule_.fusion(), request_.sizes, result_.device, cache);
    result_.is_kept = kept.size() == wishes.size();
  }

  const Schedule& schedule_;
  const TuneRequest& request_;
  const TypicalSizes typical_;
  const Driver* driver_;  // null: plans are not timed
  std::optional<KernelTimer> timer_;
  PlanChoices choices_;  // of the kernels that are tuned
  TuneProgress progress_;
  TuneResult result_;
};

}  // namespace

TuneResult tune(const Schedule& schedule, const TuneRequest& request) {
  return Tuning(schedule, request).run();
}

TuneResult tune(const Fusion& fusion, const TuneRequest& request) {
  return tune(Schedule(fusion), request);
}

}  // namespace selvage
