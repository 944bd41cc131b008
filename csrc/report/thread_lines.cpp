#include <selvage/base/words.h>
#include <selvage/expr/text.h>
#include <selvage/ir/parallel.h>
#include <selvage/report/run_lines.h>
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

void print_iterations(const RegionThreads& who, Lines& out) {
  print_some(named_iterations(who), 4, out, [&](const NamedIteration& iteration) {
    const std::string name = iteration.name + ":";
    if (!iteration.mask.is_product()) {
      out.line(4, name);
      return print_mask(iteration.mask, 6, out);
    }
    const std::size_t room = Lines::kColumns - 5 - std::min(name.size(), Lines::kColumns / 2);
    out.line(4, name + " " + iteration.mask.text(std::int64_t(room)));
  });
}

void print_region(const ThreadRegion& region, const std::vector<ThreadRegion>& all, Lines& out) {
  std::string head = region.role.empty() ? region.when : region.role + ", " + region.when;
  if (region.around) head += ", in " + all[*region.around].when;
  head += region.is_implicit ? ": once for each outer instance, "
          : region.is_async  ? ": asynchronous, "
                             : ": ";
  const RegionThreads& who = region.who;
  if (who.is_dynamic()) return out.line(2, head + "dynamic, known at run time");
  if (!who.mask) {
    std::vector<std::string> loops;
    for (const MaskIndex& i : who.loops) loops.push_back(std::string(i.symbol.name()));
    out.line(2, head + "by iteration of " + joined(loops));
    return print_iterations(who, out);
  }
  const ThreadMask& mask = *who.mask;
  out.line(2, head + std::to_string(mask.count()) + " of " + counted(mask.size(), "thread"));
  print_mask(mask, 4, out);
  if (mask.block_threads() >= kWarp) {
    std::string text = units_text(mask.warps(), "warps");
    if (mask.block_threads() >= kWarpgroup) {
      text += "; " + units_text(mask.warpgroups(), "warpgroups");
    }
    out.line(4, text);
  }
}

// How often each thread has run it, thread 0 rightmost, blocks apart: "3334", "(12)0",
// "0{64}4{32}". Empty: too long.
std::string counts_text(const std::vector<std::int64_t>& executed, std::int64_t block_threads) {
  constexpr std::size_t kLongest = 160, kShortestRun = 17;
  std::string text;
  for (std::size_t t = executed.size(); t > 0 && text.size() <= kLongest;) {
    const std::size_t first = (t - 1) / std::size_t(block_threads) * std::size_t(block_threads);
    const std::int64_t n = executed[t - 1];
    std::size_t run = 0;
    for (; t > first && executed[t - 1] == n; --t) ++run;
    const std::string one = n <= 9 ? std::to_string(n) : "(" + std::to_string(n) + ")";
    if (run >= kShortestRun) {
      text += one + "{" + std::to_string(run) + "}";
    } else {
      for (std::size_t k = 0; k < run; ++k) text += one;
    }
    if (t == first && t > 0) text += " ";
  }
  return text.size() <= kLongest ? text : "";
}

std::string times_text(std::int64_t n) {
  return n == 1 ? "once" : n == 2 ? "twice" : std::to_string(n) + " times";
}

// "run by 3 of 24 threads, once each"; with each thread's own count if that is more than the mask
// shows.
std::string executed_text(const ThreadRegion& region, const std::vector<std::int64_t>& executed,
                          std::int64_t block_threads) {
  std::int64_t active = 0, times = 0, most = 0;
  for (std::int64_t n : executed) {
    active += n > 0 ? 1 : 0;
    times += n;
    most = std::max(most, n);
  }
  if (active == 0) return region.when + ": run by no thread";
  const bool is_alike = times == active * most;
  std::string text = region.when + ": run by " + std::to_string(active) + " of " +
                     counted(std::int64_t(executed.size()), "thread") + ", " +
                     (is_alike ? times_text(most) + (active == 1 ? "" : " each")
                               : counted(times, "time") + " in all");
  if (is_alike && region.who.mask) return text;
  const std::string counts = counts_text(executed, block_threads);
  return counts.empty() ? text : text + ": " + counts;
}

