#include <selvage/base/diagnostic.h>
#include <selvage/base/words.h>
#include <selvage/expr/substitute.h>
#include <selvage/expr/text.h>
#include <selvage/index/coordinates.h>
#include <selvage/legality/reads.h>
#include <selvage/report/where.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <string_view>

namespace selvage {

namespace {

[[noreturn]] void refuse_item(const std::string& message, std::string help) {
  throw BadInput({.code = "E801",
                  .place = {"schedule_inspect", 0, 0},
                  .message = "--where: " + message,
                  .help = std::move(help)});
}

const TensorReport& computed(const Report& report, const ItemAt& item) {
  std::vector<std::string> names;
  for (const TensorReport& t : report.tensors) {
    if (t.name() == item.tensor) return t;
    names.push_back(t.name());
  }
  refuse_item("no loops of its own compute " + item.tensor,
              names.empty() ? "leave it out: no tensor is computed" : "one of " + joined(names));
}

// The items are those of the tensor's shape, which has numbers for extents.
void check_item(const TensorReport& tensor, const ItemAt& item) {
  const std::vector<DomainId>& axes = tensor.tensor().logical;
  if (item.at.size() != axes.size()) {
    refuse_item(item.text() + " has " + std::to_string(item.at.size()) +
                    (item.at.size() == 1 ? " index" : " indices") + ", and " + item.tensor +
                    " has rank " + std::to_string(axes.size()),
                "give one index for each axis");
  }
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const Expr extent = tensor.graph()[axes[k]].extent;
    if (!extent.is(Op::Const)) {
      refuse_item("the extent " + to_string(extent) + " of " + item.tensor + " is no number",
                  "give its sizes values, such as --size N=1000");
    }
    if (item.at[k] < 0 || item.at[k] >= extent.value()) {
      refuse_item("there is no item " + item.text() + ": axis " + std::to_string(k) + " has " +
                      counted(extent.value(), "item"),
                  "indices begin at 0 and end before the extent");
    }
  }
}

class Where {
 public:
  Where(const Report& report, const TensorReport& tensor, const ItemAt& item,
        const Environment& point, Lines& out)
      : report_(report),
        tensor_(tensor),
        item_(item),
        out_(out),
        here_(tensor.analysis.guarded->facts()),
        point_(point) {}

  void print() {
    std::string title = item_.text() + " is computed";
    const std::string kernel = kernel_name();
    if (!kernel.empty()) title += " by " + kernel;
    out_.line(0, title);
    print_loops();
    print_checks();
    const std::string address = shown(tensor_.analysis.address);
    out_.line(2, "lies at element " + address + " of " + tensor_.name());
    print_reads();
  }

 private:
  std::string kernel_name() const {
    for (const FusionReport& fusion : report_.fusions) {
      if (fusion.schedule != tensor_.schedule || !fusion.program) continue;
      for (const ProgramStep& step : fusion.program->steps) {
        if (std::ranges::find(step.stores, tensor_.analysis.tensor) != step.stores.end()) {
          return step.variants.front().name;
        }
      }
    }
    return "";
  }

  std::string shown(Expr e) { return to_string(here_.simplify(substitute(e, point_))); }

  void print_loops() {
    const TensorAnalysis& a = tensor_.analysis;
    std::vector<std::string> at, open;
    for (std::size_t k = 0; k < a.loops.size(); ++k) {
      const ParallelType type = tensor_.schedule->parallel(a.tensor, a.loops[k]);
      const std::string bound =
          type == ParallelType::Serial ? "" : " (" + std::string(to_string(type)) + ")";
      const std::string name = tensor_.name_of(a.loops[k]);
      const auto known = std::ranges::find_if(
          point_, [&](const auto& entry) { return same(entry.first, a.variables[k]); });
      if (known != point_.end()) {
        at.push_back(name + " = " + to_string(known->second) + bound);
      } else {
        open.push_back(name + " in " + to_string(tensor_.graph()[a.loops[k]].extent) + bound);
      }
    }
    if (!at.empty()) out_.line(2, "at " + joined(at));
    if (!open.empty()) out_.line(2, "over all of " + joined(open));
  }

