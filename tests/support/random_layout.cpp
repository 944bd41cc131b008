#include "tests/support/random_layout.h"

#include <tuple>

#include "tests/oracle/draws.h"

namespace selvage::test {

using oracle::chance;
using oracle::draw;

void lay_out(Schedule& s, TensorId t, std::mt19937_64& rng) {
  BufferLayout layout = s.layout(t);
  std::vector<ScheduledLoop> order;
  for (ScheduledLoop l : s.loops(t)) {
    if (!s.is_folded(t, l.domain)) order.push_back(l);
  }
  for (std::int64_t n = order.empty() ? 0 : draw(rng, 0, 3); n > 0; --n) {
    const auto k = std::size_t(draw(rng, 0, std::int64_t(order.size()) - 1));
    const auto j = std::size_t(draw(rng, 0, std::int64_t(order.size()) - 1));
    const auto pick = draw(rng, 1, 4);
    if (pick == 1) {
      const auto [outer, inner] = layout.split(order[k], draw(rng, 2, 4));
      order[k] = outer;
      order.push_back(inner);
    } else if (pick == 2 || k == j) {
      order[k] = layout.resize(order[k], 0, draw(rng, 1, 4));
    } else if (pick == 3) {
      const auto kind = chance(rng, 2) ? SwizzleKind::Xor : SwizzleKind::CyclicShift;
      std::tie(order[k], order[j]) = layout.swizzle(kind, order[k], order[j]);
    } else {
      order[k] = layout.merge(order[k], order[j]);
      order.erase(order.begin() + std::ptrdiff_t(j));
    }
  }
  oracle::shuffle(rng, order);
  layout.order(order);
}

}  // namespace selvage::test
