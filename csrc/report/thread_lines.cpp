#include <selvage/base/words.h>
#include <selvage/expr/text.h>
#include <selvage/report/thread_lines.h>

#include <algorithm>

namespace selvage {

namespace {

std::string extent_text(const ParallelLevel& level) {
  std::vector<std::string> words;
  for (const MaskIndex& i : level.indices) {
    words.push_back(std::string(i.symbol.name()) + " in " + std::to_string(i.extent));
  }
  return joined(words);
}

// "warps: 1 active as a whole, 1 in part, 2 not"
std::string units_text(const ActiveUnits& units, const std::string& what) {
  std::vector<std::string> words;
  if (units.full > 0) words.push_back(std::to_string(units.full) + " active as a whole");
  if (units.partial > 0) words.push_back(std::to_string(units.partial) + " in part");
  if (units.idle > 0) words.push_back(std::to_string(units.idle) + " not");
  return what + ": " + joined(words) + (units.is_uniform() ? ", uniform" : ", divergent");
}

void print_mask(const ThreadMask& mask, std::size_t indent, Lines& out) {
  if (mask.is_product()) {
    out.line(indent, mask.text(std::int64_t(Lines::kColumns - indent)));
    return;
  }
  const auto rows = mask.rows(Lines::kMostItems);
  for (const std::string& row : rows) out.line(indent, row);
  if (mask.row_count() > std::int64_t(rows.size())) {
    out.rest(indent, std::size_t(mask.row_count()) - rows.size());
  }
}

void print_region(const ThreadRegion& region, Lines& out) {
  std::string kind = region.is_implicit ? "once for each outer instance, " : "";
  if (region.is_async) kind = "asynchronous, ";
  const RegionThreads& who = region.who;
  if (who.is_dynamic()) {
    return out.line(2, region.when + ": " + kind + "dynamic, known at run time");
  }
  if (!who.mask) {
    out.line(
        2, region.when + ": " + kind + "by iteration of " + [&] {
          std::vector<std::string> words;
          for (const MaskIndex& i : who.loops) words.push_back(std::string(i.symbol.name()));
          return joined(words);
        }());
    return print_some(who.iterations, 4, out,
                      [&](const ThreadMask& mask) { print_mask(mask, 4, out); });
  }
  const ThreadMask& mask = *who.mask;
  out.line(2, region.when + ": " + kind + std::to_string(mask.count()) + " of " +
                  counted(mask.size(), "thread"));
  print_mask(mask, 4, out);
  if (mask.block_threads() >= kWarpThreads) {
    std::string text = units_text(mask.warps(), "warps");
    if (mask.block_threads() >= kWarpgroupThreads) {
      text += "; " + units_text(mask.warpgroups(), "warpgroups");
    }
    out.line(4, text);
  }
}

std::string said(const std::optional<bool>& fact, const char* yes, const char* no) {
  return !fact ? "known at run time" : *fact ? yes : no;
}

std::string where(const ThreadRun& run) {
  switch (run.machine) {
    case Machine::Emulate: return "by emulation";
    case Machine::Virtual: return "on the virtual device";
    case Machine::Gpu: return "on the GPU" + (run.device.empty() ? "" : ", " + run.device);
  }
  return {};
}

// Who has run it, as a mask is written: the number of times, where that is more than once.
std::string counts_text(const std::vector<std::int64_t>& executed) {
  std::string text;
  for (std::size_t t = executed.size(); t-- > 0;) {
    const bool is_digit = executed[t] <= 9;
    text += is_digit ? std::to_string(executed[t]) : "(" + std::to_string(executed[t]) + ")";
  }
  return text;
}

}  // namespace

void print_threads(const ThreadReport& report, Lines& out) {
  const LoweredThreads& lowered = report.lowered;
  for (const LevelChain& chain : lowered.tree.chains) {
    if (chain.levels.empty()) continue;
    out.heading("Levels: " + counted(chain.blocks(), "block") + " of " +
                counted(chain.threads(), "thread"));
    for (const ParallelLevel& level : chain.levels) {
      out.line(2, std::string(to_string(*level.kind)) + ": " + extent_text(level));
    }
  }
  if (!lowered.regions.empty()) out.heading("Masks, bit 0 rightmost");
  print_some(lowered.regions, 2, out, [&](const ThreadRegion& r) { print_region(r, out); });
  for (const AsyncGroup& group : lowered.groups) {
    std::vector<std::string> names;
    for (std::size_t r : group.regions) names.push_back(lowered.regions[r].when);
    out.heading("Run side by side: " + joined(names));
    out.line(2, said(group.is_disjoint, "no thread is in two of them",
                     "some thread is in two of them, which it runs one after the other"));
    out.line(2, said(group.is_complete, "every thread is in one of them",
                     "some thread is in none of them"));
  }
}

void print_thread_runs(const ThreadReport& report, Lines& out) {
  constexpr std::size_t kMostThreads = 128;
  for (const ThreadRun& run : report.runs) {
    std::vector<std::string> symbols;
    for (const auto& [name, value] : run.symbols) {
      symbols.push_back(name + " = " + std::to_string(value));
    }
    out.line(0, "Run " + where(run) + (symbols.empty() ? "" : " at " + joined(symbols)) +
                    (run.passed() ? "" : ": WRONG"));
    for (std::size_t r = 0; r < run.executed.size(); ++r) {
      const auto& executed = run.executed[r];
      const auto active =
          std::count_if(executed.begin(), executed.end(), [](std::int64_t n) { return n > 0; });
      std::int64_t times = 0;
      for (std::int64_t n : executed) times += n;
      std::string text = report.lowered.regions[r].when + ": run by " + counted(active, "thread") +
                         ", " + counted(times, "time") + " in all";
      if (executed.size() <= kMostThreads) text += ": " + counts_text(executed);
      out.line(2, text);
    }
    for (const std::string& d : run.differences) out.line(2, "difference: " + d);
    for (const std::string& fault : run.faults) out.line(2, "fault: " + fault);
    if (!run.times) continue;
    char text[64];
    for (const KernelTime& k : run.times->kernels) {
      std::snprintf(text, sizeof text, " ran %.3g ms", k.seconds * 1e3);
      out.line(2, k.name + text);
    }
  }
  for (const std::string& d : report.differences) out.line(0, "difference: " + d);
}

}  // namespace selvage
