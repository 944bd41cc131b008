#include <selvage/expr/symbols.h>
#include <selvage/expr/text.h>
#include <selvage/kernel/barrier_members.h>
#include <selvage/kernel/launch_limits.h>
#include <selvage/kernel/ranks.h>
#include <selvage/kernel/verify_order.h>
#include <selvage/kernel/verify_parts.h>

#include <algorithm>

namespace selvage {

namespace {

// A cluster whose threads are proved as those of one block: its ranks are whole warps, each access
// of shared memory stays within one piece, and nobody accesses that of a rank that may have ended.
class Ranks {
 public:
  explicit Ranks(const AccessMap& map) : map_(map), launch_(map.kernel().launch), order_(map) {}

  std::vector<KernelFinding> list() {
    check_launch();
    if (!out_.empty()) return std::move(out_);
    for (std::size_t i = 0; i < map_.accesses().size(); ++i) {
      const Buffer& buffer = map_.kernel().buffers[map_.accesses()[i].buffer];
      if (buffer.memory == Memory::Shared) look_at(i);
      if (is_multicast(map_, i)) look_at_multicast(i);
    }
    return std::move(out_);
  }
  std::vector<KernelFinding> list_far_arrivals() {
    for (std::size_t i = 0; i < map_.accesses().size(); ++i) {
      const KernelAccess& access = map_.accesses()[i];
      const bool is_far =
          is_arrival(access) && access.kind == KernelAccess::Kind::Signal && !in_own_piece(map_, i);
      if (is_far) check_end(i, Hazard::Divergence, " is arrived at");
    }
    return std::move(out_);
  }

 private:
  void check_launch() {
    const auto refuse = [&](std::string text) { tell(Hazard::Bounds, Refuted{}, {}, text); };
    for (Expr extent : launch_.block) {
      if (!extent.is(Op::Const)) return refuse("a cluster has threads whose number is not known");
    }
    if (launch_.block[2].value() < 2 || launch_.block[2].value() > kMaxClusterBlocks) {
      return refuse("a cluster has " + to_string(launch_.block[2]) + " blocks");
    }
    if (launch_.part_threads() % kWarp != 0) {
      refuse("a block of a cluster has " + std::to_string(launch_.part_threads()) +
             " threads, which are no whole warps");
    }
    for (const Buffer& b : map_.kernel().buffers) {
      if (b.memory != Memory::Shared) continue;
      if (b.elements.is(Op::Const) && b.elements.value() % launch_.ranks() == 0) continue;
      refuse("the blocks of a cluster have no equal pieces of " + b.name);
    }
  }

  void look_at(std::size_t i) {
    const KernelAccess& access = map_.accesses()[i];
    const Buffer& buffer = map_.kernel().buffers[access.buffer];
    const std::int64_t p = buffer.piece(launch_.ranks());
    const Expr address = map_.address(i);
    Simplifier& known = map_.at(access.scope);
    const auto own = in_own_piece(map_, i);
    const Expr place = own.value_or(address % p);
    const Expr claim = own ? 0 <= place && place + access.width <= p : place + access.width <= p;
    if (!known.proves(claim)) {
      tell(Hazard::Bounds, Unknown{claim}, i,
           "it is not proved that an access of " + buffer.name +
               " stays within the piece of one block of the cluster");
    }
    if (own) return;
    if (is_arrival(access)) return;
    if (access.kind != KernelAccess::Kind::Read || access.is_async) {
      tell(Hazard::Bounds, Unknown{map_.pool().truth(false)}, i,
           "it is not proved that a block of the cluster writes " + buffer.name +
               " in its own memory alone");
    }
    check_end(i, Hazard::Race, " is read");
  }
  // Whether a barrier behind an access keeps the rank whose memory it is from having ended.
  void check_end(std::size_t i, Hazard hazard, const std::string& what) {
    const KernelAccess& access = map_.accesses()[i];
    if (order_.meets_at_end(access.place)) return;
    const bool is_never = hazard == Hazard::Race && order_.never_meets_at_end(access.place);
    tell(hazard, is_never ? Verdict(Refuted{}) : Unknown{map_.pool().truth(false)}, i,
         map_.kernel().buffers[access.buffer].name + what +
             " in the memory of another block of the cluster, and no barrier "
             "of the cluster behind it keeps that block from having ended");
  }
  bool is_arrival(const KernelAccess& access) const {
    const auto* arrive = std::get_if<Arrive>(&map_.places()[access.place].statement->node);
    return arrive != nullptr && is_mere_arrival(*arrive);
  }

  // What one rank copies for all is what each of them gets there for: nothing of it tells ranks
  // apart but the piece, and each announces what comes.
  void look_at_multicast(std::size_t i) {
    const KernelAccess& access = map_.accesses()[i];
    const StatementPlace& place = map_.places()[access.place];
    const auto& copy = std::get<AsyncCopy>(place.statement->node);
    const AccessScope& scope = map_.scope(place.scope);
    const std::string& tile = map_.kernel().buffers[copy.copy.to].name;
    if (!copy.object || !copy.announces || copy.is_store) {
      tell(Hazard::Race, Refuted{}, i, "a copy of " + tile + " to all ranks is announced by none");
    }
    const Expr claim = 0 <= place.amount && place.amount < launch_.ranks();
    if (!map_.at(place.scope).proves(claim)) {
      tell(Hazard::Bounds, Unknown{claim}, i,
           "it is not proved that a rank of the cluster makes the copy of " + tile);
    }
    std::vector<Expr> common = scope.conditions;
    for (PlaceId outer = access.place; outer != kTop; outer = map_.places()[outer].parent) {
      const StatementPlace& around = map_.places()[outer];
      const auto* region = std::get_if<Region>(&around.statement->node);
      if (region == nullptr || !is_alike_in_ranks(*region, launch_)) continue;
      std::erase_if(common, [&](Expr c) { return same(c, around.condition); });
    }
    for (PlaceId loop : scope.loops) {
      common.insert(common.end(), {map_.places()[loop].begin, map_.places()[loop].extent});
    }
    common.push_back(place.amount);
    common.insert(common.end(), place.corner.begin(), place.corner.end());
    common.push_back(in_own_piece(map_, i).value_or(map_.address(i)));
    const auto tells_ranks = [&](Expr e) {
      return contains(symbols_of(e), map_.threads()[2]) || map_.mentions_number(e);
    };
    if (std::ranges::any_of(common, tells_ranks)) {
      tell(Hazard::Race, Unknown{map_.pool().truth(false)}, i,
           "it is not proved that a copy of " + tile + " to all ranks is the same for each");
    }
  }

  void tell(Hazard hazard, Verdict verdict, std::optional<std::size_t> access, std::string text) {
    KernelFinding f{.hazard = hazard,
                    .verdict = std::move(verdict),
                    .buffer = {},
                    .sizes = {},
                    .first = {},
                    .second = {},
                    .text = std::move(text)};
    if (access) {
      f.buffer = map_.accesses()[*access].buffer;
      f.statement = map_.places()[map_.accesses()[*access].place].statement;
    }
    out_.push_back(std::move(f));
  }

  const AccessMap& map_;
  const Launch& launch_;
  BarrierOrder order_;
  std::vector<KernelFinding> out_;
};

}  // namespace

std::vector<KernelFinding> rank_findings(const AccessMap& map) { return Ranks(map).list(); }
std::vector<KernelFinding> far_arrival_findings(const AccessMap& map) {
  return Ranks(map).list_far_arrivals();
}

}  // namespace selvage
