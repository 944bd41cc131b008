// A fusion with its schedule as a file of section 2.
#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/frontend/formula_writer.h>
#include <selvage/frontend/list_writer.h>
#include <selvage/frontend/read_axes.h>
#include <selvage/frontend/schedule_file.h>
#include <selvage/frontend/schedule_writer.h>
#include <selvage/ir/reads.h>
#include <selvage/simplifier/simplifier.h>

#include <algorithm>
#include <map>
#include <set>

namespace selvage {

namespace {

class Writer {
 public:
  Writer(const Fusion& fusion, const Schedule& schedule)
      : fusion_(fusion),
        schedule_(schedule),
        files_(fusion, schedule),
        formulas_(fusion, files_),
        simplifier_(*fusion.facts()) {}

  std::string text() {
    for (std::size_t k = 0; k < fusion_.size(); ++k) {
      check(TensorId(k));
      called_.emplace(files_[TensorId(k)], TensorId(k));
    }
    find_used_sizes();
    const std::string statements = compute();
    return symbols() + facts() + inputs() + outputs() + shapes() + math() + statements +
           ListWriter(fusion_, schedule_, files_, names_).text();
  }

  std::string schedule() {
    names_.resize(fusion_.size());
    ReadAxes axes;
    for (std::size_t k = 0; k < fusion_.size(); ++k) {
      const auto t = TensorId(k);
      if (fusion_[t].is_input) continue;
      const std::vector<std::string> indices = indices_of(t);
      try {
        note_axes(parsed(statement(t, indices), fusion_[t].name), axes);
      } catch (const BadInput&) {
        continue;  // it tells of no axes
      }
    }
    name_axes_of_inputs(axes);
    return ListWriter(fusion_, schedule_, files_, names_).text();
  }

 private:
  std::vector<std::string> indices_of(TensorId t) {
    std::vector<std::string> indices;
    for (DomainId d : nest_domain(fusion_[t])) {
      indices.push_back(files_.name(t, d, names_[index_of(t)]));
    }
    return indices;
  }

  std::string statement(TensorId t, const std::vector<std::string>& indices) {
    std::string left;
    for (std::size_t i = 0; i < fusion_[t].logical.size(); ++i) {
      left += (left.empty() ? "" : ", ") + indices[i];
    }
    return files_[t] + "[" + left + "] = " + formulas_.right_side(t, indices);
  }

  void note_axes(const Formula& formula, ReadAxes& axes) const {
    axes.note(formula, [&](const std::string& name) { return files_.is_size(name); });
  }

  void name_axes_of_inputs(const ReadAxes& axes) {
    for (std::size_t k = 0; k < fusion_.size(); ++k) {
      const TensorInfo& info = fusion_[TensorId(k)];
      if (!info.is_input) continue;
      const std::vector<std::string> own = axes.of(files_[TensorId(k)], info.logical.size());
      for (std::size_t i = 0; i < own.size(); ++i) names_[k][info.logical[i]] = own[i];
    }
  }

  void check(TensorId t) const {
    const TensorInfo& info = fusion_[t];
    const auto refuse_if = [&](bool is_wrong, const char* what, const char* help) {
      if (is_wrong) refuse_writing(info.name + " cannot be written: " + what, help);
    };
    refuse_if(schedule_.making(t) != nullptr || (info.fold && info.fold->is_partial),
              "a schedule has made it", "write the fusion that the schedule was made of");
    const bool is_as_it_lies = info.allocation.empty() || info.allocation == info.logical;
    refuse_if(!is_as_it_lies, "it lies in memory over other iterdomains than it has",
              "leave its allocation out");
    refuse_if(info.memory != Memory::Global, "it lies in no global memory",
              "cache it in the schedule");
    refuse_if(info.duplicates_allowed, "its items may be stored more than once",
              "leave duplicates_allowed out");
    refuse_if(info.fill.has_value(), "its holes have a fill", "leave its fill out");
    refuse_if(!info.is_input && !info.definition, "it has no definition",
              "compute it, or make it an input");
  }

