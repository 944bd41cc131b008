#include <selvage/base/refuse.h>
#include <selvage/ir/fold.h>
#include <selvage/lower/body.h>
#include <selvage/lower/group_fold.h>
#include <selvage/lower/items.h>
#include <selvage/lower/nest.h>
#include <selvage/lower/row_tiles.h>

#include <algorithm>

namespace selvage {

bool GroupFold::is_one(const Schedule& schedule, TensorId t) {
  const auto positions = schedule.positions(t);
  return positions && merge_of(schedule.graph(), *positions).group;
}

GroupFold::GroupFold(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis,
                     BufferId offsets, KernelDraft& draft)
    : fusion_(fusion),
      schedule_(schedule),
      analysis_(analysis),
      fold_(*fusion[analysis.tensor].fold),
      draft_(draft),
      states_(draft, fold_),
      offsets_(offsets) {
  const DomainGraph& graph = schedule.graph();
  const Merge& merge = merge_of(graph, *schedule.positions(analysis.tensor));
  check_loops(fusion, merge);
  row_domain_ = graph[merge.inner].ragged->row;
  row_in_group_ = merge.outer;
  group_ = graph.groups_of(merge);
  width_ = graph[analysis.loops[analysis.loops.size() - 2]].extent.value();
  turn_ = analysis.variables.back();
  thread_ = analysis.variables[analysis.variables.size() - 2];

  ExprPool& pool = fusion.pool();
  row_ = *graph.rows_of(merge);
  const Expr height = graph[merge.outer].extent;
  const Expr group = written_out((*analysis.coordinates)[*merge.group]);
  is_row_ = thread_ < height && group * height + thread_ < row_.count;
  row_.row = group * height + thread_;
  row_.begin = pool.symbol(std::string(row_.begin.name()) + ".own");
  row_.end = pool.symbol(std::string(row_.end.name()) + ".own");

  const std::string& name = fusion[analysis.tensor].name;
  own_ = draft.add_local(name + ".element", fold_.type, 1);
  shared_ = draft.add_shared(name + ".elements", fold_.type, width_);
  state_ = states_.add_local(name, 1);
  part_ = states_.add_local(name, 1, ".part");
}

void GroupFold::check_loops(const Fusion& fusion, const Merge& merge) {
  const TensorId t = analysis_.tensor;
  const DomainGraph& graph = schedule_.graph();
  const std::vector<DomainId>& loops = analysis_.loops;
  const DomainId positions = merge.out;
  const auto type = [&](DomainId d) { return schedule_.parallel(t, d); };
  const auto is_cut = [&](TransformId id) {
    const auto* split = std::get_if<Split>(&graph[id]);
    return split != nullptr && split->in == positions && split->outer == loops.back() &&
           split->inner == loops[loops.size() - 2];
  };
  const bool is_split = loops.size() > 1 && std::ranges::any_of(graph.around(positions), is_cut);
  const bool is_alone =
      is_split && type(loops.back()) == ParallelType::Serial &&
      type(loops[loops.size() - 2]) == ParallelType::TIDx &&
      std::all_of(loops.begin(), loops.end() - 2, [&](DomainId d) { return !is_thread(type(d)); });
  const Expr height = graph[merge.outer].extent;
  const bool fits = is_alone && graph[loops[loops.size() - 2]].extent.is(Op::Const) &&
                    height.is(Op::Const) &&
                    height.value() <= graph[loops[loops.size() - 2]].extent.value();
  const bool is_simple = fusion[t].logical.size() == 1 && fold_.domains.size() == 1 &&
                         graph[merge.inner].ragged->added == 0;
  if (fits && is_simple) return;
  const std::string name = schedule_.name(t, positions);
  refuse<Illegal>(
      "E458",
      fusion[t].name + " folds along " + name + ", positions of a group of rows, and " +
          (!is_simple ? "has more axes than rows and their items"
                      : "its loops are not the threads of a block, at least as many as the group "
                        "has rows, and inside of these, innermost, their turns"),
      is_simple ? "split: {in: " + name +
                      ", factor: 256, out: [turn, thread]}, then reorder: "
                      "[..., thread, turn], and bind thread to TIDx"
                : "merge the row itself and its items, and split these positions");
}

Body GroupFold::start() {
  RowDefines defines(draft_.kernel, row_, offsets_);
  const Expr zero = draft_.kernel.pool->constant(0);
  Body body = body_of_all(defines.ends(row_.row, draft_.form(is_row_)));
  append(body, body_of_all(states_.stores(state_, zero, states_.empty())));
  return body;
}

// A thread without a position puts aside what nobody reads.
Body GroupFold::begin_turn() {
  ValueGraph& values = draft_.kernel.values;
  const ValueId none = values.as_element(values.whole(0), fold_.type);
  return body_of(Store{
      .buffer = own_, .address = draft_.kernel.pool->constant(0), .value = none, .valid = {}});
}

std::vector<Store> GroupFold::put_aside(ValueId element) {
  return {{.buffer = own_,
           .address = draft_.kernel.pool->constant(0),
           .value = element,
           .valid = valid_points(fusion_, schedule_, analysis_)}};
}

Body GroupFold::end_turn() {
  Kernel& kernel = draft_.kernel;
  ValueGraph& values = kernel.values;
  ExprPool& pool = *kernel.pool;
  const Expr zero = pool.constant(0), width = pool.constant(width_);
  Body body = body_of(Store{.buffer = shared_,
                            .address = thread_,
                            .value = values.read(fold_.type, own_, {zero}),
                            .valid = {}});
  append(body, body_of_all(states_.stores(part_, zero, states_.empty())));
  // The elements of the row among those of this turn, by their numbers there.
  const Expr first = group_->begin + turn_ * width_;
  const Expr from = pool.symbol("element.first"), to = pool.symbol("element.end");
  const auto within = [&](Expr variable, Expr value, Expr least) {
    kernel.facts.bound(variable, least, width);
    const ValueId kept = values.apply(
        Function::Max,
        {values.apply(Function::Min, {number(value), values.index(width)}), values.index(least)});
    return Define{
        .variable = variable, .read = kept, .least = least, .most = width, .is_promised = false};
  };
  body.push_back({within(from, row_.begin - first, zero)});
  body.push_back({within(to, row_.end - first, from)});
  const Expr extent = draft_.form(to - from);
  const Expr k = own_variable("element", extent, kernel);
  const ValueId element = values.read(fold_.type, shared_, {draft_.form(from + k)});
  const FoldState with = with_element(values, fold_, states_.read(part_, zero), element,
                                      number(first + from + k - row_.begin));
  body.push_back(
      {Loop{k, extent, ParallelType::Serial, body_of_all(states_.stores(part_, zero, with))}});
  const FoldState both = states_.merged(states_.read(state_, zero), states_.read(part_, zero));
  append(body, body_of_all(states_.stores(state_, zero, both)));
  return body;
}

Body GroupFold::finish(BufferId result) {
  Kernel& kernel = draft_.kernel;
  ValueGraph& values = kernel.values;
  const TensorId t = analysis_.tensor;
  const Expr at[] = {row_.row};
  const Expr address =
      draft_.form(analysis_.ranges->simplify(address_of(fusion_, schedule_.graph(), t, at)));
  Item item{{row_.row}};
  const std::vector<Expr> names = {kernel.pool->symbol("item.0")};
  item.owner = owner_of(schedule_, analysis_, {row_domain_}, names);
  item.owner[3] = coordinates_from(schedule_.graph(), {&row_domain_, 1}, names, {&row_in_group_, 1},
                                   schedule_.transforms(t))[0];
  kernel.items.add(result, address, std::move(item));
  const FoldState state = states_.read(state_, kernel.pool->constant(0));
  const ValueId value = folded(values, fold_, state, number(row_.end - row_.begin));
  return guarded({draft_.form(analysis_.ranges->simplify(is_row_))},
                 body_of(Store{.buffer = result,
                               .address = address,
                               .value = values.as_element(value, kernel.buffers[result].type),
                               .valid = {}}));
}

}  // namespace selvage
