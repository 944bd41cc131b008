#include "tests/corpus/shrink.h"

#include <selvage/base/diagnostic.h>
#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>

#include <algorithm>
#include <unordered_map>

namespace selvage::corpus {

namespace {

constexpr int kMostQuestions = 5'000;

// e with every occurrence of `from` replaced.
Expr replaced(Expr e, Expr from, Expr to) {
  std::unordered_map<std::uint32_t, Expr> done{{from.id(), to}};
  for (Expr n : reachable({&e, 1}, true)) {
    if (done.count(n.id())) continue;
    std::vector<Expr> operands;
    for (Expr a : n.args()) operands.push_back(done.at(a.id()));
    done[n.id()] = operands.empty() ? n : n.pool().make(n.op(), operands);
  }
  return done.at(e.id());
}

// Numbers from `end` towards v, the last ones close to v: few enough that following them to `end`
// takes some dozens of steps.
std::vector<std::int64_t> nearer(std::int64_t end, std::int64_t v) {
  std::vector<std::int64_t> all;
  for (__int128 distance = __int128{v} - end; distance != 0; distance /= 2) {
    all.push_back(std::int64_t(v - distance));
  }
  // Of two numbers next to each other the positive one is simpler.
  if (end == 0 && v < 0 && v != INT64_MIN) all.push_back(-v);
  return all;
}

// What may stand for n and is simpler.
std::vector<Expr> simpler(Expr n) {
  const Result result = info(n.op()).result;
  std::vector<Expr> all;
  if (n.is(Op::Bool)) return all;
  if (result == Result::Truth) all = {n.pool().truth(true), n.pool().truth(false)};
  if (n.is(Op::Const)) {
    for (const std::int64_t less : nearer(0, n.value())) all.push_back(n.pool().constant(less));
    return all;
  }
  for (Expr a : n.args()) {
    if (info(a.op()).result == result) all.push_back(a);
  }
  if (result == Result::Int) all.push_back(n.pool().constant(1));
  return all;
}

// The text with one part made simpler, in every way.
std::vector<std::string> simpler_texts(const std::string& text) {
  ExprPool pool;
  const Expr e = parse_expr(pool, text);
  std::vector<Expr> nodes = reachable({&e, 1}, true);
  std::reverse(nodes.begin(), nodes.end());  // the largest parts first
  std::vector<std::string> texts;
  for (Expr n : nodes) {
    for (Expr s : simpler(n)) texts.push_back(to_string(replaced(e, n, s)));
  }
  return texts;
}

template <class T>
std::vector<T> without(std::vector<T> list, std::size_t k) {
  list.erase(list.begin() + std::ptrdiff_t(k));
  return list;
}

std::vector<Line> simpler_lines(const Line& line) {
  std::vector<Line> lines;
  const auto add = [&](auto change) {
    lines.push_back(line);
    change(lines.back());
  };
  if (!line.guard.empty()) add([](Line& l) { l.guard.clear(); });
  for (std::size_t k = 0; k < line.loops.size(); ++k) {
    add([k](Line& l) { l.loops = without(l.loops, k); });
  }
  for (std::size_t k = 0; k < line.parameters.size(); ++k) {
    add([k](Line& l) { l.parameters = without(l.parameters, k); });
  }
  for (const std::string& text : simpler_texts(line.expression)) {
    add([&](Line& l) { l.expression = text; });
  }
  if (!line.guard.empty()) {
    for (const std::string& text : simpler_texts(line.guard)) {
      add([&](Line& l) { l.guard = text; });
    }
  }
  for (std::size_t k = 0; k < line.loops.size(); ++k) {
    for (const std::string& text : simpler_texts(line.loops[k].second)) {
      add([&](Line& l) { l.loops[k].second = text; });
    }
  }
  for (std::size_t k = 0; k < line.parameters.size(); ++k) {
    const auto [name, lo, hi] = line.parameters[k];
    for (const std::int64_t less : nearer(lo, hi)) {
      add([&](Line& l) { l.parameters[k].hi = less; });
    }
  }
  return lines;
}

// Whether all names are declared before they are used and every loop may run.
bool is_readable(const Line& line) {
  ExprPool pool;
  std::vector<std::string> known;
  const auto resolve = [&](std::string_view name) {
    const bool is_known = std::find(known.begin(), known.end(), name) != known.end();
    return is_known ? pool.symbol(name) : Expr();
  };
  try {
    for (const Line::Parameter& p : line.parameters) known.push_back(p.name);
    for (const auto& [name, extent] : line.loops) {
      const Expr n = parse_expr(pool, extent, resolve);
      if (n.is(Op::Const) && n.value() < 1) return false;
      known.push_back(name);
    }
    parse_expr(pool, line.expression, resolve);
    if (!line.guard.empty()) parse_expr(pool, line.guard, resolve);
  } catch (const BadInput&) {
    return false;
  }
  return true;
}

}  // namespace

Line shrink(Line line, const std::function<bool(const Line&)>& fails) {
  int left = kMostQuestions;
  for (bool shrunk = true; shrunk;) {
    shrunk = false;
    for (const Line& candidate : simpler_lines(line)) {
      if (--left < 0) return line;
      if (!is_readable(candidate) || !fails(candidate)) continue;
      line = candidate;
      shrunk = true;
      break;
    }
  }
  return line;
}

}  // namespace selvage::corpus
