#include <selvage/expr/text.h>
#include <selvage/ir/function_text.h>
#include <selvage/ir/identity.h>
#include <selvage/ir/reads.h>
#include <selvage/kernel/print.h>
#include <selvage/kernel/statements.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>

namespace selvage {

namespace {

constexpr int kDeepestIndent = 40;  // levels: past that, a nest is no easier to read for more

// Writes the statements of a body, one line each.
class Printer {
 public:
  explicit Printer(const Kernel& kernel) : kernel_(kernel) {}

  void print(const Body& body, int depth) {
    for (const Statement& statement : body) {
      const std::size_t place = line_of_.size();
      line_of_.push_back(lines_.size());
      std::visit([&](const auto& s) { print(s, depth); }, statement.node);
      // Parts of a value come before the line of the statement.
      if (bodies(statement).size() == 0) line_of_[place] = lines_.size() - 1;
    }
  }
  NestLines take() { return {std::move(lines_), std::move(line_of_)}; }

 private:
  struct Formula {
    std::string text;
    int precedence;
  };

  void line(int depth, const std::string& text) {
    lines_.push_back(std::string(2 * std::size_t(std::min(depth, kDeepestIndent)), ' ') + text);
  }

  void print(const Loop& loop, int depth) {
    const std::string range =
        (loop.begin.valid() ? to_string(loop.begin) + ".." : "") + to_string(loop.extent);
    const std::string header = to_string(loop.variable) + " in " + range;
    const bool is_rank = kernel_.launch.is_cluster && loop.parallel == ParallelType::TIDz;
    const ParallelType p = is_rank ? ParallelType::CIDx : loop.parallel;
    const bool at_once = is_index(p) || p == ParallelType::DIDx;
    const std::string how = p == ParallelType::Serial ? "" : " (" + std::string(to_string(p)) + ")";
    line(depth, (at_once ? "parallel " : "for ") + header + how);
    print(loop.body, depth + 1);
  }
  void print(const Define& define, int depth) {
    const std::string name = to_string(define.variable) + " = ";
    if (!define.read) return line(depth, name + to_string(define.value));
    const std::string value = written(*define.read, depth);
    line(depth, name + value + ", " + to_string(define.least) + " to " + to_string(define.most));
  }
  void print(const Guard& guard, int depth) {
    const std::string remark = guard.remark.empty() ? "" : "  // " + guard.remark;
    line(depth, "if (" + to_string(guard.condition) + ")" + remark);
    print(guard.body, depth + 1);
    if (guard.otherwise.empty()) return;
    line(depth, "else");
    print(guard.otherwise, depth + 1);
  }
  void print(const Transfer& t, int depth) { line(depth, moved(t)); }
  std::string moved(const Transfer& t, std::optional<Function> atomic = {}) const {
    const std::string to = elements(t.to, t.to_address, t.width),
                      from = elements(t.from, t.from_address, t.width);
    return to + " = " + (atomic ? combined(*atomic, to, from) : from);
  }
  // What an atomic store leaves of both: a + b, or min(a, b).
  static std::string combined(Function f, const std::string& a, const std::string& b) {
    const std::string sign(info(f).text);
    return precedence(f) == kCall ? sign + "(" + a + ", " + b + ")" : a + " " + sign + " " + b;
  }
  void print(const AsyncCopy& c, int depth) {
    const std::string announced = c.announces ? ", announced" : "";
    const std::string atomically = c.atomic ? "atomic " : "";
    line(depth, "begin " + atomically + (c.box ? box(c) : moved(c.copy, c.atomic)) +
                    (c.object ? " for " + element(*c.object) : "") + announced +
                    (c.by_rank.valid() ? ", in all ranks by rank " + to_string(c.by_rank) : ""));
  }
  // xs[0 .. +512] = box of x at (32*i, 16*j); box of y at (32*i, 16*j) = box + ys[0 .. +512].
  std::string box(const AsyncCopy& c) const {
    std::string corner;
    for (Expr e : c.box->corner) corner += (corner.empty() ? "" : ", ") + to_string(e);
    const Transfer& t = c.copy;
    const auto of = [&](BufferId b) {
      return "box of " + kernel_.buffers[b].name + " at (" + corner + ")";
    };
    if (!c.is_store) return elements(t.to, t.to_address, t.width) + " = " + of(t.from);
    const std::string from = elements(t.from, t.from_address, t.width);
    return of(t.to) + " = " + (c.atomic ? combined(*c.atomic, "box", from) : from);
  }
  void print(const Arrive& arrive, int depth) {
    if (!arrive.object) {
      return line(depth, std::string("end the group of ") + queue(arrive.queue));
    }
    const std::string bytes = arrive.bytes.valid() ? ", " + to_string(arrive.bytes) + " bytes" : "";
    const char* when = arrive.of_copies ? ", when copies have ended" : "";
    line(depth, "arrive at " + element(*arrive.object) + bytes + when);
  }
  void print(const Wait& wait, int depth) {
    if (wait.object) {
      return line(depth, "wait for " + element(*wait.object) +
                             (wait.by_parity ? ", parity " : ", phase ") + to_string(wait.phase));
    }
    const std::string but = fmt::format(" but the last {} groups", wait.pending);
    line(depth, std::string("wait for ") + queue(wait.queue) + (wait.pending == 0 ? "" : but));
  }
  static const char* queue(ThreadQueue queue) {
    switch (queue) {
      case ThreadQueue::Copies: return "copies";
      case ThreadQueue::Stores: return "stores";
      case ThreadQueue::Products: break;
    }
    return "multiplications";
  }
  // begin acc += as[0 .. +1024] * bs[0 .. +1024], 64 x 64 x 16
  void print(const Mma& m, int depth) {
    const std::int64_t of_a = m.is_a_shared ? Mma::kRows * m.depth : m.a_of_a_thread();
    line(depth, fmt::format("begin {} += {} * {}, {} x {} x {}",
                            elements(m.sums, m.sums_address, m.sums_of_a_thread()),
                            elements(m.a, m.a_address, of_a),
                            elements(m.b, m.b_address, m.columns * m.depth), Mma::kRows, m.columns,
                            m.depth));
  }
  void print(const ProxyFence&, int depth) { line(depth, "proxy fence"); }
  void print(const Region& region, int depth) {
    line(depth,
         fmt::format("region {} (threads {:#010x}){}", region.role, fmt::join(region.members, " "),
                     region.registers > 0 ? fmt::format(", {} registers", region.registers) : ""));
    print(region.body, depth + 1);
  }
  void print(const LastBlock& last, int depth) {
    line(depth, "by the last block");
    print(last.body, depth + 1);
  }
  void print(const While& loop, int depth) {
    const std::string condition = written(loop.condition, depth);
    line(depth, "for " + to_string(loop.variable) + " while " + condition);
    print(loop.body, depth + 1);
  }
  void print(const Barrier& barrier, int depth) {
    switch (barrier.scope) {
      case Barrier::Scope::Block:
        return line(depth, kernel_.launch.is_cluster ? "barrier (cluster)" : "barrier");
      case Barrier::Scope::Warp:
        return line(depth, barrier.is_partial()
                               ? fmt::format("barrier (warp, lanes {:#010x})", barrier.lanes)
                               : "barrier (warp)");
      case Barrier::Scope::Rank: return line(depth, "barrier");
      case Barrier::Scope::Warpgroup: return line(depth, "barrier (warpgroup)");
      case Barrier::Scope::Threads: break;
    }
    line(depth,
         fmt::format("barrier {} (threads {:#010x})", barrier.id, fmt::join(barrier.members, " ")));
  }
  void print(const Leave& leave, int depth) {
    line(depth, (leave.is_next ? "continue " : "break ") + to_string(leave.loop));
  }
  void print(const Shuffle& s, int depth) {
    line(depth, element(s.to, s.to_address) + " = " + element(s.from, s.from_address) +
                    " of lane ^ " + std::to_string(s.mask));
  }
  void print(const Store& store, int depth) {
    const std::string value = written(store.value, depth);
    const std::string to = element(store.buffer, store.address);
    if (!store.atomic) return line(depth, to + " = " + value);
    const int own = precedence(*store.atomic);
    const std::string with = own == kCall ? value : inside(store.value, own + 1);
    line(depth, "atomic " + to + " = " + combined(*store.atomic, to, with));
  }
  // A value; what is used more than once in it gets a line of its own before.
  std::string written(ValueId value, int depth) {
    const std::vector<ValueId> nodes = values_under(kernel_.values, value);
    std::unordered_map<std::uint32_t, int> uses;
    for (ValueId v : nodes) {
      for (ValueId operand : kernel_.values[v].operands) ++uses[std::uint32_t(operand)];
    }
    int named = 0;
    formulas_.clear();
    for (ValueId v : nodes) {
      Formula f = formula(kernel_.values[v]);
      if (uses[std::uint32_t(v)] > 1 && !kernel_.values[v].operands.empty()) {
        const std::string name = "v" + std::to_string(named++);
        line(depth, name + " = " + f.text);
        f = {name, kCall};
      }
      formulas_[std::uint32_t(v)] = std::move(f);
    }
    return inside(value, 0);
  }

