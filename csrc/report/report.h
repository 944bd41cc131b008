#pragma once

#include <selvage/base/diagnostic.h>
#include <selvage/codegen/cuda.h>
#include <selvage/driver/row_load.h>
#include <selvage/driver/run.h>
#include <selvage/driver/run_threads.h>
#include <selvage/driver/tune.h>
#include <selvage/frontend/schedule_file.h>
#include <selvage/legality/legality.h>
#include <selvage/lower/cost.h>
#include <selvage/lower/program.h>
#include <selvage/report/confirmation.h>
#include <selvage/report/rules_wanted.h>
#include <selvage/runtime/ptxas_log.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace selvage {

// A fusion and its schedule, both of which must outlive the report.
struct Subject {
  const Schedule& schedule;
  // The tensors to report; empty: every tensor that is computed and not inlined.
  std::vector<TensorId> tensors = {};
  bool has_kernel = true;          // false: analysed only
  bool items_may_be_lost = false;  // losing items is a warning instead of an error
  // The file's names for the iterdomains of its one tensor, in its order; empty: the schedule's.
  std::vector<std::pair<std::string, DomainId>> names = {};
  std::map<std::string, Place> places = {};  // of tensors, in the file
  std::vector<AutomaticKernel> automatic =
      {};  // how kernels were scheduled that the file left open
  // The loops that read the buffer of its one tensor; null: the loops that write it.
  const Schedule* reading = nullptr;
  ReadBy read_by = {};
};

// The results for one tensor.
struct TensorReport {
  const Schedule* schedule;
  TensorAnalysis analysis;
  // Every iterdomain of the tensor by its name. Names are unique; a loop has the name of its
  // variable. An iterdomain that a file names twice has two names.
  std::vector<std::pair<std::string, DomainId>> iterdomains;
  std::unordered_map<std::size_t, std::string> names;           // the name that texts use
  std::optional<std::vector<Confirmation>> confirmations = {};  // absent: Z3 was not asked
  std::optional<std::vector<RuleWanted>> wanted = {};           // absent: not searched yet
  // The loops that read it, if they differ from those that write it; an iterdomain of both has one
  // number.
  const Schedule* reading = nullptr;
  std::optional<TensorAnalysis> read = {};
  Legality legality = {};

  const Fusion& fusion() const { return schedule->fusion(); }
  const DomainGraph& graph() const { return schedule->graph(); }
  const TensorInfo& tensor() const { return fusion()[analysis.tensor]; }
  // Whether loop points fold into items, rather than store one each.
  bool reduces() const { return tensor().fold && !is_scan(tensor()); }
  const std::string& name() const { return tensor().name; }
  const std::string& name_of(DomainId d) const { return names.at(index_of(d)); }
  bool is_loop(DomainId d) const;
};

// The resources that the kernels use on an architecture, in the order of their texts.
struct CompiledReport {
  std::string arch;
  std::vector<KernelResources> kernels;
};

// The results for one fusion.
struct FusionReport {
  const Schedule* schedule;
  std::string name;                             // of its first tensor
  std::optional<Program> program;               // absent: illegal, or nothing to run
  std::vector<std::vector<CudaText>> cuda;      // by step and variant
  std::optional<CompiledReport> compiled = {};  // absent: not asked for
  std::vector<AutomaticKernel> automatic = {};
  std::optional<ProgramCost> cost = {};               // absent: not asked for, or not known
  std::shared_ptr<const TuneResult> tuned = nullptr;  // null: not asked for
  std::vector<Diagnostic> repeated = {};  // the warnings of work that the schedule repeats
  std::vector<RowLoad> loads = {};        // where the offsets of rows are known
  std::string loads_of = {};  // what the offsets tell that decides between kernels, and which it is
  bool may_run = true;        // false: a kernel is refuted, or neither proved nor trusted
};

// The results for a thread program.
struct ThreadReport {
  std::shared_ptr<const ThreadProgram> program;
  LoweredThreads lowered;
  std::optional<CudaText> cuda;  // absent: illegal
  std::optional<CompiledReport> compiled = {};
  std::vector<ThreadRun> runs = {};
  std::vector<std::string> differences = {};  // between runs
};

// An array of a run whose values are to be shown.
struct ShownArray {
  std::string name;
  Array array;
  bool is_complex = false;  // by parts, on its last axis (ir/complex.h)
};

// All results of a run of schedule_inspect.
struct Report {
  std::string file;
  std::vector<TensorReport> tensors;
  std::vector<FusionReport> fusions;  // one per subject
  std::vector<Diagnostic> diagnostics;
  std::vector<RunResult> runs;
  std::optional<ThreadReport> threads = {};
  std::vector<ShownArray> values = {};  // in the order asked for
  // Of a TeAAL specification: the file of a fusion that it stands for, and what its mapping says.
  std::string as_fusion = {};
  std::map<std::string, MappedTensor> mappings = {};

  // 0: fine; 1: something is illegal, or a check failed.
  int exit_status() const;
};

// Kernels that are neither proved nor refuted are an error E446 (Proofs), or are trusted with a
// warning (Caller).
enum class Trust : std::uint8_t { Proofs, Caller };

// The subjects of a file: one for each tensor, or one for its fusion. The file must outlive the
// report.
std::vector<Subject> subjects_of(const ScheduleFile& file);
Report inspect(const ScheduleFile& file, Trust trust = Trust::Proofs);
// Analyses every tensor; lowers, proves and emits every subject. An illegal tensor is left out and
// becomes a diagnostic; it hides no other.
Report inspect(std::string file, const std::vector<Subject>& subjects,
               std::vector<Diagnostic> diagnostics = {}, Trust trust = Trust::Proofs);
TensorReport report_of(const Schedule& schedule, TensorAnalysis analysis,
                       const std::vector<std::pair<std::string, DomainId>>& names = {});

}  // namespace selvage
