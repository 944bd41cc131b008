#include <selvage/base/check.h>
#include <selvage/expr/conjuncts.h>
#include <selvage/expr/symbols.h>
#include <selvage/expr/tape.h>
#include <selvage/index/region_threads.h>
#include <selvage/lower/body.h>
#include <selvage/lower/interior.h>
#include <selvage/lower/lanes.h>
#include <selvage/lower/nest.h>
#include <selvage/lower/nest_levels.h>
#include <selvage/lower/peel.h>
#include <selvage/lower/spread.h>

#include <algorithm>
#include <bit>
#include <string>

namespace selvage {

namespace {

constexpr ParallelType kAxes[] = {ParallelType::BIDz, ParallelType::BIDy, ParallelType::BIDx,
                                  ParallelType::TIDz, ParallelType::TIDy, ParallelType::TIDx};

// Builds one nest.
class Nest {
 public:
  Nest(const NestRequest& request, KernelDraft& draft)
      : fusion_(request.fusion),
        schedule_(request.schedule),
        analysis_(request.analysis),
        request_(request),
        has_lanes_(request.is_vectorised && may_have_lanes()),
        may_draw_out_(request.draws_out_checks && !request.checks_everything &&
                      !request.is_stored_in_bulk),
        draft_(draft),
        kernel_(draft.kernel),
        levels_(analysis_, request.open, draft) {}

  Body build(std::vector<Store> stores) {
    stores_ = std::move(stores);
    find_numbers();
    if (has_lanes_) find_lanes();
    put_in_order();
    add_loops();
    add_rows();
    add_guards();
    draw_out_guards();
    name_all();
    Body body = level_body(request_.open, true);
    if (may_draw_out_) cut_interiors(body, kernel_, *analysis_.ranges);
    prune(body, kernel_.values);
    if (lanes_) {
      draft_.conditions.insert(draft_.conditions.end(), lanes_->conditions.begin(),
                               lanes_->conditions.end());
    }
    return masked(std::move(body));
  }

 private:
  // Whether groups may be accessed as a whole. Not where no group is ever full, or where the
  // vectorised loop is not innermost: then elements are accessed one by one.
  bool may_have_lanes() const {
    if (!analysis_.vector || analysis_.vector->full.condition.is_false()) return false;
    // The loop is open already where it stands around a fold or around a tensor computed inside.
    for (std::size_t i = 0; i < request_.open; ++i) {
      if (parallel(i) == ParallelType::Vectorize) return false;
    }
    const std::int64_t width = analysis_.vector->width;
    return analysis_.vector->is_stored ||
           (width <= 16 && std::has_single_bit(std::uint64_t(width)));
  }

  // Where they are read, every check of the nest has been made.
  void find_numbers() {
    for (; draft_.settled_numbers < draft_.numbers.size(); ++draft_.settled_numbers) {
      const ReadNumber& n = draft_.numbers[draft_.settled_numbers];
      const Expr zero = kernel_.pool->constant(0);
      kernel_.facts.bound(n.variable, zero, n.most);
      numbers_.push_back({.variable = n.variable,
                          .read = n.value,
                          .least = zero,
                          .most = n.most,
                          .is_promised = n.is_promised});
    }
  }

  void find_lanes() {
    if (analysis_.vector->is_stored && stores_.size() > 1) {
      has_lanes_ = false;
      return;
    }
    lanes_ = lanes_of(fusion_, schedule_.graph(), analysis_, stores_, numbers_, draft_);
    if (lanes_->store || !lanes_->loads.empty()) return;
    lanes_.reset();
    has_lanes_ = false;
  }

