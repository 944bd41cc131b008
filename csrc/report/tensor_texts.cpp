#include <selvage/report/tensor_texts.h>
#include <selvage/report/tma_lines.h>

namespace selvage {

std::vector<Expr> shown_expressions(const TensorReport& tensor) {
  const TensorAnalysis& a = tensor.analysis;
  std::vector<Expr> list;
  for (const auto& [name, d] : tensor.iterdomains) {
    list.push_back(tensor.graph()[d].extent);
    list.push_back((*a.coordinates)[d]);
  }
  list.push_back(a.address);
  if (a.storage) list.push_back(a.elements);
  for (const KeptPredicate& p : a.predicates.kept) list.push_back(p.condition);
  if (a.vector) {
    const std::vector<Expr>& conditions = a.vector->finding.conditions;
    list.insert(list.end(), conditions.begin(), conditions.end());
  }
  if (a.unswitched) list.push_back(a.unswitched->hoisted.condition);
  if (a.interior) list.push_back(a.interior->hoisted.condition);
  if (tensor.legality.tma) {
    for (Expr e : expressions_of(*tensor.legality.tma)) list.push_back(e);
  }
  return list;
}

}  // namespace selvage
