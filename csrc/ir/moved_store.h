// Items that are stored elsewhere than at their own indices: y[2 * i + 1, 3 - j] = item[i, j].
//   const Expr i = f.fresh_index("i"), j = f.fresh_index("j");
//   store_at(item, {i, j}, {2 * i + 1, 3 - j}, {H, W});  // zeros between them
//   store_into(old, item, {i, j}, {2 * i + 1, 3 - j});   // a copy of `old` elsewhere
#pragma once

#include <selvage/ir/access_mode.h>
#include <selvage/ir/fusion.h>

#include <optional>
#include <string>
#include <vector>

namespace selvage {

// Item (indices) comes to the element at the subscripts, one for each axis: a number other than 0
// times the index of that axis, plus integers and sizes. What would come outside is dropped.
// Throws BadInput: E316 another subscript, under which two items may come to one element; E503
// another number of indices or subscripts than the item or the result has axes.
Tensor store_at(Tensor item, const std::vector<Expr>& indices, const std::vector<Expr>& subscripts,
                std::vector<Expr> shape);
Tensor store_into(Tensor old, Tensor item, const std::vector<Expr>& indices,
                  const std::vector<Expr>& subscripts);

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

// That so many items come inside of an axis of so many elements; and a sentence that says so, to
// follow "because".
struct ComesInside {
  Expr condition;
  std::string why;
};
ComesInside comes_inside(const MovedAxis& axis, const std::string& name, Expr items, Expr elements,
                         Simplifier& simplifier);

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
