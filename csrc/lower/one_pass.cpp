#include <selvage/expr/substitute.h>
#include <selvage/kernel/statements.h>
#include <selvage/lower/body.h>
#include <selvage/lower/one_pass.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace selvage {

namespace {

bool are_same(Expr a, Expr b) { return a.valid() == b.valid() && (!a.valid() || same(a, b)); }

std::vector<Expr> defined_in(const Body& body) {
  std::vector<Expr> variables;
  for_each_statement(body, [&](const Statement& s) {
    if (const auto* define = std::get_if<Define>(&s.node)) variables.push_back(define->variable);
  });
  return variables;
}

// `names`: what loop variables of the second body are called in the first.
bool are_alike(const Statement& a, const Statement& b, const Environment& names) {
  const auto* loop = std::get_if<Loop>(&a.node);
  const auto* other = std::get_if<Loop>(&b.node);
  if (loop != nullptr && other != nullptr) {
    return loop->parallel == other->parallel && same(loop->extent, other->extent) &&
           are_same(loop->begin, other->begin);
  }
  const auto* guard = std::get_if<Guard>(&a.node);
  const auto* test = std::get_if<Guard>(&b.node);
  return guard != nullptr && test != nullptr &&
         same(guard->condition, substitute(test->condition, names));
}

std::vector<std::size_t> compound(const Body& body) {
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < body.size(); ++k) {
    if (bodies(body[k]).size() > 0) places.push_back(k);
  }
  return places;
}

Body as_one(Body first, Body second, Environment names, const Kernel& kernel);

Statement as_one(Statement a, Statement b, Environment names, const Kernel& kernel) {
  if (auto* guard = std::get_if<Guard>(&a.node)) {
    auto& other = std::get<Guard>(b.node);
    guard->body = as_one(std::move(guard->body), std::move(other.body), names, kernel);
    guard->otherwise =
        as_one(std::move(guard->otherwise), std::move(other.otherwise), names, kernel);
    return a;
  }
  auto& loop = std::get<Loop>(a.node);
  auto& other = std::get<Loop>(b.node);
  if (!same(loop.variable, other.variable)) {
    names.emplace_back(other.variable, loop.variable);
    other.body.insert(other.body.begin(), {Define{other.variable, loop.variable}});
  }
  loop.body = as_one(std::move(loop.body), std::move(other.body), std::move(names), kernel);
  return a;
}

// The buffers in global memory that are read within a statement.
std::set<BufferId> read_in(const Statement& s, const Kernel& kernel) {
  std::set<BufferId> buffers;
  const auto add = [&](const Statement& each) {
    for_each_access(each, kernel.values, [&](const StatementAccess& a) {
      const bool is_global = kernel.buffers[a.buffer].memory == Memory::Global;
      if (is_global && a.kind == AccessKind::Read) buffers.insert(a.buffer);
    });
  };
  add(s);
  for (const Body* inner : bodies(s)) for_each_statement(*inner, add);
  return buffers;
}

// Which loops and guards of two bodies become one: pairs that are alike, in the order of both, that
// read the most in common.
std::vector<std::pair<std::size_t, std::size_t>> pairs_of(const Body& first, const Body& second,
                                                          const Environment& names,
                                                          const Kernel& kernel) {
  const std::vector<std::size_t> a = compound(first), b = compound(second);
  std::vector<std::set<BufferId>> read_by_first, read_by_second;
  for (std::size_t k : a) read_by_first.push_back(read_in(first[k], kernel));
  for (std::size_t k : b) read_by_second.push_back(read_in(second[k], kernel));
  const auto worth = [&](std::size_t i, std::size_t j) {
    constexpr std::size_t kOfBuffer = 100;
    std::size_t n = 1;
    for (BufferId buffer : read_by_first[i]) n += kOfBuffer * read_by_second[j].count(buffer);
    return n;
  };
  // most[i][j]: what the pairs are worth of what stands from a[i] and b[j] on.
  std::vector most(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  const auto paired = [&](std::size_t i, std::size_t j) -> std::size_t {
    if (!are_alike(first[a[i]], second[b[j]], names)) return 0;
    return most[i + 1][j + 1] + worth(i, j);
  };
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      most[i][j] = std::max({most[i + 1][j], most[i][j + 1], paired(i, j)});
    }
  }
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (most[i][j] == most[i + 1][j]) {
      ++i;
    } else if (most[i][j] == most[i][j + 1]) {
      ++j;
    } else {
      pairs.emplace_back(a[i++], b[j++]);
    }
  }
  return pairs;
}

