#pragma once

#include <selvage/frontend/formula.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace selvage {

// The names of an input's axes: that of the index by which each is first read, or d0, d1, ...
class ReadAxes {
 public:
  // Takes a statement: of a tensor that it is the first to read, notes the subscripts that are a
  // single index.
  void note(const Formula& formula, const std::function<bool(const std::string&)>& is_symbol);
  std::vector<std::string> of(const std::string& tensor, std::size_t rank) const;

 private:
  std::map<std::string, std::vector<std::string>> read_as_;  // empty text: no single index
};

}  // namespace selvage
