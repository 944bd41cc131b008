#include <selvage/base/names.h>
#include <selvage/base/words.h>
#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/frontend/file_form.h>
#include <selvage/frontend/readers.h>
#include <selvage/frontend/schedule_file.h>
#include <selvage/frontend/symbols.h>
#include <selvage/ir/mend_sizes.h>

#include <algorithm>

namespace selvage {

namespace {

constexpr std::int64_t kLargestExtent = std::int64_t{1} << 62;

Place command_line() { return {"--size", 0, 0}; }

}  // namespace

FileSymbols::Symbol& FileSymbols::add(const std::string& name, const Place& place) {
  check_count(std::int64_t(symbols_.size()) + 1, kMostSymbols, place, "symbols");
  positions_[name] = symbols_.size();
  symbols_.push_back({.name = name, .place = place});
  return symbols_.back();
}

const FileSymbols::Symbol* FileSymbols::find(std::string_view name) const {
  const auto it = positions_.find(std::string(name));
  return it == positions_.end() ? nullptr : &symbols_[it->second];
}

void FileSymbols::check_no_symbol(std::string_view name, const Place& place,
                                  const std::string& what) const {
  const Symbol* symbol = find(name);
  if (symbol == nullptr) return;
  refuse("E204", place, what + " has the name of a symbol", "rename one of the two",
         {"the symbol is declared at " + to_text(symbol->place)});
}

std::vector<std::string_view> FileSymbols::names() const {
  return words_of(symbols_, &Symbol::name);
}

std::map<std::string, std::int64_t> FileSymbols::values() const {
  std::map<std::string, std::int64_t> values;
  for (const Symbol& s : symbols_) {
    if (s.value) values[s.name] = *s.value;
  }
  for (const std::string& name : used_) values[name] = given_.at(name);
  return values;
}

Expr FileSymbols::resolve(ExprPool& pool, std::string_view name) const {
  const Symbol* s = find(name);
  if (s == nullptr) return {};
  resolved_.insert(s->name);
  return s->is_fixed() ? pool.constant(*s->value) : pool.symbol(name);
}

void FileSymbols::set_value(Symbol& s, std::int64_t value, const Place& place) {
  const std::string what = "the value " + std::to_string(value) + " of " + s.name;
  if (value < s.min) {
    const bool may_be_default = value == 0 && s.min <= 1;
    refuse("E310", place, what + " is below its min " + std::to_string(s.min),
           may_be_default ? "min is 1 by default; a size that may be 0 is declared so: symbols: {" +
                                s.name + ": {min: 0}}"
                          : "give it a larger value, or a smaller min");
  }
  if (s.max && value > *s.max) {
    refuse("E310", place, what + " is above its max " + std::to_string(*s.max),
           "give it a smaller value, or a larger max");
  }
  if (value % s.multiple_of != 0) {
    refuse("E310", place, what + " is no multiple of " + std::to_string(s.multiple_of),
           "give it a value that multiple_of divides");
  }
  s.value = value;
}

bool FileSymbols::take_given(Symbol& s) {
  const auto given = given_.find(s.name);
  if (given == given_.end()) return false;
  if (used_.insert(s.name).second) set_value(s, given->second, command_line());
  return true;
}

void FileSymbols::read_symbols(const Node& node) {
  for (const Entry& entry : expect_map(node, "symbols")) {
    errors_.attempt([&] {
      const std::string what = "symbols: " + key_as_name(entry);
      Symbol& s = add(entry.key, entry.place);
      // A bare `N:` declares N, as `N: {}` does.
      const Node& facts = entry.value;
      if (facts.is_nothing()) {
        take_given(s);
        return;
      }
      expect_map(facts, what, Form::Symbol, &errors_);
      const auto read = [&](const char* key, std::int64_t least, auto use) {
        read_key(facts, key, errors_, [&](const Node& value) {
          use(as_integer_of(value, what + "." + key, least, INT64_MAX));
        });
      };
      read("min", 0, [&](std::int64_t v) { s.min = v; });
      read("max", 0, [&](std::int64_t v) { s.max = v; });
      read("multiple_of", 1, [&](std::int64_t v) { s.multiple_of = v; });
      // A max that contradicts min or multiple_of is dropped, so that it is reported only once.
      const std::optional<std::int64_t> max = s.max;
      if (max && *max / s.multiple_of * s.multiple_of < s.min) s.max.reset();
      if (max && *max < s.min) {
        refuse("E310", facts.find("max")->place,
               "no value of " + s.name + " is at least " + std::to_string(s.min) + " and at most " +
                   std::to_string(*max),
               "give it a max that is not below its min; min is 1 by default");
      }
      if (max && !s.max) {
        refuse("E310", facts.find("max")->place,
               "no value of " + s.name + " from " + std::to_string(s.min) + " to " +
                   std::to_string(*max) + " is a multiple of " + std::to_string(s.multiple_of),
               "give it a larger max");
      }
      if (take_given(s)) return;
      read("value", 0, [&](std::int64_t v) { set_value(s, v, facts.find("value")->place); });
    });
  }
}

void FileSymbols::read_sizes(const Node& node) {
  for (const Entry& entry : expect_map(node, "sizes")) {
    errors_.attempt([&] {
      const std::string& name = key_as_name(entry);
      const auto it = positions_.find(name);
      Symbol& s = it == positions_.end() ? add(name, entry.place) : symbols_[it->second];
      const std::int64_t value = as_integer_of(entry.value, "sizes: " + name, 0, INT64_MAX);
      if (it == positions_.end()) only_sizes_.push_back(name);
      if (!take_given(s)) set_value(s, value, entry.value.place);
    });
  }
}

void FileSymbols::declare(const Node& node, std::int64_t min) {
  if (const auto wrong = check_name(node.text, node.place)) throw BadInput(*wrong);
  Symbol& symbol = add(node.text, node.place);
  symbol.min = min;
  take_given(symbol);
}

std::optional<std::int64_t> FileSymbols::stride_value(const std::string& name) {
  const auto given = given_.find(name);
  if (given == given_.end()) return std::nullopt;
  used_.insert(name);
  if (given->second < 1) {
    refuse("E305", command_line(), name + " is " + std::to_string(given->second),
           "a stride is at least 1");
  }
  return given->second;
}

void FileSymbols::check_all_used() {
  for (const auto& [name, value] : given_) {
    if (used_.count(name)) continue;
    errors_.attempt([&] {
      refuse("E205", command_line(), "the file has no size " + shown(name),
             meant(name, names(),
                   symbols_.empty() ? "leave it out: there are none"
                                    : "one of " + joined(symbols_, &Symbol::name)));
    });
  }
}

std::vector<Diagnostic> FileSymbols::warn_of_unused() const {
  std::vector<Diagnostic> warnings;
  for (const std::string& name : only_sizes_) {
    if (resolved_.count(name)) continue;
    std::vector<std::string_view> others;
    for (const Symbol& s : symbols_) {
      if (s.name != name && !s.value) others.push_back(s.name);
    }
    warnings.push_back({.code = "E393",
                        .severity = Severity::Warning,
                        .place = find(name)->place,
                        .message = "sizes: nothing in the file uses " + name,
                        .help = meant(name, others, "leave it out, or correct its name")});
  }
  return warnings;
}

Expr read_expr(ExprPool& pool, const Node& node, std::string_view what,
               const ExpressionNames& names) {
  const std::string& text = as_text(node, what);
  if (std::int64_t(text.size()) > kLongestExpression) {
    refuse("E104", node.place,
           std::string(what) + ": the expression is longer than " +
               std::to_string(kLongestExpression) + " characters",
           "write a shorter one");
  }
  try {
    return parse_expr(pool, text, names.find);
  } catch (const BadInput& refusal) {
    Diagnostic d = refusal.diagnostic();
    const std::size_t at = std::size_t(std::max(d.place.column, 1) - 1);
    d.place = place_in(node, at);
    d.message = std::string(what) + ": " + d.message;
    if (d.code == "E302") {
      const std::string_view rest = std::string_view(text).substr(at);
      std::size_t n = 0;
      while (n < rest.size() && is_identifier(rest.substr(0, n + 1))) ++n;
      d.help = meant(rest.substr(0, n), names.all(), names.otherwise);
    }
    throw BadInput(std::move(d));
  }
}

Expr read_expr(ExprPool& pool, const Node& node, std::string_view what, const FileSymbols& symbols,
               bool condition, std::set<std::string>& used) {
  const Expr e = read_expr(pool, node, what,
                           {[&](std::string_view name) {
                              const FileSymbols::Symbol* s = symbols.find(name);
                              if (s != nullptr && !s->is_fixed()) used.insert(s->name);
                              return symbols.resolve(pool, name);
                            },
                            [&] { return symbols.names(); }, "declare it under symbols"});
  if ((info(e.op()).result == Result::Truth) != condition) {
    refuse("E303", node.place,
           std::string(what) + ": " + shown(node.text) + " is " +
               (condition ? "no condition" : "a condition, no number"),
           condition ? "compare with <, <=, >, >=, == or !=" : "write a number, such as N / 4");
  }
  for (const Expr part : reachable(std::span(&e, 1), false)) {
    const bool opaque = part.is(Op::Load) || part.is(Op::Call);
    if (!opaque && (condition || (!part.is(Op::Select) && !part.is(Op::Xor)))) continue;
    refuse("E301", node.place,
           std::string(what) + ": " + shown(node.text) + " is no expression of sizes",
           "use + - * / % min max ceilDiv, integers and symbols only");
  }
  return e;
}

void FileSymbols::read_facts(const Node& node) {
  const std::vector<Node>& items = expect_sequence(node, "facts");
  check_count(items, kMostFacts, "facts");
  Fusion scratch;
  for (const Symbol& s : symbols_) {
    if (!s.is_fixed()) scratch.extent(s.name, s.min, s.max, s.multiple_of);
  }
  for (const Node& item : items) {
    errors_.attempt([&] {
      Fact fact{item, {}};
      const Expr e = read_expr(scratch.pool(), item, "facts", *this, true, fact.symbols);
      // Each part of a conjunction must not contradict all parts and facts before it.
      Facts said = *scratch.facts();
      std::vector<Expr> parts = {e};
      while (!parts.empty()) {
        const Expr part = parts.back();
        parts.pop_back();
        if (part.is(Op::And)) {
          parts.insert(parts.end(), {part[1], part[0]});
          continue;
        }
        if (Simplifier(said).proves(!part)) {
          refuse("E310", item.place,
                 "the fact " + shown(item.text) + " contradicts what is said of its symbols",
                 "correct it, or the symbols, sizes and facts before it");
        }
        said.assume(part);
      }
      if (fact.symbols.empty()) return;
      scratch.assume(e);
      facts_.push_back(std::move(fact));
    });
  }
}

Expr SizeScope::read(const Node& node, std::string_view what) {
  return read_expr(fusion_.pool(), node, what, symbols_, false, used_);
}

Expr SizeScope::use(std::string_view name) {
  const FileSymbols::Symbol* s = symbols_.find(name);
  if (s != nullptr && !s->is_fixed()) used_.insert(s->name);
  return symbols_.resolve(fusion_.pool(), name);
}

void SizeScope::declare() {
  std::vector<const FileSymbols::Fact*> open, tied;
  for (const FileSymbols::Fact& fact : symbols_.facts()) open.push_back(&fact);
  for (bool grows = true; grows;) {
    grows = std::erase_if(open, [&](const FileSymbols::Fact* fact) {
              const bool met = std::any_of(fact->symbols.begin(), fact->symbols.end(),
                                           [&](const auto& s) { return used_.count(s) != 0; });
              if (met) {
                used_.insert(fact->symbols.begin(), fact->symbols.end());
                tied.push_back(fact);
              }
              return met;
            }) != 0;
  }
  if (!used_.empty()) {
    for (const FileSymbols::Symbol& s : symbols_.all()) {
      if (used_.count(s.name)) fusion_.extent(s.name, s.min, s.max, s.multiple_of);
    }
  }
  for (const FileSymbols::Fact* fact : tied) {
    std::set<std::string> known;
    fusion_.assume(read_expr(fusion_.pool(), fact->text, "facts", symbols_, true, known));
  }
  simplifier_.reset();
}

Simplifier& SizeScope::simplifier() {
  if (!simplifier_) simplifier_.emplace(*fusion_.facts());
  return *simplifier_;
}

Expr SizeScope::defined(Expr e, const Place& place, const std::string& what) {
  if (e.is(Op::Const) || e.is(Op::Symbol)) return e;
  const std::vector<Expr> parts = reachable(std::span(&e, 1), false);
  for (const Expr part : parts) {
    if (!part.is(Op::Div) && !part.is(Op::Mod)) continue;
    if (simplifier().proves(part[1] >= 1) || simplifier().proves(part[1] <= -1)) continue;
    refuse("E311", place,
           what + ": the divisor " + to_string(part[1]) + " of " + to_string(part) + " may be 0",
           "divide by what is never 0, such as " +
               (part[1].is(Op::Const) ? "1" : to_string(max(part[1], part.pool().constant(1)))));
  }
  e = simplifier().simplify(e);
  // An expression without symbols that has no value: an intermediate result does not fit 64 bits.
  if (!e.is(Op::Const) && symbols_of(std::span(&e, 1)).empty()) {
    refuse("E402", place, what + ": " + to_string(e) + " does not fit in 64 bits",
           "use smaller numbers");
  }
  return e;
}

Expr SizeScope::extent(Expr e, const Place& place, const std::string& what) {
  e = defined(e, place, what);
  if (e.is(Op::Const)) {
    if (e.value() < 1) {
      refuse("E403", place, what + " is " + std::to_string(e.value()),
             "it is at least 1; a size that may be 0 is a symbol with min: 0");
    }
    if (e.value() > kLargestExtent)
      refuse("E402", place, what + " is past 2^62", "make it smaller");
  } else if (!simplifier().proves_nonnegative(e - 1)) {
    refuse("E403", place, what + ", " + to_string(e) + ", is not proved to be at least 1",
           larger_min(simplifier().facts(), e));
  }
  return e;
}

}  // namespace selvage