Body as_one(Body first, Body second, Environment names, const Kernel& kernel) {
  Body result;
  std::size_t i = 0, j = 0;
  for (const auto& [a, b] : pairs_of(first, second, names, kernel)) {
    while (i < a) result.push_back(std::move(first[i++]));
    while (j < b) result.push_back(std::move(second[j++]));
    result.push_back(as_one(std::move(first[i++]), std::move(second[j++]), names, kernel));
  }
  while (i < first.size()) result.push_back(std::move(first[i++]));
  while (j < second.size()) result.push_back(std::move(second[j++]));
  return result;
}

// Loads of elements side by side that stand one behind the other.
class SharedLoads {
 public:
  explicit SharedLoads(Kernel& kernel) : kernel_(kernel) {}

  // Where every load into some lanes finds the same elements in other lanes already, these are read
  // in their place.
  void share(Body& body) {
    find(body, {});
    std::erase_if(same_as_, [&](const auto& lanes) { return own_.contains(lanes.first); });
    if (same_as_.empty()) return;
    drop(body);
    for (std::size_t v = 0; v < kernel_.values.size(); ++v) {
      ValueNode node = kernel_.values[ValueId(v)];
      if (node.kind != ValueNode::Kind::Read || !same_as_.contains(node.source)) continue;
      node.source = same_as_.at(node.source);
      kernel_.values.replace(ValueId(v), std::move(node));
    }
  }

 private:
  // `own_`: lanes with a load of their own, or that are stored to.
  void find(const Body& body, Environment names) {
    std::vector<const Transfer*> loads;
    for (const Statement& s : body) {
      const auto* define = std::get_if<Define>(&s.node);
      if (define != nullptr && define->value.valid() && define->value.is(Op::Symbol)) {
        names.emplace_back(define->variable, substitute(define->value, names));
      }
      const auto* load = std::get_if<Transfer>(&s.node);
      for (const StatementAccess& access : parts_of(s).accesses) {
        if (load == nullptr && writes(access.kind)) own_.insert(access.buffer);
      }
      if (load != nullptr) {
        const auto earlier = std::ranges::find_if(loads, [&](const Transfer* other) {
          return are_of_same_elements(*load, *other, names);
        });
        const bool is_shared = earlier != loads.end() && is_common((*earlier)->to, load->to);
        if (!is_shared) own_.insert(load->to);
        if (is_shared) continue;
        std::erase_if(loads, [&](const Transfer* other) { return other->to == load->to; });
        loads.push_back(load);
      }
      for (const Body* inner : bodies(s)) find(*inner, names);
    }
  }
  bool is_common(BufferId lanes, BufferId other) {
    return same_as_.try_emplace(other, lanes).first->second == lanes;
  }
  bool are_of_same_elements(const Transfer& a, const Transfer& b, const Environment& names) const {
    const Buffer& from = kernel_.buffers[a.from];
    const auto is_lanes = [&](BufferId id) {
      const Buffer& to = kernel_.buffers[id];
      return to.memory == Memory::Local && !to.holds && to.elements.is_const(a.width);
    };
    return a.from == b.from && a.to != b.to && a.width == b.width && !from.is_written &&
           from.memory == Memory::Global && is_lanes(a.to) && is_lanes(b.to) &&
           same(substitute(a.from_address, names), substitute(b.from_address, names));
  }
  void drop(Body& body) {
    std::erase_if(body, [&](const Statement& s) {
      const auto* load = std::get_if<Transfer>(&s.node);
      return load != nullptr && same_as_.contains(load->to);
    });
    for (Statement& s : body) {
      for (Body* inner : bodies(s)) drop(*inner);
    }
  }

  Kernel& kernel_;
  std::map<BufferId, BufferId> same_as_;
  std::set<BufferId> own_;
};

}  // namespace

Body in_one_pass(Body first, Body second, Kernel& kernel) {
  // A variable that both define may stand for two values.
  const std::vector<Expr> own = defined_in(first);
  const bool is_clear = std::ranges::none_of(defined_in(second), [&](Expr v) {
    return std::ranges::any_of(own, [&](Expr u) { return same(u, v); });
  });
  if (!is_clear) {
    append(first, std::move(second));
    return first;
  }
  Body body = as_one(std::move(first), std::move(second), {}, kernel);
  SharedLoads(kernel).share(body);
  return body;
}

}  // namespace selvage
