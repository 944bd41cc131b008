#include <selvage/expr/text.h>
#include <selvage/legality/mend_tma.h>
#include <selvage/legality/tma_map.h>
#include <selvage/legality/tma_roles.h>
#include <selvage/legality/tma_rules.h>
#include <selvage/legality/tma_strong.h>

#include <algorithm>

namespace selvage {

std::string_view to_string(TmaStrong strong) {
  switch (strong) {
    case TmaStrong::ByHardware: return "by hardware";
    case TmaStrong::ByFallback: return "by fallback";
    case TmaStrong::Impossible: return "impossible";
  }
  return {};
}

namespace {

std::string summary(const TmaCopy& copy, const TmaQuestions& q) {
  std::string box, strided;
  for (const TmaDim& d : copy.dims) {
    box += (box.empty() ? "" : " x ") + std::to_string(d.box);
    if (d.element_stride == 1) continue;
    strided += ", one of " + std::to_string(d.element_stride) + " along " + q.name(d.domains[0]);
  }
  return "a tensor map of rank " + std::to_string(copy.rank()) + " brings boxes of " + box +
         " items" + strided + ": each item to its place, 0 for what is out of bounds";
}

constexpr const char* kNoFill = "leave fill out";

// Judges whether the holes hold the fill that is asked for.
void check_fill(TmaCopy& copy, const TmaQuestions& q, Help help) {
  const std::string tile = "the tile of " + q.tensor().name;
  Finding& f = copy.finding;
  if (*q.tensor().fill != 0) {
    f.verdict = copy.hole.empty() ? Verdict(q.point()) : Verdict(Refuted{copy.hole});
    f.reason = "the holes of " + tile + " cannot hold " + std::to_string(*q.tensor().fill) +
               ": a copy brings 0 for what is out of bounds";
    f.code = "E464";
    const bool has_zeros = copy.strong && *copy.strong != TmaStrong::Impossible;
    f.help = (has_zeros ? "write fill: 0; or " : "") + std::string(kNoFill);
  } else if (!copy.strong) {
    f.verdict = Unknown{};
    f.reason = "whether the holes of " + tile + " hold 0 is not decided: " + copy.strong_reason;
    f.code = "E466";
    f.help = kNoFill;
  } else if (*copy.strong == TmaStrong::Impossible) {
    f.verdict = Refuted{copy.hole};
    f.reason = "the holes of " + tile + " cannot all hold 0: " + copy.strong_reason;
    f.code = "E465";
    f.help = kNoFill;
    if (help == Help::Without) return;
    constexpr TmaMend kTries[] = {TmaMend::Factor, TmaMend::Inner};
    const auto found = help_for_holes(q.fusion(), q.schedule(), q.analysis(), kTries);
    if (found) f.help = *found + "; or " + kNoFill;
  } else {
    f.reason += "; the holes hold 0 " + std::string(to_string(*copy.strong));
  }
}

}  // namespace

bool is_tma_copy(const Schedule& schedule, TensorId t) {
  const std::vector<DomainId>& loops = schedule.loop_domains(t);
  return std::any_of(loops.begin(), loops.end(),
                     [&](DomainId d) { return schedule.parallel(t, d) == ParallelType::Bulk; });
}

// The tensor that this one is a cache of: in shared memory, and read by the same indices.
static std::optional<TensorId> cached_by(const Fusion& fusion, const Schedule& schedule,
                                         const TensorAnalysis& analysis) {
  const TensorId t = analysis.tensor;
  const TensorInfo& tensor = fusion[t];
  const bool is_shared = schedule.memory(t).value_or(tensor.memory) == Memory::Shared;
  if (!is_shared || !tensor.definition || tensor.fold) return std::nullopt;
  const ValueNode& read = fusion.values()[*tensor.definition];
  if (read.kind != ValueNode::Kind::Read || !read.operands.empty()) return std::nullopt;
  const TensorInfo& source = fusion[TensorId(read.source)];
  const bool is_same =
      tensor.root.empty() && source.logical == tensor.logical && source.type == tensor.type &&
      std::equal(read.subscripts.begin(), read.subscripts.end(), tensor.indices.begin(),
                 tensor.indices.end(), [](Expr a, Expr b) { return same(a, b); });
  const auto& axes = allocation_of(fusion, TensorId(read.source));
  const bool follows =
      std::all_of(axes.begin(), axes.end(), [&](DomainId d) { return reaches(analysis.path, d); });
  return is_same && follows ? std::optional(TensorId(read.source)) : std::nullopt;
}

Access copied(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis) {
  const auto source = cached_by(fusion, schedule, analysis);
  const TensorId global = source.value_or(analysis.tensor);
  return access_of(fusion, schedule.graph(), analysis, global, storage_of(fusion, global));
}

namespace {

// Refuses E460 a cache whose tile does not lie in shared memory in the order of its loops.
void check_order(TmaQuestions& q, const TmaRoles& roles) {
  const TensorAnalysis& a = q.analysis();
  if (q.global() == a.tensor || !a.storage || roles.swizzle != TmaSwizzle::None) return;
  if (q.proves(eq(a.address, q.at_first(a.address) + roles.place))) return;
  q.refuse("E460", q.point(eq(a.address, q.at_first(a.address) + roles.place)),
           "the tile of " + q.tensor().name + " does not lie in " + q.fusion()[a.tensor].name +
               " in the order of the loops that are bound to Bulk",
           {});
}

}  // namespace

std::optional<TmaCopy> tma_copy(const Fusion& fusion, const Schedule& schedule,
                                const TensorAnalysis& analysis, Help help) {
  if (!is_tma_copy(schedule, analysis.tensor)) return std::nullopt;
  TmaQuestions q(fusion, schedule, analysis);
  TmaCopy copy;
  try {
    if (q.tensor().memory != Memory::Global) {
      q.refuse("E460", q.point(),
               q.tensor().name +
                   " has loops that are bound to Bulk, but is not in global memory: it "
                   "is the global side of a TMA copy, and these loops are the tile of the other",
               {});
    }
    const TmaRoles roles = roles_of(q);
    check_order(q, roles);
    std::vector<TmaDim> dims = dims_of(q, roles);
    check_rules(q, roles, dims);
    copy.dims = std::move(dims);
    copy.swizzle = roles.swizzle;
    copy.tile_bytes = roles.elements * size_of(q.tensor().type);
    copy.type = tensor_map_type(q.tensor().type);
  } catch (const TmaRefused& refused) {
    copy.finding = refused.finding;
    if (help == Help::With) {
      copy.finding.help = help_for_tma(fusion, schedule, analysis, refused);
      if (q.tensor().memory != Memory::Global)
        copy.finding.help = "write memory: global; or " + copy.finding.help;
    }
    return copy;
  }
  copy.weak = true;
  judge_holes(q, copy);
  copy.finding = {Proved{{"roles of the graph", "rules of the tensor map"}}, summary(copy, q),
                  q.conditions()};
  if (q.tensor().fill) check_fill(copy, q, help);
  return copy;
}

}  // namespace selvage
