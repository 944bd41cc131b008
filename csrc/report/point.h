#pragma once

#include <selvage/report/report.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace selvage {

// Values of loop variables and sizes.
using Point = std::vector<std::pair<Expr, std::int64_t>>;

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
// What the facts say of several sizes at once.
std::vector<Expr> relations(const Facts& facts);

// The index of each iterdomain at a point, in the order given; nothing where one is undefined.
std::optional<std::vector<std::int64_t>> indices_at(const TensorReport& tensor,
                                                    const std::vector<DomainId>& domains,
                                                    const Point& point);
std::optional<std::int64_t> value_at(Expr e, const Point& point);

// I3 = 1, I4 = 0
std::string to_text(const Point& point);

}  // namespace selvage
