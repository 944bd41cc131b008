#include <selvage/ir/fold.h>
#include <selvage/lower/body.h>
#include <selvage/lower/flat_kernel.h>
#include <selvage/lower/fold_states.h>
#include <selvage/lower/items.h>
#include <selvage/lower/nest.h>
#include <selvage/lower/row_defines.h>
#include <selvage/lower/row_fold_kernels.h>

#include <algorithm>

namespace selvage {

namespace {

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
        {defines.row_from(rows.row, values.read(DataType::Int64, carried_row, {flat.number()}),
                          (tile + 1) * tiles_.width, tiles_.added)});
    append(body, body_of_all(defines.ends(rows.row, pool_.truth(true))));
    // The tile in which the row begins, and the one in which it ends.
    const Expr begins = first_position(tiles_, rows.row) / tiles_.width;
    const Expr ends = last_position(tiles_, rows.row) / tiles_.width;
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
      const FoldState other = states.read(from, element_of(graph_, tiles_, of_tile, rest));
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
