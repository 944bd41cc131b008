#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace selvage {

// One row per operator, read by the printer, the parser, the evaluator and the SMT and C emitters.
//   arity       -1: any number
//   precedence  as in C, larger binds tighter; kCall: written as a function or a name
//   text        how it is written; smt: its name in SMT-LIB
// Division is Euclidean: a = b*(a/b) + a%b with 0 <= a%b < |b|.
// clang-format off
#define SELVAGE_OPS(X)                                                     \
  /* name    arity  result  precedence  text      smt    */                \
  X(Const,    0,    Int,    kCall,      "",       "")                      \
  X(Bool,     0,    Truth,  kCall,      "",       "")                      \
  X(Symbol,   0,    Int,    kCall,      "",       "")                      \
  X(Let,      1,    Int,    kCall,      "",       "")                      \
  X(Add,      2,    Int,    12,         "+",      "+")                     \
  X(Sub,      2,    Int,    12,         "-",      "-")                     \
  X(Mul,      2,    Int,    13,         "*",      "*")                     \
  X(Div,      2,    Int,    13,         "/",      "div")                   \
  X(Mod,      2,    Int,    13,         "%",      "mod")                   \
  X(Min,      2,    Int,    kCall,      "min",    "min")                   \
  X(Max,      2,    Int,    kCall,      "max",    "max")                   \
  X(Xor,      2,    Int,    8,          "^",      "xor")                   \
  X(Select,   3,    Int,    kCall,      "select", "ite")                   \
  X(Load,    -1,    Int,    kCall,      "",       "")                      \
  X(Call,    -1,    Int,    kCall,      "",       "")                      \
  X(Lt,       2,    Truth,  10,         "<",      "<")                     \
  X(Le,       2,    Truth,  10,         "<=",     "<=")                    \
  X(Eq,       2,    Truth,  9,          "==",     "=")                     \
  X(Not,      1,    Truth,  14,         "!",      "not")                   \
  X(And,      2,    Truth,  5,          "&&",     "and")                   \
  X(Or,       2,    Truth,  4,          "||",     "or")
// clang-format on

inline constexpr int kCall = 20;

enum class Op : std::uint8_t {
#define X(name, ...) name,
  SELVAGE_OPS(X)
#undef X
};

enum class Result : std::uint8_t { Int, Truth };

struct OpInfo {
  const char* name;
  int arity;
  Result result;
  int precedence;
  const char* text;
  const char* smt;
};
const OpInfo& info(Op op);

class ExprPool;
struct ExprNode;

// An immutable integer or Boolean expression: an 8-byte handle to a node of a pool.
// Structurally equal expressions of one pool are the same handle.
//   Let   names its one operand: rewriting takes it for a symbol, evaluation looks through it.
//   Load  an element of a table, `offsets[row + 1]`; Call: a pure function, `f(x)`. Both opaque.
class Expr {
 public:
  Expr() = default;  // no expression; only to be assigned to

  bool valid() const { return node_ != nullptr; }
  Op op() const;
  std::int64_t value() const;     // of a Const; 0 or 1 of a Bool
  std::string_view name() const;  // of a Symbol, Load or Call
  std::span<const Expr> args() const;
  Expr operator[](std::size_t i) const;  // the i-th operand
  std::uint32_t id() const;              // dense, operands before their users; depends on history
  std::uint32_t size() const;            // nodes of the written tree, a Let counting 1; saturates
  std::uint32_t depth() const;           // of the written tree: 1 for a leaf or a Let
  ExprPool& pool() const;

  bool is(Op o) const { return op() == o; }
  bool is_const(std::int64_t v) const { return is(Op::Const) && value() == v; }
  bool is_true() const { return is(Op::Bool) && value() == 1; }
  bool is_false() const { return is(Op::Bool) && value() == 0; }

  friend bool operator==(Expr, Expr) = delete;  // ambiguous: say same(a, b) or eq(a, b)
  friend bool same(Expr a, Expr b) { return a.node_ == b.node_; }

 private:
  friend class ExprPool;
  explicit Expr(const ExprNode* node) : node_(node) {}
  const ExprNode* node_ = nullptr;
};

