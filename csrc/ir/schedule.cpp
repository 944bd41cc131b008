#include <selvage/base/check.h>
#include <selvage/base/refuse.h>
#include <selvage/ir/schedule_nest.h>

#include <algorithm>

namespace selvage {

Schedule::~Schedule() = default;
Schedule::Schedule(const Schedule&) = default;
Schedule::Schedule(Schedule&&) noexcept = default;
Schedule& Schedule::operator=(const Schedule&) = default;
Schedule& Schedule::operator=(Schedule&&) noexcept = default;

Schedule::Schedule(const Fusion& fusion)
    : fusion_(fusion.snapshot()),
      graph_(std::make_shared<const DomainGraph>(fusion.domains())),
      nests_(fusion.size()) {
  std::vector<char> is_read(fusion.size(), 0);
  for (std::size_t i = 0; i < fusion.values().size(); ++i) {
    const ValueNode& node = fusion.values()[ValueId(i)];
    if (node.kind == ValueNode::Kind::Read) is_read[node.source] = 1;
  }
  for (std::size_t t = 0; t < fusion.size(); ++t) {
    const TensorInfo& tensor = fusion[TensorId(t)];
    Nest& own = nests_[t];
    own.loops = nest_domain(tensor);
    const bool is_between = !tensor.is_input && !tensor.is_output && is_read[t];
    own.inlined = is_between && !tensor.fold;
    own.follows = is_between && tensor.fold;
    for (DomainId d : folded_domain(tensor)) own.folded.insert(index_of(d));
    const auto label_all = [&](const std::vector<DomainId>& domains,
                               const std::vector<Expr>& indices) {
      for (std::size_t k = 0; k < indices.size() && k < domains.size(); ++k) {
        // A fresh index may be called i_1 where i was asked for.
        const std::string symbol(indices[k].name());
        const std::string& asked = graph_[domains[k]].name;
        label(TensorId(t), domains[k], symbol.starts_with(asked + "_") ? asked : symbol);
      }
    };
    label_all(definition_domain(tensor), tensor.indices);
    if (tensor.fold) label_all(tensor.fold->domains, tensor.fold->indices);
    if (!tensor.root.empty()) {
      // A view's transforms lie between its root and its logical domain, all in the fusion; those
      // of a partial tensor lead to its folded domains as well.
      const Path view = everything_from(graph_, tensor.root, {});
      std::vector<DomainId> made = tensor.logical;
      made.insert(made.end(), own.loops.begin(), own.loops.end());
      for (const Step& step : needed_for(graph_, view, tensor.root, made).steps) {
        if (nests_[t].used.insert(index_of(step.transform)).second) {
          nests_[t].transforms.push_back(step.transform);
        }
      }
    }
  }
}

void Schedule::check_rank(std::size_t actual, std::size_t asked) {
  if (actual == asked) return;
  refuse<Illegal>(
      "E412",
      std::to_string(asked) + " loops were asked for and the tensor has " + std::to_string(actual),
      "ask for " + std::to_string(actual));
}

Schedule::Nest& Schedule::nest(TensorId t) {
  SELVAGE_CHECK(index_of(t) < nests_.size());
  return nests_[index_of(t)];
}
const Schedule::Nest& Schedule::nest(TensorId t) const {
  SELVAGE_CHECK(index_of(t) < nests_.size());
  return nests_[index_of(t)];
}

const std::vector<DomainId>& Schedule::loop_domains(TensorId t) const { return nest(t).loops; }
bool Schedule::is_inlined(TensorId t) const { return nest(t).inlined; }
bool Schedule::is_folded(TensorId t, DomainId d) const {
  return nest(t).folded.contains(index_of(d));
}
std::optional<DomainId> Schedule::positions(TensorId t) const { return nest(t).positions; }
const std::optional<Schedule::Site>& Schedule::site(TensorId t) const { return nest(t).site; }
const std::optional<TensorId>& Schedule::last_block_of(TensorId t) const {
  return nest(t).last_block_of;
}
std::optional<Memory> Schedule::memory(TensorId t) const { return nest(t).memory; }
bool Schedule::follows(TensorId t) const { return nest(t).follows; }
const std::optional<TensorId>& Schedule::mean_of(TensorId t) const { return nest(t).mean; }
const std::vector<TransformId>& Schedule::transforms(TensorId t) const {
  return nest(t).transforms;
}

const std::vector<DomainId>& Schedule::allocation(TensorId t) const { return nest(t).allocation; }
std::int64_t Schedule::stages(TensorId t) const { return nest(t).stages; }
CopyBy Schedule::copied_by(TensorId t) const { return nest(t).copied_by; }
const std::optional<CopyRole>& Schedule::role(TensorId t) const { return nest(t).role; }
std::int64_t Schedule::ahead(TensorId t) const {
  const Nest& own = nest(t);
  return own.copied_by == CopyBy::LoadStore ? 0 : own.ahead.value_or(own.stages - 1);
}
const std::optional<Schedule::Stage>& Schedule::stage(TensorId t) const { return nest(t).stage; }
std::vector<TransformId> Schedule::all_transforms(TensorId t) const {
  std::vector<TransformId> all = nest(t).transforms;
  all.insert(all.end(), nest(t).of_layout.begin(), nest(t).of_layout.end());
  return all;
}

std::vector<ScheduledLoop> Schedule::loops(TensorId t) const {
  std::vector<ScheduledLoop> result;
  for (DomainId d : nest(t).loops) result.push_back({t, d});
  return result;
}

ParallelType Schedule::parallel(TensorId t, DomainId d) const {
  const auto it = nest(t).bound.find(d);
  return it == nest(t).bound.end() ? ParallelType::Serial : it->second;
}

std::string Schedule::name(TensorId t, DomainId d) const {
  const auto it = nest(t).names.find(d);
  return it == nest(t).names.end() ? graph_[d].name : it->second;
}

void Schedule::rename(TensorId t, DomainId d, std::string name) {
  nest(t).names[d] = std::move(name);
}

void Schedule::label(TensorId t, DomainId d, const std::string& name) {
  if (!name.empty() && !nest(t).names.count(d)) nest(t).names[d] = name;
}

std::size_t Schedule::position(ScheduledLoop l) const {
  const std::vector<DomainId>& loops = nest(l.tensor).loops;
  const auto it = std::find(loops.begin(), loops.end(), l.domain);
  if (it == loops.end()) {
    refuse<Illegal>("E410",
                    name(l.tensor, l.domain) + " is not a loop of " + fusion()[l.tensor].name +
                        " any more: it was split, merged, resized or swizzled",
                    "take what came out of that transform");
  }
  return std::size_t(it - loops.begin());
}

const Schedule::Making* Schedule::making(TensorId t) const { return nest(t).making.get(); }

}  // namespace selvage
