#include <selvage/kernel/box_loops.h>
#include <selvage/kernel/role_rings.h>
#include <selvage/kernel/verify_parts.h>
#include <selvage/kernel/verify_recurrence.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace selvage {

namespace {

constexpr std::int64_t kExactWork = std::int64_t{1} << 27;      // operations of runs that decide
constexpr std::int64_t kRecurringWork = std::int64_t{1} << 28;  // of runs that stand for all
constexpr std::size_t kMostPoints = 256;                     // values of sizes, each with its run
constexpr std::int64_t kSampleWork = std::int64_t{1} << 24;  // of one that may refute

KernelFinding finding_of(const AccessMap& map, const ReplayFault& fault) {
  KernelFinding f{.hazard = fault.hazard,
                  .verdict = Refuted{fault.sizes},
                  .statement = map.places()[fault.place].statement,
                  .buffer = fault.buffer,
                  .address = fault.address,
                  .sizes = fault.sizes,
                  .first = fault.first,
                  .second = fault.second,
                  .text = {}};
  auto& point = std::get<Refuted>(f.verdict).point;
  Point own;
  const auto add = [&](const ThreadAt& at, const char* mark) {
    const auto put = [&](Expr symbol, std::int64_t value) {
      if (symbol.is(Op::Symbol)) {
        own.emplace_back(map.pool().symbol(std::string(symbol.name()) + mark), value);
      }
    };
    for (std::size_t k = 0; k < 3; ++k) put(map.blocks()[k], at.block[k]);
    for (std::size_t k = 0; k < 3; ++k) put(map.threads()[k], at.thread[k]);
    for (const auto& [symbol, value] : at.variables) put(symbol, value);
  };
  add(fault.first, "");
  if (fault.second) add(*fault.second, "'");
  point.insert(point.begin(), own.begin(), own.end());
  const std::string where =
      fault.buffer ? fmt::format("{}[{}] ", map.kernel().buffers[*fault.buffer].name, fault.address)
                   : "";
  f.text = where + fault.what + ": " + to_text(fault.first);
  if (fault.second) f.text += "; and " + to_text(*fault.second);
  if (!fault.sizes.empty()) f.text += "; " + to_text(fault.sizes);
  return f;
}

}  // namespace

std::string to_text(const ThreadAt& at) {
  std::string text =
      fmt::format("block ({}), thread ({})", fmt::join(at.block, ", "), fmt::join(at.thread, ", "));
  if (!at.variables.empty()) text += ", " + to_text(at.variables);
  return text;
}

std::string_view to_string(Hazard h) {
  switch (h) {
    case Hazard::Race: return "race";
    case Hazard::Divergence: return "divergence";
    case Hazard::Lifetime: return "lifetime";
    case Hazard::Bounds: return "bounds";
  }
  return "";
}

bool Verification::is_legal() const {
  return std::all_of(verdicts.begin(), verdicts.end(),
                     [](const Verdict& v) { return is_proved(v); });
}

namespace {

// The most nodes of an expression for which proofs are tried. Multiplying out a larger one, such as
// a long chain of splits and merges that do not cancel, might take for ever.
constexpr std::uint32_t kLargestProved = 1 << 13;

bool is_too_large(const AccessMap& map) {
  const auto is_large = [](Expr e) { return e.valid() && e.size() > kLargestProved; };
  for (const KernelAccess& a : map.accesses()) {
    if (is_large(a.address) || std::any_of(a.indices.begin(), a.indices.end(), is_large)) {
      return true;
    }
    const std::vector<Expr>& conditions = map.scope(a.scope).conditions;
    if (std::any_of(conditions.begin(), conditions.end(), is_large)) return true;
  }
  return false;
}

Verification not_tried(const AccessMap& map) {
  Verification out;
  for (std::size_t h = 0; h < kHazards; ++h) {
    out.verdicts[h] = Unknown{map.pool().truth(false)};
    out.findings.push_back({.hazard = Hazard(h),
                            .verdict = out.verdicts[h],
                            .buffer = {},
                            .sizes = {},
                            .first = {},
                            .second = {},
                            .text = "its index expressions are too long for a proof"});
  }
  return out;
}

}  // namespace

static void add_findings(std::vector<KernelFinding> findings, Verification& out) {
  for (KernelFinding& f : findings) {
    Verdict& verdict = out.verdicts[std::size_t(f.hazard)];
    if (is_proved(verdict) || (is_refuted(f.verdict) && !is_refuted(verdict))) verdict = f.verdict;
    out.findings.push_back(std::move(f));
  }
}

// By the rings of one role that stand for those of two. Threads that copy do not store what the
// others keep in registers; and those who use tiles may not meet as in the rings.
static Verification verify(const Kernel& kernel,
                           const std::shared_ptr<SimplifiersByFacts>& simplifiers);
static Verification of_roles(const Kernel& kernel, const MergedRoles& merged) {
  Verification out = verify(*merged.rings, merged.simplifiers);
  out.written_out = merged.rings;
  add_findings(register_findings(kernel), out);
  const std::shared_ptr<const Kernel> rest = without_regions(kernel);
  HazardFindings kept = lifetime_findings(AccessMap(*rest, AccessMap::Of::All, merged.simplifiers));
  for (KernelFinding& f : kept.open) {
    if (f.buffer && rest->buffers[*f.buffer].memory != Memory::Local) continue;
    f.text += ", by the threads that copy";
    f.statement = nullptr;
    add_findings({std::move(f)}, out);
  }
  if (!merged.uses) return out;
  const AccessMap map(*merged.uses, AccessMap::Of::All, merged.simplifiers);
  ItemProofs items(map);
  const auto is_global = [&](BufferId b) {
    return map.kernel().buffers[b].memory == Memory::Global;
  };
  for (KernelFinding& f : race_findings(map, items, is_global).open) {
    f.text += ", by the threads that use what is copied";
    f.statement = nullptr;
    add_findings({std::move(f)}, out);
  }
  return out;
}

