#include <selvage/base/names.h>
#include <selvage/base/refuse.h>
#include <selvage/threads/builder_scope.h>

#include <algorithm>

namespace selvage {

void BuilderScope::add_name(const std::string& name) {
  if (auto wrong = check_name(name, {})) throw BadInput(*std::move(wrong));
  if (!names_.insert(name).second) {
    refuse<BadInput>("E204", "the name " + name + " is taken", "give it another name");
  }
}

// ---- indices ----

bool BuilderScope::is_open(Expr symbol) const {
  return std::any_of(open_.begin(), open_.end(), [&](Expr e) { return same(e, symbol); });
}

BuilderScope::Index& BuilderScope::find(Expr index, std::int64_t extent) {
  const auto it =
      index.valid() && &index.pool() == &pool_ ? indices_.find(index.id()) : indices_.end();
  if (it == indices_.end() || it->second.extent != extent) {
    refuse<BadInput>("E508",
                     it == indices_.end()
                         ? "a level or a loop goes over what is no index of this program"
                         : std::string(index.name()) + " was made with the extent " +
                               std::to_string(it->second.extent) + " and stands with " +
                               std::to_string(extent),
                     "make an index with index(name, extent), and give it as it is");
  }
  return it->second;
}

void BuilderScope::open(Expr index, std::int64_t extent, Use use) {
  Index& own = find(index, extent);
  const std::string name(index.name());
  // A level's index is one of the launch: nothing else goes over it, not even elsewhere.
  const bool is_level = use == Use::Level || own.use == Use::Level;
  if (is_open(index) || (own.use && is_level)) {
    refuse<BadInput>("E204",
                     name + " is the index of a " + (own.use == Use::Level ? "level" : "loop") +
                         (is_open(index) ? " here" : "") + " already",
                     "go over an index of its own");
  }
  uses_.emplace_back(index, own.use);
  own.use = use;
  open_.push_back(index);
}

void BuilderScope::undo(const Mark& mark) {
  for (; uses_.size() > mark.uses; uses_.pop_back()) {
    indices_[uses_.back().first.id()].use = uses_.back().second;
  }
  close(mark);
}

void BuilderScope::check_loop(Expr index) const {
  const bool is_own = index.valid() && &index.pool() == &pool_;
  if (is_own && is_open(index)) return;
  refuse<BadInput>("E826",
                   is_own && index.is(Op::Symbol)
                       ? "no loop around goes over " + std::string(index.name())
                       : "what is to be left is no index of this program",
                   "name the index of a loop that stands around");
}

// ---- expressions ----

namespace {

void check_size(std::size_t parts, std::string_view what) {
  if (parts <= ThreadProgram::kMostParts) return;
  refuse<BadInput>(
      "E104",
      std::string(what) + " has more than " + std::to_string(ThreadProgram::kMostParts) + " parts",
      "store a part of it in an array first");
}

}  // namespace

void BuilderScope::check(Expr e, std::string_view what) const {
  if (!e.valid()) {
    refuse<BadInput>("E508", std::string(what) + " is no expression",
                     "give one of indices, symbols and numbers");
  }
  check_size(e.size(), what);
  // Not reachable(): ids tell the nodes of one pool alone from one another.
  std::set<std::uint32_t> seen;
  std::vector<Expr> left = {e};
  while (!left.empty()) {
    const Expr part = left.back();
    left.pop_back();
    if (&part.pool() != &pool_) {
      refuse<BadInput>("E508", std::string(what) + " is one of another program",
                       "use the indices and symbols of the program that it stands in");
    }
    if (!seen.insert(part.id()).second) continue;
    if (part.is(Op::Load) || part.is(Op::Call)) {
      refuse<BadInput>("E316",
                       std::string(what) + " has " + std::string(part.name()) +
                           (part.is(Op::Load) ? "[...]" : "(...)") + ", which is opaque",
                       "use indices, symbols and integers");
    }
    if (part.is(Op::Symbol) && !symbols_.contains(part.id()) && !is_open(part)) {
      const std::string name(part.name());
      const bool is_index = indices_.contains(part.id());
      refuse<BadInput>(
          "E302",
          std::string(what) + " uses " + name +
              (is_index ? ", the index of no level or loop around" : ", which nothing declares"),
          is_index ? "use it inside a level or a loop over " + name
                   : "declare it with symbol(), or make an index of it");
    }
    for (Expr operand : part.args()) left.push_back(operand);
  }
}

void BuilderScope::check_number(Expr e, std::string_view what) const {
  check(e, what);
  if (info(e.op()).result != Result::Truth) return;
  refuse<BadInput>("E303", std::string(what) + " is a condition, no number",
                   "give a number, such as p - 1");
}

void BuilderScope::check_condition(Expr e, std::string_view what) const {
  check(e, what);
  if (info(e.op()).result == Result::Truth) return;
  refuse<BadInput>("E303", std::string(what) + " is a number, no condition",
                   "compare with <, <=, >, >= or eq()");
}

void BuilderScope::check(const ValueGraph& values, ValueId v) const {
  std::set<ValueId> seen;
  std::vector<ValueId> left = {v};
  while (!left.empty()) {
    const ValueId next = left.back();
    left.pop_back();
    if (!seen.insert(next).second) continue;
    check_size(seen.size(), "the value");
    const ValueNode& node = values[next];
    if (node.kind == ValueNode::Kind::Index) check(node.index, "the value");
    for (Expr e : node.subscripts) check_number(e, "a subscript");
    left.insert(left.end(), node.operands.begin(), node.operands.end());
  }
}

}  // namespace selvage
