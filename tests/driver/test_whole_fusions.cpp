// Random fusions of all kinds of operations under random schedules: the reference, emulation and
// the emitted text agree; emulation finds no fault, and verification refutes nothing.
#include <selvage/base/check.h>
#include <selvage/base/diagnostic.h>
#include <selvage/driver/run.h>
#include <selvage/frontend/schedule_writer.h>
#include <selvage/kernel/print.h>
#include <selvage/kernel/verify.h>
#include <selvage/legality/analysis.h>

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <set>

#include "tests/lower/random_whole_schedule.h"
#include "tests/support/counts.h"
#include "tests/support/lowered.h"

namespace selvage {
namespace {

using test::WholeCase;
using test::WholeRecipe;

struct Figures {
  int cases = 0, steps = 0, not_lowered = 0, kernels = 0;
  int thread_folds = 0, shared = 0, hosted = 0, barriers = 0, needless_barriers = 0;
  int vectors = 0, local = 0, runs = 0;
  std::map<std::string, int> launch_refusals, refused_steps, refused_lowering, unknown;
  std::map<std::string, std::string> examples;
};

bool folds_by_threads(const Schedule& s, const Program& program) {
  for (const TensorAnalysis& a : program.tensors) {
    if (!s.fusion()[a.tensor].fold) continue;
    for (DomainId d : s.loop_domains(a.tensor)) {
      if (is_thread(s.parallel(a.tensor, d)) && s.is_folded(a.tensor, d)) return true;
    }
  }
  return false;
}

void count_kernel(const Kernel& kernel, const Verification& v, Figures& figures) {
  ++figures.kernels;
  for (std::size_t h = 0; h < kHazards; ++h) {
    if (is_unknown(v.verdicts[h])) ++figures.unknown[std::string(to_string(Hazard(h)))];
  }
  figures.barriers += int(barriers_in(kernel.body));
}

std::string wrong_at(const WholeCase& c, const std::map<std::string, std::int64_t>& sizes,
                     const std::set<std::string>& allowed, bool is_proved, Figures& figures) {
  std::string text;
  RunRequest request{
      .sizes = sizes,
      .inputs = sizes == c.random.sizes ? c.random.inputs : c.random.inputs_at(sizes)};
  request.on = Machine::Emulate;
  request.on_all = true;
  RunResult result;
  try {
    result = run(*c.random.fusion, *c.program, request);
  } catch (const BadInput& refusal) {
    const std::string code = refusal.diagnostic().code;
    if (!allowed.contains(code)) return std::string("run: ") + refusal.what() + "\n";
    ++figures.launch_refusals[code];
    figures.examples.emplace("launch " + code, refusal.what());
    return "";
  }
  ++figures.runs;
  for (const std::string& fault : result.faults) {
    text += std::string("fault") + (is_proved ? " though proved: " : ": ") + fault + "\n";
  }
  for (const Comparison& r : result.comparisons) {
    const bool is_inexact = c.random.inexact.contains(r.output);
    // fmax(0.0, -0.0) may be either.
    if (r.max_difference > 0 && (r.failures > 0 || !is_inexact)) {
      text += "value " + std::string(to_string(r.machine)) + ": " + r.first + "\n";
    }
  }
  return text;
}

// What is wrong with it, "" if nothing is.
std::string wrong(const WholeCase& c, Figures& figures) {
  if (!c.program) return "";
  std::string text;
  bool is_proved_whole = true;
  for (const ProgramStep& step : c.program->steps) {
    for (const Kernel& kernel : step.variants) {
      const Verification v = verify(kernel);
      count_kernel(kernel, v, figures);
      for (const KernelFinding& f : v.findings) {
        is_proved_whole = false;
        if (is_refuted(f.verdict)) {
          text += "verify " + std::string(to_string(f.hazard)) + ": " + f.text + "\n";
        }
      }
      for (std::size_t k = 0; k < barriers_in(kernel.body); ++k) {
        Kernel without = kernel;
        std::size_t at = k;
        test::remove_barrier(without.body, at);
        if (is_proved(verify(without).of(Hazard::Race))) ++figures.needless_barriers;
      }
    }
  }
  text += wrong_at(c, c.random.sizes, {"E621", "E622"}, is_proved_whole, figures);
  // Each size 0 by itself: a slice may then be refused.
  for (const auto& [name, size] : c.random.sizes) {
    std::map<std::string, std::int64_t> sizes = c.random.sizes;
    sizes[name] = 0;
    if (c.random.has_shapes(sizes)) {
      text += wrong_at(c, sizes, {"E615", "E616"}, true, figures);
    }
  }
  return text;
}

std::string outcome(const WholeRecipe& recipe, Figures& figures) {
  try {
    const WholeCase c(recipe);
    ++figures.cases;
    figures.steps += c.steps_taken;
    for (const auto& [code, n] : c.refused_steps) figures.refused_steps[code] += n;
    for (const auto& [code, n] : c.refused_lowering) figures.refused_lowering[code] += n;
    for (const auto& [code, example] : c.examples) figures.examples.emplace(code, example);
    if (!c.program) {
      ++figures.not_lowered;
      return "";
    }
    const Schedule& s = *c.program->schedule;
    bool shared = false, hosted = false, local = false, vectors = false;
    for (std::size_t t = 0; t < s.fusion().size(); ++t) {
      hosted = hosted || s.site(TensorId(t));
      for (DomainId d : s.loop_domains(TensorId(t))) {
        vectors = vectors || s.parallel(TensorId(t), d) == ParallelType::Vectorize;
      }
    }
    for (const ProgramStep& step : c.program->steps) {
      for (const Buffer& b : step.variants.back().buffers) {
        shared = shared || b.memory == Memory::Shared;
        local = local || b.memory == Memory::Local;
      }
    }
    figures.shared += shared;
    figures.hosted += hosted;
    figures.local += local;
    figures.vectors += vectors;
    figures.thread_folds += folds_by_threads(s, *c.program);
    return wrong(c, figures);
  } catch (const std::exception& e) {
    return std::string("throws: ") + e.what() + "\n";
  }
}

std::string shown(const WholeRecipe& recipe) {
  std::string text;
  try {
    const WholeCase c(recipe);
    for (const auto& [name, n] : c.random.sizes) text += name + " = " + std::to_string(n) + " ";
    text += "\n";
    try {
      text += to_schedule_file(*c.random.fusion, *c.schedule);
    } catch (const Error& e) {
      text += e.what();
    }
    if (!c.program) return text;
    for (const ProgramStep& step : c.program->steps) {
      text += "\n" + loop_nest(step.variants.back());
    }
  } catch (const std::exception& e) {
    text += e.what();
  }
  return text;
}

void print(const Figures& f) {
  std::printf(
      "%d cases, %d steps taken, %d kernels; of the cases %d fold by threads, %d share, "
      "%d host, %d keep locally, %d have vectors; %d not lowered at all; %d runs; "
      "%d barriers, %d needless\n",
      f.cases, f.steps, f.kernels, f.thread_folds, f.shared, f.hosted, f.local, f.vectors,
      f.not_lowered, f.runs, f.barriers, f.needless_barriers);
  for (const auto& [what, n] : f.unknown) std::printf("  unknown %s: %d\n", what.c_str(), n);
  for (const auto& [what, n] : f.launch_refusals) {
    std::printf("  not launched %s: %d\n", what.c_str(), n);
  }
  for (const auto& [what, n] : f.refused_steps) std::printf("  refused %s: %d\n", what.c_str(), n);
  for (const auto& [what, n] : f.refused_lowering) {
    std::printf("  refused lower %s: %d\n", what.c_str(), n);
  }
  if (std::getenv("SELVAGE_EXAMPLES") == nullptr) return;
  for (const auto& [what, text] : f.examples) std::printf("  %s: %s\n", what.c_str(), text.c_str());
}

TEST(WholeFusions, AgreeUnderRandomSchedules) {
  Figures figures;
  const char* first = std::getenv("FIRST");
  const int begin = first == nullptr ? 1 : std::atoi(first);
  const int n = count(100, 5'000);
  int failures = 0;
  for (int i = begin; i < begin + n && failures < 12; ++i) {
    const WholeRecipe recipe{.seed = std::uint64_t(i)};
    const std::string text = outcome(recipe, figures);
    if (text.empty()) continue;
    ++failures;
    Figures ignored;
    const WholeRecipe small =
        test::shrunk(recipe, [&](const WholeRecipe& r) { return outcome(r, ignored); });
    ADD_FAILURE() << "seed " << i << ": " << text.substr(0, 1000)
                  << "shrunk: " << outcome(small, ignored).substr(0, 1000) << shown(small);
  }
  print(figures);
  // Without a schedule everything is lowered, but for subscripts that are not proved in bounds.
  EXPECT_LE(figures.not_lowered, figures.cases / 500);
  EXPECT_EQ(figures.needless_barriers, 0);
}

}  // namespace
}  // namespace selvage
