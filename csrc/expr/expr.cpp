#include <selvage/base/check.h>
#include <selvage/base/work.h>
#include <selvage/expr/expr.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <mutex>
#include <new>

namespace selvage {

namespace {

constexpr OpInfo kOps[] = {
#define X(name, arity, result, precedence, text, smt) \
  {#name, arity, Result::result, precedence, text, smt},
    SELVAGE_OPS(X)
#undef X
};

std::uint64_t mix(std::uint64_t h, std::uint64_t v) {
  h = (h ^ v) * 0x9E3779B97F4A7C15ull;
  return h ^ (h >> 29);
}

std::uint32_t tree_size(Op op, std::span<const Expr> args) {
  if (op == Op::Let) return 1;
  std::uint64_t n = 1;
  for (Expr e : args) n += e.size();
  return n > UINT32_MAX ? UINT32_MAX : std::uint32_t(n);
}

std::uint32_t tree_depth(Op op, std::span<const Expr> args) {
  if (op == Op::Let) return 1;
  std::uint32_t deepest = 0;
  for (Expr e : args) deepest = std::max(deepest, e.depth());
  return deepest + 1;
}

}  // namespace

const OpInfo& info(Op op) { return kOps[std::size_t(op)]; }

struct ExprPool::Key {
  Op op;
  std::int64_t value;
  std::string_view name;
  std::span<const Expr> args;
  std::uint64_t hash;

  Key(Op o, std::int64_t v, std::string_view n, std::span<const Expr> a)
      : op(o), value(v), name(n), args(a) {
    hash = mix(std::uint64_t(o) + 1, std::uint64_t(v));
    if (!n.empty()) hash = mix(hash, std::hash<std::string_view>()(n));
    for (Expr e : a) hash = mix(hash, e.id() + 1);
  }
  bool matches(const ExprNode& node) const {
    if (node.hash != hash || node.op != op || node.value != value) return false;
    if (node.operands != args.size() || node.name != name) return false;
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (!same(node.args[i], args[i])) return false;
    }
    return true;
  }
};

// An open-addressing table that readers probe without a lock. Entries are only ever added; a table
// that is outgrown stays alive until the pool goes, so that a reader may finish its probe in it.
struct ExprPool::Shard {
  struct Table {
    explicit Table(std::size_t n) : mask(n - 1), slots(new std::atomic<const ExprNode*>[n]) {
      for (std::size_t i = 0; i < n; ++i) slots[i].store(nullptr, std::memory_order_relaxed);
    }
    const ExprNode* find(const Key& key) const {
      for (std::size_t i = (key.hash >> 8) & mask;; i = (i + 1) & mask) {
        const ExprNode* node = slots[i].load(std::memory_order_acquire);
        if (node == nullptr || key.matches(*node)) return node;
      }
    }
    void insert(const ExprNode* node) {
      std::size_t i = (node->hash >> 8) & mask;
      while (slots[i].load(std::memory_order_relaxed) != nullptr) i = (i + 1) & mask;
      slots[i].store(node, std::memory_order_release);
    }
    std::size_t mask;
    std::unique_ptr<std::atomic<const ExprNode*>[]> slots;
  };

  Shard() { publish(std::make_unique<Table>(32)); }

  void publish(std::unique_ptr<Table> next) {
    table.store(next.get(), std::memory_order_release);
    tables.push_back(std::move(next));
  }
  void grow() {
    const Table& old = *tables.back();
    auto next = std::make_unique<Table>((old.mask + 1) * 2);
    for (std::size_t i = 0; i <= old.mask; ++i) {
      if (const ExprNode* n = old.slots[i].load(std::memory_order_relaxed)) next->insert(n);
    }
    publish(std::move(next));
  }
  void* allocate(std::size_t bytes) {
    bytes = (bytes + 7) & ~std::size_t(7);
    if (bytes > left) {
      // The first chunks are small: many pools live for one question.
      const std::size_t chunk =
          std::max(bytes, std::size_t{1024} << std::min<std::size_t>(chunks.size(), 6));
      chunks.push_back(std::make_unique_for_overwrite<std::byte[]>(chunk));
      next = chunks.back().get();
      left = chunk;
    }
    void* p = next;
    next += bytes;
    left -= bytes;
    return p;
  }

