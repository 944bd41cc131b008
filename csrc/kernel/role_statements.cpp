#include <selvage/kernel/barrier_members.h>
#include <selvage/kernel/role_statements.h>
#include <selvage/kernel/statements.h>

#include <algorithm>

namespace selvage {

bool is_block_barrier(const Statement& s) {
  const auto* barrier = std::get_if<Barrier>(&s.node);
  return barrier != nullptr && barrier->scope == Barrier::Scope::Block;
}

Body& innermost_of(Body& around) {
  return around.empty() ? around : innermost_of(*bodies(around[0])[0]);
}

std::set<BufferId> tiles_of(const Body& copies) {
  std::set<BufferId> tiles;
  for_each_statement(copies, [&](const Statement& s) {
    if (const auto* copy = std::get_if<AsyncCopy>(&s.node)) tiles.insert(copy->copy.to);
    if (const auto* store = std::get_if<Store>(&s.node)) tiles.insert(store->buffer);
  });
  return tiles;
}

bool accesses_more(const Kernel& kernel, std::span<const Statement> use,
                   const std::set<BufferId>& tiles) {
  bool does = false;
  for_each_statement(use, [&](const Statement& s) {
    for_each_access(s, kernel.values, [&](const StatementAccess& a) {
      const Buffer& buffer = kernel.buffers[a.buffer];
      if (buffer.memory != Memory::Shared || buffer.arrivals) return;
      does = does || writes(a.kind) || !tiles.contains(a.buffer);
    });
  });
  return does;
}

static bool is_stored(const Kernel& kernel, BufferId from) {
  const auto& all = kernel.buffers;
  return all[from].is_written ||
         std::ranges::any_of(all, [&](const Buffer& b) { return b.replaces == from; });
}

bool reads_stores(const Kernel& kernel, const Statement& s) {
  bool reads = false;
  for_each_access(s, kernel.values, [&](const StatementAccess& a) {
    const bool is_global = kernel.buffers[a.buffer].memory == Memory::Global;
    reads = reads || (!writes(a.kind) && (!is_global || is_stored(kernel, a.buffer)));
  });
  return reads;
}

bool only_copies(const Kernel& kernel, const Body& body, BufferId full, bool has_fence) {
  bool are_copies = true;
  for_each_statement(body, [&](const Statement& s) {
    const auto* copy = std::get_if<AsyncCopy>(&s.node);
    const auto* arrive = std::get_if<Arrive>(&s.node);
    const bool is_copy = copy != nullptr && copy->object && copy->object->buffer == full &&
                         kernel.buffers[copy->copy.to].memory == Memory::Shared &&
                         !is_stored(kernel, copy->copy.from);
    const bool is_arrival =
        arrive != nullptr && arrive->object && !arrive->of_copies && arrive->object->buffer == full;
    const auto* define = std::get_if<Define>(&s.node);
    const bool is_around = std::holds_alternative<Loop>(s.node) ||
                           std::holds_alternative<Guard>(s.node) ||
                           (define != nullptr && !reads_stores(kernel, s));
    const auto* store = std::get_if<Store>(&s.node);
    const bool is_store = has_fence && store != nullptr && !store->atomic &&
                          kernel.buffers[store->buffer].memory == Memory::Shared &&
                          !reads_stores(kernel, s);
    are_copies = are_copies && (is_copy || is_arrival || is_around || is_store);
  });
  return are_copies;
}

bool only_uses(Body& body, const Region& region) {
  bool are_uses = true;
  const Barrier own{.scope = Barrier::Scope::Threads, .members = region.members};
  for_each_statement(body, [&](Statement& s) {
    if (auto* barrier = std::get_if<Barrier>(&s.node)) {
      const bool is_own = barrier->scope == Barrier::Scope::Threads && same_members(*barrier, own);
      const bool is_of_warp = barrier->scope == Barrier::Scope::Warp && !barrier->is_partial();
      are_uses = are_uses && (is_own || is_of_warp);
      if (is_own) *barrier = Barrier{};
      return;
    }
    const bool is_event =
        std::holds_alternative<AsyncCopy>(s.node) || std::holds_alternative<Arrive>(s.node) ||
        std::holds_alternative<Wait>(s.node) || std::holds_alternative<ProxyFence>(s.node) ||
        std::holds_alternative<Mma>(s.node) || std::holds_alternative<Region>(s.node) ||
        std::holds_alternative<LastBlock>(s.node) || std::holds_alternative<Leave>(s.node) ||
        std::holds_alternative<While>(s.node);
    are_uses = are_uses && !is_event;
  });
  return are_uses;
}

Body for_members(Body use, const Region& region) {
  Body out;
  for (Statement& s : use) {
    if (is_block_barrier(s) || std::holds_alternative<Define>(s.node)) {
      out.push_back(std::move(s));
      continue;
    }
    if (out.empty() || !std::holds_alternative<Region>(out.back().node)) {
      out.push_back({Region{region.role, region.members, {}}});
    }
    std::get<Region>(out.back().node).body.push_back(std::move(s));
  }
  return out;
}

}  // namespace selvage
