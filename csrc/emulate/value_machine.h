#pragma once

#include <selvage/emulate/compiled.h>
#include <selvage/emulate/memory_checked.h>
#include <selvage/emulate/request_log.h>

#include <cstdint>
#include <functional>
#include <utility>

namespace selvage {

// Computes what stores store: each operation once for each execution of a store, and only if it is
// asked for.
class ValueMachine {
 public:
  // `requests`: null if they are not counted. `failed`: is told of a check that fails, its number,
  // the number of its point, and what it shows.
  using Failed = std::function<void(std::uint32_t, std::int64_t, std::int64_t)>;
  explicit ValueMachine(RequestLog* requests, Failed failed = {})
      : requests_(requests), failed_(std::move(failed)) {}

  // The value of a store whose indices have been evaluated.
  Scalar value(CompiledStatement& store, CheckedMemory& memory);

 private:
  Scalar compute(CompiledStatement& s, CheckedMemory& memory, std::uint32_t at);
  std::int64_t search(const CompiledStatement& s, CheckedMemory& memory, std::uint32_t at,
                      std::int64_t position);
  Scalar apply(CompiledStatement& s, CheckedMemory& memory, const Operation& op);

  RequestLog* requests_;
  Failed failed_;
  std::uint64_t stamp_ = 0;
};

}  // namespace selvage
