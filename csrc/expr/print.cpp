#include <selvage/base/check.h>
#include <selvage/expr/text.h>

namespace selvage {

namespace {

class Printer {
 public:
  Printer(const LetNames* lets, std::size_t limit) : lets_(lets), limit_(limit) {}

  // Writes e where an operator of precedence `outer` surrounds it.
  void print(Expr e, int outer) {
    if (text_.size() > limit_) return;
    switch (e.op()) {
      case Op::Const: text_ += std::to_string(e.value()); return;
      case Op::Bool: text_ += e.value() ? "true" : "false"; return;
      case Op::Symbol: text_ += e.name(); return;
      case Op::Let: return print_let(e, outer);
      case Op::Load: return print_list(e, std::string(e.name()) + "[", "]");
      case Op::Call: return print_list(e, std::string(e.name()) + "(", ")");
      case Op::Min:
      case Op::Max:
      case Op::Select: return print_list(e, std::string(info(e.op()).text) + "(", ")");
      case Op::Not: return print_not(e);
      case Op::Add:
      case Op::Sub:
      case Op::Mul:
      case Op::Div:
      case Op::Mod:
      case Op::Xor:
      case Op::Lt:
      case Op::Le:
      case Op::Eq:
      case Op::And:
      case Op::Or: return print_infix(e, info(e.op()).text, outer);
    }
  }

  std::string take() { return std::move(text_); }

 private:
  void print_let(Expr e, int outer) {
    if (lets_ != nullptr) {
      if (const auto it = lets_->find(e.id()); it != lets_->end()) {
        text_ += it->second;
        return;
      }
    }
    print(e[0], outer);
  }
  void print_list(Expr e, const std::string& open, const char* close) {
    text_ += open;
    for (std::size_t i = 0; i < e.args().size(); ++i) {
      if (i > 0) text_ += ", ";
      print(e[i], 0);
    }
    text_ += close;
  }
  void print_not(Expr e) {
    if (e[0].is(Op::Eq)) return print_infix_always(e[0], "!=");
    text_ += "!";
    print(e[0], info(Op::Not).precedence);
  }
  void print_infix_always(Expr e, const char* text) {
    text_ += "(";
    print(e[0], info(e.op()).precedence);
    text_ += std::string(" ") + text + " ";
    print(e[1], info(e.op()).precedence + 1);
    text_ += ")";
  }
  void print_infix(Expr e, const char* text, int outer) {
    const int own = info(e.op()).precedence;
    // The value is the same whichever operand a chain of && and || groups first, but the handle is
    // not: the right operand needs parentheses where the left would not.
    const bool parentheses = own < outer || e.is(Op::Xor);
    if (parentheses) text_ += "(";
    print(e[0], own);
    text_ += std::string(" ") + text + " ";
    print(e[1], own + 1);
    if (parentheses) text_ += ")";
  }

  const LetNames* lets_;
  std::size_t limit_;
  std::string text_;
};

}  // namespace

std::string to_string(Expr e, const LetNames* lets) {
  SELVAGE_CHECK(e.valid());
  Printer printer(lets, std::string::npos - 1);
  printer.print(e, 0);
  return printer.take();
}

std::size_t text_length(Expr e, std::size_t limit, const LetNames* lets) {
  Printer printer(lets, limit);
  printer.print(e, 0);
  return printer.take().size();
}

namespace {

std::string smt_list(const std::string& head, Expr e) {
  std::string text = "(" + head;
  for (Expr a : e.args()) text += " " + to_smt(a);
  return text + ")";
}

std::string smt_integer(std::int64_t v) {
  if (v >= 0) return std::to_string(v);
  return "(- " + std::to_string(v).substr(1) + ")";
}

}  // namespace

std::string to_smt(Expr e) {
  switch (e.op()) {
    case Op::Const: return smt_integer(e.value());
    case Op::Bool: return e.value() ? "true" : "false";
    case Op::Symbol: return std::string(e.name());
    case Op::Let: return to_smt(e[0]);
    case Op::Min:
      return "(ite (<= " + to_smt(e[0]) + " " + to_smt(e[1]) + ") " + to_smt(e[0]) + " " +
             to_smt(e[1]) + ")";
    case Op::Max:
      return "(ite (<= " + to_smt(e[0]) + " " + to_smt(e[1]) + ") " + to_smt(e[1]) + " " +
             to_smt(e[0]) + ")";
    case Op::Load:
    case Op::Call:
      return e.args().empty() ? std::string(e.name()) : smt_list(std::string(e.name()), e);
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::Div:
    case Op::Mod:
    case Op::Xor:
    case Op::Select:
    case Op::Lt:
    case Op::Le:
    case Op::Eq:
    case Op::Not:
    case Op::And:
    case Op::Or: return smt_list(info(e.op()).smt, e);
  }
  return {};
}

}  // namespace selvage
