#pragma once

#include <selvage/base/refuse.h>
#include <selvage/threads/builder_scope.h>
#include <selvage/threads/program.h>

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace selvage {

class ThreadBuilder;

// A parallel or serial index: an Expr that knows its extent.
struct ThreadIndex {
  Expr symbol;
  std::int64_t extent = 1;
  operator Expr() const { return symbol; }
};

// One level: its indices, the first the most significant; and its kind (absent: inferred).
struct LevelSpec {
  std::optional<LevelKind> kind;
  std::vector<ThreadIndex> indices;

  LevelSpec(ThreadIndex index) : indices{std::move(index)} {}
  LevelSpec(std::initializer_list<ThreadIndex> indices) : indices(indices) {}
  LevelSpec(LevelKind kind, std::initializer_list<ThreadIndex> indices)
      : kind(kind), indices(indices) {}
};

// `n` as a signed 64-bit number. Throws BadInput E305 if it is too large for one.
template <std::integral Number>
std::int64_t whole_number(Number n) {
  if constexpr (sizeof(Number) >= sizeof(std::int64_t) && std::unsigned_integral<Number>) {
    if (n > Number(INT64_MAX)) {
      refuse<BadInput>("E305", "the number " + std::to_string(n) + " is not of 64 bits",
                       "write one of at most 2^63 - 1");
    }
  }
  return std::int64_t(n);
}

// A value to store: an element, a number, an expression of indices, or a function of these.
class ThreadValue {
 public:
  template <std::integral Number>
  ThreadValue(Number n) : value_(whole_number(n)) {}
  template <std::floating_point Number>
  ThreadValue(Number n) : value_(double(n)) {}
  ThreadValue(Expr e) : value_(e) {}
  ThreadValue(const ThreadIndex& i) : value_(i.symbol) {}

 private:
  friend class ThreadBuilder;
  friend class ThreadElement;
  friend ThreadValue apply(Function f, const std::vector<ThreadValue>& operands);
  ThreadValue(ThreadBuilder& builder, ValueId v) : builder_(&builder), value_(v) {}

  ThreadBuilder* builder_ = nullptr;
  std::variant<std::int64_t, double, Expr, ValueId> value_;
};

// An element of an array. An assignment to it adds a statement to the program.
class ThreadElement {
 public:
  operator ThreadValue() const;
  void operator=(const ThreadValue& value) const;
  void operator=(const ThreadElement& other) const { *this = ThreadValue(other); }
  void operator+=(const ThreadValue& value) const;
  void operator-=(const ThreadValue& value) const;
  void operator*=(const ThreadValue& value) const;

 private:
  friend class ArrayRef;
  ThreadElement(ThreadBuilder& builder, std::uint32_t array, std::vector<Expr> subscripts)
      : builder_(builder), array_(array), subscripts_(std::move(subscripts)) {}
  ThreadElement(const ThreadElement&) = default;
  void update(Function f, const ThreadValue& value) const;

  ThreadBuilder& builder_;
  std::uint32_t array_;
  std::vector<Expr> subscripts_;
};

// An array of a program. a(i, j) is one of its elements; throws BadInput E503 if the number of
// subscripts is not the number of axes.
class ArrayRef {
 public:
  template <class... Subscript>
  requires(... && (std::integral<Subscript> || std::convertible_to<Subscript, Expr>)) ThreadElement
  operator()(Subscript... subscripts) const {
    return at({as_expr(subscripts)...});
  }
  // The last axes, at subscripts of those before.
  struct Tile {
    const ThreadBuilder* builder;
    std::uint32_t array;
    std::vector<Expr> subscripts;
  };
  template <class... Subscript>
  Tile tile(Subscript... subscripts) const {
    return {builder_, array_, {as_expr(subscripts)...}};
  }

 private:
  friend class ThreadBuilder;
  ArrayRef(ThreadBuilder& builder, std::uint32_t array) : builder_(&builder), array_(array) {}
  ThreadElement at(std::vector<Expr> subscripts) const;
  Expr as_expr(Expr e) const { return e; }
  template <std::integral Number>
  Expr as_expr(Number n) const {
    return number(whole_number(n));
  }
  Expr number(std::int64_t n) const;

  ThreadBuilder* builder_;
  std::uint32_t array_;
};

// An event of a program: a ring of barrier objects. full(k % 2) is one of them; full(), that of an
// event with one slot.
class EventRef {
 public:
  struct Slot {
    const ThreadBuilder* builder;
    std::uint32_t event;
    Expr slot;
  };
  Slot operator()(Expr slot = {}) const { return {builder_, event_, slot}; }

 private:
  friend class ThreadBuilder;
  EventRef(const ThreadBuilder& builder, std::uint32_t event) : builder_(&builder), event_(event) {}

  const ThreadBuilder* builder_;
  std::uint32_t event_;
};

// Builds a thread program. A construct calls the function `inside` that it is given; statements
// made during that call become the construct's body. If the function throws, the construct is not
// added to the program.
//
// Throws BadInput and leaves the program unchanged:
//   E104           an expression or a value with too many parts
//   E201 to E203   a name that is no identifier, reserved, or a word of C++ or CUDA; for the name
//                  of the program E201 only
//   E204           a name that is taken; an index of an open level or loop, or of two constructs
//                  one of which is a level
//   E302           an index that no enclosing level or loop has
//   E303, E316     a condition where a number is needed, or the reverse; an opaque expression
//   E305           an extent below 1; slots or arrivals of an event that are too few, or too many
//   E315           apply() with the wrong number of operands
//   E508           an expression, index or body that is missing or belongs to another program
//   E509           a symbol whose min is above its max
//   E513           any call after take(), or take() inside a construct
//   E826           leave() or next() of a loop that does not enclose them
class ThreadBuilder {
 public:
  using Inside = std::function<void()>;

  explicit ThreadBuilder(std::string name);
  ThreadBuilder(const ThreadBuilder&) = delete;

  // A value that is known when the program is launched.
  Expr symbol(const std::string& name, std::int64_t min, std::optional<std::int64_t> max = {});
  ThreadIndex index(const std::string& name, std::int64_t extent);
  ArrayRef array(const std::string& name, std::vector<std::int64_t> shape, DataType type,
                 Memory memory = Memory::Global);
  // A phase of each slot ends when so many arrivals have come.
  EventRef event(const std::string& name, std::int64_t arrivals, std::int64_t slots = 1);

  void parallel(std::vector<LevelSpec> levels, const Inside& inside);
  void inthreads(Expr when, const Inside& inside) { inthreads(when, false, inside); }
  void inthreads_async(Expr when, const Inside& inside) { inthreads(when, true, inside); }
  // What some whole warps do beside others.
  void role(const std::string& name, Expr when, const Inside& inside);
  // Runs `inside` where `condition` holds. A condition that does not depend on the index is tested
  // once, before the loop.
  void loop(const ThreadIndex& index, const Inside& inside) { loop(index, Expr(), inside); }
  void loop(const ThreadIndex& index, Expr condition, const Inside& inside);
  // break out of, or continue with, the enclosing loop over an index.
  void leave(const ThreadIndex& loop) { leave(loop, false); }
  void next(const ThreadIndex& loop) { leave(loop, true); }
  void sync_shared() { add(Synchronize{Synchronize::Among::Shared}); }
  void sync_warp() { add(Synchronize{Synchronize::Among::Warp}); }
  void sync_region() { add(Synchronize{Synchronize::Among::Region}); }
  // Assignments of elements of global memory to elements of shared memory that end later, as one
  // group, where `condition` holds; and a wait until at most `pending` groups have not ended.
  void copy_later(const Inside& inside) { copy_later(Expr(), inside); }
  void copy_later(Expr condition, const Inside& inside);
  void await_copies(std::int64_t pending = 0);
  // Threads of warpgroups begin sums += a * b, which ends later, as one group; the wait for such
  // groups; and the fence behind what a thread stores for them (threads/program.h).
  void mma(const ArrayRef::Tile& sums, const ArrayRef::Tile& a, const ArrayRef::Tile& b);
  void await_mma(std::int64_t pending = 0);
  void fence_shared() { add(FenceShared{}); }
  // The same copies in no group: each thread arrives when all that it has begun have ended.
  void copy_later(const EventRef::Slot& at, const Inside& inside) {
    copy_later(at, Expr(), inside);
  }
  void copy_later(const EventRef::Slot& at, Expr condition, const Inside& inside);
  void arrive(const EventRef::Slot& at);
  // `phase`: its number, or one of the same parity (threads/program.h).
  void wait(const EventRef::Slot& at, Expr phase);
  // Statements that share one mask where they stand beside an inner level.
  void together(const Inside& inside);

  // Returns the program. The builder takes no more calls (E513).
  ThreadProgram take();

 private:
  friend class ThreadElement;
  friend class ArrayRef;
  friend ThreadValue apply(Function f, const std::vector<ThreadValue>& operands);

  void inthreads(Expr when, bool is_async, const Inside& inside);
  void leave(const ThreadIndex& loop, bool is_next);
  // The body that `inside` makes. `begins` runs first and opens the construct's indices.
  ThreadBody inside_of(
      const Inside& inside, const Inside& begins = [] {});
  void add(auto node) {
    check_not_taken();
    body_->push_back({std::move(node), {}});
  }
  void check_not_taken() const;
  EventSlot checked(const EventRef::Slot& at) const;
  TileRef checked(const ArrayRef::Tile& tile) const;
  void await(std::int64_t pending, bool of_mma);
  CopyLater copies(Expr condition, const Inside& inside);
  ValueId node(const ThreadValue& value);

  ThreadProgram program_;
  ThreadBody* body_ = &program_.outermost.body;
  BuilderScope scope_{*program_.pool};
  bool is_taken_ = false;
};

// f(operands). At least one operand must be an element or made from one (else E508).
ThreadValue apply(Function f, const std::vector<ThreadValue>& operands);
inline ThreadValue operator+(const ThreadValue& a, const ThreadValue& b) {
  return apply(Function::Add, {a, b});
}
inline ThreadValue operator-(const ThreadValue& a, const ThreadValue& b) {
  return apply(Function::Sub, {a, b});
}
inline ThreadValue operator*(const ThreadValue& a, const ThreadValue& b) {
  return apply(Function::Mul, {a, b});
}

}  // namespace selvage
