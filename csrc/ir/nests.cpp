#include <selvage/base/check.h>
#include <selvage/base/refuse.h>
#include <selvage/ir/about.h>
#include <selvage/ir/nests.h>
#include <selvage/ir/reads.h>
#include <selvage/ir/rounding.h>

#include <algorithm>
#include <map>

namespace selvage {

namespace {

class Planner {
 public:
  Planner(const Fusion& fusion, const Schedule& schedule) : fusion_(fusion), schedule_(schedule) {
    nests_.reads.resize(fusion.size());
    nests_.has_nest.assign(fusion.size(), false);
  }

  Nests run() {
    for (std::size_t i = 0; i < fusion_.size(); ++i) {
      if (fusion_[TensorId(i)].is_output) need(TensorId(i));
    }
    note_unrounded();
    for (TensorId t : order_) {
      if (const auto& site = schedule_.site(t)) hosted_[site->tensor].push_back(t);
    }
    for (TensorId t : order_) about(t, [&] { check_readers(t); });
    for (TensorId t : order_) {
      if (!schedule_.site(t)) nests_.roots.push_back(tree(t, 0, {}));
    }
    put_in_order(nests_.roots);
    return std::move(nests_);
  }

 private:
  void note_unrounded() {
    nests_.is_read_unrounded.assign(fusion_.size(), false);
    for (TensorId t : order_) {
      for (TensorId read : nests_.reads[index_of(t)]) {
        if (!fusion_[read].is_output || nests_.is_read_unrounded[index_of(read)]) continue;
        nests_.is_read_unrounded[index_of(read)] = changes_when_stored(fusion_, read);
      }
    }
  }

  // Depth first, so that order_ lists tensors before their readers. The stack is explicit, because
  // a fusion may be a chain of any length.
  void need(TensorId root) {
    struct Visit {
      TensorId tensor;
      std::vector<TensorId> open;
    };
    std::vector<Visit> stack;
    const auto enter = [&](TensorId t) {
      if (fusion_[t].is_input || nests_.has_nest[index_of(t)]) return;
      nests_.has_nest[index_of(t)] = true;
      std::set<TensorId>& reads = nests_.reads[index_of(t)];
      collect_reads(*fusion_[t].definition, reads);
      for (TensorId offsets : offsets_of(fusion_, t)) reads.insert(offsets);
      stack.push_back({t, {reads.rbegin(), reads.rend()}});
    };
    enter(root);
    while (!stack.empty()) {
      if (stack.back().open.empty()) {
        order_.push_back(stack.back().tensor);
        stack.pop_back();
        continue;
      }
      const TensorId next = stack.back().open.back();
      stack.back().open.pop_back();
      enter(next);
    }
  }

  void collect_reads(ValueId root, std::set<TensorId>& out) const {
    std::set<ValueId> seen = {root};
    std::set<TensorId> inlined;
    std::vector<ValueId> open = {root};
    while (!open.empty()) {
      const ValueNode& node = fusion_.values()[open.back()];
      open.pop_back();
      const auto visit = [&](ValueId v) {
        if (seen.insert(v).second) open.push_back(v);
      };
      for (ValueId o : node.operands) visit(o);
      if (node.kind != ValueNode::Kind::Read) continue;
      const TensorId source = TensorId(node.source);
      if (fusion_[source].is_input || !schedule_.is_inlined(source)) {
        out.insert(source);
      } else if (inlined.insert(source).second) {
        visit(*fusion_[source].definition);
      }
    }
  }

  const std::string& name(TensorId t) const { return fusion_[t].name; }

  // How many loops of its host a tensor stands inside.
  std::size_t level(const Schedule::Site& site) const {
    if (!site.loop) return 0;
    const std::vector<DomainId>& loops = schedule_.loop_domains(site.tensor);
    const auto at = std::find(loops.begin(), loops.end(), *site.loop);
    if (at == loops.end()) {
      about(site.tensor, [&] {
        refuse<Illegal>("E418",
                        schedule_.name(site.tensor, *site.loop) + ", at which something is to be " +
                            "computed, is no loop of " + name(site.tensor) + " any more",
                        "say where it is computed after " + name(site.tensor) + " is cut up");
      });
    }
    return std::size_t(at - loops.begin()) + 1;
  }

