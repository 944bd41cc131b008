#include <selvage/expr/substitute.h>
#include <selvage/expr/symbols.h>
#include <selvage/kernel/launch_limits.h>
#include <selvage/kernel/statements.h>
#include <selvage/lower/late_copies.h>
#include <selvage/lower/nest.h>

#include <algorithm>
#include <string>

namespace selvage {

namespace {

// Of copies to a tile, or of the stores of one to a tensor in global memory.
class LateCopies {
 public:
  LateCopies(KernelDraft& draft, BufferId to, CopyBy by, std::span<const Expr> sizes = {},
             std::optional<Function> atomic = {})
      : draft_(draft),
        kernel_(draft.kernel),
        to_(to),
        by_(by),
        sizes_(sizes),
        is_store_(kernel_.buffers[to].memory == Memory::Global),
        atomic_(atomic),
        known_(facts_of(draft)) {}

  // Where there are vectors, addresses are known to be aligned, those of pieces too.
  std::size_t begin(Body& body) {
    const std::size_t begun = begin_whole(body);
    if (by_ == CopyBy::Bulk && begun > 0) begin_pieces(body);
    return is_never_whole_ ? 0 : begun;
  }

 private:
  std::size_t begin_whole(Body& body) {
    std::size_t begun = 0;
    for (std::size_t i = 0; i < body.size(); ++i) {
      if (const auto copy = copied(body, i)) {
        // The vector's load, and what moved its elements from there.
        if (copy->copy.width > 1) {
          body.erase(body.begin() + std::ptrdiff_t(i) - 2, body.begin() + std::ptrdiff_t(i));
          i -= 2;
        }
        body[i].node = *copy;
        ++begun;
      }
      for (Body* inner : bodies(body[i])) begun += begin_whole(*inner);
    }
    return begun;
  }
  void begin_pieces(Body& body) {
    for (Statement& s : body) {
      if (auto pieces = in_pieces(s)) {
        s = *std::move(pieces);
      } else {
        for (Body* inner : bodies(s)) begin_pieces(*inner);
      }
    }
  }

  // Of sizes as well what is tested at launch.
  static Facts facts_of(const KernelDraft& draft) {
    Facts facts = draft.kernel.facts;
    for (Expr c : draft.conditions) facts.assume(c);
    return facts;
  }

  DataType type() const { return kernel_.buffers[to_].type; }
  // Elements of 16 bytes.
  std::int64_t piece() const { return kBulkAlignment / size_of(type()); }

  bool is_source(BufferId from) const {
    const Buffer& a = kernel_.buffers[from];
    if (a.type != type()) return false;
    return is_store_ ? a.memory == Memory::Shared : a.memory == Memory::Global && !a.is_written;
  }
  bool is_copied(BufferId from, std::int64_t width) const {
    const std::int64_t bytes = width * size_of(type());
    return is_source(from) &&
           (by_ == CopyBy::Bulk ? is_copied_in_bulk(bytes) : is_copied_at_once(bytes));
  }
  const ValueNode* read_of(ValueId v) const {
    const ValueNode& node = kernel_.values[v];
    return node.kind == ValueNode::Kind::Read ? &node : nullptr;
  }

  AsyncCopy late(Transfer copy, std::int64_t alignment) const {
    return {
        .copy = std::move(copy), .alignment = alignment, .is_store = is_store_, .atomic = atomic_};
  }

  // The copy that a statement of the body is, or the last of: that of an element, xs[i] = x[j], or
  // of a vector, through registers.
  std::optional<AsyncCopy> copied(const Body& body, std::size_t at) const {
    if (const auto* store = std::get_if<Store>(&body[at].node)) {
      const ValueNode* read = read_of(store->value);
      if (store->buffer != to_ || store->atomic || read == nullptr || !is_copied(read->source, 1)) {
        return std::nullopt;
      }
      return late({.to = to_,
                   .from = read->source,
                   .to_address = store->address,
                   .from_address = read->subscripts[0],
                   .width = 1,
                   .lane = kernel_.pool->symbol("lane"),
                   .valid = store->valid,
                   .duplicates_allowed = store->duplicates_allowed},
                  1);
    }
    const auto* whole = std::get_if<Transfer>(&body[at].node);
    if (whole == nullptr || whole->to != to_ || at < 2) return std::nullopt;
    const auto* lanes = std::get_if<Loop>(&body[at - 1].node);
    const auto* load = std::get_if<Transfer>(&body[at - 2].node);
    if (lanes == nullptr || load == nullptr || load->width != whole->width ||
        !moves(*lanes, load->to, whole->from, whole->width) ||
        !is_copied(load->from, whole->width)) {
      return std::nullopt;
    }
    AsyncCopy copy = late(*whole, by_ == CopyBy::Bulk ? piece() : whole->width);
    copy.copy.from = load->from;
    copy.copy.from_address = load->from_address;
    return copy;
  }
  // Whether a loop does nothing but to[v] = from[v] for all elements of a vector.
  bool moves(const Loop& lanes, BufferId from, BufferId to, std::int64_t width) const {
    if (lanes.body.size() != 1 || !lanes.extent.is_const(width) || lanes.begin.valid())
      return false;
    const auto* store = std::get_if<Store>(&lanes.body[0].node);
    if (store == nullptr || store->buffer != to || !same(store->address, lanes.variable)) {
      return false;
    }
    const ValueNode* read = read_of(store->value);
    return read != nullptr && read->source == from && same(read->subscripts[0], lanes.variable);
  }

