#include <selvage/base/integer.h>
#include <selvage/expr/symbols.h>
#include <selvage/kernel/warp_request.h>
#include <selvage/lower/load_rounds.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace selvage {

namespace {

class LoadRounds {
 public:
  LoadRounds(const Kernel& kernel, const StatementTree& tree, const KernelRequests& requests)
      : kernel_(kernel), tree_(tree), requests_(requests) {
    for (PlaceId id = 0; id < tree_.size(); ++id) {
      const Statement& s = *tree_[id].statement;
      if (parts_of(s).together != nullptr && !std::holds_alternative<Shuffle>(s.node)) {
        barriers_.push_back(id);
      }
      if (std::holds_alternative<LastBlock>(s.node)) last_block_ = id;
      bool reads_memory = false;
      for_each_access(s, kernel_.values, [&](const StatementAccess& a) {
        const bool is_local = kernel_.buffers[a.buffer].memory == Memory::Local;
        if (is_local) in_registers_.push_back(a.address);
        reads_memory = reads_memory || !is_local;
      });
      if (std::holds_alternative<Define>(s.node) && reads_memory) {
        from_memory_.push_back(tree_[id].variable);
      }
    }
  }

  LoadTurns run(const std::vector<double>& asked, const std::vector<double>& from_dram) {
    // By the loop, the barrier before, and whether they end later or wait for another load.
    std::map<std::tuple<PlaceId, std::size_t, bool, bool>, Round> rounds;
    const auto of_block = double(ceil_div(requests_.threads, kWarp));
    const double warps = double(requests_.blocks) * of_block;
    for (std::size_t k = 0; k < requests_.accesses.size(); ++k) {
      const AccessRequests& a = requests_.accesses[k];
      if (kernel_.buffers[a.buffer].memory != Memory::Global || writes(a.kind)) continue;
      if (asked[k] <= 0) continue;
      const auto barrier = std::ranges::lower_bound(barriers_, a.place);
      const Waiting waiting = waiting_of(a.place);
      Round& round = rounds[{waiting.loop, std::size_t(barrier - barriers_.begin()),
                             waiting.is_late, has_loaded_address(a)}];
      // A block waits for the loads of any of its warps.
      const auto runs = double(requests_.runs[a.place]);
      if (last_block_ && tree_.is_inside(a.place, *last_block_)) {
        round.of_last_block =
            std::max({round.of_last_block, runs / of_block / times_at_once(a.place, waiting.loop),
                      std::min(1.0, runs)});
        continue;
      }
      // All warps wait for copies of an object, whichever begins them.
      const double turns =
          waiting.of_all ? double(requests_.runs[*waiting.of_all]) / warps / waiting.iterations
                         : runs / warps / times_at_once(a.place, waiting.loop) / waiting.iterations;
      round.turns = std::max({round.turns, turns, std::min(1.0, runs / double(requests_.blocks))});
      round.from_dram = std::max(round.from_dram, from_dram[k] / asked[k]);
      round.bytes += from_dram[k];
    }
    LoadTurns result;
    double bytes = 0;
    for (PlaceId id = 0; id < tree_.size(); ++id) {
      const double turns = double(requests_.runs[id]) / warps;
      result.from_l2 += turns * double(requests_.probes[id]);
    }
    for (const auto& [where, round] : rounds) {
      result.of_last_block += round.of_last_block;
      result.from_dram += round.turns * round.from_dram;
      result.from_l2 += round.turns * (1 - round.from_dram);
      bytes += round.bytes;
    }
    const double threads = double(requests_.blocks * requests_.threads);
    if (bytes > 0) result.bytes_in_flight = bytes / threads / result.from_dram;
    return result;
  }

 private:
  struct Round {
    double turns = 0, bytes = 0, of_last_block = 0;
    double from_dram = 0;  // of its loads that have to be fetched most often: how often
  };

  // Whether the address of an access is a number that another load gives.
  bool has_loaded_address(const AccessRequests& access) const {
    bool found = false;
    for_each_access(*tree_[access.place].statement, kernel_.values, [&](const StatementAccess& a) {
      if (a.buffer == access.buffer && !writes(a.kind)) {
        found = found || mentions(a.address, from_memory_);
      }
    });
    return found;
  }

