#include <selvage/base/refuse.h>
#include <selvage/ir/about.h>
#include <selvage/ir/fusion.h>
#include <selvage/scheduler/defaults.h>
#include <selvage/scheduler/read_table.h>

#include <algorithm>
#include <map>

namespace selvage {

namespace {

// Places tensors from the last to the first, so that all readers of a tensor have their places.
class Placement {
 public:
  explicit Placement(Schedule& schedule) : s_(schedule), table_(schedule) {}

  void run() {
    for (std::size_t k = table_.order().size(); k-- > 0;) {
      const TensorId t = table_.order()[k];
      if (table_.is_computed(t) && is_open(s_, t)) about(t, [&] { settle(t); });
    }
  }

  // Whether a tensor needs a place and has none.
  static bool is_open(const Schedule& s, TensorId t) {
    const TensorInfo& tensor = s.fusion()[t];
    if (tensor.is_input || tensor.is_output || s.is_inlined(t) || s.site(t)) return false;
    const std::optional<Memory> memory = s.memory(t);
    const bool is_kept_inside = memory && *memory != Memory::Global;
    const bool is_part = tensor.fold && tensor.fold->is_partial && !memory;
    return s.follows(t) || is_kept_inside || is_part;
  }

 private:
  // A tensor is computed inside the first `depth` loops of `host`.
  struct Place {
    TensorId host;
    std::size_t depth;
  };

  // The tensor, its host, the host of that, and so on; each with the number of its loops that
  // enclose the tensor.
  std::vector<Place> places_of(TensorId t) const {
    std::vector<Place> chain = {{t, s_.loop_domains(t).size()}};
    while (const auto& site = s_.site(chain.back().host)) {
      const std::vector<DomainId>& loops = s_.loop_domains(chain.back().host);
      const std::vector<DomainId>& outer = s_.loop_domains(site->tensor);
      const std::size_t end =
          site->loop
              ? std::size_t(std::find(outer.begin(), outer.end(), *site->loop) - outer.begin()) + 1
              : 0;
      // Loops shared by both nests come first. The tensor may be outside the last of them, and is
      // then outside of them here, too.
      const std::size_t inside = chain.back().depth;
      std::size_t depth = 0, shared = 0;
      for (; depth < end; ++depth) {
        const bool is_shared = shared < loops.size() && loops[shared] == outer[depth];
        if (is_shared && shared >= inside) break;
        shared += is_shared;
      }
      chain.push_back({site->tensor, depth});
    }
    return chain;
  }

  // The innermost tensor in whose nest all readers of t are, and how many of its loops enclose them
  // all.
  std::optional<Place> host_of(TensorId t) const {
    std::optional<std::vector<Place>> common;
    for (const ReadTable::Reader& reader : table_.readers(t)) {
      const std::vector<Place> chain = places_of(reader.tensor);
      if (!common) {
        common = chain;
        continue;
      }
      std::erase_if(*common, [&](Place& place) {
        const auto same = std::find_if(chain.begin(), chain.end(),
                                       [&](const Place& p) { return p.host == place.host; });
        if (same == chain.end()) return true;
        place.depth = std::min(place.depth, same->depth);
        return false;
      });
    }
    if (!common || common->empty()) return std::nullopt;
    return common->front();
  }

  // The axes of t that a loop derives from; nothing if it derives from anything else.
  std::optional<std::vector<std::size_t>> axes_behind(TensorId t, DomainId loop) const {
    const std::vector<DomainId>& logical = s_.fusion()[t].logical;
    std::vector<std::size_t> axes;
    std::vector<DomainId> open = {loop};
    for (std::size_t k = 0; k < open.size(); ++k) {
      const auto axis = std::find(logical.begin(), logical.end(), open[k]);
      if (axis != logical.end()) {
        axes.push_back(std::size_t(axis - logical.begin()));
        continue;
      }
      bool is_made = false;
      for (TransformId id : s_.transforms(t)) {
        const Transform& transform = s_.graph()[id];
        if (!contains(outputs(transform), open[k])) continue;
        for (DomainId d : inputs(transform)) {
          if (!contains(open, d)) open.push_back(d);
        }
        is_made = true;
      }
      if (!is_made) return std::nullopt;
    }
    return axes;
  }

