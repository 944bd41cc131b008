#pragma once

#include <selvage/simplifier/point.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace selvage {

// The answer to "does it always hold?". Never a bool: only Proved may remove a guard, and Unknown
// keeps it or refuses.
struct Proved {
  std::vector<std::string> rules;  // names of what the proof used
};
struct Refuted {
  Point point;  // at which it fails
};
struct Unknown {
  Expr residue;  // what is left of the claim, simplified
};
using Verdict = std::variant<Proved, Refuted, Unknown>;

inline bool is_proved(const Verdict& v) { return std::holds_alternative<Proved>(v); }
inline bool is_refuted(const Verdict& v) { return std::holds_alternative<Refuted>(v); }
inline bool is_unknown(const Verdict& v) { return std::holds_alternative<Unknown>(v); }

// "proved", "refuted", "unknown"
inline std::string_view to_string(const Verdict& v) {
  return is_proved(v) ? "proved" : is_refuted(v) ? "refuted" : "unknown";
}

// The point at which it fails; empty where it is not refuted, or no point is known.
inline Point point_of(const Verdict& v) {
  const auto* refuted = std::get_if<Refuted>(&v);
  return refuted == nullptr ? Point{} : refuted->point;
}

// Add to a proof of several parts the rules that a part used: each rule once, in order.
inline void add_rule(const std::string& rule, Proved& proof) {
  std::vector<std::string>& rules = proof.rules;
  if (std::find(rules.begin(), rules.end(), rule) == rules.end()) rules.push_back(rule);
}
inline void add_rules(const Verdict& part, Proved& proof) {
  const auto* proved = std::get_if<Proved>(&part);
  if (proved == nullptr) return;
  for (const std::string& rule : proved->rules) add_rule(rule, proof);
}

}  // namespace selvage
