#pragma once

#include <selvage/ir/access_mode.h>
#include <selvage/ir/fusion.h>

#include <optional>
#include <string>
#include <vector>

namespace selvage {

// y[2 * i + 1, 3 - j] = item[i, j]: items that are stored elsewhere than at their own indices.

// A subscript factor*i + offset on the left, the factor a number other than 0.
struct MovedAxis {
  std::string name;  // of the index
  std::int64_t factor = 1;
  Expr offset;
};
// Throws BadInput E316, without a place, if a subscript over this index is none, so that more than
// one item may come to one element.
MovedAxis moved_axis(const std::string& name, Expr index, Expr subscript, Simplifier& simplifier);
// Refuses (BadInput E314, without a place) a mode around the subscript of an axis, which brings two
// of so many items to one of so many elements; names the two if the numbers are known.
[[noreturn]] void refuse_mode(const MovedAxis& axis, std::size_t number, AccessMode mode,
                              Expr items, Expr elements, Simplifier& simplifier);

// The shape of a tensor into which items are moved: as asked for, or that of what it is in place
// of. Throws BadInput, without a place: E317 it is not known, E503 it has another rank.
std::vector<Expr> shape_of_moved(const std::string& name, std::size_t rank,
                                 const std::optional<std::vector<Expr>>& asked,
                                 std::optional<Tensor> old);

// Each element of the result asks which item comes there, so that each is stored once: at k item
// (k - 1) / 2, if that divides and there is such an item. Where none comes the element is 0, or
// what `old`, of the same shape, has there. What would come outside is dropped.
Tensor move_store(Tensor item, const std::vector<MovedAxis>& axes, const std::vector<Expr>& shape,
                  std::optional<Tensor> old, const std::string& name);

}  // namespace selvage
