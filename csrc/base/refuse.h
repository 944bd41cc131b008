#pragma once

#include <selvage/base/diagnostic.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace selvage {

// Throws a Kind (Illegal or BadInput) without a place: code that knows the file adds it.
template <class Kind>
[[noreturn]] void refuse(std::string code, std::string message, std::string help,
                         std::vector<std::string> notes = {}) {
  Diagnostic diagnostic;
  diagnostic.code = std::move(code);
  diagnostic.message = std::move(message);
  diagnostic.notes = std::move(notes);
  diagnostic.help = std::move(help);
  throw Kind(std::move(diagnostic));
}

// Runs `action` and returns the diagnostic of the Illegal that it throws; nothing if it throws
// none. For an alternative that is taken where it is legal.
template <class Action>
std::optional<Diagnostic> refusal_of(Action&& action) {
  try {
    action();
    return std::nullopt;
  } catch (const Illegal& refusal) {
    return refusal.diagnostic();
  }
}

}  // namespace selvage
