// One tensor to schedule and analyse.
#pragma once

#include <selvage/expr/text.h>
#include <selvage/ir/ops.h>
#include <selvage/legality/analysis.h>

#include <sstream>
#include <string>

namespace selvage {

// y of the given shape, made from an x like it: "M, 32" has a size M.
struct AnalysisCase {
  explicit AnalysisCase(const std::string& shape) {
    std::vector<Expr> extents;
    std::istringstream words(shape);
    for (std::string word; std::getline(words >> std::ws, word, ',');) {
      const bool number = word.find_first_not_of("0123456789") == std::string::npos;
      extents.push_back(number ? f.constant(std::stoll(word)) : f.extent(word));
    }
    y = f.output("y", relu(f.input("x", extents, DataType::Float)));
  }
  Expr c(std::int64_t v) { return f.constant(v); }
  TensorInfo& info() { return f.edit(y.id()); }
  TensorAnalysis analysis(const Schedule& s) { return analyze(f, s, y.id()); }
  std::string address(const Schedule& s) { return to_string(analysis(s).address); }

  Fusion f;
  Tensor y;
};

}  // namespace selvage
