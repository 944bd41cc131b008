// The requests of kernels over rows, counted without data, beside those that the emulator counts
// where rows are as they are taken to be: all with equally many items.
#include <selvage/emulate/emulate.h>
#include <selvage/ir/gather.h>
#include <selvage/ir/ragged.h>
#include <selvage/kernel/requests.h>
#include <selvage/lower/cost.h>
#include <selvage/lower/program.h>
#include <selvage/scheduler/row_schedules.h>

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace selvage {
namespace {

// y[b] = sum[j](x[b, j] * j).
struct RowSum {
  RowSum() {
    const Expr B = f.extent("B", 0), b = f.fresh_index("b"), j = f.fresh_index("j");
    rows = add_rows(f.input("off", {B + 1}, DataType::Int32));
    const Tensor x = ragged_input(f, "x", rows, {}, DataType::Float);
    y = f.output("y", f.compute_fold("", {b}, {B}, {.indices = {j}, .shape = {length(f, rows)}},
                                     item(x, rows, {b, j}) * Element(j)));
  }
  Program by(const RowSchedule& how) const {
    Schedule s(f);
    schedule_rows(s, y.id(), how);
    return lower(f, s);
  }
  Fusion f;
  RowsId rows{};
  Tensor y;
};

// Of each access that is no probe of a search, in the order of the text: requests, threads,
// sectors.
using CountsOfBuffers = std::map<std::string, std::array<std::int64_t, 3>>;

CountsOfBuffers counts_of(const Kernel& kernel, const KernelRequests& requests,
                          const std::vector<std::int64_t>& probes) {
  CountsOfBuffers counts;
  for (const AccessRequests& a : requests.accesses) {
    if (probes[a.place] > 0 || a.requests == 0) continue;
    auto& n = counts[std::to_string(a.place) + ": " + kernel.buffers[a.buffer].name];
    n[0] += a.requests;
    n[1] += a.threads;
    n[2] += a.sectors;
  }
  return counts;
}

// Runs the kernels of a program one after another, and compares what each asks of memory.
void expect_counted(const Program& program, std::int64_t rows, std::int64_t mean) {
  SizeValues sizes;
  const std::map<std::string, std::int64_t> named = {{"B", rows}, {"off_items", rows * mean}};
  for (Expr size : program.sizes) sizes.add(size, named.at(std::string(size.name())));
  std::map<std::string, Array> arrays;
  for (const ProgramStep& step : program.steps) {
    const Kernel& kernel = step.variants[0];
    std::vector<Array*> pointers;
    for (const Buffer& b : kernel.buffers) {
      if (b.memory != Memory::Global) {
        pointers.push_back(nullptr);
        continue;
      }
      const std::vector<std::int64_t> shape = {sizes(b.elements).value()};
      pointers.push_back(&arrays.try_emplace(b.name, b.type, shape).first->second);
      for (std::int64_t r = 0; b.name == "off" && r <= rows; ++r) {
        pointers.back()->set_int(r, r * mean);
      }
    }
    const auto counted = requests_of(kernel, sizes);
    ASSERT_TRUE(counted);
    KernelRequests run;
    emulate(kernel, named, pointers, {.requests = &run});
    const CountsOfBuffers ours = counts_of(kernel, *counted, counted->probes);
    const CountsOfBuffers theirs = counts_of(kernel, run, counted->probes);
    if (counted->blocks <= 16) {
      EXPECT_EQ(ours, theirs) << kernel.name;
      continue;
    }
    // Of more blocks a few stand for all.
    for (const auto& [access, counts] : theirs) {
      ASSERT_TRUE(ours.contains(access)) << access;
      for (std::size_t k = 0; k < counts.size(); ++k) {
        EXPECT_NEAR(double(ours.at(access)[k]), double(counts[k]), 0.05 * double(counts[k]))
            << kernel.name << " " << access;
      }
    }
  }
}

TEST(RaggedRequests, AreThoseOfRowsThatAreAlike) {
  using enum RowSchedule::Kind;
  const RowSum sum;
  for (const RowSchedule how :
       {RowSchedule{ThreadARow, 1}, RowSchedule{GroupARow, 8}, RowSchedule{GroupARow, 32},
        RowSchedule{MergePath, 8}, RowSchedule{MergePath, 3}}) {
    const Program program = sum.by(how);
    for (const auto& [rows, mean] :
         {std::pair(120, 7), std::pair(128, 1), std::pair(100, 33), std::pair(97, 8),
          std::pair(1, 500), std::pair(40, 0), std::pair(5000, 9)}) {
      SCOPED_TRACE(how.text() + ", " + std::to_string(rows) + " rows of " + std::to_string(mean));
      expect_counted(program, rows, mean);
    }
  }
}

// y[i] = x[idx[i]], an index each for 1,024 items, as a vector of `width` a thread.
KernelRequests gather_requests(std::int64_t width) {
  Fusion f;
  const Expr n = f.constant(1024), i = f.fresh_index("i");
  const Tensor idx = f.input("idx", {n}, DataType::Int32);
  const Tensor x = f.input("x", {f.constant(1 << 20)}, DataType::Float);
  const Tensor y = f.output("y", f.compute("", {i}, {n}, gather(x, {clamped(idx(i))})));
  Schedule s(f);
  const auto [group, item] = s.split(s.loops(y.id())[0], width, {.outer = "group", .inner = "v"});
  s.bind(group, ParallelType::TIDx);
  if (width > 1) s.bind(item, ParallelType::Vectorize);
  const Program program = lower(f, s);
  return requests_of(program.steps[0].variants[0], {}).value();
}

// However indices are loaded, what is read at one that nothing is known of lies anywhere.
TEST(RaggedRequests, WhatIsReadAnywhereLiesApart) {
  for (const std::int64_t width : {1, 4}) {
    const KernelRequests requests = gather_requests(width);
    const auto anywhere = std::ranges::find_if(
        requests.accesses, [](const AccessRequests& a) { return a.is_anywhere; });
    ASSERT_NE(anywhere, requests.accesses.end());
    EXPECT_EQ(anywhere->threads, 1024);
    EXPECT_EQ(anywhere->sectors, 1024) << "vectors of " << width;
  }
}

// Numbers that are made of one another forty times over are looked at once each.
TEST(RaggedRequests, OfNumbersMadeOfOneAnotherAreCountedInTime) {
  Fusion f;
  const Expr n = f.constant(64), i = f.fresh_index("i");
  const Tensor x = f.input("x", {n}, DataType::Float);
  const Tensor idx = f.input("idx", {n}, DataType::Int64);
  Element number = idx(i);
  for (int k = 0; k < 40; ++k) number = apply(Function::Min, {number + 1, number * 2});
  f.output("y", f.compute("", {i}, {n}, gather(x, {clamped(number)})));
  EXPECT_TRUE(cost_of(lower(f, Schedule(f))).has_value());
}

}  // namespace
}  // namespace selvage
