#pragma once

#include <selvage/frontend/readers.h>
#include <selvage/ir/fusion.h>
#include <selvage/simplifier/simplifier.h>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace selvage {

// The sizes of a file, from `symbols`, `sizes`, `facts` and the command line.
class FileSymbols {
 public:
  struct Symbol {
    std::string name;
    Place place;
    std::int64_t min = 1;
    std::optional<std::int64_t> max = {};
    std::int64_t multiple_of = 1;
    std::optional<std::int64_t> value = {};

    // Whether the symbol is replaced by its value wherever it stands: if the value is not 0.
    bool is_fixed() const { return value && *value != 0; }
  };
  struct Fact {
    Node text;
    std::set<std::string> symbols;  // that are not fixed
  };

  FileSymbols(std::map<std::string, std::int64_t> given, Diagnostics& errors)
      : given_(std::move(given)), errors_(errors) {}

  void read_symbols(const Node& symbols);
  void read_sizes(const Node& sizes);
  // Declares a symbol that only a shape names, at least `min`.
  void declare(const Node& name, std::int64_t min = 1);
  // To be called after all symbols are declared.
  void read_facts(const Node& facts);
  // The value that the command line gives to the stride of an axis.
  std::optional<std::int64_t> stride_value(const std::string& name);
  // Refuses values on the command line for sizes that the file does not use.
  void check_all_used();
  // E393 for each name in `sizes` that is declared nowhere else and that no expression has used.
  std::vector<Diagnostic> warn_of_unused() const;

  const Symbol* find(std::string_view name) const;
  // Refuses `what`, "the tensor y", if a symbol has its name (E204).
  void check_no_symbol(std::string_view name, const Place& place, const std::string& what) const;
  const std::vector<Symbol>& all() const { return symbols_; }
  const std::vector<Fact>& facts() const { return facts_; }
  std::vector<std::string_view> names() const;
  std::map<std::string, std::int64_t> values() const;

  // The expression in `pool` of a symbol's name; invalid: no symbol has it.
  Expr resolve(ExprPool& pool, std::string_view name) const;

 private:
  Symbol& add(const std::string& name, const Place& place);
  void set_value(Symbol& symbol, std::int64_t value, const Place& place);
  // Takes the value that the command line gives to it, if any.
  bool take_given(Symbol& symbol);

  std::map<std::string, std::int64_t> given_;
  std::set<std::string> used_;  // of given_
  std::vector<std::string> only_sizes_;
  mutable std::set<std::string> resolved_;  // asked for by an expression
  Diagnostics& errors_;
  std::vector<Symbol> symbols_;
  std::unordered_map<std::string, std::size_t> positions_;
  std::vector<Fact> facts_;
};

// The sizes of one fusion, in three steps: expressions are read; declare() declares the symbols
// that they use, with the facts that relate these to others; then expressions can be examined.
class SizeScope {
 public:
  SizeScope(const FileSymbols& symbols, Fusion& fusion, Diagnostics& errors)
      : symbols_(symbols), fusion_(fusion), errors_(errors) {}

  // An integer expression of sizes (E104, E107, E108, E301 to E303).
  Expr read(const Node& node, std::string_view what);
  // The size of that name; invalid if there is none.
  Expr use(std::string_view name);
  void declare();

  // After declare(): an expression in canonical form that has a value (E311, E402), and one that
  // is at least 1 (E403).
  Expr defined(Expr e, const Place& place, const std::string& what);
  Expr extent(Expr e, const Place& place, const std::string& what);
  Simplifier& simplifier();

 private:
  const FileSymbols& symbols_;
  Fusion& fusion_;
  Diagnostics& errors_;
  std::set<std::string> used_;
  std::optional<Simplifier> simplifier_;
};

// The meanings of names in an expression. `find` returns an invalid Expr for an unknown name; the
// help then suggests one of `all()`, or is `otherwise`.
struct ExpressionNames {
  std::function<Expr(std::string_view)> find;
  std::function<std::vector<std::string_view>()> all;
  std::string otherwise;
};
// Reads a condition or a number of `pool` at a node, as parse_expr does; errors have their place in
// the file. E104: longer than kLongestExpression.
Expr read_expr(ExprPool& pool, const Node& node, std::string_view what,
               const ExpressionNames& names);
// The same over the sizes of a file; adds those without a value to `used`. E303 for a number
// instead of a condition, or the reverse.
Expr read_expr(ExprPool& pool, const Node& node, std::string_view what, const FileSymbols& symbols,
               bool condition, std::set<std::string>& used);

}  // namespace selvage