// "Run by emulation at limit = 5: as the masks say, and as before"
std::string run_text(const ThreadReport& report, const ThreadRun& run) {
  std::vector<std::string> symbols;
  for (const auto& [name, value] : run.symbols) {
    symbols.push_back(name + " = " + std::to_string(value));
  }
  std::vector<std::string> said;
  if (!run.passed()) said.push_back("WRONG");
  if (run.passed() && run.executed.size() > run.not_compared.size()) {
    said.push_back(run.not_compared.empty() ? "as the masks say"
                                            : "as the masks say that are compared");
  }
  if (&run != &report.runs.front() && report.differences.empty()) {
    said.push_back("the same counts and arrays");
  }
  return "Run " + where(run.machine, run.device) +
         (symbols.empty() ? "" : " at " + joined(symbols)) +
         (said.empty() ? "" : ": " + joined(said));
}

// Prints the threads in several regions of a group, and those in none.
void print_partition(const AsyncGroup& group, Lines& out) {
  const std::string when = group.is_by_iteration ? "in every iteration " : "";
  const auto unknown = [&](const std::string& what) {
    out.line(2, "whether a thread is in " + what + " is not known, or not the same in every run" +
                    (group.is_by_iteration ? " and iteration" : ""));
  };
  if (!group.is_disjoint && !group.is_complete) return unknown("two of them, or in none,");
  if (!group.is_disjoint) {
    unknown("two of them");
  } else {
    out.line(2, when + (*group.is_disjoint
                            ? "no thread is in two of them"
                            : "some thread is in two of them, which it runs one after the other"));
  }
  if (!group.is_complete) return unknown("none of them");
  out.line(2, when + (*group.is_complete ? "every thread is in one of them"
                                         : "some thread is in none of them"));
}

}  // namespace

std::vector<NamedIteration> named_iterations(const RegionThreads& who) {
  std::vector<NamedIteration> out;
  std::size_t first = 0;
  for (std::size_t k = 0; k < who.iterations.size(); ++k) {
    if (k > 0 && who.loops.size() == 1 && who.iterations[k] == who.iterations[k - 1]) {
      out.back().name = to_text(who.iteration_at(first)) + " to " + std::to_string(k);
    } else {
      first = k;
      out.push_back({to_text(who.iteration_at(k)), who.iterations[k]});
    }
  }
  return out;
}

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
  print_some(lowered.regions, 2, out,
             [&](const ThreadRegion& r) { print_region(r, lowered.regions, out); });
  for (const AsyncGroup& group : lowered.groups) {
    std::vector<std::string> names;
    for (std::size_t r : group.regions) names.push_back(lowered.regions[r].when);
    out.heading("Run side by side: " + joined(names));
    print_partition(group, out);
  }
}

void print_thread_runs(const ThreadReport& report, Lines& out) {
  const LoweredThreads& lowered = report.lowered;
  for (const ThreadRun& run : report.runs) {
    out.line(0, run_text(report, run));
    // What is run again is run alike: else that is said.
    const bool is_news = &run == &report.runs.front() || !report.differences.empty();
    for (std::size_t r = 0; is_news && r < run.executed.size(); ++r) {
      const std::int64_t block = lowered.tree.chains.empty() ? 1 : lowered.tree.chains[0].threads();
      out.line(2, executed_text(lowered.regions[r], run.executed[r], block));
      const auto why = run.not_compared.find(r);
      if (why != run.not_compared.end()) out.line(4, "not compared: " + why->second);
    }
    for (const std::string& d : run.differences) out.line(2, "difference: " + d);
    for (const std::string& fault : run.faults) out.line(2, "fault: " + fault);
    if (run.times) out.line(2, to_text(*run.times));
  }
  for (const std::string& d : report.differences) out.line(0, "difference: " + d);
}

}  // namespace selvage
