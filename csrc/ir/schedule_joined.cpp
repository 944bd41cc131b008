// Loops of a tensor whose indices follow from the loops that it is computed in.
#include <selvage/ir/about.h>
#include <selvage/ir/path.h>
#include <selvage/ir/schedule_nest.h>

#include <algorithm>

namespace selvage {

struct Schedule::LoopsAround {
  std::vector<DomainId> loops, of_blocks;  // outermost first; those that all threads go through
  std::vector<TransformId> transforms;     // of the tensors that have these
};

namespace {

bool joins(const Transform& t) {
  return std::holds_alternative<Merge>(t) || std::holds_alternative<Swizzle>(t);
}
// A merge of rows and their items: which row a position is of is read from memory.
bool is_of_rows(const DomainGraph& graph, const Transform& t) {
  const auto* merge = std::get_if<Merge>(&t);
  return merge != nullptr && graph.rows_of(*merge) != nullptr;
}

}  // namespace

void Schedule::join(TensorId t, const LoopsAround& around) {
  Nest& own = nest(t);
  const auto joins_some = [&](TransformId id) { return joins(graph_[id]); };
  if (std::ranges::none_of(around.transforms, joins_some)) return;
  const Path everything = everything_from(graph_, around.of_blocks, around.transforms);
  for (DomainId d : own.loops) {
    const bool is_own = !contains(around.loops, d) && !own.folded.contains(index_of(d)) &&
                        parallel(t, d) == ParallelType::Serial;
    if (!is_own || !reaches(everything, d)) continue;
    const Path path = needed_for(graph_, everything, around.of_blocks, std::span(&d, 1));
    const auto crosses = [&](const auto& what) {
      return std::ranges::any_of(path.steps,
                                 [&](const Step& s) { return what(graph_[s.transform]); });
    };
    if (!crosses(joins) || crosses([&](const Transform& x) { return is_of_rows(graph_, x); }))
      continue;
    own.joined.push_back(d);
    for (const Step& step : path.steps) {
      if (own.used.insert(index_of(step.transform)).second)
        own.transforms.push_back(step.transform);
      for (DomainId from : sources(graph_, step)) {
        if (!contains(around.loops, from) || contains(own.loops, from)) continue;
        if (!contains(own.giving, from)) own.giving.push_back(from);
      }
    }
  }
  if (own.joined.empty()) return;
  std::vector<DomainId> loops;
  for (DomainId d : around.loops) {
    const bool is_shared = contains(own.loops, d) && !own.folded.contains(index_of(d));
    if (is_shared || contains(own.giving, d)) loops.push_back(d);
  }
  for (DomainId d : own.loops) {
    if (!contains(loops, d) && !contains(own.joined, d)) loops.push_back(d);
  }
  own.loops = std::move(loops);
}

const Schedule::LoopsAround& Schedule::settle_joined(TensorId t,
                                                     std::map<TensorId, LoopsAround>& known) {
  if (const auto at = known.find(t); at != known.end()) return at->second;
  LoopsAround around;
  if (const std::optional<Site> site = nest(t).site) {
    around = settle_joined(site->tensor, known);
    const Nest& host = nest(site->tensor);
    const std::vector<TransformId>& made = host.transforms;
    around.transforms.insert(around.transforms.end(), made.begin(), made.end());
    for (DomainId d : host.loops) {
      if (!site->loop) break;
      if (!contains(around.loops, d)) {
        around.loops.push_back(d);
        if (!is_thread(parallel(site->tensor, d))) around.of_blocks.push_back(d);
      }
      if (d == *site->loop) break;
    }
    // In global memory each item is stored once, whatever is around.
    const bool is_kept_inside = !fusion()[t].is_output && nest(t).memory != Memory::Global;
    if (is_kept_inside && !site->accumulates) about(t, [&] { join(t, around); });
  }
  return known[t] = std::move(around);
}

Schedule& Schedule::settle_joined() {
  std::map<TensorId, LoopsAround> known;
  for (std::size_t k = 0; k < nests_.size(); ++k) settle_joined(TensorId(k), known);
  return *this;
}

const std::vector<DomainId>& Schedule::joined(TensorId t) const { return nest(t).joined; }

std::vector<DomainId> Schedule::item_loops(TensorId t) const {
  const Nest& own = nest(t);
  std::vector<DomainId> loops = own.joined;
  for (DomainId d : own.loops) {
    if (!contains(own.giving, d)) loops.push_back(d);
  }
  return loops;
}

}  // namespace selvage
