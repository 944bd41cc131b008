#include <selvage/expr/symbols.h>
#include <selvage/expr/tape.h>
#include <selvage/kernel/barrier_members.h>
#include <selvage/kernel/launch_limits.h>
#include <selvage/kernel/statements.h>

#include <algorithm>

namespace selvage {

namespace {

const Barrier kOfWarp{.scope = Barrier::Scope::Warp}, kOfBlock{.scope = Barrier::Scope::Block},
    kOfWarpgroup{.scope = Barrier::Scope::Warpgroup};

StatementAccess signal(const BarrierObject& object) {
  return {.buffer = object.buffer, .kind = AccessKind::Signal, .address = object.address};
}

StatementParts parts_of_transfer(const Transfer& t, std::int64_t alignment, bool is_async,
                                 std::optional<Function> atomic = {}) {
  const StatementAccess read{.buffer = t.from,
                             .address = t.from_address,
                             .width = t.width,
                             .alignment = alignment,
                             .is_moved = true,
                             .is_async = is_async};
  StatementAccess write = read;
  write.buffer = t.to;
  write.kind = atomic ? AccessKind::Atomic : AccessKind::Write;
  write.atomic = atomic;
  write.address = t.to_address;
  write.duplicates_allowed = t.duplicates_allowed;
  return {.expressions = {t.to_address, t.from_address},
          .accesses = {read, write},
          .valid = &t.valid,
          .lane = t.lane,
          .has_own_pace = is_async};
}

// Of global memory a box reads or writes what is there, whatever its corner is.
void be_box(const AsyncCopy& copy, StatementParts& parts) {
  parts.expressions = {parts.expressions[copy.is_store ? 1 : 0]};
  for (Expr c : copy.box->corner) parts.expressions.add(c);
  parts.accesses = {parts.accesses[copy.is_store ? 0 : 1]};
}

StatementParts parts_of_mma(const Mma& mma) {
  const auto tile = [](BufferId b, Expr address, std::int64_t rows, std::int64_t depth) {
    return StatementAccess{.buffer = b,
                           .address = address,
                           .width = rows * depth,
                           .alignment = 8,
                           .is_moved = true,
                           .is_async = true};
  };
  StatementAccess sums{
      .buffer = mma.sums, .address = mma.sums_address, .width = mma.sums_of_a_thread()};
  const StatementAccess a = mma.is_a_shared ? tile(mma.a, mma.a_address, Mma::kRows, mma.depth)
                                            : StatementAccess{.buffer = mma.a,
                                                              .address = mma.a_address,
                                                              .width = mma.a_of_a_thread()};
  StatementParts parts{.expressions = {mma.sums_address, mma.a_address, mma.b_address},
                       .accesses = {a, tile(mma.b, mma.b_address, mma.columns, mma.depth), sums},
                       .together = &kOfWarpgroup,
                       .has_own_pace = true};
  sums.kind = AccessKind::Write;
  parts.accesses.add(sums);
  return parts;
}

}  // namespace

StatementParts parts_of(const Statement& statement) {
  using Parts = StatementParts;
  return std::visit(
      overloaded{
          [](const Loop& loop) {
            Parts parts{.bodies = {&loop.body}, .variable = loop.variable};
            if (loop.begin.valid()) parts.expressions.add(loop.begin);
            parts.expressions.add(loop.extent);
            return parts;
          },
          [](const Define& define) {
            Parts parts{.value = define.read, .variable = define.variable};
            for (Expr e : {define.value, define.least, define.most}) {
              if (e.valid()) parts.expressions.add(e);
            }
            return parts;
          },
          [](const Guard& guard) {
            return Parts{.bodies = {&guard.body, &guard.otherwise},
                         .expressions = {guard.condition}};
          },
          [](const Store& store) {
            const AccessKind kind = store.atomic ? AccessKind::Atomic : AccessKind::Write;
            return Parts{.expressions = {store.address},
                         .value = store.value,
                         .accesses = {{.buffer = store.buffer,
                                       .kind = kind,
                                       .address = store.address,
                                       .duplicates_allowed = store.duplicates_allowed,
                                       .atomic = store.atomic}},
                         .valid = &store.valid};
          },
          [](const Transfer& t) { return parts_of_transfer(t, t.width, false); },
          [](const AsyncCopy& c) {
            Parts parts = parts_of_transfer(c.copy, c.alignment, true, c.atomic);
            if (c.box) be_box(c, parts);
            if (!c.object) return parts;
            parts.expressions.add(c.object->address);
            if (c.by_rank.valid()) parts.expressions.add(c.by_rank);
            parts.accesses.add(signal(*c.object));
            return parts;
          },
          [](const Arrive& arrive) {
            Parts parts{.has_own_pace = true};
            if (!arrive.object) {
              if (arrive.queue == ThreadQueue::Products) parts.together = &kOfWarp;
              return parts;
            }
            parts.expressions.add(arrive.object->address);
            if (arrive.object->rank.valid()) parts.expressions.add(arrive.object->rank);
            if (arrive.bytes.valid()) parts.expressions.add(arrive.bytes);
            parts.accesses.add(signal(*arrive.object));
            return parts;
          },
          [](const Wait& wait) {
            Parts parts{.has_own_pace = true};
            if (!wait.object) {
              if (wait.queue == ThreadQueue::Products) parts.together = &kOfWarp;
              return parts;
            }
            parts.expressions = {wait.object->address, wait.phase};
            parts.accesses.add(signal(*wait.object));
            return parts;
          },
          [](const ProxyFence&) { return Parts{.has_own_pace = true}; },
          [](const Mma& mma) { return parts_of_mma(mma); },
          [](const Region& region) {
            return Parts{.bodies = {&region.body}, .has_own_pace = true};
          },
          [](const LastBlock& last) {
            return Parts{.bodies = {&last.body}, .together = &kOfBlock};
          },
          [](const While& loop) {
            return Parts{.bodies = {&loop.body},
                         .value = loop.condition,
                         .variable = loop.variable,
                         .has_own_pace = true};
          },
          [](const Barrier& barrier) { return Parts{.together = &barrier}; },
          [](const Shuffle& s) {
            return Parts{
                .expressions = {s.to_address, s.from_address},
                .accesses = {{.buffer = s.from, .address = s.from_address},
                             {.buffer = s.to, .kind = AccessKind::Write, .address = s.to_address}},
                .together = &kOfWarp};
          },
          [](const Leave&) { return Parts{}; }},
      statement.node);
}

std::optional<ThreadQueue> queue_of(const Statement& s) {
  if (std::holds_alternative<Mma>(s.node)) return ThreadQueue::Products;
  const auto* copy = std::get_if<AsyncCopy>(&s.node);
  if (copy == nullptr || copy->object) return std::nullopt;
  return copy->is_store ? ThreadQueue::Stores : ThreadQueue::Copies;
}
bool closes_group(const Statement& s, ThreadQueue queue) {
  const auto* arrive = std::get_if<Arrive>(&s.node);
  return arrive != nullptr && !arrive->object && arrive->queue == queue;
}
const Wait* wait_for_groups(const Statement& s, ThreadQueue queue) {
  const auto* wait = std::get_if<Wait>(&s.node);
  return wait != nullptr && !wait->object && wait->queue == queue ? wait : nullptr;
}
bool has_mma(const Kernel& kernel) {
  bool has = false;
  for_each_statement(kernel.body, [&](const Statement& s) {
    constexpr ThreadQueue kQueue = ThreadQueue::Products;
    has = has || queue_of(s) == kQueue || closes_group(s, kQueue) ||
          wait_for_groups(s, kQueue) != nullptr;
  });
  return has;
}
std::int64_t BoxMap::elements() const {
  std::int64_t all = 1;
  for (const Dim& dim : dims) all *= dim.count();
  return all;
}
std::int64_t BoxMap::place(std::int64_t k, std::int64_t element_bytes) const {
  if (swizzle == TmaSwizzle::None) return k;
  const std::int64_t byte = k * element_bytes, chunks = swizzle_bytes(swizzle) / 16;
  return (byte ^ (byte / 128 % chunks * 16)) / element_bytes;
}
std::vector<std::int64_t> shared_alignments(const Kernel& kernel) {
  std::vector<std::int64_t> bytes(kernel.buffers.size(), kSharedAlignment);
  for_each_statement(kernel.body, [&](const Statement& s) {
    for (const StatementAccess& a : parts_of(s).accesses) {
      const Buffer& b = kernel.buffers[a.buffer];
      if (!a.is_moved || b.memory != Memory::Shared) continue;
      bytes[a.buffer] = std::max(bytes[a.buffer], a.alignment * size_of(b.type));
    }
  });
  return bytes;
}
bool is_copied_into(const Kernel& kernel, BufferId b) {
  bool is = false;
  for_each_statement(kernel.body, [&](const Statement& s) {
    const auto* copy = std::get_if<AsyncCopy>(&s.node);
    is = is || (copy != nullptr && copy->copy.to == b);
  });
  return is;
}

Few<Body*, 2> bodies(Statement& s) {
  Few<Body*, 2> all;
  for (const Body* body : bodies(std::as_const(s))) all.add(const_cast<Body*>(body));
  return all;
}

std::vector<const Statement*> own_pace(const Kernel& kernel) {
  // What decides which statements a thread runs: ends of loops, conditions of guards, and what the
  // names in them stand for.
  std::vector<Expr> deciding;
  for_each_statement(kernel.body, [&](const Statement& s) {
    const bool decides =
        std::holds_alternative<Loop>(s.node) || std::holds_alternative<Guard>(s.node);
    if (!decides) return;
    for (Expr e : parts_of(s).expressions) deciding.push_back(e);
  });
  bool has_numbers = false;
  for_each_statement(kernel.body, [&](const Statement& s) {
    const auto* define = std::get_if<Define>(&s.node);
    if (define == nullptr) return;
    has_numbers = has_numbers || define->read;
    if (!define->read) deciding.push_back(define->value);
  });
  const std::vector<Expr> symbols = has_numbers ? symbols_of(deciding) : std::vector<Expr>{};
  std::vector<const Statement*> list;
  for_each_statement(kernel.body, [&](const Statement& s) {
    const auto* define = std::get_if<Define>(&s.node);
    const bool is_number = define != nullptr && define->read;
    if (parts_of(s).has_own_pace || (is_number && contains(symbols, define->variable))) {
      list.push_back(&s);
    }
  });
  return list;
}
bool has_own_pace(const Kernel& kernel) { return !own_pace(kernel).empty(); }

Expr is_member(const Region& region, const std::array<Expr, 3>& threads,
               const std::array<Expr, 3>& extents) {
  const bool is_known = std::ranges::all_of(extents, [](Expr e) { return e.is(Op::Const); });
  const std::int64_t part = is_known ? extents[0].value() * extents[1].value() : 0;
  std::optional<std::vector<std::uint32_t>> of_each;
  if (is_known && part % kWarp == 0) of_each = members_of_each(region, part, extents[2].value());
  const Barrier members{.scope = Barrier::Scope::Threads,
                        .members = of_each.value_or(region.members)};
  const auto runs = runs_of(members, std::int64_t(members.members.size()) * kWarp);
  // What all runs begin and end with is told by the outer indices alone.
  std::size_t first = 0;
  std::int64_t unit = 1;
  const auto is_told_without = [&](std::int64_t next) {
    return std::ranges::all_of(
        runs, [&](const auto& run) { return run.first % next == 0 && run.second % next == 0; });
  };
  while (first < 2 && extents[first].is(Op::Const) &&
         is_told_without(unit * extents[first].value())) {
    unit *= extents[first++].value();
  }
  ExprPool& pool = extents[0].pool();
  Expr number = pool.constant(0);
  for (std::size_t k = of_each ? 2 : 3; k-- > first;) {
    number = number.is_const(0) ? threads[k] : number * extents[k] + threads[k];
  }
  Expr any = pool.truth(false);
  for (const auto& [from, to] : runs) {
    const Expr run = from / unit <= number && number < to / unit;
    any = any.is_false() ? run : any || run;
  }
  return any;
}

std::string_view name_of(const Statement& s) {
  using Name = std::string_view;
  return std::visit(
      overloaded{[](const Loop&) -> Name { return "a loop"; },
                 [](const Define& d) -> Name { return d.read ? "a number from memory" : "a name"; },
                 [](const Guard&) -> Name { return "a guard"; },
                 [](const Store&) -> Name { return "a store"; },
                 [](const Transfer&) -> Name { return "a transfer"; },
                 [](const Barrier&) -> Name { return "a barrier"; },
                 [](const Shuffle&) -> Name { return "a shuffle"; },
                 [](const Leave&) -> Name { return "a leave"; },
                 [](const AsyncCopy&) -> Name { return "an asynchronous copy"; },
                 [](const Arrive&) -> Name { return "an arrival"; },
                 [](const Wait&) -> Name { return "a wait"; },
                 [](const ProxyFence&) -> Name { return "a proxy fence"; },
                 [](const Mma&) -> Name { return "a matrix multiplication"; },
                 [](const Region&) -> Name { return "a region"; },
                 [](const LastBlock&) -> Name { return "what the last block does"; },
                 [](const While&) -> Name { return "a while loop"; }},
      s.node);
}

}  // namespace selvage