  // Whether e grows by 1 with each iteration of a loop.
  bool counts(Expr e, Expr v) {
    return known_.simplify(substitute(e, {{v, v + 1}}) - e).is_const(1);
  }

  // Whether a number of elements is a multiple of a piece. Of stores that is made a condition of
  // the kernel where sizes alone decide it: where it fails, all threads store, and not one thread
  // an element after the other.
  bool is_whole_pieces(Expr e) {
    const Expr claim = eq(e % piece(), 0);
    if (known_.proves(claim)) return true;
    if (!is_store_) return false;
    const Expr left = known_.simplify(e % piece());
    const auto is_size = [&](Expr s) { return contains(sizes_, s); };
    if (!std::ranges::all_of(symbols_of(left), is_size)) return false;
    is_never_whole_ = is_never_whole_ || left.is(Op::Const);
    if (left.is(Op::Const)) return false;
    const Expr condition = eq(left, 0);
    draft_.conditions.push_back(condition);
    Facts facts = known_.facts();
    facts.assume(condition);
    known_ = Simplifier(facts);
    return true;
  }

  // for v in W: if (e + v < N) to[a + v] = x[b + v], where neither e, N, a nor b depends on v.
  std::optional<Statement> in_pieces(const Statement& s) {
    const auto* loop = std::get_if<Loop>(&s.node);
    if (loop == nullptr || loop->parallel != ParallelType::Serial || loop->begin.valid() ||
        !loop->extent.is(Op::Const) || loop->body.size() != 1) {
      return std::nullopt;
    }
    const auto* guard = std::get_if<Guard>(&loop->body[0].node);
    if (guard == nullptr || !guard->otherwise.empty() || guard->body.size() != 1) return {};
    const auto* store = std::get_if<Store>(&guard->body[0].node);
    if (store == nullptr || store->buffer != to_ || store->atomic) return std::nullopt;
    const ValueNode* read = read_of(store->value);
    if (read == nullptr || !is_source(read->source)) return std::nullopt;
    const Expr v = loop->variable, condition = guard->condition, from = read->subscripts[0];
    if (!condition.is(Op::Lt) || mentions(condition[1], v) || !counts(condition[0], v) ||
        !counts(store->address, v) || !counts(from, v)) {
      return std::nullopt;
    }
    ExprPool& pool = *kernel_.pool;
    const Expr zero = pool.constant(0);
    const auto at = [&](Expr e, Expr lane) { return substitute(e, {{v, lane}}); };
    const Expr there = known_.simplify(condition[1] - at(condition[0], zero));
    // One piece is all there or not at all.
    if (loop->extent.is_const(piece())) return std::nullopt;
    for (Expr e : {there, at(store->address, zero), at(from, zero)}) {
      if (!is_whole_pieces(e)) return std::nullopt;
    }
    Facts facts = known_.facts();
    facts.assume(zero < there);
    const Expr pieces = Simplifier(facts).simplify(min(there, loop->extent) / piece());
    const Expr p = own_variable(std::string(v.name()) + ".piece", draft_.form(pieces), kernel_);
    const Expr lane = pool.symbol("lane");
    Transfer transfer{.to = to_,
                      .from = read->source,
                      .to_address = draft_.form(at(store->address, p * piece())),
                      .from_address = draft_.form(at(from, p * piece())),
                      .width = piece(),
                      .lane = lane,
                      .valid = {},
                      .duplicates_allowed = store->duplicates_allowed};
    const Expr element = p * piece() + lane;
    for (Expr c : store->valid) transfer.valid.push_back(at(c, element));
    if (const Item* item = is_store_ ? kernel_.items.find(to_, store->address) : nullptr) {
      Item moved = *item;
      for (Expr& index : moved.indices) index = at(index, element);
      kernel_.items.add(to_, transfer.to_address, std::move(moved));
    }
    const Loop copies{
        p, draft_.form(pieces), ParallelType::Bulk, {{late(std::move(transfer), piece())}}};
    if (known_.proves(zero < there)) return Statement{copies};
    return Statement{Guard{draft_.form(zero < there), {{copies}}}};
  }

  KernelDraft& draft_;
  Kernel& kernel_;
  BufferId to_;
  CopyBy by_;
  std::span<const Expr> sizes_;  // that conditions of the kernel may be about
  bool is_store_, is_never_whole_ = false;
  std::optional<Function> atomic_;
  Simplifier known_;
};

}  // namespace

std::size_t begin_copies(KernelDraft& draft, BufferId tile, CopyBy by) {
  if (by == CopyBy::Tma) return is_copied_into(draft.kernel, tile) ? 1 : 0;
  return LateCopies(draft, tile, by).begin(draft.kernel.body);
}

std::size_t begin_stores(KernelDraft& draft, Body& nest, BufferId to, std::span<const Expr> sizes,
                         std::optional<Function> atomic) {
  const std::size_t begun = LateCopies(draft, to, CopyBy::Bulk, sizes, atomic).begin(nest);
  for_each_statement(nest, [&](Statement& s) {
    auto* store = std::get_if<Store>(&s.node);
    if (store != nullptr && store->buffer == to) store->atomic = atomic;
  });
  return begun;
}

bool is_moved_into(const Body& body, BufferId tile) {
  bool is = false;
  for_each_statement(body, [&](const Statement& s) {
    const auto* transfer = std::get_if<Transfer>(&s.node);
    is = is || (transfer != nullptr && transfer->to == tile);
  });
  return is;
}

}  // namespace selvage
