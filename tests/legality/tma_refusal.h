// What is said against a TMA copy, seen in memory: does the brute-force judge see it, too?
#pragma once

#include <selvage/legality/finding.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "tests/oracle/access_case.h"

namespace selvage {

// Of the map that the case means, and of where its items lie; the engine's map is not asked, since
// a refused copy has none.
class TmaRefusal {
 public:
  using Point = std::vector<std::int64_t>;  // loop indices
  using Shows = std::function<bool(const Point&)>;

  // What is given must outlive it.
  TmaRefusal(const oracle::AccessCase& access, const Finding& finding);

  // Nothing where it is not so; else whether a loop point shows it. The function must not outlive
  // this object.
  std::optional<Shows> confirmed() const;

 private:
  std::optional<Shows> broken_rule(std::string_view rule) const;
  bool breaks(oracle::TmaRule rule) const;
  std::int64_t moved(std::size_t dim, const Point& point) const;
  bool shows_a_stride(const Point& point) const;
  std::vector<std::size_t> crooked_axes() const;
  std::int64_t chunk() const;
  bool has_broken_chunk() const;
  bool ends_a_run(const Point& point) const;
  bool is_across(const Point& point) const;

  bool is_bulk(int x) const;
  std::int64_t elements() const;
  std::int64_t place(const Point& point) const;
  Point at_place(Point point, std::int64_t place) const;
  Point beginning(Point point) const { return at_place(std::move(point), 0); }
  std::int64_t address(const Point& point) const;

  const oracle::AccessCase& access_;
  const oracle::Graph& g_;
  const Finding& finding_;
  const oracle::TensorMap map_;
  const std::vector<int> bulk_;
};

}  // namespace selvage
