#pragma once

#include <selvage/base/diagnostic.h>

#include <cstddef>
#include <optional>
#include <string>

namespace selvage {

inline constexpr const char* kEndOfInThreads = "the end of inthreads";

// The source of a statement of a thread program's kernel. Statement::origin numbers them from 1.
struct ThreadOrigin {
  Place place;
  std::optional<std::size_t> region = {};  // the innermost around; of a guard, its own
  std::string what = {};                   // "sync: shared"
  std::size_t joins = 0;                   // the number of joins before it in the program's text
  bool holds_joins = false;                // of a loop: there are joins in its body
};

}  // namespace selvage
