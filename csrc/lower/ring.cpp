#include <selvage/base/check.h>
#include <selvage/base/refuse.h>
#include <selvage/ir/about.h>
#include <selvage/kernel/statements.h>
#include <selvage/lower/body.h>
#include <selvage/lower/nest.h>
#include <selvage/lower/ring.h>

#include <algorithm>
#include <bit>
#include <set>

namespace selvage {

namespace {

// What is copied at one loop.
struct Ring {
  Expr variable;                  // of the loop
  std::set<BufferId> tiles = {};  // the shared memory that is copied into
  std::int64_t ahead = INT64_MAX;
  TensorId tensor{};  // one of those that are copied
};

class RingMaker {
 public:
  explicit RingMaker(Kernel& kernel) : kernel_(kernel) {}

  // Turns stores to a buffer into copies where they can be; returns how many.
  std::size_t begin_copies(Body& body, BufferId tile) {
    std::size_t begun = 0;
    for (std::size_t i = 0; i < body.size(); ++i) {
      if (const auto copy = copied(body, i, tile)) {
        // The vector's load, and what moved its elements from there.
        if (copy->copy.width > 1) {
          body.erase(body.begin() + std::ptrdiff_t(i) - 2, body.begin() + std::ptrdiff_t(i));
          i -= 2;
        }
        body[i].node = *copy;
        ++begun;
      }
      for (Body* inner : bodies(body[i])) begun += begin_copies(*inner, tile);
    }
    return begun;
  }

  // The loops of the ring in a body; returns the conditions of their guards.
  void make(Body& body, const Ring& ring, KernelDraft& draft) {
    for (Statement& s : body) {
      auto* loop = std::get_if<Loop>(&s.node);
      if (loop != nullptr && same(loop->variable, ring.variable) &&
          begins_copies(loop->body, ring)) {
        make(*loop, ring, draft);
      } else {
        for (Body* inner : bodies(s)) make(*inner, ring, draft);
      }
    }
  }

 private:
  bool is_copied(BufferId from, BufferId tile, std::int64_t width) const {
    const Buffer &a = kernel_.buffers[from], &b = kernel_.buffers[tile];
    const std::int64_t bytes = width * size_of(b.type);
    return a.memory == Memory::Global && !a.is_written && a.type == b.type && bytes >= 4 &&
           bytes <= 16 && std::has_single_bit(std::uint64_t(bytes));
  }
  const ValueNode* read_of(ValueId v) const {
    const ValueNode& node = kernel_.values[v];
    return node.kind == ValueNode::Kind::Read ? &node : nullptr;
  }

