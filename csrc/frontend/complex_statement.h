#pragma once

#include <selvage/frontend/formula.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace selvage {

// The complex tensors of a file, by name: how many axes each has beside that of its parts.
using ComplexTensors = std::map<std::string, std::size_t>;

// A statement in which complex numbers may stand (ir/complex_arithmetic.h).
class ComplexStatement {
 public:
  // Throws BadInput at the place in the file: E503 a wrong number of subscripts, E518 what complex
  // numbers do not have.
  ComplexStatement(const Formula& formula, const Node& text, const ComplexTensors& tensors);

  bool is_complex() const { return complex_.back(); }  // what it computes
  // The same statement over the parts of the numbers: a complex tensor has a last subscript more,
  // which says the part. If the result is to be complex, whatever it is by itself, it has a last
  // index more, called part, or part_2, ... where that name is taken.
  Formula by_parts(bool is_result_complex,
                   const std::function<bool(const std::string&)>& is_taken) const;

 private:
  bool find_kind(const FormulaNode& node) const;
  bool is_complex_tensor(const FormulaNode& node) const;
  void check_function(const FormulaNode& node) const;
  void check_fold(const FormulaNode& node) const;
  [[noreturn]] void refuse_at(const FormulaNode& node, const std::string& what,
                              const std::string& help) const;

  const Formula& formula_;
  const Node& text_;
  const ComplexTensors& tensors_;
  std::vector<bool> complex_;  // by node
};

}  // namespace selvage
