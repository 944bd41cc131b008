#include "tests/oracle/fills.h"

#include "tests/oracle/brute_force.h"

namespace selvage::oracle {

Fills fills(const Graph& writer, const Graph& reader, const Layout& layout, bool guarded) {
  Fills r;
  const std::int64_t size = elements(writer, layout);
  const auto inside = [size](std::int64_t element) { return 0 <= element && element < size; };
  std::vector<bool> is_item(size, false), written(size, false), read(size, false);
  for_each_point(over_items(writer), [&](auto, auto coordinates) {
    const std::int64_t element = address(layout, coordinates);
    if (inside(element)) is_item[element] = true;
  });
  for_each_point(writer, [&](auto, auto coordinates, std::uint64_t mask) {
    const std::int64_t element = address(layout, coordinates);
    if (mask == 0 && inside(element)) written[element] = true;
  });

  std::vector<Fills::Read> first(size);
  for_each_point(reader, [&](auto point, auto coordinates, std::uint64_t mask) {
    if (guarded && mask != 0) return;
    const std::int64_t element = address(layout, coordinates);
    const Fills::Read here{element, {point.begin(), point.end()}};
    const auto note = [&here](std::optional<Fills::Read>& what) {
      if (!what) what = here;
    };
    if (!inside(element)) {
      note(r.outside);
      return;
    }
    if (!read[element]) first[element] = here;
    read[element] = true;
    if (!written[element]) note(r.unwritten);
    if (!written[element] && is_item[element]) note(r.unwritten_item);
    if (mask != 0 && is_item[element]) note(r.item_at_a_hole);
  });
  for (std::int64_t element = 0; element < size; ++element) {
    if (is_item[element]) continue;
    r.holes.push_back(element);
    if (read[element]) r.holes_read.push_back(first[element]);
  }
  return r;
}

}  // namespace selvage::oracle
