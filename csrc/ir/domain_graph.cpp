#include <selvage/base/check.h>
#include <selvage/base/integer.h>
#include <selvage/base/refuse.h>
#include <selvage/expr/symbols.h>
#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/ir/domain_graph.h>
#include <selvage/ir/mend_sizes.h>
#include <selvage/simplifier/multiples.h>
#include <selvage/simplifier/simplifier.h>

#include <algorithm>
#include <bit>

namespace selvage {

namespace {

// Extents stay below 2^62, so that an index one tile past the end still fits in 64 bits.
constexpr std::int64_t kLargestExtent = std::int64_t{1} << 62;

}  // namespace

bool contains(std::span<const DomainId> list, DomainId d) {
  return std::find(list.begin(), list.end(), d) != list.end();
}

std::string derived_name(const std::string& from, const char* mark, std::size_t number) {
  constexpr std::size_t kLongest = 16;
  if (from.size() + 1 > kLongest) return "i" + std::to_string(number) + "_";
  return from + mark;
}

std::vector<DomainId> inputs(const Transform& t) {
  return std::visit(overloaded{[](const Split& s) { return std::vector{s.in}; },
                               [](const Merge& m) {
                                 return std::vector{m.outer, m.inner};
                               },
                               [](const Resize& r) { return std::vector{r.in}; },
                               [](const Swizzle& s) {
                                 return std::vector{s.in_x, s.in_y};
                               },
                               [](const Skew& s) { return std::vector{s.in}; }},
                    t);
}

std::vector<DomainId> outputs(const Transform& t) {
  return std::visit(overloaded{[](const Split& s) {
                                 return std::vector{s.outer, s.inner};
                               },
                               [](const Merge& m) { return std::vector{m.out}; },
                               [](const Resize& r) { return std::vector{r.out}; },
                               [](const Swizzle& s) {
                                 return std::vector{s.out_x, s.out_y};
                               },
                               [](const Skew& s) { return std::vector{s.out}; }},
                    t);
}

std::optional<DomainId> beside(const Transform& t) {
  if (const auto* skew = std::get_if<Skew>(&t)) return skew->along;
  const auto* merge = std::get_if<Merge>(&t);
  return merge != nullptr ? merge->group : std::nullopt;
}

void cross(std::vector<DomainId>& loops, const Transform& t, const std::vector<DomainId>& made) {
  const std::vector<DomainId> in = inputs(t);
  const auto at = [&](DomainId d) { return std::find(loops.begin(), loops.end(), d); };
  if (in.size() == made.size()) {
    for (std::size_t k = 0; k < in.size(); ++k) *at(in[k]) = made[k];
    return;
  }
  const auto place = at(in[0]);
  *place = made[0];
  if (made.size() > 1) loops.insert(place + 1, made[1]);
  if (in.size() > 1) loops.erase(at(in[1]));
}

DomainGraph::DomainGraph(std::shared_ptr<ExprPool> pool, std::shared_ptr<const Facts> facts)
    : pool_(std::move(pool)), facts_(std::move(facts)) {}

DomainGraph::DomainGraph(std::shared_ptr<const DomainGraph> base)
    : pool_(base->pool_),
      facts_(base->facts_),
      base_(base),
      first_domain_(base->size()),
      first_transform_(base->transforms()),
      first_rows_(base->rows()) {}

DomainGraph::~DomainGraph() = default;
DomainGraph::DomainGraph(const DomainGraph&) = default;
DomainGraph::DomainGraph(DomainGraph&&) noexcept = default;
DomainGraph& DomainGraph::operator=(const DomainGraph&) = default;
DomainGraph& DomainGraph::operator=(DomainGraph&&) noexcept = default;

const IterDomain& DomainGraph::operator[](DomainId d) const {
  SELVAGE_CHECK(index_of(d) < size());
  return index_of(d) < first_domain_ ? (*base_)[d] : domains_[index_of(d) - first_domain_];
}

const Transform& DomainGraph::operator[](TransformId t) const {
  SELVAGE_CHECK(index_of(t) < transforms());
  return index_of(t) < first_transform_ ? (*base_)[t] : transforms_[index_of(t) - first_transform_];
}

const RaggedRows& DomainGraph::operator[](RowsId r) const {
  SELVAGE_CHECK(index_of(r) < rows());
  return index_of(r) < first_rows_ ? (*base_)[r] : rows_[index_of(r) - first_rows_];
}

const RaggedRows* DomainGraph::rows_of(const Merge& merge) const {
  const auto& ragged = (*this)[merge.inner].ragged;
  const bool is_row = ragged && (ragged->row == merge.outer || group_of(merge.outer, merge.inner));
  return is_row ? &(*this)[ragged->rows] : nullptr;
}

const RaggedRows* DomainGraph::groups_of(const Merge& merge) const {
  return merge.group ? &(*this)[(*this)[merge.out].ragged->rows] : nullptr;
}

std::vector<TransformId> DomainGraph::around(DomainId d) const {
  std::vector<TransformId> ids;
  if (base_ && index_of(d) < first_domain_) ids = base_->around(d);
  if (const auto it = around_.find(index_of(d)); it != around_.end()) {
    ids.insert(ids.end(), it->second.begin(), it->second.end());
  }
  return ids;
}

const Transform* DomainGraph::find(const Key& key) const {
  if (const auto it = made_.find(key); it != made_.end()) return &transforms_[it->second];
  return base_ ? base_->find(key) : nullptr;
}

void DomainGraph::record(Key key, Transform transform) {
  const auto id = TransformId(transforms());
  for (DomainId d : inputs(transform)) around_[index_of(d)].push_back(id);
  for (DomainId d : outputs(transform)) around_[index_of(d)].push_back(id);
  if (const auto d = beside(transform)) around_[index_of(*d)].push_back(id);
  made_[std::move(key)] = transforms_.size();
  transforms_.push_back(std::move(transform));
}

// Checks an extent and brings it into canonical form.
Expr DomainGraph::canonical(Expr e) const {
  return e.is(Op::Const) ? e : simplify_with_multiples(*facts_, e);
}

void DomainGraph::simplify_extents(std::shared_ptr<const Facts> facts) {
  facts_ = std::move(facts);
  std::map<std::uint32_t, Expr> made;  // many iterdomains have one extent
  for (IterDomain& d : domains_) {
    if (d.extent.is(Op::Const) || d.extent.is(Op::Symbol)) continue;
    Expr& extent = made[d.extent.id()];
    if (!extent.valid()) extent = canonical(d.extent);
    // Facts that contradict each other may prove any number: the extent stays then.
    if (!extent.is(Op::Const) || extent.value() >= 1) d.extent = extent;
  }
}

DomainId DomainGraph::add(std::string name, Expr extent) {
  extent = canonical(extent);
  if (extent.is(Op::Const) && extent.value() < 1) {
    refuse<Illegal>("E403", "the extent of " + name + " is " + std::to_string(extent.value()),
                    "an extent is at least 1; a size that may be 0 is a symbol with min: 0");
  }
  if (extent.is(Op::Const) && extent.value() > kLargestExtent) {
    refuse<Illegal>("E402", "the extent of " + name + " is past 2^62", "use a smaller extent");
  }
  const DomainId id = next();
  domains_.push_back({std::move(name), extent});
  return id;
}

RowsId DomainGraph::add_rows(RaggedRows rows) {
  rows_.push_back(std::move(rows));
  return RowsId(this->rows() - 1);
}

DomainId DomainGraph::ragged(std::string name, DomainId row, RowsId rows) {
  for (std::size_t d = 0; d < size(); ++d) {
    const auto& made = (*this)[DomainId(d)].ragged;
    if (made && made->row == row && made->rows == rows && made->added == 0) return DomainId(d);
  }
  const RaggedRows& own = (*this)[rows];
  const DomainId id = next();
  domains_.push_back({std::move(name), own.end - own.begin, IterDomain::Ragged{rows, row}});
  return id;
}

std::pair<DomainId, DomainId> DomainGraph::split(DomainId in, Expr factor, bool inner_split,
                                                 std::string outer_name, std::string inner_name) {
  return split_into(in, factor, {}, inner_split, std::move(outer_name), std::move(inner_name));
}

std::pair<DomainId, DomainId> DomainGraph::split_evenly(DomainId in, Expr outer, Expr factor) {
  return split_into(in, factor, outer, true, {}, {});
}

std::pair<DomainId, DomainId> DomainGraph::split_into(DomainId in, Expr factor, Expr rest,
                                                      bool inner_split, std::string outer_name,
                                                      std::string inner_name) {
  factor = canonical(factor);
  const Key key = {0, index_of(in), factor.id(), inner_split};
  if (const Transform* made = find(key)) {
    return {std::get<Split>(*made).outer, std::get<Split>(*made).inner};
  }
  const IterDomain& x = (*this)[in];
  if (factor.is(Op::Const)) {
    if (factor.value() < 1) {
      refuse<Illegal>(
          "E401", "the factor of the split of " + x.name + " is " + std::to_string(factor.value()),
          "a factor is at least 1");
    }
    if (factor.value() > kLargestExtent) {
      refuse<Illegal>("E402", "the factor of the split of " + x.name + " is past 2^62",
                      "use a smaller factor");
    }
  } else {
    Simplifier simplifier(*facts_);
    if (!simplifier.proves_nonnegative(factor - 1)) {
      refuse<Illegal>("E401",
                      "the factor " + to_string(factor) + " of the split of " + x.name +
                          " is not proved to be at least 1",
                      larger_min(*facts_, factor));
    }
  }
  if (factor.is(Op::Const) && x.extent.is(Op::Const)) {
    rest = pool_->constant(ceil_div(x.extent.value(), factor.value()));
    if (!checked_mul(rest.value(), factor.value()) ||
        rest.value() * factor.value() > kLargestExtent) {
      refuse<Illegal>("E402",
                      "the split of " + x.name + " by " + to_string(factor) + " reaches past 2^62",
                      "use a smaller factor");
    }
  } else {
    rest = canonical(rest.valid() ? rest : ceil_div(x.extent, factor));
  }
  if (outer_name.empty()) outer_name = derived_name(x.name, "o", size());
  if (inner_name.empty()) inner_name = derived_name(x.name, "i", size() + 1);
  const DomainId outer = next();
  domains_.push_back({std::move(outer_name), inner_split ? rest : factor});
  const DomainId inner = next();
  domains_.push_back({std::move(inner_name), inner_split ? factor : rest});
  record(key, Split{in, outer, inner, factor, inner_split});
  return {outer, inner};
}

DomainId DomainGraph::merge(DomainId outer, DomainId inner, std::string name) {
  const Key key = {1, index_of(outer), index_of(inner)};
  if (const Transform* made = find(key)) return std::get<Merge>(*made).out;
  const IterDomain &o = (*this)[outer], &i = (*this)[inner];
  const auto group = group_of(outer, inner);
  const RaggedRows* rows = rows_of({outer, inner, {}});
  if (rows != nullptr && rows->groups) {
    refuse<Illegal>("E455",
                    "the merge of " + o.name + " and " + i.name +
                        " is over groups of rows, whose positions are merged already",
                    "split the row once, by as many rows as a group is to have; or merge the row "
                    "itself and its items");
  }
  Expr extent;
  std::optional<IterDomain::Ragged> ragged;
  if (group) {
    ragged = IterDomain::Ragged{add_groups(*i.ragged, *group, o.extent), *group};
    extent = (*this)[ragged->rows].end - (*this)[ragged->rows].begin;
  } else if (rows != nullptr) {
    const std::int64_t added = i.ragged->added;
    extent = added == 0 ? rows->items : canonical(rows->items + added * rows->count);
  } else if (o.extent.is(Op::Const) && i.extent.is(Op::Const)) {
    const auto product = checked_mul(o.extent.value(), i.extent.value());
    if (!product || *product > kLargestExtent) {
      refuse<Illegal>("E402",
                      "the merge of " + o.name + " and " + i.name + " has an extent past 2^62",
                      "merge smaller iterdomains");
    }
    extent = pool_->constant(*product);
  } else {
    extent = canonical(o.extent * i.extent);
  }
  if (name.empty()) name = derived_name(o.name + i.name, "", size());
  const DomainId out = next();
  domains_.push_back({std::move(name), extent, ragged});
  record(key, Merge{outer, inner, out, group});
  return out;
}

std::optional<DomainId> DomainGraph::group_of(DomainId outer, DomainId inner) const {
  const auto& ragged = (*this)[inner].ragged;
  if (!ragged) return std::nullopt;
  for (TransformId t : around(outer)) {
    const auto* split = std::get_if<Split>(&(*this)[t]);
    if (split != nullptr && split->in == ragged->row && split->inner == outer) return split->outer;
  }
  return std::nullopt;
}

// The symbols are those of all groups of these rows: a nest is at one group at a time.
RowsId DomainGraph::add_groups(const IterDomain::Ragged& items, DomainId group, Expr height) {
  const RaggedRows& rows = (*this)[items.rows];
  const std::string row(rows.row.name()),
      mark = items.added == 0 ? "" : std::to_string(items.added);
  const std::string name = row.substr(0, row.rfind('.')) + ".group" + mark;
  const Expr all = items.added == 0 ? rows.items : canonical(rows.items + items.added * rows.count);
  const RaggedRows made{.offsets = rows.offsets,
                        .count = (*this)[group].extent,
                        .items = all,
                        .row = pool_->symbol(name),
                        .begin = pool_->symbol(name + ".begin"),
                        .end = pool_->symbol(name + ".end"),
                        .groups = RaggedRows::Groups{items.rows, height, items.added}};
  auto known = std::make_shared<Facts>(*facts_);
  known->bound(made.begin, pool_->constant(0), all);
  known->bound(made.end, made.begin, all);
  facts_ = std::move(known);
  return add_rows(made);
}

// Coordinates inside of an iterdomain may be divided by extents that are 0 where a row has no
// items. The iterdomain itself has no index there, and neither may what it is made into.
void DomainGraph::check_has_items(const IterDomain& x, const char* what) const {
  if (x.ragged || x.extent.is(Op::Const)) return;
  const std::vector<Expr> used = symbols_of(x.extent);
  for (std::size_t r = 0; r < rows(); ++r) {
    if (!contains(used, (*this)[RowsId(r)].end)) continue;
    if (Simplifier(*facts_).proves_nonnegative(x.extent - 1)) return;
    refuse<Illegal>("E403",
                    std::string("the ") + what + " of " + x.name +
                        " would have indices at a row without items, where " + x.name + " has none",
                    std::string(what) + " the items of the row, before they are cut up");
  }
}

DomainId DomainGraph::resize(DomainId in, Expr left, Expr right, std::string name) {
  left = canonical(left);
  right = canonical(right);
  const Key key = {2, index_of(in), left.id(), right.id()};
  if (const Transform* made = find(key)) return std::get<Resize>(*made).out;
  const IterDomain& x = (*this)[in];
  check_has_items(x, "resize");
  const Expr extent = canonical(x.extent + left + right);
  Simplifier simplifier(*facts_);
  for (Expr side : {left, right}) {
    if (side.is(Op::Const) && std::abs(side.value() / 2) > kLargestExtent / 2) {
      refuse<Illegal>("E402", "a side of the resize of " + x.name + " is past 2^62",
                      "resize by less");
    }
  }
  if (extent.is(Op::Const) ? extent.value() < 1 : !simplifier.proves_nonnegative(extent - 1)) {
    refuse<Illegal>("E403",
                    "the resize of " + x.name + " by " + to_string(left) + " and " +
                        to_string(right) +
                        (extent.is(Op::Const) ? " leaves an extent of " + to_string(extent)
                                              : " is not proved to leave an extent of at least 1"),
                    extent.is(Op::Const) ? "resize by more; an extent is at least 1"
                                         : larger_min(*facts_, extent));
  }
  if (extent.is(Op::Const) ? extent.value() > kLargestExtent : !extent.valid()) {
    refuse<Illegal>("E402", "the resize of " + x.name + " has an extent past 2^62",
                    "resize by less");
  }
  if (name.empty()) name = derived_name(x.name, "r", size());
  const DomainId out = next();
  const auto ragged = x.ragged;
  domains_.push_back({std::move(name), extent});
  if (ragged && left.is(Op::Const) && right.is(Op::Const)) {
    domains_.back().ragged = ragged;
    domains_.back().ragged->added += left.value() + right.value();
  }
  record(key, Resize{in, out, left, right});
  return out;
}

std::pair<DomainId, DomainId> DomainGraph::swizzle(SwizzleKind kind, DomainId x, DomainId y,
                                                   std::string x_name, std::string y_name) {
  const Key key = {3, std::uint64_t(kind), index_of(x), index_of(y)};
  if (const Transform* made = find(key)) {
    return {std::get<Swizzle>(*made).out_x, std::get<Swizzle>(*made).out_y};
  }
  const IterDomain &dx = (*this)[x], &dy = (*this)[y];
  if (x == y) {
    refuse<Illegal>("E404", "the swizzle of " + dx.name + " with itself is no permutation",
                    "swizzle two different iterdomains");
  }
  if (kind == SwizzleKind::Xor) {
    Simplifier simplifier(*facts_);
    const Interval rows = simplifier.interval(dx.extent);
    const std::int64_t period =
        rows.has_hi()
            ? std::int64_t(std::bit_ceil(std::uint64_t(std::max<std::int64_t>(rows.hi, 1))))
            : 0;
    const bool legal = period > 0 && simplifier.proves(eq(dy.extent % pool_->constant(period), 0));
    if (!legal) {
      const bool is_known = dx.extent.is(Op::Const) && dy.extent.is(Op::Const);
      const std::string pair = "the xor swizzle of " + dx.name + " (" + to_string(dx.extent) +
                               ") and " + dy.name + " (" + to_string(dy.extent) + ")";
      if (period == 0) {
        refuse<Illegal>("E404",
                        pair + " is not proved legal: " + dx.name + " has no largest extent",
                        "give the symbols of its extent a max, or use kind: cyclic_shift");
      }
      refuse<Illegal>(
          "E404",
          pair + (is_known ? " leaves its index space" : " is not proved legal") +
              ": the least power of two that holds " + dx.name + " is " + std::to_string(period) +
              ", which " + (is_known ? "does not divide " : "is not proved to divide ") +
              to_string(dy.extent),
          "make the extent of " + dy.name + " a multiple of it, or use kind: cyclic_shift");
    }
  }
  if (kind == SwizzleKind::Hilbert) check_squares(dx, dy);
  if (x_name.empty()) x_name = derived_name(dx.name, "s", size());
  if (y_name.empty()) y_name = derived_name(dy.name, "s", size() + 1);
  const Expr x_extent = dx.extent, y_extent = dy.extent;
  const DomainId out_x = next();
  domains_.push_back({std::move(x_name), x_extent});
  const DomainId out_y = next();
  domains_.push_back({std::move(y_name), y_extent});
  record(key, Swizzle{kind, x, y, out_x, out_y});
  return {out_x, out_y};
}

DomainId DomainGraph::skew(DomainId in, DomainId along, Expr by, Expr modulo, std::string name) {
  const IterDomain &x = (*this)[in], &row = (*this)[along];
  const std::string what = "the skew of " + x.name + " along " + row.name;
  if (in == along) {
    refuse<Illegal>("E404", what + " moves each point by its own index",
                    "skew it along another iterdomain");
  }
  modulo = canonical(modulo);
  if (modulo.is(Op::Const) ? modulo.value() < 1
                           : !Simplifier(*facts_).proves_nonnegative(modulo - 1)) {
    refuse<Illegal>("E401",
                    "the modulus " + to_string(modulo) + " of " + what +
                        (modulo.is(Op::Const) ? " is below 1" : " is not proved to be at least 1"),
                    modulo.is(Op::Const) ? "a modulus is at least 1" : larger_min(*facts_, modulo));
  }
  by = canonical(modulo.is(Op::Const) && by.is(Op::Const) ? by % modulo : by);
  const Key key = {4, index_of(in), index_of(along), by.id(), modulo.id()};
  if (const Transform* made = find(key)) return std::get<Skew>(*made).out;
  check_has_items(x, "skew");
  const Expr extent = canonical(x.extent + modulo - 1);
  if (!extent.valid() || (extent.is(Op::Const) && extent.value() > kLargestExtent)) {
    refuse<Illegal>("E402", what + " has an extent past 2^62", "take a smaller modulus");
  }
  if (name.empty()) name = derived_name(x.name, "k", size());
  const DomainId out = next();
  domains_.push_back({std::move(name), extent});
  record(key, Skew{in, along, out, by, modulo});
  return out;
}

std::vector<DomainId> DomainGraph::make(const Transform& request,
                                        const std::vector<std::string>& names) {
  const auto both = [](const std::pair<DomainId, DomainId>& made) {
    return std::vector<DomainId>{made.first, made.second};
  };
  return std::visit(
      overloaded{
          [&](const Split& s) {
            return both(split(s.in, s.factor, s.inner_split, names[0], names[1]));
          },
          [&](const Merge& m) { return std::vector<DomainId>{merge(m.outer, m.inner, names[0])}; },
          [&](const Resize& r) {
            return std::vector<DomainId>{resize(r.in, r.left, r.right, names[0])};
          },
          [&](const Swizzle& s) {
            return both(swizzle(s.kind, s.in_x, s.in_y, names[0], names[1]));
          },
          [&](const Skew& s) {
            return std::vector<DomainId>{skew(s.in, s.along, s.by, s.modulo, names[0])};
          }},
      request);
}

std::optional<std::vector<std::int64_t>> known_extents(const DomainGraph& graph,
                                                       std::span<const DomainId> domains) {
  std::vector<std::int64_t> list;
  for (DomainId d : domains) {
    const Expr extent = graph[d].extent;
    if (!extent.is(Op::Const)) return std::nullopt;
    list.push_back(extent.value());
  }
  return list;
}

}  // namespace selvage