  // Whether each iteration of a loop that t shares with all its readers computes just what the
  // readers need in the same iteration.
  bool is_read_in_step(TensorId t, TensorId host, DomainId loop) const {
    if (!contains(s_.loop_domains(t), loop) || s_.is_folded(t, loop)) return false;
    const auto axes = axes_behind(t, loop);
    if (!axes) return false;
    for (const ReadTable::Reader& reader : table_.readers(t)) {
      if (!contains(s_.loop_domains(reader.tensor), loop)) return false;
      if (reader.tensor != host && s_.is_folded(reader.tensor, loop)) return false;
      for (std::size_t k : *axes) {
        if (reader.axes[k] != s_.fusion()[t].logical[k]) return false;
      }
    }
    return contains(s_.loop_domains(host), loop);
  }

  bool is_untouched(TensorId t) const {
    const std::vector<DomainId>& loops = s_.loop_domains(t);
    return loops == nest_domain(s_.fusion()[t]) && std::ranges::all_of(loops, [&](DomainId d) {
             return s_.parallel(t, d) == ParallelType::Serial;
           });
  }

  void settle(TensorId t) {
    const std::optional<Memory> memory = s_.memory(t);
    const bool stays_apart = memory && *memory == Memory::Global;
    const std::optional<Place> host = host_of(t);
    const TensorId model = host ? host->host : table_.readers(t).back().tensor;
    if (is_untouched(t)) s_.like_if_shared(t, model);
    s_.stop_following(t);
    if (stays_apart) return;
    if (!host) return keep_apart(t, "is read by " + readers_as_text(t));
    for (DomainId d : s_.loop_domains(t)) {
      const ParallelType type = s_.parallel(t, d);
      if (!is_block(type) || !s_.is_folded(t, d)) continue;
      return keep_apart(
          t, "folds over " + s_.name(t, d) + ", which is bound to " + std::string(to_string(type)));
    }
    const std::vector<DomainId> loops = s_.loop_domains(host->host);
    std::size_t depth = 0;
    while (depth < host->depth && is_read_in_step(t, host->host, loops[depth])) ++depth;
    const std::vector<DomainId> shared(loops.begin(), loops.begin() + std::ptrdiff_t(depth));
    std::vector<DomainId> unbound;  // each block runs through all of these
    for (DomainId d : s_.loop_domains(t)) {
      if (contains(shared, d) || !is_of_blocks(s_.parallel(t, d))) continue;
      const bool in_step =
          s_.parallel(host->host, d) == s_.parallel(t, d) && is_read_in_step(t, host->host, d);
      if (!in_step) unbound.push_back(d);
    }
    if (!memory && !keeps_a_number(t, shared, unbound)) return;
    if (depth == 0) {
      s_.compute_in(t, host->host);
    } else {
      s_.compute_at(t, {host->host, loops[depth - 1]});
    }
    for (DomainId d : unbound) s_.bind({t, d}, ParallelType::Serial);
  }

  // Whether the serial loops of t inside the shared ones have constant extents, so that registers
  // or shared memory can hold its elements.
  bool keeps_a_number(TensorId t, const std::vector<DomainId>& shared,
                      const std::vector<DomainId>& unbound) const {
    for (DomainId d : s_.loop_domains(t)) {
      const bool is_bound = is_index(s_.parallel(t, d)) && !contains(unbound, d);
      const bool is_reduced = s_.is_folded(t, d) && !is_scan(s_.fusion()[t]);
      if (is_bound || is_reduced || contains(shared, d)) continue;
      if (!s_.graph()[d].extent.is(Op::Const)) return false;
    }
    return true;
  }

  std::string readers_as_text(TensorId t) const {
    std::string text;
    const std::vector<ReadTable::Reader>& list = table_.readers(t);
    for (std::size_t k = list.size(); k-- > 0;) {
      text += s_.fusion()[list[k].tensor].name + (k > 1 ? ", " : k == 1 ? " and " : "");
    }
    return text + ", which are computed in nests of their own";
  }

  // Refuses shared or local memory for a tensor that is a kernel of its own (E419): no kernel reads
  // another's shared memory or registers.
  void keep_apart(TensorId t, const std::string& why) const {
    const std::optional<Memory> memory = s_.memory(t);
    if (!memory || *memory == Memory::Global) return;
    refuse<Illegal>("E419",
                    s_.fusion()[t].name + " is kept in " + std::string(to_string(*memory)) +
                        " memory, and " + why,
                    "keep it in global memory");
  }

