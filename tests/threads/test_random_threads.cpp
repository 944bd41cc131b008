// Random thread programs against an oracle that looks at every thread, and runs each by itself.
#include <gtest/gtest.h>

#include <selvage/codegen/cuda.h>
#include <selvage/kernel/verify.h>
#include <selvage/runtime/bound_kernel.h>
#include <selvage/runtime/nvrtc.h>
#include <selvage/threads/region_counts.h>

#include <algorithm>
#include <map>

#include "tests/support/counts.h"
#include "tests/threads/draws.h"
#include "tests/threads/engine_side.h"
#include "tests/threads/random_threads.h"

namespace selvage::thread_oracle {
namespace {

std::string shown(const std::vector<std::int64_t>& values) {
  std::string text;
  for (std::int64_t v : values) text += std::to_string(v) + " ";
  return text;
}

// All values of the loops around a region, those of unknown extents left at 0; `others` is set to
// each.
template <class Visit>
void for_each_iteration(const ThreadCase& program, const Region& region, Values others,
                        std::size_t k, const Visit& visit) {
  if (k == region.loops.size()) return visit(others);
  const std::size_t v = std::size_t(region.loops[k]->variable);
  const std::int64_t n = std::max<std::int64_t>(program.variables[v].extent, 1);
  for (others[v] = 0; others[v] < n; ++others[v]) {
    for_each_iteration(program, region, others, k + 1, visit);
  }
}

// With these values of symbols, does each loop around run at all? (Where it depends on the thread,
// it does for some.)
bool is_reached(const Region& region, const ThreadCase& program, const Values& symbols) {
  for (const Item* loop : region.loops) {
    const bool is_symbol =
        loop->extent && loop->extent->op == Term::Op::Variable &&
        program.variables[std::size_t(loop->extent->number)].kind == Variable::Kind::Symbol;
    if (is_symbol && evaluate(*loop->extent, symbols) < 1) return false;
  }
  return true;
}

// What is wrong with a mask as the engine tells it; empty: nothing.
std::string compare(const ThreadMask& mask, const Mask& expected) {
  if (mask.size() != std::int64_t(expected.active.size())) return "another number of threads";
  for (std::size_t t = 0; t < expected.active.size(); ++t) {
    if (mask.contains(std::int64_t(t)) != expected.active[t]) {
      return "thread " + std::to_string(t) + " is wrong";
    }
  }
  if (mask.count() != expected.count()) return "active";
  if (mask.is_product() != expected.is_product()) return "product";
  if (expected.is_product() && mask.text() != expected.text() && expected.text().size() <= 4096) {
    return mask.text() + ", not " + expected.text();
  }
  if (mask.rows() != expected.rows()) return "rows";
  return {};
}

std::string compare_region(const ThreadRegion& engine, const Region& region,
                           const ThreadCase& program, const Numbering& numbering,
                           std::map<std::string, int>& kinds) {
  if (engine.when != region.when) return "it is " + engine.when;
  if (engine.is_implicit != region.is_implicit || engine.is_async != region.is_async) {
    return "another kind of region";
  }
  std::optional<Mask> first;
  bool same_always = true, same_in_iteration = true;
  std::string wrong;
  const std::vector<int> symbols = program.symbols();
  std::map<Values, Mask> by_iteration;  // symbols 0 in the key
  for (const auto& values : program.symbol_values()) {
    Values others(program.variables.size(), 0);
    for (std::size_t k = 0; k < symbols.size(); ++k) others[std::size_t(symbols[k])] = values[k];
    if (!is_reached(region, program, others)) continue;
    for_each_iteration(program, region, others, 0, [&](const Values& at) {
      Mask mask = mask_of(region, program, numbering, at);
      if (!first) first = mask;
      same_always = same_always && *first == mask;
      Values key = at;
      for (int s : symbols) key[std::size_t(s)] = 0;
      const auto [it, is_new] = by_iteration.try_emplace(key, mask);
      same_in_iteration = same_in_iteration && (is_new || it->second == mask);
    });
  }
  if (!first) return {};
  const RegionThreads& who = engine.who;
  if (same_always) {
    ++kinds[first->is_product() ? "product" : "rows"];
    return who.mask ? compare(*who.mask, *first) : "dynamic, and it is not";
  }
  if (who.mask) return "it has one mask, and should not";
  if (!same_in_iteration) {
    ++kinds["dynamic"];
    return who.is_dynamic() ? "" : "it should be dynamic";
  }
  ++kinds["iterations"];
  if (who.iterations.empty()) return "it has no iterations";
  for (const auto& [at, mask] : by_iteration) {
    std::size_t number = 0;
    for (const MaskIndex& loop : who.loops) {
      std::size_t v = 0;
      while (v < program.variables.size() && program.variables[v].name != loop.symbol.name()) ++v;
      if (v == program.variables.size()) return "no loop " + std::string(loop.symbol.name());
      number = number * std::size_t(loop.extent) + std::size_t(at[v]);
    }
    wrong = compare(who.iterations.at(number), mask);
    if (!wrong.empty()) return "iteration " + std::to_string(number) + ": " + wrong;
  }
  return {};
}

// Without what oracle and engine keep of arrays that are gone when all is done.
std::vector<std::vector<std::int64_t>> with_global_alone(
    const ThreadCase& program, std::vector<std::vector<std::int64_t>> arrays) {
  for (std::size_t a = 0; a < arrays.size(); ++a) {
    if (program.arrays[a].memory != ArrayOf::Memory::Global) arrays[a].clear();
  }
  return arrays;
}

// Does a refusal leave the masks as they are?
bool masks_are_known(const std::string& refusal) {
  for (const char* code :
       {"E1", "E2", "E3", "E5", "E810", "E811", "E812", "E820", "E821", "E822", "E823", "E825"}) {
    if (refusal.find(code) != std::string::npos) return false;
  }
  return true;
}

// For what a run of it does, and not for what it says.
bool is_refused_by_the_kernel(const std::string& refusal) {
  for (std::size_t k = 0; k < refusal.size(); k += 5) {
    const std::string code = refusal.substr(k, 4);
    if (code != "E815" && code != "E817" && code != "E818" && code != "E819" && code != "E824") {
      return false;
    }
  }
  return true;
}

// Is there an inthreads that is not asynchronous, or a sync? Else all barriers are of implicit
// masks.
bool asks_for_barriers(const Item& item) {
  if (item.kind == Item::Kind::Sync) return true;
  if (item.kind == Item::Kind::InThreads && !item.is_async) return true;
  return std::any_of(item.body.begin(), item.body.end(), asks_for_barriers);
}

bool leaves_loops(const Item& item) {
  if (item.kind == Item::Kind::Break || item.kind == Item::Kind::Continue) return true;
  return std::any_of(item.body.begin(), item.body.end(), leaves_loops);
}

// What is said wrongly of regions that run side by side; empty: nothing.
std::string wrong_group(const LoweredThreads& lowered, const std::vector<Region>& regions,
                        const ThreadCase& program, const Numbering& numbering) {
  for (const AsyncGroup& group : lowered.groups) {
    std::vector<int> active(std::size_t(numbering.threads()), 0);
    bool is_static = true;
    for (std::size_t r : group.regions) {
      if (!regions[r].is_async) return "a region that is not asynchronous";
      is_static = is_static && lowered.regions[r].who.mask.has_value();
      if (!is_static) continue;
      const Mask mask =
          mask_of(regions[r], program, numbering, Values(program.variables.size(), 0));
      for (std::size_t t = 0; t < active.size(); ++t) active[t] += mask.active[t];
    }
    // A mask that is the same for all symbols at which it is reached may be another at 0.
    if (!is_static || !program.symbols().empty()) continue;
    const bool is_disjoint = *std::max_element(active.begin(), active.end()) <= 1;
    const bool is_complete = *std::min_element(active.begin(), active.end()) >= 1;
    if (group.is_disjoint != is_disjoint) return "disjoint";
    if (group.is_complete != is_complete) return "complete";
  }
  return {};
}

// What a run would be said to have done wrongly, which is right; empty: nothing.
std::string wrong_counts(const EngineCase& engine, const std::vector<std::int64_t>& symbol_values,
                         const Outcome& expected) {
  const ThreadProgram& program = *engine.file.threads;
  Facts facts = program.facts;
  for (std::size_t k = 0; k < program.symbols.size(); ++k) {
    const Expr value = program.pool->constant(symbol_values[k]);
    facts.bound(program.symbols[k], value, value);
  }
  for (std::size_t r = 0; r < engine.lowered.regions.size(); ++r) {
    const ThreadRegion& region = engine.lowered.regions[r];
    const RegionCounts counts = region_counts(region, facts);
    if (!counts.is_known()) return region.when + ": " + counts.unknown;
    const std::string wrong = difference(region, counts, expected.executed[r]);
    if (!wrong.empty()) return wrong;
  }
  return {};
}

bool races_without(const Kernel& kernel, std::size_t barrier) {
  const Kernel fewer = without_barrier(kernel, barrier);
  return is_refuted(verify(fewer).verdicts[std::size_t(Hazard::Race)]);
}

KernelSource named_source(Kernel kernel, int number) {
  kernel.name = "random_" + std::to_string(number);
  return source_of(kernel);
}

void compile_all(const std::vector<KernelSource>& sources) {
  const Nvrtc* nvrtc = Nvrtc::instance();
  if (nvrtc == nullptr) {
    printf("[SKIP NVRTC: %s]\n", Nvrtc::why_absent().c_str());
    return;
  }
  constexpr std::size_t kAtOnce = 20;
  for (std::size_t k = 0; k < sources.size(); k += kAtOnce) {
    const std::span some = std::span(sources).subspan(k, std::min(kAtOnce, sources.size() - k));
    EXPECT_EQ(nvrtc->compile(some).kernels.size(), some.size());
  }
  printf("[FIGURE] random thread programs: %zu texts compiled for sm_90a\n", sources.size());
}

void compare_with_oracle(ThreadCase (*draw)(std::uint64_t), int programs, const char* name,
                         int least_needed) {
  int accepted = 0, masks = 0, needed = 0;
  std::vector<KernelSource> sources;
  std::map<std::string, int> refusals, kinds;
  for (int k = 0; k < programs; ++k) {
    const ThreadCase program = draw(std::uint64_t(k) + 1);
    const std::string yaml = program.yaml();
    SCOPED_TRACE("seed " + std::to_string(k + 1) + "\n" + yaml);
    const Numbering numbering(program);
    const std::vector<Region> regions = regions_of(program);
    const EngineCase engine = engine_case(yaml);
    ASSERT_EQ(engine.failure, "");
    if (masks_are_known(engine.refusal)) {
      ASSERT_EQ(engine.lowered.regions.size(), regions.size()) << engine.refusal;
      for (std::size_t r = 0; r < regions.size(); ++r) {
        ASSERT_EQ(compare_region(engine.lowered.regions[r], regions[r], program, numbering, kinds),
                  "")
            << "region " << r << ", " << regions[r].when;
        ++masks;
      }
    }
    if (!engine.refusal.empty()) {
      ++refusals[engine.is_unproved ? "unproved" : engine.refusal.substr(0, 4)];
      if (engine.is_unproved) continue;
      // What meets beside inner levels inside an inthreads has to bring its own sync.
      const bool wants_sync = std::any_of(regions.begin(), regions.end(), [](const Region& r) {
        return r.is_implicit && r.is_in_inthreads;
      });
      if (is_refused_by_the_kernel(engine.refusal) && !wants_sync &&
          numbering.block_threads() <= 64) {
        bool goes_wrong = false;
        for (const auto& values : program.symbol_values()) {
          const Outcome run = run_case(program, numbering, regions, values, 0, true);
          goes_wrong = goes_wrong || !(run.race + run.stray + run.stuck).empty();
        }
        ASSERT_TRUE(goes_wrong) << engine.refusal;
      }
      continue;
    }
    ++accepted;
    const Kernel& kernel = *engine.lowered.kernel;
    ASSERT_TRUE(verify(kernel).is_legal());
    ASSERT_EQ(wrong_group(engine.lowered, regions, program, numbering), "");
    // Whether what stands behind a break is ever run, or at which sizes a loop, is not asked there.
    if (!asks_for_barriers(program.outermost) && !leaves_loops(program.outermost) &&
        kernel.sizes.empty()) {
      const std::size_t barriers = barrier_count(kernel);
      for (std::size_t b = 0; b < barriers; ++b) {
        ASSERT_TRUE(races_without(kernel, b)) << "barrier " << b << "\n" << cuda(kernel).text;
        ++needed;
      }
    }
    if (accepted % 25 == 0) sources.push_back(named_source(kernel, accepted));
    Draws draws(std::uint64_t(k) + 77);
    const auto all_values = program.symbol_values();
    const auto& values = draws.of(all_values);
    const bool is_small = numbering.block_threads() <= 64;
    const Outcome expected = run_case(program, numbering, regions, values, 0, is_small);
    ASSERT_EQ(expected.race, "");
    ASSERT_EQ(expected.stray, "");
    ASSERT_EQ(expected.stuck, "");
    ASSERT_EQ(wrong_counts(engine, values, expected), "");
    for (std::uint64_t order = 1; order < 3; ++order) {
      const Outcome again = run_case(program, numbering, regions, values, order, false);
      ASSERT_EQ(again.arrays, expected.arrays);
    }
    for (std::uint64_t seed : {0, 5}) {
      for (Place where : {Place::Emulated, Place::VirtualDevice}) {
        std::string faults;
        const Outcome found = run_engine(engine, program, numbering, values, where, seed, faults);
        ASSERT_EQ(faults, "") << cuda(*engine.lowered.kernel).text;
        for (std::size_t r = 0; r < regions.size(); ++r) {
          ASSERT_EQ(found.executed[r], expected.executed[r])
              << "region " << r << ", " << regions[r].when << "\n"
              << "found    " << shown(found.executed[r]) << "\n"
              << "expected " << shown(expected.executed[r]);
        }
        for (std::size_t a = 0; a < program.arrays.size(); ++a) {
          if (program.arrays[a].memory != ArrayOf::Memory::Global) continue;
          ASSERT_EQ(found.arrays[a], expected.arrays[a])
              << program.arrays[a].name << (where == Place::Emulated ? " emulated" : " virtual")
              << "\nfound    " << shown(found.arrays[a]) << "\nexpected "
              << shown(expected.arrays[a]);
        }
      }
    }
  }
  std::string lines;
  for (const auto& [code, n] : refusals) lines += " " + code + ": " + std::to_string(n);
  lines += ";";
  for (const auto& [kind, n] : kinds) lines += " " + kind + ": " + std::to_string(n);
  printf("[FIGURE] %s: %d of %d accepted, %d masks equal; refused%s\n", name, accepted, programs,
         masks, lines.c_str());
  printf("[FIGURE] %s: %d barriers of implicit masks, none removable\n", name, needed);
  EXPECT_GT(2 * accepted, programs);
  EXPECT_GT(needed, more_than(least_needed));
  compile_all(sources);
}

TEST(RandomThreads, AreWhatEveryThreadByItselfSays) {
  compare_with_oracle(random_threads, count(300, 10000), "random thread programs", 0);
}

TEST(RandomThreads, NeedEveryBarrierOfTheirImplicitMasks) {
  compare_with_oracle(random_implicit, count(100, 3000), "thread programs of implicit masks", 20);
}

TEST(RandomThreads, NeedEveryBarrierWhereAllMeetingsMatter) {
  const int programs = count(100, 3000);
  int barriers = 0;
  std::map<std::string, int> refusals;
  for (int k = 0; k < programs; ++k) {
    const ThreadCase program = random_communication(std::uint64_t(k) + 1);
    const std::string yaml = program.yaml();
    SCOPED_TRACE("seed " + std::to_string(k + 1) + "\n" + yaml);
    const EngineCase engine = engine_case(yaml);
    ASSERT_EQ(engine.failure, "");
    if (!engine.refusal.empty()) {
      ++refusals[engine.refusal.substr(0, 4)];
      ASSERT_EQ(engine.refusal, "E816 ");  // regions that part a warp
      continue;
    }
    const Kernel& kernel = *engine.lowered.kernel;
    const Numbering numbering(program);
    const std::vector<Region> regions = regions_of(program);
    const Outcome expected = run_case(program, numbering, regions, {}, 1, true);
    ASSERT_EQ(expected.race + expected.stray + expected.stuck, "");
    std::string faults;
    const Outcome found =
        run_engine(engine, program, numbering, {}, Place::VirtualDevice, 3, faults);
    ASSERT_EQ(faults, "");
    ASSERT_EQ(found.arrays, with_global_alone(program, expected.arrays));
    const std::size_t n = barrier_count(kernel);
    ASSERT_GT(n, 0u);
    for (std::size_t b = 0; b < n; ++b) {
      ASSERT_TRUE(races_without(kernel, b)) << "barrier " << b << "\n" << cuda(kernel).text;
    }
    barriers += int(n);
  }
  printf("[FIGURE] communicating thread programs: %d, %d refused, %d barriers, none removable\n",
         programs, refusals["E816"], barriers);
  EXPECT_GT(2 * (programs - refusals["E816"]), programs);
}

}  // namespace
}  // namespace selvage::thread_oracle