  // Every reader of a tensor that is computed inside another's nest has to be inside the same
  // loops: it is the host itself, or a tensor computed within these loops of it.
  void check_readers(TensorId t) const {
    const auto& site = schedule_.site(t);
    if (!site) return;
    const std::size_t own = level(*site);
    if (!nests_.has_nest[index_of(site->tensor)]) {
      refuse<Illegal>("E418",
                      name(t) + " is to be computed at a loop of " + name(site->tensor) +
                          ", which nothing needs",
                      "compute it at a loop of a tensor that reads it");
    }
    for (TensorId reader : order_) {
      if (!nests_.reads[index_of(reader)].contains(t)) continue;
      if (site->accumulates) {
        check_behind(t, reader);
        continue;
      }
      TensorId at = reader;
      std::size_t reader_level = SIZE_MAX;  // in the host's loops
      while (at != site->tensor && schedule_.site(at)) {
        reader_level = level(*schedule_.site(at));
        at = schedule_.site(at)->tensor;
      }
      if (at == site->tensor && reader_level >= own) continue;
      const std::string where = site->loop ? "loop " + schedule_.name(site->tensor, *site->loop) +
                                                 " of " + name(site->tensor)
                                           : "the nest of " + name(site->tensor);
      refuse<Illegal>("E418",
                      name(t) + " is computed at " + where + ", and " + name(reader) +
                          " reads it outside of that",
                      "compute " + name(reader) +
                          " there as well, inline: {into: " + name(site->tensor) +
                          (site->loop ? ", at: " + schedule_.name(site->tensor, *site->loop) : "") +
                          "}; or leave inline out of the schedule of " + name(t));
    }
  }

  // What is accumulated is complete behind the loops: who reads it is in another nest.
  void check_behind(TensorId t, TensorId reader) const {
    const auto outermost = [&](TensorId inner) {
      while (schedule_.site(inner)) inner = schedule_.site(inner)->tensor;
      return inner;
    };
    if (outermost(reader) != outermost(t)) return;
    refuse<Illegal>("E418",
                    name(t) + " is accumulated in the nest of " + name(outermost(t)) + ", and " +
                        name(reader) + " reads it there, before it is complete",
                    "leave accumulate out of the schedule of " + name(t) + "; or rfactor " +
                        name(t) + ", and accumulate the parts");
  }

  [[noreturn]] void refuse_late(TensorId t, DomainId late, DomainId before) const {
    refuse<Illegal>("E418",
                    "the loop " + schedule_.name(t, late) + " of " + name(t) +
                        " is shared with the nest that it is computed in, and stands inside " +
                        schedule_.name(t, before) + ", which is not",
                    "reorder " + name(t) + ": shared loops first");
  }

  NestTree tree(TensorId t, std::size_t at, std::vector<DomainId> open) const {
    NestTree nest{.tensor = t, .level = at};
    const std::vector<DomainId>& loops = schedule_.loop_domains(t);
    // A tensor runs through the loops that it folds over by itself, even if an outer nest has a
    // loop over the same iterdomain; unless it accumulates.
    const auto& site = schedule_.site(t);
    const auto is_open = [&](DomainId d) {
      return (!schedule_.is_folded(t, d) || (site && site->accumulates)) &&
             std::find(open.begin(), open.end(), d) != open.end();
    };
    while (nest.shared < loops.size() && is_open(loops[nest.shared])) ++nest.shared;
    const auto late =
        std::find_if(loops.begin() + std::ptrdiff_t(nest.shared), loops.end(), is_open);
    if (late != loops.end()) about(t, [&] { refuse_late(t, *late, loops[nest.shared]); });
    // Hosted tensors in the order in which they are computed.
    const auto hosted = hosted_.find(t);
    if (hosted == hosted_.end()) return nest;
    for (TensorId inner : hosted->second) {
      // The loops that t shares with its own host are open before its part begins.
      const std::size_t own = std::max(level(*schedule_.site(inner)), nest.shared);
      std::vector<DomainId> around = open;
      around.insert(around.end(), loops.begin(), loops.begin() + std::ptrdiff_t(own));
      nest.inside.push_back(tree(inner, own, std::move(around)));
      if (schedule_.site(inner)->accumulates) note_accumulated(nest, nest.inside.back());
    }
    put_in_order(nest.inside);
    return nest;
  }

  // Finds the loop of a host over which a tensor inside accumulates.
  void note_accumulated(const NestTree& host, NestTree& inner) const {
    const TensorId t = inner.tensor;
    const std::vector<DomainId>& loops = schedule_.loop_domains(host.tensor);
    const std::vector<DomainId>& own = schedule_.loop_domains(t);
    const auto first =
        std::find_if(own.begin(), own.end(), [&](DomainId d) { return schedule_.is_folded(t, d); });
    const auto at = std::find(loops.begin(), loops.end(), *first);
    const auto place = std::size_t(at - loops.begin());
    if (at != loops.end() && place >= host.shared && place < inner.level) {
      inner.accumulated_over = place;
      return;
    }
    about(t, [&] {
      refuse<Illegal>("E418",
                      name(t) + " accumulates over " + schedule_.name(t, *first) +
                          ", which is no loop that " + name(host.tensor) + " opens around it",
                      "accumulate it at a loop of the tensor that opens " +
                          schedule_.name(t, *first) + ", and reorder its loops as they are there");
    });
  }

