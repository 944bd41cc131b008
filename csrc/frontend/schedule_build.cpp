// `schedule` of section 2, carried out on the fusion.
#include <selvage/base/refuse.h>
#include <selvage/frontend/loop_list.h>
#include <selvage/frontend/readers.h>
#include <selvage/frontend/schedule_draft.h>
#include <selvage/ir/buffer_layout.h>
#include <selvage/ir/effective_reads.h>
#include <selvage/legality/read_tile.h>

#include <algorithm>
#include <map>
#include <set>

namespace selvage {

namespace {

using ListedTensor = ScheduleDraft::Tensor;

std::vector<std::size_t> numbers(const std::vector<DomainId>& domains) {
  std::vector<std::size_t> list;
  for (DomainId d : domains) list.push_back(index_of(d));
  return list;
}

class ScheduleBuilder {
 public:
  ScheduleBuilder(const ScheduleDraft& draft, const Fusion& fusion,
                  std::span<const Formula> statements)
      : draft_(draft), schedule_(fusion), statements_(statements) {
    for (const ListedTensor& tensor : draft.tensors) by_name_.emplace(tensor.name, &tensor);
  }

  Schedule run() {
    // A tensor's loops go by the names of its own statement.
    for (const Formula& formula : statements_) {
      const TensorId t = find(formula.target);
      std::vector<Formula::Index> names = formula.indices;
      for (const Formula::Index& index : folded_indices(formula)) names.push_back(index);
      const std::vector<DomainId> domains = nest_domain(schedule_.fusion()[t]);
      for (std::size_t k = 0; k < std::min(names.size(), domains.size()); ++k) {
        schedule_.rename(t, domains[k], names[k].name);
      }
    }
    for (const ListedTensor& tensor : draft_.tensors) share_mean(tensor);
    for (const ListedTensor& tensor : draft_.tensors) carry_out(tensor);
    settle_sites();
    return std::move(schedule_);
  }

 private:
  // A two_pass that begins a list, with the mean of a statement: before any list says more of that.
  void share_mean(const ListedTensor& tensor) {
    if (!tensor.maker.empty() || tensor.items.empty()) return;
    const ScheduleDraft::Item& first = tensor.items.front();
    const auto* two_pass = std::get_if<ScheduleDraft::TwoPass>(&first.action);
    if (two_pass == nullptr || draft_.makers.contains(two_pass->mean) || two_pass->is_made) return;
    at_place<Illegal>(first.place, [&] { schedule_.two_pass(find(tensor.name), two_pass->mean); });
    sharing_.insert(tensor.name);
  }

  // Of a tile: the loops that it shares with its reader, which stay outermost, and those that it
  // folds over, which stay innermost. Its list names neither.
  struct Fixed {
    std::vector<DomainId> outer = {}, inner = {};
  };

  // The list of one tensor, item by item. Loops are set once in a while, not after each cut.
  struct Work {
    const ListedTensor& tensor;
    TensorId id;
    std::vector<DomainId> domains = {};  // of the names
    LoopList loops;
    bool is_cut = false;  // since the loops were set
    std::vector<FileBinding> bindings = {};
    Fixed fixed = {};
  };

  TensorId find(const std::string& name) const { return *schedule_.fusion().find(name); }

  void carry_out(const ListedTensor& tensor) {
    auto [state, is_new] = states_.emplace(tensor.name, State::Begun);
    if (!is_new) return;
    if (!tensor.maker.empty()) after(tensor, tensor.maker);
    const TensorId t = find(tensor.name);
    if (tensor.is_inlined) {
      at_place<Illegal>(tensor.place, [&] { schedule_.inline_into_readers(t); });
    } else if (says_how_it_is_computed(tensor, t)) {
      schedule_.materialize(t);
    }
    Work work{.tensor = tensor, .id = t, .loops = {}};
    if (const auto tile = tiles_.find(tensor.name); tile != tiles_.end()) {
      work.fixed = tile->second;
    }
    look_again(work);
    const auto begin = begins_.find(tensor.name);
    work.domains = begin == begins_.end() ? nest_domain(schedule_.fusion()[t]) : begin->second;
    work.domains.resize(tensor.names.size());
    for (const ScheduleDraft::Item& item : tensor.items) {
      std::visit([&](const auto& action) { act(action, item.place, work); }, item.action);
    }
    settle(work);
    states_[tensor.name] = State::Done;
  }

