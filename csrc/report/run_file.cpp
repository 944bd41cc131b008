#include <selvage/base/diagnostic.h>
#include <selvage/base/words.h>
#include <selvage/driver/contracts.h>
#include <selvage/driver/made_matrix.h>
#include <selvage/expr/text.h>
#include <selvage/frontend/npy.h>
#include <selvage/lower/programs_by_size.h>
#include <selvage/report/made_up_sizes.h>
#include <selvage/report/run_file.h>
#include <selvage/report/sparse_files.h>
#include <selvage/runtime/virtual_unit.h>

#include <algorithm>
#include <filesystem>

namespace selvage {

namespace {

using BufferRole = ProgramBuffer::Role;

std::vector<std::string> names_of(const Report& report, BufferRole role) {
  std::vector<std::string> names;
  for (const FusionReport& fusion : report.fusions) {
    if (!fusion.program) continue;
    for (const ProgramBuffer& b : fusion.program->buffers) {
      if (b.role == role) names.push_back(b.name);
    }
  }
  return names;
}

// The names that may stand instead of one that nothing has: those without a file.
std::string instead(std::vector<std::string> names,
                    const std::map<std::string, std::string>& given) {
  if (names.empty()) return "leave it out: there are none";
  std::erase_if(names, [&](const std::string& n) { return given.contains(n); });
  if (names.empty()) return "leave it out: all others are given";
  return "one of " + joined(names);
}

void check_names(const Report& report, BufferRole role,
                 const std::map<std::string, std::string>& given) {
  const std::vector<std::string> names = names_of(report, role);
  const bool is_input = role == BufferRole::Input;
  for (const auto& [name, path] : given) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    throw BadInput({.code = is_input ? "E611" : "E625",
                    .place = {},
                    .message = (is_input ? "there is no input " : "there is no output ") + name,
                    .help = instead(names, given)});
  }
}

// NumPy has no bfloat16: such an array comes as its bits.
Array read_input(DataType type, const std::string& path) {
  Array array = read_npy(path);
  if (type == DataType::BFloat16 && array.type == DataType::UInt16) {
    array.type = DataType::BFloat16;
  }
  return array;
}

// Of the program that a run with these arguments takes.
std::vector<RowLoad> loads_of(FusionReport& subject, const RunArguments& arguments) {
  const auto& by_size = subject.program->by_size;
  if (by_size == nullptr) return row_loads(*subject.schedule, arguments);
  const SizeValues told =
      with_longest_rows(subject.schedule->original(), arguments.sizes, arguments.inputs);
  const std::vector<SizeClass>& classes = by_size->classes();
  const auto taken = by_size->class_of(told);
  Expr all = classes[0].condition;
  for (const SizeClass& of : classes) all = all && of.condition;
  subject.loads_of = sizes_in(all, told) + ": the kernels " +
                     (taken ? "where " + to_string(classes[*taken].condition) : "for all rows");
  const auto chosen = by_size->of_sizes(told);
  return row_loads(chosen == nullptr ? *subject.schedule : *chosen->schedule, arguments);
}

// What is to be shown is an input or an output.
void check_shown_name(const Report& report, const std::string& name) {
  std::vector<std::string> names = names_of(report, BufferRole::Input);
  for (std::string& n : names_of(report, BufferRole::Output)) names.push_back(std::move(n));
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  throw BadInput({.code = "E625",
                  .place = {},
                  .message = "--print: there is no input or output " + name,
                  .help = names.empty()
                              ? std::string("leave it out: there are none")
                              : "one of " + joined(names) +
                                    "; a tensor that is none is kept nowhere as a whole"});
}

// Whether the array of that name is a complex tensor's, by parts.
bool is_complex(const Report& report, const std::string& name) {
  for (const FusionReport& subject : report.fusions) {
    const Fusion& fusion = subject.schedule->fusion();
    const auto tensor = fusion.find(name);
    if (tensor && fusion[*tensor].is_complex) return true;
  }
  return false;
}

// Keeps the arrays that are to be shown, `first` of two of one name.
void keep_shown(const RunFileOptions& options, const std::map<std::string, Array>& first,
                const std::map<std::string, Array>& second, Report& report) {
  for (const std::string& name : options.prints) {
    for (const auto* arrays : {&first, &second}) {
      const auto it = arrays->find(name);
      if (it == arrays->end()) continue;
      report.values.push_back({name, it->second, is_complex(report, name)});
      break;
    }
  }
}

void write_arrays(const RunFileOptions& options, const ScheduleFile& file, const Report& report,
                  const std::map<std::string, std::int64_t>& sizes,
                  const std::map<std::string, Array>& inputs,
                  const std::map<std::string, Array>& outputs) {
  if (!options.save_inputs.empty()) {
    std::error_code ignored;  // write_npy says why it cannot write
    std::filesystem::create_directories(options.save_inputs, ignored);
    for (const auto& [name, array] : inputs) {
      try {
        write_npy((std::filesystem::path(options.save_inputs) / (name + ".npy")).string(), array,
                  is_complex(report, name));
      } catch (const BadInput& refusal) {
        Diagnostic d = refusal.diagnostic();
        d.help = "name another folder, which is there or can be made, and can be written to";
        throw BadInput(std::move(d));
      }
    }
  }
  for (const auto& [name, path] : options.outputs) {
    const auto it = outputs.find(name);
    if (it == outputs.end()) continue;
    if (is_sparse_file(path)) {
      write_sparse_output(name, path, file, sizes, inputs, outputs);
    } else {
      write_npy(path, it->second, is_complex(report, name));
    }
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

// ---- thread programs ----

const ThreadArray* global_array(const ThreadProgram& program, const std::string& name) {
  for (const ThreadArray& a : program.arrays) {
    if (a.name == name && a.memory == Memory::Global) return &a;
  }
  return nullptr;
}

void check_array_name(const ThreadProgram& program, const std::string& name,
                      const std::map<std::string, std::string>& given) {
  if (global_array(program, name) != nullptr) return;
  std::vector<std::string> names;
  for (const ThreadArray& a : program.arrays) {
    if (a.memory == Memory::Global) names.push_back(a.name);
  }
  throw BadInput({.code = "E611",
                  .place = {},
                  .message = "there is no global array " + name,
                  .help = instead(std::move(names), given)});
}

void run_threads_on(Machine machine, const ThreadRunRequest& request, ThreadReport& threads) {
  ThreadRunRequest own = request;
  own.on = machine;
  threads.runs.push_back(run_threads(*threads.program, own));
  if (threads.runs.size() < 2) return;
  for (std::string& d : differences(threads.runs.front(), threads.runs.back())) {
    threads.differences.push_back(std::move(d));
  }
}

void run_thread_file(const ScheduleFile& file, const RunFileOptions& options, Report& report) {
  ThreadReport& threads = *report.threads;
  check_run_names(options, report);
  if (options.run && threads.lowered.kernel) {
    const ThreadRunRequest request = request_for(file, options, threads);
    const Machine first = options.on.value_or(default_machine());
    run_threads_on(first, request, threads);
    for (Machine other : {Machine::Emulate, Machine::Virtual}) {
      if (options.check && other != first) run_threads_on(other, request, threads);
    }
    // What no thread writes is after the run what it was before.
    std::map<std::string, Array> after = threads.runs.front().outputs;
    after.insert(threads.runs.front().inputs.begin(), threads.runs.front().inputs.end());
    write_arrays(options, file, report, {}, threads.runs.front().inputs, after);
    keep_shown(options, after, {}, report);
  }
  if (options.check) check_expectations(file, report);
}

}  // namespace

RunRequest request_for(const ScheduleFile& file, const RunFileOptions& options,
                       const FusionReport& subject) {
  const Fusion& fusion = subject.schedule->fusion();
  RunRequest request;
  for (Expr n : fusion.sizes()) {
    const auto it = file.sizes.find(std::string(n.name()));
    if (it != file.sizes.end()) request.sizes.insert(*it);
  }
  for (const auto& [name, path] : options.inputs) {
    const auto tensor = fusion.find(name);
    if (!tensor) continue;
    if (is_sparse_file(path) || is_made_matrix(path)) {
      read_sparse_input(name, path, file, fusion, options.seed, request);
      continue;
    }
    request.inputs[name] = read_input(fusion[*tensor].type, path);
    if (options.check) note_sizes(fusion, *tensor, request.inputs[name].shape, request.sizes);
  }
  if (options.check) request.sizes = made_up_sizes(fusion, *subject.program, request.sizes);
  request.seed = options.seed;
  request.on = options.on;
  request.times = options.times;
  request.on_all = options.check;
  request.checks = options.check && has_gcc();
  request.asker = Asker::Command;
  request.as_in_memory = file.kind == ScheduleFile::Kind::Tensors;
  return request;
}

ThreadRunRequest request_for(const ScheduleFile& file, const RunFileOptions& options,
                             const ThreadReport& threads) {
  ThreadRunRequest request{.symbols = {},
                           .on = options.on,
                           .times = options.times,
                           .checks = options.check && has_gcc(),
                           .asker = Asker::Command};
  const ThreadProgram& program = *threads.program;
  if (options.check && !program.symbols.empty()) {
    request.symbols = made_up_sizes(program.facts, program.symbols);
  }
  bool is_made_up = false;
  for (Expr s : program.symbols) {
    const auto it = file.sizes.find(std::string(s.name()));
    if (it != file.sizes.end()) request.symbols[it->first] = it->second;
    is_made_up = is_made_up || it == file.sizes.end();
  }
  if (options.check && is_made_up && threads.lowered.kernel) {
    check_made_up_work(*threads.lowered.kernel, request.symbols, file.sizes);
  }
  for (const auto& [name, path] : options.inputs) {
    request.inputs[name] = read_input(global_array(program, name)->type, path);
  }
  return request;
}

void check_run_names(const RunFileOptions& options, const Report& report) {
  if (report.threads) {
    const ThreadProgram& program = *report.threads->program;
    for (const auto* given : {&options.inputs, &options.outputs}) {
      for (const auto& [name, path] : *given) check_array_name(program, name, *given);
    }
    for (const std::string& name : options.prints) check_array_name(program, name, {});
    return;
  }
  check_names(report, BufferRole::Input, options.inputs);
  check_names(report, BufferRole::Output, options.outputs);
  for (const std::string& name : options.prints) check_shown_name(report, name);
}

void add_loads(const ScheduleFile& file, const RunFileOptions& options, Report& report) {
  bool has_rows = false;
  for (FusionReport& subject : report.fusions) {
    const Fusion& fusion = subject.schedule->original();
    if (fusion.domains().rows() == 0) continue;
    has_rows = true;
    if (!subject.program) continue;
    check_run_names(options, report);
    RunArguments arguments = arguments_of(fusion, request_for(file, options, subject));
    arguments.offsets = told_offsets(fusion, arguments);
    check_contracts(fusion, arguments.inputs, arguments.sizes);
    subject.loads = loads_of(subject, arguments);
  }
  if (has_rows) return;
  throw BadInput({.code = "E801",
                  .place = {file.path, 0, 0},
                  .message = "--load and --input without --run are for rows of different lengths, "
                             "and there are none",
                  .help = "add --run, or leave them out"});
}

void run_file(const ScheduleFile& file, const RunFileOptions& options, Report& report) {
  if (report.threads) return run_thread_file(file, options, report);
  if (options.run && report.exit_status() == 0) check_run_names(options, report);
  if (options.run) {
    for (FusionReport& subject : report.fusions) {
      if (!subject.program || !subject.may_run) continue;
      report.runs.push_back(
          run(subject.schedule->original(), *subject.program, request_for(file, options, subject)));
      const RunResult& result = report.runs.back();
      write_arrays(options, file, report, result.sizes, result.inputs, result.outputs);
      keep_shown(options, result.outputs, result.inputs, report);
      if (subject.schedule->original().domains().rows() == 0) continue;
      RunRequest ran;
      ran.sizes = result.sizes;
      ran.inputs = result.inputs;
      RunArguments arguments = arguments_of(subject.schedule->original(), ran);
      arguments.offsets = result.outputs;  // those of rows are among them
      subject.loads = loads_of(subject, arguments);
    }
  }
  if (options.check) check_expectations(file, report);
}

}  // namespace selvage