  std::string math() const { return fusion_.math() == Math::Fast ? "math: fast\n" : ""; }

  static bool is_stride(Expr size) {
    return std::string(size.name()).find("_stride_") != std::string::npos;
  }

  // Equal to a number by index notation: the statements say so again.
  bool is_equated(Expr size, std::int64_t value) const {
    const auto& checks = fusion_.launch_checks();
    return std::any_of(checks.begin(), checks.end(),
                       [&](Expr e) { return same(e, eq(size, fusion_.pool().constant(value))); });
  }

  std::string symbols() const {
    std::string text;
    for (Expr size : fusion_.sizes()) {
      if (!used_.contains(std::string(size.name()))) continue;
      std::string said;
      const auto say = [&](const char* key, std::int64_t value) {
        said += (said.empty() ? "" : ", ") + std::string(key) + ": " + std::to_string(value);
      };
      const auto& empty = fusion_.possibly_empty();
      const bool may_be_empty =
          std::any_of(empty.begin(), empty.end(), [&](Expr e) { return same(e, size); });
      if (const Facts::Symbol* known = fusion_.facts()->find(size)) {
        const Interval& range = known->range;
        const bool is_fixed =
            range.has_lo() && range.has_hi() && range.lo == range.hi && is_equated(size, range.lo);
        if (may_be_empty) say("min", 0);
        if (!may_be_empty && !is_fixed && range.has_lo() && range.lo != 1) say("min", range.lo);
        if (!is_fixed && range.has_hi()) say("max", range.hi);
        const Congruence& c = known->congruence;
        if (!is_fixed && c.modulus > 1 && c.residue % c.modulus == 0) {
          say("multiple_of", c.modulus);
        }
      }
      if (is_stride(size)) {
        if (!said.empty()) {
          refuse_writing("the size " + std::string(size.name()) + " is a stride of which a file " +
                             "can say nothing",
                         "leave its range out");
        }
        continue;
      }
      text += "  " + std::string(size.name()) + ": {" + said + "}\n";
    }
    return text.empty() ? "" : "symbols:\n" + text;
  }

  // What is known of sizes beside their ranges, but for what statements say again.
  std::vector<Expr> conditions() const {
    std::vector<Expr> all = relations(*fusion_.facts());
    for (Expr size : fusion_.sizes()) {
      const Facts::Symbol* known = fusion_.facts()->find(size);
      const Congruence c = known == nullptr ? Congruence{} : known->congruence;
      if (c.modulus <= 1 || c.residue % c.modulus == 0) continue;
      all.push_back(
          eq(size % fusion_.pool().constant(c.modulus), fusion_.pool().constant(c.residue)));
    }
    const auto& checks = fusion_.launch_checks();
    std::erase_if(all, [&](Expr e) {
      return std::any_of(checks.begin(), checks.end(), [&](Expr c) { return same(c, e); });
    });
    return all;
  }

  std::string facts() const {
    std::vector<std::string> lines;
    for (Expr e : conditions()) {
      if (is_used(e)) lines.push_back("  - " + expression_text(e, "a fact") + "\n");
    }
    std::sort(lines.begin(), lines.end());
    std::string text;
    for (const std::string& line : lines) text += line;
    return text.empty() ? "" : "facts:\n" + text;
  }

  std::string shape(TensorId t) const { return "shape: " + extents(t); }
  std::string extents(TensorId t) const {
    std::string text;
    for (Expr n : fusion_.shape(t)) {
      text += (text.empty() ? "" : ", ") + expression_text(n, "an extent of " + fusion_[t].name);
    }
    return "[" + text + "]";
  }

