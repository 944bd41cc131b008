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

// One level: indices, the first the most significant; and its kind, if it is not to be inferred.
struct LevelSpec {
  std::optional<LevelKind> kind;
  std::vector<ThreadIndex> indices;

  LevelSpec(ThreadIndex index) : indices{std::move(index)} {}
  LevelSpec(std::initializer_list<ThreadIndex> indices) : indices(indices) {}
  LevelSpec(LevelKind kind, std::initializer_list<ThreadIndex> indices)
      : kind(kind), indices(indices) {}
};

// A number of 64 bits. Throws BadInput E305: it is larger.
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

// What is stored: an element, a number, an expression of indices, or what is made of these.
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

// An element of an array; to assign to it is a statement of the program.
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

// An array of a program. Throws BadInput E503 for another number of subscripts than it has axes.
class ArrayRef {
 public:
  template <class... Subscript>
  requires(... && (std::integral<Subscript> || std::convertible_to<Subscript, Expr>)) ThreadElement
  operator()(Subscript... subscripts) const {
    return at({as_expr(subscripts)...});
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

// Builds a thread program. What is called inside the function that a construct is given stands in
// that construct; where it throws, the construct is none of the program.
//
// Throws BadInput, and the program is as it was:
//   E104           an expression or a value of too many parts
//   E201 to E203   what is no name, reserved, or a word of C++ or CUDA; of the program E201 alone
//   E204           a name that is taken; an index that is in use, or of a level and of more
//   E302           an index of no level or loop around
//   E303, E316     a condition for a number, a number for a condition, an opaque expression
//   E305           an extent below 1
//   E315           apply(): another number of operands
//   E508           what is none, or is of another program
//   E509           a symbol that can have no value
//   E513           something comes after take(), or take() inside a construct
//   E826           leave() or next() of no loop around
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

  void parallel(std::vector<LevelSpec> levels, const Inside& inside);
  void inthreads(Expr when, const Inside& inside) { inthreads(when, false, inside); }
  void inthreads_async(Expr when, const Inside& inside) { inthreads(when, true, inside); }
  // `condition`: tested before the loop where it does not depend on the index.
  void loop(const ThreadIndex& index, const Inside& inside) { loop(index, Expr(), inside); }
  void loop(const ThreadIndex& index, Expr condition, const Inside& inside);
  // Out of the loop over an index, or on to its next iteration.
  void leave(const ThreadIndex& loop) { leave(loop, false); }
  void next(const ThreadIndex& loop) { leave(loop, true); }
  void sync_shared() { add(Synchronize{Synchronize::Among::Shared}); }
  void sync_warp() { add(Synchronize{Synchronize::Among::Warp}); }
  void sync_region() { add(Synchronize{Synchronize::Among::Region}); }
  // Statements that belong together: one mask where they stand beside an inner level.
  void together(const Inside& inside);

  // The program so far; nothing is added to it any more.
  ThreadProgram take();

 private:
  friend class ThreadElement;
  friend class ArrayRef;
  friend ThreadValue apply(Function f, const std::vector<ThreadValue>& operands);

  void inthreads(Expr when, bool is_async, const Inside& inside);
  void leave(const ThreadIndex& loop, bool is_next);
  // `begins`: what is to be opened for it.
  ThreadBody inside_of(
      const Inside& inside, const Inside& begins = [] {});
  void add(auto node) {
    check_not_taken();
    body_->push_back({std::move(node), {}});
  }
  void check_not_taken() const;
  ValueId node(const ThreadValue& value);

  ThreadProgram program_;
  ThreadBody* body_ = &program_.outermost.body;
  BuilderScope scope_{*program_.pool};
  bool is_taken_ = false;
};

// Of operands of which one is an element, or made of one (else E508).
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
