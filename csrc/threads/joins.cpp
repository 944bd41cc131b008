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
  // What holds a join is between joins itself, so one of those that stand between two accesses in
  // the text is in a body around both.
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
      // Those who pass a guard, and not those of `otherwise`, are known.
      const bool is_guard = std::holds_alternative<Guard>(s.node);
      GuardBarriers inside = own;
      if (is_guard) inside = own.block || own.warp ? within_(s) : GuardBarriers{};
      for (Body* inner : bodies(s)) {
        *inner = write(std::move(*inner), inside);
        if (is_guard) inside = {};
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
