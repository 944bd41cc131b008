#include <selvage/base/refuse.h>
#include <selvage/kernel/statements.h>
#include <selvage/lower/body.h>
#include <selvage/lower/one_thread.h>
#include <selvage/lower/ranks.h>

#include <optional>
#include <vector>

namespace selvage {

namespace {

// What the passes behind this one do not know in a cluster.
void refuse_unknown(const KernelRequest& request) {
  const auto refuse_it = [&](const std::string& what, const std::string& help) {
    refuse<Illegal>("E467", what + " in the blocks of a cluster are not supported yet", help);
  };
  const Schedule& schedule = request.scheduled.schedule;
  for (const NestTree* root : request.group) {
    if (schedule.last_block_of(root->tensor)) {
      refuse_it("kernels whose last block computes more", "give what it computes its own kernel");
    }
  }
}

// An address within the piece of each rank, as that among all.
class Pieces {
 public:
  Pieces(KernelDraft& draft, Expr rank) : draft_(draft), kernel_(draft.kernel), rank_(rank) {
    for (std::size_t b = 0; b < kernel_.buffers.size(); ++b) {
      Buffer& buffer = kernel_.buffers[b];
      const bool is_own =
          buffer.memory == Memory::Shared && !draft.of_cluster.contains(BufferId(b));
      own_.push_back(is_own ? buffer.elements.value() : 0);
      if (is_own) {
        buffer.elements = kernel_.pool->constant(buffer.elements.value() * kernel_.launch.ranks());
      }
    }
  }

  void move(Body& body) {
    for_each_statement(body, [&](Statement& s) {
      if (auto* store = std::get_if<Store>(&s.node)) move(store->buffer, store->address);
      if (auto* transfer = std::get_if<Transfer>(&s.node)) move(*transfer);
      if (auto* copy = std::get_if<AsyncCopy>(&s.node)) move(*copy);
      if (auto* arrive = std::get_if<Arrive>(&s.node)) move(arrive->object);
      if (auto* wait = std::get_if<Wait>(&s.node)) move(wait->object);
    });
    ValueGraph& values = kernel_.values;
    for (std::size_t v = 0; v < values.size(); ++v) {
      ValueNode node = values[ValueId(v)];
      const bool reads = node.kind == ValueNode::Kind::Read || node.kind == ValueNode::Kind::Search;
      if (!reads || own_[node.source] == 0) continue;
      for (Expr& subscript : node.subscripts) move(node.source, subscript);
      values.replace(ValueId(v), std::move(node));
    }
  }

 private:
  void move(AsyncCopy& copy) {
    // A box has no address on the side of global memory.
    if (!copy.is_store || !copy.box) move(copy.copy.to, copy.copy.to_address);
    if (copy.is_store || !copy.box) move(copy.copy.from, copy.copy.from_address);
    move(copy.object);
  }
  void move(std::optional<BarrierObject>& object) {
    if (object) move(object->buffer, object->address);
  }
  void move(Transfer& t) {
    move(t.to, t.to_address);
    move(t.from, t.from_address);
  }
  void move(BufferId b, Expr& address) {
    if (own_[b] > 0) address = draft_.form(rank_ * own_[b] + address);
  }

  KernelDraft& draft_;
  Kernel& kernel_;
  Expr rank_;
  std::vector<std::int64_t> own_;  // by buffer, the elements of its pieces; 0: it stays as it is
};

}  // namespace

void give_pieces(const KernelRequest& request, KernelDraft& draft) {
  Kernel& kernel = draft.kernel;
  if (!kernel.launch.is_cluster) return;
  refuse_unknown(request);
  Loop ranks = every(ParallelType::TIDz, kernel);
  Pieces(draft, ranks.variable).move(kernel.body);
  ranks.body = std::move(kernel.body);
  kernel.body = body_of(std::move(ranks));
}

void meet_at_end(const KernelRequest&, KernelDraft& draft) {
  // A cluster without a fold along its ranks has nothing in common.
  if (!draft.of_cluster.empty()) draft.kernel.body.push_back({Barrier{}});
}

}  // namespace selvage
