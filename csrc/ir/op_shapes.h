// What the operations on tensors (ir/ops.h) share: axes, shapes, and their texts in messages.
#pragma once

#include <selvage/ir/ops.h>

#include <string>
#include <vector>

namespace selvage {

// "[M, 4]", "x[M, 4]"
std::string to_text(const std::vector<Expr>& shape);
std::string to_text(Tensor t);

std::vector<Expr> shape_of(Tensor t);
std::vector<Expr> fresh_indices(Fusion& f, std::size_t rank);
ValueId element_of(Tensor t, std::vector<Expr> subscripts);
// A number in an operation, which adapts to the type that it meets.
ValueId literal(ValueGraph& values, std::int64_t n);
ValueId literal(ValueGraph& values, double n);

// What stands where the operation reads nothing of x: a number, or a tensor without axes. Throws
// BadInput E506, E508 and E511 where it does not fit.
ValueId filling_of(const std::string& op, Tensor x, const Operand& value);

// Throws BadInput E508.
void check_one_fusion(const std::string& op, Tensor a, Tensor b);
// Throws BadInput E516 if elements of idx cannot be indices.
void check_index_of(const std::string& op, Tensor idx);
// The rows whose items the first axes of these tensors have; nothing if none of them has any.
// Throws BadInput E501 if two of them have items of different rows.
std::optional<RowsId> shared_rows(const std::string& op, const Fusion& f,
                                  const std::vector<TensorId>& tensors);
// Axes of a tensor, ascending; those below 0 count from the end. Throws BadInput E510.
std::vector<std::size_t> axes_of(const std::string& op, Tensor t, const Axes& axes);

// Whether a condition on sizes holds: always, never, or it is to be checked at launch.
enum class Holds : std::uint8_t { Always, Never, Checked };
// Requires a condition. If only the launch can decide it, adds a launch check, and proofs take it
// for true from here on. `why`: a sentence that says why it has to hold.
Holds require(Fusion& f, Expr condition, const std::string& why);
// The same answer, without adding a check.
Holds find_out(const Fusion& f, Expr condition);

}  // namespace selvage
