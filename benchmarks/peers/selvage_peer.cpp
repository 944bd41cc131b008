#include <selvage/expr/tape.h>
#include <selvage/simplifier/simplifier.h>

#include <unordered_map>

#include "benchmarks/peers/peer.h"
#include "benchmarks/peers/stopwatch.h"

namespace selvage::peers {

namespace {

// Copies expressions into another pool, each shared part once.
class Copy {
 public:
  explicit Copy(ExprPool& pool) : pool_(pool) {}

  Expr operator()(Expr e) {
    for (Expr n : reachable({&e, 1}, true)) {
      Expr& made = made_[n.id()];
      if (made.valid()) continue;
      if (n.is(Op::Const)) made = pool_.constant(n.value());
      if (n.is(Op::Bool)) made = pool_.truth(n.value() != 0);
      if (n.is(Op::Symbol)) made = pool_.symbol(n.name());
      if (made.valid()) continue;
      std::vector<Expr> operands;
      for (Expr a : n.args()) operands.push_back(made_.at(a.id()));
      made = pool_.make(n.op(), operands);
    }
    return made_.at(e.id());
  }

 private:
  ExprPool& pool_;
  std::unordered_map<std::uint32_t, Expr> made_;
};

class Selvage : public Peer {
 public:
  std::string name() const override { return "Selvage"; }

  Answer simplify(const corpus::Problem& problem) override {
    ExprPool pool;
    Facts facts(pool);
    const Stopwatch time;
    Copy copy(pool);
    std::size_t k = 0;
    for (const auto& p : problem.parameters) {
      facts.bound(copy(problem.symbols[k++]), pool.constant(p.lo), pool.constant(p.hi));
    }
    for (Expr extent : problem.extents) {
      const Expr n = copy(extent);
      facts.loop(copy(problem.symbols[k++]), n);
    }
    if (problem.guard.valid()) facts.assume(copy(problem.guard));
    const Expr e = copy(problem.expression);
    const Expr simple = Simplifier(std::move(facts)).simplify(e);
    const double nanoseconds = time.nanoseconds();
    return {Copy(*problem.pool)(simple), nanoseconds};
  }
};

}  // namespace

std::unique_ptr<Peer> make_selvage() { return std::make_unique<Selvage>(); }

}  // namespace selvage::peers