  // `strides` or `contiguity`, and `align`.
  std::string layout(TensorId t) const {
    const TensorInfo& info = fusion_[t];
    std::string text;
    if (!info.strides.empty()) {
      const std::vector<Expr> extents = fusion_.shape(t);
      std::string strides, contiguity;
      bool by_contiguity = true;
      Expr expected = fusion_.pool().constant(1);
      for (std::size_t k = info.strides.size(); k-- > 0;) {
        const Expr stride = info.strides[k];
        const bool is_symbol = stride.is(Op::Symbol) && is_stride(stride);
        const bool is_dense = !is_symbol && same(stride, expected);
        by_contiguity = by_contiguity && (is_symbol || is_dense);
        const std::string comma = contiguity.empty() ? "" : ", ";
        contiguity = (is_dense ? "true" : "false") + comma + contiguity;
        if (!is_symbol) {
          strides = expression_text(stride, "a stride of " + info.name) + comma + strides;
        } else {
          strides = "?" + comma + strides;
        }
        if (!extents[k].is_const(1)) {
          Simplifier simplifier(*fusion_.facts());
          expected = simplifier.simplify(stride * extents[k]);
        }
      }
      if (!by_contiguity && strides.find('?') != std::string::npos) {
        refuse_writing(info.name + " cannot be written: some of its strides are sizes of their " +
                           "own, and some are given",
                       "give all of them, or none");
      }
      text += by_contiguity ? ", contiguity: [" + contiguity + "]" : ", strides: [" + strides + "]";
    }
    if (info.align != 16) text += ", align: " + std::to_string(info.align);
    return text;
  }

  std::string inputs() const {
    std::string text;
    for (std::size_t k = 0; k < fusion_.size(); ++k) {
      const auto t = TensorId(k);
      const TensorInfo& info = fusion_[t];
      if (!info.is_input) continue;
      text += "  " + files_[t] + ": {" + shape(t) +
              ", dtype: " + std::string(to_string(info.type)) + layout(t) + "}\n";
    }
    return text.empty() ? "" : "inputs:\n" + text;
  }

  std::string outputs() const {
    std::string text;
    for (std::size_t k = 0; k < fusion_.size(); ++k) {
      const auto t = TensorId(k);
      const TensorInfo& info = fusion_[t];
      if (!info.is_output) continue;
      text += "  " + files_[t] + ": {" + (needs_shape_[k] ? shape(t) + ", " : "") +
              (info.in_place_of ? "in_place: " + files_[*info.in_place_of]
                                : "dtype: " + std::string(to_string(said_type(info))) + layout(t)) +
              "}\n";
    }
    if (text.empty()) {
      refuse_writing("the fusion has no output", "make one of its tensors an output");
    }
    return "outputs:\n" + text;
  }

  std::string shapes() const {
    std::string text;
    for (std::size_t k = 0; k < fusion_.size(); ++k) {
      if (fusion_[TensorId(k)].is_output || !needs_shape_[k]) continue;
      text += "  " + files_[TensorId(k)] + ": " + extents(TensorId(k)) + "\n";
    }
    return text.empty() ? "" : "shapes:\n" + text;
  }

  std::string compute() {
    names_.resize(fusion_.size());
    needs_shape_.assign(fusion_.size(), false);
    std::string text;
    ReadAxes axes;
    for (std::size_t k = 0; k < fusion_.size(); ++k) {
      const auto t = TensorId(k);
      const TensorInfo& info = fusion_[t];
      if (info.is_input) continue;
      const std::vector<std::string> indices = indices_of(t);
      const std::string text_of_it = statement(t, indices);
      const Formula formula = parsed(text_of_it, info.name);
      needs_shape_[k] = !tells_extents(t, formula, indices);
      note_axes(formula, axes);
      text += "  - " + quoted(text_of_it) + "\n";
    }
    name_axes_of_inputs(axes);
    if (text.empty()) refuse_writing("the fusion computes nothing", "compute a tensor");
    return "compute:\n" + text;
  }

  static Formula parsed(const std::string& statement, const std::string& name) {
    try {
      Node node;
      node.text = statement;
      return parse_formula(node);
    } catch (const BadInput& e) {
      refuse_writing(name + " cannot be written: " + e.diagnostic().message,
                     "name parts of it as tensors of their own");
    }
  }

