#pragma once

#include <selvage/base/diagnostic.h>
#include <selvage/kernel/verify.h>
#include <selvage/lower/program.h>

#include <span>
#include <string>
#include <vector>

namespace selvage {

// What nobody has proved of a program's kernels: that they race nowhere, that threads meet at every
// barrier, that nothing is read before it was written, and that no access leaves its buffer
// (kernel/verify.h). Kernels that differ in the width of their indices alone have one proof.
struct OpenFinding {
  const Kernel* kernel = nullptr;         // of the steps
  std::span<const TensorId> stores = {};  // what that step computes
  KernelFinding finding;
};
struct ProgramProof {
  std::vector<OpenFinding> open;  // what is refuted first

  bool is_complete() const { return open.empty(); }
  bool is_refuted() const { return !open.empty() && selvage::is_refuted(open[0].finding.verdict); }
};
ProgramProof prove(std::span<const ProgramStep> steps);

// E445 what goes wrong, and where; E446 what is not proved, and what would have to be known.
Diagnostic diagnostic_of(const OpenFinding& open);

// Throws Illegal, E445 or E446, where something is open. `is_trusted`: what is neither proved nor
// refuted is taken to be so, and returned, a sentence each.
std::vector<std::string> check_proved(const ProgramProof& proof, bool is_trusted);

}  // namespace selvage