  // A list of caches and two_pass alone leaves a tensor where it is, and so does a memory for one
  // that folds.
  bool says_how_it_is_computed(const ListedTensor& tensor, TensorId t) const {
    const bool is_made = !tensor.maker.empty() && !schedule_.follows(t);
    if (!tensor.is_listed || is_made || schedule_.fusion()[t].is_input) return false;
    if (tensor.items.empty() || tensor.site) return true;
    return std::any_of(tensor.items.begin(), tensor.items.end(), [&](const auto& item) {
      const bool is_memory = std::holds_alternative<Memory>(item.action) ||
                             std::holds_alternative<ScheduleDraft::Layout>(item.action) ||
                             std::holds_alternative<ScheduleDraft::Stages>(item.action) ||
                             std::holds_alternative<ScheduleDraft::Copies>(item.action);
      if (is_memory) return !schedule_.follows(t);
      return !std::holds_alternative<ScheduleDraft::Cache>(item.action) &&
             !std::holds_alternative<ScheduleDraft::TwoPass>(item.action);
    });
  }

  const ListedTensor* listed(const std::string& name) const {
    const auto it = by_name_.find(name);
    return it == by_name_.end() ? nullptr : it->second;
  }

  void after(const ListedTensor& tensor, const std::string& other) {
    const ListedTensor* list = listed(other);
    if (list == nullptr) return;
    const auto state = states_.find(other);
    if (state != states_.end() && state->second == State::Begun && other != tensor.name) {
      refuse("E330", tensor.place,
             "the lists of " + tensor.name + " and " + other + " wait for each other",
             "cut one of the two up by itself, without like");
    }
    carry_out(*list);
  }

  void settle(Work& work) {
    if (work.is_cut) {
      std::vector<DomainId> loops = work.fixed.outer;
      for (std::size_t d : work.loops.loops()) loops.push_back(DomainId(d));
      loops.insert(loops.end(), work.fixed.inner.begin(), work.fixed.inner.end());
      at_place<Illegal>(work.tensor.place, [&] { schedule_.set_loops(work.id, std::move(loops)); });
    }
    work.is_cut = false;
    for (const FileBinding& b : work.bindings) {
      at_place<Illegal>(b.place, [&] {
        schedule_.bind({work.id, work.domains[b.domain]}, b.type);
      });
    }
    work.bindings.clear();
  }

  void look_again(Work& work) {
    std::vector<DomainId> loops = schedule_.loop_domains(work.id);
    std::erase_if(loops, [&](DomainId d) {
      return contains(work.fixed.outer, d) || contains(work.fixed.inner, d);
    });
    work.loops.set(numbers(loops));
  }

  std::vector<std::string> loops_of(const Work& work) const {
    std::vector<std::string> names;
    for (std::size_t d : work.loops.loops()) names.push_back(schedule_.name(work.id, DomainId(d)));
    return names;
  }

  // A loop that a name stands for; after a like it may be none.
  std::size_t loop(const Work& work, std::size_t name, const Place& place) const {
    const std::size_t d = index_of(work.domains[name]);
    if (work.loops.has(d)) return d;
    refuse("E313", place,
           work.tensor.names.all()[name].name + " is no loop of " + work.tensor.name + " any more",
           few_names("its loops are ", loops_of(work), "name one that came out of it"));
  }

  void act(const FileTransform& t, const Place& place, Work& work) {
    std::vector<std::size_t> in, out;
    for (std::size_t d : t.in) in.push_back(loop(work, d, place));
    const std::vector<std::string> names = names_made(t, work.tensor.names);
    at_place<Illegal>(t.place, [&] {
      const bool is_folded = schedule_.is_folded(work.id, DomainId(in[0]));
      if (in.size() > 1 && schedule_.is_folded(work.id, DomainId(in[1])) != is_folded) {
        // The primitive says why.
        settle(work);
        schedule_.merge({work.id, DomainId(in[0])}, {work.id, DomainId(in[1])});
      }
      const auto made = schedule_.derive(work.id, request(t, work.domains), names);
      for (std::size_t k = 0; k < made.size(); ++k) {
        schedule_.rename(work.id, made[k], names[k]);
        work.domains[t.out[k]] = made[k];
        out.push_back(index_of(made[k]));
      }
    });
    work.loops.replace(in, out, t.kind == FileTransform::Kind::Swizzle);
    work.is_cut = true;
  }

