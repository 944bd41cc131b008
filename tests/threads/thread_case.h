// A thread program as the oracle knows it: a tree of its own, from which the file is written and
// which is walked thread by thread. It shares nothing with the engine but the format.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace selvage::thread_oracle {

struct Term;
using TermRef = std::shared_ptr<const Term>;

// Integers; a truth is 0 or 1. Div and Mod are Euclidean.
struct Term {
  enum class Op {
    Number,
    Variable,
    Named,
    Element,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    Not,
    And,
    Or,
  };
  Op op = Op::Number;
  std::int64_t number = 0;  // Number: its value; Variable, Element: index into the case's
  std::string name = {};    // as it is written
  std::vector<TermRef> operands = {};  // Named: what it stands for; Element: subscripts
};
TermRef number(std::int64_t value);
TermRef variable(int index, std::string name);
TermRef named(std::string name, TermRef meaning);
TermRef element(int array, std::string name, std::vector<TermRef> subscripts);
TermRef make(Term::Op op, TermRef a, TermRef b = nullptr);

// `as_value`: of a statement, where a division is `//`.
std::string text_of(const TermRef& term, bool as_value = false);

// What a thread knows: by variable, its value.
using Values = std::vector<std::int64_t>;
// Of a term without elements.
std::int64_t evaluate(const Term& term, const Values& values);

struct Variable {
  enum class Kind { Parallel, Symbol, Loop };
  std::string name;
  Kind kind = Kind::Parallel;
  std::int64_t extent = 1;        // Parallel, Loop: below it; a loop of no known extent has -1
  std::int64_t min = 0, max = 0;  // Symbol
};
struct ArrayOf {
  enum class Memory { Global, Shared, Local };
  std::string name;
  Memory memory = Memory::Global;
  std::vector<std::int64_t> shape;
  std::int64_t size() const;
};
struct Level {
  std::string kind = {};          // as written; "" where none is
  std::vector<int> indices = {};  // variables
  bool is_added = false;          // the threads of a warp or warpgroup, in no file
  bool is_in_block = true;        // found by number_threads()
};

struct Item {
  enum class Kind { Let, Do, Assign, InThreads, For, With, Parallel, Sync, Break, Continue };
  Kind kind = Kind::Do;
  std::string name = {};   // Let; label of For, Break, Continue; whom Sync joins
  TermRef term = {};       // Let; when; the if of a For (or none)
  TermRef extent = {};     // For; none: over an index of a With
  int variable = -1;       // For
  std::string index = {};  // For: as written
  bool is_async = false;
  TermRef target = {};  // Assign: an Element
  TermRef value = {};
  bool is_update = false;                                        // +=
  std::vector<std::pair<std::string, std::int64_t>> bound = {};  // With
  std::vector<std::pair<std::string, std::string>> where = {};
  std::vector<Level> levels = {};  // Parallel
  std::vector<Item> body = {};

  bool holds_parallel() const;  // in its body
};

struct ThreadCase {
  std::vector<Variable> variables;
  std::vector<ArrayOf> arrays;
  Item outermost;  // a Parallel

  std::string yaml() const;
  std::vector<int> symbols() const;
  // All values of the symbols, each as pairs with `symbols()`.
  std::vector<std::vector<std::int64_t>> symbol_values() const;
};

// What an element of a global array holds before.
std::int64_t initial_value(int array, std::int64_t element);

}  // namespace selvage::thread_oracle
