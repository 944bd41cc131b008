#include <selvage/base/names.h>
#include <selvage/base/refuse.h>
#include <selvage/base/words.h>
#include <selvage/expr/text.h>
#include <selvage/threads/builder.h>

#include <utility>

namespace selvage {

// ---- elements ----

ThreadElement::operator ThreadValue() const {
  builder_.check_not_taken();
  const ThreadArray& a = builder_.program_.arrays[array_];
  for (Expr e : subscripts_) builder_.scope_.check_number(e, "a subscript");
  return {builder_, builder_.program_.values.read(a.type, array_, subscripts_)};
}

void ThreadElement::operator=(const ThreadValue& value) const {
  builder_.check_not_taken();
  for (Expr e : subscripts_) builder_.scope_.check_number(e, "a subscript");
  const ValueId v = builder_.node(value);
  builder_.scope_.check(builder_.program_.values, v);
  builder_.add(Assign{array_, subscripts_, v});
}

void ThreadElement::update(Function f, const ThreadValue& value) const {
  *this = apply(f, {ThreadValue(*this), value});
}
void ThreadElement::operator+=(const ThreadValue& value) const { update(Function::Add, value); }
void ThreadElement::operator-=(const ThreadValue& value) const { update(Function::Sub, value); }
void ThreadElement::operator*=(const ThreadValue& value) const { update(Function::Mul, value); }

Expr ArrayRef::number(std::int64_t n) const {
  builder_->check_not_taken();
  return builder_->program_.pool->constant(n);
}

ThreadElement ArrayRef::at(std::vector<Expr> subscripts) const {
  builder_->check_not_taken();
  const ThreadArray& a = builder_->program_.arrays[array_];
  if (subscripts.size() != a.shape.size()) {
    refuse<BadInput>("E503",
                     a.name + " has rank " + std::to_string(a.shape.size()) + " and stands with " +
                         counted(std::int64_t(subscripts.size()), "subscript"),
                     "give one subscript for each axis");
  }
  return {*builder_, array_, std::move(subscripts)};
}

ThreadValue apply(Function f, const std::vector<ThreadValue>& operands) {
  if (operands.size() != std::size_t(info(f).arity)) {
    refuse<BadInput>("E315",
                     std::string(info(f).name) + " takes " + counted(info(f).arity, "operand") +
                         ", not " + std::to_string(operands.size()),
                     "give it as many");
  }
  ThreadBuilder* builder = nullptr;
  for (const ThreadValue& v : operands) {
    if (v.builder_ != nullptr) builder = v.builder_;
  }
  if (builder == nullptr) {
    refuse<BadInput>("E508", "no operand of " + std::string(info(f).name) + " is of a program",
                     "give it an element of an array, or write an expression of indices");
  }
  builder->check_not_taken();
  std::vector<ValueId> nodes;
  for (const ThreadValue& v : operands) nodes.push_back(builder->node(v));
  return {*builder, builder->program_.values.apply(f, std::move(nodes))};
}

// ---- the builder ----

ThreadBuilder::ThreadBuilder(std::string name) : program_(std::move(name)) {
  if (is_identifier(program_.name)) return;
  refuse<BadInput>("E201", shown(program_.name) + " is not a name",
                   "names consist of letters, digits and '_' and do not begin with a digit");
}

void ThreadBuilder::check_not_taken() const {
  if (!is_taken_) return;
  refuse<BadInput>("E513", "the program is taken, and nothing is added to it any more",
                   "call take() last, or build another program");
}

ValueId ThreadBuilder::node(const ThreadValue& value) {
  ValueGraph& values = program_.values;
  if (const auto* n = std::get_if<std::int64_t>(&value.value_)) return values.whole(*n);
  if (const auto* x = std::get_if<double>(&value.value_)) {
    return values.constant(DataType::Float, *x, true);
  }
  if (const auto* e = std::get_if<Expr>(&value.value_)) {
    scope_.check(*e, "the value");
    return values.index(*e);
  }
  if (value.builder_ != this) {
    refuse<BadInput>("E508", "the value is one of another program",
                     "use the arrays of the program that it stands in");
  }
  return std::get<ValueId>(value.value_);
}

Expr ThreadBuilder::symbol(const std::string& name, std::int64_t min,
                           std::optional<std::int64_t> max) {
  check_not_taken();
  if (max && min > *max) {
    refuse<BadInput>("E509",
                     "no value of " + name + " is at least " + std::to_string(min) +
                         " and at most " + std::to_string(*max),
                     "give it a max that is not below its min");
  }
  scope_.add_name(name);
  const Expr symbol = program_.pool->symbol(name);
  scope_.add_symbol(symbol);
  program_.symbols.push_back(symbol);
  program_.facts.bound(symbol, program_.pool->constant(min),
                       max ? program_.pool->constant(*max) : Expr());
  return symbol;
}

namespace {

void check_extent(std::int64_t extent, const std::string& name) {
  if (extent >= 1) return;
  refuse<BadInput>("E305", "the extent " + std::to_string(extent) + " of " + name + " is below 1",
                   "write a number of 1 or more");
}

}  // namespace

ThreadIndex ThreadBuilder::index(const std::string& name, std::int64_t extent) {
  check_not_taken();
  check_extent(extent, name);
  scope_.add_name(name);
  const Expr symbol = program_.pool->symbol(name);
  scope_.add_index(symbol, extent);
  return {symbol, extent};
}

ArrayRef ThreadBuilder::array(const std::string& name, std::vector<std::int64_t> shape,
                              DataType type, Memory memory) {
  check_not_taken();
  for (std::int64_t n : shape) check_extent(n, name);
  scope_.add_name(name);
  ThreadArray array{.name = name, .type = type, .memory = memory, .shape = {}};
  for (std::int64_t n : shape) array.shape.push_back(program_.pool->constant(n));
  program_.arrays.push_back(std::move(array));
  return {*this, std::uint32_t(program_.arrays.size() - 1)};
}

ThreadBody ThreadBuilder::inside_of(const Inside& inside, const Inside& begins) {
  check_not_taken();
  if (!inside) {
    refuse<BadInput>("E508", "a construct has no body", "give it one, such as [&] {}");
  }
  const BuilderScope::Mark mark = scope_.mark();
  ThreadBody body;
  ThreadBody* const around = std::exchange(body_, &body);
  try {
    begins();
    inside();
  } catch (...) {
    body_ = around;
    scope_.undo(mark);
    throw;
  }
  body_ = around;
  scope_.close(mark);
  return body;
}

void ThreadBuilder::parallel(std::vector<LevelSpec> levels, const Inside& inside) {
  const auto open = [&] {
    for (const LevelSpec& spec : levels) {
      for (const ThreadIndex& i : spec.indices) {
        scope_.open(i.symbol, i.extent, BuilderScope::Use::Level);
      }
    }
  };
  InnerParallel node{.levels = {}, .body = inside_of(inside, open)};
  for (LevelSpec& spec : levels) {
    ParallelLevel& level = node.levels.emplace_back();
    level.kind = spec.kind;
    for (const ThreadIndex& i : spec.indices) level.indices.push_back({i.symbol, i.extent});
  }
  add(std::move(node));
}

void ThreadBuilder::inthreads(Expr when, bool is_async, const Inside& inside) {
  check_not_taken();
  scope_.check_condition(when, "the condition");
  add(InThreads{
      .when = when, .text = to_string(when), .is_async = is_async, .body = inside_of(inside)});
}

void ThreadBuilder::role(const std::string& name, Expr when, const Inside& inside) {
  check_not_taken();
  if (!is_identifier(name)) {
    refuse<BadInput>("E201", "'" + name + "' is no name of a role", "use letters, digits and '_'");
  }
  scope_.check_condition(when, "the condition");
  add(InThreads{.when = when,
                .text = to_string(when),
                .is_async = true,
                .body = inside_of(inside),
                .role = name});
}

CopyLater ThreadBuilder::copies(Expr condition, const Inside& inside) {
  check_not_taken();
  if (condition.valid()) scope_.check_condition(condition, "the condition");
  return {.condition = condition,
          .text = condition.valid() ? to_string(condition) : "",
          .body = inside_of(inside)};
}
void ThreadBuilder::copy_later(Expr condition, const Inside& inside) {
  add(copies(condition, inside));
}
void ThreadBuilder::copy_later(const EventRef::Slot& at, Expr condition, const Inside& inside) {
  const EventSlot slot = checked(at);
  CopyLater made = copies(condition, inside);
  made.at = slot;
  add(std::move(made));
}

EventRef ThreadBuilder::event(const std::string& name, std::int64_t arrivals, std::int64_t slots) {
  check_not_taken();
  const auto check = [&](const char* what, std::int64_t n, std::int64_t most) {
    if (1 <= n && n <= most) return;
    refuse<BadInput>("E305", "the event " + name + " has " + std::to_string(n) + " " + what,
                     "give it 1 to " + std::to_string(most));
  };
  check("arrivals", arrivals, ThreadEvent::kMostArrivals);
  check("slots", slots, ThreadEvent::kMostSlots);
  scope_.add_name(name);
  program_.events.push_back({.name = name, .slots = slots, .arrivals = arrivals});
  return {*this, std::uint32_t(program_.events.size() - 1)};
}

EventSlot ThreadBuilder::checked(const EventRef::Slot& at) const {
  check_not_taken();
  if (at.builder != this) {
    refuse<BadInput>("E508", "the event is one of another program",
                     "use the events of the builder");
  }
  const ThreadEvent& event = program_.events[at.event];
  if (!at.slot.valid() && event.slots == 1) return {at.event, program_.pool->constant(0)};
  scope_.check_number(at.slot, "the slot");
  return {at.event, at.slot};
}
TileRef ThreadBuilder::checked(const ArrayRef::Tile& tile) const {
  check_not_taken();
  if (tile.builder != this) {
    refuse<BadInput>("E508", "the array is one of another program",
                     "use the arrays of the builder");
  }
  for (Expr e : tile.subscripts) scope_.check_number(e, "the subscript");
  return {tile.array, tile.subscripts};
}
void ThreadBuilder::mma(const ArrayRef::Tile& sums, const ArrayRef::Tile& a,
                        const ArrayRef::Tile& b) {
  add(MultiplyTiles{checked(sums), checked(a), checked(b)});
}
void ThreadBuilder::arrive(const EventRef::Slot& at) { add(ArriveAt{checked(at)}); }
void ThreadBuilder::wait(const EventRef::Slot& at, Expr phase) {
  const EventSlot slot = checked(at);
  scope_.check_number(phase, "the phase");
  add(WaitFor{slot, phase});
}

void ThreadBuilder::await_copies(std::int64_t pending) { await(pending, false); }
void ThreadBuilder::await_mma(std::int64_t pending) { await(pending, true); }
void ThreadBuilder::await(std::int64_t pending, bool of_mma) {
  if (pending < 0) {
    refuse<BadInput>("E305", "the number of groups is " + std::to_string(pending),
                     "wait until at most 0 or more groups have not ended");
  }
  add(AwaitGroups{pending, of_mma});
}

void ThreadBuilder::loop(const ThreadIndex& index, Expr condition, const Inside& inside) {
  ThreadBody body = inside_of(inside, [&] {
    scope_.open(index.symbol, index.extent, BuilderScope::Use::Loop);
    if (condition.valid()) scope_.check_condition(condition, "the condition");
  });
  add(SerialFor{.index = index.symbol,
                .extent = program_.pool->constant(index.extent),
                .label = std::string(index.symbol.name()),
                .condition = condition,
                .text = condition.valid() ? to_string(condition) : "",
                .body = std::move(body)});
}

void ThreadBuilder::leave(const ThreadIndex& loop, bool is_next) {
  check_not_taken();
  scope_.check_loop(loop.symbol);
  add(LeaveFor{std::string(loop.symbol.name()), is_next});
}

void ThreadBuilder::together(const Inside& inside) { add(DoTogether{inside_of(inside)}); }

ThreadProgram ThreadBuilder::take() {
  check_not_taken();
  if (body_ != &program_.outermost.body) {
    refuse<BadInput>("E513", "the program is taken inside one of its constructs",
                     "call take() behind all of them");
  }
  is_taken_ = true;
  ThreadBody& body = program_.outermost.body;
  if (body.size() == 1) {
    if (auto* only = std::get_if<InnerParallel>(&body[0].node)) {
      InnerParallel outermost = std::move(*only);
      program_.outermost = std::move(outermost);
    }
  }
  return std::move(program_);
}

}  // namespace selvage
