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

// What a program that is built in C++ has by name, and what of it may be used where its builder
// stands: symbols everywhere, an index inside its level or loop. Throws BadInput without a place.
class BuilderScope {
 public:
  explicit BuilderScope(const ExprPool& pool) : pool_(pool) {}

  // E201 to E203 what is no name; E204 it is taken.
  void add_name(const std::string& name);
  void add_symbol(Expr symbol) { symbols_.insert(symbol.id()); }
  void add_index(Expr index, std::int64_t extent) { indices_[index.id()] = {extent, {}}; }

  // An index of a level or a loop: usable from here on, until close(). E508 it is none of this
  // program; E204 it is in use, or one of both.
  enum class Use : std::uint8_t { Level, Loop };
  void open(Expr index, std::int64_t extent, Use use);
  struct Mark {
    std::size_t open, uses;
  };
  Mark mark() const { return {open_.size(), uses_.size()}; }
  void close(const Mark& mark) { open_.resize(mark.open); }
  // As it was then: what has been opened since is none of the program.
  void undo(const Mark& mark);
  // E826: none of a loop around.
  void check_loop(Expr index) const;

  // `what`: "the condition". E508 none, or one of another program; E302 an index of no level or
  // loop around; E316 a call, or an element of a table.
  void check(Expr e, std::string_view what) const;
  // And E303 where it is a condition instead, or the other way round.
  void check_number(Expr e, std::string_view what) const;
  void check_condition(Expr e, std::string_view what) const;
  // All that a value is made of, as far as it is not looked at yet where the builder stands.
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
  std::vector<std::pair<Expr, std::optional<Use>>> uses_;  // what each index was before
};

}  // namespace selvage
