#include <selvage/base/data_type.h>
#include <selvage/expr/substitute.h>
#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/legality/analysis.h>
#include <selvage/legality/decide.h>
#include <selvage/legality/mend_vector.h>
#include <selvage/legality/unswitch.h>
#include <selvage/legality/vector_access.h>

#include <algorithm>
#include <bit>

namespace selvage {

InnermostBreak innermost_break(const std::vector<AllocationAxis>& axes, Simplifier& simplifier) {
  InnermostBreak found{simplifier.pool().constant(1), axes.size()};
  while (found.left > 0) {
    const AllocationAxis& axis = axes[found.left - 1];
    if (found.left < axes.size()) {
      const AllocationAxis& inner = axes[found.left];
      if (!simplifier.proves(eq(axis.stride, inner.stride * inner.extent))) break;
    }
    found.product = simplifier.simplify(found.product * axis.extent);
    --found.left;
  }
  return found;
}

namespace {

Facts with(Facts facts, const std::vector<Expr>& conditions) {
  for (Expr c : conditions) facts.assume(c);
  return facts;
}

// Whether the multiples of symbols alone, without any guard, make e a multiple of `of`: most
// alignments follow from these.
bool is_multiple(const Facts& facts, Expr e, std::int64_t of) {
  const Congruence c = Simplifier(facts.of_symbols()).congruence(e);
  return c.modulus % of == 0 && c.residue % of == 0;
}

Verdict is_consecutive(Simplifier& under, Expr address, Expr variable,
                       const std::vector<AllocationAxis>& axes, std::vector<Expr>& conditions) {
  const Expr zero = address.pool().constant(0);
  const Expr claim = eq(address, substitute(address, {{variable, zero}}) + variable);
  if (axes.empty() || axes.back().stride.is(Op::Const)) return decide(under, claim);
  if (auto proof = proof_of(under, claim)) return *std::move(proof);
  // The innermost stride is known at launch only.
  const Expr unit = eq(axes.back().stride, 1);
  if (!proof_of(with(under.facts(), {unit}), claim)) return decide(under, claim);
  conditions.push_back(unit);
  return Proved{{"unit stride at launch"}};
}

Verdict is_aligned(Simplifier& under, Expr start, std::int64_t width,
                   const std::vector<AllocationAxis>& axes, std::vector<Expr>& conditions) {
  const Facts facts = with(under.facts(), conditions);
  if (is_multiple(facts, start, width)) return Proved{{"congruence"}};
  const Expr claim = eq(start % width, 0);
  if (auto proof = conditions.empty() ? proof_of(under, claim) : proof_of(facts, claim)) {
    return *std::move(proof);
  }
  // Asks for multiples of strides that are known at launch only, as few as will do.
  Simplifier simplifier(facts.of_symbols());
  std::vector<Expr> wanted;
  for (std::size_t k = 0; k + 1 < axes.size(); ++k) {
    const Expr multiple = simplifier.simplify(eq(axes[k].stride % width, 0));
    if (multiple.is_false()) return decide(facts, claim);
    if (!multiple.is_true()) wanted.push_back(multiple);
  }
  const auto suffices = [&](const std::vector<Expr>& some) {
    const Facts more = with(facts, some);
    return is_multiple(more, start, width) || proof_of(more, claim);
  };
  if (wanted.empty() || !suffices(wanted)) return decide(facts, claim);
  // At least one stays: without any the claim is not proved.
  for (std::size_t k = 0; k < wanted.size() && wanted.size() > 1;) {
    std::vector<Expr> fewer = wanted;
    fewer.erase(fewer.begin() + std::ptrdiff_t(k));
    if (suffices(fewer)) {
      wanted = std::move(fewer);
    } else {
      ++k;
    }
  }
  conditions.insert(conditions.end(), wanted.begin(), wanted.end());
  return Proved{{"strides at launch"}};
}

}  // namespace

GroupAccess group_access(Simplifier& under, Expr address, Expr variable, std::int64_t elements,
                         std::int64_t at_once, const Storage& storage,
                         const std::vector<AllocationAxis>& axes,
                         const std::vector<Expr>& conditions) {
  GroupAccess out;
  out.start = under.simplify(substitute(address, {{variable, address.pool().constant(0)}}));
  std::vector<Expr> all = conditions;
  out.consecutive = elements == 1 ? Proved{} : is_consecutive(under, address, variable, axes, all);
  if (!is_proved(out.consecutive)) return out;
  out.aligned = at_once == 1 ? Proved{} : is_aligned(under, out.start, at_once, axes, all);
  out.conditions.assign(all.begin() + std::ptrdiff_t(conditions.size()), all.end());
  const std::int64_t bytes = at_once * size_of(storage.type);
  if (storage.base.valid() && storage.align < bytes) out.base = eq(storage.base % bytes, 0);
  return out;
}

namespace {

// The value of e at the point; 0, for want of a better one, if it has none.
std::int64_t number_at(Expr e, const Refuted& refuted) {
  return value_at(e, refuted.point).value_or(0);
}

class VectorQuestion {
 public:
  VectorQuestion(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis,
                 std::size_t loop, Help help)
      : fusion_(fusion),
        schedule_(schedule),
        analysis_(analysis),
        tensor_(fusion[analysis.tensor]),
        storage_(storage_of(fusion, analysis)),
        is_bulk_(schedule.copied_by(analysis.tensor) == CopyBy::Bulk),
        has_help_(help == Help::With) {
    const bool is_kept = analysis.storage && analysis.storage->memory == Memory::Local;
    // Of a fold that blocks combine by bulk copies, what a block has of it is a result already.
    const bool is_combined = is_bulk_ && schedule.meets_atomically(analysis.tensor);
    out_.is_stored = !is_kept && (!tensor_.fold || analysis.part == Part::Result || is_combined);
    out_.domain = analysis.loops[loop];
    out_.variable = analysis.variables[loop];
  }

