#include <selvage/expr/symbols.h>
#include <selvage/kernel/statements.h>
#include <selvage/lower/body.h>
#include <selvage/lower/fold_groups.h>

#include <algorithm>

namespace selvage {

namespace {

constexpr std::int64_t kMostPoints = 32;  // which a thread then holds in registers

std::int64_t begin_of(const Loop& loop) { return loop.begin.valid() ? loop.begin.value() : 0; }
std::int64_t iterations(const Loop& loop) { return loop.extent.value() - begin_of(loop); }

bool is_unrolled(const Loop& loop) {
  const bool is_written_out =
      loop.parallel == ParallelType::Unroll || loop.parallel == ParallelType::Vectorize;
  return is_written_out && loop.extent.is(Op::Const) &&
         (!loop.begin.valid() || loop.begin.is(Op::Const));
}

Loop without_body(const Loop& loop) {
  return {loop.variable, loop.extent, loop.parallel, {}, loop.begin};
}

Store stored(BufferId buffer, Expr address, ValueId value) {
  return {.buffer = buffer, .address = address, .value = value, .valid = {}};
}

}  // namespace

bool FoldGroups::Group::is_of_state(const Loop& loop) const {
  const std::vector<Expr> symbols = symbols_of(address);
  return contains(symbols, loop.variable);
}

void FoldGroups::rewrite(Body& body) {
  Body result;
  for (Statement& s : body) {
    auto* loop = std::get_if<Loop>(&s.node);
    const auto group = loop == nullptr ? std::nullopt : group_of(*loop);
    if (!group) {
      for (Body* inner : bodies(s)) rewrite(*inner);
      result.push_back(std::move(s));
      continue;
    }
    const BufferId items = draft_.add_local(draft_.kernel.buffers[element_].name + ".group",
                                            draft_.kernel.buffers[element_].type, group->points);
    for_each_statement(loop->body, [&](Statement& inner) {
      for (Body* b : bodies(inner)) collect(*b, items, *group);
    });
    collect(loop->body, items, *group);
    result.push_back(std::move(s));
    append(result, taken_in(*group, items));
  }
  body = std::move(result);
}

// Replaces what takes an item in by a store to the group.
void FoldGroups::collect(Body& body, BufferId items, const Group& group) const {
  std::erase_if(body, [&](const Statement& s) {
    const auto* store = std::get_if<Store>(&s.node);
    return store != nullptr && std::ranges::count(state_, store->buffer) > 0;
  });
  for (Statement& s : body) {
    auto* store = std::get_if<Store>(&s.node);
    if (store == nullptr || store->buffer != element_) continue;
    store->buffer = items;
    store->address = number(group);
  }
}

// Nothing where the loop does anything but take items in, each of them under no condition.
std::optional<FoldGroups::Group> FoldGroups::group_of(const Loop& outermost) const {
  Group group;
  const Loop* loop = &outermost;
  while (loop != nullptr) {
    if (!is_unrolled(*loop)) return std::nullopt;
    group.loops.push_back(without_body(*loop));
    group.points *= iterations(*loop);
    if (group.points > kMostPoints || group.points < 1) return std::nullopt;
    const Loop* inner = nullptr;
    std::size_t elements = 0, components = 0;
    for (const Statement& s : loop->body) {
      const auto* store = std::get_if<Store>(&s.node);
      const auto* next = std::get_if<Loop>(&s.node);
      const auto* define = std::get_if<Define>(&s.node);
      if (next != nullptr) {
        if (takes_in(next->body) && inner == nullptr) {
          inner = next;
        } else {
          return std::nullopt;
        }
      } else if (store != nullptr && store->buffer == element_) {
        ++elements;
      } else if (store != nullptr && std::ranges::count(state_, store->buffer) > 0) {
        ++components;
        group.address = store->address;
      } else if (!std::holds_alternative<Transfer>(s.node) && (define == nullptr || define->read)) {
        return std::nullopt;
      }
    }
    const bool is_innermost = elements == 1 && components == state_.size();
    if (is_innermost == (inner != nullptr) || (inner != nullptr && elements + components > 0)) {
      return std::nullopt;
    }
    loop = inner;
  }
  for (const Loop& l : group.loops) {
    if (!group.is_of_state(l)) group.items *= iterations(l);
  }
  return group.items > 1 ? std::optional(group) : std::nullopt;
}

bool FoldGroups::takes_in(const Body& body) const {
  bool found = false;
  for_each_statement(body, [&](const Statement& s) {
    const auto* store = std::get_if<Store>(&s.node);
    found = found || (store != nullptr && store->buffer == element_);
  });
  return found;
}

// The row-major number of the item among those of the group.
Expr FoldGroups::number(const Group& group) const {
  Expr sum = draft_.kernel.pool->constant(0);
  for (const Loop& loop : group.loops) {
    sum = sum * iterations(loop) + (loop.variable - begin_of(loop));
  }
  return draft_.form(Simplifier(draft_.kernel.facts).simplify(sum));
}

// The body inside the loops that go through the states, or through the items of one state.
Body FoldGroups::around(const Group& group, bool of_state, Body body) const {
  for (std::size_t k = group.loops.size(); k-- > 0;) {
    if (group.is_of_state(group.loops[k]) != of_state) continue;
    Loop loop = without_body(group.loops[k]);
    loop.parallel = ParallelType::Unroll;
    loop.body = std::move(body);
    body = body_of(std::move(loop));
  }
  return body;
}

Body FoldGroups::taken_in(const Group& group, BufferId items) {
  const ValueId item =
      draft_.kernel.values.read(draft_.kernel.buffers[items].type, items, {number(group)});
  const bool is_variance = fold_.how == Reduction::Variance;
  return around(group, true, is_variance ? squares(group, item) : powers(group, item));
}

Body FoldGroups::powers(const Group& group, ValueId item) {
  ValueGraph& values = draft_.kernel.values;
  const std::string name = draft_.kernel.buffers[element_].name;
  const Expr zero = draft_.kernel.pool->constant(0);
  const auto apply = [&](Function f, std::vector<ValueId> v) { return values.apply(f, v); };
  const auto local = [&](const char* what) { return draft_.add_local(name + what, fold_.type, 1); };
  const auto read = [&](BufferId b, Expr at) { return values.read(fold_.type, b, {at}); };
  const BufferId most = local(".most"), base = local(".base");
  const ValueId sum = read(state_[0], group.address), greatest = read(state_[1], group.address);
  const ValueId most_value = read(most, zero), base_value = read(base, zero);
  const ValueId nothing = values.constant(fold_.type, 0.0, false);
  // The error of a power by the hardware grows as its distance from the greatest item does, and so
  // do those of the subtraction, while what it adds to the sum shrinks by the power itself.
  const auto power = [&](ValueId of) {
    const ValueId v = apply(Function::Exp, {apply(Function::Sub, {of, base_value})});
    values.make_fast(v);
    return v;
  };
  Body body = body_of(stored(most, zero, greatest));
  append(body, around(group, false,
                      body_of(stored(most, zero, apply(Function::FMax, {most_value, item})))));
  const ValueId is_finite =
      apply(Function::Eq, {apply(Function::Sub, {most_value, most_value}), nothing});
  body.push_back({stored(base, zero, apply(Function::Select, {is_finite, most_value, nothing}))});
  body.push_back({stored(state_[0], group.address, apply(Function::Mul, {sum, power(greatest)}))});
  append(
      body,
      around(group, false,
             body_of(stored(state_[0], group.address, apply(Function::Add, {sum, power(item)})))));
  body.push_back({stored(state_[1], group.address, most_value)});
  return body;
}

Body FoldGroups::squares(const Group& group, ValueId item) {
  ValueGraph& values = draft_.kernel.values;
  const std::string name = draft_.kernel.buffers[element_].name;
  const Expr zero = draft_.kernel.pool->constant(0);
  const auto apply = [&](Function f, ValueId a, ValueId b) { return values.apply(f, {a, b}); };
  const auto local = [&](const char* what) { return draft_.add_local(name + what, fold_.type, 1); };
  const auto read = [&](BufferId b) { return values.read(fold_.type, b, {zero}); };
  const BufferId mean = local(".mean"), distances = local(".squares");
  const ValueId nothing = values.constant(fold_.type, 0.0, false);
  const ValueId count = values.constant(fold_.type, double(group.items), false);
  Body body = body_of(stored(mean, zero, nothing));
  append(body,
         around(group, false, body_of(stored(mean, zero, apply(Function::Add, read(mean), item)))));
  body.push_back({stored(mean, zero, apply(Function::TrueDiv, read(mean), count))});
  body.push_back({stored(distances, zero, nothing)});
  const ValueId distance = apply(Function::Sub, item, read(mean));
  const ValueId square = apply(Function::Mul, distance, distance);
  append(body,
         around(group, false,
                body_of(stored(distances, zero, apply(Function::Add, read(distances), square)))));
  FoldState before;
  const std::vector<FoldComponent> parts = components(fold_);
  for (std::size_t c = 0; c < state_.size(); ++c) {
    before.push_back(values.read(parts[c].type, state_[c], {group.address}));
  }
  const FoldState after = merged(values, fold_, before, {read(distances), read(mean), count});
  for (std::size_t c = 0; c < state_.size(); ++c) {
    body.push_back({stored(state_[c], group.address, after[c])});
  }
  return body;
}

}  // namespace selvage
