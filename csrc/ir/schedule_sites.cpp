// The primitives that say where a tensor is computed and kept.
#include <selvage/base/refuse.h>
#include <selvage/ir/fold.h>
#include <selvage/ir/reads.h>
#include <selvage/ir/schedule_nest.h>

#include <algorithm>

namespace selvage {

Schedule& Schedule::inline_into_readers(TensorId t) {
  const TensorInfo& tensor = fusion()[t];
  if (tensor.is_input || tensor.is_output) {
    refuse<Illegal>(
        "E415",
        tensor.name + " is an " + (tensor.is_input ? "input" : "output") + " and cannot be inlined",
        "leave inline out: what is computed where it is read lies between inputs and outputs");
  }
  if (tensor.fold) {
    refuse<Illegal>("E415",
                    tensor.name + " folds elements, and recomputing that in every reader is not " +
                        "what inlining does",
                    "leave inline out, and it is computed inside of its readers where that can be");
  }
  Nest& own = nest(t);
  own.inlined = true;
  own.follows = false;
  own.site.reset();
  own.last_block_of.reset();
  own.memory.reset();
  return *this;
}

Schedule& Schedule::materialize(TensorId t) {
  Nest& own = nest(t);
  own.inlined = own.follows = false;
  own.site.reset();
  own.last_block_of.reset();
  own.memory.reset();
  return *this;
}

// The first tensor that reads t, itself or through inlined tensors, and has loops.
std::optional<TensorId> Schedule::reader_with_loops(TensorId t) const {
  for (std::size_t k = index_of(t) + 1; k < fusion().size(); ++k) {
    const auto reader = TensorId(k);
    const std::vector<TensorId> sources = tensors_read(fusion(), reader);
    if (std::find(sources.begin(), sources.end(), t) == sources.end()) continue;
    if (!is_inlined(reader)) return reader;
    if (const auto further = reader_with_loops(reader)) return further;
  }
  return std::nullopt;
}

void Schedule::put_at(TensorId t, Site site) {
  const TensorInfo& tensor = fusion()[t];
  const std::string& into = fusion()[site.tensor].name;
  if (tensor.is_input || !tensor.definition) {
    refuse<Illegal>("E418", tensor.name + " is an input: it is not computed anywhere",
                    "cache it, and compute the copy there");
  }
  TensorId last =
      t;  // of a circle of sites: the tensor that reads all others, so that it needs no site
  for (TensorId host = site.tensor;;) {
    last = std::max(last, host);
    if (host == t) {
      refuse<Illegal>("E418",
                      tensor.name + " would be computed at a loop of " + into +
                          ", which is computed inside " + tensor.name,
                      "leave inline out of the schedule of " + fusion()[last].name);
    }
    if (!nest(host).site) break;
    host = nest(host).site->tensor;
  }
  if (is_inlined(site.tensor) || fusion()[site.tensor].is_input) {
    const std::optional<TensorId> reader = reader_with_loops(t);
    refuse<Illegal>("E418",
                    into + (fusion()[site.tensor].is_input ? " is an input" : " is inlined") +
                        " and has no loops at which " + tensor.name + " could be computed",
                    reader ? "take " + fusion()[*reader].name + ", which is computed in loops"
                           : "leave inline out of the schedule of " + tensor.name);
  }
  Nest& own = nest(t);
  put_shared_first(own, nest(site.tensor).loops, site);
  own.inlined = own.follows = false;
  own.last_block_of.reset();
  own.site = site;
}

void Schedule::put_shared_first(Nest& own, const std::vector<DomainId>& host, const Site& site) {
  std::vector<DomainId> order;
  for (std::size_t k = 0; site.loop && k < host.size(); ++k) {
    const bool is_shared = contains(own.loops, host[k]) &&
                           (site.accumulates || !own.folded.contains(index_of(host[k])));
    if (is_shared) order.push_back(host[k]);
    if (host[k] == *site.loop) break;
  }
  for (DomainId d : own.loops) {
    if (!contains(order, d)) order.push_back(d);
  }
  own.loops = std::move(order);
}

Schedule& Schedule::compute_at(TensorId t, ScheduledLoop at) {
  position(at);
  put_at(t, {at.tensor, at.domain});
  return *this;
}

Schedule& Schedule::compute_in(TensorId t, TensorId reader) {
  put_at(t, {reader, std::nullopt});
  return *this;
}

Schedule& Schedule::accumulate_at(TensorId t, ScheduledLoop at) {
  position(at);
  const TensorInfo& tensor = fusion()[t];
  if (!tensor.fold || is_scan(tensor)) {
    refuse<Illegal>("E421", tensor.name + " folds over nothing that it could accumulate",
                    "compute it there without accumulating");
  }
  const Nest& own = nest(t);
  if (!contains(own.loops, at.domain) || !own.folded.contains(index_of(at.domain))) {
    refuse<Illegal>("E418",
                    tensor.name + " does not fold over " + name(at.tensor, at.domain) + " of " +
                        fusion()[at.tensor].name + ", and has nothing to accumulate there",
                    "cut it up like " + fusion()[at.tensor].name +
                        "; or compute it there without accumulating");
  }
  put_at(t, {at.tensor, at.domain, true});
  if (!tensor.is_output) nest(t).memory = Memory::Global;
  return *this;
}

Schedule& Schedule::compute_by_last_block(TensorId t, TensorId host) {
  const TensorInfo& tensor = fusion()[t];
  const std::string& into = fusion()[host].name;
  if (tensor.is_input || !tensor.definition) {
    refuse<Illegal>("E418", tensor.name + " is an input: it is not computed anywhere",
                    "leave last_block_of out of its schedule");
  }
  std::string why;
  if (host == t) {
    why = " cannot be what its own last block computes";
  } else if (fusion()[host].is_input || is_inlined(host) || nest(host).site) {
    why = " has no kernel of its own, whose last block could compute " + tensor.name;
  } else if (nest(host).last_block_of) {
    why = " is computed by a last block itself";
  }
  if (!why.empty()) {
    refuse<Illegal>("E418", into + why, "name a tensor that is computed in a nest of its own");
  }
  Nest& own = nest(t);
  own.inlined = own.follows = false;
  own.site.reset();
  own.last_block_of = host;
  return *this;
}

Schedule& Schedule::keep_in(TensorId t, Memory memory) {
  const TensorInfo& tensor = fusion()[t];
  if (tensor.is_input || (tensor.is_output && memory != Memory::Global)) {
    refuse<Illegal>(
        "E419",
        tensor.name + " is an " + (tensor.is_input ? "input" : "output") +
            " and lies in global memory",
        "cache it, and keep the copy there: {cache: {as: " + unused_name(tensor.name + "_copy") +
            ", memory: " + std::string(to_string(memory)) + "}}");
  }
  nest(t).memory = memory;
  return *this;
}

Schedule& Schedule::meet_atomically(TensorId t) {
  const TensorInfo& tensor = fusion()[t];
  const bool is_sum = tensor.fold && tensor.fold->how == Reduction::Sum;
  const bool is_least_or_most =
      tensor.fold && (tensor.fold->how == Reduction::Max || tensor.fold->how == Reduction::Min);
  const std::string apart = "leave blocks: atomic out";
  const std::string help = apart + ", and rfactor it: the parts are a kernel, {memory: global}, " +
                           "and merging them another";
  if (!is_sum && !is_least_or_most) {
    refuse<Illegal>("E423", tensor.name + " is no sum, min or max that blocks could meet in",
                    tensor.fold ? help : apart + ": it is for what is folded");
  }
  if (is_scan(tensor)) {
    refuse<Illegal>("E423", tensor.name + " is a scan, in which the order of elements matters",
                    apart + ": bind its loops to threads of one block, or to none");
  }
  if (tensor.fold->is_partial) {
    refuse<Illegal>("E423", tensor.name + " is a part of a fold",
                    apart + ", and let the blocks meet in what merges the parts");
  }
  if (is_least_or_most && is_narrow_integer(stored_type(tensor)) &&
      stored_type(tensor) != tensor.type) {
    refuse<Illegal>("E423",
                    tensor.name + " is stored as " + std::string(to_string(stored_type(tensor))) +
                        ", where its values wrap around: which is the most would change",
                    help);
  }
  if (is_sum && stored_type(tensor) != components(*tensor.fold)[0].type) {
    refuse<Illegal>("E423",
                    tensor.name + " is added up in " +
                        std::string(to_string(components(*tensor.fold)[0].type)) +
                        " and stored as " + std::string(to_string(stored_type(tensor))) +
                        ", which would round each addition",
                    help);
  }
  if (tensor.duplicates_allowed) {
    refuse<Illegal>("E423", tensor.name + " may be stored twice, and would be added twice", help);
  }
  nest(t).meets_atomically = true;
  return *this;
}

bool Schedule::meets_atomically(TensorId t) const { return nest(t).meets_atomically; }

bool Schedule::is_folded_by_blocks(TensorId t) const {
  const Nest& own = nest(t);
  return std::any_of(own.bound.begin(), own.bound.end(), [&](const auto& bound) {
    return is_block(bound.second) && own.folded.contains(index_of(bound.first));
  });
}

}  // namespace selvage
