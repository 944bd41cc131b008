#include <selvage/base/check.h>
#include <selvage/expr/substitute.h>
#include <selvage/expr/symbols.h>
#include <selvage/expr/tape.h>
#include <selvage/index/coordinates.h>
#include <selvage/kernel/ranks.h>
#include <selvage/kernel/statements.h>
#include <selvage/lower/group_fold.h>
#include <selvage/report/obligations.h>

#include <algorithm>
#include <map>
#include <set>

namespace selvage {

namespace {

using Of = Confirmation::Of;

// The same literal, not a number among them.
bool is_same(double a, double b) { return a == b || (a != a && b != b); }

// Walks a kernel down to the store of one tensor, and then, side by side, the value that is stored
// and the tensor's definition: each address and index of the one against the subscripts of the
// other, nothing simplified. What is written otherwise there than it is defined is pointed out.
class KernelObligations {
 public:
  KernelObligations(const TensorReport& tensor, const Program& program, const Kernel& kernel)
      : tensor_(tensor),
        analysis_(tensor.analysis),
        fusion_(tensor.fusion()),
        program_(program),
        kernel_(kernel) {}

  std::vector<Obligation> list() {
    assume_launch(kernel_.condition);
    for (const RowNumber& n : analysis_.rows) {
      around_.push_back(eq(tensor_.graph()[n.rows].row, n.row));
    }
    const std::vector<Expr> contracts = contracts_of_rows(tensor_);
    around_.insert(around_.end(), contracts.begin(), contracts.end());
    find_lanes();
    visit(kernel_.body);
    return std::move(list_);
  }

 private:
  void add(Of of, std::string what, std::vector<Question> questions) {
    list_.push_back({of, std::move(what), tensor_.graph().facts().get(), std::move(questions)});
  }
  void add_equal(std::string what, Expr computed, Expr defined) {
    add(Of::Access, std::move(what), {{around_, eq(computed, defined)}});
    list_.back().simplified = {{around_, defined}};
  }

  // What the host tests of sizes; an address in it may have the name of a loop.
  void assume_launch(Expr condition) {
    if (condition.is(Op::And)) {
      assume_launch(condition[0]);
      return assume_launch(condition[1]);
    }
    const std::vector<Expr>& sizes = fusion_.sizes();
    const auto is_size = [&](Expr e) {
      return std::any_of(sizes.begin(), sizes.end(), [&](Expr s) { return same(s, e); });
    };
    const std::vector<Expr> symbols = symbols_of(condition);
    if (std::all_of(symbols.begin(), symbols.end(), is_size)) around_.push_back(condition);
  }

  // Which buffers of a thread hold elements on their way to the tensor, and from where others come.
  void find_lanes() {
    for_each_statement(kernel_.body, [&](const Statement& s) {
      const auto* define = std::get_if<Define>(&s.node);
      if (define != nullptr && define->read) numbers_.push_back(define);
      const auto* t = std::get_if<Transfer>(&s.node);
      if (t == nullptr) return;
      if (is_target(t->to)) lanes_.insert(t->from);
      if (kernel_.buffers[t->to].memory == Memory::Local) origin_[t->to].push_back(t);
    });
  }
  bool is_of(BufferId b, TensorId t) const {
    const std::optional<TensorPart>& holds = kernel_.buffers[b].holds;
    return holds && holds->tensor == t && holds->is_of_items();
  }
  bool is_target(BufferId b) const { return is_of(b, tensor_.analysis.tensor); }

  void visit(const Body& body) {
    const std::size_t outside = around_.size();
    for (std::size_t i = 0; i < body.size(); ++i) {
      const Statement& s = body[i];
      // A loop that goes on where another has ended.
      const auto* loop = std::get_if<Loop>(&s.node);
      const auto* rest = i + 1 < body.size() ? std::get_if<Loop>(&body[i + 1].node) : nullptr;
      if (loop != nullptr && rest != nullptr && rest->begin.valid() &&
          same(rest->variable, loop->variable) && same(rest->begin, loop->extent)) {
        ends_[loop] = rest->extent;
      }
      std::visit([&](const auto& node) { visit(s, node); }, s.node);
    }
    around_.resize(outside);
  }

