#include <selvage/base/refuse.h>
#include <selvage/expr/substitute.h>
#include <selvage/expr/text.h>
#include <selvage/index/region_threads.h>
#include <selvage/ir/fold.h>
#include <selvage/kernel/statements.h>
#include <selvage/lower/body.h>
#include <selvage/lower/items.h>
#include <selvage/lower/kernels.h>
#include <selvage/lower/nest.h>
#include <selvage/lower/row_defines.h>
#include <selvage/lower/row_fold.h>

#include <algorithm>

namespace selvage {

namespace {

// The merge of a row and its items of which the positions come.
const Merge& merge_of(const DomainGraph& graph, DomainId positions) {
  for (TransformId id : graph.around(positions)) {
    const auto* merge = std::get_if<Merge>(&graph[id]);
    if (merge != nullptr && merge->out == positions) return *merge;
  }
  refuse<Illegal>("E458", "the positions come of no merge", "merge a row and its items");
}

// The split of the positions that has this inner loop; null if there is none.
const Split* split_with(const DomainGraph& graph, DomainId positions, DomainId inner) {
  for (TransformId id : graph.around(positions)) {
    const auto* split = std::get_if<Split>(&graph[id]);
    if (split != nullptr && split->in == positions && split->inner == inner) return split;
  }
  return nullptr;
}

// The first position of the row, and the last one.
Expr first_of(const RowTiles& tiles, Expr row) {
  const Expr begin = tiles.rows.begin;
  return tiles.added == 0 ? begin : tiles.added == 1 ? begin + row : begin + tiles.added * row;
}
Expr last_of(const RowTiles& tiles, Expr row) {
  const Expr end = tiles.rows.end;
  if (tiles.added == 0) return end - 1;
  return tiles.added == 1 ? end + row : end + tiles.added * row + (tiles.added - 1);
}

// The number of a tile, and of an item of the rest, as a number of an element.
Expr place_in(const DomainGraph& graph, const RowTiles& tiles, Expr tile,
              std::span<const Expr> rest) {
  std::vector<DomainId> axes = {tiles.tile};
  axes.insert(axes.end(), tiles.rest.begin(), tiles.rest.end());
  std::vector<Expr> indices = {tile};
  indices.insert(indices.end(), rest.begin(), rest.end());
  return address_in(graph, {.axes = axes}, indices);
}

}  // namespace

RowTiles::RowTiles(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis)
    : rows(schedule.graph()[analysis.rows.at(0).rows]), added(analysis.rows.at(0).added) {
  const TensorId t = analysis.tensor;
  const DomainGraph& graph = schedule.graph();
  positions = *schedule.positions(t);
  const DomainId inner = analysis.loops.back();
  const Split* split = split_with(graph, positions, inner);
  const bool is_serial = schedule.parallel(t, inner) == ParallelType::Serial;
  if (split == nullptr || !is_serial || !graph[inner].extent.is(Op::Const)) {
    const std::string name = schedule.name(t, positions);
    refuse<Illegal>("E458",
                    fusion[t].name + " folds along " + name +
                        ", positions of rows, and its innermost loop is no serial one over a known "
                        "number of these",
                    "split: {in: " + name + ", factor: 8, out: [tile, k]}, with k innermost, and " +
                        "bind tile");
  }
  tile = split->outer;
  width = graph[inner].extent.value();
  const DomainId row = merge_of(graph, positions).outer;
  for (DomainId d : fusion[t].logical) {
    if (d != row) rest.push_back(d);
  }
}

RowCarries row_carries(const Fusion& fusion, const Schedule& schedule, TensorId t,
                       const RowTiles& tiles, Simplifier& sizes) {
  const DomainGraph& graph = schedule.graph();
  std::vector<DomainId> domains = {tiles.tile};
  domains.insert(domains.end(), tiles.rest.begin(), tiles.rest.end());
  const Expr elements = elements_of(graph, {.axes = domains}, sizes);
  const std::vector<Expr> strides = strides_of(graph, {.axes = domains}, sizes);
  std::vector<Buffer::Axis> axes;
  for (std::size_t k = 0; k < domains.size(); ++k) {
    axes.push_back({strides[k], graph[domains[k]].extent});
  }
  const std::string& name = fusion[t].name;
  RowCarries made;
  const auto buffer = [&](const std::string& what, DataType type, std::size_t number) {
    return Buffer{.name = name + what,
                  .type = type,
                  .elements = elements,
                  .is_written = true,
                  .axes = axes,
                  .holds = TensorPart{t, kRowCarries + number}};
  };
  std::size_t number = 0;
  made.row = buffer(".carry.row", DataType::Int64, number++);
  for (const FoldComponent& c : components(*fusion[t].fold)) {
    const std::string mark =
        components(*fusion[t].fold).size() > 1 ? "." + std::string(c.name) : "";
    made.carries.push_back(buffer(".carry" + mark, c.type, number++));
    made.heads.push_back(buffer(".head" + mark, c.type, number++));
  }
  return made;
}

RowFold::RowFold(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis,
                 BufferId offsets, KernelDraft& draft)
    : fusion_(fusion),
      schedule_(schedule),
      analysis_(analysis),
      fold_(*fusion[analysis.tensor].fold),
      draft_(draft),
      pool_(fusion.pool()),
      states_(draft, fold_),
      tiles_(fusion, schedule, analysis),
      offsets_(offsets),
      position_(written_out((*analysis.coordinates)[tiles_.positions])) {
  const std::string& name = fusion[analysis.tensor].name;
  state_ = states_.add_local(name, 1);
  row_ = draft.add_local(name + ".row", DataType::Int64, 1);
  RowCarries made = row_carries(fusion, schedule, analysis.tensor, tiles_, *analysis.ranges);
  const auto add = [&](std::vector<Buffer>& buffers) {
    std::vector<BufferId> ids;
    for (Buffer& b : buffers) ids.push_back(draft.buffer_of(std::move(b), nullptr));
    return ids;
  };
  carries_ = add(made.carries);
  heads_ = add(made.heads);
  carried_row_ = draft.buffer_of(std::move(made.row), nullptr);
}

// At the first position of the tile.
Expr RowFold::at_first(Expr e) const {
  return analysis_.ranges->simplify(
      substitute(e, {{analysis_.variables.back(), pool_.constant(0)}}));
}

Expr RowFold::place_of_tile() const {
  std::vector<Expr> rest;
  for (DomainId d : tiles_.rest) rest.push_back(written_out((*analysis_.coordinates)[d]));
  const Expr tile = written_out((*analysis_.coordinates)[tiles_.tile]);
  return analysis_.ranges->simplify(place_in(schedule_.graph(), tiles_, tile, rest));
}

// That the item of the rest is one, as far as loops leave it open.
std::vector<Expr> RowFold::rest_inside() {
  std::vector<Expr> conditions;
  for (DomainId d : tiles_.rest) {
    const Expr index = written_out((*analysis_.coordinates)[d]);
    const Expr is_inside = analysis_.ranges->simplify(ok(index, schedule_.graph()[d].extent));
    if (!is_inside.is_true()) conditions.push_back(draft_.form(is_inside));
  }
  return conditions;
}

Body RowFold::start() {
  RowDefines defines(draft_.kernel, tiles_.rows, offsets_);
  const Expr zero = pool_.constant(0);
  const Expr first = pool_.symbol(std::string(tiles_.rows.row.name()) + ".first");
  Body body = body_of(defines.search(first, zero, draft_.form(at_first(position_)), tiles_.added));
  body.push_back({Store{.buffer = row_, .address = zero, .value = number(first), .valid = {}}});
  append(body, body_of_all(states_.stores(state_, zero, states_.empty())));
  return body;
}

Body RowFold::row() {
  RowDefines defines(draft_.kernel, tiles_.rows, offsets_);
  const ValueId stored = draft_.kernel.values.read(DataType::Int64, row_, {pool_.constant(0)});
  Body body = body_of(defines.row_from(tiles_.rows.row, stored));
  append(body, body_of_all(defines.ends(tiles_.rows.row, pool_.truth(true))));
  return body;
}

// That the row begins at the position or before it: so by what offsets promise, and tested all the
// same where an item is read at the position less the rows before, so that none lies before all.
Expr RowFold::reaches_position() const {
  return tiles_.added == 0 ? pool_.truth(true) : first_of(tiles_, tiles_.rows.row) <= position_;
}

std::vector<Store> RowFold::take_in(FoldState element) {
  ValueGraph& values = draft_.kernel.values;
  const Expr zero = pool_.constant(0);
  const std::vector<Expr> valid = valid_points(fusion_, schedule_, analysis_);
  std::vector<Store> all;
  if (states_.components().size() > 1) {
    const std::string name = fusion_[analysis_.tensor].name + ".element";
    const BufferId once = draft_.add_local(name, fold_.type, 1);
    all.push_back({.buffer = once, .address = zero, .value = element[0], .valid = valid});
    element[0] = values.read(fold_.type, once, {zero});
  }
  std::vector<Expr> coordinates;
  const std::vector<DomainId>& counted = counted_domain(fold_);
  for (DomainId d : counted) coordinates.push_back((*analysis_.coordinates)[d]);
  const Expr at =
      analysis_.guarded->simplify(address_in(schedule_.graph(), {.axes = counted}, coordinates));
  const FoldState next =
      with_element(values, fold_, states_.read(state_, zero), element[0], values.index(at));
  for (Store& s : states_.stores(state_, zero, next, valid)) all.push_back(std::move(s));
  return all;
}

// Which thread the item is of, over the index of an iterdomain by that name, and those of the rest.
void RowFold::own(Item& item, DomainId domain, const char* name) const {
  constexpr ParallelType kAxes[] = {ParallelType::BIDx, ParallelType::BIDy, ParallelType::BIDz,
                                    ParallelType::TIDx, ParallelType::TIDy, ParallelType::TIDz};
  std::vector<DomainId> from = {domain};
  std::vector<Expr> names = {pool_.symbol(name)};
  for (std::size_t k = 0; k < tiles_.rest.size(); ++k) {
    from.push_back(tiles_.rest[k]);
    names.push_back(pool_.symbol("item." + std::to_string(k + 1)));
  }
  const TensorId t = analysis_.tensor;
  for (std::size_t k = 0; k < std::size(kAxes); ++k) {
    item.owner[k] = pool_.constant(0);
    for (DomainId loop : analysis_.loops) {
      if (schedule_.parallel(t, loop) != kAxes[k]) continue;
      item.owner[k] = coordinates_from(schedule_.graph(), from, names, std::span(&loop, 1),
                                       schedule_.transforms(t))[0];
    }
  }
}

Body RowFold::end_of_row(BufferId result, Expr address) {
  ValueGraph& values = draft_.kernel.values;
  const RaggedRows& rows = tiles_.rows;
  const Expr zero = pool_.constant(0);
  const FoldState state = states_.read(state_, zero);
  const DataType type = draft_.kernel.buffers[result].type;
  const Expr last = last_of(tiles_, rows.row);
  address = draft_.form(address);
  // Whoever stores the row is at its last position.
  Item item{{rows.row}};
  for (DomainId d : tiles_.rest) item.indices.push_back((*analysis_.coordinates)[d]);
  item.of_row = Item::Row{
      .row = rows.row, .begin = rows.begin, .end = rows.end, .at = position_, .told = last};
  own(item, tiles_.positions, "item.at");
  draft_.kernel.items.add(result, address, std::move(item));
  const ValueId value =
      values.as_element(folded(values, fold_, state, number(rows.end - rows.begin)), type);
  Body whole = body_of(Store{.buffer = result, .address = address, .value = value, .valid = {}});
  Body part = body_of_all(states_.stores(heads_, draft_.form(place_of_tile()), state));
  const Expr begins_here = at_first(position_) <= first_of(tiles_, rows.row);
  Body body = body_of(Guard{draft_.form(begins_here), std::move(whole), std::move(part)});
  append(body, body_of_all(states_.stores(state_, zero, states_.empty())));
  const Expr next = rows.row + 1;
  ValueId row = number(next);
  if (tiles_.added == 0) {
    const Expr last_row = analysis_.ranges->simplify(rows.count - 1);
    row = values.search(offsets_, draft_.form(min(next, last_row)), last_row, number(position_ + 1),
                        0);
  }
  body.push_back({Store{.buffer = row_, .address = zero, .value = row, .valid = {}}});
  const Expr is_position = position_ < schedule_.graph()[tiles_.positions].extent;
  std::vector<Expr> conditions = {draft_.form(is_position && eq(position_, last))};
  for (Expr c : rest_inside()) conditions.push_back(c);
  return guarded(conditions, std::move(body));
}

Body RowFold::finish() {
  ValueGraph& values = draft_.kernel.values;
  const Expr zero = pool_.constant(0), place = draft_.form(place_of_tile());
  Body body = body_of_all(states_.stores(carries_, place, states_.read(state_, zero)));
  body.push_back({Store{.buffer = carried_row_,
                        .address = place,
                        .value = values.read(DataType::Int64, row_, {zero}),
                        .valid = {}}});
  const Expr tile = written_out((*analysis_.coordinates)[tiles_.tile]);
  const Expr is_tile = analysis_.ranges->simplify(tile < schedule_.graph()[tiles_.tile].extent);
  Item item{{tile}};
  for (DomainId d : tiles_.rest) item.indices.push_back(written_out((*analysis_.coordinates)[d]));
  own(item, tiles_.tile, "item.0");
  for (const auto* buffers : {&carries_, &heads_}) {
    for (BufferId b : *buffers) draft_.kernel.items.add(b, place, item);
  }
  draft_.kernel.items.add(carried_row_, place, item);
  std::vector<Expr> conditions = rest_inside();
  if (!is_tile.is_true()) conditions.push_back(draft_.form(is_tile));
  return guarded(conditions, std::move(body));
}

namespace {

constexpr std::int64_t kThreads = 256;

// A kernel of one thread for each item of a shape, outer extent first.
class FlatKernel {
 public:
  FlatKernel(const Fusion& fusion, const std::string& name, std::vector<Expr> shape,
             KnownSizes& sizes)
      : pool_(fusion.pool()),
        sizes_(sizes),
        shape_(std::move(shape)),
        items_(product()),
        plan_(plan_flat_launch(fusion, items_, kThreads, name)),
        kernel_{.name = name,
                .pool = fusion.shared_pool(),
                .buffers = {},
                .sizes = fusion.sizes(),
                .launch = plan_.launch,
                .index_type = IndexType::Int32,
                .condition = pool_.truth(true),
                .values = {},
                .body = {},
                .facts = *fusion.facts()},
        block_(pool_.symbol("every.BIDx")),
        thread_(pool_.symbol("every.TIDx")),
        is_item_(number() < items_) {
    kernel_.facts.loop(block_, plan_.launch.grid[0]);
    kernel_.facts.loop(thread_, plan_.launch.block[0]);
  }

