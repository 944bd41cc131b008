#pragma once

#include <selvage/simplifier/facts.h>

#include <cstddef>
#include <memory>
#include <span>

namespace selvage::growth {

// An expression and what is known of its symbols.
struct Problem {
  std::unique_ptr<ExprPool> pool = std::make_unique<ExprPool>();
  Facts facts{*pool};
  Expr expression;
};

// A kind of expression that can be made as large as one likes, the same at every call.
struct Family {
  const char* name;
  Problem (*make)(std::size_t nodes);  // about so many, each occurrence counted unless it is shared
};
std::span<const Family> families();

}  // namespace selvage::growth
