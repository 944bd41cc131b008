// MLIR: simplifyAffineExpr, which knows no ranges, on an index and on both sides of each comparison
// of a predicate. Divisors that are symbols are left out: MLIR 16 crashes on some of them.
#include <mlir/IR/AffineExpr.h>
#include <mlir/IR/MLIRContext.h>

#include <unordered_map>

#include "benchmarks/peers/peer.h"
#include "benchmarks/peers/stopwatch.h"

namespace selvage::peers {

namespace {

using mlir::AffineExpr;
using mlir::AffineExprKind;

class Terms {
 public:
  Terms(mlir::MLIRContext& context, const corpus::Problem& problem)
      : context_(context), parameters_(unsigned(problem.parameters.size())) {
    for (Expr s : problem.symbols) {
      const auto k = unsigned(symbols_.size());
      made_[s.id()] = k < parameters_ ? mlir::getAffineSymbolExpr(k, &context)
                                      : mlir::getAffineDimExpr(k - parameters_, &context);
      symbols_.push_back(s);
    }
  }

  // Simplified; a null one cannot be expressed.
  AffineExpr simplified(Expr e) {
    const AffineExpr affine = make(e);
    if (!affine) return {};
    return mlir::simplifyAffineExpr(affine, unsigned(symbols_.size()) - parameters_, parameters_);
  }

  Expr to_expr(ExprPool& pool, AffineExpr e) const {
    if (const auto dim = e.dyn_cast<mlir::AffineDimExpr>()) {
      return symbols_[parameters_ + dim.getPosition()];
    }
    if (const auto symbol = e.dyn_cast<mlir::AffineSymbolExpr>()) {
      return symbols_[symbol.getPosition()];
    }
    if (const auto constant = e.dyn_cast<mlir::AffineConstantExpr>()) {
      return pool.constant(constant.getValue());
    }
    const auto binary = e.cast<mlir::AffineBinaryOpExpr>();
    const Expr a = to_expr(pool, binary.getLHS()), b = to_expr(pool, binary.getRHS());
    if (e.getKind() == AffineExprKind::Add) return a + b;
    if (e.getKind() == AffineExprKind::Mul) return a * b;
    if (e.getKind() == AffineExprKind::Mod) return a % b;
    if (e.getKind() == AffineExprKind::CeilDiv) return ceil_div(a, b);
    return a / b;
  }

 private:
  AffineExpr make(Expr e) {
    if (const auto known = made_.find(e.id()); known != made_.end()) return known->second;
    return made_[e.id()] = make_new(e);
  }
  AffineExpr make_new(Expr e) {
    if (e.is(Op::Const)) return mlir::getAffineConstantExpr(e.value(), &context_);
    if (e.args().size() != 2) return {};
    const AffineExpr a = make(e[0]), b = make(e[1]);
    if (!a || !b) return {};
    const auto is_constant = [](AffineExpr x) { return x.isa<mlir::AffineConstantExpr>(); };
    const bool divides = e[1].is(Op::Const) && e[1].value() > 0;
    if (e.is(Op::Add)) return a + b;
    if (e.is(Op::Sub)) return a - b;
    if (e.is(Op::Mul) && (is_constant(a) || is_constant(b))) return a * b;
    if (e.is(Op::Div) && divides) return a.floorDiv(b);
    if (e.is(Op::Mod) && divides) return a % b;
    return {};
  }

  mlir::MLIRContext& context_;
  unsigned parameters_;
  std::vector<Expr> symbols_;
  std::unordered_map<std::uint32_t, AffineExpr> made_;
};

class Mlir : public Peer {
 public:
  std::string name() const override { return "MLIR"; }

  Answer simplify(const corpus::Problem& problem) override {
    const Stopwatch time;
    Terms terms(context_, problem);
    std::vector<AffineExpr> parts;  // numbers at the root or under a comparison
    const bool expressed = collect(problem.expression, terms, parts);
    const double nanoseconds = time.nanoseconds();
    if (!expressed) return {std::nullopt, nanoseconds};
    std::size_t next = 0;
    return {rebuild(*problem.pool, problem.expression, terms, parts, next), nanoseconds};
  }

 private:
  using Parts = std::vector<AffineExpr>;

  static bool collect(Expr e, Terms& terms, Parts& parts) {
    if (info(e.op()).result == Result::Truth) {
      for (Expr a : e.args()) {
        if (!collect(a, terms, parts)) return false;
      }
      return true;
    }
    parts.push_back(terms.simplified(e));
    return bool(parts.back());
  }
  static Expr rebuild(ExprPool& pool, Expr e, const Terms& terms, const Parts& parts,
                      std::size_t& next) {
    if (info(e.op()).result == Result::Int) return terms.to_expr(pool, parts[next++]);
    if (e.args().empty()) return e;
    std::vector<Expr> operands;
    for (Expr a : e.args()) operands.push_back(rebuild(pool, a, terms, parts, next));
    return pool.make(e.op(), operands);
  }

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
};

}  // namespace

std::unique_ptr<Peer> make_mlir() { return std::make_unique<Mlir>(); }

}  // namespace selvage::peers