  ParallelType parallel(std::size_t loop) const {
    return schedule_.parallel(analysis_.tensor, analysis_.loops[loop]);
  }
  bool is_axis(std::size_t loop) const { return is_index(parallel(loop)); }
  bool is_unswitched(std::size_t loop) const {
    return parallel(loop) == ParallelType::Unswitch || parallel(loop) == ParallelType::Unroll ||
           is_vector_in_registers(loop);
  }
  // Whether the loop is a vectorised one that makes no access, as its elements are computed from
  // registers and kept there. Such a loop is unrolled.
  bool is_vector_in_registers(std::size_t loop) const {
    return parallel(loop) == ParallelType::Vectorize && !has_lanes_ && analysis_.vector &&
           !analysis_.vector->is_stored &&
           schedule_.graph()[analysis_.loops[loop]].extent.is(Op::Const);
  }
  bool is_checked(std::size_t loop) const {
    const Expr guard = guard_of(analysis_);
    const std::vector<Expr> symbols = symbols_of(guard);
    return std::any_of(symbols.begin(), symbols.end(),
                       [&](Expr s) { return same(s, analysis_.variables[loop]); });
  }

  // Whether the checks are about items of a row. Each row has an end of its own, so little is
  // gained where one row has no check left.
  bool depends_on_row() const {
    const std::vector<Expr> symbols = symbols_of(guard_of(analysis_));
    return std::ranges::any_of(analysis_.rows, [&](const RowNumber& n) {
      const RaggedRows& rows = schedule_.graph()[n.rows];
      return contains(symbols, rows.begin) || contains(symbols, rows.end);
    });
  }

  // Moves the vectorised loop innermost. Where checks are drawn out of loops, block and thread
  // indices go outermost: their order means nothing, and the checks may depend on them.
  void put_in_order() {
    const std::size_t n = analysis_.loops.size(), open = request_.open;
    hoist_level_ = open;
    bool has_axis = false, checks_a_loop = false, has_unswitch = false;
    for (std::size_t i = 0; i < n; ++i) {
      order_.push_back(i);
      if (is_axis(i)) has_axis = true;
      if (is_unswitched(i)) has_unswitch = true;
      const bool is_run = !is_axis(i) && parallel(i) != ParallelType::Vectorize &&
                          !schedule_.graph()[analysis_.loops[i]].extent.is_const(1);
      if (is_run && is_checked(i)) checks_a_loop = true;
    }
    const auto inner = order_.begin() + std::ptrdiff_t(open);
    std::stable_partition(inner, order_.end(),
                          [&](std::size_t i) { return parallel(i) != ParallelType::Vectorize; });
    draws_out_ =
        may_draw_out_ && !depends_on_row() && (has_unswitch || (has_axis && checks_a_loop));
    if (!draws_out_) return;
    std::stable_partition(inner, order_.end(), [&](std::size_t i) { return is_axis(i); });
    const auto first = std::find_if(inner, order_.end(), [&](std::size_t i) {
      return has_unswitch ? is_unswitched(i) : !is_axis(i);
    });
    hoist_level_ = std::size_t(first - order_.begin());
  }

  // Makes the loops of all levels. The masks of open loops are tested inside the last open loop.
  void add_loops() {
    for (std::size_t k = 0; k < order_.size(); ++k) {
      const std::size_t i = order_[k];
      const Expr own = schedule_.graph()[analysis_.loops[i]].extent;
      Loop loop = loop_of(schedule_, analysis_, i, kernel_, draft_.computed);
      if (loop.parallel == ParallelType::Vectorize && !has_lanes_) {
        const bool is_stored = analysis_.vector && analysis_.vector->is_stored;
        loop.parallel =
            is_stored || !own.is(Op::Const) ? ParallelType::Serial : ParallelType::Unroll;
      }
      for (const SpreadLoop& shared : request_.spread) {
        if (shared.loop == i) loop.parallel = ParallelType::Bulk;
      }
      if (is_axis(i) && !analysis_.ranges->proves(loop.extent <= own)) {
        levels_[std::max(k + 1, request_.open)].masks.push_back(loop.variable < own);
      }
      levels_.open(k + 1, std::move(loop));
    }
  }

  // Reads the ends of rows where these are known.
  void add_rows() {
    for (const RowReads& rows : request_.rows) {
      const std::size_t k = levels_.of(named(rows.known));
      for (const Define& define : rows.defines) levels_.define(k, define);
    }
  }

