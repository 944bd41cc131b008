#include "tests/legality/tma_refusal.h"

#include <algorithm>
#include <string>

#include "tests/oracle/brute_force.h"

namespace selvage {

TmaRefusal::TmaRefusal(const oracle::AccessCase& access, const Finding& finding)
    : access_(access),
      g_(access.graph),
      finding_(finding),
      map_(oracle::tensor_map(access)),
      bulk_(oracle::all_bound_to(access.graph, access.binding, oracle::Role::Bulk)) {}

std::optional<TmaRefusal::Shows> TmaRefusal::confirmed() const {
  if (finding_.code == "E461") {
    const std::string mark = "(rule of the tensor map: ";
    const std::size_t at = finding_.reason.find(mark);
    if (at == std::string::npos || !finding_.reason.ends_with(")")) return std::nullopt;
    const std::string_view rest = std::string_view(finding_.reason).substr(at + mark.size());
    return broken_rule(rest.substr(0, rest.size() - 1));
  }
  const oracle::TmaCopy copy = oracle::tma_copy(access_);
  if (finding_.code == "E462" && copy.fits && copy.weak_fault) {
    return [this](const Point& p) { return is_across(p); };
  }
  return std::nullopt;  // the random cases are boxes without a swizzle, of known size
}

std::optional<TmaRefusal::Shows> TmaRefusal::broken_rule(std::string_view rule) const {
  const std::size_t inner = map_.dims.size() - 1;
  const auto some_dimension = [this](auto shows) {
    return [this, shows](const Point& p) {
      for (std::size_t k = 0; k < map_.dims.size(); ++k) {
        if (shows(k, p)) return true;
      }
      return false;
    };
  };
  if (rule == "a box of 1 to 256 items" && breaks(oracle::TmaRule::Box)) {
    return some_dimension([this](std::size_t k, const Point& p) { return moved(k, p) >= 256; });
  }
  if (rule == "element strides of 1 to 8" && breaks(oracle::TmaRule::ElementStride)) {
    return some_dimension([this](std::size_t k, const Point& p) {
      return map_.element_strides[k] > 8 && moved(k, p) >= map_.element_strides[k];
    });
  }
  if (rule == "a multiple of 16 bytes in the innermost dimension of the box") {
    if (breaks(oracle::TmaRule::BoxBytes)) {
      return [=, this](const Point& p) {
        return moved(inner, p) == map_.box[inner] - 1 || ends_a_run(p);
      };
    }
    if (has_broken_chunk()) return [this](const Point& p) { return ends_a_run(p); };
  }
  if (rule == "the innermost dimension is contiguous" ||
      rule == "an element stride of 1 in the innermost dimension") {
    if (map_.strides[inner] != map_.element_bytes || has_broken_chunk()) {
      return [this](const Point& p) { return place(p) > 0; };
    }
  }
  if (rule == "strides are multiples of 16 bytes" &&
      (breaks(oracle::TmaRule::Stride) || !crooked_axes().empty())) {
    return [this](const Point& p) { return shows_a_stride(p); };
  }
  return std::nullopt;
}

bool TmaRefusal::breaks(oracle::TmaRule rule) const {
  const std::vector<oracle::TmaRule> broken = oracle::broken_rules(map_);
  return std::find(broken.begin(), broken.end(), rule) != broken.end();
}

// Items along a dimension, from where the box begins.
std::int64_t TmaRefusal::moved(std::size_t dim, const Point& point) const {
  const auto d = std::size_t(access_.tma[dim].iterdomain);
  return oracle::coordinates(g_, point)[d] - oracle::coordinates(g_, beginning(point))[d];
}

// Its item lies at no multiple of 16 bytes, by one dimension or axis alone.
bool TmaRefusal::shows_a_stride(const Point& point) const {
  const Point x = oracle::coordinates(g_, point);
  for (std::size_t k = 0; k + 1 < map_.dims.size(); ++k) {
    if (x[std::size_t(access_.tma[k].iterdomain)] * map_.strides[k] % 16 != 0) return true;
  }
  for (std::size_t k : crooked_axes()) {
    const std::int64_t bytes = access_.layout.strides[k] * access_.layout.element_bytes;
    if (x[std::size_t(access_.layout.allocation[k])] * bytes % 16 != 0) return true;
  }
  return false;
}

// Axes whose items lie at no multiple of 16 bytes; the innermost one, side by side, is none.
std::vector<std::size_t> TmaRefusal::crooked_axes() const {
  const oracle::Layout& layout = access_.layout;
  std::vector<std::size_t> axes;
  for (std::size_t k = 0; k < layout.strides.size(); ++k) {
    if (g_.extents[std::size_t(layout.allocation[k])] == 1) continue;
    const bool is_row = k + 1 == layout.strides.size() && layout.strides[k] == 1;
    if (!is_row && layout.strides[k] * layout.element_bytes % 16 != 0) axes.push_back(k);
  }
  return axes;
}

// A copy brings rows of 16 bytes, or a multiple, that lie side by side: if there is one for it, the
// tile is of chunks of 16 bytes.
std::int64_t TmaRefusal::chunk() const { return 16 / access_.layout.element_bytes; }

bool TmaRefusal::has_broken_chunk() const {
  if (elements() % chunk() != 0) return true;
  bool found = false;
  oracle::for_each_point(g_, [&](auto point, auto, std::uint64_t mask) {
    found = found || (mask == 0 && ends_a_run(Point(point.begin(), point.end())));
  });
  return found;
}

// The next element of its chunk is another item than the next one in memory, or there is none.
bool TmaRefusal::ends_a_run(const Point& point) const {
  const std::int64_t next = place(point) + 1;
  if (next % chunk() == 0) return false;
  if (next == elements()) return true;
  const Point after = at_place(point, next);
  return !oracle::is_hole(g_, oracle::coordinates(g_, after)) &&
         address(after) != address(point) + 1;
}

// It lies elsewhere than its place along the dimensions says, seen from the box's beginning.
bool TmaRefusal::is_across(const Point& point) const {
  const std::vector<std::int64_t> tile = oracle::loaded_extents(map_);
  std::int64_t rest = place(point), bytes = 0;
  for (std::size_t k = tile.size(); k-- > 0; rest /= tile[k]) {
    const std::int64_t step = k + 1 < tile.size() ? map_.element_strides[k] : 1;
    bytes += rest % tile[k] * step * map_.strides[k];
  }
  return (address(point) - address(beginning(point))) * map_.element_bytes != bytes;
}

bool TmaRefusal::is_bulk(int x) const {
  return std::find(bulk_.begin(), bulk_.end(), x) != bulk_.end();
}

std::int64_t TmaRefusal::elements() const {
  std::int64_t n = 1;
  for (int x : bulk_) n *= g_.extents[std::size_t(x)];
  return n;
}

// In the tile.
std::int64_t TmaRefusal::place(const Point& point) const {
  std::int64_t place = 0;
  for (std::size_t k = 0; k < point.size(); ++k) {
    if (is_bulk(g_.loop[k])) place = place * g_.extents[std::size_t(g_.loop[k])] + point[k];
  }
  return place;
}

// Of the same copy.
TmaRefusal::Point TmaRefusal::at_place(Point point, std::int64_t place) const {
  for (std::size_t k = point.size(); k-- > 0;) {
    if (!is_bulk(g_.loop[k])) continue;
    const std::int64_t n = g_.extents[std::size_t(g_.loop[k])];
    point[k] = place % n;
    place /= n;
  }
  return point;
}

// In elements, holes or not.
std::int64_t TmaRefusal::address(const Point& point) const {
  return oracle::address(access_.layout, oracle::coordinates(g_, point));
}

}  // namespace selvage