  std::mutex mutex;  // guards all but the reading of `table`
  std::atomic<const Table*> table{nullptr};
  std::vector<std::unique_ptr<Table>> tables;
  std::vector<std::unique_ptr<std::byte[]>> chunks;
  std::byte* next = nullptr;
  std::size_t left = 0;
  std::size_t count = 0;
};

ExprPool::ExprPool() {
  for (auto& shard : shards_) shard = std::make_unique<Shard>();
}
ExprPool::~ExprPool() = default;

Expr ExprPool::intern(const Key& key) {
  count_work(4);
  Shard& shard = *shards_[key.hash & (kShards - 1)];
  if (const ExprNode* node = shard.table.load(std::memory_order_acquire)->find(key)) {
    return Expr(node);
  }
  const std::lock_guard lock(shard.mutex);
  if (const ExprNode* node = shard.tables.back()->find(key)) return Expr(node);
  if (2 * (shard.count + 1) > shard.tables.back()->mask) shard.grow();

  char* name = nullptr;
  if (!key.name.empty()) {
    name = static_cast<char*>(shard.allocate(key.name.size()));
    std::memcpy(name, key.name.data(), key.name.size());
  }
  Expr* args = nullptr;
  if (!key.args.empty()) {
    args = static_cast<Expr*>(shard.allocate(key.args.size_bytes()));
    std::uninitialized_copy(key.args.begin(), key.args.end(), args);
  }
  auto* node = new (shard.allocate(sizeof(ExprNode)))
      ExprNode{key.op,
               std::uint16_t(key.args.size()),
               next_id_.fetch_add(1, std::memory_order_acq_rel),
               tree_size(key.op, key.args),
               tree_depth(key.op, key.args),
               key.hash,
               key.value,
               std::string_view(name, key.name.size()),
               this,
               args};
  shard.tables.back()->insert(node);
  ++shard.count;
  return Expr(node);
}

Expr ExprPool::constant(std::int64_t value) { return intern(Key(Op::Const, value, {}, {})); }
Expr ExprPool::truth(bool value) { return intern(Key(Op::Bool, value, {}, {})); }
Expr ExprPool::symbol(std::string_view name) { return intern(Key(Op::Symbol, 0, name, {})); }
Expr ExprPool::let(Expr definition) {
  return intern(Key(Op::Let, 0, {}, std::span(&definition, 1)));
}
Expr ExprPool::load(std::string_view table, std::span<const Expr> subscripts) {
  return intern(Key(Op::Load, 0, table, subscripts));
}
Expr ExprPool::call(std::string_view function, std::span<const Expr> operands) {
  return intern(Key(Op::Call, 0, function, operands));
}
Expr ExprPool::make(Op op, std::span<const Expr> operands) {
  SELVAGE_CHECK(info(op).arity > 0 && std::size_t(info(op).arity) == operands.size());
  return intern(Key(op, 0, {}, operands));
}
Expr ExprPool::make(Op op, Expr a, Expr b) {
  const Expr operands[] = {a, b};
  return make(op, operands);
}

Expr select(Expr condition, Expr a, Expr b) {
  const Expr operands[] = {condition, a, b};
  return a.pool().make(Op::Select, operands);
}

Expr with_operands(Expr e, std::span<const Expr> operands) {
  if (e.is(Op::Load)) return e.pool().load(e.name(), operands);
  if (e.is(Op::Call)) return e.pool().call(e.name(), operands);
  return e.pool().make(e.op(), operands);
}

}  // namespace selvage