  // Finds the conditions that are tested outside of loops and replace the checks inside them.
  void draw_out_guards() {
    if (lanes_) {
      const Expr guard = levels_.conjunction_from(levels_.size() - 1);
      if (guard.valid()) {
        const Expr full =
            hoist(guard, std::span(&analysis_.vector->variable, 1), *analysis_.ranges).condition;
        if (!request_.is_stored_in_bulk) peel(full);
        full_ = full;
      }
    }
    // A loop that is peeled has no check left in it, and where there is but the vector, what is
    // drawn out of it is tested already.
    if (!draws_out_ || (peeled_.valid() && hoist_level_ + 2 == order_.size())) return;
    if (full_.valid() && hoist_level_ < order_.size()) {
      const auto runs_once = [&](std::size_t i) {
        return schedule_.graph()[analysis_.loops[i]].extent.is_const(1);
      };
      const auto from = order_.begin() + std::ptrdiff_t(hoist_level_);
      if (std::all_of(from, order_.end() - 1, runs_once)) return;
    }
    const Expr guard = levels_.conjunction_from(hoist_level_ + 1);
    if (!guard.valid()) return;
    std::vector<Expr> inner;
    for (std::size_t k = hoist_level_; k < order_.size(); ++k) {
      inner.push_back(analysis_.variables[order_[k]]);
    }
    const Expr condition = hoist(guard, inner, *analysis_.ranges).condition;
    if (!condition.is_false()) interior_ = condition;
  }

  // Peels the loop around the vector if the full groups are those below a bound: it first runs over
  // these without a check.
  void peel(Expr full) {
    if (order_.size() < 2) return;
    const NestLevel& around = levels_[order_.size() - 1];
    if (around.loop->parallel != ParallelType::Serial || around.loop->extent.is_const(1)) return;
    if (const auto end =
            end_of_interior(full, around.loop->variable, around.loop->extent, *analysis_.ranges)) {
      peeled_ = *end;
    }
  }

  // Replaces every Let by a variable; variables are numbered in the order of their first use.
  void name_all() {
    for (std::size_t k = 0; k < levels_.size(); ++k) {
      for (Expr& guard : levels_[k].guards) guard = named(guard);
    }
    for (Expr* e : {&interior_, &full_, &peeled_}) {
      if (e->valid()) *e = named(*e);
    }
    for (Store& store : stores_) name_address(store.buffer, store.address);
    for (Define& number : numbers_) number.most = named(number.most);
    name_values();
    if (!lanes_) return;
    for (auto* some : {&lanes_->common_numbers, &lanes_->own_numbers}) {
      for (Define& number : *some) number.most = named(number.most);
    }
    if (lanes_->store) name_address(lanes_->store->to, lanes_->store->to_address);
    for (Store& store : lanes_->elements) name_address(store.buffer, store.address);
    for (Transfer& load : lanes_->loads) name_address(load.from, load.from_address);
  }
  void name_address(BufferId buffer, Expr& address) {
    const Expr before = address;
    address = named(address);
    kernel_.items.also_at(buffer, before, address);
  }

  // The code inside the k outermost loops. If not `guarded`, all checks inside are known to hold.
  Body level_body(std::size_t k, bool guarded) {
    Body body;
    if (k == hoist_level_ && guarded && interior_.valid()) {
      // Checks that half of the iterations do not need are few after build() has cut the loop.
      constexpr double kMany = 0.5;
      body = inner_body(k, true);
      Body trial = body;
      if (cut_interiors(trial, kernel_, *analysis_.ranges) < kMany) {
        body = body_of(Guard{interior_, inner_body(k, false), std::move(body)});
      }
    } else {
      body = inner_body(k, guarded);
    }
    return levels_.wrapped(k, guarded, std::move(body));
  }

