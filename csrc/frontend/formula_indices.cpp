// What a parsed statement folds over, scans along and waits for, and the names in it that have a
// value.
#include <selvage/base/names.h>
#include <selvage/frontend/formula.h>
#include <selvage/frontend/readers.h>

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

void find_stored_indices(Formula& formula, const Node& text,
                         const std::function<bool(const std::string&)>& is_symbol) {
  const auto refuse_at = [&](std::size_t at, const std::string& what) {
    refuse("E314", place_in(text, at), what,
           "store at one index an axis, such as " + formula.target + "[2 * i + 1, j]");
  };
  for (std::uint32_t axis : formula.stored_at) {
    if (formula.nodes[axis].is_loaded) {
      refuse("E314", place_in(text, formula.nodes[axis].at),
             "where an item is stored is loaded, and two may come to one element",
             "add them, " + formula.target +
                 "[idx[i]] += ...; or keep the items at which a "
                 "condition holds, compact(x[i], x[i] > 0)");
    }
    std::vector<std::uint32_t> open = {axis};
    std::optional<Formula::Index> own;
    while (!open.empty()) {
      const FormulaNode& node = formula.nodes[open.back()];
      open.pop_back();
      open.insert(open.end(), node.operands.begin(), node.operands.end());
      if (node.kind != FormulaNode::Kind::Name || is_symbol(node.name)) continue;
      if (own && own->name != node.name) refuse_at(node.at, "a second index in one subscript");
      own = Formula::Index{node.name, node.at};
    }
    if (!own) refuse_at(formula.nodes[axis].at, "a subscript on the left has no index");
    if (const auto wrong = check_name(own->name, place_in(text, own->at))) throw BadInput(*wrong);
    for (const Formula::Index& other : formula.indices) {
      if (other.name != own->name) continue;
      refuse_at(own->at, "the index " + own->name + " stands on two axes on the left");
    }
    formula.indices.push_back(*own);
  }
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
