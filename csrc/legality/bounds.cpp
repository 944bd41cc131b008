#include <selvage/expr/substitute.h>
#include <selvage/legality/bounds.h>
#include <selvage/legality/cells.h>
#include <selvage/legality/decide.h>
#include <selvage/legality/mend_memory.h>
#include <selvage/legality/remade.h>

#include <algorithm>
#include <map>
#include <set>

namespace selvage {

namespace {

// Walks the definition of a tensor, and those of the tensors that are inlined into it, as lowering
// does.
class Reads {
 public:
  Reads(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis)
      : fusion_(fusion), schedule_(schedule), analysis_(analysis) {}

  std::vector<ReadBound> list() {
    const TensorInfo& info = fusion_[analysis_.tensor];
    if (!info.definition) return {};
    Environment environment = indices_at(info, *analysis_.coordinates);
    for (auto& [index, value] : environment) value = analysis_.guarded->simplify(value);
    visit(*info.definition, environment, analysis_.tensor);
    return std::move(list_);
  }

 private:
  void visit(ValueId v, const Environment& environment, TensorId reader) {
    std::vector<std::uint64_t> key = {std::uint64_t(v)};
    for (const auto& [symbol, value] : environment) {
      key.push_back((std::uint64_t(symbol.id()) << 32) | value.id());
    }
    if (!visited_.insert(std::move(key)).second) return;
    const ValueNode& node = fusion_.values()[v];
    if (node.kind == ValueNode::Kind::Read) visit_read(node, environment, reader);
    for (ValueId operand : node.operands) visit(operand, environment, reader);
  }

  void visit_read(const ValueNode& read, const Environment& environment, TensorId reader) {
    const TensorId source = TensorId(read.source);
    const TensorInfo& info = fusion_[source];
    ReadBound bound{.source = source, .reader = reader, .inside = {}};
    Proved proved;
    std::optional<Refuted> refuted;
    // What stands for an element out of bounds is there for that.
    const bool may_leave = !read.operands.empty();
    std::vector<Expr> subscripts;
    for (std::size_t i = 0; i < read.subscripts.size(); ++i) {
      // Simplified as lowering does: what is read in several ways stays one visit.
      const Expr s = analysis_.guarded->simplify(substitute(read.subscripts[i], environment));
      subscripts.push_back(s);
      if (may_leave) continue;
      const Verdict verdict = ask(read.subscripts[i], s, extent_of(info, i), reader);
      add_rules(verdict, proved);
      if (const auto* r = std::get_if<Refuted>(&verdict); r != nullptr && !refuted) refuted = *r;
      if (!is_proved(verdict)) {
        bound.open.push_back({guarded_facts(), ok(s, extent_of(info, i))});
      }
    }
    const std::string what = "every read of " + info.name + " in " + fusion_[reader].name;
    if (bound.open.empty()) {
      bound.inside = {proved, what + " is inside it"};
    } else if (refuted) {
      bound.inside = {*refuted, what + " is inside it, but at " + to_text(refuted->point)};
    } else {
      bound.inside = {Unknown{bound.open[0].claim}, what + " is inside it"};
    }
    if (!may_leave) list_.push_back(std::move(bound));
    if (info.is_input || !schedule_.is_inlined(source)) return;
    visit(*info.definition, indices_at(info, schedule_.graph(), subscripts), source);
  }

  // Wherever the reader's own indices are within its extents? Else, at the loop points under the
  // guard?
  Verdict ask(Expr subscript, Expr at_loops, Expr extent, TensorId reader) {
    const TensorInfo& info = fusion_[reader];
    // At items of a view the indices of its root may be anything that the view makes of them.
    const bool is_view = !info.root.empty() && !(info.fold && info.fold->is_partial);
    if (is_view) return analysis_.guarded->prove(ok(at_loops, extent));
    const std::vector<DomainId>& domain = definition_domain(info);
    const auto own_extent = [&](std::size_t i) { return schedule_.graph()[domain[i]].extent; };
    for (std::size_t i = 0; i < info.indices.size(); ++i) {
      if (same(info.indices[i], subscript) && same(own_extent(i), extent)) {
        return Proved{{"the same index"}};
      }
    }
    std::unique_ptr<Simplifier>& ranges = ranges_[reader];
    if (ranges == nullptr) {
      Facts facts = *fusion_.facts();
      for (std::size_t i = 0; i < info.indices.size(); ++i) {
        facts.loop(info.indices[i], own_extent(i));
      }
      ranges = std::make_unique<Simplifier>(std::move(facts));
    }
    const Verdict verdict = ranges->prove(ok(subscript, extent));
    if (is_proved(verdict)) return verdict;
    return analysis_.guarded->prove(ok(at_loops, extent));
  }

