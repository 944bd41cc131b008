#include <selvage/base/points.h>
#include <selvage/base/refuse.h>
#include <selvage/expr/text.h>
#include <selvage/index/region_threads.h>
#include <selvage/lower/nest.h>
#include <selvage/lower/scan_nest.h>
#include <selvage/lower/shared_memory.h>

#include <array>

namespace selvage {

ScanNest::ScanNest(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis,
                   KernelDraft& draft)
    : fusion_(fusion),
      schedule_(schedule),
      analysis_(analysis),
      tensor_(fusion[analysis.tensor]),
      fold_(*tensor_.fold),
      draft_(draft),
      pool_(fusion.pool()),
      states_(draft, fold_),
      order_(scan_order(fusion, schedule, analysis)) {
  const std::size_t last = analysis.loops.size() - 1;
  const bool has_vector =
      draft.is_vectorised &&
      schedule.parallel(analysis.tensor, analysis.loops[last]) == ParallelType::Vectorize;
  if (has_threads()) {
    step_ = order_.step;
  } else if (has_vector) {
    step_ = last;
  }
  find_axes();
}

void ScanNest::find_axes() {
  std::vector<std::size_t> around, inner, kept;  // loops that are no index of the launch
  bool is_kept = false;
  const std::size_t step = step_.value_or(analysis_.loops.size());
  for (std::size_t k = order_.first; k < analysis_.loops.size(); ++k) {
    const DomainId d = analysis_.loops[k];
    if (is_index(schedule_.parallel(analysis_.tensor, d))) continue;
    const bool is_along = schedule_.is_folded(analysis_.tensor, d);
    if (k >= step) kept.push_back(k);
    if (is_along) {
      is_kept = is_kept || k >= step;
    } else {
      (k < step ? around : inner).push_back(k);
    }
  }
  Kept steps;
  settle(steps, around, "");
  around.insert(around.end(), inner.begin(), inner.end());
  settle(carried_, around, "");
  around_ = steps.address * (carried_.items / steps.items);
  if (!has_threads() || order_.has_steps)
    carried_.buffers = states_.add_local(tensor_.name, carried_.items);
  if (has_threads()) {
    settle(part_, inner, ".part");
    before_ = states_.add_local(tensor_.name, part_.items, ".before");
    all_ = states_.add_local(tensor_.name, part_.items, ".all");
  }
  if (is_kept) settle(kept_, kept, ".kept");
}

// Lays states out over these loops; adds buffers where they have a name, `what`.
void ScanNest::settle(Kept& kept, const std::vector<std::size_t>& loops, const std::string& what) {
  std::vector<Expr> coordinates;
  std::vector<std::int64_t> extents;
  for (std::size_t k : loops) {
    const DomainId d = analysis_.loops[k];
    const Expr extent = schedule_.graph()[d].extent;
    if (!extent.is(Op::Const)) {
      const std::string name = schedule_.name(analysis_.tensor, d);
      refuse<Illegal>("E433",
                      tensor_.name + " keeps a state for each " + name + ", and their number, " +
                          to_string(extent) + ", is not known",
                      schedule_.is_folded(analysis_.tensor, d)
                          ? "split " + name +
                                " by a number, and put the outer loop before those "
                                "that are bound to threads"
                          : "put " + name + " before the loops that " + tensor_.name +
                                " scans along, or split it by a number and do so");
    }
    kept.axes.push_back(d);
    coordinates.push_back(analysis_.variables[k]);
    extents.push_back(extent.value());
  }
  std::int64_t bytes = 0;
  for (const FoldComponent& c : states_.components()) bytes += size_of(c.type);
  const auto items = count_points(extents);
  if (!items || *items > kMostLocalBytes / bytes) {
    refuse<Illegal>("E442",
                    "the states that each thread keeps of " + tensor_.name + ", " +
                        (items ? std::to_string(*items) : "more than 2^63") + " of " +
                        std::to_string(bytes) + " bytes, are past the limit of " +
                        std::to_string(kMostLocalBytes) + " bytes",
                    "split by smaller factors, and put the outer loops first");
  }
  kept.items = *items;
  kept.address = address_in(schedule_.graph(), {.axes = kept.axes}, coordinates);
  if (!what.empty()) kept.buffers = states_.add_local(tensor_.name, kept.items, what);
}

Body ScanNest::empty(const Kept& kept) const {
  return states_.for_each_item(kept.items, [&](Expr at) {
    return body_of_all(states_.stores(kept.buffers, at, states_.empty()));
  });
}

Body ScanNest::start() { return carried_.buffers.empty() ? Body{} : empty(carried_); }

Body ScanNest::begin_step() { return has_threads() ? empty(part_) : Body{}; }

std::vector<Store> ScanNest::take_in(ValueId element) {
  ValueGraph& values = draft_.kernel.values;
  const std::vector<Expr> valid = valid_points(fusion_, schedule_, analysis_);
  const Kept& own = state();
  const ValueId position = values.constant(DataType::Int64, std::int64_t{0}, false);
  std::vector<Store> all = states_.stores(
      own.buffers, own.address,
      with_element(values, fold_, states_.read(own.buffers, own.address), element, position),
      valid);
  const FoldState now = states_.read(own.buffers, own.address);
  for (Store& s : states_.stores(kept_.buffers, kept_.address, now, valid)) {
    all.push_back(std::move(s));
  }
  return all;
}

// What was taken in up to an item: in this step or, without threads, in all.
FoldState ScanNest::own() {
  return kept_.buffers.empty() ? states_.read(state().buffers, state().address)
                               : states_.read(kept_.buffers, kept_.address);
}

std::vector<Store> ScanNest::finish(const std::vector<BufferId>& targets) {
  ValueGraph& values = draft_.kernel.values;
  FoldState result = own();
  if (has_threads()) result = states_.merged(states_.read(before_, part_.address), result);
  std::vector<Store> stores;
  for (BufferId target : targets) {
    const ValueId element = values.as_element(result[0], tensor_.type);
    stores.push_back({.buffer = target,
                      .address = {},
                      .value = values.as_element(element, draft_.kernel.buffers[target].type),
                      .valid = {}});
  }
  return stores;
}

Body ScanNest::meet() {
  if (!has_threads()) return {};
  Body body = states_.for_each_item(part_.items, [&](Expr at) {
    Body one = body_of_all(states_.stores(all_, at, states_.read(part_.buffers, at)));
    append(one, body_of_all(states_.stores(before_, at, states_.empty())));
    return one;
  });
  for (ParallelType axis : order_.threads) {
    append(body, axis == ParallelType::TIDx ? meet_along_x() : meet_along(axis));
  }
  if (order_.has_steps) append(body, add_carry());
  return with_threads(std::move(body), draft_.kernel);
}

// Among each `lanes` neighbouring threads, a power of two. Before the exchange at distance m, each
// m neighbours know the states of all of them; the upper half of 2 m then puts the lower in front.
Body ScanNest::meet_lanes(std::int64_t lanes) {
  if (lanes < 2) return {};
  Simplifier simplifier(draft_.kernel.facts);
  const std::vector<BufferId> other = states_.add_local(tensor_.name, 1, ".other");
  const Expr zero = pool_.constant(0);
  const Expr x = every(ParallelType::TIDx, draft_.kernel).variable;
  return states_.for_each_item(part_.items, [&](Expr at) {
    Body steps;
    for (std::int64_t mask = 1; mask < lanes; mask *= 2) {
      for (std::size_t c = 0; c < all_.size(); ++c) {
        steps.push_back({Shuffle{other[c], all_[c], zero, at, mask}});
      }
      const Expr is_upper = draft_.form(simplifier.simplify(eq(x / mask % 2, 1)));
      const FoldState theirs = states_.read(other, zero);
      append(steps,
             body_of(Guard{is_upper,
                           body_of_all(states_.stores(
                               before_, at, states_.merged(theirs, states_.read(before_, at)))),
                           {}}));
      // Both orders give the same bits: a merge of two states is commutative.
      append(steps,
             body_of_all(states_.stores(all_, at, states_.merged(states_.read(all_, at), theirs))));
    }
    return steps;
  });
}

Body ScanNest::put_in_front(Expr other, Expr extent, Expr own,
                            const std::function<FoldState(Expr at)>& theirs) {
  Simplifier simplifier(draft_.kernel.facts);
  const std::vector<BufferId> front = states_.add_local(tensor_.name, 1, ".front");
  const std::vector<BufferId> whole = states_.add_local(tensor_.name, 1, ".whole");
  const Expr zero = pool_.constant(0);
  const Expr is_before = draft_.form(simplifier.simplify(other < own));
  draft_.computed.push_back(extent);
  return states_.for_each_item(part_.items, [&](Expr at) {
    Body body = body_of_all(states_.stores(front, zero, states_.empty()));
    append(body, body_of_all(states_.stores(whole, zero, states_.empty())));
    const FoldState more = theirs(at);
    const auto adds = [&](const std::vector<BufferId>& to) {
      return body_of_all(states_.stores(to, zero, states_.merged(states_.read(to, zero), more)));
    };
    Loop loop{other, extent, ParallelType::Serial, body_of(Guard{is_before, adds(front), {}})};
    append(loop.body, adds(whole));
    body.push_back({std::move(loop)});
    append(body,
           body_of_all(states_.stores(
               before_, at, states_.merged(states_.read(front, zero), states_.read(before_, at)))));
    append(body, body_of_all(states_.stores(all_, at, states_.read(whole, zero))));
    return body;
  });
}

// The lanes of each warp, then the warps of a row in shared memory.
Body ScanNest::meet_along_x() {
  Kernel& kernel = draft_.kernel;
  const Expr extent = kernel.launch.block[0];
  if (extent.is(Op::Const) && extent.value() <= kWarp) return meet_lanes(extent.value());
  Body body = meet_lanes(kWarp);
  const std::vector<BufferId> left =
      states_.add_shared(tensor_.name, part_.items * kMostWarps, ".warps");
  const Expr x = every(ParallelType::TIDx, kernel).variable;
  const Expr warps = Simplifier(kernel.facts).simplify(extent / kWarp);
  const Expr other = own_variable("other.warp", warps, kernel);
  Simplifier simplifier(kernel.facts);
  const Expr thread = linear_thread(kernel);
  const auto slot = [&](Expr at, Expr warp) {
    return draft_.form(simplifier.simplify(at * kMostWarps + warp));
  };
  const Expr elects = draft_.form(simplifier.simplify(elected(std::array{x % kWarp}, pool_)));
  append(body, states_.for_each_item(part_.items, [&](Expr at) {
    return body_of(
        Guard{elects,
              body_of_all(states_.stores(left, slot(at, thread / kWarp), states_.read(all_, at))),
              {}});
  }));
  append(body, put_in_front(other, warps, simplifier.simplify(x / kWarp), [&](Expr at) {
           return states_.read(left, slot(at, (thread - x) / kWarp + other));
         }));
  return body;
}

Body ScanNest::meet_along(ParallelType axis) {
  Kernel& kernel = draft_.kernel;
  const auto& block = kernel.launch.block;
  const Expr threads = threads_of_block(kernel);
  if (!threads.is(Op::Const)) {
    refuse<Illegal>("E433",
                    tensor_.name + " scans along " + std::string(to_string(axis)) +
                        ", where threads meet in shared memory, and how many there are, " +
                        to_string(threads) + ", is no number",
                    "split by a number what is bound to thread indices");
  }
  const std::vector<BufferId> left =
      states_.add_shared(tensor_.name, part_.items * threads.value(), ".threads");
  const Expr own = every(axis, kernel).variable;
  const Expr extent = extent_of(kernel.launch, axis);
  const Expr other = own_variable("other." + std::string(to_string(axis)), extent, kernel);
  Simplifier simplifier(kernel.facts);
  const Expr stride = axis == ParallelType::TIDy ? block[0] : block[0] * block[1];
  const Expr thread = linear_thread(kernel);
  const auto slot = [&](Expr at, Expr of) {
    return draft_.form(simplifier.simplify(at * threads + of));
  };
  Body body = states_.for_each_item(part_.items, [&](Expr at) {
    return body_of_all(states_.stores(left, slot(at, thread), states_.read(all_, at)));
  });
  append(body, put_in_front(other, extent, own, [&](Expr at) {
           return states_.read(left, slot(at, thread + (other - own) * stride));
         }));
  return body;
}

Body ScanNest::add_carry() {
  return states_.for_each_item(part_.items, [&](Expr at) {
    const Expr carried = draft_.form(analysis_.ranges->simplify(around_ + at));
    const FoldState so_far = states_.read(carried_.buffers, carried);
    Body body =
        body_of_all(states_.stores(before_, at, states_.merged(so_far, states_.read(before_, at))));
    append(body, body_of_all(states_.stores(carried_.buffers, carried,
                                            states_.merged(so_far, states_.read(all_, at)))));
    return body;
  });
}

}  // namespace selvage