// Whether all that is open is about what one block does by itself.
static bool are_decided_by_one_block(const AccessMap& map, std::span<const HazardFindings> parts) {
  const auto is_of_block = [&](const KernelFinding& f) {
    return !f.buffer || map.kernel().buffers[*f.buffer].memory != Memory::Global;
  };
  return std::ranges::all_of(
             parts,
             [&](const HazardFindings& p) { return std::ranges::all_of(p.open, is_of_block); }) &&
         are_blocks_alike(map);
}

Verification verify(const Kernel& kernel) { return verify(kernel, nullptr); }

// `simplifiers`: as of an AccessMap.
static Verification verify(const Kernel& kernel,
                           const std::shared_ptr<SimplifiersByFacts>& simplifiers) {
  if (std::shared_ptr<const Kernel> written = with_stores_written_out(kernel)) {
    Verification out = verify(*written, simplifiers);
    add_findings(box_findings(AccessMap(kernel)), out);
    out.written_out = std::move(written);
    return out;
  }
  if (const auto merged = with_roles_merged(kernel)) return of_roles(kernel, *merged);
  AccessMap all(kernel, AccessMap::Of::All, simplifiers);
  if (is_too_large(all)) return not_tried(all);
  all.drop_unreached();
  const AccessMap& map = all;
  ItemProofs items(map);
  std::array<HazardFindings, kHazards> parts = {race_findings(map, items), divergence_findings(map),
                                                lifetime_findings(map),
                                                bounds_findings(map, items)};
  const auto add_part = [&](Hazard hazard, HazardFindings more) {
    HazardFindings& part = parts[std::size_t(hazard)];
    add_rules(more.proved, part.proved);
    std::ranges::move(more.open, std::back_inserter(part.open));
  };
  add_part(Hazard::Lifetime, replacement_findings(map, items));
  add_part(Hazard::Race, register_race_findings(map));
  if (kernel.launch.is_cluster) {
    std::vector<KernelFinding> far = far_arrival_findings(map);
    auto& open = parts[std::size_t(Hazard::Divergence)].open;
    open.insert(open.end(), std::make_move_iterator(far.begin()),
                std::make_move_iterator(far.end()));
  }
  // Runs of the kernel decide what is open, if its sizes are numbers or have few values and it is
  // small; else runs at some sizes may refute it.
  const bool is_open = std::any_of(parts.begin(), parts.end(),
                                   [](const HazardFindings& p) { return !p.open.empty(); });
  std::vector<Replay> runs;
  bool is_exact = false;
  std::string_view rule = "exact enumeration";
  if (is_open) {
    const bool is_of_one_block = are_decided_by_one_block(map, parts);
    if (const auto all = all_points(map.size_facts(), map.sizes(), kMostPoints)) {
      std::int64_t work = kExactWork;
      is_exact = true;
      for (const Point& sizes : *all) {
        runs.push_back(is_of_one_block ? replay_first_block(map, sizes, work)
                                       : replay(map, sizes, work));
        work = runs.back().work_left;
        is_exact = is_exact && runs.back().is_complete;
        if (work < 0) break;
      }
    }
    std::optional<RecurringRuns> recurring;
    const bool has_fault =
        std::ranges::any_of(runs, [](const Replay& run) { return !run.faults.empty(); });
    if (!is_exact && !has_fault && is_of_one_block && map.has_own_pace()) {
      recurring = recurring_runs(map, kRecurringWork);
    }
    if (recurring) {
      is_exact = recurring->is_decided;
      runs = std::move(recurring->runs);
      rule = "runs that recur";
    } else if (!is_exact && !map.sizes().empty()) {
      for (const Point& sizes : sample_points(map.size_facts(), map.sizes(), 4)) {
        runs.push_back(replay(map, sizes, kSampleWork));
      }
    }
  }
  Verification out;
  for (std::size_t h = 0; h < kHazards; ++h) {
    if (parts[h].open.empty()) {
      out.verdicts[h] = parts[h].proved;
      continue;
    }
    std::vector<KernelFinding> found;
    for (const Replay& run : runs) {
      for (const ReplayFault& fault : run.faults) {
        if (std::size_t(fault.hazard) == h) found.push_back(finding_of(map, fault));
      }
      if (!found.empty()) break;
    }
    const bool is_refuted_already =
        std::any_of(parts[h].open.begin(), parts[h].open.end(),
                    [](const KernelFinding& f) { return is_refuted(f.verdict); });
    if (found.empty() && is_exact && !is_refuted_already) {
      Proved proved = parts[h].proved;
      add_rule(std::string(rule), proved);
      out.verdicts[h] = std::move(proved);
      continue;
    }
    if (found.empty()) found = std::move(parts[h].open);
    std::stable_sort(found.begin(), found.end(),
                     [](const KernelFinding& a, const KernelFinding& b) {
                       return is_refuted(a.verdict) > is_refuted(b.verdict);
                     });
    out.verdicts[h] = found[0].verdict;
    for (KernelFinding& f : found) out.findings.push_back(std::move(f));
  }
  if (!kernel.maps.empty()) add_findings(box_findings(map), out);
  if (kernel.launch.is_cluster) add_findings(rank_findings(map), out);
  add_findings(register_findings(kernel), out);
  return out;
}

}  // namespace selvage