  Kernel& kernel() { return kernel_; }
  const std::vector<LaunchCheck>& checks() const { return plan_.of_grid; }
  Expr is_item() const { return is_item_; }
  Expr number() const { return block_ * kThreads + thread_; }
  // The indices of the thread's item.
  std::vector<Expr> indices() const {
    std::vector<Expr> at(shape_.size());
    Expr rest = number();
    for (std::size_t k = shape_.size(); k-- > 0;) {
      at[k] = k == 0 ? rest : rest % shape_[k];
      rest = rest / shape_[k];
    }
    return at;
  }
  // The thread of the item whose indices have these names.
  std::array<Expr, 6> owner(std::span<const Expr> names) const {
    Expr number = names[0];
    for (std::size_t k = 1; k < shape_.size(); ++k) number = number * shape_[k] + names[k];
    const Expr zero = pool_.constant(0);
    return {number / kThreads, zero, zero, number % kThreads, zero, zero};
  }

  BufferId add(Buffer buffer) {
    kernel_.buffers.push_back(std::move(buffer));
    return BufferId(kernel_.buffers.size() - 1);
  }
  std::vector<Kernel> made(Body body) {
    body = guarded({is_item_}, std::move(body));
    body = body_of(Loop{thread_, plan_.launch.block[0], ParallelType::TIDx, std::move(body)});
    kernel_.body = body_of(Loop{block_, plan_.launch.grid[0], ParallelType::BIDx, std::move(body)});
    std::vector<Expr> computed = {plan_.launch.grid[0], plan_.launch.block[0]};
    for_each_statement(kernel_.body, [&](const Statement& s) {
      for_each_expression(s, kernel_.values, [&](Expr e) { computed.push_back(e); });
    });
    return for_both_widths(sizes_, std::move(kernel_), std::move(computed), {});
  }

