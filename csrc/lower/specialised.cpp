#include <selvage/base/check.h>
#include <selvage/base/refuse.h>
#include <selvage/expr/substitute.h>
#include <selvage/index/coordinates.h>
#include <selvage/ir/fold.h>
#include <selvage/ir/path.h>
#include <selvage/ir/reads.h>
#include <selvage/lower/specialised.h>
#include <selvage/scheduler/pointwise.h>
#include <selvage/scheduler/stored_tensors.h>

#include <algorithm>
#include <functional>
#include <map>

namespace selvage {

namespace {

// Makes iterdomains of a graph again in another one, with the transforms that lead to them.
class Replay {
 public:
  Replay(const DomainGraph& from, DomainGraph& to, const std::function<Expr(Expr)>& number)
      : from_(from), to_(to), number_(number) {}

  void is(DomainId old, DomainId made) { made_[old] = made; }

  DomainId operator()(DomainId d) {
    if (const auto it = made_.find(d); it != made_.end()) return it->second;
    for (TransformId t : from_.around(d)) {
      if (contains(outputs(from_[t]), d)) take(from_[t]);
    }
    return made_.at(d);
  }

 private:
  void take(const Transform& transform) {
    Replay& again = *this;
    std::visit(overloaded{[&](const Split& s) {
                            std::tie(made_[s.outer], made_[s.inner]) =
                                to_.split(again(s.in), number_(s.factor), s.inner_split,
                                          from_[s.outer].name, from_[s.inner].name);
                          },
                          [&](const Merge& m) {
                            made_[m.out] =
                                to_.merge(again(m.outer), again(m.inner), from_[m.out].name);
                          },
                          [&](const Resize& r) {
                            made_[r.out] = to_.resize(again(r.in), number_(r.left),
                                                      number_(r.right), from_[r.out].name);
                          },
                          [&](const Swizzle& s) {
                            std::tie(made_[s.out_x], made_[s.out_y]) =
                                to_.swizzle(s.kind, again(s.in_x), again(s.in_y),
                                            from_[s.out_x].name, from_[s.out_y].name);
                          },
                          [&](const Skew& s) {
                            made_[s.out] = to_.skew(again(s.in), again(s.along), number_(s.by),
                                                    number_(s.modulo), from_[s.out].name);
                          }},
               transform);
  }

  const DomainGraph& from_;
  DomainGraph& to_;
  const std::function<Expr(Expr)>& number_;
  std::map<DomainId, DomainId> made_;
};

class Specialisation {
 public:
  Specialisation(const Fusion& fusion, const SizeValues& sizes)
      : old_(fusion),
        made_(std::make_unique<Fusion>(fusion.shared_pool())),
        numbers_(*made_->facts()),
        tensors_(fusion.size()) {
    made_->set_checked(fusion.is_checked());
    for (std::size_t k = 0; k < sizes.symbols.size(); ++k) {
      sizes_.emplace_back(sizes.symbols[k], fusion.pool().constant(sizes.values[k]));
    }
  }

  Specialised run() {
    for (TensorId t : definition_order(old_)) {
      const std::vector<Expr> shape = at_sizes(old_.shape(t));
      if (is_empty(shape)) continue;
      const Tensor made = old_[t].is_input ? input(t, shape) : computed(t, shape);
      tensors_[index_of(t)] = made.id();
      lay_out(t, made.id());
      tell_rows(t, made.id());
    }
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      const std::optional<TensorId> place = old_[TensorId(i)].in_place_of;
      if (tensors_[i] && place) made_->edit(*tensors_[i]).in_place_of = tensors_[index_of(*place)];
    }
    Specialised result{std::move(made_), {}, {}};
    result.origins.resize(result.fusion->size());
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      if (tensors_[i]) result.origins[index_of(*tensors_[i])] = TensorId(i);
    }
    return result;
  }

 private:
  Expr at_sizes(Expr e) { return numbers_.simplify(substitute(e, sizes_)); }

  std::vector<Expr> at_sizes(std::vector<Expr> list) {
    for (Expr& e : list) e = at_sizes(e);
    return list;
  }

  // Makes the rows of offsets again, whose symbols are those of the old ones.
  void tell_rows(TensorId offsets, TensorId made) {
    for (std::size_t k = 0; k < old_.domains().rows(); ++k) {
      const RaggedRows& rows = old_.domains()[RowsId(k)];
      const Expr count = at_sizes(rows.count), items = at_sizes(rows.items);
      if (TensorId(rows.offsets) != offsets || count.is_const(0) || items.is_const(0)) continue;
      rows_.emplace(RowsId(k), made_->add_rows(made, count, items));
    }
  }

