#pragma once

#include <selvage/ir/reads.h>
#include <selvage/kernel/kernel.h>
#include <selvage/kernel/value_nodes.h>

#include <array>
#include <initializer_list>
#include <optional>
#include <utility>

namespace selvage {

// What each kind of statement is made of, said once for all passes. A pass that needs no more than
// this asks here, and holds for statements to come; a pass that decides by the kind of a statement
// uses std::visit with one overload for each kind, so that it does not compile before it says what
// it does with a new one.

// Some items, at most N.
template <class T, std::size_t N>
class Few {
 public:
  Few() = default;
  Few(std::initializer_list<T> items) {
    for (const T& item : items) add(item);
  }
  void add(const T& item) { items_[size_++] = item; }
  const T* begin() const { return items_.data(); }
  const T* end() const { return items_.data() + size_; }
  std::size_t size() const { return size_; }
  const T& operator[](std::size_t i) const { return items_[i]; }

 private:
  std::array<T, N> items_{};
  std::size_t size_ = 0;
};

// Signal: an event that belongs to a barrier object.
enum class AccessKind : std::uint8_t { Read, Write, Atomic, Signal };
inline bool writes(AccessKind kind) {
  return kind == AccessKind::Write || kind == AccessKind::Atomic;
}
// A read or a write of `width` neighbouring elements.
struct StatementAccess {
  BufferId buffer = 0;
  AccessKind kind = AccessKind::Read;
  Expr address = {};  // of the first
  std::int64_t width = 1;
  std::int64_t alignment = 1;  // elements of which the address is a multiple
  bool is_moved = false;       // all of them as they lie in memory, by one access of it
  bool is_async = false;       // it ends later
  bool duplicates_allowed = false;
  std::optional<Function> atomic = {};
};

struct StatementParts {
  // What stands inside, in the order of the text: of a Guard the second is `otherwise`.
  Few<const Body*, 2> bodies = {};
  // What is computed before it is run: the ends of a loop, a condition, addresses, what a variable
  // stands for. Those in `value` are not among them.
  Few<Expr, 3> expressions = {};
  // The value that it computes.
  std::optional<ValueId> value = {};
  // Its own accesses, reads first. What `value` reads comes before them.
  Few<StatementAccess, 3> accesses = {};
  // What it gives a value: inside it, or behind it where it has no body. Invalid: nothing.
  Expr variable = {};
  // What must hold where it stores, which emulation checks; null: it stores nothing. Of several
  // elements at once, for each value of `lane` below their number.
  const std::vector<Expr>* valid = nullptr;
  Expr lane = {};
  // The threads that run it together, as those of a barrier wait for one another; null: each thread
  // runs it by itself. What is no Barrier needs all 32 threads of each warp.
  const Barrier* together = nullptr;
  // Do its threads part here, or wait, by more than Guards and Barriers say: is it an event, has it
  // a role, or does what it does depend on memory? Then threads are followed one by one.
  bool has_own_pace = false;
};
StatementParts parts_of(const Statement& s);
bool has_own_pace(const Kernel& kernel);

// The condition under which a thread, whose indices in the block are these, is one of a Region.
Expr is_member(const Region& region, const std::array<Expr, 3>& threads,
               const std::array<Expr, 3>& extents);
// "an asynchronous copy", "a wait", "a region", ...
std::string_view name_of(const Statement& s);

inline Few<const Body*, 2> bodies(const Statement& s) { return parts_of(s).bodies; }
Few<Body*, 2> bodies(Statement& s);

// Calls f for every statement of a body, in the order of the text, for one before those inside it.
template <class AnyBody, class F>
void for_each_statement(AnyBody& body, const F& f) {
  for (auto& s : body) {
    f(s);
    for (auto* inner : bodies(s)) for_each_statement(*inner, f);
  }
}

// Calls f for every access of a statement, those of the value that it stores included.
template <class F>
void for_each_access(const Statement& s, const ValueGraph& values, const F& f) {
  const StatementParts parts = parts_of(s);
  if (parts.value) {
    for (ValueId v : values_under(values, *parts.value)) {
      const ValueNode& node = values[v];
      if (node.kind != ValueNode::Kind::Read) continue;
      f(StatementAccess{.buffer = node.source, .address = node.subscripts[0]});
    }
  }
  for (const StatementAccess& a : parts.accesses) f(a);
}

// Calls f for every integer expression of a statement, those in the value that it stores included.
template <class F>
void for_each_expression(const Statement& s, const ValueGraph& values, const F& f) {
  const StatementParts parts = parts_of(s);
  for (Expr e : parts.expressions) f(e);
  if (parts.value) {
    for (ValueId v : values_under(values, *parts.value)) {
      for (Expr e : index_expressions(values[v])) f(e);
    }
  }
}

}  // namespace selvage
