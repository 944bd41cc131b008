#include <selvage/expr/substitute.h>
#include <selvage/ir/fold.h>
#include <selvage/lower/body.h>
#include <selvage/lower/items.h>
#include <selvage/lower/nest.h>
#include <selvage/lower/row_defines.h>
#include <selvage/lower/row_fold.h>

namespace selvage {

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
  return analysis_.ranges->simplify(element_of(schedule_.graph(), tiles_, tile, rest));
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
  const Expr last = tiles_.rows.count - 1;
  Body body =
      body_of(defines.search(first, {draft_.form(at_first(position_)), zero, last, tiles_.added}));
  body.push_back({Store{.buffer = row_, .address = zero, .value = number(first), .valid = {}}});
  append(body, body_of_all(states_.stores(state_, zero, states_.empty())));
  return body;
}

Body RowFold::row() {
  RowDefines defines(draft_.kernel, tiles_.rows, offsets_);
  const ValueId stored = draft_.kernel.values.read(DataType::Int64, row_, {pool_.constant(0)});
  Body body =
      body_of(defines.row_from(tiles_.rows.row, stored, draft_.form(position_), tiles_.added));
  append(body, body_of_all(defines.ends(tiles_.rows.row, pool_.truth(true))));
  return body;
}

// That the row begins at the position or before it: so by what offsets promise, and tested all the
// same where an item is read at the position less the rows before, so that none lies before all.
Expr RowFold::reaches_position() const {
  return tiles_.added == 0 ? pool_.truth(true)
                           : first_position(tiles_, tiles_.rows.row) <= position_;
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

// The thread at an index of a domain, by that name, and at those of the rest.
std::array<Expr, 6> RowFold::owner(DomainId domain, const char* name) const {
  std::vector<DomainId> from = {domain};
  std::vector<Expr> names = {pool_.symbol(name)};
  for (std::size_t k = 0; k < tiles_.rest.size(); ++k) {
    from.push_back(tiles_.rest[k]);
    names.push_back(pool_.symbol("item." + std::to_string(k + 1)));
  }
  return owner_of(schedule_, analysis_, from, names);
}

Body RowFold::end_of_row(BufferId result, Expr address) {
  ValueGraph& values = draft_.kernel.values;
  const RaggedRows& rows = tiles_.rows;
  const Expr zero = pool_.constant(0);
  const FoldState state = states_.read(state_, zero);
  const DataType type = draft_.kernel.buffers[result].type;
  const Expr last = last_position(tiles_, rows.row);
  address = draft_.form(address);
  // Whoever stores the row is at its last position.
  Item item{{rows.row}};
  for (DomainId d : tiles_.rest) item.indices.push_back((*analysis_.coordinates)[d]);
  item.of_row = Item::Row{
      .row = rows.row, .begin = rows.begin, .end = rows.end, .at = position_, .told = last};
  item.owner = owner(tiles_.positions, "item.at");
  draft_.kernel.items.add(result, address, std::move(item));
  const ValueId value =
      values.as_element(folded(values, fold_, state, number(rows.end - rows.begin)), type);
  Body whole = body_of(Store{.buffer = result, .address = address, .value = value, .valid = {}});
  Body part = body_of_all(states_.stores(heads_, draft_.form(place_of_tile()), state));
  const Expr begins_here = at_first(position_) <= first_position(tiles_, rows.row);
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
  item.owner = owner(tiles_.tile, "item.0");
  for (const auto* buffers : {&carries_, &heads_}) {
    for (BufferId b : *buffers) draft_.kernel.items.add(b, place, item);
  }
  draft_.kernel.items.add(carried_row_, place, item);
  std::vector<Expr> conditions = rest_inside();
  if (!is_tile.is_true()) conditions.push_back(draft_.form(is_tile));
  return guarded(conditions, std::move(body));
}

}  // namespace selvage
