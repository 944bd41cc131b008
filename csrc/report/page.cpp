#include <selvage/base/words.h>
#include <selvage/expr/text.h>
#include <selvage/kernel/print.h>
#include <selvage/kernel/value_nodes.h>
#include <selvage/report/array_lines.h>
#include <selvage/report/automatic_lines.h>
#include <selvage/report/cost_lines.h>
#include <selvage/report/lines.h>
#include <selvage/report/load_lines.h>
#include <selvage/report/obligations.h>
#include <selvage/report/open_questions.h>
#include <selvage/report/page.h>
#include <selvage/report/repeated_lines.h>
#include <selvage/report/resources.h>
#include <selvage/report/run_lines.h>
#include <selvage/report/tensor_lines.h>
#include <selvage/report/texts.h>
#include <selvage/report/thread_lines.h>
#include <selvage/report/tune_lines.h>
#include <selvage/report/value_checks.h>
#include <selvage/report/verdict.h>
#include <selvage/report/workspace_lines.h>

#include <fmt/format.h>

#include <algorithm>

namespace selvage {

namespace {

void print_loops(const Kernel& kernel, Lines& out) {
  out.heading("Kernel " + kernel.name + ": " + shape_text(kernel.launch));
  const std::string text = loop_nest(kernel);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const std::string_view line = std::string_view(text).substr(at, end - at);
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    out.line(2 + indent, line.substr(indent));
    at = end + 1;
  }
}

void print_verbatim(std::string_view text, Lines& out) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out.verbatim(2, text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void print_program(const FusionReport& fusion, Lines& out) {
  for (const ProgramStep& step : fusion.program->steps) {
    const Kernel& first = step.variants.front();
    print_loops(first, out);
    print_workspaces(first, out);
    if (const auto fast = fast_functions(first.values); !fast.empty()) {
      out.line(2, fmt::format("(fast, less exact: {})", fmt::join(fast, ", ")));
    }
    const auto is_wide = [](const Kernel& k) { return k.index_type == IndexType::Int64; };
    const bool by_width = step.variants.size() == 2 && is_wide(step.variants.back());
    if (by_width) {
      out.line(2, "(with 32-bit indices where " + condition_text(first.condition) +
                      ", else with 64-bit ones)");
      continue;
    }
    // Vectors need what a host may have to test: then come kernels that do without.
    for (std::size_t k = 0; step.variants.size() > 1 && k < step.variants.size(); ++k) {
      const Kernel& kernel = step.variants[k];
      std::string text = (k == 0 ? "(" : "else ") + kernel.name;
      if (is_wide(kernel)) text += " with 64-bit indices";
      if (!kernel.condition.is_true()) text += " where " + condition_text(kernel.condition);
      out.line(2, text + (k + 1 == step.variants.size() ? ")" : ","));
    }
  }
}

void print_conditions(const FusionReport& fusion, Lines& out) {
  if (fusion.program->checks.empty()) return;
  out.heading("Conditions on sizes, tested at launch");
  for (const LaunchCheck& check : fusion.program->checks) {
    out.line(2, condition_text(check.condition) + (check.why.empty() ? "" : ": " + check.why));
  }
}

std::string wanted_text(const Report& report, const PageOptions& options) {
  std::vector<RuleWanted> wanted;
  for (const FusionReport& fusion : report.fusions) {
    for (const TensorReport& tensor : report.tensors) {
      if (tensor.schedule != fusion.schedule) continue;
      if (!options.why && !tensor.confirmations) continue;
      std::vector<RuleWanted> more = tensor.wanted ? *tensor.wanted : rules_wanted(tensor, fusion);
      std::move(more.begin(), more.end(), std::back_inserter(wanted));
    }
  }
  Lines out;
  print_rules_wanted(wanted, out);
  return out.take();
}

bool only_cuda(const PageOptions& o) { return o.cuda && !o.loops && !o.predicates && !o.why; }

std::string thread_page(const Report& report, const PageOptions& options) {
  const ThreadReport& threads = *report.threads;
  const std::string cuda = threads.cuda ? threads.cuda->text : "";
  if (only_cuda(options)) return cuda;
  Lines out;
  if (options.all()) print_verdict(report, out);
  if (options.all() || options.predicates || options.why) print_threads(threads, out);
  if (options.why) print_reasons(threads.lowered, out);
  if (threads.lowered.kernel && (options.all() || options.loops)) {
    print_loops(*threads.lowered.kernel, out);
  }
  std::string text = out.take();
  if (!cuda.empty() && options.cuda) text += "\nCUDA\n\n" + cuda;
  Lines more;
  if (threads.compiled) print_resources(*threads.compiled, more);
  if (!threads.runs.empty()) more.blank();
  print_thread_runs(threads, more);
  print_values(report.values, more);
  const std::string rest = more.take();
  return rest.empty() ? text : text + "\n" + rest;
}

}  // namespace

std::string page(const Report& report, const PageOptions& options) {
  if (report.threads) return thread_page(report, options);
  std::vector<std::vector<CudaText>> kernels;
  Lines out, resources;
  if (options.all()) print_verdict(report, out);
  if (options.all() && !report.as_fusion.empty()) {
    out.heading("The specification as a fusion and its schedule, a file of their own");
    print_verbatim(report.as_fusion, out);
  }
  for (const FusionReport& fusion : report.fusions) {
    for (const TensorReport& tensor : report.tensors) {
      if (tensor.schedule != fusion.schedule) continue;
      out.blank();
      if (options.all()) {
        print_tensor(tensor, out);
        print_fill(tensor, out);
      } else if (options.predicates || options.why) {
        out.line(0, tensor.name());
        print_checks(tensor, options.why, out);
        if (options.why) {
          print_coverage(tensor, out);
          print_bounds(tensor, out);
          print_fill(tensor, out);
          print_rules(tensor, fusion, out);
        }
      }
      if (tensor.confirmations) print_confirmations(tensor.name(), *tensor.confirmations, out);
    }
    if (!fusion.program) {
      for (const TensorReport& tensor : report.tensors) {
        const bool is_own = tensor.schedule == fusion.schedule;
        if (is_own && (options.all() || options.loops)) print_loops(tensor, out);
      }
      if (options.cost) print_cost(fusion, out);
      continue;
    }
    if (options.all() || options.why) print_automatic(fusion, options.why, out);
    if (options.all() || options.why || options.cost) print_tuned(fusion, options.why, out);
    if (options.all() || options.why) print_repeated(fusion, out);
    if (options.cost) print_cost(fusion, out);
    if (options.all() || options.load || options.why) print_loads(fusion, out);
    if (options.all() || options.loops) print_program(fusion, out);
    if (options.all()) print_conditions(fusion, out);
    if (options.all()) print_value_checks(fusion, out);
    if (options.cuda) kernels.insert(kernels.end(), fusion.cuda.begin(), fusion.cuda.end());
    if (fusion.compiled) print_resources(*fusion.compiled, resources);
  }
  for (const ItemAt& item : options.where) {
    out.blank();
    print_where(report, item, out);
  }
  const std::string cuda = one_file(kernels);
  if (only_cuda(options)) return cuda;
  std::string text = out.take();
  if (!cuda.empty()) text += "\nCUDA\n\n" + cuda;
  if (const std::string used = resources.take(); !used.empty()) text += "\n" + used;
  Lines result;
  print_runs(report.runs, result);
  print_values(report.values, result);
  if (const std::string ran = result.take(); !ran.empty()) text += "\n" + ran;
  const std::string wanted = wanted_text(report, options);
  if (!wanted.empty()) text += "\n" + wanted;
  return text;
}

}  // namespace selvage
