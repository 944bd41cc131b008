// Where the elements of a tensor are kept that is computed inside another's nest.
#include <selvage/base/check.h>
#include <selvage/base/refuse.h>
#include <selvage/expr/text.h>
#include <selvage/ir/reads.h>
#include <selvage/legality/decide.h>
#include <selvage/legality/values.h>
#include <selvage/lower/place.h>
#include <selvage/scheduler/defaults.h>
#include <selvage/simplifier/point.h>

#include <algorithm>

namespace selvage {

namespace {

// The tensor that t only copies, item by item or as a view does; nothing: t computes its items.
std::optional<TensorId> copied_by(const Fusion& fusion, TensorId t) {
  const TensorInfo& tensor = fusion[t];
  if (tensor.is_input || tensor.fold) return std::nullopt;
  const ValueNode& node = fusion.values()[*tensor.definition];
  const bool is_copy =
      node.kind == ValueNode::Kind::Read && !node.otherwise() && node.type == tensor.type;
  return is_copy ? std::optional(TensorId(node.source)) : std::nullopt;
}

// Whether the one reader of t is stored from it by bulk copies or boxes, which convert nothing.
bool is_stored_by_copies(const Fusion& fusion, const Schedule& schedule, TensorId t) {
  std::vector<TensorId> readers;
  for (std::size_t k = 0; k < fusion.size(); ++k) {
    const std::optional<ValueId>& value = fusion[TensorId(k)].definition;
    if (!value) continue;
    const auto reads_it = [&](ValueId v) {
      const ValueNode& node = fusion.values()[v];
      return node.kind == ValueNode::Kind::Read && TensorId(node.source) == t;
    };
    if (std::ranges::any_of(values_under(fusion.values(), *value), reads_it)) {
      readers.push_back(TensorId(k));
    }
  }
  return readers.size() == 1 && is_by_proxy(schedule.copied_by(readers[0])) &&
         copied_by(fusion, readers[0]) == t && fusion[readers[0]].type == fusion[t].type;
}

// The type in which an element of t is kept: the tensor's own if t only copies a tensor stored in
// that type, itself or through inlined copies, or is stored from there by copies; otherwise
// stored_type().
DataType kept_type(const Fusion& fusion, const Schedule& schedule, TensorId t) {
  const TensorInfo& tensor = fusion[t];
  std::optional<TensorId> source = copied_by(fusion, t);
  while (source && !fusion[*source].is_input && schedule.is_inlined(*source)) {
    source = fusion[*source].type == tensor.type ? copied_by(fusion, *source) : std::nullopt;
  }
  const bool is_copy = source && stored_type(fusion[*source]) == tensor.type;
  return is_copy || is_stored_by_copies(fusion, schedule, t) ? tensor.type : stored_type(tensor);
}

}  // namespace

Storage PlacedTensors::choose(const NestTree& tree) const {
  const TensorId t = tree.tensor;
  const TensorAnalysis& own = placed_.at(t).analysis;
  Storage storage{.type = kept_type(fusion_, schedule_, t), .axes = {}};
  std::optional<Refuted> other;
  bool is_own = true;
  for (const Reading& reading : readings_.count(t) ? readings_.at(t) : std::vector<Reading>{}) {
    const Verdict verdict = is_own_thread(t, reading);
    if (is_proved(verdict)) continue;
    is_own = false;
    if (const auto* refuted = std::get_if<Refuted>(&verdict)) other = *refuted;
  }
  storage.memory = default_memory(schedule_, t, is_own);
  if (storage.memory == Memory::Local && !is_own) {
    refuse<Illegal>("E432",
                    "an element of " + fusion_[t].name +
                        " is read by a thread that has not computed it, and registers are a " +
                        "thread's own",
                    "keep " + fusion_[t].name + " in shared memory: {memory: shared}",
                    other && !other->point.empty() ? std::vector{"at " + to_text(other->point)}
                                                   : std::vector<std::string>{});
  }
  storage.axes = schedule_.allocation(t);
  if (!storage.axes.empty()) check_layout(tree, storage);
  for (std::size_t i = 0; i < own.loops.size() && schedule_.allocation(t).empty(); ++i) {
    if (is_kept(tree, storage, i)) storage.axes.push_back(own.loops[i]);
  }
  if (schedule_.stage(t)) {
    const auto [loop, axis] = *schedule_.stage(t);
    const auto open = std::ranges::find(open_.at(t), loop, &OpenLoops::value_type::first);
    SELVAGE_CHECK(open != open_.at(t).end());
    storage.axes.insert(storage.axes.begin(), axis);
    Expr turn = open->second;
    if (schedule_.role(t)) {
      // Warps of a role go on to the next run of the loop while the others are in this one.
      const Expr runs = runs_before(t, loop);
      if (!runs.is_const(0)) turn = runs * schedule_.graph()[loop].extent + turn;
    }
    storage.stage =
        coordinates_from(schedule_.graph(), std::span(&open->first, 1), std::span(&turn, 1),
                         std::span(&axis, 1), schedule_.graph().around(axis))[0];
  }
  Expr elements = fusion_.pool().constant(1);
  for (DomainId d : storage.axes) elements = elements * schedule_.graph()[d].extent;
  elements = own.ranges->simplify(elements);
  if (!elements.is(Op::Const)) {
    refuse<Illegal>("E433",
                    "how many elements of " + fusion_[t].name + " are kept in " +
                        (storage.memory == Memory::Local ? "registers" : "shared memory") + ", " +
                        to_string(elements) + ", is no number",
                    "split its loops by numbers and compute it further in; or give " +
                        fusion_[t].name +
                        " a kernel of its own, {memory: global}, and no place inside another");
  }
  return storage;
}

// How often a loop around t has run before, in iterations of serial loops around it.
Expr PlacedTensors::runs_before(TensorId t, DomainId loop) const {
  const auto iterates = [&](DomainId d, Expr variable) {
    if (schedule_.graph()[d].extent.is_const(1)) return false;
    return std::ranges::none_of(placed_, [&](const auto& placed) {
      const TensorAnalysis& a = placed.second.analysis;
      for (std::size_t i = 0; i < a.loops.size(); ++i) {
        if (a.loops[i] == d && same(a.variables[i], variable))
          return is_index(schedule_.parallel(placed.first, d));
      }
      return false;
    });
  };
  Expr runs = fusion_.pool().constant(0);
  for (const auto& [d, variable] : open_.at(t)) {
    if (d == loop) break;
    if (iterates(d, variable)) runs = runs * schedule_.graph()[d].extent + variable;
  }
  return runs;
}

// Whether the memory holds the elements of all iterations of that loop, rather than of one.
bool PlacedTensors::is_kept(const NestTree& tree, const Storage& storage, std::size_t loop) const {
  const DomainId d = placed_.at(tree.tensor).analysis.loops[loop];
  const ParallelType p = schedule_.parallel(tree.tensor, d);
  const bool is_reduced = schedule_.is_folded(tree.tensor, d) && !is_scan(fusion_[tree.tensor]);
  if (is_reduced || is_of_blocks(p)) return false;
  return is_thread(p) ? storage.memory == Memory::Shared : loop >= tree.shared;
}

// Throws E437 unless every kept element has an address of its own, and its store and all reads
// compute this address. That holds if
// - the layout's axes follow from the loops, which stores go by, and from the logical domain, which
//   reads go by; all iterdomains on both ways are in bounds at valid points, so that both ways give
//   the same value, within the memory;
// - the logical domain follows from the axes and the loops, or what follows from these alone, of
//   which the memory holds one iteration, so that no two elements have the same address.
void PlacedTensors::check_layout(const NestTree& tree, const Storage& storage) const {
  const TensorId t = tree.tensor;
  const PlacedTensor& placed = placed_.at(t);
  const TensorAnalysis& a = placed.result ? *placed.result : placed.analysis;
  const DomainGraph& graph = schedule_.graph();
  const std::vector<TransformId> transforms = schedule_.all_transforms(t);
  const std::vector<DomainId>& logical = fusion_[t].logical;
  const std::string name = fusion_[t].name;
  const auto known_from = [&](const std::vector<DomainId>& domains) {
    return transforms.empty() ? Path{{}, domains} : everything_from(graph, domains, transforms);
  };
  const Path by_items = known_from(logical);
  for (DomainId d : storage.axes) {
    const bool is_of_loops = reaches(a.path, d);
    if (is_of_loops && reaches(by_items, d)) continue;
    refuse<Illegal>("E437",
                    "the index of " + schedule_.name(t, d) + ", over which " + name +
                        " is laid out, does not follow from its " +
                        (is_of_loops ? "logical domain" : "loops"),
                    "lay it out over iterdomains that its loops are cut out of, or into");
  }
  std::vector<DomainId> fixed = storage.axes;
  const std::vector<DomainId>& joined = schedule_.joined(t);
  fixed.insert(fixed.end(), joined.begin(), joined.end());
  const std::vector<DomainId> cut = schedule_.item_loops(t);
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < a.loops.size(); ++i) {
    if (!selvage::contains(cut, a.loops[i])) continue;
    const auto& loops = placed.analysis.loops;
    const auto at = std::size_t(std::find(loops.begin(), loops.end(), a.loops[i]) - loops.begin());
    const bool is_one = a.ranges->proves(eq(graph[a.loops[i]].extent, 1));
    if (is_one || !is_kept(tree, storage, at)) {
      fixed.push_back(a.loops[i]);
    } else {
      kept.push_back(i);
    }
  }
  const Path items = known_from(fixed);
  for (DomainId lost : logical) {
    if (reaches(items, lost)) continue;
    std::string over;
    for (DomainId d : storage.axes) over += (over.empty() ? "" : ", ") + schedule_.name(t, d);
    std::vector<std::string> notes;
    for (std::size_t i : kept) {
      if (reaches(items, a.loops[i])) continue;
      const std::string loop = schedule_.name(t, a.loops[i]);
      notes.push_back("the loop " + loop + " does not follow from these: elements of different " +
                      loop + " would lie in one place");
      break;
    }
    refuse<Illegal>("E437",
                    "which " + schedule_.name(t, lost) + " an element of " + name +
                        " has does not follow from its layout, [" + over + "]",
                    "lay it out over iterdomains from which all that is kept follows", notes);
  }
  std::vector<DomainId> between;
  const auto note = [&](const Path& path, const std::vector<DomainId>& from,
                        const std::vector<DomainId>& to) {
    for (DomainId d : needed_for(graph, path, from, to).domains) {
      if (!selvage::contains(between, d)) between.push_back(d);
    }
  };
  note(a.path, a.loops, storage.axes);
  note(by_items, logical, storage.axes);
  note(items, fixed, logical);
  for (DomainId d : between) {
    const Expr index = (*a.coordinates)[d];
    const Verdict verdict = decide(*a.guarded, ok(index, graph[d].extent));
    if (is_proved(verdict)) continue;
    std::vector<std::string> notes;
    if (const Point point = point_of(verdict); !point.empty()) {
      const auto value = value_at(index, point);
      notes.push_back("at " + to_text(point) +
                      (value ? " it is " + std::to_string(*value) : std::string()));
    }
    refuse<Illegal>("E437",
                    (is_refuted(verdict) ? "" : "it is not proved that ") +
                        std::string("the index of ") + schedule_.name(t, d) + ", by which " + name +
                        " is laid out, " +
                        (is_refuted(verdict) ? "leaves its extent " : "stays within its extent ") +
                        to_string(graph[d].extent),
                    "resize by nothing negative", notes);
  }
}

}  // namespace selvage
