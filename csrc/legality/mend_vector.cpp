#include <selvage/base/diagnostic.h>
#include <selvage/base/integer.h>
#include <selvage/expr/symbols.h>
#include <selvage/legality/analysis.h>
#include <selvage/legality/decide.h>
#include <selvage/legality/mend_vector.h>

#include <algorithm>

namespace selvage {

namespace {

// Changes are tried only for tensors that a nest of their own stores.
bool may_be_tried(const Schedule& schedule, const TensorAnalysis& analysis) {
  return !analysis.storage && !schedule.site(analysis.tensor);
}

bool is_legal(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& like) {
  TensorAnalysis trial = analyze_loops(fusion, schedule, like.tensor, {}, like.part);
  place_in_memory(fusion, schedule, trial);
  const auto vector = vector_access(fusion, schedule, trial, Help::Without);
  return vector && vector->finding.is_legal();
}

bool is_legal_split(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis,
                    DomainId loop, DomainId of, std::int64_t width) {
  const TensorId t = analysis.tensor;
  Schedule trial = schedule;
  try {
    trial.bind({t, loop}, ParallelType::Serial);
    trial.bind(trial.split({t, of}, width).second, ParallelType::Vectorize);
    return is_legal(fusion, trial, analysis);
  } catch (const Illegal&) {
    return false;
  }
}

}  // namespace

std::optional<std::int64_t> fitting_split(const Fusion& fusion, const Schedule& schedule,
                                          const TensorAnalysis& analysis, DomainId loop,
                                          std::int64_t most) {
  if (!may_be_tried(schedule, analysis)) return std::nullopt;
  for (std::int64_t n = most; n > 1; n /= 2) {
    if (is_legal_split(fusion, schedule, analysis, loop, loop, n)) return n;
  }
  return std::nullopt;
}

bool may_take_vector_from(const Fusion& fusion, const Schedule& schedule,
                          const TensorAnalysis& analysis, DomainId loop, DomainId other,
                          std::int64_t width) {
  const auto& loops = analysis.loops;
  return loop != other && may_be_tried(schedule, analysis) &&
         std::find(loops.begin(), loops.end(), other) != loops.end() &&
         schedule.parallel(analysis.tensor, other) == ParallelType::Serial &&
         is_legal_split(fusion, schedule, analysis, loop, other, width);
}

std::optional<std::string> fitting_strides(const Fusion& fusion, const Schedule& schedule,
                                           const TensorAnalysis& analysis, std::int64_t width) {
  const TensorInfo& tensor = fusion[analysis.tensor];
  if (!may_be_tried(schedule, analysis) || (tensor.definition && !tensor.is_output)) return {};
  Simplifier simplifier(*fusion.facts());
  std::vector<Expr> strides = strides_of(fusion, schedule.graph(), analysis.tensor, simplifier);
  const std::vector<DomainId>& domains = allocation_of(fusion, analysis.tensor);
  std::int64_t reach = 1;  // what the axes further in take
  for (std::size_t k = strides.size(); k-- > 0;) {
    const Expr extent = schedule.graph()[domains[k]].extent;
    if (!strides[k].is(Op::Const) || !extent.is(Op::Const) || strides[k].value() < 1) return {};
    std::int64_t stride = std::max(strides[k].value(), reach);
    if (k + 1 < strides.size()) stride = ceil_div(stride, width) * width;
    strides[k] = fusion.pool().constant(stride);
    const auto end = checked_mul(stride, extent.value());
    if (!end || *end > std::int64_t{1} << 60) return {};
    reach = *end;
  }
  Fusion padded = fusion;
  padded.edit(analysis.tensor).strides = strides;
  if (!is_legal(padded, schedule, analysis)) return {};
  std::string text;
  for (Expr s : strides) text += (text.empty() ? "" : ", ") + std::to_string(s.value());
  return "[" + text + "]";
}

std::optional<Expr> fitting_multiple(const Fusion& fusion, const Facts& in_full_groups, Expr start,
                                     std::int64_t width) {
  for (Expr size : symbols_of(start)) {
    if (!contains(fusion.sizes(), size)) continue;
    Facts more = in_full_groups;
    more.congruent(size, width);
    if (Simplifier(more).proves(eq(start % width, 0))) return size;
  }
  return std::nullopt;
}

}  // namespace selvage
