#include <selvage/kernel/statements.h>

namespace selvage {

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
            return Parts{.expressions = {define.value}, .variable = define.variable};
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
          [](const Transfer& t) {
            return Parts{.expressions = {t.to_address, t.from_address},
                         .accesses = {{.buffer = t.from,
                                       .address = t.from_address,
                                       .width = t.width,
                                       .is_moved = true},
                                      {.buffer = t.to,
                                       .kind = AccessKind::Write,
                                       .address = t.to_address,
                                       .width = t.width,
                                       .is_moved = true,
                                       .duplicates_allowed = t.duplicates_allowed}},
                         .valid = &t.valid,
                         .lane = t.lane};
          },
          [](const Barrier&) { return Parts{.waits = true}; },
          [](const Shuffle& s) {
            return Parts{
                .expressions = {s.to_address, s.from_address},
                .accesses = {{.buffer = s.from, .address = s.from_address},
                             {.buffer = s.to, .kind = AccessKind::Write, .address = s.to_address}},
                .waits = true};
          },
          [](const Leave&) { return Parts{}; }},
      statement.node);
}

Few<Body*, 2> bodies(Statement& s) {
  Few<Body*, 2> all;
  for (const Body* body : bodies(std::as_const(s))) all.add(const_cast<Body*>(body));
  return all;
}

}  // namespace selvage
