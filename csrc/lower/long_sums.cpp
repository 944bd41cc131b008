#include <selvage/ir/fold.h>
#include <selvage/kernel/statements.h>
#include <selvage/lower/body.h>
#include <selvage/lower/long_sums.h>

#include <algorithm>
#include <bit>

namespace selvage {

namespace {

constexpr std::int64_t kMany = std::int64_t{1} << 40;

Store store(BufferId buffer, Expr address, ValueId value) {
  return {.buffer = buffer, .address = address, .value = value, .valid = {}};
}

// Which operand (0 or 1) of the stored sum reads `sum` at the stored address; nothing where the
// stored value is no such sum.
std::optional<std::size_t> sum_operand(const ValueGraph& values, const Store& store, BufferId sum) {
  const ValueNode& node = values[store.value];
  if (node.kind != ValueNode::Kind::Apply || node.function != Function::Add) return std::nullopt;
  for (std::size_t k = 0; k < 2; ++k) {
    const ValueNode& read = values[node.operands[k]];
    const bool is_own = read.kind == ValueNode::Kind::Read && read.source == sum &&
                        same(read.subscripts[0], store.address);
    if (is_own) return k;
  }
  return std::nullopt;
}

std::optional<std::int64_t> additions(const Body& body, const ValueGraph& values, BufferId sum);

// The most items that one thread adds to the buffer; nothing where it accesses it in another way.
std::optional<std::int64_t> additions(const Statement& statement, const ValueGraph& values,
                                      BufferId sum) {
  const auto* store = std::get_if<Store>(&statement.node);
  if (store != nullptr && store->buffer == sum) {
    return sum_operand(values, *store, sum) ? std::optional<std::int64_t>(1) : std::nullopt;
  }
  bool is_accessed = false;
  for_each_access(statement, values,
                  [&](const StatementAccess& a) { is_accessed = is_accessed || a.buffer == sum; });
  if (is_accessed) return std::nullopt;
  std::int64_t most = 0;
  for (const Body* body : bodies(statement)) {
    const auto own = additions(*body, values, sum);
    if (!own) return std::nullopt;
    most = std::max(most, *own);
  }
  if (most > 0 && std::holds_alternative<While>(statement.node)) return std::nullopt;
  const auto* loop = std::get_if<Loop>(&statement.node);
  if (loop == nullptr || is_index(loop->parallel) || most == 0) return most;
  if (!loop->extent.is(Op::Const)) return kMany;
  return std::min(most * std::min(loop->extent.value(), kMany), kMany);
}

std::optional<std::int64_t> additions(const Body& body, const ValueGraph& values, BufferId sum) {
  std::int64_t all = 0;
  for (const Statement& statement : body) {
    const auto own = additions(statement, values, sum);
    if (!own) return std::nullopt;
    all = std::min(all + *own, kMany);
  }
  return all;
}

}  // namespace

bool LongSums::rewrite(Body& body) {
  const auto all = additions(body, draft_.kernel.values, sum_);
  if (!all || *all <= kMostAddedInARow) return false;
  const std::string name = draft_.kernel.buffers[sum_].name;
  const DataType type = draft_.kernel.buffers[sum_].type;
  part_ = draft_.add_local(name + ".part", type, items_);
  lost_ = draft_.add_local(name + ".lost", type, items_);
  body = in_parts(std::move(body), true);
  return true;
}

Body LongSums::start() {
  return for_each_item_([&](Expr at) {
    return body_of_all(std::vector{zero(part_, at), zero(lost_, at)});
  });
}

Body LongSums::finish() {
  ValueGraph& values = draft_.kernel.values;
  const DataType type = draft_.kernel.buffers[sum_].type;
  const auto add = [&](ValueId a, ValueId b) { return values.apply(Function::Add, {a, b}); };
  return for_each_item_([&](Expr at) {
    const ValueId rest = add(values.read(type, part_, {at}), values.read(type, lost_, {at}));
    return body_of(store(sum_, at, add(values.read(type, sum_, {at}), rest)));
  });
}

Store LongSums::zero(BufferId buffer, Expr at) {
  const DataType type = draft_.kernel.buffers[buffer].type;
  return store(buffer, at, draft_.kernel.values.constant(type, 0.0, false));
}

// `is_last`: nothing is added after the body, and it is not run again, so that finish() may add
// what is left in the part.
Body LongSums::in_parts(Body body, bool is_last) {
  std::vector<Body> all;
  for (; !body.empty(); body.pop_back()) {
    Statement& statement = body.back();
    const std::int64_t own = *additions(statement, draft_.kernel.values, sum_);
    if (auto* guard = std::get_if<Guard>(&statement.node)) {
      guard->body = in_parts(std::move(guard->body), is_last);
      guard->otherwise = in_parts(std::move(guard->otherwise), is_last);
    }
    auto* loop = std::get_if<Loop>(&statement.node);
    if (loop != nullptr && own > 0)
      all.push_back(loop_in_parts(std::move(*loop), is_last));
    else
      all.push_back(body_of(std::move(statement)));
    is_last = is_last && own == 0;
  }
  for (; !all.empty(); all.pop_back()) append(body, std::move(all.back()));
  return body;
}

Body LongSums::loop_in_parts(Loop loop, bool is_last) {
  const std::int64_t each = *additions(loop.body, draft_.kernel.values, sum_);
  if (is_index(loop.parallel) || each > kMostAddedInARow) {
    loop.body = in_parts(std::move(loop.body), is_last && is_index(loop.parallel));
    return body_of(std::move(loop));
  }
  const auto iterations = std::int64_t(std::bit_floor(std::uint64_t(kMostAddedInARow / each)));
  rename(loop.body);
  std::vector<Expr> conditions;
  if (iterations > 1) conditions.push_back(eq(loop.variable % iterations, iterations - 1));
  append(loop.body, guarded(conditions, add_parts()));
  Body body = body_of(std::move(loop));
  if (!is_last) append(body, add_parts());
  return body;
}

Body LongSums::add_parts() {
  return for_each_item_([&](Expr at) { return add_part(at); });
}

// The rounding error of t = s + p is missing = (s - t) + p. It is taken for 0 where it is not
// finite, because s, p or t is infinite: missing - missing is NaN there, and 0 at every finite
// number.
Body LongSums::add_part(Expr at) {
  ValueGraph& values = draft_.kernel.values;
  const DataType type = draft_.kernel.buffers[sum_].type;
  const auto add = [&](ValueId a, ValueId b) { return values.apply(Function::Add, {a, b}); };
  const auto sub = [&](ValueId a, ValueId b) { return values.apply(Function::Sub, {a, b}); };
  const ValueId s = values.read(type, sum_, {at}), p = values.read(type, part_, {at});
  const ValueId t = add(s, p), missing = add(sub(s, t), p);
  const ValueId none = values.constant(type, 0.0, false);
  const ValueId is_finite = values.apply(Function::Eq, {sub(missing, missing), none});
  const ValueId lost = values.apply(Function::Select, {is_finite, missing, none});
  return body_of_all(std::vector{store(part_, at, add(p, values.read(type, lost_, {at}))),
                                 store(lost_, at, lost), store(sum_, at, t), zero(part_, at)});
}

// Makes the body add to the part what it adds to the sum.
void LongSums::rename(Body& body) {
  ValueGraph& values = draft_.kernel.values;
  for_each_statement(body, [&](Statement& statement) {
    auto* store = std::get_if<Store>(&statement.node);
    if (store == nullptr || store->buffer != sum_) return;
    const std::size_t own = *sum_operand(values, *store, sum_);
    ValueNode node = values[store->value];
    ValueNode read = values[node.operands[own]];
    read.source = part_;
    node.operands[own] = values.add(std::move(read));
    store->value = values.add(std::move(node));
    store->buffer = part_;
  });
}

}  // namespace selvage