  void visit(const Statement&, const Loop& l) { visit(l); }
  void visit(const Statement&, const Define& d) {
    if (!d.read) around_.push_back(eq(d.variable, d.value));
  }
  void visit(const Statement&, const Guard& guard) {
    around_.push_back(guard.condition);
    visit(guard.body);
    around_.back() = !guard.condition;
    visit(guard.otherwise);
    around_.pop_back();
  }
  void visit(const Statement&, const Store& store) {
    if (is_target(store.buffer)) {
      add(store);
    } else if (lanes_.contains(store.buffer)) {
      add_value(store.value);
    }
  }
  void visit(const Statement&, const Transfer& t) {
    if (is_target(t.to)) add(t);
  }
  void visit(const Statement& s, const AsyncCopy& c) {
    const ValueNode& defined = fusion_.values()[*tensor_.tensor().definition];
    const bool is_row = c.is_store && !c.box && !c.atomic && analysis_.vector &&
                        defined.kind == ValueNode::Kind::Read && is_target(c.copy.to);
    if (!is_row) return visit<AsyncCopy>(s, c);
    const Transfer& t = c.copy;
    const Expr v = analysis_.vector->variable;
    const std::size_t outside = around_.size();
    // A piece of the row: its elements are some of the vector's.
    if (!same(t.lane, v)) {
      SELVAGE_CHECK(!loops_.empty() && loops_.back()->parallel == ParallelType::Bulk);
      around_.push_back(eq(v, loops_.back()->variable * t.width + t.lane));
    }
    add(t);
    around_.push_back(ok(t.lane, t.lane.pool().constant(t.width)));
    const Environment indices = indices_at(tensor_.tensor(), *analysis_.coordinates);
    const TensorId source = TensorId(defined.source);
    std::vector<Expr> subscripts;
    for (Expr e : defined.subscripts) subscripts.push_back(substitute(e, indices));
    if (is_of(t.from, source)) {
      add_equal(fusion_[source].name, placed(t.from, t.from_address) + t.lane,
                place_of(source, subscripts));
    } else {
      differ();
    }
    around_.resize(outside);
  }
  // How any other statement that stores there is to be compared is not known.
  template <class Other>
  void visit(const Statement& s, const Other&) {
    const StatementParts parts = parts_of(s);
    for (const StatementAccess& a : parts.accesses) {
      if (writes(a.kind) && is_target(a.buffer)) differ();
    }
    for (const Body* inner : parts.bodies) visit(*inner);
  }

  void visit(const Loop& loop) {
    around_.push_back(ok(loop.variable, loop.extent));
    if (loop.begin.valid()) around_.back() = around_.back() && loop.begin <= loop.variable;
    loops_.push_back(&loop);
    visit(loop.body);
    loops_.pop_back();
    around_.pop_back();
  }

  void add(const Store& store) {
    // The empty state, with which blocks combine theirs, is stored by a kernel of other loops.
    const bool is_empty_state =
        tensor_.schedule->meets_atomically(analysis_.tensor) && !store.atomic;
    if (is_empty_state) return differ();
    for (const Loop* loop : loops_) add(*loop);
    // A thread stores its own row, and not that of the position at which its loops are.
    if (GroupFold::is_one(*tensor_.schedule, tensor_.analysis.tensor)) return differ();
    if (!store.valid.empty()) add_valid(store.valid);
    add(Of::Access, tensor_.name(),
        {{around_, eq(placed(store.buffer, store.address), analysis_.address)}});
    add_value(store.value);
  }

  // Element by element: the lane is the variable of the loop that is bound to Vectorize.
  void add(const Transfer& t) {
    around_.push_back(ok(t.lane, t.lane.pool().constant(t.width)));
    for (const Loop* loop : loops_) add(*loop);
    if (!t.valid.empty()) add_valid(t.valid);
    add(Of::Access, tensor_.name(),
        {{around_, eq(placed(t.to, t.to_address) + t.lane, analysis_.address)}});
    around_.pop_back();
  }

  void add_value(ValueId value) {
    const TensorInfo& info = tensor_.tensor();
    const Environment environment = indices_at(info, *analysis_.coordinates);
    compare(*info.definition, environment, value);
  }

