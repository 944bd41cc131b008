// Nothing is handed out that runs before its kernels are proved to go right.
#include <selvage/base/diagnostic.h>
#include <selvage/frontend/schedule_file.h>
#include <selvage/kernel/statements.h>
#include <selvage/lower/program.h>
#include <selvage/runtime/executable.h>

#include <gtest/gtest.h>

#include <string>

#include "tests/support/lowered.h"
#include "tests/support/refusal.h"

namespace selvage {
namespace {

const CompileOptions kVirtual = {.target = Target::Virtual};

Program lowered(const std::string& yaml) {
  const ScheduleFile file = read_schedule_text(yaml, "a.yaml");
  return lower(file.schedule->fusion(), *file.schedule);
}

// 32 by 32 elements at a time go through shared memory, and come out transposed.
Program tile() {
  return lowered(R"(
inputs: {a: {shape: [64, 64], dtype: float}}
compute: ["y[n, m] = a[m, n]"]
schedule:
  a: [{cache: {as: t, memory: shared, at: mo}}]
  t:
    - split: {in: m, factor: 32, out: [mo, mi]}
    - split: {in: n, factor: 32, out: [no, ni]}
    - split: {in: mi, factor: 4, out: [warp, step]}
    - reorder: [no, mo, warp, step, ni]
    - bind: {no: BIDy, mo: BIDx, warp: TIDy, ni: TIDx}
  y:
    - split: {in: n, factor: 32, out: [no, ni]}
    - split: {in: m, factor: 32, out: [mo, mi]}
    - split: {in: ni, factor: 4, out: [warp, step]}
    - reorder: [no, mo, warp, step, mi]
    - bind: {no: BIDy, mo: BIDx, warp: TIDy, mi: TIDx}
)");
}

std::string refusal_of(const Program& program, const CompileOptions& options = kVirtual) {
  return refusal_by<Illegal>([&] { compile(program, options); });
}

Kernel& only_kernel(Program& program) { return program.steps.at(0).variants.at(0); }

TEST(ProofGate, AKernelWithoutItsBarrierIsRefusedWithTheTwoThreads) {
  Program program = tile();
  EXPECT_EQ(refusal_of(program), "accepted");
  std::size_t first = 0;
  ASSERT_TRUE(test::remove_barrier(only_kernel(program).body, first));
  const std::string refusal = refusal_of(program);
  EXPECT_TRUE(refusal.starts_with("selvage: error[E445]: kernel_y, race: t[")) << refusal;
  EXPECT_NE(refusal.find("thread ("), refusal.rfind("thread (")) << refusal;
}

TEST(ProofGate, AnAccessPastItsBufferIsRefused) {
  Program program = tile();
  Kernel& kernel = only_kernel(program);
  for_each_statement(kernel.body, [&](Statement& s) {
    auto* store = std::get_if<Store>(&s.node);
    if (store != nullptr && kernel.buffers[store->buffer].memory == Memory::Global) {
      store->address = store->address + 1;
    }
  });
  const std::string refusal = refusal_of(program);
  EXPECT_TRUE(refusal.starts_with("selvage: error[E445]: kernel_y, bounds: ")) << refusal;
}

TEST(ProofGate, AReadOfWhatNobodyWroteIsRefused) {
  Program program = tile();
  Kernel& kernel = only_kernel(program);
  bool is_done = false;  // what is put in is met as well
  for_each_statement(kernel.body, [&](Statement& s) {
    const auto* store = std::get_if<Store>(&s.node);
    if (is_done || store == nullptr) return;
    if (kernel.buffers[store->buffer].memory != Memory::Shared) return;
    is_done = true;
    s.node = Guard{0 < store->address, {{*store}}};
  });
  EXPECT_TRUE(refusal_of(program).starts_with("selvage: error[E445]: kernel_y, lifetime: t[0]"))
      << refusal_of(program);
}

TEST(ProofGate, TrustLetsPassWhatIsOpenAndTheExecutableSaysWhat) {
  // i ^ i / 2, the Gray code of i, is another element for each i, which no rule says.
  Program program = lowered(R"(
inputs: {a: {shape: [N], dtype: float}}
outputs: {y: {}}
compute: ["y[i] = a[i]"]
schedule: {y: [{bind: {i: BIDx}}]}
)");
  Kernel& kernel = only_kernel(program);
  for_each_statement(kernel.body, [&](Statement& s) {
    auto* store = std::get_if<Store>(&s.node);
    if (store == nullptr) return;
    const Expr i = store->address;
    store->address = i ^ (i / 2);
    Expr& elements = kernel.buffers[store->buffer].elements;
    elements = elements * 2;
  });
  const std::string refusal = refusal_of(program);
  EXPECT_TRUE(refusal.starts_with(
      "selvage: error[E446]: kernel_y, race: it is not proved that no two threads"))
      << refusal;
  const Executable run = compile(program, {.target = Target::Virtual, .is_trusted = true});
  ASSERT_FALSE(run.taken_on_trust().empty());
  EXPECT_TRUE(run.taken_on_trust()[0].starts_with("kernel_y, race: "));
}

TEST(ProofGate, TrustDoesNotLetPassWhatIsRefuted) {
  Program program = tile();
  std::size_t first = 0;
  ASSERT_TRUE(test::remove_barrier(only_kernel(program).body, first));
  EXPECT_TRUE(refusal_of(program, {.target = Target::Virtual, .is_trusted = true})
                  .starts_with("selvage: error[E445]: kernel_y, race: "));
}

// The first block alone computes t[0]; c is kept by every block, and each reads it.
TEST(ProofGate, LowerRefusesAReadOfWhatAnotherBlockComputes) {
  const auto refused = [] {
    lowered(R"(
sizes: {M: 1}
inputs: {x: {shape: [M], dtype: float}}
outputs: {y: {}}
compute: ["t[i] = x[i] + 1", "y[] = t[0] * 2"]
schedule:
  y: [{cache: {as: c, memory: local}}]
  t: [{split: {in: i, factor: 8, out: [a, b], inner: false}}, {bind: {a: BIDx}}, {inline: {into: y}}, {memory: local}]
)");
  };
  EXPECT_EQ(refusal_by<Illegal>(refused),
            "selvage: error[E432]: c, which every block computes for itself, reads an element of t "
            "that another "
            "block of a computes; block (1, 0, 0), thread (0, 0, 0) would read what a = 0 "
            "computes, which is another block; help: leave the loop a of t serial, so that each "
            "block computes all of it");
}

TEST(ProofGate, LowerRefusesAStoreOutsideOfTheMemory) {
  const ScheduleFile file = read_schedule_text(
      "tensors: {T0: {dtype: float, root: {i: 8}, view: [{resize: {in: i, left: 0, right: 2, "
      "out: w}}], logical: [w], allocation: [i], loop: [w]}}",
      "a.yaml");
  const FileTensor& t = file.tensors.at(0);
  EXPECT_EQ(refusal_by<Illegal>([&] { lower(*t.fusion, *t.schedule); }).substr(0, 75),
            "selvage: error[E443]: an item of T0 has no place in its allocation; at w = ");
}

}  // namespace
}  // namespace selvage
