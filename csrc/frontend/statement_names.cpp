#include <selvage/base/names.h>
#include <selvage/frontend/readers.h>
#include <selvage/frontend/statement_names.h>

#include <algorithm>
#include <string_view>

namespace selvage {

Expr StatementNames::symbol(const FormulaNode& name) const {
  const Expr index = indices_.find(name);
  return index.valid() ? index : sizes_.use(name.name);
}

void StatementNames::refuse_name(const FormulaNode& node, bool in_value) const {
  if (is_tensor(node.name)) {
    refuse("E302", place(node.at), node.name + " is a tensor and stands without subscripts",
           "write " + node.name + "[...]");
  }
  std::vector<std::string_view> words = context_.symbols.names();
  for (const Formula::Index& index : formula_.indices) words.push_back(index.name);
  const std::string otherwise =
      in_value ? "use an index of the left side, a symbol, or a tensor at its subscripts"
               : "put it on the left; or fold over it, such as sum(x[" + node.name + "])";
  refuse(in_value ? "E302" : "E504", place(node.at),
         node.name + " is neither an index of " + formula_.target + " nor a symbol",
         in_value ? meant(node.name, words, otherwise) : otherwise);
}

// Past many errors it is not looked for.
bool StatementNames::waits_for_target(const std::string& name) const {
  return context_.errors.list().size() < kMostErrors && waits_for(name, formula_.target, all_);
}

bool StatementNames::computes(const std::string& name) const {
  return std::any_of(all_.begin(), all_.end(), [&](const Formula& f) { return f.target == name; });
}

bool StatementNames::is_tensor(const std::string& name) const {
  return fusion_.find(name) || computes(name);
}

bool StatementNames::is_scalar(const std::string& name) const {
  if (const auto t = fusion_.find(name)) return fusion_[*t].logical.empty();
  return std::any_of(all_.begin(), all_.end(),
                     [&](const Formula& f) { return f.target == name && f.indices.empty(); });
}

std::string StatementNames::unused(const std::string& name) const {
  std::string other = name;
  for (int k = 2; is_tensor(other) || context_.symbols.find(other) != nullptr; ++k) {
    other = name + "_" + std::to_string(k);
  }
  return other;
}

TensorId StatementNames::source_of(const FormulaNode& node) const {
  const auto source = fusion_.find(node.name);
  if (source) return *source;
  if (node.name == formula_.target || computes(node.name)) {
    refuse("E318", place(node.at), node.name + " is read before it is computed",
           node.name == formula_.target  ? "give the result another name"
           : waits_for_target(node.name) ? "take " + node.name + " out of the statement of " +
                                               formula_.target + ": it waits for " + formula_.target
                                         : "move its statement up");
  }
  std::vector<std::string_view> words;
  for (std::size_t t = 0; t < fusion_.size(); ++t) words.push_back(fusion_[TensorId(t)].name);
  refuse("E205", place(node.at), "there is no tensor " + shown(node.name),
         meant(node.name, words, "declare it under inputs"));
}

}  // namespace selvage