  // The same without the checks and definitions of level k itself.
  Body inner_body(std::size_t k, bool guarded) {
    if (k == order_.size()) return after(numbers_, body_of_all(stores_));
    if (lanes_ && k + 1 == order_.size()) return vector_body(guarded);
    if (lanes_ && k + 2 == order_.size() && guarded && peeled_.valid()) return peeled_body(k);
    Loop loop = *levels_[k + 1].loop;
    loop.body = level_body(k + 1, guarded);
    return body_of(std::move(loop));
  }

  Body vector_body(bool guarded) {
    const std::size_t k = order_.size();
    if (!guarded || levels_[k].guards.empty()) return whole_groups();
    Guard guard{full_, whole_groups(), {}};
    if (!is_proved(analysis_.vector->is_whole)) guard.otherwise = single_elements();
    return body_of(std::move(guard));
  }
  Body whole_groups() {
    const std::size_t k = order_.size();
    Body body = after(lanes_->common_numbers, body_of_all(lanes_->loads));
    Loop loop = *levels_[k].loop;
    loop.body =
        levels_.wrapped(k, false, after(lanes_->own_numbers, body_of_all(lanes_->elements)));
    body.push_back({std::move(loop)});
    if (lanes_->store) body.push_back({*lanes_->store});
    return body;
  }
  Body single_elements() {
    const std::size_t k = order_.size();
    Loop loop = *levels_[k].loop;
    loop.parallel = ParallelType::Serial;
    loop.body = levels_.wrapped(k, true, after(numbers_, body_of_all(stores_)));
    return body_of(std::move(loop));
  }

  Body peeled_body(std::size_t k) {
    Loop main = *levels_[k + 1].loop, rest = main;
    main.extent = peeled_;
    main.body = levels_.wrapped(k + 1, true, whole_groups());
    Body body = body_of(std::move(main));
    if (is_proved(analysis_.vector->is_whole)) return body;
    rest.begin = peeled_;
    rest.body = levels_.wrapped(k + 1, true, single_elements());
    body.push_back({std::move(rest)});
    return body;
  }

  // Puts each guard as far out as its variables allow, simplified under those tested before it.
  void add_guards() {
    std::vector<Expr> conditions;
    if (request_.checks_everything) {
      for (DomainId d : analysis_.path.domains) {
        const Expr all = ok((*analysis_.coordinates)[d], schedule_.graph()[d].extent);
        levels_[levels_.of(all)].guards.push_back(all);
      }
      return;
    }
    for (const KeptPredicate& kept : analysis_.predicates.kept) {
      const std::vector<Expr> parts = conjuncts_of(kept.condition);
      conditions.insert(conditions.end(), parts.begin(), parts.end());
    }
    std::stable_sort(conditions.begin(), conditions.end(),
                     [&](Expr a, Expr b) { return levels_.of(a) < levels_.of(b); });
    Facts tested = analysis_.ranges->facts();
    for (std::size_t i = 0; i < conditions.size(); ++i) {
      Expr condition = conditions[i];
      if (i > 0) condition = Simplifier(tested).simplify(condition);
      if (condition.is_true()) continue;
      tested.assume(condition);
      levels_[levels_.of(condition)].guards.push_back(condition);
    }
  }

  Expr named(Expr e) { return levels_.named(e); }

  void name_values() {
    ValueGraph& values = kernel_.values;
    for (std::size_t& v = draft_.settled_values; v < values.size(); ++v) {
      ValueNode node = values[ValueId(v)];
      if (node.kind == ValueNode::Kind::Index) {
        node.index = named(node.index);
      } else if (node.kind == ValueNode::Kind::Read) {
        for (Expr& s : node.subscripts) name_address(node.source, s);
      } else {
        continue;
      }
      values.replace(ValueId(v), std::move(node));
    }
  }

  static Body after(const std::vector<Define>& numbers, Body body) {
    Body all = body_of_all(numbers);
    append(all, std::move(body));
    return all;
  }

