// Tiles that shared memory has no room for: each block that runs has a piece of global memory.
#include <gtest/gtest.h>
#include <selvage/codegen/cuda.h>
#include <selvage/driver/run.h>
#include <selvage/lower/program.h>
#include <selvage/lower/proof.h>
#include <selvage/runtime/executable.h>
#include <tests/frontend/schedule_files.h>

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace selvage {
namespace {

using namespace schedule_files;
using testing::HasSubstr;

// Rows in tiles of so many items, each read by three threads; `bind`: of the loops b and c.
std::string rows(std::int64_t tile, const std::string& bind) {
  return fmt::format(
      "symbols: {{B: {{}}, C: {{}}, N: {{}}}}\n"
      "inputs: {{x: {{shape: [B, C, N], dtype: float}}}}\n"
      "outputs: {{y: {{shape: [B, C, N]}}}}\n"
      "compute: [\"y[b, c, i] = max[p < 3](x[b, c, clamped(i + 100 * p)])\"]\n"
      "schedule:\n"
      "  y:\n"
      "    - split: {{in: i, factor: {}, out: [bi, ti]}}\n"
      "    - split: {{in: ti, factor: 1024, out: [ri, tx]}}\n"
      "    - reorder: [b, c, bi, ri, tx, p]\n"
      "    - bind: {{{}, tx: TIDx}}\n"
      "  x: [{{cache: {{as: x_s, memory: shared, at: bi}}}}]\n",
      tile, bind);
}

void expect_right(const ScheduleFile& file, const Program& program, const Sizes& sizes,
                  bool is_emulated) {
  EXPECT_NO_THROW(check_proved(prove(program.steps), false));
  const RunResult result =
      run(*file.fusion, program, {.sizes = sizes, .on = Machine::Virtual, .on_all = is_emulated});
  EXPECT_TRUE(result.passed());
}

TEST(WorkspaceFiles, BlocksTakeTurnsOverThePiecesOfThoseThatRun) {
  const ScheduleFile file = read(rows(65'536, "b: BIDy, c: BIDz, bi: BIDx"));
  const Program program = lower(*file.schedule);
  const Kernel& kernel = program.steps[0].variants[0];
  const std::int64_t piece = 262'912 + 256;  // 65,536 items and a halo of 200, rounded
  ASSERT_TRUE(kernel.launch.workspace);
  EXPECT_EQ(kernel.launch.workspace->bytes, piece);
  EXPECT_EQ(kernel.launch.workspace->blocks, 160 * 2);  // of 1,024 threads
  const ProgramBuffer& pieces = program.buffers.back();
  EXPECT_EQ(pieces.role, ProgramBuffer::Role::Scratch);
  EXPECT_EQ(pieces.name, "kernel_y_workspace");
  EXPECT_THAT(cuda(kernel).text, HasSubstr("+= gridDim.x"));
  // Few blocks; and more than run at once, along each axis of the grid.
  expect_right(file, program, {{"B", 1}, {"C", 2}, {"N", 3'000}}, true);
  expect_right(file, program, {{"B", 1}, {"C", 1}, {"N", 70'000}}, false);
  expect_right(file, program, {{"B", 19}, {"C", 23}, {"N", 70}}, false);
  const ScheduleFile flat = read(rows(65'536, "bi: BIDx"));
  expect_right(flat, lower(*flat.schedule), {{"B", 3}, {"C", 2}, {"N", 70'000}}, false);
}

// A compiled program has the memory ready for each call.
TEST(WorkspaceFiles, ACallHasThePiecesFromItsScratch) {
  const ScheduleFile file = read(rows(65'536, "b: BIDy, c: BIDz, bi: BIDx"));
  const Executable call = compile(lower(*file.schedule), {.target = Target::Virtual});
  for (const std::int64_t c : {1, 25}) {
    Array x(DataType::Float, {20, c, 5}), y(DataType::Float, {20, c, 5});
    for (std::int64_t k = 0; k < x.size(); ++k) x.set(k, double(k % 97));
    call({x, y});
    for (std::int64_t k = 0; k < y.size(); ++k) {
      ASSERT_EQ(y.get(k), std::max(x.get(k), x.get(k / 5 * 5 + 4))) << k;
    }
  }
}

TEST(WorkspaceFiles, WhatHasRoomStaysInSharedMemory) {
  const ScheduleFile file = read(rows(32'768, "b: BIDy, c: BIDz, bi: BIDx"));
  const Program program = lower(*file.schedule);
  EXPECT_FALSE(program.steps[0].variants[0].launch.workspace);
  EXPECT_EQ(program.buffers.size(), 2U);
}

// A piece has a limit; and a failed check names its block, which takes turns.
TEST(WorkspaceFiles, WhatCannotTakeTurnsIsRefused) {
  const auto refused = [](const ScheduleFile& file) {
    try {
      lower(*file.schedule);
    } catch (const Illegal& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(
      refused(read(rows(8 << 20, "b: BIDy, c: BIDz, bi: BIDx"))),
      "selvage: error[E442]: the shared memory of kernel_y, 33555232 bytes, is past the limit "
      "of 232448, and a workspace has 16777216 for a block; help: give x_s a kernel of its "
      "own; or keep less of it there: split by smaller factors, or compute it further in");
  std::string text = rows(65'536, "b: BIDy, c: BIDz, bi: BIDx");
  const auto replace = [&](const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  };
  replace("dtype: float}", "dtype: int32}, k: {shape: [B], dtype: int32}");
  replace("100 * p)]", "100 * p)] // k[b]");
  EXPECT_THAT(refused(read_schedule_text(text, "a.yaml", {}, {.checks = true})),
              HasSubstr("error[E442]"));
}

}  // namespace
}  // namespace selvage
