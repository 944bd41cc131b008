#include <selvage/base/words.h>
#include <selvage/expr/symbols.h>
#include <selvage/report/thread_lines.h>

#include <algorithm>

namespace selvage {

namespace {

struct NamesUsed {
  std::vector<std::string> indices, loops, symbols;
};

// Outer ones first.
NamesUsed names_in(const ThreadRegion& region) {
  NamesUsed used;
  std::vector<Expr> left = symbols_of(region.condition);
  const auto take = [&](Expr symbol, std::vector<std::string>& names) {
    const auto is_it = [&](Expr s) { return same(s, symbol); };
    if (std::erase_if(left, is_it) > 0) names.push_back(std::string(symbol.name()));
  };
  for (const MaskLevel& level : region.levels) {
    for (const MaskIndex& index : level.indices) take(index.symbol, used.indices);
  }
  for (const LoopAround& loop : region.loops) take(loop.index, used.loops);
  for (Expr s : left) used.symbols.push_back(std::string(s.name()));
  std::ranges::sort(used.symbols);
  return used;
}

std::string reason_for(const ThreadRegion& region) {
  const NamesUsed used = names_in(region);
  if (region.who.mask) {
    std::vector<std::string> others = used.loops;
    others.insert(others.end(), used.symbols.begin(), used.symbols.end());
    if (!others.empty()) return "constant, the same whatever " + listed(others) + " may be";
    return used.indices.empty() ? "constant, it depends on nothing"
                                : "constant, it depends on " + listed(used.indices) + " alone";
  }
  if (!region.who.is_dynamic()) {
    return "by iteration, it depends on " + listed(used.loops) +
           ", of which all iterations are known";
  }
  if (!used.symbols.empty()) {
    return "dynamic, it depends on " + listed(used.symbols) + ", known when it is launched";
  }
  return "dynamic, it depends on " + listed(used.loops) +
         ", of which the iterations are not known, or too many";
}

std::string reason_for(const ThreadStep& barrier) {
  if (barrier.label.starts_with("sync: ")) return "the program asks for it";
  if (barrier.label.starts_with("between levels")) {
    return "behind it threads read or write what others have written or read before it";
  }
  return "the region is not asynchronous: who runs the code around waits for it";
}

}  // namespace

void print_reasons(const LoweredThreads& lowered, Lines& out) {
  if (!lowered.regions.empty()) out.heading("Why the masks are what they are");
  print_some(lowered.regions, 2, out, [&](const ThreadRegion& region) {
    out.line(2, region.when + ": " + reason_for(region));
  });
  if (!lowered.kernel) return;
  out.heading("Why there are barriers");
  if (lowered.steps.empty()) {
    return out.line(2,
                    "levels side by side: they stand in the kernel, and are not told one by one");
  }
  std::vector<std::pair<std::string, std::string>> barriers;  // and why; alike ones once
  for (const ThreadStep& step : lowered.steps) {
    if (step.kind != ThreadStep::Kind::Barrier) continue;
    std::pair<std::string, std::string> barrier{step.label, reason_for(step)};
    if (std::ranges::find(barriers, barrier) == barriers.end()) barriers.push_back(barrier);
  }
  for (const auto& [label, reason] : barriers) out.line(2, label + ": " + reason);
  if (barriers.empty()) out.line(2, "there is none");
  std::vector<std::string> alone;
  for (const ThreadRegion& region : lowered.regions) {
    const bool is_named = std::ranges::find(alone, region.when) != alone.end();
    if (region.is_async && !is_named) alone.push_back(region.when);
  }
  if (!alone.empty()) out.line(2, "none behind " + listed(alone) + ": asynchronous");
}

}  // namespace selvage
