#pragma once

#include <stdexcept>
#include <string>

namespace selvage {

// A broken promise inside Selvage itself: never the user's fault, always a bug report.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void internal_error(const char* file, int line, const char* condition);

}  // namespace selvage

// States what must hold if our own code is right. For the user's mistakes there are diagnostics.
#define SELVAGE_CHECK(condition)                                                 \
  do {                                                                           \
    if (!(condition)) ::selvage::internal_error(__FILE__, __LINE__, #condition); \
  } while (false)
