#include <selvage/base/integer.h>
#include <selvage/legality/tma_part.h>

namespace selvage {

std::optional<TilePart> fused(const TilePart& o, const TilePart& i,
                              std::optional<std::int64_t> inner_size,
                              std::optional<std::int64_t> size, bool inner_is_multiple) {
  const bool outer_moves = o.in_tile && (o.count > 1 || !i.in_tile);
  const bool inner_moves = i.in_tile && (i.count > 1 || !o.in_tile);
  if (!outer_moves && !inner_moves) return TilePart{};
  if (!outer_moves) {
    TilePart part = i;
    if (o.in_tile && o.whole) return part;  // its index is 0, always
    part.whole = false;
    part.boxed = true;
    part.aligned = i.aligned && inner_is_multiple;
    return part;
  }
  if (!inner_size) return std::nullopt;
  if (!inner_moves) {
    TilePart part = o;
    const auto step = checked_mul(o.step, *inner_size), box = checked_mul(o.box, *inner_size);
    const auto reach = step ? checked_mul(*step, o.count) : std::nullopt;
    if (!reach || !box) return std::nullopt;
    part.step = *step;
    part.box = *box;
    if (size && *size<*box&& * size> * reach - *step) part.box = *size;
    part.aligned = o.aligned && (o.whole || part.box == *box);
    part.whole = o.whole && *inner_size == 1;
    return part;
  }
  const bool is_row = i.whole && i.count == *inner_size && o.step == 1;
  if (!is_row || o.weight != i.weight * i.count) return std::nullopt;
  const auto count = checked_mul(o.count, i.count);
  if (!count) return std::nullopt;
  return TilePart{true, o.whole, o.boxed, o.aligned, *count, i.weight, 1, *count};
}

}  // namespace selvage
