#pragma once

#include <selvage/simplifier/verdict.h>

#include <string>
#include <vector>

namespace selvage {

// One question of legality and its answer, as pages, JSON and diagnostics show it. Only what is
// proved is legal; a refuting point is one at which the kernel would go wrong.
struct Finding {
  Verdict verdict = Proved{};
  std::string reason = {};            // one sentence: the law it follows from, or what goes wrong
  std::vector<Expr> conditions = {};  // at launch, under which it holds
  // Where it is not proved:
  std::string code = {};  // of the diagnostic, doc/diagnostics.md
  std::string help = {};  // the smallest change that mends it

  bool is_legal() const { return is_proved(verdict); }
};

// A help that several questions give.
inline constexpr const char* kHoldEveryItem = "allocate over iterdomains that hold every item";

}  // namespace selvage
