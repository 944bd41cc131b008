#include <selvage/expr/substitute.h>
#include <selvage/expr/symbols.h>
#include <selvage/expr/text.h>
#include <selvage/legality/decide.h>
#include <selvage/legality/hoist.h>
#include <selvage/legality/mend_read.h>

#include <algorithm>
#include <optional>

namespace selvage {

namespace {

constexpr std::size_t kMostMultiples = 8;  // that are tried

// Whether the facts hold for some sizes at all.
bool are_possible(const Facts& facts) {
  return is_refuted(decide(facts, facts.pool().truth(false)));
}

bool mends(const OpenRead& open, Expr fact) {
  Facts facts = open.here;
  facts.assume(fact);
  return Simplifier(facts).proves(open.claim) && are_possible(facts);
}

struct Multiple {
  Expr size;
  std::int64_t of;
};

// Sizes that the claim divides by numbers which are not known to divide them.
std::vector<Multiple> multiples_in(const OpenRead& open) {
  std::vector<Multiple> list;
  std::vector<Expr> roots = relations(*open.fusion.facts());
  roots.insert(roots.begin(), open.claim);
  for (Expr part : reachable(roots, true)) {
    if (!part.is(Op::Div) && !part.is(Op::Mod)) continue;
    if (!part[1].is(Op::Const) || part[1].value() < 2) continue;
    for (Expr size : symbols_of(part)) {
      const auto is_it = [&](const Multiple& m) {
        return same(m.size, size) && m.of == part[1].value();
      };
      const bool is_new = std::none_of(list.begin(), list.end(), is_it);
      if (contains(open.fusion.sizes(), size) && is_new) list.push_back({size, part[1].value()});
    }
  }
  if (list.size() > kMostMultiples) list.resize(kMostMultiples);
  return list;
}

std::optional<std::string> by_a_multiple(const OpenRead& open) {
  for (const Multiple& m : multiples_in(open)) {
    if (!mends(open, eq(m.size % m.of, 0))) continue;
    const std::string size = to_string(m.size), of = std::to_string(m.of);
    return "say that " + size + " is a multiple of " + of + ": " + size + ": {multiple_of: " + of +
           "} under symbols, or assume(eq(" + size + " % " + of + ", 0))";
  }
  return std::nullopt;
}

// The relation of sizes under which the subscript is in bounds wherever the reader's indices are.
std::optional<std::string> by_a_relation(const OpenRead& open) {
  if (!open.reader.root.empty()) return std::nullopt;
  Facts facts = *open.fusion.facts();
  std::vector<Expr> indices;
  for (const auto& [index, extent] : own_indices(open.reader, open.graph)) {
    facts.loop(index, extent);
    indices.push_back(index);
  }
  const Expr extent = open.graph[open.fusion[TensorId(open.read.source)].logical[open.axis]].extent;
  const Expr subscript = open.read.subscripts[open.axis];
  Simplifier ranges(facts);
  const Expr fact = hoist(0 <= subscript && subscript < extent, indices, ranges).condition;
  if (fact.is_true() || fact.is_false() || !uses_only(fact, open.fusion.sizes())) {
    return std::nullopt;
  }
  Facts more = facts;
  more.assume(fact);
  const bool is_enough = Simplifier(more).proves(0 <= subscript && subscript < extent);
  if (!is_enough || !are_possible(more)) return std::nullopt;
  return "say that " + to_string(fact) + ": under facts in a file, assume() in C++";
}

}  // namespace

std::vector<std::pair<Expr, Expr>> own_indices(const TensorInfo& reader, const DomainGraph& graph) {
  std::vector<std::pair<Expr, Expr>> own;
  for (std::size_t k = 0; k < reader.indices.size(); ++k) {
    own.emplace_back(reader.indices[k], graph[definition_domain(reader)[k]].extent);
  }
  for (std::size_t k = 0; reader.fold && k < reader.fold->indices.size(); ++k) {
    own.emplace_back(reader.fold->indices[k], graph[reader.fold->domains[k]].extent);
  }
  return own;
}

std::string load_text(const Fusion& fusion, ValueId index, const Environment& names) {
  std::vector<ValueId> open = {index};
  while (!open.empty()) {
    const ValueNode& node = fusion.values()[open.back()];
    open.pop_back();
    if (node.kind != ValueNode::Kind::Read) {
      open.insert(open.end(), node.operands.rbegin(), node.operands.rend());
      continue;
    }
    Environment all = names;
    for (std::size_t k = 0; k < node.loaded.size(); ++k) {
      const std::string own = load_text(fusion, node.operands[k], names);
      all.emplace_back(node.loaded[k].symbol, fusion.pool().symbol(own));
    }
    std::string text;
    for (Expr s : node.subscripts) {
      text += (text.empty() ? "" : ", ") + to_string(substitute(s, all));
    }
    return fusion[TensorId(node.source)].name + "[" + text + "]";
  }
  return "at";
}

std::string mend_read(const OpenRead& open) {
  // The names of a statement are those of its iterdomains.
  Environment names;
  const std::vector<DomainId>& domains = definition_domain(open.reader);
  for (std::size_t k = 0; k < open.reader.indices.size(); ++k) {
    names.emplace_back(open.reader.indices[k],
                       open.fusion.pool().symbol(open.graph[domains[k]].name));
  }
  std::string load;  // the subscript in question, if it is one
  for (std::size_t k = 0; k < open.read.loaded.size(); ++k) {
    const std::string text = load_text(open.fusion, open.read.operands[k], names);
    if (same(open.read.loaded[k].symbol, open.read.subscripts[open.axis])) load = text;
    names.emplace_back(open.read.loaded[k].symbol, open.fusion.pool().symbol(text));
  }
  std::string element = open.fusion[TensorId(open.read.source)].name + "[";
  for (std::size_t k = 0; k < open.read.subscripts.size(); ++k) {
    element += (k > 0 ? ", " : "") + to_string(substitute(open.read.subscripts[k], names));
  }
  const std::string filled = "read fill(" + element + "], 0), which is 0 out of bounds";
  if (!load.empty()) {
    return "read at clamped(" + load + "), or at unchecked(" + load +
           ") if that is never out of bounds; or " + filled;
  }
  std::optional<std::string> help = by_a_multiple(open);
  if (!help) help = by_a_relation(open);
  return help ? *help + "; or " + filled : filled;
}

}  // namespace selvage