  static bool is_empty(const std::vector<Expr>& shape) {
    return std::any_of(shape.begin(), shape.end(), [](Expr n) { return n.is_const(0); });
  }

  std::vector<Expr> extents(const std::vector<DomainId>& domains) {
    std::vector<Expr> list;
    for (DomainId d : domains) {
      const DomainGraph& graph = old_.domains();
      list.push_back(at_sizes(graph[d].extent));
      if (!graph[d].ragged) continue;
      const Expr items = at_sizes(graph[graph[d].ragged->rows].items);
      if (items.is_const(0)) list.back() = items;  // no row has any
    }
    return list;
  }

  Tensor input(TensorId t, const std::vector<Expr>& shape) {
    std::vector<std::string> axes;
    for (DomainId d : old_[t].logical) axes.push_back(old_.domains()[d].name);
    return made_->input(old_[t].name, shape, old_[t].type, axes);
  }

  Tensor computed(TensorId t, const std::vector<Expr>& shape) {
    const TensorInfo& info = old_[t];
    ValueGraph& values = made_->values();
    std::optional<Fusion::FoldRequest> folds;
    if (info.fold) {
      const Fold& fold = *info.fold;
      folds = {.how = fold.how,
               .indices = fold.indices,
               .shape = extents(fold.domains),
               .correction = fold.correction,
               .scanned = fold.scanned ? info.indices[*fold.scanned] : Expr()};
    }
    // What folds no items is the value of none.
    const bool folds_none = folds && is_empty(folds->shape);
    const auto value_at = [&](const Environment& environment) {
      if (!folds_none) return value_of(t, environment);
      const ValueId none = values.constant(DataType::Int64, std::int64_t{0}, false);
      return folded(values, *info.fold, empty_state(values, *info.fold), none);
    };
    const bool is_fold = folds && !folds_none;
    if (info.root.empty()) {
      return is_fold ? made_->compute_fold(info.name, info.indices, shape, *folds, value_at(sizes_),
                                           info.type)
                     : made_->compute(info.name, info.indices, shape, value_at(sizes_), info.type);
    }
    const std::vector<Expr> root_shape = extents(info.root);
    if (!is_empty(root_shape)) {
      const auto view = [&](DomainGraph& graph, const std::vector<DomainId>& root) {
        Replay replay(old_.domains(), graph, number_);
        for (std::size_t k = 0; k < root.size(); ++k) replay.is(info.root[k], root[k]);
        std::vector<DomainId> logical;
        for (DomainId d : info.logical) logical.push_back(replay(d));
        return logical;
      };
      return made_->compute_view(info.name, info.indices, root_shape, view, value_at(sizes_),
                                 info.type, is_fold ? &*folds : nullptr);
    }
    // The view pads an empty root: the definition is written over the logical domain instead.
    std::vector<Expr> indices;
    for (DomainId d : info.logical) {
      indices.push_back(made_->fresh_index(old_.domains()[d].name));
    }
    const std::vector<Expr> at = coordinates_from(old_.domains(), info.logical, indices, info.root);
    Environment environment = sizes_;
    for (std::size_t k = 0; k < at.size(); ++k) {
      SELVAGE_CHECK(at[k].valid());
      environment.emplace_back(info.indices[k], substitute(at[k], sizes_));
    }
    return made_->compute(info.name, indices, shape, value_at(environment), info.type);
  }

