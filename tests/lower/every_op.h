// Every operation of ir/ops.h as a row of a table, so that what is true of all of them is said
// once. A test reads the header and misses what has no row.
#pragma once

#include <selvage/base/array.h>
#include <selvage/ir/ops.h>

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace selvage::test {

std::vector<DataType> all_types();

// `name` is the name in ops.h, `label` one that a tensor can have, distinct in each table.
struct PointwiseOp {
  std::string_view name, label;
  std::function<Tensor(Tensor a, Tensor b, Tensor c)> make;  // a and b of one type, c of bool
};
std::vector<PointwiseOp> pointwise_ops();

struct FoldOp {
  std::string_view name, label;
  std::function<Tensor(Tensor x, Axes axes, bool keepdim)> make;
};
std::vector<FoldOp> fold_ops();

struct ScanOp {
  std::string_view name, label;
  std::function<Tensor(Tensor x, int axis)> make;
};
std::vector<ScanOp> scan_ops();

// What moves items: of x [M, N], x2 [M, N], u [M, 1, N] and z [M, 3, N] of one type. Launched where
// both sizes are at least `least`, and may be 0 if that is 0.
struct ViewOperands {
  Expr m, n;
  Tensor x, x2, u, z;
};
struct ViewOp {
  std::string_view name, label;
  std::int64_t least;
  std::function<Tensor(const ViewOperands&)> make;
};
std::vector<ViewOp> view_ops();

// What elements are drawn from.
//   Small     numbers around 0 with ties and both zeros, of so few bits that sums of a thousand are
//             exact
//   Mixed     the same; of floats, now and then an infinity or NaN
//   Factors   the same without 0, all powers of two or odd: products are exact
//   Rare      zeros, but for one item in a few hundred
//   Wild      ends of ranges, infinities, NaN, -0.0, what the type rounds, and small numbers
enum class Draw { Small, Mixed, Factors, Rare, Wild };
std::string_view to_string(Draw from);
Array drawn(Draw from, DataType type, std::vector<std::int64_t> shape, unsigned seed);

}  // namespace selvage::test
