#pragma once

#include <selvage/threads/program.h>

#include <optional>

namespace selvage {

inline constexpr const char* kEndOfInThreads = "the end of inthreads";

// What a statement of a thread program's kernel comes from; Statement::origin numbers them from 1.
struct ThreadOrigin {
  Place place;
  const InnerParallel* parallel = nullptr;  // the innermost around
  std::optional<std::size_t> region;        // the innermost around; of a guard, its own
  std::string what;                         // "sync: shared"
};

}  // namespace selvage