  // Registers have no addresses: a loop whose variable tells them apart is unrolled.
  bool is_unrolled(const Loop& loop) const {
    return loop.parallel != ParallelType::Serial ||
           std::ranges::any_of(in_registers_,
                               [&](Expr address) { return mentions(address, loop.variable); });
  }

  // The innermost loop around a load of which each iteration waits for one before, and how many
  // iterations are under way at once: one, but of copies that end later as many as a wait leaves
  // pending, and the one that it is for.
  struct Waiting {
    PlaceId loop = kTop;
    double iterations = 1;
    bool is_late = false;
    std::optional<PlaceId> of_all = {};  // the wait for an object
  };
  Waiting waiting_of(PlaceId id) const {
    const auto* copy = std::get_if<AsyncCopy>(&tree_[id].statement->node);
    if (copy == nullptr) return {.loop = waiting_loop(id)};
    for (PlaceId p = tree_[id].parent; p != kTop; p = tree_[p].parent) {
      for (PlaceId inner : tree_[p].body) {
        const auto* wait = std::get_if<Wait>(&tree_[inner].statement->node);
        if (wait == nullptr || wait->object.has_value() != copy->object.has_value()) continue;
        if (!wait->object) return {p, double(wait->pending + 1), true};
        if (wait->object->buffer != copy->object->buffer) continue;
        // One for each iteration that is under way.
        return {p, double(kernel_.buffers[wait->object->buffer].elements.value()), true, inner};
      }
    }
    return waiting_of_role(id, *copy);
  }
  // Where others wait for the copies, and the thread for the slots that these free.
  Waiting waiting_of_role(PlaceId id, const AsyncCopy& copy) const {
    for (PlaceId p = tree_[id].parent; copy.object && p != kTop; p = tree_[p].parent) {
      for (PlaceId inner : tree_[p].body) {
        const auto* wait = std::get_if<Wait>(&tree_[inner].statement->node);
        if (wait == nullptr || !wait->object) continue;
        for (PlaceId other = 0; other < tree_.size(); ++other) {
          const auto* use = std::get_if<Wait>(&tree_[other].statement->node);
          if (use == nullptr || !use->object || use->object->buffer != copy.object->buffer)
            continue;
          // A tile that is used is under way no more.
          const std::int64_t slots = kernel_.buffers[wait->object->buffer].elements.value();
          return {p, double(std::max<std::int64_t>(slots - 1, 1)), true, other};
        }
      }
    }
    return {};
  }
  PlaceId waiting_loop(PlaceId id) const {
    for (PlaceId p = tree_[id].parent; p != kTop; p = tree_[p].parent) {
      const auto* loop = std::get_if<Loop>(&tree_[p].statement->node);
      if (loop != nullptr && !is_index(loop->parallel) && !is_unrolled(*loop)) return p;
    }
    return kTop;
  }

  // The iterations of the loops between that one, `end`, and the load.
  double times_at_once(PlaceId id, PlaceId end) const {
    double times = 1;
    PlaceId inner = id;
    for (PlaceId p = tree_[id].parent; p != end; p = tree_[p].parent) {
      const auto* loop = std::get_if<Loop>(&tree_[p].statement->node);
      if (loop == nullptr || is_index(loop->parallel)) continue;
      times *= double(requests_.runs[inner]) / std::max(1.0, double(requests_.runs[p]));
      inner = p;
    }
    return std::max(times, 1.0);
  }

  const Kernel& kernel_;
  const StatementTree& tree_;
  const KernelRequests& requests_;
  std::vector<PlaceId> barriers_;
  std::optional<PlaceId> last_block_;
  std::vector<Expr> in_registers_;  // addresses of local buffers
  std::vector<Expr> from_memory_;   // variables whose values are loaded
};

}  // namespace

LoadTurns load_turns(const Kernel& kernel, const StatementTree& tree,
                     const KernelRequests& requests, const std::vector<double>& asked,
                     const std::vector<double>& from_dram) {
  return LoadRounds(kernel, tree, requests).run(asked, from_dram);
}

}  // namespace selvage
