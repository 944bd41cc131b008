#include <selvage/base/diagnostic.h>
#include <selvage/expr/text.h>
#include <selvage/frontend/npy.h>
#include <selvage/report/made_up_sizes.h>
#include <selvage/report/run_file.h>
#include <selvage/runtime/virtual_unit.h>

#include <algorithm>
#include <filesystem>

namespace selvage {

namespace {

using Role = ProgramBuffer::Role;

std::vector<std::string> names_of(const Report& report, Role role) {
  std::vector<std::string> names;
  for (const FusionReport& fusion : report.fusions) {
    if (!fusion.program) continue;
    for (const ProgramBuffer& b : fusion.program->buffers) {
      if (b.role == role) names.push_back(b.name);
    }
  }
  return names;
}

void check_name(const Report& report, Role role, const std::string& name) {
  const std::vector<std::string> names = names_of(report, role);
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  const bool is_input = role == Role::Input;
  std::string help;
  for (const std::string& n : names) help += (help.empty() ? "one of " : ", ") + n;
  throw BadInput({.code = is_input ? "E611" : "E625",
                  .place = {},
                  .message = (is_input ? "there is no input " : "there is no output ") + name,
                  .help = help.empty() ? std::string("leave it out: there are none") : help});
}

// NumPy has no bfloat16: such an array comes as its bits.
Array read_input(const TensorInfo& tensor, const std::string& path) {
  Array array = read_npy(path);
  if (tensor.type == DataType::BFloat16 && array.type == DataType::UInt16) {
    array.type = DataType::BFloat16;
  }
  return array;
}

RunRequest request_for(const ScheduleFile& file, const RunFileOptions& options,
                       const FusionReport& subject) {
  const Fusion& fusion = subject.schedule->fusion();
  RunRequest request;
  for (Expr n : fusion.sizes()) {
    const auto it = file.sizes.find(std::string(n.name()));
    if (it != file.sizes.end()) request.sizes.insert(*it);
  }
  if (options.check) request.sizes = made_up_sizes(fusion, *subject.program, request.sizes);
  for (const auto& [name, path] : options.inputs) {
    const auto tensor = fusion.find(name);
    if (tensor) request.inputs[name] = read_input(fusion[*tensor], path);
  }
  request.seed = options.seed;
  request.on = options.on;
  request.times = options.times;
  request.on_all = options.check;
  request.checks = options.check && has_gcc();
  request.as_in_memory = file.kind == ScheduleFile::Kind::Tensors;
  return request;
}

void write_files(const RunFileOptions& options, const RunResult& result) {
  if (!options.save_inputs.empty()) {
    std::error_code ignored;  // write_npy says why it cannot write
    std::filesystem::create_directories(options.save_inputs, ignored);
    for (const auto& [name, array] : result.inputs) {
      write_npy((std::filesystem::path(options.save_inputs) / (name + ".npy")).string(), array);
    }
  }
  for (const auto& [name, path] : options.outputs) {
    const auto it = result.outputs.find(name);
    if (it != result.outputs.end()) write_npy(path, it->second);
  }
}

void check_expectations(const ScheduleFile& file, Report& report) {
  std::map<std::string, std::vector<std::string>> predicates;
  for (const auto& expected : file.expect.predicates) {
    for (const TensorReport& tensor : report.tensors) {
      if (tensor.name() != expected.tensor) continue;
      std::vector<std::string>& texts = predicates[expected.tensor];
      texts.clear();
      for (const KeptPredicate& p : tensor.analysis.predicates.kept) {
        texts.push_back(to_string(p.condition));
      }
    }
  }
  for (Diagnostic& d : unmet(file.expect, report.exit_status() == 0, predicates)) {
    report.diagnostics.push_back(std::move(d));
  }
}

}  // namespace

void run_file(const ScheduleFile& file, const RunFileOptions& options, Report& report) {
  if (options.run && report.exit_status() == 0) {
    for (const auto& [name, path] : options.inputs) check_name(report, Role::Input, name);
    for (const auto& [name, path] : options.outputs) check_name(report, Role::Output, name);
  }
  if (options.run) {
    for (const FusionReport& subject : report.fusions) {
      if (!subject.program) continue;
      report.runs.push_back(
          run(subject.schedule->original(), *subject.program, request_for(file, options, subject)));
      write_files(options, report.runs.back());
    }
  }
  if (options.check) check_expectations(file, report);
}

}  // namespace selvage
