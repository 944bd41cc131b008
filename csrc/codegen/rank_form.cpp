#include <selvage/base/refuse.h>
#include <selvage/codegen/rank_form.h>
#include <selvage/expr/symbols.h>
#include <selvage/kernel/barrier_members.h>
#include <selvage/kernel/ranks.h>
#include <selvage/kernel/statements.h>
#include <selvage/simplifier/simplifier.h>

#include <algorithm>
#include <vector>

namespace selvage {

namespace {

class RankForm {
 public:
  explicit RankForm(Kernel& kernel) : kernel_(kernel), known_(kernel.facts) {
    for_each_statement(kernel.body, [&](const Statement& s) {
      const auto* loop = std::get_if<Loop>(&s.node);
      if (loop == nullptr || loop->parallel != ParallelType::TIDz) return;
      ranks_.push_back(loop->variable);
    });
    const std::int64_t ranks = kernel.launch.ranks();
    for (Buffer& b : kernel.buffers) {
      const bool has_pieces = b.memory == Memory::Shared;
      pieces_.push_back(has_pieces ? b.piece(ranks) : 0);
      if (!has_pieces) continue;
      b.elements = kernel.pool->constant(pieces_.back());
      if (b.offset) *b.offset /= ranks;
    }
  }

  void write() {
    for_each_statement(kernel_.body, [&](Statement& s) {
      if (auto* store = std::get_if<Store>(&s.node)) own(store->buffer, store->address);
      if (auto* transfer = std::get_if<Transfer>(&s.node)) own(*transfer);
      if (auto* copy = std::get_if<AsyncCopy>(&s.node)) own(*copy);
      if (auto* arrive = std::get_if<Arrive>(&s.node)) own(*arrive);
      if (auto* wait = std::get_if<Wait>(&s.node)) own(wait->object);
      if (auto* mma = std::get_if<Mma>(&s.node)) own(*mma);
      if (auto* region = std::get_if<Region>(&s.node)) own(*region);
    });
    ValueGraph& values = kernel_.values;
    for (std::size_t v = 0; v < values.size(); ++v) {
      ValueNode node = values[ValueId(v)];
      if (node.kind == ValueNode::Kind::Search && pieces_[node.source] > 0)
        refuse_access(node.source);
      if (node.kind != ValueNode::Kind::Read || pieces_[node.source] == 0) continue;
      const std::int64_t p = pieces_[node.source];
      const Expr address = node.subscripts[0];
      if (const auto place = in_own_piece(address, p, ranks_)) {
        node.subscripts = {known_.simplify(*place)};
      } else {
        node.subscripts = {known_.simplify(address % p), known_.simplify(address / p)};
      }
      values.replace(ValueId(v), std::move(node));
    }
  }

 private:
  void own(AsyncCopy& copy) {
    if (!copy.is_store || !copy.box) own(copy.copy.to, copy.copy.to_address);
    if (copy.is_store || !copy.box) own(copy.copy.from, copy.copy.from_address);
    own(copy.object);
  }
  void own(std::optional<BarrierObject>& object) {
    if (object) own(object->buffer, object->address);
  }
  void own(Arrive& arrive) {
    if (!arrive.object) return;
    BarrierObject& object = *arrive.object;
    const std::int64_t p = pieces_[object.buffer];
    if (in_own_piece(object.address, p, ranks_) || !is_mere_arrival(arrive)) {
      return own(arrive.object);
    }
    object.rank = known_.simplify(object.address / p);
    object.address = known_.simplify(object.address % p);
  }
  void own(Transfer& t) {
    own(t.to, t.to_address);
    own(t.from, t.from_address);
  }
  void own(Mma& mma) {
    own(mma.a, mma.a_address);
    own(mma.b, mma.b_address);
  }
  // The members in one rank.
  void own(Region& region) {
    if (!is_alike_in_ranks(region, kernel_.launch)) {
      refuse<Illegal>("E706",
                      "the region " + region.role + " of the kernel " + kernel_.name +
                          " has other threads in one block of the cluster than in another, "
                          "which is not emitted yet",
                      "emulate it, or let each block have the same threads there");
    }
    region.members.resize(std::size_t(kernel_.launch.part_threads() / kWarp));
  }
  void own(BufferId b, Expr& address) {
    if (pieces_[b] == 0) return;
    const auto place = in_own_piece(address, pieces_[b], ranks_);
    if (!place) refuse_access(b);
    address = known_.simplify(*place);
  }
  [[noreturn]] void refuse_access(BufferId b) const {
    refuse<Illegal>("E706",
                    "the kernel " + kernel_.name + " accesses " + kernel_.buffers[b].name +
                        " in the memory of another block of the cluster by more than a read or "
                        "an arrival, which is not emitted yet",
                    "emulate it, or let each block write its own piece");
  }

  Kernel& kernel_;
  Simplifier known_;
  std::vector<Expr> ranks_;           // variables that are the rank
  std::vector<std::int64_t> pieces_;  // by buffer, the elements of a piece; 0: it has none
};

}  // namespace

namespace {

bool are_alike(const Body& body, Expr rank) {
  return std::ranges::all_of(body, [&](const Statement& s) {
    if (const auto* copy = std::get_if<AsyncCopy>(&s.node)) return same(copy->by_rank, rank);
    const bool is_around =
        std::holds_alternative<Loop>(s.node) || std::holds_alternative<Guard>(s.node);
    const StatementParts parts = parts_of(s);
    return is_around &&
           std::ranges::none_of(parts.expressions, [&](Expr e) { return mentions(e, rank); }) &&
           std::ranges::all_of(parts.bodies, [&](const Body* b) { return are_alike(*b, rank); });
  });
}

}  // namespace

bool is_one_turn_a_rank(const Loop& loop) {
  return !loop.begin.valid() && are_alike(loop.body, loop.variable);
}

Kernel rank_form(const Kernel& kernel) {
  Kernel own = kernel;
  own.forms = nullptr;
  RankForm(own).write();
  return own;
}

}  // namespace selvage