  void act(const ScheduleDraft::Reorder& reorder, const Place& place, Work& work) {
    std::vector<std::size_t> order;
    for (std::size_t d : reorder.loops) order.push_back(loop(work, d, place));
    if (order.size() != work.loops.loops().size()) {
      std::vector<std::string> missing;
      for (std::size_t d : work.loops.loops()) {
        if (std::count(order.begin(), order.end(), d) != 0) continue;
        missing.push_back(schedule_.name(work.id, DomainId(d)));
      }
      refuse("E307", place,
             "reorder: " + joined(missing) + " of " + work.tensor.name + " is missing",
             few_names("name every loop once: ", loops_of(work), "name every loop once"));
    }
    work.loops.set(order);
    work.is_cut = true;
  }

  void act(const FileBinding& binding, const Place&, Work& work) {
    work.bindings.push_back(binding);
  }

  void act(const ScheduleDraft::Cache& cache, const Place& place, Work& work) {
    settle(work);
    const std::optional<ScheduledLoop> at = window_loop(cache.name, work);
    at_place<Illegal>(place, [&] {
      const auto tile = at ? read_tile(schedule_, work.id, *at).tile : std::nullopt;
      const TensorId made =
          tile ? schedule_.cache_tile(work.id, at->tensor, *tile, cache.name, cache.memory)
               : schedule_.cache(work.id, cache.name, cache.memory);
      if (cache.stages > 1) schedule_.stages(made, cache.stages);
      if (cache.by != CopyBy::LoadStore || cache.ahead) {
        schedule_.copy(made, cache.by, cache.ahead);
      }
      if (cache.role) schedule_.role(made, *cache.role);
      std::vector<DomainId> own = nest_domain(schedule_.fusion()[made]);
      if (tile) {
        Fixed& fixed = tiles_[cache.name];
        const auto begin = own.begin() + std::ptrdiff_t(tile->loops.size());
        const auto end = begin + std::ptrdiff_t(tile->axes.size());
        fixed = {{own.begin(), begin}, {end, own.end()}};
        own = {begin, end};
      }
      begins_[cache.name] = own;
      // Of an input, the names are those of who reads it first.
      for (std::size_t k = 0; k < own.size() && k < work.tensor.names.size(); ++k) {
        if (!schedule_.fusion()[work.id].is_input) break;
        schedule_.rename(made, own[k], work.tensor.names.all()[k].name);
      }
      if (tile && cache.memory == Memory::Shared && !listed(cache.name)->is_listed) {
        share_among_threads(schedule_, made, at->tensor);
      }
    });
    look_again(work);
  }

  // The loop that `at` of a cache names, if its tensor reads windows of what is cached.
  std::optional<ScheduledLoop> window_loop(const std::string& cache, const Work& work) {
    const ListedTensor* made = listed(cache);
    if (made == nullptr || !made->site || !made->site->at || made->site->into) return std::nullopt;
    for (std::size_t k = 0; k < schedule_.fusion().size(); ++k) {
      const auto reader = TensorId(k);
      if (schedule_.is_inlined(reader) || !reads_windows(schedule_.fusion(), reader, work.id)) {
        continue;
      }
      after(work.tensor, schedule_.fusion()[reader].name);
      for (DomainId d : schedule_.loop_domains(reader)) {
        if (schedule_.name(reader, d) == *made->site->at) return ScheduledLoop{reader, d};
      }
    }
    return std::nullopt;
  }

  void act(const ScheduleDraft::Rfactor& rfactor, const Place& place, Work& work) {
    std::vector<ScheduledLoop> some;
    for (std::size_t d : rfactor.in) some.push_back({work.id, DomainId(loop(work, d, place))});
    settle(work);
    at_place<Illegal>(place, [&] { schedule_.rfactor(work.id, std::move(some), rfactor.name); });
    begins_[rfactor.name] = work.domains;
    look_again(work);
  }

  void act(const ScheduleDraft::ScanInParts& parts, const Place& place, Work& work) {
    const ScheduledLoop item{work.id, DomainId(loop(work, parts.in, place))};
    settle(work);
    at_place<Illegal>(place, [&] { schedule_.scan_in_parts(work.id, item, parts.names); });
    for (const auto* name : {&parts.names.sums, &parts.names.before, &parts.names.own}) {
      begins_[*name] = work.domains;
    }
    look_again(work);
  }

