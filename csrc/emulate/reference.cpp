#include <selvage/base/check.h>
#include <selvage/base/integer.h>
#include <selvage/base/points.h>
#include <selvage/base/refuse.h>
#include <selvage/base/words.h>
#include <selvage/emulate/memory.h>
#include <selvage/emulate/reference.h>
#include <selvage/emulate/reference_fold.h>
#include <selvage/emulate/reference_view.h>
#include <selvage/expr/apply.h>
#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/ir/reads.h>
#include <selvage/ir/sizes.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <unordered_map>
#include <utility>

namespace selvage {

namespace {

// The same elements in the type that they are stored in.
Array stored(Array carried, DataType type) {
  if (carried.type == type) return carried;
  Array array(type, carried.shape);
  for (std::int64_t k = 0; k < array.size(); ++k) {
    store_element(array, k, as_element(load_element(carried, k), type));
  }
  return array;
}

class Interpreter {
 public:
  // Without a model of errors none are looked at.
  Interpreter(const Fusion& fusion, const std::map<std::string, std::int64_t>& sizes,
              const ErrorModel* model)
      : fusion_(fusion), model_(model) {
    for (const auto& [name, value] : sizes) {
      const Expr n = size_called(fusion, name);
      known_[n.id()] = value;
      sizes_.add(n, value);
    }
    check_sizes(fusion, sizes_);
  }

  std::vector<BoundedArray> run(const std::map<std::string, Array>& inputs) {
    compute_all(inputs, std::vector<bool>(fusion_.size(), true));
    std::vector<BoundedArray> outputs;
    for (std::size_t i = 0; i < fusion_.size(); ++i) {
      const TensorInfo& info = fusion_[TensorId(i)];
      if (info.is_output) outputs.push_back(output(i, said_type(info)));
    }
    return outputs;
  }
  Array run_only(TensorId t, const std::map<std::string, Array>& inputs) {
    std::vector<bool> is_needed(fusion_.size(), false);
    is_needed[index_of(t)] = true;
    const std::vector<TensorId> order = definition_order(fusion_);
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
      if (!is_needed[index_of(*at)]) continue;
      for (TensorId source : tensors_read(fusion_, *at)) is_needed[index_of(source)] = true;
      for (TensorId source : offsets_of(fusion_, *at)) is_needed[index_of(source)] = true;
    }
    compute_all(inputs, is_needed);
    return output(index_of(t), said_type(fusion_[t])).values;
  }
  // Of the run: a computed tensor that is no output.
  BoundedArray intermediate(TensorId t) { return output(index_of(t), fusion_[t].type); }

 private:
  void compute_all(const std::map<std::string, Array>& inputs, const std::vector<bool>& is_needed) {
    for (const auto& [name, array] : inputs) {
      const auto t = fusion_.find(name);
      if (t && fusion_[*t].is_input) continue;
      refuse<BadInput>("E611", "the fusion has no input " + name,
                       "leave it out, or correct its name");
    }
    arrays_.resize(fusion_.size());
    errors_.resize(fusion_.size());
    for (TensorId t : definition_order(fusion_)) {
      if (!is_needed[index_of(t)]) continue;
      arrays_[index_of(t)] = fusion_[t].is_input ? input(t, inputs) : computed(t);
    }
  }

  BoundedArray output(std::size_t t, DataType type) {
    std::vector<double>& errors = errors_[t];
    for (std::size_t k = 0; k < errors.size(); ++k) {
      const Scalar value = load_element(arrays_[t], std::int64_t(k));
      errors[k] = error_of_conversion({value, errors[k]}, type, as_element(value, type));
    }
    return {stored(std::move(arrays_[t]), type), std::move(errors)};
  }

  std::int64_t extent(Expr n, TensorId t) {
    const auto value = evaluate(n);
    if (value && *value >= 0) return *value;
    refuse<BadInput>("E615",
                     "the extent " + to_string(n) + " of " + fusion_[t].name + " is " +
                         (value ? std::to_string(*value) : "undefined"),
                     "give sizes for which every extent is at least 0");
  }

  std::vector<std::int64_t> shape(TensorId t) {
    std::vector<std::int64_t> shape;
    for (Expr n : fusion_.shape(t)) shape.push_back(extent(n, t));
    return shape;
  }

  Array input(TensorId t, const std::map<std::string, Array>& inputs) {
    const TensorInfo& info = fusion_[t];
    const auto it = inputs.find(info.name);
    const std::vector<std::int64_t> expected = shape(t);
    const std::string what = std::string(to_string(info.type)) + bracketed(expected);
    if (it == inputs.end()) {
      refuse<BadInput>("E611", "the input " + info.name + " is missing",
                       "give " + what + " for it");
    }
    if (it->second.type != info.type) {
      refuse<BadInput>("E613",
                       "the input " + info.name + " is of type " +
                           std::string(to_string(it->second.type)) + ", not " +
                           std::string(to_string(info.type)),
                       "give " + what + " for it");
    }
    if (it->second.shape != expected) {
      refuse<BadInput>("E612",
                       "the input " + info.name + " has shape " + bracketed(it->second.shape) +
                           ", not " + bracketed(expected),
                       "give " + what + " for it");
    }
    return it->second;
  }