  Schedule& s_;
  const ReadTable table_;
};

// Binds the loops that a tensor shares with the nest around it as they are bound there.
class SharedBindings {
 public:
  // `written`: the schedule before anything was settled in it.
  SharedBindings(Schedule& schedule, const Schedule& written) : s_(schedule), written_(written) {}

  void run() {
    for (std::size_t k = 0; k < s_.fusion().size(); ++k) settle(TensorId(k));
  }

 private:
  using Bindings = std::map<DomainId, ParallelType>;

  // Binds the shared loops of t; returns the loops around it with their bindings.
  const Bindings& settle(TensorId t) {
    if (const auto known = around_.find(t); known != around_.end()) return known->second;
    Bindings around;
    if (const std::optional<Schedule::Site> site = s_.site(t)) {
      around = settle(site->tensor);
      for (DomainId d : s_.loop_domains(site->tensor)) {
        if (!site->loop) break;
        around[d] = s_.parallel(site->tensor, d);
        if (d == *site->loop) break;
      }
      for (DomainId d : s_.loop_domains(t)) {
        const auto at = around.find(d);
        if (at == around.end() || (s_.is_folded(t, d) && !site->accumulates)) break;
        about(t, [&] { bind(t, d, at->second, site->tensor); });
      }
    }
    return around_[t] = std::move(around);
  }

  void bind(TensorId t, DomainId d, ParallelType there, TensorId host) {
    const ParallelType here = s_.parallel(t, d);
    if (here == there || (!is_index(here) && !is_index(there))) return;
    if (here != ParallelType::Serial) refuse_binding(t, d, here, there, host);
    for (DomainId other : s_.loop_domains(t)) {
      if (s_.parallel(t, other) != there) continue;
      refuse<Illegal>(
          "E413",
          std::string(to_string(there)) + " of " + name(t) + " is bound to " + s_.name(t, other) +
              ", and is computed inside a loop that is bound to it, " + s_.name(t, d),
          "bind " + s_.name(t, other) + " to " + std::string(to_string(s_.unused_type(t, there))));
    }
    s_.bind({t, d}, there);
  }

  [[noreturn]] void refuse_binding(TensorId t, DomainId d, ParallelType here, ParallelType there,
                                   TensorId host) const {
    const TensorInfo& tensor = s_.fusion()[t];
    // A partial tensor without a site or a memory of its own was placed here by default.
    const bool may_stand_apart =
        tensor.fold && tensor.fold->is_partial && !written_.site(t) && !written_.memory(t);
    refuse<Illegal>(
        "E413",
        s_.name(t, d) + " of " + name(t) + " is bound to " + std::string(to_string(here)) +
            ", and is the loop of " + name(host) + " that it is computed in, which is " +
            (there == ParallelType::Serial ? "serial"
                                           : "bound to " + std::string(to_string(there))),
        "leave the loop " + s_.name(t, d) + " of " + name(t) + " serial, it follows" +
            (may_stand_apart ? "; or give " + name(t) +
                                   " a kernel of its own, in global memory: "
                                   "{memory: global}"
                             : ""));
  }
  const std::string& name(TensorId t) const { return s_.fusion()[t].name; }

  Schedule& s_;
  const Schedule& written_;
  std::map<TensorId, Bindings> around_;
};

}  // namespace

Schedule with_defaults(const Schedule& schedule) {
  Schedule settled = schedule;
  const Fusion& fusion = schedule.fusion();
  bool is_any_open = false;
  for (std::size_t k = 0; k < fusion.size(); ++k) {
    const auto t = TensorId(k);
    is_any_open = is_any_open || Placement::is_open(schedule, t);
    const std::optional<Schedule::Site>& at = schedule.site(t);
    if (!at || !at->loop || contains(schedule.loop_domains(at->tensor), *at->loop)) continue;
    about(t, [&] {
      refuse<Illegal>(
          "E418",
          fusion[t].name + " is to be computed at " + schedule.name(at->tensor, *at->loop) +
              ", which is no loop of " + fusion[at->tensor].name + " any more",
          "say where it is computed after the loops of " + fusion[at->tensor].name + " are cut up");
    });
  }
  if (is_any_open) Placement(settled).run();
  settled.settle_joined();
  SharedBindings(settled, schedule).run();
  settled.settle_stages();
  return settled;
}

Memory default_memory(const Schedule& schedule, TensorId t, bool is_read_by_own_thread) {
  if (const auto asked = schedule.memory(t)) return *asked;
  return is_read_by_own_thread ? Memory::Local : Memory::Shared;
}

}  // namespace selvage
