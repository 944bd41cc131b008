#pragma once

#include <selvage/base/diagnostic.h>
#include <selvage/kernel/verify.h>
#include <selvage/lower/program.h>

#include <span>
#include <string>
#include <vector>

namespace selvage {

// A claim about a kernel of a program that verify() (kernel/verify.h) does not prove: no race, no
// divergent barrier, no read before a write, no access outside of its buffer.
struct OpenFinding {
  const Kernel* kernel = nullptr;         // points into the steps
  std::span<const TensorId> stores = {};  // the tensors that the step computes
  KernelFinding finding;
};
struct ProgramProof {
  std::vector<OpenFinding> open;  // refuted findings first

  bool is_complete() const { return open.empty(); }
  bool is_refuted() const { return !open.empty() && selvage::is_refuted(open[0].finding.verdict); }
};
// Verifies all variants of all steps. Of neighbours that differ only in the width of their indices,
// the first stands for all. The result points into `steps`.
ProgramProof prove(std::span<const ProgramStep> steps);

// E445 for a refuted finding: what goes wrong, and where. E446 for an undecided one: what is not
// proved, and what would have to be known.
Diagnostic diagnostic_of(const OpenFinding& open);

// Throws Illegal E445 or E446 for the first open finding. `is_trusted`: throws E445 only, and
// returns the undecided findings, one sentence each.
std::vector<std::string> check_proved(const ProgramProof& proof, bool is_trusted);

}  // namespace selvage