  // Each under those before it, which are confirmed by then: first what the guards test.
  void add_valid(std::vector<Expr> conditions) {
    const auto is_tested = [&](Expr condition) {
      const auto& kept = analysis_.predicates.kept;
      return std::any_of(kept.begin(), kept.end(), [&](const KeptPredicate& p) {
        return same(condition,
                    ok((*analysis_.coordinates)[p.domain], tensor_.graph()[p.domain].extent));
      });
    };
    std::stable_partition(conditions.begin(), conditions.end(), is_tested);
    std::vector<Question> questions;
    std::vector<Expr> known = around_;
    for (Expr condition : conditions) {
      questions.push_back({known, condition});
      known.push_back(condition);
    }
    add(Of::Store, tensor_.name(), std::move(questions));
  }

  void add(const Loop& loop) {
    for (std::size_t i = 0; i < analysis_.loops.size(); ++i) {
      if (!same(analysis_.variables[i], loop.variable)) continue;
      const DomainId d = analysis_.loops[i];
      const auto end = ends_.find(&loop);
      const Expr runs_through =
          tensor_.graph()[d].extent <= (end == ends_.end() ? loop.extent : end->second);
      add(Of::Loop, tensor_.name_of(d), {{{}, runs_through}});
    }
  }

  void compare(ValueId defined, const Environment& environment, ValueId computed) {
    std::vector<std::uint64_t> key = {std::uint64_t(defined), std::uint64_t(computed)};
    for (const auto& [symbol, value] : environment) {
      key.push_back((std::uint64_t(symbol.id()) << 32) | value.id());
    }
    if (!compared_.insert(std::move(key)).second) return;
    const ValueNode& d = fusion_.values()[defined];
    const ValueNode& c = kernel_.values[computed];
    switch (d.kind) {
      case ValueNode::Kind::Constant:
        if (c.kind != d.kind || c.integer != d.integer || !is_same(c.real, d.real)) differ();
        return;
      case ValueNode::Kind::Index:
        if (c.kind != d.kind) return differ();
        return add_equal("an index", c.index, substitute(d.index, environment));
      case ValueNode::Kind::Read: return compare_read(d, environment, computed);
      case ValueNode::Kind::Check:
        // A check that is proved is left out.
        if (c.kind == d.kind) return compare(d.operands[1], environment, c.operands[1]);
        return compare(d.operands[1], environment, computed);
      case ValueNode::Kind::Search: return differ();  // of kernels alone
      case ValueNode::Kind::Apply:
      case ValueNode::Kind::Cast: break;
    }
    const bool is_alike = c.kind == d.kind && c.type == d.type && c.function == d.function &&
                          c.operands.size() == d.operands.size();
    if (!is_alike) return differ();
    for (std::size_t i = 0; i < d.operands.size(); ++i) {
      compare(d.operands[i], environment, c.operands[i]);
    }
  }

  // An address in memory of a block; where a block is one of a cluster, in its own piece.
  Expr placed(BufferId b, Expr address) const {
    const Launch& launch = kernel_.launch;
    if (!has_pieces(kernel_, b)) return address;
    std::vector<Expr> ranks;
    for (const Loop* loop : loops_) {
      if (loop->parallel == ParallelType::TIDz) ranks.push_back(loop->variable);
    }
    return in_own_piece(address, kernel_.buffers[b].piece(launch.ranks()), ranks).value_or(address);
  }
  // The address of an element, as the fusion lays it out or the kernel keeps it.
  Expr place_of(TensorId t, const std::vector<Expr>& subscripts) const {
    Access read{.tensor = t, .subscripts = subscripts};
    const auto source =
        std::find_if(program_.tensors.begin(), program_.tensors.end(),
                     [&](const TensorAnalysis& a) { return a.tensor == t && a.storage; });
    place(read, fusion_, *tensor_.schedule, source == program_.tensors.end() ? nullptr : &*source);
    return read.address;
  }

  // The numbers from memory in some addresses, each once.
  std::vector<const Define*> numbers_in(const std::vector<Expr>& addresses) const {
    const std::vector<Expr> symbols = symbols_of(addresses);
    std::vector<const Define*> list;
    for (const Define* n : numbers_) {
      const auto is_it = [&](const Define* o) { return same(o->variable, n->variable); };
      if (contains(symbols, n->variable) && std::ranges::none_of(list, is_it)) list.push_back(n);
    }
    return list;
  }

