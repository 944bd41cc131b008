#pragma once

#include <selvage/base/diagnostic.h>

#include <string>

namespace selvage {

// The message with which `action` is refused, "accepted" if it is not. Catches only refusals of
// this kind (Error, BadInput, Illegal, ...); anything else that is thrown fails the test.
template <class Kind>
std::string refusal_by(const auto& action) {
  try {
    action();
  } catch (const Kind& refusal) {
    return refusal.what();
  }
  return "accepted";
}

inline std::string bad_input(const auto& action) { return refusal_by<BadInput>(action); }
inline std::string illegal(const auto& action) { return refusal_by<Illegal>(action); }
inline std::string error_of(const auto& action) { return refusal_by<Error>(action); }

}  // namespace selvage
