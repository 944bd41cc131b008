// isl: a set of the values that the facts allow, gist under it, and the expression that its code
// generator would write. Every symbol is a parameter of isl. It cannot express a product or a
// division of symbols.
#include <isl/cpp.h>

#include <unordered_map>

#include "benchmarks/peers/peer.h"
#include "benchmarks/peers/stopwatch.h"

namespace selvage::peers {

namespace {

constexpr unsigned long kMostOperations = 20'000'000;  // of isl, for one expression: seconds

struct NotExpressible {};

// Our expressions as isl's terms. Throws NotExpressible.
class Terms {
 public:
  Terms(isl::ctx ctx, const corpus::Problem& problem)
      : ctx_(ctx), everything_(with_parameters(isl::space::unit(ctx), problem).universe_set()) {}

  // The values that the facts allow.
  isl::set context(const corpus::Problem& problem) {
    isl::set all = everything_;
    std::size_t k = 0;
    for (const auto& p : problem.parameters) {
      const isl::pw_aff symbol = number(problem.symbols[k++]);
      all = all.intersect(constant(p.lo).le_set(symbol)).intersect(symbol.le_set(constant(p.hi)));
    }
    for (Expr extent : problem.extents) {
      const isl::pw_aff symbol = number(problem.symbols[k++]);
      all = all.intersect(constant(0).le_set(symbol)).intersect(symbol.lt_set(number(extent)));
    }
    return problem.guard.valid() ? all.intersect(truth(problem.guard)) : all;
  }

  isl::pw_aff number(Expr e) {
    if (const auto known = numbers_.find(e.id()); known != numbers_.end()) return known->second;
    return numbers_[e.id()] = make_number(e);
  }

  isl::set truth(Expr e) {
    if (e.is(Op::Bool)) return e.is_true() ? everything_ : everything_.complement();
    if (e.is(Op::Lt)) return number(e[0]).lt_set(number(e[1]));
    if (e.is(Op::Le)) return number(e[0]).le_set(number(e[1]));
    if (e.is(Op::Eq)) return number(e[0]).eq_set(number(e[1]));
    if (e.is(Op::Not)) return truth(e[0]).complement();
    if (e.is(Op::And)) return truth(e[0]).intersect(truth(e[1]));
    if (e.is(Op::Or)) return truth(e[0]).unite(truth(e[1]));
    throw NotExpressible();
  }

 private:
  static isl::space with_parameters(isl::space space, const corpus::Problem& problem) {
    for (Expr s : problem.symbols) space = space.add_param(std::string(s.name()));
    return space;
  }
  isl::pw_aff constant(std::int64_t n) const {
    return isl::manage(isl_pw_aff_val_on_domain(everything_.copy(), value(n).release()));
  }
  isl::val value(std::int64_t n) const { return isl::val(ctx_, long(n)); }

  isl::pw_aff make_number(Expr e) {
    if (e.is(Op::Const)) return constant(e.value());
    if (e.is(Op::Symbol)) {
      return isl::pw_aff::param_on_domain(everything_, isl::id(ctx_, std::string(e.name())));
    }
    if (e.is(Op::Div)) return number(e[0]).div(constant(divisor(e[1]))).floor();
    if (e.is(Op::Mod)) return number(e[0]).mod(value(divisor(e[1])));
    if (e.args().size() != 2) throw NotExpressible();
    const isl::pw_aff a = number(e[0]), b = number(e[1]);
    if (e.is(Op::Add)) return a.add(b);
    if (e.is(Op::Sub)) return a.sub(b);
    if (e.is(Op::Min)) return a.min(b);
    if (e.is(Op::Max)) return a.max(b);
    if (!e.is(Op::Mul)) throw NotExpressible();
    if (!isl_pw_aff_is_cst(a.get()) && !isl_pw_aff_is_cst(b.get())) throw NotExpressible();
    return a.mul(b);
  }
  static std::int64_t divisor(Expr e) {
    if (!e.is(Op::Const) || e.value() < 1) throw NotExpressible();
    return e.value();
  }

