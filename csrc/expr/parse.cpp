#include <selvage/base/diagnostic.h>
#include <selvage/base/names.h>
#include <selvage/expr/text.h>

#include <charconv>
#include <optional>

namespace selvage {

namespace {

constexpr int kDeepest = 64;

// Two-character operators first, so that `<=` is not read as `<`.
constexpr std::string_view kSigns[] = {"<=", ">=", "==", "!=", "&&", "||", "+", "-", "*", "/",
                                       "%",  "^",  "<",  ">",  "!",  "(",  ")", "[", "]", ","};

struct InfixSign {
  std::string_view text;
  Op op;
  bool swapped = false;  // a > b is b < a
  bool negated = false;  // a != b is !(a == b)
};
constexpr InfixSign kInfix[] = {{"+", Op::Add},      {"-", Op::Sub},
                                {"*", Op::Mul},      {"/", Op::Div},
                                {"%", Op::Mod},      {"^", Op::Xor},
                                {"<", Op::Lt},       {"<=", Op::Le},
                                {">", Op::Lt, true}, {">=", Op::Le, true},
                                {"==", Op::Eq},      {"&&", Op::And},
                                {"||", Op::Or},      {"!=", Op::Eq, false, true}};

class Parser {
 public:
  Parser(ExprPool& pool, std::string_view text, const Resolver& resolve)
      : pool_(pool), text_(text), resolve_(resolve) {
    advance();
  }

  Expr parse_all() {
    const Expr e = parse(0);
    if (!token_.empty()) fail("unexpected '" + std::string(token_) + "'");
    return e;
  }

 private:
  [[noreturn]] void fail(const std::string& what, const char* code = "E301",
                         const std::string& help =
                             "write an integer expression with + - * / % min "
                             "max ceilDiv, e.g. \"ceilDiv(N, 4) * 2\"") {
    throw BadInput(
        {.code = code,
         .place = {"", 1, int(start_) + 1},
         .message = what + " in expression '" + std::string(first_characters(text_, 80)) + "'",
         .help = help});
  }

  void advance() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    start_ = at_;
    if (at_ == text_.size()) {
      token_ = {};
      return;
    }
    if (is_letter(text_[at_])) {
      while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    } else if (is_digit(text_[at_])) {
      while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    } else {
      if (text_.substr(at_, 2) == "//") {
        fail("unexpected '//'", "E301", "write /, which divides integers in an expression");
      }
      for (std::string_view sign : kSigns) {
        if (text_.substr(at_, sign.size()) == sign) {
          at_ += sign.size();
          break;
        }
      }
      if (at_ == start_) {
        const auto byte = static_cast<unsigned char>(text_[at_]);
        fail(byte < 0x20 || byte >= 0x7f ? "unexpected character"
                                         : "unexpected '" + std::string(1, text_[at_]) + "'");
      }
    }
    token_ = text_.substr(start_, at_ - start_);
  }

  void expect(std::string_view sign) {
    if (token_ != sign) {
      fail("expected '" + std::string(sign) + "'" +
           (token_.empty() ? " at the end" : " before '" + std::string(token_) + "'"));
    }
    advance();
  }

  // e, written from `where` on, as an operand of the wanted kind.
  Expr typed(Expr e, Result wanted, std::size_t where) {
    if (info(e.op()).result != wanted && !e.is(Op::Let)) {
      start_ = where;
      if (wanted == Result::Int) {
        fail("a comparison stands where an integer is expected", "E303",
             "write a number there; a comparison stands for none");
      }
      fail("an integer stands where a comparison is expected", "E303",
           "compare with <, <=, >, >=, == or !=");
    }
    return e;
  }

  // Precedence climbing: everything that binds at least as tightly as `least`.
  Expr parse(int least) {
    if (++depth_ > kDeepest) fail("nested too deeply (more than 64 levels)");
    const std::size_t where = start_;
    Expr left = parse_prefix();
    for (const InfixSign* sign; (sign = find_infix()) != nullptr;) {
      const int own = info(sign->op).precedence;
      if (own < least) break;
      const Result operands =
          info(sign->op).precedence <= info(Op::And).precedence ? Result::Truth : Result::Int;
      typed(left, operands, where);
      advance();
      const Expr right = parse_typed(own + 1, operands);
      left = sign->swapped ? pool_.make(sign->op, right, left) : pool_.make(sign->op, left, right);
      if (sign->negated) left = !left;
    }
    --depth_;
    return left;
  }

