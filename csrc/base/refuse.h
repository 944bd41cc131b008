#pragma once

#include <selvage/base/diagnostic.h>

#include <string>
#include <utility>
#include <vector>

namespace selvage {

// Throws a Kind (Illegal or BadInput) that has no place yet: who knows the file adds it.
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

}  // namespace selvage
