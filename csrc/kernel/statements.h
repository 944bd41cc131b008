#pragma once

#include <selvage/ir/reads.h>
#include <selvage/kernel/kernel.h>
#include <selvage/kernel/value_nodes.h>

#include <array>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

namespace selvage {

// Describes each kind of statement once for all passes. A pass that needs no more than parts_of()
// also works for kinds that are added later. A pass that decides by the kind uses std::visit with
// one overload for each kind, so that it does not compile before it handles a new one.

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
  Expr address = {};  // of the first element
  std::int64_t width = 1;
  std::int64_t alignment = 1;  // the address is a multiple of it, in elements
  bool is_moved = false;       // one access of memory moves all elements, unconverted
  bool is_async = false;       // it ends later
  bool duplicates_allowed = false;
  std::optional<Function> atomic = {};
};

struct StatementParts {
  // The bodies inside, in the order of the text; the second one of a Guard is `otherwise`.
  Few<const Body*, 2> bodies = {};
  // The expressions computed when the statement begins: ends of a loop, a condition, addresses, the
  // value of a variable; without those in `value`.
  Few<Expr, 8> expressions = {};
  // The value that it computes.
  std::optional<ValueId> value = {};
  // Its own accesses, reads first. The reads of `value` come before them.
  Few<StatementAccess, 4> accesses = {};
  // The variable that it defines, inside its body or, without a body, for the statements after it;
  // invalid: none.
  Expr variable = {};
  // The conditions that must hold where it stores, checked by emulation; null: it stores nothing.
  // For several elements, they hold for each `lane` below their number.
  const std::vector<Expr>* valid = nullptr;
  Expr lane = {};
  // The threads that begin it together, as at a barrier; null: each thread runs it by itself. Of a
  // Shuffle, all 32 threads of each warp must take part; of an Mma, all of each warpgroup; where
  // groups of these are closed or waited for, all of each warp.
  const Barrier* together = nullptr;
  // Whether threads part or wait here by more than Guards and Barriers: it is an event, has a role,
  // or loops as long as memory says.
  bool has_own_pace = false;
};
StatementParts parts_of(const Statement& s);
// The statements at which threads part or wait by more than Guards and Barriers: those above, and
// numbers from memory on which the end of a loop or a guard depends. A kernel with any is run
// thread by thread.
std::vector<const Statement*> own_pace(const Kernel& kernel);
bool has_own_pace(const Kernel& kernel);

// The condition that the thread with the indices `threads` in the block is a member of a Region.
Expr is_member(const Region& region, const std::array<Expr, 3>& threads,
               const std::array<Expr, 3>& extents);
// "an asynchronous copy", "a wait", "a region", ...
std::string_view name_of(const Statement& s);

inline Few<const Body*, 2> bodies(const Statement& s) { return parts_of(s).bodies; }
Few<Body*, 2> bodies(Statement& s);

// Calls f for every statement of a body, in pre-order.
template <class AnyBody, class F>
void for_each_statement(AnyBody& body, const F& f) {
  for (auto& s : body) {
    f(s);
    for (auto* inner : bodies(s)) for_each_statement(*inner, f);
  }
}

// The queue of a thread to which a statement adds; nullopt: to none, or to a barrier object.
std::optional<ThreadQueue> queue_of(const Statement& s);
// Of a queue: whether a statement closes a group; the wait for groups that it is, else null.
bool closes_group(const Statement& s, ThreadQueue queue);
const Wait* wait_for_groups(const Statement& s, ThreadQueue queue);
// Whether threads use their queues of matrix multiplications.
bool has_mma(const Kernel& kernel);
// By buffer of shared memory: its first byte must lie at a multiple of this, at least of
// kSharedAlignment, for the accesses of several elements.
std::vector<std::int64_t> shared_alignments(const Kernel& kernel);
// Whether copies that end later go to a buffer.
bool is_copied_into(const Kernel& kernel, BufferId b);

// Calls f for every access of a statement, including the reads of its value.
template <class F>
void for_each_access(const Statement& s, const ValueGraph& values, const F& f) {
  const StatementParts parts = parts_of(s);
  if (parts.value) {
    for (ValueId v : values_under(values, *parts.value)) {
      const ValueNode& node = values[v];
      if (node.kind == ValueNode::Kind::Search) {  // its ends
        f(StatementAccess{.buffer = node.source, .address = node.subscripts[0] + 1});
        f(StatementAccess{.buffer = node.source, .address = node.subscripts[1]});
      }
      if (node.kind != ValueNode::Kind::Read) continue;
      f(StatementAccess{.buffer = node.source, .address = node.subscripts[0]});
    }
  }
  for (const StatementAccess& a : parts.accesses) f(a);
}

// Calls f for every integer expression of a statement, including those in its value.
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
