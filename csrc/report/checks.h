#pragma once

#include <selvage/report/report.h>

namespace selvage {

// The checks that stay, in the order in which the tensor's iterdomains are listed.
std::vector<const KeptPredicate*> kept_checks(const TensorReport& tensor);

// Every iterdomain that needs no check, with the reason: those implied by the plan, and those whose
// bounds make no hole of this tensor.
struct Dropped {
  std::string name;
  std::string by;
  std::vector<std::string> from;  // names
};
std::vector<Dropped> dropped_checks(const TensorReport& tensor);

// A reason such as "theorem 1" explained in words; empty if its name says it all.
std::string explanation(const std::string& by);

// "proved", "irredundant", "unknown"
std::string_view to_string(Minimality minimality);

}  // namespace selvage
