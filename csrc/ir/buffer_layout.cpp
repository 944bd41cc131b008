#include <selvage/base/refuse.h>
#include <selvage/base/words.h>
#include <selvage/ir/about.h>
#include <selvage/ir/buffer_layout.h>
#include <selvage/ir/schedule_nest.h>

#include <algorithm>

namespace selvage {

void Schedule::check_kept_inside(TensorId t) const {
  const TensorInfo& tensor = fusion()[t];
  if (!tensor.is_input && !tensor.is_output) return;
  refuse<Illegal>("E419",
                  tensor.name + " is an " + (tensor.is_input ? "input" : "output") +
                      ", kept in global memory, which lies as the fusion says",
                  "cache it in shared or local memory, and lay out the copy");
}

BufferLayout Schedule::layout(TensorId t) {
  check_kept_inside(t);
  return {*this, t};
}

Schedule& Schedule::stages(TensorId t, std::int64_t copies) {
  check_kept_inside(t);
  if (copies < 1) {
    refuse<Illegal>("E438", fusion()[t].name + " would have " + std::to_string(copies) + " stages",
                    "give it one at least");
  }
  nest(t).stages = copies;
  return *this;
}

Schedule& Schedule::copy(TensorId t, CopyBy by, std::optional<std::int64_t> ahead) {
  if (!is_by_proxy(by) || !fusion()[t].is_output) check_kept_inside(t);
  if (ahead && *ahead < 0) {
    refuse<Illegal>("E448",
                    "copies of " + fusion()[t].name + " would be begun " + std::to_string(*ahead) +
                        " iterations ahead",
                    "begin them 0 or more ahead, and less than there are stages");
  }
  if (ahead && by == CopyBy::LoadStore) {
    refuse<Illegal>(
        "E448",
        fusion()[t].name + " is loaded and stored, and would be " + counted(*ahead, "iteration") +
            " ahead",
        "copies that end later are begun ahead: by: cp_async, bulk or tma; or leave ahead out");
  }
  nest(t).copied_by = by;
  nest(t).ahead = ahead;
  return *this;
}

Schedule& Schedule::role(TensorId t, CopyRole role) {
  check_kept_inside(t);
  constexpr std::int64_t kMostWarps = 4;
  if (role.warps < 1 || role.warps > kMostWarps) {
    refuse<Illegal>(
        "E448",
        "copies of " + fusion()[t].name + " would be made by " + counted(role.warps, "warp"),
        "let 1 to " + std::to_string(kMostWarps) + " warps copy");
  }
  const std::int64_t n = role.registers;
  if (n != 0 && (n < 24 || n > 128 || n % 8 != 0)) {
    refuse<Illegal>(
        "E448",
        "threads that copy " + fusion()[t].name + " would have " + std::to_string(n) + " registers",
        "give them a multiple of 8 from 24 to 128, such as 24; or leave registers out");
  }
  nest(t).role = std::move(role);
  return *this;
}

void Schedule::check_copies(TensorId t) const {
  const Nest& own = nest(t);
  if (own.role && (!is_by_proxy(own.copied_by) || ahead(t) == 0)) {
    refuse<Illegal>(
        "E448",
        "copies of " + fusion()[t].name + " have a role of their own, " + own.role->name +
            ", and are " +
            (is_by_proxy(own.copied_by) ? "not begun ahead" : "not made by bulk or tma"),
        is_by_proxy(own.copied_by) ? "give " + fusion()[t].name + " 2 stages or more"
                                   : "copy it by bulk or tma; or leave the role out");
  }
  const auto shared_out =
      std::ranges::find(own.bound, ParallelType::Multicast, [](const auto& b) { return b.second; });
  if (shared_out != own.bound.end() && !is_by_proxy(own.copied_by)) {
    refuse<Illegal>(
        "E448",
        name(t, shared_out->first) + " of " + fusion()[t].name +
            " is bound to Multicast, by which blocks of a cluster copy for one another, "
            "and " +
            fusion()[t].name + " is copied by " + std::string(to_string(own.copied_by)),
        "copy it by bulk or tma; or bind " + name(t, shared_out->first) + " to Serial");
  }
  if (own.copied_by == CopyBy::LoadStore || own.inlined) return;
  if (is_by_proxy(own.copied_by) && fusion()[t].is_output && !own.site) {
    if (own.ahead.value_or(0) == 0) return;
    refuse<Illegal>("E448",
                    fusion()[t].name + " is stored by " + std::string(to_string(own.copied_by)) +
                        ", and would be " + counted(*own.ahead, "iteration") + " ahead",
                    "leave ahead out");
  }
  const std::string what = "copies of " + fusion()[t].name + " end later, ";
  if (ahead(t) >= own.stages) {
    refuse<Illegal>("E448",
                    what + "and are begun " + counted(ahead(t), "iteration") +
                        " ahead, where it has " + counted(own.stages, "stage") +
                        ": a copy would overwrite what is still to be used",
                    "give it " + counted(ahead(t) + 1, "stage") + ", or begin them " +
                        std::to_string(own.stages - 1) + " ahead");
  }
  const char* load = "; or load and store it, ldst";
  if (!own.site || !own.site->loop) {
    refuse<Illegal>(
        "E448", what + "and it is computed at no loop that could begin and await them",
        std::string("compute it at a serial loop of who reads it, inline: {into, at}") + load);
  }
  const ParallelType type = parallel(own.site->tensor, *own.site->loop);
  if (type == ParallelType::Serial || (is_block(type) && ahead(t) == 0)) return;
  refuse<Illegal>("E448",
                  what + "and it is computed at " + name(own.site->tensor, *own.site->loop) +
                      " of " + fusion()[own.site->tensor].name + ", which is bound to " +
                      std::string(to_string(type)),
                  std::string("compute it at a serial loop") + load);
}

void Schedule::settle_stage(TensorId t) {
  check_copies(t);
  Nest& own = nest(t);
  own.stage.reset();
  if (own.stages == 1 || own.inlined) return;
  const std::string what =
      fusion()[t].name + " has " + std::to_string(own.stages) + " stages, and is computed at ";
  if (!own.site || !own.site->loop) {
    refuse<Illegal>("E438", what + "no loop whose iterations could take them in turn",
                    "compute it at a serial loop of who reads it, inline: {into, at}; or leave " +
                        std::string("stages out"));
  }
  const TensorId host = own.site->tensor;
  const std::optional<DomainId> loop = own.site->loop;
  const ParallelType type = parallel(host, *loop);
  if (type != ParallelType::Serial && type != ParallelType::Unroll) {
    refuse<Illegal>("E438",
                    what + name(host, *loop) + " of " + fusion()[host].name +
                        ", which is bound to " + std::string(to_string(type)) +
                        ": iterations that take turns come one after the other",
                    "compute it at a serial loop; or leave stages out");
  }
  own.stage = {*loop, graph_.split(*loop, graph_.pool().constant(own.stages)).second};
}

Schedule& Schedule::settle_stages() {
  for (std::size_t k = 0; k < nests_.size(); ++k) {
    about(TensorId(k), [&] { settle_stage(TensorId(k)); });
  }
  return *this;
}

DomainId BufferLayout::own(ScheduledLoop x) const {
  if (x.tensor != tensor_) {
    refuse<Illegal>("E411", "a layout takes iterdomains of one tensor",
                    "take iterdomains of " + schedule_.fusion()[tensor_].name);
  }
  check_own(x.domain);
  return x.domain;
}

void BufferLayout::check_own(DomainId d) const {
  const Schedule& s = schedule_;
  const TensorInfo& tensor = s.fusion()[tensor_];
  if (contains(s.loop_domains(tensor_), d) || contains(tensor.logical, d)) return;
  for (TransformId id : s.all_transforms(tensor_)) {
    const Transform& t = s.graph()[id];
    if (contains(inputs(t), d) || contains(outputs(t), d)) return;
  }
  refuse<Illegal>("E410", s.name(tensor_, d) + " is no iterdomain of " + tensor.name,
                  "take a loop of it, or what its loops were cut out of");
}

std::vector<ScheduledLoop> BufferLayout::derive(const Transform& request,
                                                std::vector<std::string> names) {
  for (DomainId d : inputs(request)) check_own(d);
  names.resize(2);
  constexpr const char* kMarks[] = {"a", "b"};
  const std::string from = schedule_.name(tensor_, inputs(request)[0]);
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (!names[k].empty()) continue;
    names[k] = derived_name(from, kMarks[k], schedule_.graph().size() + k);
  }
  const std::vector<DomainId> made = schedule_.graph_.make(request, names);
  Schedule::Nest& nest = schedule_.nest(tensor_);
  for (TransformId id : schedule_.graph().around(made[0])) {
    if (!contains(outputs(schedule_.graph()[id]), made[0])) continue;
    const bool is_there = nest.used.contains(index_of(id)) ||
                          std::count(nest.of_layout.begin(), nest.of_layout.end(), id) != 0;
    if (!is_there) nest.of_layout.push_back(id);
  }
  std::vector<ScheduledLoop> result;
  for (std::size_t k = 0; k < made.size(); ++k) {
    schedule_.label(tensor_, made[k], names[k]);
    result.push_back({tensor_, made[k]});
  }
  return result;
}

