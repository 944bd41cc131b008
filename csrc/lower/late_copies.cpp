#include <selvage/expr/substitute.h>
#include <selvage/expr/symbols.h>
#include <selvage/kernel/launch_limits.h>
#include <selvage/kernel/statements.h>
#include <selvage/lower/late_copies.h>
#include <selvage/lower/nest.h>

#include <string>

namespace selvage {

namespace {

class LateCopies {
 public:
  LateCopies(KernelDraft& draft, BufferId tile, CopyBy by)
      : draft_(draft), kernel_(draft.kernel), tile_(tile), by_(by), known_(facts_of(draft)) {}

  // Where there are vectors, addresses are known to be aligned, those of pieces too.
  std::size_t begin() {
    const std::size_t begun = begin_whole(kernel_.body);
    if (by_ == CopyBy::Bulk && begun > 0) begin_pieces(kernel_.body);
    return begun;
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

  DataType type() const { return kernel_.buffers[tile_].type; }
  // Elements of 16 bytes.
  std::int64_t piece() const { return kBulkAlignment / size_of(type()); }

  bool is_source(BufferId from) const {
    const Buffer& a = kernel_.buffers[from];
    return a.memory == Memory::Global && !a.is_written && a.type == type();
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

  // The copy that a statement of the body is, or the last of: that of an element, xs[i] = x[j], or
  // of a vector, through registers.
  std::optional<AsyncCopy> copied(const Body& body, std::size_t at) const {
    if (const auto* store = std::get_if<Store>(&body[at].node)) {
      const ValueNode* read = read_of(store->value);
      if (store->buffer != tile_ || store->atomic || read == nullptr ||
          !is_copied(read->source, 1)) {
        return std::nullopt;
      }
      return AsyncCopy{Transfer{.to = tile_,
                                .from = read->source,
                                .to_address = store->address,
                                .from_address = read->subscripts[0],
                                .width = 1,
                                .lane = kernel_.pool->symbol("lane"),
                                .valid = store->valid,
                                .duplicates_allowed = store->duplicates_allowed}};
    }
    const auto* whole = std::get_if<Transfer>(&body[at].node);
    if (whole == nullptr || whole->to != tile_ || at < 2) return std::nullopt;
    const auto* lanes = std::get_if<Loop>(&body[at - 1].node);
    const auto* load = std::get_if<Transfer>(&body[at - 2].node);
    if (lanes == nullptr || load == nullptr || load->width != whole->width ||
        !moves(*lanes, load->to, whole->from, whole->width) ||
        !is_copied(load->from, whole->width)) {
      return std::nullopt;
    }
    AsyncCopy copy{*whole, by_ == CopyBy::Bulk ? piece() : whole->width};
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

  // for v in W: if (e + v < N) tile[a + v] = x[b + v], where neither e, N, a nor b depends on v.
  std::optional<Statement> in_pieces(const Statement& s) {
    const auto* loop = std::get_if<Loop>(&s.node);
    if (loop == nullptr || loop->parallel != ParallelType::Serial || loop->begin.valid() ||
        !loop->extent.is(Op::Const) || loop->body.size() != 1) {
      return std::nullopt;
    }
    const auto* guard = std::get_if<Guard>(&loop->body[0].node);
    if (guard == nullptr || !guard->otherwise.empty() || guard->body.size() != 1) return {};
    const auto* store = std::get_if<Store>(&guard->body[0].node);
    if (store == nullptr || store->buffer != tile_ || store->atomic) return std::nullopt;
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
      if (!known_.proves(eq(e % piece(), 0))) return std::nullopt;
    }
    Facts facts = known_.facts();
    facts.assume(zero < there);
    const Expr pieces = Simplifier(facts).simplify(min(there, loop->extent) / piece());
    const Expr p = own_variable(std::string(v.name()) + ".piece", draft_.form(pieces), kernel_);
    const Expr lane = pool.symbol("lane");
    Transfer transfer{.to = tile_,
                      .from = read->source,
                      .to_address = draft_.form(at(store->address, p * piece())),
                      .from_address = draft_.form(at(from, p * piece())),
                      .width = piece(),
                      .lane = lane,
                      .valid = {},
                      .duplicates_allowed = store->duplicates_allowed};
    for (Expr c : store->valid) transfer.valid.push_back(at(c, p * piece() + lane));
    const Loop copies{
        p, draft_.form(pieces), ParallelType::Bulk, {{AsyncCopy{std::move(transfer), piece()}}}};
    if (known_.proves(zero < there)) return Statement{copies};
    return Statement{Guard{draft_.form(zero < there), {{copies}}}};
  }

  KernelDraft& draft_;
  Kernel& kernel_;
  BufferId tile_;
  CopyBy by_;
  Simplifier known_;
};

}  // namespace

std::size_t begin_copies(KernelDraft& draft, BufferId tile, CopyBy by) {
  if (by == CopyBy::Tma) return is_copied_into(draft.kernel, tile) ? 1 : 0;
  return LateCopies(draft, tile, by).begin();
}

bool is_moved_into(const Kernel& kernel, BufferId tile) {
  bool is = false;
  for_each_statement(kernel.body, [&](const Statement& s) {
    const auto* transfer = std::get_if<Transfer>(&s.node);
    is = is || (transfer != nullptr && transfer->to == tile);
  });
  return is;
}

}  // namespace selvage
