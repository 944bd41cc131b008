#include <selvage/base/refuse.h>
#include <selvage/expr/symbols.h>
#include <selvage/expr/text.h>
#include <selvage/kernel/launch_limits.h>
#include <selvage/threads/checks.h>
#include <selvage/threads/divergence.h>
#include <selvage/threads/refuse_at.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>

namespace selvage {

namespace {

bool is_index(const ThreadPlace& at, Expr symbol) {
  return std::any_of(at.levels.begin(), at.levels.end(), [&](const MaskLevel& level) {
    return std::any_of(level.indices.begin(), level.indices.end(),
                       [&](const MaskIndex& i) { return same(i.symbol, symbol); });
  });
}

class ElementChecker {
 public:
  ElementChecker(const ThreadProgram& program, const RegionBook& book, const ThreadPlace& at,
                 Simplifier& known)
      : program_(program), book_(book), at_(at), known_(known) {}

  void element(std::uint32_t array, const std::vector<Expr>& subscripts, bool is_chosen) {
    const ThreadArray& a = program_.arrays.at(array);
    for (std::size_t k = 0; k < subscripts.size(); ++k) {
      check_defined(subscripts[k], "the subscript", known_);
      if (!at_.may_be_left && !is_chosen) in_axis(a, k, subscripts[k]);
    }
  }
  void value(ValueId v, bool is_chosen) {
    if (!seen_.insert({v, is_chosen}).second) return;
    const ValueNode& node = program_.values[v];
    if (node.kind == ValueNode::Kind::Read) element(node.source, node.subscripts, is_chosen);
    if (node.kind == ValueNode::Kind::Index) check_defined(node.index, "the value", known_);
    const bool selects = node.kind == ValueNode::Kind::Apply && node.function == Function::Select;
    for (std::size_t k = 0; k < node.operands.size(); ++k) {
      value(node.operands[k], is_chosen || (selects && k > 0));
    }
  }

 private:
  // An array of one axis is its address: the kernel's verifier has it all.
  void in_axis(const ThreadArray& a, std::size_t axis, Expr subscript) {
    if (a.shape.size() < 2) return;
    const Expr n = a.shape[axis];
    const Expr is_inside = subscript >= 0 && subscript < n;
    const Verdict verdict = known_.prove(is_inside);
    if (is_proved(verdict) || (!is_refuted(verdict) && is_nowhere(!is_inside))) return;
    std::string where = ", and that it does not is not proved";
    if (is_refuted(verdict)) {
      const std::array<Expr, 2> of = {subscript, n};
      const std::vector<Expr> used = symbols_of(of);
      Point point = point_of(verdict);
      std::erase_if(point, [&](const auto& at) { return !contains(used, at.first); });
      where = point.empty() ? "" : ": " + to_text(point);
    }
    refuse<Illegal>(
        "E819",
        "the subscript " + to_string(subscript) + " of " + a.name +
            (is_refuted(verdict) ? " leaves axis " : " may leave axis ") + std::to_string(axis) +
            ", which has the extent " + to_string(n) + where,
        enough(a, axis, subscript) + "or mask the threads that have no element with inthreads");
  }
  // What makes the axis hold all that the subscript may be.
  std::string enough(const ThreadArray& a, std::size_t axis, Expr subscript) const {
    constexpr std::int64_t kMost = std::int64_t{1} << 32;
    const Interval all = known_.interval(subscript);
    if (!all.within(-kMost, kMost)) return "keep the subscript in the axis, ";
    const std::int64_t more = all.lo < 0 ? -all.lo : 0;
    const Expr own = a.shape[axis];
    const std::int64_t needed = std::max(all.hi + more + 1, own.is(Op::Const) ? own.value() : 1);
    const std::string add =
        more == 0 ? "" : "add " + std::to_string(more) + " to the subscript and ";
    return add + "give axis " + std::to_string(axis) + " of " + a.name + " the extent " +
           std::to_string(needed) + ", ";
  }

  // Does a condition hold for no thread that gets here? By its mask, where there is one.
  bool is_nowhere(Expr condition) const {
    try {
      return book_.threads(both(at_.condition, condition), at_).is_none();
    } catch (const BadInput&) {
      return false;  // too large to be told
    }
  }

