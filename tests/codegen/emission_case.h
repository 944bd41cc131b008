// One nest whose store computes given addresses, to see how they are written together.
#pragma once

#include <selvage/codegen/cuda.h>
#include <selvage/expr/text.h>

#include <string>
#include <vector>

#include "tests/support/hand_kernel.h"

namespace selvage::test {

// Loops from the outside in; then y[first address] = a[second] + a[third] + ..., under a guard if
// one is given.
class EmissionCase {
 public:
  EmissionCase& size(const std::string& name) {
    hand_.size(name);
    return *this;
  }
  EmissionCase& loop(const std::string& name, const std::string& extent,
                     ParallelType type = ParallelType::Serial) {
    loops_.push_back({hand_.variable(name, parse(extent)), parse(extent), type, {}});
    return *this;
  }
  // An expression that the pool has before those of the kernel.
  void meet(const std::string& expression) { parse(expression); }
  EmissionCase& guard(const std::string& condition) {
    condition_ = parse(condition);
    return *this;
  }

  Kernel kernel(const std::vector<std::string>& addresses) {
    const Expr most = hand_.c(INT32_MAX);
    const BufferId a = hand_.input("a", DataType::Float, most);
    const BufferId y = hand_.output("y", DataType::Float, most);
    ValueGraph& values = hand_.kernel.values;
    ValueId sum = values.constant(DataType::Float, 0.0, false);
    for (std::size_t k = 1; k < addresses.size(); ++k) {
      const ValueId read = hand_.read(a, parse(addresses[k]));
      sum = k == 1 ? read : values.apply(Function::Add, {sum, read});
    }
    Body body = {store(y, parse(addresses[0]), sum)};
    if (condition_.valid()) body = {test::guard(condition_, std::move(body))};
    for (std::size_t k = loops_.size(); k-- > 0;) {
      body = {
          test::loop(loops_[k].variable, loops_[k].extent, std::move(body), loops_[k].parallel)};
    }
    hand_.kernel.body = std::move(body);
    return hand_.kernel;
  }

  // The lines of the kernel's text, from the first that is no block or thread index.
  std::string text(const std::vector<std::string>& addresses) {
    const std::string all = cuda(kernel(addresses)).text;
    std::size_t at = all.find("{\n", all.find("\nKERNEL(")) + 2;
    for (std::size_t end; end = all.find('\n', at), is_index(all.substr(at, end - at));)
      at = end + 1;
    return all.substr(at, all.rfind("}\n") - at);
  }

 private:
  static bool is_index(const std::string& line) {
    return line.find("Idx.") != std::string::npos && line.find("const ") != std::string::npos;
  }
  Expr parse(const std::string& text) { return parse_expr(*hand_.pool, text); }

  HandKernel hand_{"kernel"};
  std::vector<Loop> loops_;
  Expr condition_;
};

}  // namespace selvage::test