  Array computed(TensorId t) {
    const TensorInfo& info = fusion_[t];
    Array array(compute_type(info.type), shape(t));
    if (info.is_iterated_by_root) {
      computed_by_rows(t, array);
      return array;
    }
    if (is_scan(info)) {
      scan(t, array);
      return array;
    }
    std::optional<RootWalk> walk;
    if (!info.root.empty()) {
      walk.emplace(fusion_.domains(), info.logical, info.root,
                   [&](Expr e) { return evaluate(e).value_or(0); });
    }
    std::int64_t k = 0;
    for_each_point(array.shape, [&](const std::vector<std::int64_t>& at) {
      const std::vector<std::int64_t> root = walk ? (*walk)(at) : at;
      for (std::size_t i = 0; i < root.size(); ++i) known_[info.indices[i].id()] = root[i];
      store(t, array, k, info.fold ? folded(t) : evaluate(*info.definition));
      ++k;
      return true;
    });
    return array;
  }

  // Visits the points of iterdomains, whose indices are `symbols`; the extent of a ragged one is
  // that of the row that the indices before it tell.
  void for_each_index(TensorId t, std::span<const DomainId> domains, std::span<const Expr> symbols,
                      const std::function<void()>& visit) {
    if (domains.empty()) return visit();
    const IterDomain& d = fusion_.domains()[domains[0]];
    if (d.ragged) go_to_row(t, *d.ragged);
    const std::int64_t n = extent(d.extent, t);
    for (std::int64_t i = 0; i < n; ++i) {
      known_[symbols[0].id()] = i;
      for_each_index(t, domains.subspan(1), symbols.subspan(1), visit);
    }
  }

  // The ends of the row at the index that is known of it, clamped as kernels do.
  void go_to_row(TensorId t, const IterDomain::Ragged& ragged) {
    const RaggedRows& rows = fusion_.domains()[ragged.rows];
    const TensorInfo& info = fusion_[t];
    std::vector<DomainId> domains = definition_domain(info);
    std::vector<Expr> symbols = info.indices;
    if (info.fold) {
      domains.insert(domains.end(), info.fold->domains.begin(), info.fold->domains.end());
      symbols.insert(symbols.end(), info.fold->indices.begin(), info.fold->indices.end());
    }
    const auto at = std::find(domains.begin(), domains.end(), ragged.row);
    SELVAGE_CHECK(at != domains.end());
    const std::int64_t row = known_.at(symbols[std::size_t(at - domains.begin())].id());
    const std::int64_t items = extent(rows.items, t);
    const auto offset = [&](std::int64_t k) {
      const Scalar value = load_element(arrays_[rows.offsets], k);
      return std::clamp<std::int64_t>(convert(value, DataType::Int64).integer, 0, items);
    };
    const std::int64_t begin = offset(row);
    known_[rows.begin.id()] = begin;
    known_[rows.end.id()] = std::max(offset(row + 1), begin);
  }

  // Goes through rows and their items, and stores each where its position is.
  void computed_by_rows(TensorId t, Array& array) {
    const TensorInfo& info = fusion_[t];
    const auto& ragged = fusion_.domains()[info.root[1]].ragged;
    const Expr begin = fusion_.domains()[ragged->rows].begin;
    for_each_index(t, info.root, info.indices, [&] {
      std::int64_t k = known_.at(begin.id()) + known_.at(info.indices[1].id());
      for (std::size_t i = 2; i < info.indices.size(); ++i) {
        k = k * array.shape[i - 1] + known_.at(info.indices[i].id());
      }
      store(t, array, k, info.fold ? folded(t) : evaluate(*info.definition));
    });
  }

  void store(TensorId t, Array& array, std::int64_t k, const Uncertain& value) {
    store_element(array, k, as_element(value.value, fusion_[t].type));
    if (value.error == 0) return;
    errors_[index_of(t)].resize(std::size_t(array.size()), 0);
    errors_[index_of(t)][std::size_t(k)] = value.error;
  }