  const ThreadProgram& program_;
  const RegionBook& book_;
  const ThreadPlace& at_;
  Simplifier& known_;
  std::set<std::pair<ValueId, bool>> seen_;
};

}  // namespace

void check_inthreads(const InThreads& in, const Place& place, const ThreadPlace& at) {
  if (at.levels.empty()) {
    refuse_at(place, "E810", "inthreads stands outside of all parallel levels: there is one thread",
              "put it inside a level, such as parallel: [{p: 6}]");
  }
  if (in.is_async && at.is_in_inthreads) {
    refuse_at(
        place, "E811",
        "an inthreads inside another is asynchronous: " + in.text + "; only the outermost may be",
        "leave async out here");
  }
  const auto wrong = find_not_divergent(in.when, [&](Expr symbol) { return is_index(at, symbol); });
  if (!wrong) return;
  // The whole is written as the user did; of a part, > and >= are < and <=.
  const bool is_whole = same(wrong->part, in.when);
  const std::string part = to_string(wrong->part), of = is_whole ? "" : " of " + part;
  std::string why, help = "compare a parallel index, alone on its side, with a number or a symbol";
  switch (wrong->why) {
    case NotDivergent::Why::NoSide:
      why = "neither side" + of + " depends on a parallel index";
      break;
    case NotDivergent::Why::BothSides:
      why = (is_whole ? "both sides" : "both sides" + of) + " depend on parallel indices";
      help = "bring all parallel indices to one side, as p - q > 0 for p > q";
      break;
    case NotDivergent::Why::NoComparison:
      why = (is_whole ? "it" : part) + " is no comparison";
      break;
  }
  refuse_at(place, "E812", "the predicate " + in.text + " is not strictly divergent: " + why, help,
            wrong->why == NotDivergent::Why::BothSides ? "both sides" : "");
}

const SerialFor& loop_to_leave(const LeaveFor& leave, const Place& place, const ThreadPlace& at) {
  const std::string word = leave.is_next ? "continue: " : "break: ";
  for (std::size_t k = at.loops.size(); k-- > 0;) {
    if (at.loops[k]->label != leave.label) continue;
    if (k >= at.loops_outside) return *at.loops[k];
    refuse_at(
        place, "E826",
        word + leave.label + " would leave a parallel level, whose instances all come to its end",
        "leave a loop that stands inside the level, or mask what follows with inthreads");
  }
  const auto is_index = [&](const MaskLevel& level) {
    return std::any_of(level.indices.begin(), level.indices.end(),
                       [&](const MaskIndex& i) { return i.symbol.name() == leave.label; });
  };
  const bool is_parallel = std::any_of(at.levels.begin(), at.levels.end(), is_index);
  refuse_at(place, "E826",
            is_parallel
                ? word + leave.label + " would leave a parallel level: only serial loops are left"
                : "no loop around is called " + leave.label,
            is_parallel ? "mask what follows with inthreads"
                        : "give the loop to be left the label: " + leave.label);
}

void check_defined(Expr e, std::string_view what, Simplifier& known) {
  for (Expr part : reachable(std::span(&e, 1), true)) {
    if (!part.is(Op::Div) && !part.is(Op::Mod)) continue;
    const Expr divisor = part[1];
    if (known.proves(divisor > 0) || known.proves(divisor < 0)) continue;
    const bool is_zero = known.simplify(divisor).is(Op::Const);
    refuse<Illegal>(
        "E342",
        std::string(what) + " '" + to_string(e) + "' divides by '" + to_string(divisor) +
            (is_zero ? "'" : "', which may be 0"),
        "divide by what is never 0, such as " + to_string(max(divisor, e.pool().constant(1))));
  }
}

const Assign& check_copy(const ThreadItem& item, const ThreadProgram& program) {
  const auto refuse_copy = [&](const std::string& what, const std::string& help) {
    refuse_at(item.place, "E827", "a copy that ends later " + what, help);
  };
  const auto* assign = std::get_if<Assign>(&item.node);
  const ValueNode* value = assign == nullptr ? nullptr : &program.values[assign->value];
  if (value != nullptr && value->kind == ValueNode::Kind::Cast) {
    value = &program.values[value->operands[0]];  // to the array's type
  }
  if (value == nullptr || value->kind != ValueNode::Kind::Read) {
    refuse_copy("takes an element as it is: S[i] = A[j]",
                "write what is computed as a statement outside of copy");
  }
  const ThreadArray &to = program.arrays[assign->array], &from = program.arrays[value->source];
  if (to.memory != Memory::Shared || from.memory != Memory::Global) {
    refuse_copy("goes from global to shared memory, and " + from.name + " is " +
                    std::string(to_string(from.memory)) + ", " + to.name + " " +
                    std::string(to_string(to.memory)),
                "write it as a statement outside of copy");
  }
  if (to.type != from.type || !is_copied_at_once(size_of(to.type))) {
    refuse_copy("takes 4 or 8 bytes as they are, and " + from.name + " is of " +
                    std::string(to_string(from.type)) + ", " + to.name + " of " +
                    std::string(to_string(to.type)),
                "write it as a statement outside of copy");
  }
  return *assign;
}

void check_tile(const TileRef& tile, const ThreadProgram& program, const RegionBook& book,
                const ThreadPlace& at, Simplifier& known) {
  ElementChecker(program, book, at, known).element(tile.array, tile.subscripts, false);
}

void check_elements(const Assign& assign, const ThreadProgram& program, const RegionBook& book,
                    const ThreadPlace& at, Simplifier& known) {
  ElementChecker checker(program, book, at, known);
  checker.element(assign.array, assign.subscripts, false);
  checker.value(assign.value, false);
}

}  // namespace selvage
