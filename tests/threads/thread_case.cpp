#include "tests/threads/thread_case.h"

#include <algorithm>
#include <stdexcept>

namespace selvage::thread_oracle {

using Op = Term::Op;

TermRef number(std::int64_t value) {
  return std::make_shared<const Term>(Term{.op = Op::Number, .number = value});
}
TermRef variable(int index, std::string name) {
  return std::make_shared<const Term>(
      Term{.op = Op::Variable, .number = index, .name = std::move(name)});
}
TermRef named(std::string name, TermRef meaning) {
  return std::make_shared<const Term>(
      Term{.op = Op::Named, .name = std::move(name), .operands = {std::move(meaning)}});
}
TermRef element(int array, std::string name, std::vector<TermRef> subscripts) {
  return std::make_shared<const Term>(Term{.op = Op::Element,
                                           .number = array,
                                           .name = std::move(name),
                                           .operands = std::move(subscripts)});
}
TermRef make(Op op, TermRef a, TermRef b) {
  Term term{.op = op, .operands = {std::move(a)}};
  if (b) term.operands.push_back(std::move(b));
  return std::make_shared<const Term>(std::move(term));
}

namespace {

// How tightly an operator binds, as in C.
int strength(Op op) {
  switch (op) {
    case Op::Or: return 1;
    case Op::And: return 2;
    case Op::Equal:
    case Op::NotEqual: return 3;
    case Op::Less:
    case Op::LessEqual:
    case Op::Greater:
    case Op::GreaterEqual: return 4;
    case Op::Add:
    case Op::Sub: return 5;
    case Op::Mul:
    case Op::Div:
    case Op::Mod: return 6;
    case Op::Not: return 7;
    case Op::Number:
    case Op::Variable:
    case Op::Named:
    case Op::Element: return 8;
  }
  return 8;
}

std::string sign(Op op, bool as_value) {
  switch (op) {
    case Op::Or: return " || ";
    case Op::And: return " && ";
    case Op::Equal: return " == ";
    case Op::NotEqual: return " != ";
    case Op::Less: return " < ";
    case Op::LessEqual: return " <= ";
    case Op::Greater: return " > ";
    case Op::GreaterEqual: return " >= ";
    case Op::Add: return " + ";
    case Op::Sub: return " - ";
    case Op::Mul: return " * ";
    case Op::Div: return as_value ? " // " : " / ";
    case Op::Mod: return " % ";
    case Op::Not: return "!";
    case Op::Number:
    case Op::Variable:
    case Op::Named:
    case Op::Element: break;
  }
  throw std::logic_error("no operator");
}

}  // namespace

std::string text_of(const TermRef& term, bool as_value) {
  if (term->op == Op::Number) {
    const std::string digits = std::to_string(term->number);
    return term->number < 0 ? "(" + digits + ")" : digits;
  }
  if (term->op == Op::Variable || term->op == Op::Named) return term->name;
  if (term->op == Op::Element) {
    std::string text = term->name + "[";
    for (const TermRef& subscript : term->operands) {
      text += (text.back() == '[' ? "" : ", ") + text_of(subscript, true);
    }
    return text + "]";
  }
  const auto operand = [&](std::size_t k, int least) {
    const std::string text = text_of(term->operands[k], as_value);
    return strength(term->operands[k]->op) < least ? "(" + text + ")" : text;
  };
  const int own = strength(term->op);
  if (term->op == Op::Not) return "!" + operand(0, own);
  return operand(0, own) + sign(term->op, as_value) + operand(1, own + 1);
}

std::int64_t evaluate(const Term& term, const Values& values) {
  const auto at = [&](std::size_t k) { return evaluate(*term.operands[k], values); };
  switch (term.op) {
    case Op::Number: return term.number;
    case Op::Variable: return values[std::size_t(term.number)];
    case Op::Named: return at(0);
    case Op::Element: throw std::logic_error("an element where none is");
    case Op::Add: return at(0) + at(1);
    case Op::Sub: return at(0) - at(1);
    case Op::Mul: return at(0) * at(1);
    case Op::Mod: {
      const std::int64_t d = std::abs(at(1)), r = at(0) % d;
      return r < 0 ? r + d : r;
    }
    case Op::Div: {
      const std::int64_t x = at(0), d = at(1), magnitude = std::abs(d);
      const std::int64_t r = ((x % magnitude) + magnitude) % magnitude;
      return (x - r) / d;
    }
    case Op::Less: return at(0) < at(1);
    case Op::LessEqual: return at(0) <= at(1);
    case Op::Greater: return at(0) > at(1);
    case Op::GreaterEqual: return at(0) >= at(1);
    case Op::Equal: return at(0) == at(1);
    case Op::NotEqual: return at(0) != at(1);
    case Op::Not: return at(0) == 0;
    case Op::And: return at(0) != 0 && at(1) != 0;
    case Op::Or: return at(0) != 0 || at(1) != 0;
  }
  throw std::logic_error("no operator");
}

std::int64_t ArrayOf::size() const {
  std::int64_t n = 1;
  for (std::int64_t extent : shape) n *= extent;
  return n;
}

bool Item::holds_parallel() const {
  return std::any_of(body.begin(), body.end(), [](const Item& item) {
    return item.kind == Kind::Parallel || item.holds_parallel();
  });
}

std::vector<int> ThreadCase::symbols() const {
  std::vector<int> found;
  for (std::size_t v = 0; v < variables.size(); ++v) {
    if (variables[v].kind == Variable::Kind::Symbol) found.push_back(int(v));
  }
  return found;
}

std::vector<std::vector<std::int64_t>> ThreadCase::symbol_values() const {
  std::vector<std::vector<std::int64_t>> all = {{}};
  for (int s : symbols()) {
    std::vector<std::vector<std::int64_t>> longer;
    for (const auto& values : all) {
      for (std::int64_t x = variables[std::size_t(s)].min; x <= variables[std::size_t(s)].max;
           ++x) {
        longer.push_back(values);
        longer.back().push_back(x);
      }
    }
    all = std::move(longer);
  }
  return all;
}

std::int64_t initial_value(int array, std::int64_t element) {
  return (element * 7 + array * 3 + 1) % 23;
}

// ---- the file ----

namespace {

class Writer {
 public:
  explicit Writer(const ThreadCase& program) : case_(program) {}

