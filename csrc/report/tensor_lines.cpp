#include <selvage/base/words.h>
#include <selvage/kernel/launch_limits.h>
#include <selvage/report/checks.h>
#include <selvage/report/holes.h>
#include <selvage/report/point.h>
#include <selvage/report/ring_lines.h>
#include <selvage/report/tensor_lines.h>

#include <algorithm>

namespace selvage {

namespace {

constexpr std::size_t kDeepest = 12;
// A text longer than this is broken up by names.
constexpr std::size_t kLongText = 240;

class TensorPage {
 public:
  TensorPage(const TensorReport& tensor, Lines& out)
      : tensor_(tensor), analysis_(tensor.analysis), texts_(roots(), kLongText), out_(out) {}

  void print_all() {
    const std::optional<Holes> holes = holes_of(tensor_);
    print_title(holes);
    print_graph();
    if (holes) print_holes(*holes);
    print_indices();
    print_checks(true);
    print_coverage(tensor_, out_);
    print_vector(tensor_, texts_, out_);
    print_unswitched(tensor_, texts_, out_);
    print_interior(tensor_, texts_, out_);
    print_modes(tensor_, texts_, out_);
    if (tensor_.legality.banks) print_banks(*tensor_.legality.banks, out_);
    if (tensor_.legality.tma) print_tma(tensor_, *tensor_.legality.tma, out_);
  }

  void print_checks(bool why) {
    out_.heading(title_of_checks());
    print_some(kept_checks(tensor_), 2, out_, [&](const KeptPredicate* p) {
      out_.line(2, tensor_.name_of(p->domain) + ": " + texts_(p->condition));
      if (why) out_.line(6, reason(*p));
    });
    const std::vector<Dropped> dropped = dropped_checks(tensor_);
    if (dropped.empty()) return;
    out_.heading("Checks that are not needed");
    print_some(dropped, 2, out_, [&](const Dropped& d) { print_dropped(d, why); });
  }

 private:
  std::vector<Expr> roots() const {
    std::vector<Expr> list = shown_expressions(tensor_);
    for (TransformId t : transforms()) {
      for (Expr e : numbers_of(tensor_.graph()[t])) list.push_back(e);
    }
    return list;
  }
  std::vector<TransformId> transforms() const {
    return tensor_.schedule->all_transforms(analysis_.tensor);
  }

  // I0 {15}
  std::string shown(DomainId d) const {
    return tensor_.name_of(d) + " {" + texts_(tensor_.graph()[d].extent) + "}";
  }
  std::string shown(const std::vector<DomainId>& domains) const {
    std::vector<std::string> words;
    for (DomainId d : domains) words.push_back(shown(d));
    return joined(words);
  }

  void print_title(const std::optional<Holes>& holes) {
    const TensorInfo& info = tensor_.tensor();
    std::string text = "Tensor " + info.name + " [" + shown(info.logical) + "] of " +
                       std::string(to_string(said_type(info)));
    if (holes) {
      const std::int64_t valid = holes->valid(), rest = holes->points() - valid;
      text += ": " + counted(holes->points(), "loop point") + ", " + std::to_string(valid) +
              " valid, " + counted(rest, "hole");
    }
    out_.line(0, text);
  }

  std::string kind(const Transform& t) const {
    const auto text = [&](Expr e) { return texts_(e); };
    return std::visit(
        overloaded{[&](const Split& s) {
                     return "split " + text(s.factor) + (s.inner_split ? "" : " outer");
                   },
                   [](const Merge&) { return std::string("merge"); },
                   [&](const Resize& r) { return "resize " + text(r.left) + ", " + text(r.right); },
                   [](const Swizzle& s) { return in_words(s.kind); },
                   [&](const Skew& s) {
                     return "skew by " + text(s.by) + " mod " + text(s.modulo) + " along " +
                            tensor_.name_of(s.along);
                   }},
        t);
  }

  void print_graph() {
    if (transforms().empty()) return;
    out_.heading("How the index is cut up: name {extent}");
    std::unordered_map<std::size_t, std::size_t> depths;  // by iterdomain
    print_some(transforms(), 2, out_, [&](TransformId t) {
      const Transform& transform = tensor_.graph()[t];
      std::size_t depth = 0;
      for (DomainId d : inputs(transform)) {
        const auto it = depths.find(index_of(d));
        if (it != depths.end()) depth = std::max(depth, it->second);
      }
      for (DomainId d : outputs(transform)) {
        depths[index_of(d)] = std::min(depth + 1, kDeepest);
      }
      out_.line(2 + 2 * depth, shown(inputs(transform)) + " --" + kind(transform) + "--> " +
                                   shown(outputs(transform)));
    });
  }

