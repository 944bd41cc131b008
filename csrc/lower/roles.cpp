#include <selvage/base/check.h>
#include <selvage/base/refuse.h>
#include <selvage/base/words.h>
#include <selvage/ir/about.h>
#include <selvage/kernel/launch_limits.h>
#include <selvage/kernel/role_rings.h>
#include <selvage/kernel/statements.h>
#include <selvage/lower/body.h>
#include <selvage/lower/one_thread.h>
#include <selvage/lower/roles.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace selvage {

namespace {

constexpr std::uint32_t kAll = Barrier::kAllLanes;

// The role of a tensor of the group whose copies warps of their own make; the widest of several.
const CopyRole* role_of(const KernelRequest& request, TensorId& of) {
  const CopyRole* widest = nullptr;
  for (const NestTree* root : request.group) {
    for (TensorId t : tensors_of(*root)) {
      const std::optional<CopyRole>& role = request.scheduled.schedule.role(t);
      if (!role || (widest != nullptr && role->warps <= widest->warps)) continue;
      widest = &*role;
      of = t;
    }
  }
  return widest;
}

// How many registers each thread has that computes: what the others leave, if all are warpgroups.
void share_registers(std::int64_t registers, RoleWarps& role) {
  constexpr std::int64_t kGroup = 4, kMost = 240;
  const std::int64_t computing = role.computing / kWarp, all = computing + role.warps;
  const std::int64_t usual = registers_at_entry(all * kWarp);
  const std::int64_t left = (all * usual - role.warps * registers) / computing,
                     others = std::min(left / kRegisterStep * kRegisterStep, kMost);
  if (computing % kGroup != 0 || role.warps % kGroup != 0 || registers >= usual || others < usual) {
    refuse<Illegal>("E448",
                    counted(role.warps, "warp") + " for copies and " + counted(computing, "other") +
                        " are to share registers, " + std::to_string(registers) +
                        " for a thread that copies",
                    "let both be multiples of 4 warps, with fewer registers than the " +
                        std::to_string(usual) + " that all have; or leave registers out");
  }
  role.registers = registers;
  role.others = others;
  role.usual = usual;
}

class RoleParts {
 public:
  RoleParts(KernelDraft& draft, const RoleWarps& warps) : kernel_(draft.kernel), warps_(warps) {}

  bool part(Body& body, const RoleRing& ring) {
    for (std::size_t i = 0; i < body.size(); ++i) {
      auto* loop = std::get_if<Loop>(&body[i].node);
      if (loop != nullptr && same(loop->variable, ring.loop)) {
        part_at(body, i, ring);
        return true;
      }
      for (Body* inner : bodies(body[i])) {
        if (part(*inner, ring)) return true;
      }
    }
    return false;
  }

 private:
  // wait, fence, barrier, copies, the rest.
  void part_at(Body& body, std::size_t at, const RoleRing& ring) {
    Loop& loop = std::get<Loop>(body[at].node);
    std::erase_if(loop.body, [](const Statement& s) {
      return std::holds_alternative<Wait>(s.node) || std::holds_alternative<ProxyFence>(s.node) ||
             std::holds_alternative<Barrier>(s.node);
    });
    SELVAGE_CHECK(loop.body.size() == 2);
    Body copies = std::move(std::get<Guard>(loop.body[0].node).body);
    Body rest = std::move(std::get<Guard>(loop.body[1].node).body);
    // Names of the iteration.
    copies.erase(copies.begin());
    rest.erase(rest.begin());
    Body by_one = choose_thread(copies);
    const bool meets = accesses_more(kernel_, rest, tiles_of(copies));
    if (meets) name_barriers(rest);
    const Expr k = ring.iteration, slot = k % ring.stages;
    const BarrierObject full{ring.copied, slot}, empty{ring.free, slot};
    // What the thread stores itself comes before the next copies to that slot.
    bool stores = false;
    for_each_statement(copies, [&](const Statement& s) {
      stores = stores || std::holds_alternative<Store>(s.node);
    });
    if (stores) copies.insert(copies.begin(), {ProxyFence{}});
    copies.insert(copies.begin(), {Wait{empty, k / ring.stages - 1}});
    rest.insert(rest.begin(), {Wait{full, k / ring.stages}});
    append(rest, {{ProxyFence{}}, {Arrive{empty}}});
    const auto loop_over = [&](Body own) {
      return body_of(Loop{k, ring.tiles, ParallelType::Serial, std::move(own)});
    };
    Body* innermost = &by_one;
    while (!innermost->empty()) innermost = bodies((*innermost)[0])[0];
    *innermost = loop_over(std::move(copies));
    Body parts;
    if (meets) parts.push_back({Barrier{}});
    parts.push_back(
        {Region{warps_.name, members(true), std::move(by_one), warps_.registers, warps_.usual}});
    parts.push_back({Region{"compute", members(false), loop_over(std::move(rest)), warps_.others,
                            warps_.usual}});
    if (meets) parts.push_back({Barrier{}});
    body.erase(body.begin() + std::ptrdiff_t(at));
    body.insert(body.begin() + std::ptrdiff_t(at), std::make_move_iterator(parts.begin()),
                std::make_move_iterator(parts.end()));
  }