  Expr extent_of(const TensorInfo& info, std::size_t axis) const {
    return schedule_.graph()[info.logical[axis]].extent;
  }
  const std::shared_ptr<const Facts>& guarded_facts() {
    if (facts_ == nullptr) facts_ = std::make_shared<const Facts>(analysis_.guarded->facts());
    return facts_;
  }

  const Fusion& fusion_;
  const Schedule& schedule_;
  const TensorAnalysis& analysis_;
  std::map<TensorId, std::unique_ptr<Simplifier>> ranges_;  // of a reader's indices
  std::shared_ptr<const Facts> facts_;
  std::vector<ReadBound> list_;
  std::set<std::vector<std::uint64_t>> visited_;
};

// Does every iterdomain of the allocation stay within its extent wherever something is stored? The
// logical ones do, and so do those on the way there where a guard stops every hole.
bool follows_from_guard(const TensorInfo& info, const std::vector<DomainId>& allocation,
                        const TensorAnalysis& a) {
  return std::all_of(allocation.begin(), allocation.end(), [&](DomainId d) {
    const auto is_among = [&](const std::vector<DomainId>& list) {
      return std::find(list.begin(), list.end(), d) != list.end();
    };
    return is_among(info.logical) || (!info.duplicates_allowed && is_among(a.hole_path.domains));
  });
}

// Indices within their extents have an address in memory, if no stride is negative: the greatest is
// the one of the last indices, and the memory ends there.
Finding judged(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& a) {
  const TensorInfo& info = fusion[a.tensor];
  const std::vector<DomainId>& allocation = allocation_of(fusion, a.tensor);
  Finding f;
  f.reason = "every store is inside " + info.name;
  const bool may_turn_back = std::any_of(info.strides.begin(), info.strides.end(), [&](Expr s) {
    return !(s.is(Op::Const) && s.value() >= 0) && !a.ranges->proves_nonnegative(s);
  });
  if (!may_turn_back && follows_from_guard(info, allocation, a)) {
    f.verdict = Proved{{"guard"}};
    return f;
  }
  f.code = "E443";
  if (!may_turn_back && !info.duplicates_allowed) {
    const Coverage places = coverage_of(fusion, schedule, a.tensor, allocation);
    if (const auto* refuted = std::get_if<Refuted>(&places.verdict)) {
      f.verdict = *refuted;
      f.reason = "an item of " + info.name + " has no place in its allocation";
      return f;
    }
    if (is_proved(places.verdict)) {
      Proved proved{{"guard"}};
      add_rules(places.verdict, proved);
      return {proved, f.reason};
    }
  }
  f.verdict = decide(*a.guarded, ok(a.address, a.elements));
  if (is_proved(f.verdict)) return {f.verdict, f.reason};
  f.reason = is_refuted(f.verdict) ? "a store is outside the memory of " + info.name
                                   : "it is not proved that every store is inside " + info.name;
  return f;
}

}  // namespace

Finding store_bound(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& a,
                    Help help) {
  Finding f = judged(fusion, schedule, a);
  if (f.is_legal() || help == Help::Without) return f;
  const IsMended is_mended = [&](const Fusion& changed, bool) {
    const Schedule loops = remade(changed, schedule, a.tensor);
    TensorAnalysis other = analyze_loops(changed, loops, a.tensor);
    place_in_memory(changed, loops, other);
    return judged(changed, loops, other).is_legal();
  };
  f.help = leave_out(fusion, a.tensor, false, is_mended).value_or(kHoldEveryItem);
  return f;
}

std::vector<ReadBound> read_bounds(const Fusion& fusion, const Schedule& schedule,
                                   const TensorAnalysis& analysis) {
  return Reads(fusion, schedule, analysis).list();
}

}  // namespace selvage