  // The definition of tensor t as a value of the new fusion.
  ValueId value_of(TensorId t, const Environment& environment) {
    std::map<ValueId, ValueId> made;
    for (ValueId v : values_under(old_.values(), *old_[t].definition)) {
      ValueNode node = old_.values()[v];
      for (ValueId& operand : node.operands) operand = made.at(operand);
      if (node.kind == ValueNode::Kind::Index) node.index = substitute(node.index, environment);
      for (Expr& s : node.subscripts) s = numbers_.simplify(substitute(s, environment));
      for (AxisMode& m : node.modes) m.of = substitute(m.of, environment);
      for (LoadedIndex& l : node.loaded) {
        if (l.most.valid()) l.most = numbers_.simplify(substitute(l.most, environment));
      }
      if (node.kind == ValueNode::Kind::Check) {
        // The new definition says at which point it is made.
        ValueCheck check = old_.checks()[node.source];
        check.indices.clear(), check.extents.clear();
        if (check.extent.valid()) check.extent = substitute(check.extent, environment);
        made[v] =
            made_->check(std::move(check), node.operands[0], node.operands[1], node.operands[2]);
        continue;
      }
      if (node.kind != ValueNode::Kind::Read) {
        made[v] = made_->values().add(std::move(node));
        continue;
      }
      const std::optional<TensorId> source = tensors_[node.source];
      const std::optional<ValueId> otherwise = node.otherwise();
      if (!source && !otherwise) refuse_read(t, TensorId(node.source));
      if (source) node.source = std::uint32_t(*source);
      made[v] = source ? made_->values().add(std::move(node)) : *otherwise;
    }
    return made.at(*old_[t].definition);
  }

  [[noreturn]] void refuse_read(TensorId reader, TensorId source) {
    std::string shape;
    for (Expr n : at_sizes(old_.shape(source))) {
      shape += (shape.empty() ? "" : ", ") + std::to_string(n.value());
    }
    refuse<BadInput>("E616",
                     old_[source].name + " is read by " + old_[reader].name +
                         ", and has no items: its shape is [" + shape + "]",
                     "keep the subscripts below the extents");
  }

  // Copies to the new tensor how t is laid out and stored.
  void lay_out(TensorId t, TensorId made) {
    const TensorInfo& from = old_[t];
    Replay replay(old_.domains(), made_->domains(), number_);
    TensorInfo& to = made_->edit(made);
    for (std::size_t k = 0; k < from.logical.size(); ++k) replay.is(from.logical[k], to.logical[k]);
    for (DomainId d : from.allocation) to.allocation.push_back(replay(d));
    to.strides = at_sizes(from.strides);
    to.is_output = from.is_output;
    to.stored_as = from.stored_as;
    to.align = from.align;
    to.memory = from.memory;
    to.fill = from.fill;
    to.duplicates_allowed = from.duplicates_allowed;
    to.is_complex = from.is_complex;
    to.indexes = from.indexes;
    if (to.indexes) to.indexes->below = at_sizes(to.indexes->below);
    to.is_iterated_by_root = from.is_iterated_by_root;
    const auto rows = from.items_of ? rows_.find(*from.items_of) : rows_.end();
    if (rows != rows_.end()) to.items_of = rows->second;
  }

  const Fusion& old_;
  Environment sizes_;
  std::unique_ptr<Fusion> made_;
  Simplifier numbers_;
  const std::function<Expr(Expr)> number_ = [this](Expr e) { return at_sizes(e); };
  std::vector<std::optional<TensorId>> tensors_;  // by the old one's number
  std::map<RowsId, RowsId> rows_ = {};
};

// Adds to the schedule the transforms from the tensor's logical domain to its allocation domain.
void derive_allocation(Schedule& schedule, TensorId t) {
  const DomainGraph& graph = schedule.fusion().domains();
  const TensorInfo& tensor = schedule.fusion()[t];
  const Path all = everything_from(graph, tensor.logical, {});
  for (const Step& step : needed_for(graph, all, tensor.logical, tensor.allocation).steps) {
    schedule.derive(t, graph[step.transform], {});
  }
}

}  // namespace

Specialised specialised(const Fusion& fusion, const SizeValues& sizes) {
  return Specialisation(fusion, sizes).run();
}

Specialised lower_specialised(const Fusion& fusion, const SizeValues& sizes) {
  Specialised result = specialised(fusion, sizes);
  const Fusion& made = *result.fusion;
  Schedule schedule = with_stored_tensors(Schedule(made));
  bool has_output = false;
  for (std::size_t i = 0; i < made.size(); ++i) {
    const auto t = TensorId(i);
    const TensorInfo& tensor = made[t];
    if (tensor.is_input || (schedule.is_inlined(t) && !tensor.is_output && !tensor.fold)) continue;
    has_output = has_output || tensor.is_output;
    derive_allocation(schedule, t);
    schedule_pointwise(schedule, t);
  }
  if (has_output) {
    result.program = lower(made, schedule);
  } else {
    result.program.schedule = std::make_shared<const Schedule>(std::move(schedule));
  }
  return result;
}

}  // namespace selvage
