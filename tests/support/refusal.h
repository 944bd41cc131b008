#pragma once

#include <selvage/base/diagnostic.h>

#include <string>

namespace selvage {

// The whole message with which `action` is refused, "accepted" where it is not. Only a refusal of
// this kind (Error, BadInput, Illegal, ...) counts: what else is thrown fails the test.
template <class Kind>
std::string refusal_by(const auto& action) {
  try {
    action();
  } catch (const Kind& refusal) {
    return refusal.what();
  }
  return "accepted";
}

}  // namespace selvage
