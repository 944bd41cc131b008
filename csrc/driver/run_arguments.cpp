#include <selvage/base/refuse.h>
#include <selvage/driver/run_arguments.h>
#include <selvage/emulate/reference.h>
#include <selvage/scheduler/row_schedules.h>

#include <algorithm>

namespace selvage {

namespace {

class ArgumentFinder {
 public:
  ArgumentFinder(const Fusion& fusion, const RunRequest& request)
      : fusion_(fusion), request_(request) {}

  RunArguments find() {
    inputs_ = request_.inputs;
    take_sizes();
    take_inputs();
    return {std::move(sizes_), std::move(inputs_)};
  }

 private:
  void take_sizes() {
    std::vector<Expr> open;
    for (Expr n : fusion_.sizes()) {
      const Facts::Symbol* facts = fusion_.facts()->find(n);
      const auto given = request_.sizes.find(std::string(n.name()));
      if (given != request_.sizes.end()) {
        sizes_.add(n, given->second);
      } else if (facts != nullptr && facts->range.is_point()) {
        sizes_.add(n, facts->range.lo);
      } else {
        open.push_back(n);
      }
    }
    // Repeated, since one size may depend on another. What takes a run comes last but one; strides
    // come last: they may depend on all.
    for (bool may_be_dense = false; !open.empty();) {
      const std::size_t before = open.size();
      std::erase_if(open, [&](Expr n) {
        std::optional<std::int64_t> told = told_by_shape(n);
        if (!told) told = told_by_facts(n);
        if (!told && may_be_dense) told = told_by_rows(n, open);
        if (!told && may_be_dense) told = dense_stride(n);
        if (told) sizes_.add(n, *told);
        return told.has_value();
      });
      const bool is_stuck = open.size() == before;
      if (is_stuck && may_be_dense) {
        const std::string name(open[0].name());
        refuse<BadInput>("E614", "the size " + name + " has no value", help_of(name));
      }
      may_be_dense = is_stuck;
    }
  }

  std::optional<std::int64_t> told_by_shape(Expr n) const {
    for (const auto& [name, array] : request_.inputs) {
      const auto t = fusion_.find(name);
      if (!t || !fusion_[*t].is_input) continue;
      const std::vector<Expr> shape = fusion_.shape(*t);
      for (std::size_t k = 0; k < std::min(shape.size(), array.shape.size()); ++k) {
        const auto told = solved_for(n, shape[k], array.shape[k], sizes_, *fusion_.facts());
        if (told) return told;
      }
    }
    return std::nullopt;
  }

  // By a relation to other sizes: N == 6 * K.
  std::optional<std::int64_t> told_by_facts(Expr n) const {
    const std::vector<Expr>& assumed = fusion_.facts()->assumptions();
    for (Expr e : assumed) {
      if (!e.is(Op::Eq)) continue;
      for (const auto& [left, right] : {std::pair(e[0], e[1]), std::pair(e[1], e[0])}) {
        const auto value = sizes_(right);
        const auto told =
            value ? solved_for(n, left, *value, sizes_, *fusion_.facts()) : std::nullopt;
        if (told) return told;
      }
    }
    return std::nullopt;
  }

  // The number of items of rows whose offsets the fusion computes: the last offset.
  // The inputs that these are computed from are made up for good: they may depend on sizes.
  std::optional<std::int64_t> told_by_rows(Expr n, const std::vector<Expr>& open) {
    const DomainGraph& graph = fusion_.domains();
    for (std::size_t k = 0; k < graph.rows(); ++k) {
      const RaggedRows& rows = graph[RowsId(std::uint32_t(k))];
      const auto offsets = TensorId(rows.offsets);
      if (!same(rows.items, n) || fusion_[offsets].is_input) continue;
      std::map<std::string, std::int64_t> sizes;
      for (Expr other : open) {
        const Facts::Symbol* facts = fusion_.facts()->find(other);
        const bool is_bounded = facts != nullptr && facts->range.has_lo();
        sizes[std::string(other.name())] =
            is_bounded ? std::max<std::int64_t>(facts->range.lo, 0) : 0;
      }
      for (std::size_t s = 0; s < sizes_.symbols.size(); ++s) {
        sizes[std::string(sizes_.symbols[s].name())] = sizes_.values[s];
      }
      for (std::size_t i = 0; i < fusion_.size(); ++i) make_up(TensorId(i));
      try {
        const Array told = run_reference_of(fusion_, offsets, sizes, inputs_);
        if (told.size() > 0) return std::max<std::int64_t>(told.get_int(told.size() - 1), 0);
      } catch (const BadInput&) {
        return std::nullopt;  // what is wrong is said when all sizes are known
      }
    }
    return std::nullopt;
  }

