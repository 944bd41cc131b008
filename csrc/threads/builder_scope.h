#pragma once

#include <selvage/ir/value.h>
#include <selvage/threads/program.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace selvage {

// The names of a program that is built in C++, and which symbols and indices may be used at the
// builder's current position: a symbol everywhere, an index inside its level or loop. Throws
// BadInput without a place.
class BuilderScope {
 public:
  explicit BuilderScope(const ExprPool& pool) : pool_(pool) {}

  // Throws E201 to E203 for what is no name, E204 if the name is taken.
  void add_name(const std::string& name);
  void add_symbol(Expr symbol) { symbols_.insert(symbol.id()); }
  void add_index(Expr index, std::int64_t extent) { indices_[index.id()] = {extent, {}}; }

  // Opens a level or a loop: its index may be used until close(). Throws E508 for no index of this
  // program; E204 for an index that is open, or one of two constructs one of which is a level.
  enum class Use : std::uint8_t { Level, Loop };
  void open(Expr index, std::int64_t extent, Use use);
  struct Mark {
    std::size_t open, uses;
  };
  Mark mark() const { return {open_.size(), uses_.size()}; }
  void close(const Mark& mark) { open_.resize(mark.open); }
  // Restores the state at the mark, as if no level or loop had been opened since.
  void undo(const Mark& mark);
  // Throws E826 if no loop around has this index.
  void check_loop(Expr index) const;

  // `what` names e in messages: "the condition". Throws E104 for too many parts; E508 for no
  // expression, or one of another program; E302 for an index that no level or loop around has; E316
  // for a call, or an element of a table.
  void check(Expr e, std::string_view what) const;
  // The same, and E303 for a condition (check_number) or a number (check_condition).
  void check_number(Expr e, std::string_view what) const;
  void check_condition(Expr e, std::string_view what) const;
  // Checks all expressions that a value is made of.
  void check(const ValueGraph& values, ValueId v) const;

 private:
  struct Index {
    std::int64_t extent = 1;
    std::optional<Use> use;
  };
  bool is_open(Expr symbol) const;
  Index& find(Expr index, std::int64_t extent);

  const ExprPool& pool_;
  std::set<std::string> names_;
  std::set<std::uint32_t> symbols_;         // by id
  std::map<std::uint32_t, Index> indices_;  // by id of its symbol
  std::vector<Expr> open_;
  std::vector<std::pair<Expr, std::optional<Use>>> uses_;  // of each open(): the use before it
};

}  // namespace selvage
