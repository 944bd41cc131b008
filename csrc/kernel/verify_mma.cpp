#include <selvage/kernel/statements.h>
#include <selvage/kernel/verify_copies.h>
#include <selvage/kernel/verify_parts.h>

#include <algorithm>

namespace selvage {

namespace {

// A thread's own memory that matrix multiplications access: whether the thread, by anything but
// further multiplications, which are made in order, accesses it while one may be under way.
//
// Theorem 22 (doc/theory.md). Let the wait for a multiplication stand in the body that it stands in
// or one around it, so that a thread gets from the multiplication to the wait in one iteration of
// each loop around the wait. Then what the thread does in between stands, in the order of the text,
// from the statement of that body that has the multiplication, up to the wait.
class Registers {
 public:
  explicit Registers(const AccessMap& map) : map_(map), order_(map), copies_(map, order_) {}

  HazardFindings list() {
    const auto& all = map_.accesses();
    for (std::size_t m = 0; m < all.size(); ++m) {
      const auto* mma = std::get_if<Mma>(&map_.places()[all[m].place].statement->node);
      if (mma == nullptr || !is_local(all[m])) continue;
      for (const KernelAccess& other : all) {
        const Statement& s = *map_.places()[other.place].statement;
        const bool conflicts = other.buffer == all[m].buffer &&
                               (writes(other.kind) || writes(all[m].kind)) &&
                               !std::holds_alternative<Mma>(s.node);
        if (!conflicts) continue;
        if (is_apart(*mma, all[m], other)) {
          add_rule("multiplications end at the wait for them", out_.proved);
        } else {
          open(other);
        }
      }
    }
    return std::move(out_);
  }

 private:
  bool is_local(const KernelAccess& a) const {
    return map_.kernel().buffers[a.buffer].memory == Memory::Local;
  }
  // The end is that of what the multiplication reads of shared memory.
  std::optional<AccessEnd> end_of(const Mma& mma, PlaceId place) const {
    const auto& all = map_.accesses();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].place == place && all[i].buffer == mma.b) return copies_.end_of(i);
    }
    return std::nullopt;
  }
  bool is_apart(const Mma& mma, const KernelAccess& m, const KernelAccess& other) const {
    const auto end = end_of(mma, m.place);
    if (!end || end->turns > 0) return false;
    PlaceId first = m.place;
    while (map_.tree()[first].parent != map_.tree()[end->at].parent) {
      first = map_.tree()[first].parent;
    }
    return other.place < first || end->at < other.place;
  }
  void open(const KernelAccess& a) {
    out_.open.push_back({.hazard = Hazard::Race,
                         .verdict = Unknown{map_.pool().truth(false)},
                         .statement = map_.places()[a.place].statement,
                         .buffer = a.buffer,
                         .sizes = {},
                         .first = {},
                         .second = {},
                         .text = map_.kernel().buffers[a.buffer].name +
                                 " is accessed where it is not proved that matrix multiplications "
                                 "which access it have ended"});
  }

  const AccessMap& map_;
  BarrierOrder order_;
  CopyOrder copies_;
  HazardFindings out_;
};

}  // namespace

HazardFindings register_race_findings(const AccessMap& map) {
  return has_mma(map.kernel()) ? Registers(map).list() : HazardFindings{};
}

}  // namespace selvage