  isl::ctx ctx_;
  isl::set everything_;
  std::unordered_map<std::uint32_t, isl::pw_aff> numbers_;
};

// isl's syntax tree as one of our expressions; all its divisors are positive numbers.
Expr to_expr(ExprPool& pool, const isl::ast_expr& tree);

Expr to_expr(ExprPool& pool, const isl::ast_expr_op& tree) {
  std::vector<Expr> a;
  const int operands = isl_ast_expr_get_op_n_arg(tree.get());
  for (int k = 0; k < operands; ++k) a.push_back(to_expr(pool, tree.arg(k)));
  const auto fold = [&](Op op) {
    Expr all = a.front();
    for (std::size_t k = 1; k < a.size(); ++k) all = pool.make(op, all, a[k]);
    return all;
  };
  switch (isl_ast_expr_get_op_type(tree.get())) {
    case isl_ast_expr_op_and:
    case isl_ast_expr_op_and_then: return fold(Op::And);
    case isl_ast_expr_op_or:
    case isl_ast_expr_op_or_else: return fold(Op::Or);
    case isl_ast_expr_op_max: return fold(Op::Max);
    case isl_ast_expr_op_min: return fold(Op::Min);
    case isl_ast_expr_op_minus: return 0 - a[0];
    case isl_ast_expr_op_add: return a[0] + a[1];
    case isl_ast_expr_op_sub: return a[0] - a[1];
    case isl_ast_expr_op_mul: return a[0] * a[1];
    case isl_ast_expr_op_div:
    case isl_ast_expr_op_fdiv_q:
    case isl_ast_expr_op_pdiv_q: return a[0] / a[1];
    case isl_ast_expr_op_pdiv_r:
    case isl_ast_expr_op_zdiv_r: return a[0] % a[1];
    case isl_ast_expr_op_cond:
    case isl_ast_expr_op_select: return select(a[0], a[1], a[2]);
    case isl_ast_expr_op_eq: return eq(a[0], a[1]);
    case isl_ast_expr_op_le: return a[0] <= a[1];
    case isl_ast_expr_op_lt: return a[0] < a[1];
    case isl_ast_expr_op_ge: return a[1] <= a[0];
    case isl_ast_expr_op_gt: return a[1] < a[0];
    case isl_ast_expr_op_error:
    case isl_ast_expr_op_call:
    case isl_ast_expr_op_access:
    case isl_ast_expr_op_member:
    case isl_ast_expr_op_address_of: break;
  }
  throw NotExpressible();
}

Expr to_expr(ExprPool& pool, const isl::ast_expr& tree) {
  if (tree.isa<isl::ast_expr_op>()) return to_expr(pool, tree.as<isl::ast_expr_op>());
  if (tree.isa<isl::ast_expr_id>()) return pool.symbol(tree.as<isl::ast_expr_id>().id().name());
  return pool.constant(tree.as<isl::ast_expr_int>().val().num_si());
}

class Isl : public Peer {
 public:
  Isl() : ctx_(isl_ctx_alloc()) {}
  ~Isl() override { isl_ctx_free(ctx_); }
  Isl(const Isl&) = delete;
  Isl& operator=(const Isl&) = delete;

  std::string name() const override { return "isl"; }

  Answer simplify(const corpus::Problem& problem) override {
    isl_ctx_reset_operations(ctx_);
    isl_ctx_set_max_operations(ctx_, kMostOperations);
    Answer answer;
    const Stopwatch time;
    try {
      const isl::ast_expr tree = syntax_tree(problem);
      answer.nanoseconds = time.nanoseconds();
      answer.expression = to_expr(*problem.pool, tree);
      // A truth that it has decided is written as a number.
      const bool is_truth = info(problem.expression.op()).result == Result::Truth;
      if (is_truth && answer.expression->is(Op::Const)) {
        answer.expression = problem.pool->truth(answer.expression->value() != 0);
      }
    } catch (const NotExpressible&) {
      answer.nanoseconds = time.nanoseconds();
    } catch (const isl::exception&) {  // out of operations
      answer.nanoseconds = time.nanoseconds();
      isl_ctx_reset_error(ctx_);
    }
    return answer;
  }

 private:
  isl::ast_expr syntax_tree(const corpus::Problem& problem) const {
    Terms terms(isl::ctx(ctx_), problem);
    const isl::set context = terms.context(problem);
    const isl::ast_build build = isl::ast_build::from_context(context);
    if (info(problem.expression.op()).result == Result::Truth) {
      return build.expr_from(terms.truth(problem.expression).gist(context));
    }
    return build.expr_from(terms.number(problem.expression).gist(context));
  }

  isl_ctx* ctx_;
};

}  // namespace

std::unique_ptr<Peer> make_isl() { return std::make_unique<Isl>(); }

}  // namespace selvage::peers