  Body masked(Body body) {
    std::vector<ParallelType> unbound;
    for (ParallelType p : kAxes) {
      // Where blocks fold together, each of them stores its own result.
      const std::vector<DomainId>& loops =
          is_block(p) ? schedule_.loop_domains(analysis_.tensor) : analysis_.loops;
      const bool is_bound = std::any_of(loops.begin(), loops.end(), [&](DomainId d) {
        return in_kernel(schedule_.parallel(analysis_.tensor, d)) == p;
      });
      const bool is_of_grid_or_rank =
          is_block(p) || (p == ParallelType::TIDz && kernel_.launch.is_cluster);
      const bool is_common =
          is_of_grid_or_rank ? request_.target == Memory::Global : request_.target != Memory::Local;
      const bool is_left_open = request_.is_stored_in_bulk && !is_of_grid_or_rank;
      const bool is_spread =
          std::ranges::any_of(request_.spread, [&](const SpreadLoop& l) { return l.axis == p; });
      if (!is_bound && is_common && !is_left_open && !is_spread) unbound.push_back(p);
    }
    spread_over_threads(body, request_.spread, analysis_, kernel_);
    return one_writer(unbound, std::move(body), kernel_);
  }

  const Fusion& fusion_;
  const Schedule& schedule_;
  const TensorAnalysis& analysis_;
  const NestRequest& request_;
  bool has_lanes_, may_draw_out_;
  KernelDraft& draft_;
  Kernel& kernel_;
  std::vector<std::size_t> order_;  // of the loops, outermost first
  NestLevels levels_;
  bool draws_out_ = false;
  std::size_t hoist_level_ = 0;
  std::vector<Store> stores_;
  std::vector<Define> numbers_;  // read from memory before the stores
  std::optional<Lanes> lanes_;
  // interior_: tested at hoist_level_; where it holds, the loops inside need no check. full_: all
  // elements of the group are valid. peeled_: the loop around the vector needs no check below it.
  // Invalid where there is none.
  Expr interior_, full_, peeled_;
};

}  // namespace

Body nest_of(const NestRequest& request, std::vector<Store> stores, KernelDraft& draft) {
  return Nest(request, draft).build(std::move(stores));
}

std::vector<Expr> valid_points(const Fusion& fusion, const Schedule& schedule,
                               const TensorAnalysis& analysis) {
  const TensorInfo& tensor = fusion[analysis.tensor];
  const bool is_result = analysis.part == Part::Result;
  // That a position is in bounds says as much of the row that is searched for it (laws R and G).
  std::vector<DomainId> searched;
  for (const Step& step : analysis.path.steps) {
    const auto* merge = std::get_if<Merge>(&schedule.graph()[step.transform]);
    if (merge == nullptr || step.direction == Direction::Forward) continue;
    if (schedule.graph().rows_of(*merge) == nullptr) continue;
    searched.insert(searched.end(), {merge->outer, merge->inner});
    if (merge->group) searched.push_back(schedule.graph()[merge->inner].ragged->row);
  }
  std::vector<Expr> valid;
  for (DomainId d : !tensor.duplicates_allowed ? analysis.hole_path.domains
                    : is_result                ? tensor.logical
                                               : visited_domain(tensor)) {
    if (contains(searched, d)) continue;
    valid.push_back(ok((*analysis.coordinates)[d], schedule.graph()[d].extent));
  }
  return valid;
}

Loop loop_of(const Schedule& schedule, const TensorAnalysis& analysis, std::size_t loop,
             Kernel& kernel, std::vector<Expr>& computed) {
  const ParallelType p = schedule.parallel(analysis.tensor, analysis.loops[loop]);
  Expr extent = schedule.graph()[analysis.loops[loop]].extent;
  if (is_index(p)) extent = extent_of(kernel.launch, p);
  const Expr variable = analysis.variables[loop];
  if (kernel.facts.find(variable) == nullptr) kernel.facts.loop(variable, extent);
  computed.push_back(extent);
  return {variable, extent, in_kernel(p), {}};
}

}  // namespace selvage