  // Whether the reader finds the extent of each index on the left, on an axis where the index
  // stands alone. Else `shapes` gives it; that of a folded index is written where it is.
  bool tells_extents(TensorId t, const Formula& formula, const std::vector<std::string>& indices) {
    const TensorInfo& info = fusion_[t];
    std::map<std::string, Expr> told, left;
    std::set<std::string> torn;
    for (const FormulaNode& node : formula.nodes) {
      if (node.kind != FormulaNode::Kind::Element) continue;
      const std::vector<Expr> extents = fusion_.shape(called_.at(node.name));
      for (std::size_t axis = 0; axis < node.operands.size(); ++axis) {
        const FormulaNode& lone = formula.nodes[node.operands[axis]];
        if (lone.kind != FormulaNode::Kind::Name) continue;
        const auto [it, is_first] =
            (node.is_filled ? left : told).emplace(lone.name, extents[axis]);
        // Axes that an index may leave do not count if their extents differ.
        if (node.is_filled && !is_first && !same(it->second, extents[axis])) torn.insert(lone.name);
      }
    }
    for (const std::string& name : torn) left.erase(name);
    told.merge(left);
    const std::vector<DomainId> domains = nest_domain(info);
    for (std::size_t k = 0; k < info.logical.size(); ++k) {
      const auto it = told.find(indices[k]);
      const Expr extent = fusion_.domains()[domains[k]].extent;
      const bool is_told = it != told.end() &&
                           (same(it->second, extent) || simplifier_.proves(eq(it->second, extent)));
      if (!is_told) return false;
    }
    return true;
  }

  // Sizes that the file speaks of outside of `symbols` and `facts`, and those that facts tie to
  // them: reading declares no others.
  void find_used_sizes() {
    std::vector<Expr> expressions;
    const auto note = [&](const std::vector<Expr>& some) {
      expressions.insert(expressions.end(), some.begin(), some.end());
    };
    for (std::size_t k = 0; k < fusion_.size(); ++k) {
      const TensorInfo& info = fusion_[TensorId(k)];
      note(fusion_.shape(TensorId(k)));
      note(info.strides);
      if (!info.definition) continue;
      for (ValueId v : values_under(fusion_.values(), *info.definition)) {
        const ValueNode& node = fusion_.values()[v];
        note(node.subscripts);
        if (node.kind == ValueNode::Kind::Index) expressions.push_back(node.index);
      }
    }
    for (std::size_t k = 0; k < schedule_.fusion().size(); ++k) {
      for (TransformId id : schedule_.all_transforms(TensorId(k))) {
        const Transform& t = schedule_.graph()[id];
        if (const auto* split = std::get_if<Split>(&t)) expressions.push_back(split->factor);
        if (const auto* resize = std::get_if<Resize>(&t)) note({resize->left, resize->right});
        if (const auto* skew = std::get_if<Skew>(&t)) note({skew->by, skew->modulo});
      }
    }
    const auto use = [&](std::span<const Expr> some) {
      bool grows = false;
      for (Expr symbol : symbols_of(some)) {
        grows = used_.insert(std::string(symbol.name())).second || grows;
      }
      return grows;
    };
    use(expressions);
    for (bool grows = true; grows;) {
      grows = false;
      for (Expr fact : conditions()) {
        if (is_used(fact)) grows = use(std::span(&fact, 1)) || grows;
      }
    }
  }
  bool is_used(Expr e) const {
    const std::vector<Expr> symbols = symbols_of(std::span(&e, 1));
    return std::any_of(symbols.begin(), symbols.end(),
                       [&](Expr s) { return used_.contains(std::string(s.name())); });
  }

  const Fusion& fusion_;
  const Schedule& schedule_;
  FileNames files_;
  FormulaWriter formulas_;
  Simplifier simplifier_;
  std::vector<FileNames::Domains> names_;
  std::vector<bool> needs_shape_;  // where no read tells
  std::map<std::string, TensorId> called_;
  std::set<std::string> used_;  // sizes
};

}  // namespace

std::string to_schedule_section(const Fusion& fusion, const Schedule& schedule) {
  return Writer(fusion, schedule).schedule();
}

std::string to_schedule_file(const Fusion& fusion, const Schedule& schedule) {
  return Writer(fusion, schedule).text();
}

}  // namespace selvage
