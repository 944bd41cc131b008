#pragma once

#include <selvage/report/report.h>
#include <selvage/report/where.h>

#include <string>
#include <vector>

namespace selvage {

// The parts of the page to print. If none is chosen: a verdict and all parts but the CUDA text.
struct PageOptions {
  bool loops = false;              // the loop nests as pseudo-C
  bool predicates = false;         // the checks that stay, and those that are not needed
  bool why = false;                // the same, each with its reason
  bool cuda = false;               // the emitted kernels
  bool cost = false;               // what each kernel and each access costs, if that is counted
  bool load = false;               // how the items of rows are shared among threads
  std::vector<ItemAt> where = {};  // who makes each of these items

  bool all() const {
    return !loops && !predicates && !why && !cuda && !cost && !load && where.empty();
  }
};

// The report for a person: plain text of at most 100 columns, except for CUDA text, which is as
// emitted. If only `cuda` is chosen, the page is just that text: a .cu file. With `why`, or if Z3
// was asked, the wanted rules come last.
std::string page(const Report& report, const PageOptions& options = {});

}  // namespace selvage