  std::string element(const BarrierObject& object) const {
    return element(object.buffer, object.address);
  }

  std::string element(BufferId buffer, Expr address) const {
    return kernel_.buffers[buffer].name + "[" + to_string(address) + "]";
  }
  // Several at once: y[t0 .. +4]; all of the lanes are named by their buffer alone.
  std::string elements(BufferId buffer, Expr address, std::int64_t width) const {
    const Buffer& b = kernel_.buffers[buffer];
    if (address.is_const(0) && b.elements.is_const(width)) return b.name;
    return b.name + "[" + to_string(address) + " .. +" + std::to_string(width) + "]";
  }
  // The text of an operand where an operator of precedence `outer` surrounds it.
  std::string inside(ValueId v, int outer) const {
    const Formula& f = formulas_.at(std::uint32_t(v));
    return f.precedence < outer ? "(" + f.text + ")" : f.text;
  }

  Formula formula(const ValueNode& node) const {
    switch (node.kind) {
      case ValueNode::Kind::Constant: return constant(node);
      case ValueNode::Kind::Index: return {to_string(node.index), index_precedence(node.index)};
      case ValueNode::Kind::Read: return {element(node.source, node.subscripts[0]), kCall};
      case ValueNode::Kind::Cast: return call(std::string(to_string(node.type)), node);
      case ValueNode::Kind::Apply: return apply(node);
      case ValueNode::Kind::Search:
        return {"search(" + kernel_.buffers[node.source].name + ", " +
                    to_string(node.subscripts[0]) + ", " + to_string(node.subscripts[1]) + ", " +
                    inside(node.operands[0], 0) +
                    (node.integer == 0 ? "" : ", " + std::to_string(node.integer)) + ")",
                kCall};
      case ValueNode::Kind::Check:
        return {"check(" + inside(node.operands[0], 0) + ", " + inside(node.operands[1], 0) + ")",
                kCall};
    }
    return {};
  }
  static int index_precedence(Expr e) {
    return e.is(Op::Xor) ? kCall : info(e.op()).precedence;  // `^` brings its own parentheses
  }
  static Formula constant(const ValueNode& node) {
    std::string text = to_text(value_of(node));
    return {text, text[0] == '-' ? info(Op::Not).precedence : kCall};
  }

  Formula call(const std::string& name, const ValueNode& node) const {
    std::string text = name + "(";
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
      text += (i > 0 ? ", " : "") + inside(node.operands[i], 0);
    }
    return {text + ")", kCall};
  }
  Formula apply(const ValueNode& node) const {
    const std::string sign(info(node.function).text);
    const int own = precedence(node.function);
    if (own == kCall) return call(sign, node);
    if (node.function == Function::Neg) return {"-" + inside(node.operands[0], own + 1), own};
    if (node.function == Function::Not) return {"!" + inside(node.operands[0], own), own};
    return {inside(node.operands[0], own) + " " + sign + " " + inside(node.operands[1], own + 1),
            own};
  }

  const Kernel& kernel_;
  std::vector<std::string> lines_;
  std::vector<std::size_t> line_of_;
  std::unordered_map<std::uint32_t, Formula> formulas_;  // of the store being printed
};

}  // namespace

NestLines nest_lines(const Kernel& kernel) {
  Printer printer(kernel);
  printer.print(kernel.body, 0);
  return printer.take();
}

std::string loop_nest(const Kernel& kernel) {
  std::string text;
  for (const std::string& line : nest_lines(kernel).lines) text += line + "\n";
  return text;
}

}  // namespace selvage
