#pragma once

#include <selvage/frontend/schedule_file.h>
#include <selvage/frontend/symbols.h>
#include <selvage/frontend/transforms.h>

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace selvage {

// The state that the sections of one file share while it is read.
struct FileContext {
  Diagnostics errors;
  FileSymbols symbols;
  std::int64_t transforms = 0;  // so far
  const ReadOptions& source;    // of schedules

  FileContext(std::map<std::string, std::int64_t> sizes, const ReadOptions& made_by)
      : symbols(std::move(sizes), errors), source(made_by) {}
};

// `tensors`: section 1.
void read_tensors(const Node& tensors, FileContext& context, ScheduleFile& file);
// `inputs`, `outputs`, `compute` and `schedule`: section 2.
void read_fusion(const Node& root, FileContext& context, ScheduleFile& file);
Expectations read_expectations(const Node& node, FileContext& context);

// ---- Common to both sections ----

DataType as_data_type(const Node& node, std::string_view what);  // E107, E304
// The type of an input or an output: complex64 is float, and complex128 double, by parts.
struct TensorType {
  DataType type = DataType::Float;
  bool is_complex = false;
};
TensorType as_tensor_type(const Node& node, std::string_view what);  // E107, E304
// The name of a new tensor (E201 to E204).
const std::string& tensor_name(const Entry& entry, const FileSymbols& symbols);

struct FileBinding {
  std::size_t domain;
  ParallelType type;
  Place place;
};
// `bind: {I3: BIDx}` (E107, E205, E304).
std::vector<FileBinding> read_bindings(const Node& node, const DomainNames& names,
                                       Diagnostics& errors);

// The iteration of a tensor, by the numbers of its names.
struct FileIteration {
  const DomainNames& names;
  std::span<const FileTransform> transforms;
  std::span<const std::size_t> loops;  // after all of them, outer to inner
  Place place;                         // of the loops
  std::span<const FileBinding> bindings;
};
// Makes the loops in a schedule. `domains`: the iterdomains of the first names; those that the
// transforms make are appended. Throws Illegal at its place.
void iterate(Schedule& schedule, TensorId t, const FileIteration& iteration,
             std::vector<DomainId>& domains);

// The iterdomains that those of `from` determine, crossing every transform once from its known side
// to the other. `known`: by name, whether it is determined; `twice`: a name determined in two ways.
struct Consequences {
  std::vector<bool> known;
  std::optional<std::size_t> twice;
};
Consequences consequences(std::span<const FileTransform> transforms, std::size_t names,
                          std::span<const std::size_t> from);

}  // namespace selvage
