#pragma once

#include <selvage/expr/expr.h>

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace selvage {

// The answer to "does it always hold?". Never a bool: only Proved may remove a guard, and Unknown
// keeps it or refuses.
struct Proved {
  std::vector<std::string> rules;  // names of what the proof used
};
struct Refuted {
  std::vector<std::pair<Expr, std::int64_t>> point;  // symbols and values at which it fails
};
struct Unknown {
  Expr residue;  // what is left of the claim, simplified
};
using Verdict = std::variant<Proved, Refuted, Unknown>;

inline bool is_proved(const Verdict& v) { return std::holds_alternative<Proved>(v); }
inline std::string_view to_string(const Verdict& v) {
  if (is_proved(v)) return "proved";
  return std::holds_alternative<Refuted>(v) ? "refuted" : "unknown";
}

}  // namespace selvage
