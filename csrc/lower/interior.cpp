#include <selvage/expr/substitute.h>
#include <selvage/expr/tape.h>
#include <selvage/kernel/statements.h>
#include <selvage/lower/body.h>
#include <selvage/lower/interior.h>
#include <selvage/lower/peel.h>

#include <algorithm>

namespace selvage {

namespace {

// What the variables of Defines around stand for.
using Definitions = Environment;

class Interiors {
 public:
  Interiors(const Kernel& kernel, Simplifier& ranges) : kernel_(kernel), ranges_(ranges) {}

  double cut(Body& body, Definitions known) {
    double share = 0;
    Body result;
    for (Statement& s : body) {
      add_definition(s, known);
      auto* loop = std::get_if<Loop>(&s.node);
      const std::int64_t end = loop == nullptr ? 0 : interior_end(*loop, known);
      if (end > 0) {
        share = double(end) / double(loop->extent.value());
        append(result, in_two(std::move(*loop), end, known));
        continue;
      }
      for (Body* inner : bodies(s)) share = std::max(share, cut(*inner, known));
      result.push_back(std::move(s));
    }
    body = std::move(result);
    return share;
  }

 private:
  static void add_definition(const Statement& s, Definitions& known) {
    const auto* define = std::get_if<Define>(&s.node);
    if (define == nullptr || !define->value.valid()) return;
    known.emplace_back(define->variable, written_out(define->value, known));
  }

  // The first iterations that need none of the checks which depend on the loop's variable; 0 where
  // there are none, or no others.
  std::int64_t interior_end(const Loop& loop, const Definitions& known) {
    if (loop.begin.valid() || !loop.extent.is(Op::Const) || !is_unrolled(loop, known)) return 0;
    const std::int64_t extent = loop.extent.value();
    const std::int64_t end = least_end(loop.body, loop, known);
    return end < extent ? end : 0;
  }

  // Whether it, or a loop in it, is unrolled, be it as registers have no addresses.
  bool is_unrolled(const Loop& loop, const Definitions& known) const {
    if (loop.parallel == ParallelType::Unroll) return true;
    return loop.parallel == ParallelType::Serial &&
           (chooses_registers(loop.body, loop.variable, known) || has_unrolled(loop.body));
  }
  static bool has_unrolled(const Body& body) {
    bool found = false;
    for_each_statement(body, [&](const Statement& s) {
      const auto* inner = std::get_if<Loop>(&s.node);
      found = found || (inner != nullptr && inner->parallel == ParallelType::Unroll);
    });
    return found;
  }
  bool chooses_registers(const Body& body, Expr variable, Definitions known) const {
    bool found = false;
    for (const Statement& s : body) {
      add_definition(s, known);
      for_each_access(s, kernel_.values, [&](const StatementAccess& a) {
        const bool is_in_registers = kernel_.buffers[a.buffer].memory == Memory::Local;
        found = found || (is_in_registers && depends(written_out(a.address, known), variable));
      });
      for (const Body* inner : bodies(s)) {
        found = found || chooses_registers(*inner, variable, known);
      }
    }
    return found;
  }

  std::int64_t least_end(const Body& body, const Loop& loop, Definitions known) {
    std::int64_t end = loop.extent.value();
    for (const Statement& s : body) {
      add_definition(s, known);
      if (const auto* guard = std::get_if<Guard>(&s.node)) {
        end = std::min(end, end_of_check(written_out(guard->condition, known), loop));
      }
      for (const Body* inner : bodies(s)) end = std::min(end, least_end(*inner, loop, known));
    }
    return end;
  }

  std::int64_t end_of_check(Expr condition, const Loop& loop) {
    if (condition.is(Op::And)) {
      return std::min(end_of_check(condition[0], loop), end_of_check(condition[1], loop));
    }
    if (!depends(condition, loop.variable)) return loop.extent.value();
    const auto end = end_of_interior(condition, loop.variable, loop.extent, ranges_);
    if (!end) return 0;
    const Interval range = ranges_.interval(*end);
    return range.has_lo() ? range.lo : 0;
  }

  static bool depends(Expr e, Expr variable) {
    return std::ranges::any_of(symbols_of(e), [&](Expr s) { return same(s, variable); });
  }

  Body in_two(Loop loop, std::int64_t end, const Definitions& known) {
    Loop rest = loop;
    rest.begin = ranges_.pool().constant(end);
    loop.body = without_checks(std::move(loop.body), loop.variable, known);
    loop.extent = rest.begin;
    cut(loop.body, known);
    Facts facts = ranges_.facts();
    facts.bound(rest.variable, rest.begin, {});
    Simplifier ranges(std::move(facts));
    Interiors of_rest(kernel_, ranges);
    of_rest.drop_refuted(rest.body, known);
    of_rest.cut(rest.body, known);
    Body body = body_of(std::move(loop));
    body.push_back({std::move(rest)});
    return body;
  }

  // Guards that hold in no iteration leave what stands otherwise.
  void drop_refuted(Body& body, Definitions known) {
    Body result;
    for (Statement& s : body) {
      add_definition(s, known);
      auto* guard = std::get_if<Guard>(&s.node);
      const bool is_refuted =
          guard != nullptr && ranges_.proves(!written_out(guard->condition, known));
      if (is_refuted) guard->body.clear();
      for (Body* inner : bodies(s)) drop_refuted(*inner, known);
      if (is_refuted) {
        append(result, std::move(guard->otherwise));
      } else {
        result.push_back(std::move(s));
      }
    }
    body = std::move(result);
  }

  // What is left of a condition without the conjuncts that depend on the variable.
  static Expr others(Expr condition, Expr variable, const Definitions& known) {
    if (!condition.is(Op::And)) {
      const bool is_proved = depends(written_out(condition, known), variable);
      return is_proved ? condition.pool().truth(true) : condition;
    }
    const Expr first = others(condition[0], variable, known);
    const Expr second = others(condition[1], variable, known);
    if (same(first, condition[0]) && same(second, condition[1])) return condition;
    return first.is_true() ? second : second.is_true() ? first : first && second;
  }

  static Body without_checks(Body body, Expr variable, Definitions known) {
    Body result;
    for (Statement& s : body) {
      add_definition(s, known);
      for (Body* inner : bodies(s)) *inner = without_checks(std::move(*inner), variable, known);
      auto* guard = std::get_if<Guard>(&s.node);
      const Expr rest = guard == nullptr ? Expr() : others(guard->condition, variable, known);
      if (guard == nullptr || same(rest, guard->condition)) {
        result.push_back(std::move(s));
      } else if (rest.is_true()) {
        append(result, std::move(guard->body));
      } else {
        guard->condition = rest;
        result.push_back(std::move(s));
      }
    }
    return result;
  }

  const Kernel& kernel_;
  Simplifier& ranges_;
};

}  // namespace

double cut_interiors(Body& body, const Kernel& kernel, Simplifier& ranges) {
  return Interiors(kernel, ranges).cut(body, {});
}

}  // namespace selvage