  VectorAccess answer() {
    take_groups();
    const Expr extent = schedule_.graph()[out_.domain].extent;
    if (!out_.is_stored) {
      if (extent.is(Op::Const)) out_.width = extent.value();
      out_.finding.verdict = Proved{{"nothing is stored as one"}};
      out_.finding.reason = "only what is read for " + name() + " of " + tensor_.name +
                            " is one access, where it lies in a row";
      return std::move(out_);
    }
    if (has_width(extent)) {
      axes_ = axes_of(schedule_.graph(), storage_, *analysis_.ranges);
      const GroupAccess group = group_access(*out_.in_full_groups, analysis_.address, out_.variable,
                                             out_.width, aligned_elements(), storage_, axes_);
      out_.start = group.start;
      out_.finding.conditions = group.conditions;
      if (!is_proved(group.consecutive)) {
        refuse_contiguity(group.consecutive);
      } else if (!is_proved(group.aligned)) {
        refuse_alignment(group.aligned);
      } else {
        conclude(group);
      }
    }
    return std::move(out_);
  }

 private:
  DataType type() const { return storage_.type; }
  std::string name() const { return schedule_.name(analysis_.tensor, out_.domain); }
  std::string what() const {
    return "the vector " + name() + " of " + tensor_.name + ", " + std::to_string(out_.width) +
           " x " + std::string(to_string(type()));
  }

  void refuse(Verdict verdict, const char* code, std::string reason, std::string help) {
    out_.finding.verdict = std::move(verdict);
    out_.finding.code = code;
    out_.finding.reason = std::move(reason);
    out_.finding.help = std::move(help);
  }

  // Finds where a group is full, and whether every group with a valid element is.
  void take_groups() {
    const Expr guard = guard_of(analysis_);
    out_.full = hoist(guard, std::span(&out_.variable, 1), *analysis_.ranges);
    out_.is_whole = decide(*analysis_.guarded, out_.full.condition);
    out_.in_full_groups =
        std::make_shared<Simplifier>(with(analysis_.ranges->facts(), {out_.full.condition, guard}));
  }

