#include <selvage/base/check.h>
#include <selvage/base/integer.h>
#include <selvage/emulate/reference_view.h>
#include <selvage/index/hilbert.h>

namespace selvage {

namespace {

std::int64_t quotient(std::int64_t a, std::int64_t b) { return euclid_div(a, b).value_or(0); }
std::int64_t rest(std::int64_t a, std::int64_t b) { return euclid_mod(a, b).value_or(0); }

}  // namespace

RootWalk::RootWalk(const DomainGraph& graph, std::vector<DomainId> logical,
                   std::vector<DomainId> root, const std::function<std::int64_t(Expr)>& extent)
    : graph_(graph), logical_(std::move(logical)), root_(std::move(root)) {
  const Path path = needed_for(graph, everything_from(graph, logical_, {}), logical_, root_);
  for (DomainId d : root_) SELVAGE_CHECK(reaches(path, d));
  steps_ = path.steps;
  at_.resize(graph.size());
  extents_.resize(graph.size());
  const auto note = [&](DomainId d) { extents_[index_of(d)] = extent(graph[d].extent); };
  for (const Step& step : steps_) {
    for (DomainId d : inputs(graph[step.transform])) note(d);
    for (DomainId d : outputs(graph[step.transform])) note(d);
    const auto* resize = std::get_if<Resize>(&graph[step.transform]);
    left_.push_back(resize != nullptr ? extent(resize->left) : 0);
  }
}

std::vector<std::int64_t> RootWalk::operator()(const std::vector<std::int64_t>& logical) {
  for (std::size_t k = 0; k < logical.size(); ++k) at_[index_of(logical_[k])] = logical[k];
  for (step_ = 0; step_ < steps_.size(); ++step_) take(steps_[step_]);
  std::vector<std::int64_t> root;
  for (DomainId d : root_) root.push_back(at_[index_of(d)]);
  return root;
}

void RootWalk::along_curve(const Swizzle& s, bool forward) {
  const std::int64_t side = extents_[index_of(s.in_y)];
  const auto at = [&](DomainId d) -> std::int64_t& { return at_[index_of(d)]; };
  const auto made = forward ? hilbert_number(at(s.in_x), at(s.in_y), side)
                            : hilbert_point(at(s.out_x), at(s.out_y), side);
  at(forward ? s.out_x : s.in_x) = made[0];
  at(forward ? s.out_y : s.in_y) = made[1];
}

void RootWalk::take(const Step& step) {
  const bool forward = step.direction == Direction::Forward;
  const auto at = [&](DomainId d) -> std::int64_t& { return at_[index_of(d)]; };
  const auto extent = [&](DomainId d) { return extents_[index_of(d)]; };
  // x = outer * |inner| + inner, either way.
  const auto relate = [&](DomainId x, DomainId outer, DomainId inner, bool apart) {
    if (apart) {
      at(outer) = quotient(at(x), extent(inner));
      at(inner) = rest(at(x), extent(inner));
    } else {
      at(x) = at(outer) * extent(inner) + at(inner);
    }
  };
  std::visit(overloaded{[&](const Split& s) { relate(s.in, s.outer, s.inner, forward); },
                        [&](const Merge& m) { relate(m.out, m.outer, m.inner, !forward); },
                        [&](const Resize& r) {
                          if (forward) {
                            at(r.out) = at(r.in) + left_[step_];
                          } else {
                            at(r.in) = at(r.out) - left_[step_];
                          }
                        },
                        [&](const Swizzle& s) {
                          if (s.kind == SwizzleKind::Hilbert) return along_curve(s, forward);
                          const bool is_xor = s.kind == SwizzleKind::Xor;
                          const std::int64_t rows = forward ? at(s.in_x) : at(s.out_x);
                          const std::int64_t from = forward ? at(s.in_y) : at(s.out_y);
                          const std::int64_t shift = forward ? -rows : rows;
                          const std::int64_t to =
                              is_xor ? rows ^ from : rest(from + shift, extent(s.in_y));
                          at(forward ? s.out_x : s.in_x) = rows;
                          at(forward ? s.out_y : s.in_y) = to;
                        },
                        [&](const Skew&) { SELVAGE_CHECK(!"a transform of a view"); }},
             graph_[step.transform]);
}

}  // namespace selvage