  void print_holes(const Holes& holes) {
    if (holes.valid() == holes.points() && transforms().empty()) return;
    const std::vector<std::string> lines = picture(tensor_, holes);
    if (lines.empty()) return;
    out_.heading("The item that each loop point " +
                 std::string(reduces_ ? "folds into" : "stores") +
                 "; . is a hole: an index is out of bounds");
    for (const std::string& line : lines) out_.line(2, line);
  }

  void print_indices() {
    std::vector<std::pair<std::string, DomainId>> computed;
    for (const auto& [name, d] : tensor_.iterdomains) {
      if (!tensor_.is_loop(d) && name == tensor_.name_of(d)) computed.emplace_back(name, d);
    }
    out_.heading("Indices, right at every loop point, and the address in memory");
    print_some(texts_.lets(), 2, out_,
               [&](const auto& let) { out_.line(2, let.first + " = " + let.second); });
    print_some(computed, 2, out_, [&](const auto& entry) {
      out_.line(2, entry.first + " = " + texts_((*analysis_.coordinates)[entry.second]));
    });
    out_.line(2, "address = " + address_text(computed));
    print_place();
  }

  // Of a tensor that is computed inside another's nest: where, and where its elements are.
  void print_place() {
    const Schedule& schedule = *tensor_.schedule;
    if (const auto& site = schedule.site(analysis_.tensor)) {
      const std::string host = schedule.fusion()[site->tensor].name;
      const std::string what = site->accumulates ? "accumulated " : "computed ";
      out_.line(
          2, what + (site->loop ? "at " + schedule.name(site->tensor, *site->loop) + " of " + host
                                : "in the kernel of " + host + ", before its loops"));
    }
    if (const auto& host = schedule.last_block_of(analysis_.tensor)) {
      out_.line(2, "computed by the last block of the kernel of " + schedule.fusion()[*host].name);
    }
    if (!analysis_.storage) return;
    const bool is_local = analysis_.storage->memory == Memory::Local;
    const Expr elements = analysis_.elements;
    const bool has_room = !elements.is(Op::Const) ||
                          elements.value() <= kMaxSharedBytes / size_of(analysis_.storage->type);
    const char* of_block = has_room ? "shared memory" : "a workspace";
    out_.line(2, "kept in " + std::string(is_local ? "registers" : of_block) + ": " +
                     texts_(analysis_.elements) + " x " +
                     std::string(to_string(analysis_.storage->type)) +
                     (is_local ? " in each thread" : " in each block"));
    if (const auto& stage = schedule.stage(analysis_.tensor)) {
      const TensorId host = schedule.site(analysis_.tensor)->tensor;
      out_.line(2, counted(schedule.stages(analysis_.tensor), "stage") + ", in turn: iteration " +
                       schedule.name(host, stage->loop) + " of " + schedule.fusion()[host].name +
                       " has the one of number " + texts_(analysis_.storage->stage));
    }
    print_ring(schedule, analysis_.tensor, out_);
    const std::vector<DomainId>& layout = schedule.allocation(analysis_.tensor);
    if (!layout.empty()) out_.line(2, "laid out over [" + shown(layout) + "]");
  }

  // The name of an index, where the address is one.
  std::string address_text(const std::vector<std::pair<std::string, DomainId>>& computed) const {
    for (const auto& [name, d] : computed) {
      if (same((*analysis_.coordinates)[d], analysis_.address)) return name;
    }
    return texts_(analysis_.address);
  }

  std::string title_of_checks() const {
    const PredicatePlan& plan = analysis_.predicates;
    if (plan.kept.empty()) return "No check is needed: there are no holes";
    std::string text = "Checks that stay: " + std::to_string(plan.kept.size());
    switch (plan.minimal) {
      case Minimality::Proved: return text + ", the fewest that stop every hole (proved)";
      case Minimality::Irredundant: return text + ", none of which can be dropped (irredundant)";
      case Minimality::Unknown: return text + ", perhaps more than are needed (unknown)";
    }
    return text;
  }

