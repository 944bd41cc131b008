#pragma once

#include <selvage/base/diagnostic.h>

#include <string>
#include <utility>

namespace selvage {

// Throws Illegal at a place of a thread program.
[[noreturn]] inline void refuse_at(const Place& place, const char* code, std::string message,
                                   std::string help, std::string cause = {}) {
  throw Illegal({.code = code,
                 .place = place,
                 .message = std::move(message),
                 .help = std::move(help),
                 .cause = std::move(cause)});
}

}  // namespace selvage
