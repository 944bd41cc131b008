// What a row of doc/values.md claims, as something to run: by calls and as a file, on every
// machine.
#pragma once

#include <selvage/ir/ops.h>

#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "tests/values/element.h"

namespace selvage::values {

// Items of one axis; an empty one has the size N, which is 0.
struct Given {
  DataType type = DataType::Float;
  std::vector<Element> items = {};
};
Given wholes(DataType type, std::initializer_list<Wide> items);
Given reals(DataType type, std::initializer_list<double> items);

struct PageCase {
  std::vector<Given> inputs;  // a, b, c
  std::string statement;      // of y
  std::function<Tensor(const std::vector<Tensor>&)> call;
  Given expected = {};
  std::string refused = {};  // the code, if it is
  // A tensor t before it: its statement, what is made of the inputs, and what is stored. It takes
  // the place behind the inputs in `call`.
  std::string before = {};
  std::function<Tensor(const std::vector<Tensor>&)> call_before = {};
  std::optional<Given> expected_before = {};  // nothing: it is no output
};

// What is wrong, "" if nothing is.
std::string wrong(const PageCase& c);

}  // namespace selvage::values
