#pragma once

#include <selvage/lower/repeated.h>

#include <string>

namespace selvage {

// A change of a schedule, as a schedule file says it; empty: none is known.
struct RepeatedMend {
  std::string text;
  bool is_of_tensor = true;  // it changes the list of the tensor alone
};

// What would end a repetition: a place further out, a loop of the tensor bound to the index that
// repeats it, or an automatic schedule. Each is tried; the first one is taken under which the
// program can be lowered and the tensor is repeated no more. `schedule`: as the user made it,
// before defaults; `program`: what it was lowered to.
RepeatedMend mend_repeated(const Schedule& schedule, const Program& program,
                           const RepeatedWork& work);

}  // namespace selvage
