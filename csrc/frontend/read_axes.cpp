#include <selvage/frontend/read_axes.h>

#include <algorithm>
#include <set>

namespace selvage {

void ReadAxes::note(const Formula& formula,
                    const std::function<bool(const std::string&)>& is_symbol) {
  for (const FormulaNode& node : formula.nodes) {
    if (node.kind != FormulaNode::Kind::Element || node.is_by_position) continue;
    if (read_as_.count(node.name)) continue;
    std::vector<std::string>& axes = read_as_[node.name];
    for (std::uint32_t k : node.operands) {
      const FormulaNode& subscript = formula.nodes[k];
      const bool is_index = subscript.kind == FormulaNode::Kind::Name && !is_symbol(subscript.name);
      axes.push_back(is_index ? subscript.name : "");
    }
  }
}

std::vector<std::string> ReadAxes::of(const std::string& tensor, std::size_t rank) const {
  std::vector<std::string> axes(rank);
  std::set<std::string> taken;
  if (const auto it = read_as_.find(tensor); it != read_as_.end()) {
    for (std::size_t k = 0; k < std::min(rank, it->second.size()); ++k) {
      const bool is_new = !it->second[k].empty() && taken.insert(it->second[k]).second;
      if (is_new) axes[k] = it->second[k];
    }
  }
  for (std::size_t k = 0; k < rank; ++k) {
    if (!axes[k].empty()) continue;
    axes[k] = "d" + std::to_string(k);
    while (!taken.insert(axes[k]).second) axes[k] += "_";
  }
  return axes;
}

}  // namespace selvage
