#include <selvage/base/check.h>
#include <selvage/kernel/expressions.h>
#include <selvage/kernel/value_nodes.h>
#include <selvage/lower/barriers.h>
#include <selvage/lower/body.h>

#include <algorithm>
#include <iterator>
#include <set>

namespace selvage {

namespace {

// The buffers that some statements read and write.
struct Accesses {
  std::set<BufferId> reads, writes;

  void add(const Accesses& more) {
    reads.insert(more.reads.begin(), more.reads.end());
    writes.insert(more.writes.begin(), more.writes.end());
  }
};

bool meet(const std::set<BufferId>& a, const std::set<BufferId>& b) {
  return std::any_of(a.begin(), a.end(), [&](BufferId x) { return b.contains(x); });
}
// An element is written again only after it was read: that orders the writes.
bool conflict(const Accesses& a, const Accesses& b) {
  return meet(a.writes, b.reads) || meet(a.reads, b.writes);
}

// What is done before the first barrier on a way through some statements, and after the last one;
// all of it both times where there is none.
struct Way {
  Accesses first, last;
  bool has_barrier = false;

  void then(const Way& next) {
    if (!has_barrier) first.add(next.first);
    if (next.has_barrier) {
      last = next.last;
    } else {
      last.add(next.last);
    }
    has_barrier = has_barrier || next.has_barrier;
  }
};

class Placer {
 public:
  explicit Placer(Kernel& kernel) : kernel_(kernel) {
    Expr threads = kernel.pool->constant(1);
    for (Expr n : kernel.launch.block) threads = threads * n;
    const bool is_warp = threads.is(Op::Const) && threads.value() <= 32;
    scope_ = is_warp ? Barrier::Scope::Warp : Barrier::Scope::Block;
    is_alone_ = threads.is_const(1);
  }

  void run() {
    if (is_alone_) return;
    Accesses all;
    note(kernel_.body, all);
    std::set_intersection(all.reads.begin(), all.reads.end(), all.writes.begin(), all.writes.end(),
                          std::inserter(shared_, shared_.end()));
    if (!shared_.empty()) place(kernel_.body, {});
  }

 private:
  // Registers are a thread's own.
  bool matters(BufferId b) const { return kernel_.buffers[b].memory != Memory::Local; }

  void note(const Store& store, Accesses& out) const {
    for (ValueId v : nodes_of(kernel_.values, store.value)) {
      const ValueNode& node = kernel_.values[v];
      if (node.kind == ValueNode::Kind::Read && matters(node.source)) out.reads.insert(node.source);
    }
    if (matters(store.buffer)) out.writes.insert(store.buffer);
  }
  void note(const Body& body, Accesses& out) const {
    for (const Statement& s : body) {
      if (const auto* loop = std::get_if<Loop>(&s.node)) {
        note(loop->body, out);
      } else if (const auto* guard = std::get_if<Guard>(&s.node)) {
        note(guard->body, out);
        note(guard->otherwise, out);
      } else if (const auto* store = std::get_if<Store>(&s.node)) {
        note(*store, out);
      } else if (const auto* t = std::get_if<Transfer>(&s.node)) {
        if (matters(t->from)) out.reads.insert(t->from);
        if (matters(t->to)) out.writes.insert(t->to);
      }
    }
  }

  // Puts barriers into a body, of which `before` is what has been done since the last one.
  Way place(Body& body, const Accesses& before) {
    Way way;
    Accesses open = before;
    for (std::size_t i = 0; i < body.size(); ++i) {
      Way own = pass(body[i], open);
      if (conflict(open, own.first)) {
        body.insert(body.begin() + std::ptrdiff_t(i), {Barrier{scope_}});
        ++i;
        open = {};
        way.then({{}, {}, true});
      }
      way.then(own);
      if (own.has_barrier) {
        open = own.last;
      } else {
        open.add(own.last);
      }
    }
    return way;
  }

  Way pass(Statement& s, const Accesses& before) {
    if (auto* loop = std::get_if<Loop>(&s.node)) {
      // The index of a block or thread is no loop: its body follows what stands before it.
      if (!iterates(*loop)) return place(loop->body, before);
      Accesses all;
      note(loop->body, all);
      if (!conflict(all, all)) return {all, all, false};
      // Once by itself; then knowing what the iteration before has left.
      Way own = place(loop->body, {});
      if (conflict(own.last, own.first)) own = place(loop->body, own.last);
      return own;
    }
    if (std::holds_alternative<Barrier>(s.node)) return {{}, {}, true};
    Way way;
    Body one;
    one.push_back(std::move(s));
    note(one, way.first);
    s = std::move(one[0]);
    way.last = way.first;
    return way;
  }

  Kernel& kernel_;
  std::set<BufferId> shared_;  // read and written: where threads may meet
  Barrier::Scope scope_ = Barrier::Scope::Block;
  bool is_alone_ = false;
};

}  // namespace

void add_barriers(Kernel& kernel) { Placer(kernel).run(); }

}  // namespace selvage