  std::optional<std::int64_t> dense_stride(Expr n) const {
    for (std::size_t i = 0; i < fusion_.size(); ++i) {
      const TensorInfo& tensor = fusion_[TensorId(i)];
      const auto at = std::find_if(tensor.strides.begin(), tensor.strides.end(),
                                   [&](Expr stride) { return same(stride, n); });
      if (at == tensor.strides.end() || !tensor.allocation.empty()) continue;
      Expr stride = fusion_.pool().constant(1);
      for (auto k = std::size_t(at - tensor.strides.begin()) + 1; k < tensor.logical.size(); ++k) {
        stride = stride * fusion_.domains()[tensor.logical[k]].extent;
      }
      const auto value = sizes_(stride);
      return value ? std::optional(std::max<std::int64_t>(*value, 1)) : value;
    }
    return std::nullopt;
  }

  std::string help_of(const std::string& name) const {
    if (request_.asker == Asker::Command) {
      return "give it one, --size " + name + "=VALUE, or under sizes: in the file";
    }
    return "give it one, .sizes = {{\"" + name + "\", ...}}, or an input that has it for an extent";
  }

  void take_inputs() {
    for (std::size_t i = 0; i < fusion_.size(); ++i) {
      // If not, the unscheduled program says what is wrong with the sizes.
      if (!make_up(TensorId(i))) return;
    }
  }

  // Adds an input that is not there, if its shape is known.
  bool make_up(TensorId t) {
    const TensorInfo& tensor = fusion_[t];
    if (!tensor.is_input || inputs_.contains(tensor.name)) return true;
    std::vector<std::int64_t> shape;
    for (Expr n : fusion_.shape(t)) {
      shape.push_back(sizes_(n).value_or(-1));
      if (shape.back() < 0) return false;
    }
    const Array* offsets = nullptr;
    if (tensor.items_of) {
      const auto own = TensorId(fusion_.domains()[*tensor.items_of].offsets);
      const auto given = inputs_.find(fusion_[own].name);
      if (given != inputs_.end()) offsets = &given->second;
    }
    inputs_[tensor.name] =
        made_up_input_of(fusion_, t, std::move(shape), sizes_, request_.seed, offsets);
    return true;
  }

  const Fusion& fusion_;
  const RunRequest& request_;
  SizeValues sizes_;
  std::map<std::string, Array> inputs_;
};

}  // namespace

SizeValues with_longest_rows(const Fusion& fusion, const SizeValues& sizes,
                             const std::map<std::string, Array>& inputs) {
  SizeValues all = sizes;
  for (std::size_t k = 0; k < fusion.domains().rows(); ++k) {
    const RowsId rows{std::uint32_t(k)};
    const auto offsets = inputs.find(fusion[TensorId(fusion.domains()[rows].offsets)].name);
    if (offsets == inputs.end()) continue;
    std::int64_t longest = 0;
    for (std::int64_t r = 0; r + 1 < offsets->second.size(); ++r) {
      longest = std::max(longest, offsets->second.get_int(r + 1) - offsets->second.get_int(r));
    }
    all.add(longest_of(fusion, rows), longest);
  }
  return all;
}

std::map<std::string, Array> told_offsets(const Fusion& fusion, const RunArguments& arguments) {
  std::map<std::string, std::int64_t> sizes;
  for (std::size_t k = 0; k < arguments.sizes.symbols.size(); ++k) {
    sizes.emplace(arguments.sizes.symbols[k].name(), arguments.sizes.values[k]);
  }
  std::map<std::string, Array> all;
  for (std::size_t k = 0; k < fusion.domains().rows(); ++k) {
    const auto offsets = TensorId(fusion.domains()[RowsId(std::uint32_t(k))].offsets);
    if (fusion[offsets].is_input) continue;
    all[fusion[offsets].name] = run_reference_of(fusion, offsets, sizes, arguments.inputs);
  }
  return all;
}

RunArguments arguments_of(const Fusion& fusion, const RunRequest& request) {
  return ArgumentFinder(fusion, request).find();
}

}  // namespace selvage