  void act(const ScheduleDraft::TwoPass& two_pass, const Place& place, Work& work) {
    if (sharing_.erase(work.tensor.name) > 0) return;  // share_mean() did so
    const auto maker = draft_.makers.find(two_pass.mean);
    if (!two_pass.is_made && maker != draft_.makers.end()) after(work.tensor, maker->second);
    settle(work);
    at_place<Illegal>(place, [&] { schedule_.two_pass(work.id, two_pass.mean); });
    if (two_pass.is_made) begins_[two_pass.mean] = work.domains;
  }

  void act(const ScheduleDraft::Like& like, const Place& place, Work& work) {
    settle(work);
    if (!like.tensor.empty()) {
      const auto maker = draft_.makers.find(like.tensor);
      if (maker != draft_.makers.end()) after(work.tensor, maker->second);
      after(work.tensor, like.tensor);
      if (!schedule_.fusion().find(like.tensor)) {
        refuse("E330", place, "like: " + like.tensor + " is made after this only",
               "write like where " + like.tensor + " is there");
      }
      at_place<Illegal>(place, [&] { schedule_.like(work.id, find(like.tensor)); });
      look_again(work);
    }
    for (std::size_t d : like.late) {
      const DomainNames::Domain& name = work.tensor.names.all()[d];
      work.domains[d] = find_loop(work.id, name.name, name.place, work.tensor.name);
    }
  }

  void act(Memory memory, const Place& place, Work& work) {
    at_place<Illegal>(place, [&] { schedule_.keep_in(work.id, memory); });
  }

  // Who else is computed where is settled when all loops are made.
  void act(const ScheduleDraft::LastBlockOf&, const Place&, Work&) {}

  void act(const ScheduleDraft::AtomicBlocks&, const Place& place, Work& work) {
    at_place<Illegal>(place, [&] { schedule_.meet_atomically(work.id); });
  }

  void act(const ScheduleDraft::Stages& stages, const Place& place, Work& work) {
    at_place<Illegal>(place, [&] { schedule_.stages(work.id, stages.copies); });
  }

  void act(const ScheduleDraft::Copies& copies, const Place& place, Work& work) {
    at_place<Illegal>(place, [&] {
      schedule_.copy(work.id, copies.by, copies.ahead);
      if (copies.role) schedule_.role(work.id, *copies.role);
    });
  }

  void act(const ScheduleDraft::Layout& layout, const Place& place, Work& work) {
    settle(work);
    at_place<Illegal>(place, [&] {
      BufferLayout made = schedule_.layout(work.id);
      for (const FileTransform& t : layout.transforms) {
        at_place<Illegal>(t.place, [&] {
          const auto names = names_made(t, work.tensor.names);
          const auto out = made.derive(request(t, work.domains), names);
          for (std::size_t k = 0; k < out.size(); ++k) work.domains[t.out[k]] = out[k].domain;
        });
      }
      std::vector<ScheduledLoop> order;
      for (std::size_t d : layout.order) order.push_back({work.id, work.domains[d]});
      made.order(order);
    });
  }

  DomainId find_loop(TensorId t, const std::string& name, const Place& place,
                     const std::string& tensor) const {
    for (DomainId d : schedule_.loop_domains(t)) {
      if (schedule_.name(t, d) == name) return d;
    }
    const std::vector<std::string> names = names_of_loops(t);
    refuse("E205", place, tensor + " has no loop " + name + " in the end",
           meant(name, words_of(names, std::identity()),
                 few_names("its loops are ", names,
                           names.empty() ? "leave at out: it has none" : "name one of its loops")));
  }

  // Sets the places where tensors are computed, once all loops are made. A host gets its own place
  // before the tensors that it hosts.
  void settle_sites() {
    for (const ListedTensor& tensor : draft_.tensors) settle_site(tensor);
    for (const ListedTensor& tensor : draft_.tensors) {
      for (const ScheduleDraft::Item& item : tensor.items) {
        const auto* last = std::get_if<ScheduleDraft::LastBlockOf>(&item.action);
        if (last == nullptr) continue;
        at_place<Illegal>(item.place, [&] {
          schedule_.compute_by_last_block(find(tensor.name), find(last->host));
        });
      }
    }
  }

