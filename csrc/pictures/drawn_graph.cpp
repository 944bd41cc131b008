#include <selvage/base/integer.h>
#include <selvage/expr/text.h>
#include <selvage/pictures/drawn_graph.h>

#include <algorithm>
#include <unordered_map>

namespace selvage {

namespace {

constexpr std::size_t kLongestExtent = 120;  // characters

std::string text_of(Expr e) {
  if (text_length(e, kLongestExtent) > kLongestExtent) return "\xE2\x80\xA6";
  return to_string(e);
}

std::int64_t number(Expr e) { return e.is(Op::Const) ? e.value() : 0; }

class Drafter {
 public:
  Drafter(const TensorReport& tensor, std::size_t most)
      : tensor_(tensor),
        schedule_(tensor.reading != nullptr ? *tensor.reading : *tensor.schedule),
        most_(most) {}

  DrawnGraph run() {
    const TensorInfo& info = tensor_.tensor();
    for (DomainId d : info.root) position(d);
    for (DomainId d : info.logical) position(d);
    // Numbers rise with time: what a transform takes is there before it.
    std::vector<TransformId> transforms = schedule_.transforms(tensor_.analysis.tensor);
    std::sort(transforms.begin(), transforms.end());
    for (std::size_t k = 0; k < transforms.size() && k < most_; ++k) add(transforms[k]);
    drawn_.left_out = transforms.size() - std::min(transforms.size(), most_);
    add_roles();
    return std::move(drawn_);
  }

 private:
  const DomainGraph& graph() const { return schedule_.graph(); }

  std::size_t position(DomainId d) {
    const auto [it, is_new] = positions_.emplace(index_of(d), drawn_.domains.size());
    if (is_new) {
      const auto name = tensor_.names.find(index_of(d));
      drawn_.domains.push_back({.name = name != tensor_.names.end()
                                            ? name->second
                                            : schedule_.name(tensor_.analysis.tensor, d),
                                .extent = text_of(graph()[d].extent)});
    }
    return it->second;
  }

  void add(TransformId t) {
    const Transform& transform = graph()[t];
    DrawnGraph::Joint joint;
    for (DomainId d : inputs(transform)) joint.in.push_back(position(d));
    for (DomainId d : outputs(transform)) joint.out.push_back(position(d));
    const auto extent = [&](DomainId d) { return graph()[d].extent; };
    std::visit(overloaded{[&](const Split& s) {
                            joint.text =
                                (s.inner_split ? "split " : "outer split ") + text_of(s.factor);
                            joint.ends = {"outer", "inner"};
                            const bool is_known = extent(s.in).is(Op::Const) &&
                                                  extent(s.outer).is(Op::Const) &&
                                                  extent(s.inner).is(Op::Const);
                            if (!is_known) return;
                            const auto points =
                                checked_mul(extent(s.outer).value(), extent(s.inner).value());
                            if (points) joint.holes = *points - extent(s.in).value();
                          },
                          [&](const Merge&) {
                            joint.text = "merge";
                            joint.ends = {"outer", "inner"};
                          },
                          [&](const Resize& r) {
                            joint.text = "resize " + text_of(r.left) + ", " + text_of(r.right);
                            joint.holes = checked_add(std::max<std::int64_t>(number(r.left), 0),
                                                      std::max<std::int64_t>(number(r.right), 0))
                                              .value_or(0);
                          },
                          [&](const Swizzle& s) {
                            joint.text = in_words(s.kind);
                            joint.ends = {"x", "y"};
                          },
                          [&](const Skew& s) {
                            joint.text = "skew by " + text_of(s.by) + " mod " + text_of(s.modulo);
                            joint.holes = number(s.modulo) - 1;
                          }},
               transform);
    drawn_.joints.push_back(std::move(joint));
  }

  void add_role(DomainId d, DrawnGraph::Role role, std::string text) {
    DrawnGraph::Domain& domain = drawn_.domains[position(d)];
    domain.roles.push_back(role);
    domain.role_texts.push_back(std::move(text));
  }
  // loop 2 TIDx
  void add_loops(const Schedule& schedule, const std::vector<DomainId>& loops, const char* what,
                 DrawnGraph::Role role, std::vector<std::size_t>& positions) {
    for (std::size_t k = 0; k < loops.size(); ++k) {
      // Past the limit there is nothing to hang it from.
      if (drawn_.left_out > 0 && !positions_.contains(index_of(loops[k]))) continue;
      const ParallelType p = schedule.parallel(tensor_.analysis.tensor, loops[k]);
      std::string text = what + std::string(" ") + std::to_string(k + 1);
      if (p != ParallelType::Serial) text += " " + std::string(to_string(p));
      add_role(loops[k], role, std::move(text));
      positions.push_back(position(loops[k]));
    }
  }
  void add_roles() {
    using Role = DrawnGraph::Role;
    const TensorInfo& info = tensor_.tensor();
    const TensorId t = tensor_.analysis.tensor;
    for (DomainId d : info.root) add_role(d, Role::Root, "root");
    for (DomainId d : info.logical) add_role(d, Role::Logical, "logical");
    if (!info.allocation.empty() && info.allocation != info.logical) {
      for (std::size_t k = 0; k < info.allocation.size(); ++k) {
        const DomainId d = info.allocation[k];
        if (drawn_.left_out > 0 && !positions_.contains(index_of(d))) continue;
        add_role(d, Role::Allocation, "allocation " + std::to_string(k + 1));
      }
    }
    add_loops(*tensor_.schedule, tensor_.analysis.loops, "loop", Role::Loop, drawn_.loops);
    if (tensor_.reading != nullptr) {
      add_loops(schedule_, schedule_.loop_domains(t), "read", Role::Read, drawn_.reads);
    }
    for (const KeptPredicate& kept : tensor_.analysis.predicates.kept) {
      const auto it = positions_.find(index_of(kept.domain));
      if (it != positions_.end()) drawn_.domains[it->second].is_checked = true;
    }
  }

  const TensorReport& tensor_;
  const Schedule& schedule_;
  std::size_t most_;
  DrawnGraph drawn_;
  std::unordered_map<std::size_t, std::size_t> positions_;
};

}  // namespace

bool DrawnGraph::Domain::has(Role role) const {
  return std::find(roles.begin(), roles.end(), role) != roles.end();
}

DrawnGraph drawn_graph(const TensorReport& tensor, std::size_t most_transforms) {
  return Drafter(tensor, most_transforms).run();
}

}  // namespace selvage