std::pair<ScheduledLoop, ScheduledLoop> BufferLayout::split(ScheduledLoop x, Expr factor,
                                                            SplitOptions options) {
  const auto made = derive(Split{own(x), {}, {}, factor, options.inner_split},
                           {std::move(options.outer), std::move(options.inner)});
  return {made[0], made[1]};
}
std::pair<ScheduledLoop, ScheduledLoop> BufferLayout::split(ScheduledLoop x, std::int64_t factor,
                                                            SplitOptions options) {
  return split(x, schedule_.graph().pool().constant(factor), std::move(options));
}

ScheduledLoop BufferLayout::merge(ScheduledLoop outer, ScheduledLoop inner, std::string name) {
  if (outer == inner) {
    refuse<Illegal>("E411", "a merge takes two iterdomains", "merge two different ones");
  }
  return derive(Merge{own(outer), own(inner), {}}, {std::move(name)})[0];
}

ScheduledLoop BufferLayout::resize(ScheduledLoop x, Expr left, Expr right, std::string name) {
  return derive(Resize{own(x), {}, left, right}, {std::move(name)})[0];
}
ScheduledLoop BufferLayout::resize(ScheduledLoop x, std::int64_t left, std::int64_t right,
                                   std::string name) {
  ExprPool& pool = schedule_.graph().pool();
  return resize(x, pool.constant(left), pool.constant(right), std::move(name));
}

std::pair<ScheduledLoop, ScheduledLoop> BufferLayout::swizzle(SwizzleKind kind, ScheduledLoop x,
                                                              ScheduledLoop y, std::string x_name,
                                                              std::string y_name) {
  const auto made =
      derive(Swizzle{kind, own(x), own(y), {}, {}}, {std::move(x_name), std::move(y_name)});
  return {made[0], made[1]};
}

BufferLayout& BufferLayout::order(const std::vector<ScheduledLoop>& domains) {
  std::vector<DomainId> allocation;
  for (ScheduledLoop x : domains) {
    const DomainId d = own(x);
    if (contains(allocation, d)) {
      refuse<Illegal>("E412",
                      schedule_.name(tensor_, d) + " stands twice in the layout of " +
                          schedule_.fusion()[tensor_].name,
                      "name every iterdomain once");
    }
    allocation.push_back(d);
  }
  schedule_.nest(tensor_).allocation = std::move(allocation);
  return *this;
}

}  // namespace selvage
