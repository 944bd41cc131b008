#pragma once

#include <selvage/report/report.h>

#include <optional>
#include <vector>

namespace selvage {

// The point with a value for every size in the tensor's extents, factors, sides and strides and in
// the fusion's facts. Sizes that the point lacks get values that the facts allow, if such are
// found.
Point completed(const TensorReport& tensor, Point point);

// The point with values for the missing symbols that their own facts allow and at which all
// conditions hold. `preferred` values are tried first (by position in `missing`, the last for all
// the rest). nullopt if none are found within a bounded number of tries.
std::optional<Point> completed(const Facts& facts, Point point, const std::vector<Expr>& missing,
                               const std::vector<Expr>& conditions,
                               const std::vector<std::int64_t>& preferred = {});
// The amounts of a transform: the factor of a split, the sides of a resize.
std::vector<Expr> numbers_of(const Transform& transform);

// The completed point at which a claim about the tensor fails; empty if none is known.
Point witness_of(const TensorReport& tensor, const Verdict& verdict);

// The index of each iterdomain at a point, in the order given; nullopt if one is undefined.
std::optional<std::vector<std::int64_t>> indices_at(const TensorReport& tensor,
                                                    const std::vector<DomainId>& domains,
                                                    const Point& point);

}  // namespace selvage