// Where expressions live: append-only, hash-consed, freed as a whole.
// Interning may be called from several threads at once. Looking up what exists takes no lock;
// what is new takes the lock of one shard.
class ExprPool {
 public:
  ExprPool();
  ~ExprPool();
  ExprPool(const ExprPool&) = delete;
  ExprPool& operator=(const ExprPool&) = delete;

  Expr constant(std::int64_t value);
  Expr truth(bool value);
  Expr symbol(std::string_view name);
  Expr let(Expr definition);
  Expr load(std::string_view table, std::span<const Expr> subscripts);
  Expr call(std::string_view function, std::span<const Expr> operands);
  // The node as it is, nothing folded. The number of operands must be the operator's arity.
  Expr make(Op op, std::span<const Expr> operands);
  Expr make(Op op, Expr a, Expr b);

  // Number of nodes: every id is below it.
  std::uint32_t size() const { return next_id_.load(std::memory_order_acquire); }

 private:
  struct Shard;
  struct Key;
  Expr intern(const Key& key);

  static constexpr std::size_t kShards = 16;
  std::array<std::unique_ptr<Shard>, kShards> shards_;
  std::atomic<std::uint32_t> next_id_{0};
};

struct ExprNode {
  Op op;
  std::uint16_t operands;
  std::uint32_t id;
  std::uint32_t size;
  std::uint32_t depth;
  std::uint64_t hash;
  std::int64_t value;
  std::string_view name;
  ExprPool* pool;
  const Expr* args;
};

inline Op Expr::op() const { return node_->op; }
inline std::int64_t Expr::value() const { return node_->value; }
inline std::string_view Expr::name() const { return node_->name; }
inline std::span<const Expr> Expr::args() const { return {node_->args, node_->operands}; }
inline Expr Expr::operator[](std::size_t i) const { return node_->args[i]; }
inline std::uint32_t Expr::id() const { return node_->id; }
inline std::uint32_t Expr::size() const { return node_->size; }
inline std::uint32_t Expr::depth() const { return node_->depth; }
inline ExprPool& Expr::pool() const { return *node_->pool; }

// The canonical order, by structure alone: the same in every process, whatever was made before.
// Names are compared as people count: I2 before I10.
bool structurally_before(Expr a, Expr b);
bool name_before(std::string_view a, std::string_view b);

#define SELVAGE_BINARY(symbol, op)                                                              \
  inline Expr operator symbol(Expr a, Expr b) { return a.pool().make(Op::op, a, b); }           \
  inline Expr operator symbol(Expr a, std::int64_t b) { return a symbol a.pool().constant(b); } \
  inline Expr operator symbol(std::int64_t a, Expr b) { return b.pool().constant(a) symbol b; }
SELVAGE_BINARY(+, Add)
SELVAGE_BINARY(-, Sub)
SELVAGE_BINARY(*, Mul)
SELVAGE_BINARY(/, Div)
SELVAGE_BINARY(%, Mod)
SELVAGE_BINARY(^, Xor)
SELVAGE_BINARY(<, Lt)
SELVAGE_BINARY(<=, Le)
#undef SELVAGE_BINARY
inline Expr operator>(Expr a, Expr b) { return b < a; }
inline Expr operator>=(Expr a, Expr b) { return b <= a; }
inline Expr operator>(Expr a, std::int64_t b) { return b < a; }
inline Expr operator>=(Expr a, std::int64_t b) { return b <= a; }
inline Expr operator&&(Expr a, Expr b) { return a.pool().make(Op::And, a, b); }
inline Expr operator||(Expr a, Expr b) { return a.pool().make(Op::Or, a, b); }
inline Expr operator!(Expr a) { return a.pool().make(Op::Not, std::span(&a, 1)); }
inline Expr eq(Expr a, Expr b) { return a.pool().make(Op::Eq, a, b); }
inline Expr eq(Expr a, std::int64_t b) { return eq(a, a.pool().constant(b)); }
inline Expr min(Expr a, Expr b) { return a.pool().make(Op::Min, a, b); }
inline Expr max(Expr a, Expr b) { return a.pool().make(Op::Max, a, b); }
inline Expr ceil_div(Expr a, Expr b) { return (a + (b - 1)) / b; }
Expr select(Expr condition, Expr a, Expr b);

// The operation, table or function of e with other operands; nothing is folded.
Expr with_operands(Expr e, std::span<const Expr> operands);

}  // namespace selvage
