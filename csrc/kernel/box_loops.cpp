#include <selvage/kernel/box_loops.h>
#include <selvage/kernel/statements.h>

#include <algorithm>
#include <string>

namespace selvage {

namespace {

class BoxLoops {
 public:
  explicit BoxLoops(Kernel& kernel) : kernel_(kernel) {}

  void write_out(Body& body) {
    for (Statement& s : body) {
      const auto* copy = std::get_if<AsyncCopy>(&s.node);
      if (copy != nullptr && copy->box && copy->is_store) {
        s.node = loops_of(AsyncCopy(*copy));
        continue;
      }
      for (Body* inner : bodies(s)) write_out(*inner);
    }
  }

 private:
  Loop loops_of(const AsyncCopy& copy) {
    ExprPool& pool = *kernel_.pool;
    const BoxMap& map = kernel_.maps[copy.box->map];
    const Expr zero = pool.constant(0);
    Expr address = zero, element = zero;
    std::vector<Expr> conditions, index;
    std::vector<Loop> loops;
    for (std::size_t d = 0; d < map.dims.size(); ++d) {
      const BoxMap::Dim& dim = map.dims[d];
      const Expr e = pool.symbol("e." + std::to_string(d)),
                 i = copy.box->corner[d] + e * dim.element_stride;
      address = address + i * dim.stride;
      element = element * dim.count() + e;
      conditions.push_back(0 <= i && i < dim.size);
      index.push_back(i);
      loops.push_back({e, pool.constant(dim.count()), ParallelType::Serial, {}});
    }
    AsyncCopy one{.copy = copy.copy, .is_store = true, .atomic = copy.atomic};
    one.copy.to_address = address;
    one.copy.from_address = copy.copy.from_address + place_of(map, element, copy.copy.from);
    one.copy.width = 1;
    note_item(map, address, index, copy.box->owner);
    Body body = {{std::move(one)}};
    for (std::size_t d = map.dims.size(); d-- > 0;)
      body = {{Guard{conditions[d], std::move(body)}}};
    for (std::size_t d = map.dims.size(); d-- > 1;) {
      loops[d].body = std::move(body);
      body = {{std::move(loops[d])}};
    }
    loops[0].body = std::move(body);
    return std::move(loops[0]);
  }

  // BoxMap::place() of an element.
  Expr place_of(const BoxMap& map, Expr element, BufferId tile) const {
    if (map.swizzle == TmaSwizzle::None) return element;
    const std::int64_t n = 16 / size_of(kernel_.buffers[tile].type);
    const Expr chunk = element / n, row = element / (8 * n);
    const std::int64_t chunks = swizzle_bytes(map.swizzle) / 16;
    return (chunk / chunks * chunks + (chunk % chunks ^ row % chunks)) * n + element % n;
  }

  // The item is known where each axis of the buffer is a dimension of the map.
  void note_item(const BoxMap& map, Expr address, const std::vector<Expr>& index,
                 const std::array<Expr, 6>& owner) {
    const std::vector<Buffer::Axis>& axes = kernel_.buffers[map.buffer].axes;
    Item item{.indices = {}, .owner = owner};
    for (const Buffer::Axis& axis : axes) {
      const auto dim = std::ranges::find_if(map.dims, [&](const BoxMap::Dim& d) {
        return same(d.stride, axis.stride) && same(d.size, axis.extent);
      });
      if (dim == map.dims.end()) return;
      item.indices.push_back(index[std::size_t(dim - map.dims.begin())]);
    }
    if (axes.size() == map.dims.size()) kernel_.items.add(map.buffer, address, std::move(item));
  }

  Kernel& kernel_;
};

}  // namespace

std::shared_ptr<const Kernel> with_stores_written_out(const Kernel& kernel) {
  bool has_any = false;
  for_each_statement(kernel.body, [&](const Statement& s) {
    const auto* copy = std::get_if<AsyncCopy>(&s.node);
    has_any = has_any || (copy != nullptr && copy->box && copy->is_store);
  });
  if (!has_any) return nullptr;
  auto written = std::make_shared<Kernel>(kernel);
  written->forms = nullptr;
  BoxLoops(*written).write_out(written->body);
  return written;
}

}  // namespace selvage
