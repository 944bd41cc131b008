#pragma once

#include <selvage/report/report.h>

#include <optional>
#include <vector>

namespace selvage {

// The point with a value for every size that the tensor's extents, factors, sides and strides or
// the fusion's facts use: those it leaves open are given values that the facts allow, if such are
// found.
Point completed(const TensorReport& tensor, Point point);

// Values for the missing symbols that their own facts allow and at which all conditions hold,
// `preferred` ones first (by position in `missing`, the last for all the rest); nothing if none are
// found within a bounded number of tries.
std::optional<Point> completed(const Facts& facts, Point point, const std::vector<Expr>& missing,
                               const std::vector<Expr>& conditions,
                               const std::vector<std::int64_t>& preferred = {});
// What a transform was given of numbers: its factor, or how far it resizes.
std::vector<Expr> numbers_of(const Transform& transform);

// The completed point at which a claim about the tensor fails; empty where none is known.
Point witness_of(const TensorReport& tensor, const Verdict& verdict);

// The index of each iterdomain at a point, in the order given; nothing where one is undefined.
std::optional<std::vector<std::int64_t>> indices_at(const TensorReport& tensor,
                                                    const std::vector<DomainId>& domains,
                                                    const Point& point);

}  // namespace selvage