  // Goes through the other axes, and for each point of these along the scanned one.
  void scan(TensorId t, Array& array) {
    const TensorInfo& info = fusion_[t];
    const std::size_t along = *info.fold->scanned;
    std::vector<std::int64_t> rows = array.shape;
    const std::int64_t length = std::exchange(rows[along], 1);
    std::int64_t stride = 1;
    for (std::size_t i = along + 1; i < rows.size(); ++i) stride *= rows[i];
    if (length == 0) return;
    for_each_point(rows, [&](const std::vector<std::int64_t>& at) {
      std::int64_t k = 0;
      for (std::size_t i = 0; i < at.size(); ++i) {
        k = k * array.shape[i] + at[i];
        known_[info.indices[i].id()] = at[i];
      }
      PlainScan so_far(*info.fold);
      ScanErrors errors(*info.fold);
      for (std::int64_t n = 0; n < length; ++n, k += stride) {
        known_[info.indices[along].id()] = n;
        const Uncertain element = evaluate(*info.definition);
        const Scalar value = so_far.take(element.value);
        store(t, array, k, {value, model_ != nullptr ? errors.take(element, value) : 0});
      }
      return true;
    });
  }

  // All that is folded into the element at the known indices.
  Uncertain folded(TensorId t) {
    const Fold& fold = *fusion_[t].fold;
    SELVAGE_CHECK(!fold.is_partial && !fold.merges);  // a schedule's own, no part of a meaning
    std::vector<Uncertain> elements;
    for_each_index(t, fold.domains, fold.indices,
                   [&] { elements.push_back(evaluate(*fusion_[t].definition)); });
    std::vector<Scalar> values;
    for (const Uncertain& e : elements) values.push_back(e.value);
    const Scalar result = fold_plainly(fold, values);
    return {result, model_ != nullptr ? error_of_fold(fold, elements, result, *model_) : 0};
  }

  Uncertain evaluate(ValueId v) {
    const ValueNode& n = fusion_.values()[v];
    switch (n.kind) {
      case ValueNode::Kind::Constant: return {value_of(n)};
      case ValueNode::Kind::Index: {
        const auto value = evaluate(n.index);
        if (!value) undefined(n.index);
        return {Scalar::of(n.type, *value)};
      }
      case ValueNode::Kind::Read: {
        double error = 0;
        for (std::size_t k = 0; k < n.loaded.size(); ++k) {
          const Uncertain index = evaluate(n.operands[k]);
          known_[n.loaded[k].symbol.id()] = index.value.integer;
          // Where the index is not certain, it may be any element.
          if (index.error > 0) error = std::numeric_limits<double>::infinity();
        }
        const auto s = read(n);
        // The value for out of bounds is evaluated only there.
        if (!s) {
          const Uncertain otherwise = evaluate(*n.otherwise());
          return {otherwise.value, std::max(otherwise.error, error)};
        }
        return {convert(s->value, compute_type(n.type)), std::max(s->error, error)};
      }
      case ValueNode::Kind::Apply: {
        std::vector<Uncertain> operands;
        std::vector<Scalar> values;
        for (ValueId operand : n.operands) {
          operands.push_back(evaluate(operand));
          values.push_back(operands.back().value);
        }
        const Scalar result = selvage::apply(n.function, values);
        return {result,
                model_ != nullptr ? error_of(n.function, operands, result, *model_, n.math) : 0};
      }
      // The unscheduled program computes on; kernels say what has failed.
      case ValueNode::Kind::Check: return evaluate(n.operands[1]);
      case ValueNode::Kind::Search: break;  // of kernels alone
      case ValueNode::Kind::Cast: {
        const Uncertain from = evaluate(n.operands[0]);
        const Scalar result = convert(from.value, n.type);
        return {result, error_of_conversion(from, n.type, result)};
      }
    }
    SELVAGE_CHECK(!"a kind of value");
  }

  // Nothing where a subscript is out of bounds and that is allowed.
  std::optional<Uncertain> read(const ValueNode& n) {
    const auto t = TensorId(n.source);
    const std::string help =
        n.loaded.empty() ? "" : "keep the indices within the extents; or read clamped or fill";
    return read(t, n.subscripts, n.otherwise().has_value(), help);
  }
  std::optional<Uncertain> read(TensorId t, std::span<const Expr> subscripts, bool may_leave,
                                const std::string& help = {}) {
    SELVAGE_CHECK(index_of(t) < arrays_.size());
    const Array& array = arrays_[index_of(t)];
    std::vector<std::int64_t> at;
    std::int64_t address = 0;
    bool inside = true;
    for (std::size_t i = 0; i < subscripts.size(); ++i) {
      const auto x = evaluate(subscripts[i]);
      if (!x) undefined(subscripts[i]);
      at.push_back(*x);
      inside = inside && *x >= 0 && *x < array.shape[i];
      if (inside) address = address * array.shape[i] + *x;
    }
    if (!inside && may_leave) return std::nullopt;
    if (!inside) {
      refuse<BadInput>(
          "E616",
          fusion_[t].name + bracketed(at) + " is read, outside its shape " + bracketed(array.shape),
          help.empty() ? help_for_read(t, subscripts) : help);
    }
    const std::vector<double>& errors = errors_[index_of(t)];
    return Uncertain{load_element(array, address),
                     errors.empty() ? 0 : errors[std::size_t(address)]};
  }