  bool has_width(Expr extent) {
    const std::int64_t size = size_of(type());
    if (!extent.is(Op::Const)) {
      refuse(Unknown{extent}, "E450",
             "the width of the vector " + name() + " of " + tensor_.name + ", " +
                 to_string(extent) + ", is no number",
             help_for_width(16 / size));
      return false;
    }
    out_.width = extent.value();
    if (is_bulk_) {
      if (is_copied_in_bulk(out_.width * size)) return out_.bytes = out_.width * size, true;
      refuse(Refuted{}, "E450",
             what() + ", is no bulk copy: " + std::to_string(kBulkAlignment) +
                 " divides its bytes, at most " + std::to_string(kMostBulkBytes),
             "split " + name() + " by a multiple of " + std::to_string(kBulkAlignment / size) +
                 " and bind the inner loop");
      return false;
    }
    const bool small = out_.width <= 16 / size;
    out_.bytes = small ? out_.width * size : 0;
    if (small && out_.bytes >= 2 && std::has_single_bit(std::uint64_t(out_.width))) return true;
    out_.bytes = 0;
    refuse(Refuted{}, "E450", what() + ", is no access of 2, 4, 8 or 16 bytes",
           help_for_width(16 / size));
    return false;
  }

  // What the address of a group is a multiple of.
  std::int64_t aligned_elements() const {
    return is_bulk_ ? kBulkAlignment / size_of(type()) : out_.width;
  }

  std::string serial() const { return "leave " + name() + " serial"; }

  std::string help_for_width(std::int64_t most) const {
    if (!has_help_) return {};
    if (out_.width > 0)
      most = std::min(most, std::int64_t(std::bit_floor(std::uint64_t(out_.width))));
    const auto fits = fitting_split(fusion_, schedule_, analysis_, out_.domain, most);
    if (!fits) return serial() + ", or make it the inner result of a split by a power of two";
    return "split " + name() + " by " + std::to_string(*fits) + " and bind the inner loop";
  }

  // The width of a narrower vector of this loop that is legal.
  std::optional<std::int64_t> narrower() const {
    return fitting_split(fusion_, schedule_, analysis_, out_.domain, out_.width / 2);
  }

  void refuse_contiguity(const Verdict& verdict) {
    std::string reason = what() + ", is not contiguous";
    if (const auto* refuted = std::get_if<Refuted>(&verdict)) {
      const std::int64_t element = number_at(out_.variable, *refuted);
      const std::int64_t first = number_at(
          substitute(analysis_.address, {{out_.variable, out_.variable - element}}), *refuted);
      reason += ": at " + to_text(refuted->point) + " its element " + std::to_string(element) +
                " lies at " + std::to_string(number_at(analysis_.address, *refuted)) + ", not at " +
                std::to_string(first + element);
    } else {
      reason = "it is not proved that " + what() + ", is contiguous";
    }
    refuse(verdict, is_refuted(verdict) ? "E451" : "E453", std::move(reason),
           help_for_contiguity());
  }

  std::string help_for_contiguity() {
    if (!has_help_) return {};
    if (axes_.empty()) return serial();
    Simplifier& s = *analysis_.ranges;
    const InnermostBreak at = innermost_break(axes_, s);
    const DomainId last = axes_.back().domain;
    if (!axes_.back().stride.is_const(1)) {
      return "no axis of " + tensor_.name + " has stride 1: " + serial() +
             ", or allocate it with one";
    }
    const auto fits = narrower();
    if (at.left == 0 || s.proves(eq(at.product % out_.width, 0))) {
      if (may_take_vector_from(fusion_, schedule_, analysis_, out_.domain, last, out_.width)) {
        return "take the vector out of " + schedule_.name(analysis_.tensor, last) +
               ", whose elements lie side by side, as the inner result of a split by " +
               std::to_string(out_.width);
      }
      return fits ? "split by " + std::to_string(*fits) + " instead" : serial();
    }
    std::string right;
    for (std::size_t k = at.left; k < axes_.size(); ++k) {
      right += (right.empty() ? "" : " x ") + schedule_.name(analysis_.tensor, axes_[k].domain);
    }
    const std::string rule = "law F: " + std::to_string(out_.width) + " must divide " +
                             to_string(at.product) + ", the extent of " + right +
                             ", which is all that is contiguous; ";
    return rule + (fits ? "split by " + std::to_string(*fits) + " instead" : serial());
  }