  // Orders trees so that none reads what one after it computes, otherwise as they stand. The order
  // of definition need not be one: a tree may hold a tensor that its root does not read, and that
  // reads what is defined after the root. Who reads an input comes before the tree that replaces
  // it, if both can be had.
  void put_in_order(std::vector<NestTree>& trees) const {
    if (trees.size() < 2) return;
    std::map<TensorId, std::size_t> owner;
    for (std::size_t k = 0; k < trees.size(); ++k) {
      for (TensorId t : tensors_of(trees[k])) owner.emplace(t, k);
    }
    Waiting waiting(trees.size());
    std::map<TensorId, std::size_t> replacing;  // by input
    for (const auto& [t, k] : owner) {
      for (TensorId source : nests_.reads[index_of(t)]) {
        const auto at = owner.find(source);
        if (at != owner.end()) waiting.add(k, at->second);
      }
      if (fusion_[t].in_place_of) replacing[*fusion_[t].in_place_of] = k;
    }
    Waiting with_replacing = waiting;
    for (const auto& [t, k] : owner) {
      for (TensorId source : nests_.reads[index_of(t)]) {
        const auto at = replacing.find(source);
        if (at != replacing.end()) with_replacing.add(at->second, k);
      }
    }
    std::vector<std::size_t> order = with_replacing.order();
    if (order.size() < trees.size()) order = waiting.order();
    if (order.size() < trees.size()) refuse_circle(owner, waiting.left());
    std::vector<NestTree> ordered;
    for (std::size_t k : order) ordered.push_back(std::move(trees[k]));
    trees = std::move(ordered);
  }

  // Which trees wait for which.
  class Waiting {
   public:
    explicit Waiting(std::size_t trees) : behind_(trees), waits_for_(trees) {}
    void add(std::size_t later, std::size_t earlier) {
      if (later != earlier) waits_for_[later] += behind_[earlier].insert(later).second;
    }
    // Each after those that it waits for, otherwise as they stand; without those in a circle.
    std::vector<std::size_t> order() {
      std::set<std::size_t> ready;
      for (std::size_t k = 0; k < behind_.size(); ++k) {
        if (waits_for_[k] == 0) ready.insert(k);
      }
      std::vector<std::size_t> ordered;
      while (!ready.empty()) {
        const std::size_t k = *ready.begin();
        ready.erase(ready.begin());
        ordered.push_back(k);
        for (std::size_t later : behind_[k]) {
          if (--waits_for_[later] == 0) ready.insert(later);
        }
      }
      return ordered;
    }
    // After order(): by tree, how many it still waits for.
    const std::vector<std::size_t>& left() const { return waits_for_; }

   private:
    std::vector<std::set<std::size_t>> behind_;
    std::vector<std::size_t> waits_for_;
  };

  // Trees that wait for one another: one of them holds a tensor that its root does not read.
  [[noreturn]] void refuse_circle(const std::map<TensorId, std::size_t>& owner,
                                  const std::vector<std::size_t>& waits_for) const {
    for (const auto& [t, k] : owner) {
      if (!schedule_.site(t) || waits_for[k] == 0) continue;
      for (TensorId source : nests_.reads[index_of(t)]) {
        const auto at = owner.find(source);
        if (at == owner.end() || at->second == k || waits_for[at->second] == 0) continue;
        about(t, [&] {
          const std::string& host = name(schedule_.site(t)->tensor);
          refuse<Illegal>("E418",
                          name(t) + " is computed in the nest of " + host + ", and reads " +
                              name(source) + ", which waits for what that nest computes",
                          "compute " + name(t) + " in a nest of its own, or " + name(source) +
                              " in that of " + host);
        });
      }
    }
    SELVAGE_CHECK(!"trees wait for one another, and none of them holds another tensor");
  }

  const Fusion& fusion_;
  const Schedule& schedule_;
  Nests nests_;
  std::vector<TensorId> order_;                       // all that have a nest, before their readers
  std::map<TensorId, std::vector<TensorId>> hosted_;  // by host, in that order
};

}  // namespace

Nests nests_of(const Fusion& fusion, const Schedule& schedule) {
  return Planner(fusion, schedule).run();
}

std::vector<TensorId> tensors_of(const NestTree& tree) {
  std::vector<TensorId> tensors = {tree.tensor};
  for (const NestTree& inner : tree.inside) {
    for (TensorId t : tensors_of(inner)) tensors.push_back(t);
  }
  return tensors;
}

}  // namespace selvage
