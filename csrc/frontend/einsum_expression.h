#pragma once

#include <selvage/frontend/document.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace selvage {

// An expression of a TeAAL specification: a sum of products, or of take(A[...], B[...], n), which
// is its operand n wherever no operand is 0.
//   Z[i] = A[i, j] * B[j] + C[i]        O[q] = I[2*q + s] * F[s]
struct EinsumIndex {
  std::vector<std::pair<std::int64_t, std::string>> terms;  // 2*q + s: (2, q), (1, s)
  std::size_t at = 0;                                       // in the text

  // The variable that it is; nothing where it is an expression of some.
  std::optional<std::string> variable() const;
};
struct EinsumTensor {
  std::string name;
  std::vector<EinsumIndex> indices;
  std::size_t at = 0;
};
struct EinsumTerm {
  std::vector<EinsumTensor> factors;
  std::optional<std::size_t> taken;  // of a take: which operand
};
struct EinsumExpression {
  const Node* text = nullptr;
  EinsumTensor target;
  std::vector<EinsumTerm> terms;

  // Those of the target, then the others, each once, as they first occur.
  std::vector<std::string> variables() const;
  std::vector<EinsumTensor> operands() const;
};

// Throws BadInput E332 at the place in the file, E390 for scalars.
EinsumExpression parse_einsum(const Node& text);

// The rank of an index variable: its name in capitals.
std::string rank_of(const std::string& variable);

}  // namespace selvage