  void refuse_alignment(const Verdict& verdict) {
    const std::int64_t of = aligned_elements();
    std::string reason = "it is not proved that " + what() + ", begins at a multiple of " +
                         std::to_string(of) + " elements";
    if (const auto* refuted = std::get_if<Refuted>(&verdict)) {
      reason = what() + ", is not aligned: at " + to_text(refuted->point) +
               " it begins at element " + std::to_string(number_at(out_.start, *refuted)) +
               ", no multiple of " + std::to_string(of);
    }
    refuse(verdict, is_refuted(verdict) ? "E452" : "E453", std::move(reason), help_for_alignment());
  }

  std::string help_for_alignment() {
    if (!has_help_) return {};
    const std::string width = std::to_string(aligned_elements());
    const auto fits = narrower();
    const std::string split = fits ? "split by " + std::to_string(*fits) + " instead" : serial();
    if (const auto strides = fitting_strides(fusion_, schedule_, analysis_, aligned_elements())) {
      return "make the strides multiples of " + width + ", strides: " + *strides + "; or " + split;
    }
    const auto size =
        fitting_multiple(fusion_, out_.in_full_groups->facts(), out_.start, aligned_elements());
    if (size) {
      return "say that " + to_string(*size) + " is a multiple of " + width + ": " +
             to_string(*size) + ": {multiple_of: " + width + "} under symbols; or " + split;
    }
    return split;
  }

  void conclude(const GroupAccess& group) {
    if (group.base) {
      out_.finding.conditions.insert(out_.finding.conditions.begin(), *group.base);
    }
    const InnermostBreak at = innermost_break(axes_, *analysis_.ranges);
    std::string why = "all of it is contiguous";
    if (at.left > 0) {
      why = "law F: " + std::to_string(out_.width) + " divides " + to_string(at.product) +
            ", the extent right of the innermost break";
    }
    out_.finding.reason = std::to_string(out_.width) + " elements are one access of " +
                          std::to_string(out_.bytes) + " bytes: " + why;
    if (!is_proved(out_.is_whole)) {
      out_.finding.reason += is_bulk_
                                 ? "; of groups that are partly valid, pieces of 16 bytes are "
                                   "copied if they are whole for all sizes, else elements"
                                 : "; groups that are partly valid are stored element by element";
      if (const auto* refuted = std::get_if<Refuted>(&out_.is_whole)) {
        out_.finding.reason += ", as at " + to_text(refuted->point);
      }
    }
    out_.finding.verdict = Proved{{"law F"}};
  }

  const Fusion& fusion_;
  const Schedule& schedule_;
  const TensorAnalysis& analysis_;
  const TensorInfo& tensor_;
  const Storage storage_;
  bool is_bulk_, has_help_;
  std::vector<AllocationAxis> axes_;
  VectorAccess out_;
};

}  // namespace

std::optional<VectorAccess> vector_access(const Fusion& fusion, const Schedule& schedule,
                                          const TensorAnalysis& analysis, Help help) {
  for (std::size_t i = 0; i < analysis.loops.size(); ++i) {
    if (schedule.parallel(analysis.tensor, analysis.loops[i]) != ParallelType::Vectorize) continue;
    return VectorQuestion(fusion, schedule, analysis, i, help).answer();
  }
  return std::nullopt;
}

}  // namespace selvage