  // What has no items can be read by nobody, whatever the subscripts are.
  std::string help_for_read(TensorId t, std::span<const Expr> subscripts) const {
    std::vector<Expr> has_items;
    for (Expr n : fusion_.shape(t)) has_items.push_back(n >= 1);
    const bool is_empty = std::any_of(has_items.begin(), has_items.end(),
                                      [&](Expr n) { return sizes_(n).value_or(0) == 0; });
    if (!is_empty) return "keep the subscripts below the extents";
    std::vector<std::string> words;
    for (Expr s : subscripts) words.push_back(to_string(s));
    const std::string other = nearby_size(fusion_, has_items, sizes_);
    const std::string& name = fusion_[t].name;
    return "choose sizes for which " + name + " has items" +
           (other.empty() ? "" : ", such as " + other) + "; or read fill(" + name +
           bracketed(words) + ", 0)";
  }

  [[noreturn]] void undefined(Expr e) {
    refuse<BadInput>("E616", "the subscript " + to_string(e) + " has no value at some point",
                     "keep its divisors away from 0 and its values within 64 bits");
  }

  // The value of an integer or Boolean expression; nothing where it has none.
  std::optional<std::int64_t> evaluate(Expr e) {
    if (e.is(Op::Const) || e.is(Op::Bool)) return e.value();
    if (e.is(Op::Symbol)) {
      const auto it = known_.find(e.id());
      return it == known_.end() ? std::nullopt : std::optional(it->second);
    }
    if (e.is(Op::Let)) return evaluate(e[0]);
    if (e.is(Op::Load)) {
      const auto table = fusion_.find(std::string(e.name()));
      if (!table || index_of(*table) >= arrays_.size()) return std::nullopt;
      return convert(read(*table, e.args(), false)->value, DataType::Int64).integer;
    }
    if (e.is(Op::Select)) {
      const auto condition = evaluate(e[0]);
      return condition ? evaluate(*condition != 0 ? e[1] : e[2]) : std::nullopt;
    }
    if (e.is(Op::Call)) return std::nullopt;
    const auto a = evaluate(e[0]);
    const auto b = e.args().size() > 1 ? evaluate(e[1]) : a;
    if (!a || !b) return std::nullopt;
    const Checked r = apply(e.op(), Checked(*a), Checked(*b));
    return r.is_defined ? std::optional(r.value) : std::nullopt;
  }

  const Fusion& fusion_;
  const ErrorModel* model_;
  SizeValues sizes_;
  std::unordered_map<std::uint32_t, std::int64_t> known_;  // sizes and indices, by symbol
  std::vector<Array> arrays_;                              // by tensor
  std::vector<std::vector<double>> errors_;                // by tensor; empty: none
};

}  // namespace

std::vector<Array> run_reference(const Fusion& fusion,
                                 const std::map<std::string, std::int64_t>& sizes,
                                 const std::map<std::string, Array>& inputs) {
  std::vector<Array> arrays;
  for (BoundedArray& a : Interpreter(fusion, sizes, nullptr).run(inputs)) {
    arrays.push_back(std::move(a.values));
  }
  return arrays;
}

Array run_reference_of(const Fusion& fusion, TensorId t,
                       const std::map<std::string, std::int64_t>& sizes,
                       const std::map<std::string, Array>& inputs) {
  return Interpreter(fusion, sizes, nullptr).run_only(t, inputs);
}

std::vector<BoundedArray> run_reference_bounded(const Fusion& fusion,
                                                const std::map<std::string, std::int64_t>& sizes,
                                                const std::map<std::string, Array>& inputs,
                                                const ErrorModel& model) {
  return Interpreter(fusion, sizes, &model).run(inputs);
}

std::map<std::string, BoundedArray> run_reference_tensors(
    const Fusion& fusion, const std::map<std::string, std::int64_t>& sizes,
    const std::map<std::string, Array>& inputs, const ErrorModel& model) {
  Interpreter interpreter(fusion, sizes, &model);
  std::vector<BoundedArray> outputs = interpreter.run(inputs);
  std::map<std::string, BoundedArray> all;
  std::size_t next = 0;
  for (std::size_t i = 0; i < fusion.size(); ++i) {
    const TensorInfo& info = fusion[TensorId(i)];
    if (info.is_input) continue;
    all[info.name] =
        info.is_output ? std::move(outputs[next++]) : interpreter.intermediate(TensorId(i));
  }
  return all;
}

}  // namespace selvage
