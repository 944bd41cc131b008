#pragma once

#include <selvage/report/report.h>

#include <string>

namespace selvage {

// Which parts of the page are wanted; with none chosen, a verdict and all of it but the CUDA text.
struct PageOptions {
  bool loops = false;       // the loop nests as pseudo-C
  bool predicates = false;  // the checks that stay, and those that are not needed
  bool why = false;         // the same, each with its reason
  bool cuda = false;        // the emitted kernels

  bool all() const { return !loops && !predicates && !why && !cuda; }
};

// The report for a person: plain text, at most 100 columns but for CUDA text, which is as emitted.
// With only `cuda` chosen, nothing but that text: a .cu file. With `why`, or where Z3 was asked,
// the rules that are wanted come last.
std::string page(const Report& report, const PageOptions& options = {});

}  // namespace selvage
