// Matrix multiplications by warpgroups in thread programs: accepted and right, or refused with a
// help that mends.
#include <selvage/driver/run_threads.h>
#include <selvage/runtime/nvrtc.h>
#include <selvage/threads/event_slots.h>

#include <gmock/gmock.h>

#include <cmath>

#include "../support/gpu.h"
#include "../support/refusal.h"
#include "../support/static_counts.h"
#include "../support/text_files.h"
#include "checked.h"
#include "mma_programs.h"
#include "program_judge.h"

namespace selvage {
namespace {

using namespace threads;
using testing::HasSubstr;

Kernel kernel_of(const std::string& text) {
  const auto file = read_schedule_text(text, "a.yaml", {});
  LoweredThreads lowered = lower_threads(*file.threads);
  EXPECT_FALSE(has_errors(lowered)) << to_text(lowered.diagnostics) << "\n" << text;
  return std::move(lowered.kernel.value());
}

// Small integers, so that all sums are exact in any order.
std::vector<Array> small_numbers(const Kernel& kernel, unsigned seed) {
  std::vector<Array> arrays = arrays_for(kernel, {});
  SplitMix64 random(seed);
  for (std::size_t b = 0; b < arrays.size(); ++b) {
    if (kernel.buffers[b].is_written || kernel.buffers[b].memory != Memory::Global) continue;
    for (std::int64_t i = 0; i < arrays[b].size(); ++i) {
      arrays[b].set(i, double(random.next() % 17) - 8);
    }
  }
  return arrays;
}

// What plain loops make of x and w.
void expect_product(const MmaProgram& p, const std::vector<Array>& arrays, const char* how) {
  const std::int64_t rows = 64 * p.groups, depth = p.tiles * p.depth;
  for (std::int64_t m = 0; m < rows; ++m) {
    for (std::int64_t n = 0; n < p.columns; ++n) {
      double sum = 0;
      for (std::int64_t k = 0; k < depth; ++k) {
        sum += arrays[0].get((k / 8 * rows + m) * 8 + k % 8) *
               arrays[2].get((k / 8 * p.columns + n) * 8 + k % 8);
      }
      ASSERT_EQ(arrays[1].get(m * p.columns + n), sum) << how << " " << m << ", " << n;
    }
  }
}

MmaProgram drawn(SplitMix64& random) {
  MmaProgram p;
  p.groups = 1 + std::int64_t(random.next() % 2);
  p.columns = 8 * p.groups * (1 + std::int64_t(random.next() % 4));
  p.depth = 16 * (1 + std::int64_t(random.next() % 3));
  p.tiles = 1 + std::int64_t(random.next() % 4);
  p.slots = 1 + std::int64_t(random.next() % 3);
  p.is_a_shared = random.next() % 2 == 0;
  p.type = random.next() % 2 == 0 ? "half" : "bfloat16";
  return p;
}

TEST(ThreadMma, GivesWhatPlainLoopsGive) {
  SplitMix64 random(1);
  for (int k = 0; k < count(12, 300); ++k) {
    const MmaProgram p = drawn(random);
    SCOPED_TRACE(p.text());
    const Kernel kernel = kernel_of(p.text());
    const std::vector<Array> given = small_numbers(kernel, unsigned(k));
    std::vector<Array> emulated = given, run = given, checked = given;
    const Emulation e = run_emulated(kernel, {}, emulated, random.next() | 1);
    EXPECT_EQ(e.fault_count, 0) << (e.faults.empty() ? "" : e.faults.front().text);
    expect_product(p, emulated, "emulated");
    for (int order = 0; order < 4; ++order) {
      run = given;
      run_text(kernel, {}, run, default_virtual_compiler(), VirtualOrder{random.next()});
      expect_product(p, run, "run");
    }
    if (k == 0) run_text_checked(kernel, {}, checked);
  }
}

// Every await, fence, sync, wait and arrival left out or doubled, and every multiplication as well
// moved by one; awaits of one group more or less.
void expect_mutants_found(const std::string& text, const std::string& name) {
  const auto is_one = [](const ThreadItem& item) {
    return std::holds_alternative<AwaitGroups>(item.node) ||
           std::holds_alternative<FenceShared>(item.node) ||
           std::holds_alternative<Synchronize>(item.node) ||
           std::holds_alternative<MultiplyTiles>(item.node) || slot_of(item) != nullptr;
  };
  const auto await_of = [](std::int64_t more) {
    return [more](ThreadBody& body, std::size_t i) {
      auto* await = std::get_if<AwaitGroups>(&body[i].node);
      if (await == nullptr || await->pending + more < 0) return false;
      await->pending += more;
      return true;
    };
  };
  const std::pair<const char*, Change> changes[] = {
      {"left out", leave_out},   {"doubled", double_it},           {"moved up", move_up},
      {"moved down", move_down}, {"of a group more", await_of(1)}, {"of one less", await_of(-1)}};
  constexpr std::size_t kMostItems = 16;
  Judge judge(name, text);
  for (std::size_t n = 0; n < kMostItems; ++n) {
    for (const auto& [what, change] : changes) {
      const auto changes_result = [](const ThreadItem& item) {
        return std::holds_alternative<MultiplyTiles>(item.node);
      };
      auto made = with_changed(judge.program(), n, is_one, [&](ThreadBody& body, std::size_t i) {
        const std::string_view how = what;
        const bool is_other = changes_result(body[i]) && (how == "left out" || how == "doubled");
        return !is_other && change(body, i);
      });
      if (!made) continue;
      judge.look_at({"item " + std::to_string(n) + " " + what, std::move(*made)}, count(8, 10'000));
    }
  }
  // The virtual device has no proxies, and no memory that keeps what a fence would make seen.
  judge.tell(false);
}

TEST(ThreadMma, MutantsOfTilesAreFoundWhereTheyGoWrongAndNowhereElse) {
  expect_mutants_found(MmaProgram{.columns = 16, .groups = 2}.text(), "multiplications");
}
TEST(ThreadMma, MutantsOfRegistersAreFoundWhereTheyGoWrongAndNowhereElse) {
  expect_mutants_found(MmaProgram{.columns = 8, .is_a_shared = false}.text(),
                       "multiplications of registers");
}
TEST(ThreadMma, MutantsOfRolesAreFoundWhereTheyGoWrongAndNowhereElse) {
  expect_mutants_found(contents(kRepository / "examples/threads_mma.yaml"), "the example");
}

TEST(ThreadMma, IsRefusedWithTheMend) {
  MmaProgram p;
  p.is_a_shared = false;
  const std::string right = p.text();
  EXPECT_EQ(said(right), "accepted");
  // The registers of a are loaded again while a multiplication reads them (DeepGEMM #449), and the
  // tile of b is written.
  const std::string under_way =
      "is written where a matrix multiplication that accesses it may not have ended: block (0, 0, "
      "0), thread (0, 0, 0), k = 0; and block (0, 0, 0), thread (0, 0, 0), k = 2, ";
  expect_mended(Mend{"await_mma: 1", "await_mma: 2"}(right),
                "a.yaml:17:35: error[E818]: ws[0] " + under_way +
                    "i = 0; help: write await_mma: 1 at 15:7\n"
                    "a.yaml:18:35: error[E818]: xs[0] " +
                    under_way + "v_2 = 0; help: write await_mma: 1 at 15:7",
                {"await_mma: 2", "await_mma: 1"});
  // The results are used before they are there.
  const std::string behind = "- for: {index: v, in: 8, do: [\"y";
  expect_mended(Mend{"- await_mma: 0\n", ""}(right),
                "a.yaml:22:31: error[E818]: acc[0] is read where a matrix multiplication that "
                "accesses it may not have ended: block (0, 0, 0), thread (0, 0, 0), k = 2; and "
                "block (0, 0, 0), thread (0, 0, 0), v_3 = 0; help: put await_mma: 0 in front of "
                "22:31",
                {behind, "- await_mma: 0\n" + behind});
  // What threads have stored is not seen by the unit that multiplies.
  expect_mended(Mend{"    - fence: shared\n", ""}(right),
                "a.yaml:20:7: error[E818]: ws[0] is accessed by a thread and then by a matrix "
                "multiplication with no proxy fence between: block (0, 0, 0), thread (0, 0, 0), k "
                "= 0, i = 0; and block (0, 0, 0), thread (0, 0, 0), k = 0; help: put fence: shared "
                "and sync: shared in front of 20:7",
                {"    - mma:", "    - fence: shared\n    - sync: shared\n    - mma:"});
}

// A slot is said to be free before the multiplication that reads it has ended (nvFuser #3561), or
// to be full with no fence behind what was stored there.
TEST(ThreadMma, HasRolesThatMeetAtEvents) {
  const std::string right = contents(kRepository / "examples/threads_mma.yaml");
  EXPECT_EQ(said(right), "accepted");
  const std::string awaits = "              - await_mma: 0\n",
                    frees = "              - arrive: {event: \"empty[k % 2]\"}\n";
  const std::string head =
                        "error[E817]: the asynchronous regions t < 128 and t >= 128 meet with no "
                        "sync or event between: xs[0] is ",
                    who = "block (0, 0, 0), thread (0, 0, 0), k = ",
                    other = ", i = 0; and block (0, 0, 0), thread (128, 0, 0), k = 0; help: put ";
  expect_mended(Mend{awaits + frees, frees + awaits}(right),
                "a.yaml:47:17: " + head +
                    "read where a matrix multiplication that accesses it may not have ended: " +
                    who + "2" + other + "await_mma: 0 in front of 48:17",
                {frees, awaits + frees});
  const std::string fills = "              - arrive: {event: \"full[k % 2]\"}\n",
                    fence = "              - fence: shared\n";
  expect_mended(Mend{fence, ""}(right),
                "a.yaml:46:17: " + head +
                    "accessed by a thread and then by a matrix multiplication with no proxy fence "
                    "between: " +
                    who + "0" + other + "fence: shared in front of 35:17",
                {fills, fence + fills});
}

TEST(ThreadMma, IsOfWholeWarpgroups) {
  MmaProgram p;
  p.is_a_shared = false;
  EXPECT_THAT(said(Mend{"t: 128", "t: 64"}(p.text())),
              HasSubstr("error[E831]: a matrix multiplication is of whole warpgroups: a matrix "
                        "multiplication of 64 threads, which are no warpgroup"));
  // Half of a warpgroup multiplies; half of it waits.
  const std::string of_some = "    - inthreads: {when: t < 64, async: true, do: [{";
  const std::string multiplies = "mma: {sums: acc, a: \"xs[k % 2]\", b: \"ws[k % 2]\"}";
  EXPECT_THAT(said(Mend{"    - " + multiplies, of_some + multiplies + "}]}"}(p.text())),
              HasSubstr("error[E831]: a matrix multiplication is of whole warpgroups: "));
  EXPECT_THAT(said(Mend{"    - await_mma: 1", of_some + "await_mma: 1}]}"}(p.text())),
              HasSubstr("error[E818]: ws["));
  const std::string lanes = "    - inthreads: {when: t % 2 < 1, async: true, do: [{await_mma: 1}]}";
  EXPECT_THAT(said(Mend{"    - await_mma: 1", lanes}(p.text())),
              HasSubstr("error[E831]: a matrix multiplication is of whole warpgroups: "));
}

TEST(ThreadMma, IsRefusedForWhatItDoesNotTake) {
  MmaProgram p;
  const std::string right = p.text();
  const auto with = [&](const char* from, const char* to) { return said(Mend{from, to}(right)); };
  const std::string head = "a.yaml:21:7: error[E831]: a matrix multiplication does not take this: ";
  EXPECT_EQ(with("acc: {shape: [8]", "acc: {shape: [9]"),
            head +
                "its sums are acc, local, of float, [9]; help: let sums be local, of float, with "
                "a multiple of 4 elements, at most 128: half as many as there are columns");
  EXPECT_EQ(with("a: \"xs[k % 2, t / 128]\"", "a: \"xs[k % 2]\""),
            head +
                "xs, shared, of half, [2, 1, 2, 64, 8], has 1 subscripts; help: give subscripts "
                "for all axes but the last three, which are the tile");
  EXPECT_EQ(with("a: \"xs[k % 2, t / 128]\"", "a: acc"),
            head +
                "a is acc, local, of float, [8]; help: let a be of half, and shared, its last "
                "axes [2, 64, 8], or local, of 8 elements");
  EXPECT_EQ(with("acc: {shape: [8]", "acc: {shape: [12]"),
            head +
                "b is ws, shared, of half, [2, 2, 16, 8]; help: let b be shared, of half or "
                "bfloat16, and its last axes [2, 24, 8], or [4, 24, 8] and so on: 8 along the "
                "depth are neighbours");
  EXPECT_EQ(with("a: \"xs[k % 2, t / 128]\"", "a: \"xs[k % 2, t / 128\""),
            "a.yaml:21:45: error[E301]: a: 'xs[k % 2, t / 128' does not end with ]; help: write it "
            "as xs or xs[0]");
  EXPECT_EQ(with("a: \"xs", "a: \"xz"),
            "a.yaml:21:27: error[E205]: there is no array 'xz'; help: did you mean 'xs'?");
  EXPECT_EQ(with("await_mma: 1", "await_mma: 8"),
            "a.yaml:15:18: error[E305]: await_mma is 8; help: it is at most 7");
  EXPECT_EQ(
      with("fence: shared", "fence: global"),
      "a.yaml:19:14: error[E304]: fence: 'global' is none of shared; help: write one of them");
}

// sm_90a alone has them: one instruction for each step along the depth, arrays in registers, and
// nothing that the compiler adds.
TEST(ThreadMma, IsCompiled) {
  const Nvrtc* nvrtc = Nvrtc::instance();
  if (nvrtc == nullptr) GTEST_SKIP() << "no NVRTC: " << Nvrtc::why_absent();
  for (const bool is_a_shared : {false, true}) {
    for (const std::int64_t columns : {8, 64, 256}) {
      MmaProgram p;
      p.columns = columns;
      p.depth = 32;
      p.tiles = 4;
      p.is_a_shared = is_a_shared;
      const CudaText text = cuda(kernel_of(p.text()));
      const CompiledKernels compiled = nvrtc->compile(source_of(text), {.arch = "sm_90a"});
      const StaticCounts counts = count_sass(compiled.cubin).at(text.name);
      const std::int64_t each = p.depth / 16;
      EXPECT_THAT(counts.multiplications, testing::AnyOf(each, p.tiles * each));
      EXPECT_EQ(counts.local_loads + counts.local_stores, 0);
      EXPECT_EQ(compiled.log.find("C75"), std::string::npos) << compiled.log;
    }
  }
  const CudaText text = cuda(kernel_of(MmaProgram().text()));
  for (const char* arch : {"sm_80", "sm_90", "sm_100a"}) {
    EXPECT_EQ(refusal_by<Error>([&] { nvrtc->compile(source_of(text), {.arch = arch}); }),
              std::string("selvage: error[E704]: kernel_a has matrix multiplications by warpgroups "
                          "(wgmma), which sm_90a alone has, and is compiled for ") +
                  arch + "; help: compile for sm_90a");
  }
}

// The hardware has its rows, columns and descriptors as kernel/mma_layout.h and codegen have them.
TEST(GpuThreadMma, GivesWhatPlainLoopsGive) {
  if (const std::string why = test::why_no_gpu(); !why.empty()) GTEST_SKIP() << why;
  SplitMix64 random(2);
  for (int k = 0; k < count(12, 100); ++k) {
    const MmaProgram p = drawn(random);
    SCOPED_TRACE(p.text());
    const auto file = read_schedule_text(p.text(), "a.yaml", {});
    std::vector<Array> arrays = small_numbers(kernel_of(p.text()), unsigned(k));
    const std::int64_t parts = p.tiles * p.depth / 8;
    Array x(arrays[0].type, {parts, 64 * p.groups, 8}), w(arrays[2].type, {parts, p.columns, 8});
    x.bytes = arrays[0].bytes;
    w.bytes = arrays[2].bytes;
    ThreadRunRequest request{.inputs = {{"x", x}, {"w", w}}, .on = Machine::Gpu};
    const ThreadRun run = run_threads(*file.threads, request);
    EXPECT_TRUE(run.passed());
    arrays[1].bytes = run.outputs.at("y").bytes;
    expect_product(p, arrays, "on the GPU");
  }
}

}  // namespace
}  // namespace selvage