 private:
  Expr product() const {
    Expr items = pool_.constant(1);
    for (Expr n : shape_) items = items * n;
    return sizes_.ranges().simplify(items);
  }

  ExprPool& pool_;
  KnownSizes& sizes_;
  std::vector<Expr> shape_;
  Expr items_;
  LaunchPlan plan_;
  Kernel kernel_;
  Expr block_, thread_, is_item_;
};

// The kernels behind the first one.
class CarryKernels {
 public:
  CarryKernels(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis,
               KnownSizes& sizes)
      : fusion_(fusion),
        schedule_(schedule),
        graph_(schedule.graph()),
        pool_(fusion.pool()),
        sizes_(sizes),
        t_(analysis.tensor),
        fold_(*fusion[t_].fold),
        tiles_(fusion, schedule, analysis) {}

  RowFoldKernels run() {
    RowFoldKernels all;
    add(all, carries());
    if (tiles_.added == 0) add(all, rows_without_items());
    return all;
  }

 private:
  using Made = std::pair<std::vector<Kernel>, std::vector<LaunchCheck>>;
  static void add(RowFoldKernels& all, Made made) {
    all.steps.push_back(std::move(made.first));
    for (LaunchCheck& check : made.second) all.checks.push_back(std::move(check));
  }

  std::vector<Expr> shape(Expr first) const {
    std::vector<Expr> shape = {first};
    for (DomainId d : tiles_.rest) shape.push_back(graph_[d].extent);
    return shape;
  }
  std::vector<Expr> names(const char* first) const {
    std::vector<Expr> names = {pool_.symbol(first)};
    for (std::size_t k = 0; k < tiles_.rest.size(); ++k) {
      names.push_back(pool_.symbol("item." + std::to_string(k + 1)));
    }
    return names;
  }
  BufferId add_offsets(FlatKernel& flat) const {
    const auto t = TensorId(tiles_.rows.offsets);
    return flat.add({.name = fusion_[t].name,
                     .type = stored_type(fusion_[t]),
                     .elements = elements_of(fusion_, graph_, t),
                     .axes = {{pool_.constant(1), elements_of(fusion_, graph_, t)}},
                     .holds = TensorPart{t, 0}});
  }
  BufferId add_result(FlatKernel& flat) const {
    Simplifier& known = sizes_.ranges();
    return flat.add({.name = fusion_[t_].name,
                     .type = stored_type(fusion_[t_]),
                     .elements = elements_of(fusion_, graph_, t_),
                     .is_written = true,
                     .axes = axes_of(fusion_, graph_, t_, known),
                     .is_kept_apart = fusion_[t_].is_output && !fusion_[t_].strides.empty(),
                     .holds = TensorPart{t_, 0}});
  }
  // Where the result of a row lies; the rest of its indices are those behind the first of `at`.
  Expr address(Expr row, std::span<const Expr> at) const {
    std::vector<Expr> subscripts;
    std::size_t next = 1;
    for (DomainId d : fusion_[t_].logical) {
      const bool is_rest = contains(tiles_.rest, d);
      subscripts.push_back(is_rest ? at[next++] : row);
    }
    return address_of(fusion_, graph_, t_, subscripts);
  }
  Store result(FlatKernel& flat, BufferId buffer, Expr row, std::span<const Expr> at,
               const FoldState& state, Expr items, Item item) const {
    ValueGraph& values = flat.kernel().values;
    for (Expr index : at.subspan(1)) item.indices.push_back(index);
    Simplifier known(flat.kernel().facts);
    const Expr where = known.simplify(address(row, at));
    flat.kernel().items.add(buffer, where, std::move(item));
    const ValueId value = folded(values, fold_, state, values.index(items));
    return {.buffer = buffer,
            .address = where,
            .value = values.as_element(value, flat.kernel().buffers[buffer].type),
            .valid = {}};
  }

