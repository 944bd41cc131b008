#include <selvage/ir/fold.h>
#include <selvage/lower/body.h>
#include <selvage/lower/long_sums.h>

#include <algorithm>

namespace selvage {

namespace {

constexpr std::int64_t kMany = std::int64_t{1} << 40;

Store store(BufferId buffer, Expr address, ValueId value) {
  return {.buffer = buffer, .address = address, .value = value, .valid = {}};
}

// The operand of a sum that reads the buffer; nothing where the value is no such sum.
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

// How many items one thread adds to the buffer, at most; nothing where it does anything else there.
std::optional<std::int64_t> additions(const Body& body, const ValueGraph& values, BufferId sum) {
  std::int64_t all = 0;
  for (const Statement& statement : body) {
    std::optional<std::int64_t> own = 0;
    if (const auto* store = std::get_if<Store>(&statement.node)) {
      if (store->buffer != sum) continue;
      if (!sum_operand(values, *store, sum)) return std::nullopt;
      own = 1;
    } else if (const auto* loop = std::get_if<Loop>(&statement.node)) {
      own = additions(loop->body, values, sum);
      const bool is_number = loop->extent.is(Op::Const);
      if (own && !is_index(loop->parallel)) {
        *own = is_number  ? std::min(*own * std::min(loop->extent.value(), kMany), kMany)
               : *own > 0 ? kMany
                          : 0;
      }
    } else if (const auto* guard = std::get_if<Guard>(&statement.node)) {
      const auto then = additions(guard->body, values, sum);
      const auto otherwise = additions(guard->otherwise, values, sum);
      if (!then || !otherwise) return std::nullopt;
      own = std::max(*then, *otherwise);
    }
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
  body = in_parts(std::move(body));
  return true;
}

Body LongSums::start() {
  ValueGraph& values = draft_.kernel.values;
  const DataType type = draft_.kernel.buffers[lost_].type;
  return for_each_item_(
      [&](Expr at) { return body_of(store(lost_, at, values.constant(type, 0.0, false))); });
}

Body LongSums::finish() {
  ValueGraph& values = draft_.kernel.values;
  const DataType type = draft_.kernel.buffers[lost_].type;
  return for_each_item_([&](Expr at) {
    const ValueId sum = values.read(type, sum_, {at}), lost = values.read(type, lost_, {at});
    return body_of(store(sum_, at, values.apply(Function::Add, {sum, lost})));
  });
}

Body LongSums::in_parts(Body body) {
  for (Statement& statement : body) {
    if (auto* guard = std::get_if<Guard>(&statement.node)) {
      guard->body = in_parts(std::move(guard->body));
      guard->otherwise = in_parts(std::move(guard->otherwise));
      continue;
    }
    auto* loop = std::get_if<Loop>(&statement.node);
    if (loop == nullptr) continue;
    const std::int64_t each = *additions(loop->body, draft_.kernel.values, sum_);
    if (each == 0) continue;
    if (is_index(loop->parallel) || each > kMostAddedInARow) {
      loop->body = in_parts(std::move(loop->body));
      continue;
    }
    ValueGraph& values = draft_.kernel.values;
    const DataType type = draft_.kernel.buffers[part_].type;
    Body parts = for_each_item_(
        [&](Expr at) { return body_of(store(part_, at, values.constant(type, 0.0, false))); });
    rename(loop->body);
    append(parts, std::move(loop->body));
    append(parts, for_each_item_([&](Expr at) { return add_part(at); }));
    loop->body = std::move(parts);
  }
  return body;
}

// What t = s + p lacks is (s - t) + p; where t is infinite that is no number, and nothing is
// missing.
Body LongSums::add_part(Expr at) {
  ValueGraph& values = draft_.kernel.values;
  const DataType type = draft_.kernel.buffers[sum_].type;
  const auto add = [&](ValueId a, ValueId b) { return values.apply(Function::Add, {a, b}); };
  const auto sub = [&](ValueId a, ValueId b) { return values.apply(Function::Sub, {a, b}); };
  const ValueId s = values.read(type, sum_, {at}), p = values.read(type, part_, {at});
  const ValueId t = add(s, p), missing = add(sub(s, t), p);
  const ValueId lost = values.apply(
      Function::Select,
      {values.apply(Function::Eq, {missing, missing}), missing, values.constant(type, 0.0, false)});
  return body_of_all(std::vector{store(part_, at, add(p, values.read(type, lost_, {at}))),
                                 store(lost_, at, lost), store(sum_, at, t)});
}

// What is added to the sum is added to its part.
void LongSums::rename(Body& body) {
  ValueGraph& values = draft_.kernel.values;
  for (Statement& statement : body) {
    if (auto* loop = std::get_if<Loop>(&statement.node)) rename(loop->body);
    if (auto* guard = std::get_if<Guard>(&statement.node)) {
      rename(guard->body);
      rename(guard->otherwise);
    }
    auto* store = std::get_if<Store>(&statement.node);
    if (store == nullptr || store->buffer != sum_) continue;
    const std::size_t own = *sum_operand(values, *store, sum_);
    ValueNode node = values[store->value];
    ValueNode read = values[node.operands[own]];
    read.source = part_;
    node.operands[own] = values.add(std::move(read));
    store->value = values.add(std::move(node));
    store->buffer = part_;
  }
}

}  // namespace selvage
