#pragma once

#include <selvage/frontend/formula.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace selvage {

// What the axes of an input are called: like the index by which each is first read, or d0, d1, ...
class ReadAxes {
 public:
  // Keeps the lone indices of every tensor's first read, statement by statement.
  void note(const Formula& formula, const std::function<bool(const std::string&)>& is_symbol);
  std::vector<std::string> of(const std::string& tensor, std::size_t rank) const;

 private:
  std::map<std::string, std::vector<std::string>> read_as_;  // empty: no index alone
};

}  // namespace selvage
