#include <selvage/base/words.h>
#include <selvage/expr/symbols.h>
#include <selvage/expr/text.h>
#include <selvage/frontend/statement_indices.h>

#include <set>

namespace selvage {

namespace {

Expr among(const std::vector<Formula::Index>& names, const std::vector<Expr>& symbols,
           const std::string& name) {
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (names[k].name == name) return symbols[k];
  }
  return {};
}

}  // namespace

StatementIndices::StatementIndices(const Formula& formula, Fusion& fusion) : formula_(formula) {
  for (const Formula::Index& i : formula.indices) target_.push_back(fusion.fresh_index(i.name));
  for (const Formula::Fold& fold : formula.folds) {
    std::vector<Expr>& own = folds_.emplace_back();
    for (const Formula::Index& i : fold.indices) own.push_back(fusion.fresh_index(i.name));
  }
}

Expr StatementIndices::find(std::optional<std::size_t> inside, const std::string& name) const {
  for (auto f = inside; f; f = formula_.folds[*f].outer) {
    const Expr own = among(formula_.folds[*f].indices, folds_[*f], name);
    if (own.valid()) return own;
  }
  return among(formula_.indices, target_, name);
}

Expr StatementIndices::scanned_by(std::size_t fold) const {
  const Formula::Fold& scan = formula_.folds[fold];
  return find(scan.outer, scan.scanned->name);
}

std::vector<Expr> StatementIndices::inside(std::uint32_t node) const {
  std::set<std::uint32_t> used;
  std::vector<std::uint32_t> open = {node};
  while (!open.empty()) {
    const FormulaNode& n = formula_.nodes[open.back()];
    open.pop_back();
    open.insert(open.end(), n.operands.begin(), n.operands.end());
    if (n.kind != FormulaNode::Kind::Name) continue;
    if (const Expr index = find(n); index.valid()) used.insert(index.id());
  }
  std::vector<Expr> list;
  const auto take = [&](const std::vector<Expr>& indices) {
    for (Expr i : indices) {
      if (used.contains(i.id())) list.push_back(i);
    }
  };
  take(target_);
  for (auto f = formula_.nodes[node].inside; f;) {
    f = formula_.folds[*f].outer;
    if (f) take(folds_[*f]);
  }
  return list;
}

void StatementIndices::note(Expr index, Expr extent, bool may_leave) {
  if (!may_leave) {
    extents_.emplace(index.id(), extent);
    return;
  }
  std::vector<Expr>& left = left_extents_[index.id()];
  if (!contains(left, extent)) left.push_back(extent);
}

Expr StatementIndices::extent(Expr index) const {
  if (const auto it = extents_.find(index.id()); it != extents_.end()) return it->second;
  const auto left = left_extents_.find(index.id());
  return left != left_extents_.end() && left->second.size() == 1 ? left->second[0] : Expr();
}

std::string StatementIndices::why_unknown(Expr index) const {
  const auto left = left_extents_.find(index.id());
  if (left == left_extents_.end()) return "";
  std::vector<std::string> extents;
  for (Expr n : left->second) extents.push_back(to_string(n));
  return ", as axes that it may leave have " + listed(extents) + " items";
}

}  // namespace selvage
