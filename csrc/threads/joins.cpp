#include <selvage/kernel/statements.h>
#include <selvage/threads/joins.h>

#include <utility>

namespace selvage {

bool are_joined(const std::vector<ThreadOrigin>& origins, const AccessMap& map, std::size_t first,
                std::size_t second, std::optional<PlaceId> loop) {
  const auto origin_of = [&](PlaceId place) -> const ThreadOrigin* {
    const std::uint32_t origin = map.places()[place].statement->origin;
    return origin == 0 ? nullptr : &origins[origin - 1];
  };
  const ThreadOrigin* a = origin_of(map.accesses()[first].place);
  const ThreadOrigin* b = origin_of(map.accesses()[second].place);
  if (a == nullptr || b == nullptr) return false;
  // An item that holds a join begins and ends with joins. So if joins stand between two accesses in
  // the text, one of these joins is in a body around both.
  if (!loop) return a->joins != b->joins;
  const ThreadOrigin* around = origin_of(*loop);
  return around != nullptr && around->holds_joins;
}

namespace {

class JoinWriter {
 public:
  JoinWriter(const std::function<bool(const Statement&)>& is_join, const Within& within)
      : is_join_(is_join), within_(within) {}

  Body write(Body body, const GuardBarriers& own) const {
    Body out;
    for (Statement& s : body) {
      // There are barriers for the threads that pass a guard, but not for those of `otherwise`, nor
      // for those of a region.
      const bool is_guard = std::holds_alternative<Guard>(s.node);
      const bool is_part = is_guard || std::holds_alternative<Region>(s.node);
      GuardBarriers inside = is_part ? GuardBarriers{} : own;
      if (is_guard && (own.block || own.warp)) inside = within_(s);
      for (Body* inner : bodies(s)) {
        *inner = write(std::move(*inner), inside);
        if (is_part) inside = {};
      }
      if (is_join_(s)) {
        if (!own.block && !own.warp) continue;
        s.node = own.block ? *own.block : *own.warp;
      }
      out.push_back(std::move(s));
    }
    return out;
  }

 private:
  const std::function<bool(const Statement&)>& is_join_;
  const Within& within_;
};

}  // namespace

Body with_joins(Body body, const std::function<bool(const Statement&)>& is_join,
                const Within& within) {
  return JoinWriter(is_join, within)
      .write(std::move(body), {Barrier{}, Barrier{Barrier::Scope::Warp}});
}

}  // namespace selvage