  Made carries() {
    const Expr tiles = graph_[tiles_.tile].extent, zero = pool_.constant(0);
    FlatKernel flat(fusion_, "kernel_" + fusion_[t_].name + "_carries", shape(tiles), sizes_);
    Kernel& kernel = flat.kernel();
    ValueGraph& values = kernel.values;
    const BufferId offsets = add_offsets(flat);
    RowCarries buffers = row_carries(fusion_, schedule_, t_, tiles_, sizes_.ranges());
    const auto add_read = [&](Buffer b) {
      b.is_written = false;
      return flat.add(std::move(b));
    };
    const BufferId carried_row = add_read(std::move(buffers.row));
    std::vector<BufferId> carries, heads;
    for (Buffer& b : buffers.carries) carries.push_back(add_read(std::move(b)));
    for (Buffer& b : buffers.heads) heads.push_back(add_read(std::move(b)));
    const BufferId y = add_result(flat);
    KernelDraft draft{.kernel = kernel};
    FoldStates states(draft, fold_);
    const std::vector<BufferId> state = states.add_local(fusion_[t_].name, 1);

    const std::vector<Expr> at = flat.indices();
    const Expr tile = at[0];
    const RaggedRows& rows = tiles_.rows;
    RowDefines defines(kernel, rows, offsets);
    Body body = body_of_all(states.stores(state, zero, states.read(carries, flat.number())));
    body.push_back(
        {defines.row_from(rows.row, values.read(DataType::Int64, carried_row, {flat.number()}))});
    append(body, body_of_all(defines.ends(rows.row, pool_.truth(true))));
    // The tile in which the row begins, and the one in which it ends.
    const Expr begins = first_of(tiles_, rows.row) / tiles_.width;
    const Expr ends = last_of(tiles_, rows.row) / tiles_.width;
    const Expr last = pool_.symbol(std::string(rows.row.name()) + ".last_tile");
    const Expr last_tile = sizes_.ranges().simplify(tiles - 1);
    kernel.facts.bound(last, zero, last_tile);
    const ValueId clamped = values.apply(
        Function::Min, {values.apply(Function::Max, {values.index(ends), values.index(zero)}),
                        values.index(last_tile)});
    Body folding = body_of(Define{
        .variable = last, .read = clamped, .least = zero, .most = last_tile, .is_promised = false});
    const auto take = [&](const std::vector<BufferId>& from, Expr of_tile) {
      std::vector<Expr> rest(at.begin() + 1, at.end());
      const FoldState other = states.read(from, place_in(graph_, tiles_, of_tile, rest));
      return body_of_all(
          states.stores(state, zero, states.merged(states.read(state, zero), other)));
    };
    const Expr between = own_variable("between", last - tile - 1, kernel);
    folding.push_back(
        {Loop{between, last - tile - 1, ParallelType::Serial, take(carries, tile + 1 + between)}});
    append(folding, take(heads, last));
    Item item{{rows.row}};
    item.of_row = Item::Row{.row = rows.row, .begin = rows.begin, .at = tile, .told = begins};
    item.owner = flat.owner(names("item.at"));
    folding.push_back({result(flat, y, rows.row, at, states.read(state, zero),
                              rows.end - rows.begin, std::move(item))});
    append(body, guarded({eq(begins, tile)}, std::move(folding)));
    const Expr goes_on = (tile + 1) * tiles_.width < graph_[tiles_.positions].extent;
    return {flat.made(guarded({goes_on}, std::move(body))), flat.checks()};
  }