  void settle_site(const ListedTensor& tensor) {
    if (!tensor.site || !settled_.insert(tensor.name).second) return;
    const ScheduleDraft::Site& site = *tensor.site;
    const TensorId t = find(tensor.name);
    const TensorId into = site.into ? find(*site.into) : reader_with(t, site);
    const ListedTensor* host = listed(schedule_.fusion()[into].name);
    if (host != nullptr) settle_site(*host);
    at_place<Illegal>(site.place, [&] {
      // A cache without a list gets the loops of its reader, as far as possible.
      if (!tensor.is_listed && !tiles_.contains(tensor.name)) like_if_shared(t, into);
      if (!site.at) {
        schedule_.compute_in(t, into);
        return;
      }
      const DomainId at = find_loop(into, *site.at, site.at_place, schedule_.fusion()[into].name);
      if (site.accumulates) {
        schedule_.accumulate_at(t, {into, at});
      } else {
        schedule_.compute_at(t, {into, at});
      }
    });
  }

  void like_if_shared(TensorId t, TensorId reference) {
    const auto refused = refusal_of([&] { schedule_.like(t, reference); });
    if (refused && refused->code != "E422") throw Illegal(*refused);
  }

  std::vector<std::string> names_of_loops(TensorId t) const {
    std::vector<std::string> names;
    for (DomainId d : schedule_.loop_domains(t)) names.push_back(schedule_.name(t, d));
    return names;
  }

  // Those that read t in loops of their own, or those that do and are inlined.
  std::vector<TensorId> readers_of(TensorId t, bool are_inlined) const {
    const EffectiveReads reads(schedule_.fusion(), schedule_);
    std::vector<TensorId> readers;
    for (TensorId reader : reads.definition_order()) {
      if (schedule_.fusion()[reader].is_input) continue;
      if (schedule_.is_inlined(reader) != are_inlined) continue;
      const std::vector<EffectiveRead> all = reads.of(reader);
      const auto reads_it = [&](const EffectiveRead& read) { return read.source == t; };
      if (std::any_of(all.begin(), all.end(), reads_it)) readers.push_back(reader);
    }
    return readers;
  }

  std::string names_of(const std::vector<TensorId>& tensors) const {
    return joined(tensors, [&](TensorId t) { return schedule_.fusion()[t].name; });
  }

  // The one reader of a cache that has the loop that its `at` names.
  TensorId reader_with(TensorId t, const ScheduleDraft::Site& site) const {
    const std::vector<TensorId> all = readers_of(t, false);
    std::vector<TensorId> found;
    for (TensorId reader : all) {
      const std::vector<std::string> loops = names_of_loops(reader);
      if (std::count(loops.begin(), loops.end(), *site.at) != 0) found.push_back(reader);
    }
    if (found.size() == 1) return found[0];
    const std::string& own = schedule_.fusion()[t].name;
    if (all.empty()) {
      const std::vector<TensorId> inlined = readers_of(t, true);
      refuse("E205", site.at_place, "cache.at: nothing that is computed in loops reads " + own,
             inlined.empty() ? "leave at out"
                             : "leave at out, or compute a reader in loops of its own: " +
                                   schedule_.fusion()[inlined.back()].name + ": []");
    }
    if (!found.empty()) {
      refuse("E331", site.at_place,
             "cache.at: " + names_of(found) + " all read " + own + ", and have a loop " + *site.at,
             "say which under " + own + ": {inline: {into: " + schedule_.fusion()[found[0]].name +
                 ", at: " + *site.at + "}}, and leave at out here");
    }
    const std::vector<std::string> loops = names_of_loops(all[0]);
    refuse("E205", site.at_place,
           "cache.at: none of those who read " + own + " (" + names_of(all) + ") has a loop " +
               *site.at + " in the end",
           meant(*site.at, words_of(loops, std::identity()),
                 few_names("the loops of " + schedule_.fusion()[all[0]].name + " are ", loops,
                           "leave at out")));
  }

  enum class State : std::uint8_t { Begun, Done };

  const ScheduleDraft& draft_;
  Schedule schedule_;
  std::span<const Formula> statements_;
  std::map<std::string, const ListedTensor*> by_name_;
  std::map<std::string, State> states_;
  std::set<std::string> settled_;                        // whose place is
  std::set<std::string> sharing_;                        // whose first item is carried out
  std::map<std::string, Fixed> tiles_;                   // by name
  std::map<std::string, std::vector<DomainId>> begins_;  // of the names of made tensors
};

}  // namespace

Schedule build_schedule(const ScheduleDraft& draft, const Fusion& fusion,
                        std::span<const Formula> statements) {
  return ScheduleBuilder(draft, fusion, statements).run();
}

}  // namespace selvage