  std::vector<std::uint32_t> members(bool copies_tiles) const {
    const auto computing = std::size_t(warps_.computing / kWarp);
    std::vector<std::uint32_t> all(computing, copies_tiles ? 0 : kAll);
    if (copies_tiles) all.resize(computing + std::size_t(warps_.warps), kAll);
    return all;
  }

  // The thread that copies is the first of those warps: leaves what it does in `copies`, and
  // returns what stands around.
  Body choose_thread(Body& copies) const {
    // Names, then what one_elected() has made.
    Body around;
    around.push_back(std::move(copies.back()));
    copies.pop_back();
    Body* inner = &around;
    while (std::holds_alternative<Loop>((*inner)[0].node)) inner = bodies((*inner)[0])[0];
    Guard& guard = std::get<Guard>((*inner)[0].node);
    append(copies, std::exchange(guard.body, {}));
    Expr is_it;
    for (ParallelType p : {ParallelType::TIDx, ParallelType::TIDy, ParallelType::TIDz}) {
      if (extent_of(kernel_.launch, p).is_const(1)) continue;
      const Expr own = eq(every(p, kernel_).variable, p == warps_.axis ? warps_.first : 0);
      is_it = is_it.valid() ? is_it && own : own;
    }
    guard.condition = is_it;
    guard.warp = warps_.computing / kWarp;
    return around;
  }

  // Those who compute meet one another alone, in each iteration before anything else.
  void name_barriers(Body& rest) const {
    const Barrier own{.scope = Barrier::Scope::Threads, .id = 1, .members = members(false)};
    for_each_statement(rest, [&](Statement& s) {
      auto* barrier = std::get_if<Barrier>(&s.node);
      if (barrier != nullptr && barrier->scope == Barrier::Scope::Block) *barrier = own;
    });
    rest.insert(rest.begin(), {own});
  }

  Kernel& kernel_;
  const RoleWarps& warps_;
};

}  // namespace

void add_role_warps(const KernelRequest& request, KernelDraft& draft) {
  TensorId t{};
  const CopyRole* role = draft.is_vectorised ? role_of(request, t) : nullptr;
  if (role == nullptr) return;
  about(t, [&] {
    if (draft.kernel.launch.is_cluster) {
      refuse<Illegal>("E467", "warps of a role in the blocks of a cluster are not supported yet",
                      "leave the role out, or bind nothing to CIDx");
    }
    std::array<Expr, 3>& block = draft.kernel.launch.block;
    std::int64_t threads = 1, inner = 1;
    std::size_t last = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      if (!block[k].is(Op::Const)) {
        refuse<Illegal>("E448",
                        "copies by a role of their own need a block of a known number of threads",
                        "bind loops of known extents to thread indices");
      }
      if (!block[k].is_const(1)) last = k;
      threads *= block[k].value();
    }
    for (std::size_t k = 0; k < last; ++k) inner *= block[k].value();
    // A number of rows of the last axis that are whole warps.
    const std::int64_t row = std::lcm(inner, kWarp),
                       more = (role->warps * kWarp + row - 1) / row * row;
    if (threads % kWarp != 0 || threads + more > kMaxThreads) {
      refuse<Illegal>(
          "E448",
          "a block of " + counted(threads, "thread") + " beside " + counted(more / kWarp, "warp") +
              " for copies " +
              (threads % kWarp != 0 ? "is no number of whole warps"
                                    : "has more than " + std::to_string(kMaxThreads) + " threads"),
          "let other threads be a multiple of 32, and at most " +
              std::to_string(kMaxThreads - more));
    }
    draft.role = RoleWarps{.name = role->name,
                           .axis = ParallelType(int(ParallelType::TIDx) + int(last)),
                           .first = block[last].value(),
                           .computing = threads,
                           .warps = more / kWarp};
    block[last] = draft.kernel.pool->constant(block[last].value() + more / inner);
    if (role->registers > 0) share_registers(role->registers, *draft.role);
  });
}

void part_roles(const KernelRequest&, KernelDraft& draft) {
  for (const RoleRing& ring : draft.roles) {
    RoleParts parts(draft, *draft.role);
    const bool is_found = parts.part(draft.kernel.body, ring);
    SELVAGE_CHECK(is_found);
  }
}

}  // namespace selvage
