#include <selvage/base/words.h>
#include <selvage/report/run_lines.h>

namespace selvage {

namespace {

std::string milliseconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g ms", seconds * 1e3);
  return text;
}

std::string verdict(const Comparison& c) {
  if (c.points == 0) return "empty";
  const std::string all = counted(c.points, "item");
  char difference[32];
  std::snprintf(difference, sizeof difference, "%.3g", c.max_difference);
  if (c.mismatches == 0) return all + ", bit for bit those of the unscheduled program";
  if (c.failures == 0) {
    return all + ", all close to the unscheduled program: " + std::to_string(c.mismatches) +
           " differ, by at most " + difference;
  }
  return "WRONG: " + std::to_string(c.failures) + " of " + all +
         " differ from the unscheduled program, by up to " + difference + "; " + c.first;
}

}  // namespace

std::string where(Machine machine, const std::string& device) {
  switch (machine) {
    case Machine::Emulate: return "by emulation";
    case Machine::Virtual: return "on the virtual device";
    case Machine::Gpu: return "on the GPU" + (device.empty() ? "" : ", " + device);
  }
  return {};
}

std::string to_text(const RunTimes& times) {
  std::string text;
  if (times.compile > 0) text = "compiled in " + milliseconds(times.compile);
  for (const KernelTime& k : times.kernels) {
    text += (text.empty() ? "" : "; ") + k.name + " ran " + milliseconds(k.seconds);
  }
  return text;
}

void print_runs(const std::vector<RunResult>& runs, Lines& out) {
  for (const RunResult& run : runs) {
    std::string sizes;
    for (const auto& [name, value] : run.sizes) {
      sizes += (sizes.empty() ? " at " : ", ") + name + " = " + std::to_string(value);
    }
    for (const Comparison& c : run.comparisons) {
      std::string text =
          "Run " + where(c.machine, run.device) + sizes + ": " + c.output + ", " + verdict(c);
      if (c.open > 0) text += "; " + counted(c.open, "item") + " not compared: near ties decide";
      if (c.unvisited > 0) text += "; " + counted(c.unvisited, "item") + " no loop point visits";
      out.line(0, text);
    }
    if (run.times) out.line(2, to_text(*run.times));
    for (const std::string& fault : run.faults) out.line(2, "fault: " + fault);
  }
}

}  // namespace selvage