  std::string file() const {
    std::string text;
    const std::vector<int> symbols = case_.symbols();
    if (!symbols.empty()) text += "symbols:\n";
    for (int s : symbols) {
      const Variable& v = case_.variables[std::size_t(s)];
      text += "  " + v.name + ": {min: " + std::to_string(v.min) +
              ", max: " + std::to_string(v.max) + "}\n";
    }
    text += case_.arrays.empty() ? "" : "arrays:\n";
    for (const ArrayOf& a : case_.arrays) {
      text += "  " + a.name + ": {shape: [";
      for (std::size_t k = 0; k < a.shape.size(); ++k) {
        text += (k == 0 ? "" : ", ") + std::to_string(a.shape[k]);
      }
      text += "], dtype: int32";
      if (a.memory == ArrayOf::Memory::Shared) text += ", memory: shared";
      if (a.memory == ArrayOf::Memory::Local) text += ", memory: local";
      text += "}\n";
    }
    text += "parallel: " + levels(case_.outermost.levels) + "\nbody:\n";
    for (const Item& i : case_.outermost.body) text += "  - " + item(i) + "\n";
    return text;
  }

 private:
  std::string levels(const std::vector<Level>& all) const {
    std::string text;
    for (const Level& level : all) {
      if (level.is_added) continue;
      text += text.empty() ? "{" : ", {";
      if (!level.kind.empty()) text += level.kind + ": [";
      for (std::size_t k = 0; k < level.indices.size(); ++k) {
        const Variable& v = case_.variables[std::size_t(level.indices[k])];
        text += (k == 0 ? "" : ", ") + v.name + ": " + std::to_string(v.extent);
      }
      text += level.kind.empty() ? "}" : "]}";
    }
    return "[" + text + "]";
  }

  std::string body(const std::vector<Item>& items) const {
    std::string text = "do: [";
    for (std::size_t k = 0; k < items.size(); ++k) text += (k == 0 ? "" : ", ") + item(items[k]);
    return text + "]";
  }

  std::string item(const Item& i) const {
    const auto quoted = [](const std::string& text) { return "\"" + text + "\""; };
    switch (i.kind) {
      case Item::Kind::Let: return "{let: {" + i.name + ": " + quoted(text_of(i.term)) + "}}";
      case Item::Kind::Do: return "{" + body(i.body) + "}";
      case Item::Kind::Assign:
        return quoted(text_of(i.target, true) + (i.is_update ? " += " : " = ") +
                      text_of(i.value, true));
      case Item::Kind::InThreads:
        return "{inthreads: {when: " + quoted(text_of(i.term)) +
               (i.is_async ? ", async: true, " : ", ") + body(i.body) + "}}";
      case Item::Kind::For:
        return "{for: {index: " + i.index + (i.extent ? ", in: " + quoted(text_of(i.extent)) : "") +
               (i.term ? ", if: " + quoted(text_of(i.term)) : "") +
               (i.name.empty() ? "" : ", label: " + i.name) + ", " + body(i.body) + "}}";
      case Item::Kind::With: {
        std::string text = "{with: {indices: {";
        for (std::size_t k = 0; k < i.bound.size(); ++k) {
          text +=
              (k == 0 ? "" : ", ") + i.bound[k].first + ": " + std::to_string(i.bound[k].second);
        }
        text += "}, where: {";
        for (std::size_t k = 0; k < i.where.size(); ++k) {
          text += (k == 0 ? "" : ", ") + i.where[k].first + ": " + i.where[k].second;
        }
        return text + "}, " + body(i.body) + "}}";
      }
      case Item::Kind::Parallel:
        return "{parallel: {levels: " + levels(i.levels) + ", " + body(i.body) + "}}";
      case Item::Kind::Sync: return "{sync: " + i.name + "}";
      case Item::Kind::Break: return "{break: " + i.name + "}";
      case Item::Kind::Continue: return "{continue: " + i.name + "}";
    }
    throw std::logic_error("no item");
  }

  const ThreadCase& case_;
};

}  // namespace

std::string ThreadCase::yaml() const { return Writer(*this).file(); }

}  // namespace selvage::thread_oracle
