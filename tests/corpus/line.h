// Lines of a corpus of expressions, in the form that `schedule_inspect --simplify` reads.
#pragma once

#include <selvage/simplifier/facts.h>

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace selvage::corpus {

struct Line {
  struct Parameter {
    std::string name;
    std::int64_t lo, hi;  // ends included
  };

  std::string id, kind;
  std::vector<std::pair<std::string, std::string>> loops;  // name, extent
  std::vector<Parameter> parameters;
  std::string expression;
  std::string guard;  // what may be assumed; empty: nothing
};

std::string to_text(const Line& line);  // tabs between the fields, no newline
// These throw std::invalid_argument; empty lines are passed over.
Line parse_line(std::string_view text);
std::vector<Line> read_lines(std::istream& in);

// A line's expressions, in a pool of their own.
struct Problem {
  explicit Problem(const Line& line);  // throws BadInput where the line is no expression

  std::unique_ptr<ExprPool> pool = std::make_unique<ExprPool>();
  Facts facts{*pool};
  std::vector<Expr> symbols;  // parameters, then loops
  std::vector<Expr> extents;  // of the loops
  std::vector<Line::Parameter> parameters;
  Expr expression;
  Expr guard;  // invalid: none
};

}  // namespace selvage::corpus
