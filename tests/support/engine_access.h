#pragma once

#include <selvage/frontend/schedule_file.h>
#include <selvage/legality/analysis.h>

#include <optional>
#include <utility>
#include <vector>

#include "tests/oracle/access_case.h"

namespace selvage {

// A case of the oracle as the engine reads it from its schedule file: the tensor T0 with its
// layout, bindings and, if the case has a reader, the loops of the reader. Throws
// std::runtime_error with the diagnostics if the file is refused.
struct EngineAccess {
  explicit EngineAccess(const oracle::AccessCase& access);

  ScheduleFile file;
  const FileTensor& tensor() const { return file.tensors.front(); }
  const Fusion& fusion() const { return *tensor().fusion; }
  const TensorInfo& info() const { return fusion()[tensor().tensor]; }
  const Schedule& schedule() const { return *tensor().schedule; }
  // Iterdomains in the graph of schedule(), by the numbers of the oracle.
  std::vector<DomainId> ids;
  // The oracle's number of a loop of the writer; -1: none.
  int oracle_id(DomainId d) const;
};

// The loop indices of a witness, in loop order; nothing if the witness lacks a loop or has an index
// outside of its extent. Every extent must be a number.
std::optional<std::vector<std::int64_t>> loop_point(
    const Schedule& schedule, const TensorAnalysis& analysis,
    const std::vector<std::pair<Expr, std::int64_t>>& witness);

}  // namespace selvage
