// What a parsed statement folds over, scans along and waits for, and the names in it that have a
// value.
#include <selvage/frontend/formula.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace selvage {

std::string Formula::Fold::name() const {
  if (is_compaction) return "compact";
  return scanned ? scan_name(how) : std::string(to_string(how));
}

const Formula::Fold* Formula::whole() const {
  const FormulaNode& last = nodes.back();
  return last.kind == FormulaNode::Kind::Fold ? &folds[last.fold] : nullptr;
}

bool waits_for(std::string_view name, std::string_view target, std::span<const Formula> all) {
  std::unordered_map<std::string_view, const Formula*> unmet;
  for (const Formula& f : all) unmet.emplace(f.target, &f);
  std::vector<std::string_view> open = {name};
  while (!open.empty()) {
    const auto tensor = unmet.find(open.back());
    open.pop_back();
    if (tensor == unmet.end()) continue;
    if (tensor->first == target) return true;
    for (const FormulaNode& node : tensor->second->nodes) {
      if (node.kind == FormulaNode::Kind::Element) open.push_back(node.name);
    }
    unmet.erase(tensor);
  }
  return false;
}

void find_folded_indices(Formula& formula,
                         const std::function<bool(const std::string&)>& is_symbol) {
  const auto has = [](const std::vector<Formula::Index>& indices, const std::string& name) {
    return std::any_of(indices.begin(), indices.end(),
                       [&](const Formula::Index& i) { return i.name == name; });
  };
  for (const FormulaNode& node : formula.nodes) {
    const bool is_index = node.kind == FormulaNode::Kind::Name && node.in_subscript;
    if (!is_index || has(formula.indices, node.name) || is_symbol(node.name)) continue;
    // From the innermost outwards: one that names it takes it, else the innermost that names none.
    std::optional<std::size_t> taker;
    bool is_taken = false;
    for (auto f = node.inside; f && !is_taken; f = formula.folds[*f].outer) {
      is_taken = formula.folds[*f].is_named && has(formula.folds[*f].indices, node.name);
      if (!taker && !formula.folds[*f].is_named) taker = f;
    }
    if (is_taken || !taker || has(formula.folds[*taker].indices, node.name)) continue;
    formula.folds[*taker].indices.push_back({node.name, node.at});
  }
}

std::optional<double> parse_special_number(std::string_view name) {
  if (name == "inf") return std::numeric_limits<double>::infinity();
  if (name == "nan") return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

}  // namespace selvage