  void print_checks() {
    const std::vector<KeptPredicate>& kept = tensor_.analysis.predicates.kept;
    if (kept.empty()) return out_.line(2, "passes no check: none is needed");
    for (const KeptPredicate& p : kept) {
      const Expr left = here_.simplify(substitute(p.condition, point_));
      out_.line(2, "passes the check " + to_string(p.condition) +
                       (left.is_true() ? "" : ", where " + to_string(left)));
    }
  }

  void print_reads() {
    for (const Access& read : reads_of(tensor_.fusion(), *tensor_.schedule, tensor_.analysis)) {
      std::vector<std::string> subscripts;
      for (Expr s : read.subscripts) subscripts.push_back(shown(s));
      std::string text =
          "reads " + tensor_.fusion()[read.tensor].name + "[" + joined(subscripts) + "]";
      const Expr made = read.condition.valid() ? here_.simplify(substitute(read.condition, point_))
                                               : tensor_.graph().pool().truth(true);
      if (made.is_false()) text = "takes the fill for " + text.substr(6);
      if (!made.is_false() && !made.is_true())
        text += " where " + to_string(made) + ", else the fill";
      for (const Access::Mode& m : read.modes) {
        const std::string of = shown(m.axis.of), to = shown(read.subscripts[m.axis.axis]);
        if (of != to) text += "; " + std::string(to_string(m.axis.mode)) + " of " + of;
      }
      out_.line(2, text);
    }
  }

  const Report& report_;
  const TensorReport& tensor_;
  const ItemAt& item_;
  Lines& out_;
  Simplifier here_;
  const Environment& point_;
};

}  // namespace

std::string ItemAt::text() const {
  std::string list;
  for (std::int64_t i : at) list += (list.empty() ? "" : ", ") + std::to_string(i);
  return tensor + "[" + list + "]";
}

std::optional<ItemAt> parse_item(const std::string& text) {
  ItemAt item{text.substr(0, text.find('[')), {}};
  if (item.tensor.empty()) return std::nullopt;
  if (item.tensor.size() == text.size()) return item;
  if (text.back() != ']') return std::nullopt;
  std::istringstream list(text.substr(item.tensor.size() + 1));
  for (std::string part; std::getline(list, part, ',');) {
    const char* begin = part.data() + std::min(part.find_first_not_of(' '), part.size());
    std::int64_t index = 0;
    const auto [end, error] = std::from_chars(begin, part.data() + part.size(), index);
    const std::string_view rest(end, std::size_t(part.data() + part.size() - end));
    const bool is_last = list.eof();
    if (part == "]" && item.at.empty() && is_last) return item;
    if (error != std::errc{} || rest != (is_last ? "]" : "")) return std::nullopt;
    item.at.push_back(index);
  }
  return item;
}

std::optional<Environment> loop_point(const TensorReport& tensor,
                                      const std::vector<std::int64_t>& item) {
  ExprPool& pool = tensor.graph().pool();
  std::vector<Expr> indices;
  for (std::int64_t i : item) indices.push_back(pool.constant(i));
  const TensorAnalysis& a = tensor.analysis;
  const std::vector<Expr> values =
      coordinates_from(tensor.graph(), tensor.tensor().logical, indices, a.loops);
  Environment point;
  for (std::size_t k = 0; k < a.loops.size(); ++k) {
    if (!values[k].valid()) continue;
    const Expr value = a.ranges->simplify(values[k]);
    if (a.ranges->simplify(ok(value, tensor.graph()[a.loops[k]].extent)).is_false()) return {};
    point.emplace_back(a.variables[k], value);
  }
  // A resize may have cut the item off: then the point is a hole.
  for (const KeptPredicate& p : a.predicates.kept) {
    if (a.ranges->simplify(substitute(p.condition, point)).is_false()) return {};
  }
  for (std::size_t k = 0; k < item.size(); ++k) {
    const Expr there = (*a.coordinates)[tensor.tensor().logical[k]];
    if (a.ranges->simplify(eq(substitute(there, point), indices[k])).is_false()) return {};
  }
  return point;
}

void print_where(const Report& report, const ItemAt& item, Lines& out) {
  const TensorReport& tensor = computed(report, item);
  check_item(tensor, item);
  const std::optional<Environment> point = loop_point(tensor, item.at);
  if (!point)
    return out.line(0, item.text() + " is made at no point of the loops of " + item.tensor);
  Where(report, tensor, item, *point, out).print();
}

}  // namespace selvage