  Expr parse_typed(int least, Result wanted) {
    const std::size_t where = start_;
    return typed(parse(least), wanted, where);
  }

  const InfixSign* find_infix() const {
    for (const InfixSign& sign : kInfix) {
      if (sign.text == token_) return &sign;
    }
    return nullptr;
  }

  Expr parse_prefix() {
    if (token_.empty()) fail("something is missing at the end");
    if (token_ == "(") {
      advance();
      const Expr e = parse(0);
      expect(")");
      return e;
    }
    if (token_ == "-") {
      advance();
      if (!token_.empty() && is_digit(token_[0])) return parse_integer("-");
      return pool_.constant(0) - parse_typed(info(Op::Mul).precedence + 1, Result::Int);
    }
    if (token_ == "!") {
      advance();
      return !parse_typed(info(Op::Not).precedence, Result::Truth);
    }
    if (is_digit(token_[0])) return parse_integer("");
    if (is_letter(token_[0])) return parse_name();
    fail("unexpected '" + std::string(token_) + "'");
  }

  Expr parse_integer(const std::string& sign) {
    const std::string digits = sign + std::string(token_);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error == std::errc::result_out_of_range) {
      fail("integer " + digits + " does not fit in 64 bits", "E108", "use a smaller integer");
    }
    if (end != digits.data() + digits.size()) fail("'" + digits + "' is not an integer");
    advance();
    return pool_.constant(value);
  }

  Expr parse_name() {
    const std::string name(token_);
    const std::size_t where = start_;
    advance();
    if (name == "true" || name == "false") return pool_.truth(name == "true");
    if (token_ == "[") return pool_.load(name, parse_operands("]", Result::Int));
    if (token_ == "(") return parse_call(name, where);
    const Expr e = resolve_(name);
    if (!e.valid()) {
      start_ = where;
      fail("unknown name '" + name + "'", "E302",
           "declare it under symbols, or use a name that is declared");
    }
    return e;
  }

  Expr parse_call(const std::string& name, std::size_t where) {
    const bool select = name == "select";
    const std::vector<Expr> args = parse_operands(")", select ? Result::Truth : Result::Int);
    if (select) {
      check_arity(name, args, 3, where);
      return pool_.make(Op::Select, args);
    }
    if (name == "min" || name == "max") {
      check_arity(name, args, 2, where);
      return pool_.make(name == "min" ? Op::Min : Op::Max, args);
    }
    if (name == "ceilDiv") {
      check_arity(name, args, 2, where);
      // With a constant divisor d, d - 1 is a constant, too, so that nothing is left to fold.
      if (args[1].is(Op::Const) && args[1].value() > 0) {
        return (args[0] + (args[1].value() - 1)) / args[1];
      }
      return ceil_div(args[0], args[1]);
    }
    return pool_.call(name, args);
  }

  void check_arity(const std::string& name, const std::vector<Expr>& args, std::size_t n,
                   std::size_t where) {
    if (args.size() != n) {
      start_ = where;
      fail("'" + name + "' takes " + std::to_string(n) + " operands, not " +
           std::to_string(args.size()));
    }
  }

  // Operands up to `close`: the first of the kind `first`, the others integers.
  std::vector<Expr> parse_operands(std::string_view close, Result first) {
    std::vector<Expr> operands;
    advance();
    if (token_ != close) {
      operands.push_back(parse_typed(0, first));
      while (token_ == ",") {
        advance();
        operands.push_back(parse_typed(0, Result::Int));
      }
    }
    expect(close);
    return operands;
  }

  ExprPool& pool_;
  std::string_view text_;
  const Resolver& resolve_;
  std::size_t at_ = 0;
  std::size_t start_ = 0;  // of the current token
  std::string_view token_;
  int depth_ = 0;
};

}  // namespace

Expr parse_expr(ExprPool& pool, std::string_view text, const Resolver& resolve) {
  return Parser(pool, text, resolve).parse_all();
}

Expr parse_expr(ExprPool& pool, std::string_view text) {
  return parse_expr(pool, text, [&pool](std::string_view name) { return pool.symbol(name); });
}

}  // namespace selvage
