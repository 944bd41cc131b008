#include <selvage/base/points.h>
#include <selvage/base/refuse.h>
#include <selvage/expr/text.h>
#include <selvage/index/region_threads.h>
#include <selvage/kernel/launch_limits.h>
#include <selvage/lower/body.h>
#include <selvage/lower/fold_groups.h>
#include <selvage/lower/fold_nest.h>
#include <selvage/lower/long_sums.h>
#include <selvage/lower/nest.h>
#include <selvage/lower/shared_memory.h>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>

namespace selvage {

namespace {

bool needs_finishing(Reduction r) {
  switch (r) {
    case Reduction::Sum:
    case Reduction::Prod:
    case Reduction::Max:
    case Reduction::Min:
    case Reduction::FMax:
    case Reduction::FMin:
    case Reduction::Any:
    case Reduction::All: return false;
    case Reduction::Mean:
    case Reduction::Variance:
    case Reduction::LogSumExp:
    case Reduction::ArgMax:
    case Reduction::ArgMin: return true;
  }
  return true;
}

// The names of the tensor's loops, first those that are not folded over, then those that are.
std::string folded_last(const Schedule& schedule, const TensorAnalysis& analysis) {
  std::string text;
  for (const bool is_folded : {false, true}) {
    for (DomainId d : schedule.loop_domains(analysis.tensor)) {
      if (schedule.is_folded(analysis.tensor, d) != is_folded) continue;
      text += (text.empty() ? "" : ", ") + schedule.name(analysis.tensor, d);
    }
  }
  return text;
}

// Whether the schedule may still be changed so that blocks merge t's states by atomics.
bool may_meet_atomically(const Schedule& schedule, TensorId t) {
  if (schedule.meets_atomically(t) || schedule.site(t)) return false;
  try {
    Schedule(schedule).meet_atomically(t);
    return true;
  } catch (const Illegal&) {
    return false;
  }
}

[[noreturn]] void refuse_blocks(const Schedule& schedule, const TensorAnalysis& analysis,
                                DomainId block) {
  const TensorId t = analysis.tensor;
  const std::string name = schedule.name(t, block);
  const std::string type(to_string(schedule.parallel(t, block)));
  const std::string& tensor = schedule.fusion()[t].name;
  const std::string what = name + ", which " + tensor + " folds over, is bound to " + type +
                           ", and blocks do not wait for one another";
  const std::string serial = "leave the loop " + name + " of " + tensor + " serial";
  if (schedule.fusion()[t].fold->is_partial) refuse<Illegal>("E434", what, serial);
  std::string others;
  for (DomainId d : analysis.loops) {
    if (!schedule.is_folded(t, d) || is_block(schedule.parallel(t, d))) continue;
    others += (others.empty() ? "" : ", ") + schedule.name(t, d);
  }
  const std::string parts = tensor + "_parts";
  std::string help;
  if (others.empty()) {
    help = "split " + name + ", bind the outer loop to " + type +
           " and rfactor the inner one, as " + parts + ": [{memory: global}]";
  } else {
    help = "rfactor what a block folds: {rfactor: {in: [" + others + "], as: " + parts +
           "}}, {bind: {" + name + ": Serial}}, with " + parts + ": [{memory: global}]";
  }
  help += "; or " + serial;
  if (may_meet_atomically(schedule, t)) {
    help += "; or let the blocks meet, {blocks: atomic}, in a kernel of its own";
  }
  refuse<Illegal>("E434", what, help);
}

}  // namespace

FoldNest::FoldNest(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis,
                   std::size_t outer, KernelDraft& draft)
    : fusion_(fusion),
      schedule_(schedule),
      analysis_(analysis),
      tensor_(fusion[analysis.tensor]),
      fold_(*tensor_.fold),
      draft_(draft),
      pool_(fusion.pool()),
      states_(draft, fold_) {
  std::vector<Expr> coordinates;
  std::vector<std::int64_t> extents;
  for (std::size_t i = 0; i < analysis.loops.size(); ++i) {
    const DomainId d = analysis.loops[i];
    const ParallelType p = schedule.parallel(analysis.tensor, d);
    const Expr extent = schedule.graph()[d].extent;
    if (schedule.is_folded(analysis.tensor, d)) {
      if (is_block(p)) {
        const TensorId t = analysis.tensor;
        if (!schedule.meets_atomically(t) || schedule.site(t)) refuse_blocks(schedule, analysis, d);
        blocks_meet_ = true;
      }
      if (is_thread(p) || is_rank(p)) folded_.push_back({p, extent});
      continue;
    }
    if (i < outer || is_index(p)) continue;
    if (!extent.is(Op::Const)) {
      refuse<Illegal>("E433",
                      tensor_.name + " keeps a state for each " +
                          schedule.name(analysis.tensor, d) + ", and their number, " +
                          to_string(extent) + ", is not known",
                      "put what is folded over behind it, reorder: [" +
                          folded_last(schedule, analysis) + "], or split it by a number and do so");
    }
    axes_.push_back(d);
    coordinates.push_back(analysis.variables[i]);
    extents.push_back(extent.value());
  }
  count_items(extents);
  std::sort(folded_.begin(), folded_.end(),
            [](const Folded& a, const Folded& b) { return a.axis < b.axis; });
  address_ = address_in(schedule.graph(), {.axes = axes_}, coordinates);
}

void FoldNest::count_items(const std::vector<std::int64_t>& extents) {
  std::int64_t bytes = 0;  // of one state
  for (const FoldComponent& c : components()) bytes += size_of(c.type);
  const auto items = count_points(extents);
  if (items && *items <= kMostLocalBytes / bytes) {
    items_ = *items;
    return;
  }
  refuse<Illegal>("E442",
                  "the states that each thread keeps of " + tensor_.name + ", " +
                      (items ? std::to_string(*items) : "more than 2^63") + " of " +
                      std::to_string(bytes) + " bytes, are past the limit of " +
                      std::to_string(kMostLocalBytes) + " bytes",
                  "put what it folds over last, reorder: [" + folded_last(schedule_, analysis_) +
                      "]; or split by smaller factors, and put the outer loops before it");
}

bool FoldNest::keep_in_result(const TensorAnalysis& result) const {
  if (!fold_.is_partial && needs_finishing(fold_.how)) return false;
  return result.storage && result.storage->memory == Memory::Local &&
         result.storage->axes == axes_ &&
         (fold_.is_partial || result.storage->type == components()[0].type);
}

void FoldNest::add_state() {
  if (state_.empty()) state_ = states_.add_local(tensor_.name, items_);
}

Body FoldNest::start() {
  add_state();
  return states_.for_each_item(
      items_, [&](Expr at) { return body_of_all(states_.stores(state_, at, states_.empty())); });
}

std::vector<Store> FoldNest::take_in(FoldState element) {
  ValueGraph& values = draft_.kernel.values;
  const std::vector<Expr> valid = valid_points(fusion_, schedule_, analysis_);
  const Expr zero = pool_.constant(0);
  std::vector<Store> all;
  // The element is computed once and kept, as several components use it.
  if (components().size() > 1) {
    for (std::size_t c = 0; c < element.size(); ++c) {
      const DataType type = merges() ? components()[c].type : fold_.type;
      const std::string name = merges() ? std::string(".") + components()[c].name : "";
      const BufferId once = draft_.add_local(tensor_.name + name + ".element", type, 1);
      element_ = once;
      all.push_back({.buffer = once, .address = zero, .value = element[c], .valid = valid});
      element[c] = values.read(type, once, {zero});
    }
  }
  const FoldState state = states_.read(state_, address_);
  FoldState next;
  if (merges()) {
    next = states_.merged(state, element);
  } else {
    std::vector<Expr> coordinates;
    const std::vector<DomainId>& counted = counted_domain(fold_);
    for (DomainId d : counted) coordinates.push_back((*analysis_.coordinates)[d]);
    const Expr position =
        analysis_.guarded->simplify(address_in(schedule_.graph(), {.axes = counted}, coordinates));
    next = with_element(values, fold_, state, element[0], values.index(position));
  }
  for (Store& s : states_.stores(state_, address_, next, valid)) all.push_back(std::move(s));
  return all;
}

Body FoldNest::summed(Body loops) {
  const bool is_grouped = fold_.how == Reduction::Variance || fold_.how == Reduction::LogSumExp;
  if (is_grouped && !merges()) FoldGroups(draft_, fold_, state_, *element_).rewrite(loops);
  const bool adds = fold_.how == Reduction::Sum || fold_.how == Reduction::Mean;
  if (!adds || !is_floating(fold_.type)) return loops;
  LongSums sums(draft_, state_[0], items_,
                [&](const auto& f) { return states_.for_each_item(items_, f); });
  if (!sums.rewrite(loops)) return loops;
  Body body = sums.start();
  append(body, std::move(loops));
  append(body, sums.finish());
  return body;
}

Body FoldNest::merge_threads() {
  Body body;
  for (const Folded& folded : folded_) {
    if (is_rank(folded.axis) && !draft_.kernel.launch.is_cluster) continue;  // of one block
    append(body, is_rank(folded.axis)                ? merge_along_ranks(folded.extent)
                 : folded.axis == ParallelType::TIDx ? merge_along_x()
                                                     : merge_along(folded.axis));
  }
  return body;
}

// Merges the states of each `lanes` neighbouring threads; all of them get the result. `lanes` is a
// power of two.
void FoldNest::merge_lanes(Body& body, std::int64_t lanes) {
  if (lanes < 2) return;
  const std::vector<BufferId> other = states_.add_local(tensor_.name, 1, ".other");
  if (fold_.how == Reduction::LogSumExp) return merge_powers_of_lanes(body, lanes, other);
  const Expr zero = pool_.constant(0);
  append(body, states_.for_each_item(items_, [&](Expr at) {
    Body steps;
    for (std::int64_t mask = lanes / 2; mask > 0; mask /= 2) {
      for (std::size_t c = 0; c < state_.size(); ++c) {
        steps.push_back({Shuffle{other[c], state_[c], zero, at, mask}});
      }
      append(steps,
             body_of_all(states_.stores(
                 state_, at, states_.merged(states_.read(state_, at), states_.read(other, zero)))));
    }
    return steps;
  }));
}

// The threads first find the greatest item of all, and then add up their sums of powers, which each
// has scaled once.
void FoldNest::merge_powers_of_lanes(Body& body, std::int64_t lanes,
                                     const std::vector<BufferId>& other) {
  ValueGraph& values = draft_.kernel.values;
  const Expr zero = pool_.constant(0);
  const BufferId own = draft_.add_local(tensor_.name + ".own", fold_.type, 1);
  const auto read = [&](BufferId b, Expr at) { return values.read(fold_.type, b, {at}); };
  const auto store = [](BufferId b, Expr at, ValueId value) {
    return Store{.buffer = b, .address = at, .value = value, .valid = {}};
  };
  const auto shuffled = [&](std::size_t component, Expr at, Function f) {
    Body steps;
    for (std::int64_t mask = lanes / 2; mask > 0; mask /= 2) {
      steps.push_back({Shuffle{other[component], state_[component], zero, at, mask}});
      const ValueId both =
          values.apply(f, {read(state_[component], at), read(other[component], zero)});
      steps.push_back({store(state_[component], at, both)});
    }
    return steps;
  };
  append(body, states_.for_each_item(items_, [&](Expr at) {
    Body steps = body_of(store(own, zero, read(state_[1], at)));
    append(steps, shuffled(1, at, Function::Max));
    const FoldState scaled =
        states_.merged({read(state_[0], at), read(own, zero)},
                       {values.constant(fold_.type, 0.0, false), read(state_[1], at)});
    steps.push_back({store(state_[0], at, scaled[0])});
    append(steps, shuffled(0, at, Function::Add));
    return steps;
  }));
}

// Whether a thread takes no more instructions to read the states of all the row's warps, in
// vectors, and to merge them, than to read one and to shuffle: then it saves the shuffles' waiting,
// too.
bool FoldNest::read_as_vectors(std::int64_t warps) const {
  constexpr std::int64_t kMost = 4;
  return warps <= kMost && components().size() == 1;
}

// Merges the states of `warps` warps, a power of two, which lie side by side from `start(item)` on,
// in the order in which lanes that shuffle would.
Body FoldNest::merge_vectors(const std::vector<BufferId>& left, std::int64_t warps,
                             const std::function<Expr(Expr)>& start) {
  const std::int64_t width = std::min(warps, kWidestAccess / size_of(components()[0].type));
  const std::vector<BufferId> all = states_.add_local(tensor_.name, warps, ".of_warps");
  const Expr lane =
      own_variable("lane." + std::to_string(width), pool_.constant(width), draft_.kernel);
  return states_.for_each_item(items_, [&](Expr at) {
    Body body;
    for (std::int64_t k = 0; k < warps; k += width) {
      body.push_back({Transfer{.to = all[0],
                               .from = left[0],
                               .to_address = pool_.constant(k),
                               .from_address = k == 0 ? start(at) : draft_.form(start(at) + k),
                               .width = width,
                               .lane = lane,
                               .valid = {},
                               .duplicates_allowed = true}});
    }
    std::vector<FoldState> states;
    for (std::int64_t k = 0; k < warps; ++k) states.push_back(states_.read(all, pool_.constant(k)));
    for (std::size_t half = states.size() / 2; half > 0; half /= 2) {
      for (std::size_t k = 0; k < half; ++k)
        states[k] = states_.merged(states[k], states[k + half]);
    }
    append(body, body_of_all(states_.stores(state_, at, states[0])));
    return body;
  });
}

Body FoldNest::merge_along_x() {
  Kernel& kernel = draft_.kernel;
  Simplifier simplifier(kernel.facts);
  const Expr extent = draft_.computing(ParallelType::TIDx);
  Body body;
  if (extent.is(Op::Const) && extent.value() <= kWarp) {
    merge_lanes(body, extent.value());
    return body;
  }
  merge_lanes(body, kWarp);
  // Each warp stores its state; then each thread of a warp loads the state of one warp of its row.
  const Expr warps = simplifier.simplify(extent / kWarp);
  const std::vector<BufferId> left =
      states_.add_shared(tensor_.name, items_ * kMostWarps, ".warps");
  const Expr x = every(ParallelType::TIDx, kernel).variable;
  const Expr thread = linear_thread(kernel);
  // `lanes`: the warps of a row, or the most there may be, rounded up to a power of two. Thread x
  // of a row loads the state of the row's warp x % lanes, or the empty state if there is none.
  const std::int64_t lanes =
      warps.is(Op::Const) ? std::int64_t(std::bit_ceil(std::uint64_t(warps.value()))) : kMostWarps;
  const Expr lane = simplifier.simplify(x % lanes);
  const Expr own = simplifier.simplify(thread / kWarp);
  const Expr of_lane = simplifier.simplify((thread - x) / kWarp + lane);
  const Expr is_there = draft_.form(simplifier.simplify(lane < warps));
  const auto slot = [&](Expr at, Expr warp) {
    return draft_.form(simplifier.simplify(at * kMostWarps + warp));
  };
  Body meet = states_.for_each_item(items_, [&](Expr at) {
    return body_of(Guard{draft_.form(simplifier.simplify(elected(std::array{x % kWarp}, pool_))),
                         body_of_all(states_.stores(left, slot(at, own), states_.read(state_, at))),
                         {}});
  });
  if (warps.is(Op::Const) && warps.value() == lanes && read_as_vectors(lanes)) {
    const Expr first = simplifier.simplify((thread - x) / kWarp);
    append(meet, merge_vectors(left, lanes, [&](Expr at) { return slot(at, first); }));
    append(body, with_threads(std::move(meet), kernel));
    return body;
  }
  append(meet, states_.for_each_item(items_, [&](Expr at) {
    Body take = body_of_all(states_.stores(state_, at, states_.read(left, slot(at, of_lane))));
    if (is_there.is_true()) return take;
    return body_of(
        Guard{is_there, std::move(take), body_of_all(states_.stores(state_, at, states_.empty()))});
  }));
  append(body, with_threads(std::move(meet), kernel));
  merge_lanes(body, lanes);
  return body;
}

Body FoldNest::merge_along(ParallelType axis) {
  Kernel& kernel = draft_.kernel;
  const auto& block = kernel.launch.block;
  Simplifier simplifier(kernel.facts);
  const Expr threads = threads_of_block(kernel);
  const Expr extent = draft_.computing(axis);
  if (!threads.is(Op::Const)) {
    refuse<Illegal>("E433",
                    tensor_.name + " folds along " + std::string(to_string(axis)) +
                        ", where threads meet in shared memory, and how many there are, " +
                        to_string(threads) + ", is no number",
                    "split by a number what is bound to thread indices");
  }
  const std::vector<BufferId> left =
      states_.add_shared(tensor_.name, items_ * threads.value(), ".threads");
  const Expr own = every(axis, kernel).variable;
  const Expr other = own_variable("other." + std::string(to_string(axis)), extent, kernel);
  const Expr stride = axis == ParallelType::TIDy ? block[0] : block[0] * block[1];
  Simplifier known(kernel.facts);
  const auto slot = [&](Expr at, Expr thread) {
    return draft_.form(known.simplify(at * threads + thread));
  };
  const Expr thread = linear_thread(kernel);
  Body body = states_.for_each_item(items_, [&](Expr at) {
    return body_of_all(states_.stores(left, slot(at, thread), states_.read(state_, at)));
  });
  append(body, states_.for_each_item(items_, [&](Expr at) {
    Body sum = body_of_all(states_.stores(state_, at, states_.empty()));
    const FoldState theirs = states_.read(left, slot(at, thread + (other - own) * stride));
    Loop loop{other, extent, ParallelType::Serial, {}};
    loop.body =
        body_of_all(states_.stores(state_, at, states_.merged(states_.read(state_, at), theirs)));
    sum.push_back({std::move(loop)});
    return sum;
  }));
  draft_.computed.push_back(extent);
  return with_threads(std::move(body), kernel);
}

// One thread of each block stores its state, for every thread index that is not folded along; each
// thread then reads the states of all blocks of the cluster.
Body FoldNest::merge_along_ranks(Expr extent) {
  Kernel& kernel = draft_.kernel;
  Simplifier known(kernel.facts);
  Expr own = pool_.constant(0);  // among the threads that have a state of their own
  std::int64_t states = 1;
  std::vector<Expr> firsts;  // indices along which all threads have one state
  for (const ParallelType p : {ParallelType::TIDy, ParallelType::TIDx}) {
    const Expr n = extent_of(kernel.launch, p);
    if (n.is_const(1)) continue;
    const Expr index = every(p, kernel).variable;
    if (std::ranges::find(folded_, p, &Folded::axis) != folded_.end()) {
      firsts.push_back(index);
      continue;
    }
    own = own * n + index;
    states *= n.value();
  }
  const std::vector<BufferId> left =
      states_.add_shared(tensor_.name, items_ * states * kernel.launch.ranks(), ".blocks");
  draft_.of_cluster.insert(left.begin(), left.end());
  const auto slot = [&](Expr rank, Expr at) {
    return draft_.form(known.simplify(rank * (items_ * states) + at * states + own));
  };
  const Expr rank = every(ParallelType::TIDz, kernel).variable;
  Body body = states_.for_each_item(items_, [&](Expr at) {
    Body store = body_of_all(states_.stores(left, slot(rank, at), states_.read(state_, at)));
    if (firsts.empty()) return store;
    return guarded({draft_.form(known.simplify(elected(firsts, pool_)))}, std::move(store));
  });
  const Expr other = own_variable("other.CIDx", extent, kernel);
  append(body, states_.for_each_item(items_, [&](Expr at) {
    Body sum = body_of_all(states_.stores(state_, at, states_.empty()));
    const FoldState theirs = states_.read(left, slot(other, at));
    Loop loop{other, extent, ParallelType::Unroll, {}};
    loop.body =
        body_of_all(states_.stores(state_, at, states_.merged(states_.read(state_, at), theirs)));
    sum.push_back({std::move(loop)});
    return sum;
  }));
  draft_.computed.push_back(extent);
  return with_threads(std::move(body), kernel);
}

std::vector<Store> FoldNest::finish(const std::vector<BufferId>& targets) {
  ValueGraph& values = draft_.kernel.values;
  FoldState result = states_.read(state_, address_);
  if (!fold_.is_partial) {
    Expr items = pool_.constant(1);
    for (DomainId d : counted_domain(fold_)) items = items * schedule_.graph()[d].extent;
    result = {folded(values, fold_, result, values.index(analysis_.ranges->simplify(items)))};
  }
  // A fold that is not partial has one result, which is stored once for each part of the tensor.
  const auto stored = [&](std::size_t k) {
    if (fold_.is_partial) return values.cast(result[k], components()[k].type);
    const DataType type = draft_.kernel.buffers[targets[k]].type;
    return values.as_element(values.as_element(result[0], tensor_.type), type);
  };
  std::vector<Store> stores;
  for (std::size_t k = 0; k < targets.size(); ++k) {
    stores.push_back({.buffer = targets[k], .address = {}, .value = stored(k), .valid = {}});
    if (blocks_meet_) stores.back().atomic = combiner(fold_.how);
  }
  return stores;
}

}  // namespace selvage