  // What goes wrong without a check.
  std::string reason(const KeptPredicate& p) const {
    if (p.witness.empty()) return "no point is known at which it is needed";
    const Point point = first_stopped(tensor_, p).value_or(p.witness);
    std::vector<DomainId> domains = tensor_.tensor().logical;
    domains.push_back(p.domain);
    const auto indices = indices_at(tensor_, domains, point);
    if (!indices) return "needed at " + to_text(point);
    std::vector<std::string> item;
    bool exists = true;
    for (std::size_t i = 0; i + 1 < domains.size(); ++i) {
      const std::int64_t x = (*indices)[i];
      const auto n = value_at(tensor_.graph()[domains[i]].extent, point);
      exists = exists && n && 0 <= x && x < *n;
      item.push_back(std::to_string(x));
    }
    const std::string at = tensor_.name() + "[" + joined(item) + "]";
    const std::string head = "or else " + to_text(point), out = tensor_.name_of(p.domain) + " = " +
                                                                std::to_string(indices->back()) +
                                                                " is out of bounds";
    // Many points fold into one item; none that exists does so from outside.
    if (exists && reduces_) return head + " folds one more into " + at + ": " + out;
    const std::string store = head + (reduces_ ? " folds into " : " stores ") + at;
    if (!exists) return store + ", which does not exist";
    const bool is_covered = is_proved(analysis_.coverage.verdict);
    return store + (is_covered ? " a second time: " : " from a hole: ") + out;
  }

  void print_dropped(const Dropped& d, bool why) {
    std::string text = d.name + ": ";
    text += d.from.empty() ? "always within bounds" : "follows from " + listed(d.from);
    text += " (" + d.by;
    const std::string explained = why ? explanation(d.by) : "";
    text += explained.empty() ? ")" : ": " + explained + ")";
    out_.line(2, text);
  }

  const TensorReport& tensor_;
  const TensorAnalysis& analysis_;
  const bool reduces_ = tensor_.reduces();
  Texts texts_;
  Lines& out_;
};

}  // namespace

void print_coverage(const TensorReport& tensor, Lines& out) {
  const Coverage& coverage = tensor.analysis.coverage;
  if (is_proved(coverage.verdict)) {
    const bool is_once = is_proved(coverage.once) && !tensor.tensor().duplicates_allowed;
    out.heading("Coverage: every item of " + tensor.name() + " is visited by " +
                (is_once ? "one" : "a") + " valid loop point (proved)");
  } else if (coverage.lost.empty()) {
    out.heading("Coverage: it is not known whether every item of " + tensor.name() + " is visited");
  } else {
    out.heading("Coverage: no valid loop point visits " + to_text(coverage.lost));
  }
}

void print_tensor(const TensorReport& tensor, Lines& out) { TensorPage(tensor, out).print_all(); }

void print_loops(const TensorReport& tensor, Lines& out) {
  out.heading("Loops of " + tensor.name() + ", which has no kernel of its own");
  std::size_t depth = 0;
  for (DomainId d : tensor.analysis.loops) {
    const ParallelType p = tensor.schedule->parallel(tensor.analysis.tensor, d);
    const std::string bound =
        p == ParallelType::Serial ? "" : " (" + std::string(to_string(p)) + ")";
    const std::string extent = to_string(tensor.graph()[d].extent);
    out.line(2 + 2 * depth++,
             (bound.empty() ? "for " : "parallel ") + tensor.name_of(d) + " in " + extent + bound);
  }
}

void print_checks(const TensorReport& tensor, bool why, Lines& out) {
  TensorPage(tensor, out).print_checks(why);
}

std::vector<Expr> shown_expressions(const TensorReport& tensor) {
  const TensorAnalysis& a = tensor.analysis;
  std::vector<Expr> list;
  for (const auto& [name, d] : tensor.iterdomains) {
    list.push_back(tensor.graph()[d].extent);
    list.push_back((*a.coordinates)[d]);
  }
  list.push_back(a.address);
  if (a.storage) list.push_back(a.elements);
  if (a.storage && a.storage->stage.valid()) list.push_back(a.storage->stage);
  for (const KeptPredicate& p : a.predicates.kept) list.push_back(p.condition);
  if (a.vector) {
    const std::vector<Expr>& conditions = a.vector->finding.conditions;
    list.insert(list.end(), conditions.begin(), conditions.end());
  }
  if (a.unswitched) list.push_back(a.unswitched->hoisted.condition);
  if (a.interior) list.push_back(a.interior->hoisted.condition);
  const ModeReport modes = modes_of(tensor);
  for (const ModeLine& line : modes.lines) list.push_back(line.at);
  if (modes.inside) list.push_back(modes.inside->hoisted.condition);
  if (tensor.legality.tma) {
    const TmaCopy& copy = *tensor.legality.tma;
    list.insert(list.end(), copy.finding.conditions.begin(), copy.finding.conditions.end());
    list.insert(list.end(), copy.guard.begin(), copy.guard.end());
    for (const TmaDim& d : copy.dims) list.insert(list.end(), {d.size, d.stride, d.coordinate});
  }
  return list;
}

}  // namespace selvage