  // The copy that a statement of the body is, or the last of: that of an element, xs[i] = x[j], or
  // of a vector, through registers.
  std::optional<AsyncCopy> copied(const Body& body, std::size_t at, BufferId tile) const {
    if (const auto* store = std::get_if<Store>(&body[at].node)) {
      const ValueNode* read = read_of(store->value);
      if (store->buffer != tile || store->atomic || read == nullptr ||
          !is_copied(read->source, tile, 1)) {
        return std::nullopt;
      }
      return AsyncCopy{Transfer{.to = tile,
                                .from = read->source,
                                .to_address = store->address,
                                .from_address = read->subscripts[0],
                                .width = 1,
                                .lane = kernel_.pool->symbol("lane"),
                                .valid = store->valid,
                                .duplicates_allowed = store->duplicates_allowed}};
    }
    const auto* whole = std::get_if<Transfer>(&body[at].node);
    if (whole == nullptr || whole->to != tile || at < 2) return std::nullopt;
    const auto* lanes = std::get_if<Loop>(&body[at - 1].node);
    const auto* load = std::get_if<Transfer>(&body[at - 2].node);
    if (lanes == nullptr || load == nullptr || load->width != whole->width ||
        !moves(*lanes, load->to, whole->from, whole->width) ||
        !is_copied(load->from, tile, whole->width)) {
      return std::nullopt;
    }
    AsyncCopy copy{*whole, whole->width};
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

  bool writes_a_tile(const Statement& s, const Ring& ring) const {
    const StatementParts parts = parts_of(s);
    for (const StatementAccess& a : parts.accesses) {
      if (writes(a.kind) && ring.tiles.contains(a.buffer)) return true;
    }
    return std::ranges::any_of(parts.bodies, [&](const Body* body) {
      return std::ranges::any_of(*body,
                                 [&](const Statement& in) { return writes_a_tile(in, ring); });
    });
  }
  bool begins_copies(const Body& body, const Ring& ring) const {
    bool begins = false;
    for_each_statement(body, [&](const Statement& s) {
      const auto* copy = std::get_if<AsyncCopy>(&s.node);
      begins = begins || (copy != nullptr && ring.tiles.contains(copy->copy.to));
    });
    return begins;
  }

  // In the order in which they stand: the copies, and what they wait for, then the rest.
  void make_at_once(Loop& loop, const Ring& ring) const {
    const auto is_copy = [&](const Statement& s) { return writes_a_tile(s, ring); };
    const auto last = std::find_if(loop.body.rbegin(), loop.body.rend(), is_copy).base();
    Body rest(std::make_move_iterator(last), std::make_move_iterator(loop.body.end()));
    loop.body.erase(last, loop.body.end());
    append(loop.body, {{Arrive{}}, {Wait{}}, {Barrier{}}});
    append(loop.body, std::move(rest));
  }

  // Refuses copies of what the same iteration stores, which is later by then.
  void check_sources(const Body& copies, const Body& rest, const Ring& ring) const {
    std::set<BufferId> stored;
    for_each_statement(rest, [&](const Statement& s) {
      for (const StatementAccess& a : parts_of(s).accesses) {
        if (writes(a.kind)) stored.insert(a.buffer);
      }
    });
    for_each_statement(copies, [&](const Statement& s) {
      for_each_access(s, kernel_.values, [&](const StatementAccess& a) {
        if (writes(a.kind) || !stored.contains(a.buffer)) return;
        const std::string &tile = kernel_.buffers[*ring.tiles.begin()].name,
                          &from = kernel_.buffers[a.buffer].name;
        refuse<Illegal>("E448",
                        "copies of " + tile + " would be begun before the iteration in which " +
                            from + " is stored, which says what they copy",
                        "begin them 0 ahead; or store " + from + " outside of that loop");
      });
    });
  }

  void make(Loop& loop, const Ring& ring, KernelDraft& draft) {
    SELVAGE_CHECK(!loop.begin.valid());
    if (ring.ahead == 0) return make_at_once(loop, ring);
    Body copies, rest;
    for (Statement& s : loop.body) {
      // A name is one for both halves.
      if (std::holds_alternative<Define>(s.node)) copies.push_back(s);
      (writes_a_tile(s, ring) ? copies : rest).push_back(std::move(s));
    }
    check_sources(copies, rest, ring);
    const std::int64_t ahead = ring.ahead;
    const Expr k = loop.variable, n = loop.extent;
    Wait wait;
    wait.pending = ahead - 1;
    const Expr q = own_variable(std::string(k.name()) + ".ring", n + ahead, kernel_);
    const auto half = [&](Expr condition, Expr iteration, Body body) {
      condition = draft.form(condition);
      draft.uniform.push_back(condition);
      body.insert(body.begin(), {Define{k, draft.form(iteration)}});
      return Statement{Guard{condition, std::move(body)}};
    };
    loop.variable = q;
    loop.extent = draft.form(n + ahead);
    loop.body = {{wait}, {Barrier{}}};
    loop.body.push_back(half(q < n, q, std::move(copies)));
    loop.body.push_back({Arrive{}});
    loop.body.push_back(half(kernel_.pool->constant(ahead) <= q, q - ahead, std::move(rest)));
  }

  Kernel& kernel_;
};

std::optional<BufferId> tile_of(const Kernel& kernel, TensorId t) {
  for (BufferId b = 0; b < kernel.buffers.size(); ++b) {
    const Buffer& buffer = kernel.buffers[b];
    if (buffer.memory == Memory::Shared && buffer.holds && buffer.holds->tensor == t) return b;
  }
  return std::nullopt;
}

[[noreturn]] void refuse_copies(const KernelRequest& request, TensorId t, bool is_kept) {
  const TensorInfo& tensor = request.scheduled.fusion[t];
  const std::string& name = tensor.name;
  std::string widths;
  for (std::int64_t bytes : {4, 8, 16}) {
    const std::int64_t n = bytes / size_of(tensor.type);
    if (n > 0) widths += (widths.empty() ? "" : bytes < 16 ? ", " : " or ") + std::to_string(n);
  }
  refuse<Illegal>(
      "E448",
      is_kept ? "none of the copies of " + name +
                    " could end later: it copies 4, 8 or 16 bytes of global memory that lie side "
                    "by side, unchanged, and " +
                    name + " is of " + std::string(to_string(tensor.type))
              : "copies of " + name + " end in shared memory, and it is kept elsewhere",
      is_kept ? "cache an input as it is, and vectorize the copy by " + widths +
                    " elements; or load and store it, ldst"
              : "keep it in shared memory; or load and store it, ldst");
}

}  // namespace

void make_rings(const KernelRequest& request, KernelDraft& draft) {
  const ScheduledNests& scheduled = request.scheduled;
  const Schedule& schedule = scheduled.schedule;
  RingMaker maker(draft.kernel);
  std::vector<Ring> rings;
  for (const NestTree* root : request.group) {
    for (TensorId t : tensors_of(*root)) {
      if (schedule.copied_by(t) == CopyBy::LoadStore) continue;
      about(t, [&] {
        const auto tile = tile_of(draft.kernel, t);
        if (!tile) refuse_copies(request, t, false);
        if (maker.begin_copies(draft.kernel.body, *tile) == 0) {
          if (!draft.is_vectorised) return;
          refuse_copies(request, t, true);
        }
        // The loop is the reader's, whether or not the tensor has it.
        const Schedule::Site site = *schedule.site(t);
        const TensorAnalysis& analysis = scheduled.placed.at(root->tensor)[site.tensor].analysis;
        const auto at = std::ranges::find(analysis.loops, *site.loop);
        SELVAGE_CHECK(at != analysis.loops.end());
        const Expr variable = analysis.variables[std::size_t(at - analysis.loops.begin())];
        auto ring =
            std::ranges::find_if(rings, [&](const Ring& r) { return same(r.variable, variable); });
        if (ring == rings.end()) ring = rings.insert(rings.end(), {variable});
        ring->tiles.insert(*tile);
        ring->tensor = t;
        ring->ahead = std::min(ring->ahead, schedule.ahead(t));
      });
    }
  }
  for (const Ring& ring : rings) {
    about(ring.tensor, [&] { maker.make(draft.kernel.body, ring, draft); });
  }
}

}  // namespace selvage
