#pragma once

#include <selvage/ir/access_mode.h>
#include <selvage/ir/fusion.h>

#include <optional>
#include <string>
#include <vector>

namespace selvage {

// y[2 * i + 1, 3 - j] = item[i, j]: items that are stored elsewhere than at their own indices. Each
// element of y asks which item comes there, so that each is stored once: item (k - 1) / 2 at k, if
// that divides and there is such an item. Where none comes the element is 0, or what `old` has
// there, of y's shape. What would come outside of y is dropped.
struct MovedStore {
  Tensor item;
  std::vector<Expr> indices;     // of the items, one for each axis
  std::vector<Expr> subscripts;  // of y, by axis, each over its own index
  std::vector<Expr> shape;       // of y
  std::vector<std::string> axes;
  std::optional<Tensor> old = {};
};
// Throws BadInput, without a place, where more than one item may come to one element: E316 the
// subscript of an axis is no a*i + b with a constant a other than 0; E314 a mode stands around it
// that brings items to elements of others, two of which are named if the sizes are known.
void check_axis(const MovedStore& store, std::size_t axis, std::optional<AccessMode> mode,
                Simplifier& simplifier);
Tensor move_store(const MovedStore& store, const std::string& name, Simplifier& simplifier);
// The shape of a tensor into which items are moved: as asked for, or that of what it is in place
// of. Throws BadInput, without a place: E317 it is not known, E503 it has another rank.
std::vector<Expr> shape_of_moved(const std::string& name, std::size_t rank,
                                 const std::optional<std::vector<Expr>>& asked,
                                 std::optional<Tensor> old);

}  // namespace selvage
