#pragma once

#include <selvage/frontend/formula.h>
#include <selvage/frontend/formula_tokens.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace selvage {

// Reads the value of a statement and what it is made of: operators, functions, reductions, elements
// with their subscripts and access modes. Throws what parse_formula says.
class ValueParser {
 protected:
  using Kind = FormulaNode::Kind;
  static constexpr const char* kMedian = "median";
  static constexpr const char* kCompact = "compact";
  static constexpr const char* kValues = "values";
  enum class Listed : std::uint8_t { Target, Folded, Scanned };

  explicit ValueParser(const Node& text) : token_(text) {}

  // Everything that binds at least as tightly as `least`: the number of its node.
  std::uint32_t parse_value(int least);
  // At the name of a compaction: whether it is one, compact(e, condition) or compact[n](...).
  bool is_compaction();
  void parse_compaction();
  // At the [ of an element of `name`: the nodes of its subscripts, from there to behind the ].
  std::vector<std::uint32_t> parse_subscripts(std::size_t at, const std::string& name);
  // At the [ of an element.
  std::uint32_t parse_element(std::size_t at, const std::string& name);
  // Values, from the opening bracket to behind the closing one.
  std::vector<std::uint32_t> parse_list(std::string_view close);
  // Names, each once, from the opening bracket to behind the closing one. `where`: "on the left".
  std::vector<Formula::Index> parse_indices(const std::string& where, Listed listed);
  // A name to be defined.
  std::string defined_name(const char* what);
  std::uint32_t add(FormulaNode node);
  [[noreturn]] void unexpected() const;

  Tokens token_;
  Formula formula_;
  std::optional<std::size_t> around_;  // the innermost reduction
  bool has_loads_ = true;              // may stand in subscripts
  bool is_left_ = false;               // what is parsed stands on the left of the =

 private:
  void refuse_mode(std::size_t at, const std::string& word, const std::string& where,
                   Listed listed) const;
  bool is_any_loaded(const std::vector<std::uint32_t>& operands) const;
  std::uint32_t apply(Function f, std::size_t at, std::vector<std::uint32_t> of);
  std::uint32_t parse_prefix();
  std::uint32_t parse_number(const std::string& sign);
  std::uint32_t parse_name();
  bool is_reduction_list() const;
  std::uint32_t parse_fold(std::size_t at, Reduction how);
  std::size_t open_fold(const Formula::Fold& fold);
  void check_not_on_the_left(const Formula::Fold& fold, const std::string& name) const;
  std::uint32_t parse_median(std::size_t at);
  std::uint32_t parse_again(const Tokens& begin);
  std::uint32_t parse_extent();
  std::uint32_t parse_scan_of(std::size_t at, Reduction how);
  std::pair<std::size_t, std::vector<std::uint32_t>> parse_operands(Formula::Fold fold);
  std::string member_of_list(std::size_t at, const std::string& name,
                             const std::vector<std::uint32_t>& number);
  std::uint32_t parse_access_mode(std::size_t at, const std::string& name);
  std::uint32_t with_checks(std::uint32_t number);
  void check_remap(std::size_t at, Remap remap, const std::string& name, bool is_loaded);
  void check_number(std::size_t at, const std::string& name, std::size_t given, std::size_t wanted);
  bool has_one_operand() const;
  std::uint32_t parse_call(std::size_t at, const std::string& name);
  std::uint32_t parse_item(std::size_t at);

  int depth_ = 0;
  std::vector<std::pair<std::string, std::string>> renamed_;  // names of indices, and what they get
  bool in_subscript_ = false;
};

}  // namespace selvage
