#pragma once

#include <selvage/base/diagnostic.h>
#include <selvage/codegen/cuda.h>
#include <selvage/driver/run.h>
#include <selvage/lower/program.h>

#include <string>
#include <vector>

namespace selvage {

// A fusion and its schedule, both of which must outlive the report.
struct Subject {
  const Schedule& schedule;
  // What is looked at; empty: every tensor that is computed and not inlined.
  std::vector<TensorId> tensors = {};
  bool has_kernel = true;           // false: analysed only
  bool items_may_be_lost = false;   // losing items is worth a warning, no error
  std::string name = {};            // what to call it in a diagnostic; empty: nothing
  Place place = {};                 // where it stands in the file
};

// One tensor as it was found.
struct TensorReport {
  const Schedule* schedule;
  TensorAnalysis analysis;
  // Every iterdomain of the tensor in the order of making, and what texts call it: a name is used
  // once within a tensor, and a loop is called like its variable.
  std::vector<DomainId> domains;
  std::vector<std::string> names;

  const Fusion& fusion() const { return schedule->fusion(); }
  const DomainGraph& graph() const { return schedule->graph(); }
  const TensorInfo& tensor() const { return fusion()[analysis.tensor]; }
  const std::string& name() const { return tensor().name; }
  const std::string& name_of(DomainId d) const;
};

// What one fusion came to.
struct FusionReport {
  const Schedule* schedule;
  std::optional<Program> program;           // none: illegal, or nothing to run
  std::vector<std::vector<CudaText>> cuda;  // by step and variant
};

// All that a run of schedule_inspect has found.
struct Report {
  std::string file;
  std::vector<TensorReport> tensors;
  std::vector<FusionReport> fusions;  // one per subject
  std::vector<Diagnostic> diagnostics;
  std::vector<RunResult> runs;

  // 0: fine; 1: something is illegal, or a check failed.
  int exit_status() const;
};

// Analyses every tensor, lowers and emits every subject. What is illegal becomes a diagnostic and
// its tensor is left out; it hides nothing else.
Report inspect(std::string file, const std::vector<Subject>& subjects,
               std::vector<Diagnostic> diagnostics = {});
TensorReport report_of(const Schedule& schedule, TensorAnalysis analysis);

}  // namespace selvage