  // Takes away the begins of rows that the nest is at, which have one name everywhere.
  void take_rows(ValueNode& read, Environment& environment) const {
    for (std::size_t k = read.loaded.size(); k-- > 0;) {
      const Expr symbol = read.loaded[k].symbol;
      const bool is_row = std::ranges::any_of(analysis_.rows, [&](const RowNumber& n) {
        return same(tensor_.graph()[n.rows].begin, symbol);
      });
      if (!is_row) continue;
      environment.emplace_back(symbol, symbol);
      read.loaded.erase(read.loaded.begin() + std::ptrdiff_t(k));
      read.operands.erase(read.operands.begin() + std::ptrdiff_t(k));
    }
  }

  // Loads: each is a number that the address of the element mentions, in their order.
  void compare_gather(const ValueNode& read, Environment environment, ValueId computed) {
    const ValueNode& c = kernel_.values[computed];
    if (c.kind != ValueNode::Kind::Read) return differ();
    std::vector<Expr> addresses = {c.subscripts[0]};
    if (const auto lanes = origin_.find(c.source); lanes != origin_.end()) {
      for (const Transfer* t : lanes->second) addresses.push_back(t->from_address);
    }
    const std::vector<const Define*> numbers = numbers_in(addresses);
    if (numbers.size() != read.loaded.size()) return differ();
    const std::size_t outside = around_.size(), own = environment.size();
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      const Define& n = *numbers[k];
      const Environment before(environment.begin(), environment.begin() + std::ptrdiff_t(own));
      compare(read.operands[k], before, *n.read);
      environment.emplace_back(read.loaded[k].symbol, n.variable);
      around_.push_back(n.least <= n.variable && n.variable <= n.most);
    }
    ValueNode plain = read;
    plain.loaded.clear();
    plain.operands.clear();  // what fills it is read nowhere, as every subscript is in bounds
    compare_read(plain, environment, computed);
    around_.resize(outside);
  }

  void compare_read(ValueNode read, Environment environment, ValueId computed) {
    take_rows(read, environment);
    if (!read.loaded.empty()) return compare_gather(read, environment, computed);
    if (!read.operands.empty()) return differ();
    const TensorId source = TensorId(read.source);
    const TensorInfo& info = fusion_[source];
    std::vector<Expr> subscripts;
    for (Expr s : read.subscripts) subscripts.push_back(substitute(s, environment));
    if (!info.is_input && tensor_.schedule->is_inlined(source)) {
      return compare(*info.definition, indices_at(info, tensor_.graph(), subscripts), computed);
    }
    const ValueNode& c = kernel_.values[computed];
    if (c.kind != ValueNode::Kind::Read) return differ();
    const Expr address = placed(c.source, c.subscripts[0]),
               defined_address = place_of(source, subscripts);
    const auto lanes = origin_.find(c.source);
    if (lanes == origin_.end()) {
      if (!is_of(c.source, source)) return differ();
      return add_equal(info.name, address, defined_address);
    }
    // The lane lies in one of the accesses that fill the buffer.
    for (const Transfer* t : lanes->second) {
      if (!is_of(t->from, source)) return differ();
      const Expr lane = c.subscripts[0] - t->to_address;
      around_.push_back(ok(lane, lane.pool().constant(t->width)));
      add_equal(info.name, placed(t->from, t->from_address) + lane, defined_address);
      around_.pop_back();
    }
  }

  // The value is built otherwise than its definition: there is nothing to compare with.
  void differ() { add(Of::Access, tensor_.name(), {}); }

  const TensorReport& tensor_;
  const TensorAnalysis& analysis_;
  const Fusion& fusion_;
  const Program& program_;
  const Kernel& kernel_;
  std::vector<Expr> around_;        // what holds where the walk stands
  std::vector<const Loop*> loops_;  // that are open there
  std::map<const Loop*, Expr> ends_;
  std::vector<const Define*> numbers_;  // from memory
  std::set<BufferId> lanes_;
  std::map<BufferId, std::vector<const Transfer*>> origin_;
  std::vector<Obligation> list_;
  std::set<std::vector<std::uint64_t>> compared_;
};

}  // namespace

std::vector<Obligation> kernel_obligations(const TensorReport& tensor, const Program& program,
                                           const Kernel& kernel) {
  return KernelObligations(tensor, program, kernel).list();
}

}  // namespace selvage