  Made rows_without_items() {
    FlatKernel flat(fusion_, "kernel_" + fusion_[t_].name + "_empty_rows", shape(tiles_.rows.count),
                    sizes_);
    Kernel& kernel = flat.kernel();
    const BufferId offsets = add_offsets(flat), y = add_result(flat);
    const RaggedRows& rows = tiles_.rows;
    const std::vector<Expr> at = flat.indices();
    RowDefines defines(kernel, rows, offsets);
    Body body = body_of_all(defines.ends(at[0], pool_.truth(true)));
    Item item{{at[0]}};
    item.owner = flat.owner(names("item.0"));
    const FoldState none = empty_state(kernel.values, fold_);
    append(body,
           guarded({eq(rows.begin, rows.end)},
                   body_of(result(flat, y, at[0], at, none, pool_.constant(0), std::move(item)))));
    return {flat.made(std::move(body)), flat.checks()};
  }

  const Fusion& fusion_;
  const Schedule& schedule_;
  const DomainGraph& graph_;
  ExprPool& pool_;
  KnownSizes& sizes_;
  TensorId t_;
  const Fold& fold_;
  RowTiles tiles_;
};

}  // namespace

RowFoldKernels fold_carries(const Fusion& fusion, const Schedule& schedule,
                            const TensorAnalysis& analysis, KnownSizes& sizes) {
  return CarryKernels(fusion, schedule, analysis, sizes).run();
}

}  // namespace selvage
