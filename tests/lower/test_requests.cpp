// The requests that a launch makes of memory: counted by boxes, and by the emulator one by one.
#include <selvage/base/diagnostic.h>
#include <selvage/driver/run.h>
#include <selvage/emulate/emulate.h>
#include <selvage/frontend/schedule_writer.h>
#include <selvage/kernel/print.h>
#include <selvage/kernel/request_boxes.h>
#include <selvage/kernel/requests.h>
#include <selvage/kernel/verify_access.h>
#include <selvage/lower/program.h>
#include <selvage/scheduler/automatic.h>

#include <gtest/gtest.h>

#include <cstdio>

#include "tests/lower/random_whole_fusion.h"
#include "tests/lower/random_whole_schedule.h"
#include "tests/oracle/draws.h"
#include "tests/support/counts.h"

namespace selvage {
namespace {

using oracle::chance;
using oracle::draw;

SizeValues values_of(const Program& program, const std::map<std::string, std::int64_t>& sizes) {
  SizeValues values;
  for (Expr size : program.sizes) values.add(size, sizes.at(std::string(size.name())));
  return values;
}

// What the emulator counts.
KernelRequests emulated(const Kernel& kernel, const SizeValues& sizes) {
  std::map<std::string, std::int64_t> by_name;
  for (Expr size : kernel.sizes) by_name[std::string(size.name())] = sizes(size).value();
  std::vector<Array> arrays;
  for (const Buffer& b : kernel.buffers) {
    const std::int64_t n = b.memory == Memory::Global ? sizes(b.elements).value() : 0;
    arrays.emplace_back(b.type, std::vector<std::int64_t>{n});
  }
  std::vector<Array*> pointers;
  for (std::size_t b = 0; b < arrays.size(); ++b) {
    pointers.push_back(kernel.buffers[b].memory == Memory::Global ? &arrays[b] : nullptr);
  }
  KernelRequests requests;
  emulate(kernel, by_name, pointers, {.requests = &requests});
  return requests;
}

using Totals = std::map<std::string, std::vector<std::int64_t>>;

// By statement, kind and buffer.
Totals totals(const Kernel& kernel, const KernelRequests& requests, bool with_inexact) {
  const StatementTree tree(kernel);
  Totals all;
  for (const AccessRequests& a : requests.accesses) {
    if (!a.is_exact && !with_inexact) continue;
    std::vector<std::int64_t>& n =
        all["statement " + std::to_string(a.place) + ", access " + std::to_string(int(a.kind)) +
            " of " + kernel.buffers[a.buffer].name];
    n.resize(7);
    if (a.requests == 0) continue;
    n[0] += a.requests;
    n[1] += a.threads;
    n[2] += a.sectors;
    n[3] += a.wavefronts;
    n[4] += a.conflicts;
    n[5] = a.bytes;
    n[6] += a.runs;
  }
  std::erase_if(all, [](const auto& e) { return e.second[0] == 0; });
  for (PlaceId id = 0; id < tree.size(); ++id) {
    const StatementParts parts = parts_of(*tree[id].statement);
    if ((parts.accesses.size() > 0 || parts.together != nullptr) && requests.runs[id] > 0) {
      all["runs of " + std::to_string(id)] = {requests.runs[id]};
    }
  }
  return all;
}

std::string shown(const Totals& totals, const Totals& other) {
  std::string text;
  for (const auto& [what, numbers] : totals) {
    if (other.contains(what) && other.at(what) == numbers) continue;
    text += "  " + what + ":";
    for (std::int64_t n : numbers) text += " " + std::to_string(n);
    text += "\n";
  }
  return text;
}

struct Figures {
  int kernels = 0, exact = 0, accesses = 0, conflicts = 0, uncounted = 0;
};

// How the two counts of a kernel differ; "" if they do not.
std::string difference(const Kernel& kernel, const SizeValues& sizes, Figures& figures) {
  ++figures.kernels;
  const std::optional<KernelRequests> counted = requests_of(kernel, sizes);
  if (!counted) {
    ++figures.uncounted;
    return {};
  }
  bool is_exact = true;
  for (const AccessRequests& a : counted->accesses) is_exact = is_exact && a.is_exact;
  if (!is_exact) return {};
  ++figures.exact;
  const KernelRequests run = emulated(kernel, sizes);
  const Totals ours = totals(kernel, *counted, true), theirs = totals(kernel, run, true);
  figures.accesses += int(counted->accesses.size());
  for (const AccessRequests& a : counted->accesses) figures.conflicts += a.conflicts > 0;
  std::string text;
  if (ours != theirs) {
    text = "counted\n" + shown(ours, theirs) + "emulated\n" + shown(theirs, ours);
  }
  for (std::size_t b = 0; b < kernel.buffers.size(); ++b) {
    if (counted->half_lines[b] == run.half_lines[b]) continue;
    text += kernel.buffers[b].name + ": " + std::to_string(counted->half_lines[b]) +
            " half lines counted, " + std::to_string(run.half_lines[b]) + " emulated\n";
  }
  return text.empty() ? text : text + loop_nest(kernel);
}

std::string difference(const Program& program, const std::map<std::string, std::int64_t>& sizes,
                       Figures& figures) {
  const SizeValues values = values_of(program, sizes);
  for (const ProgramStep& step : program.steps) {
    // Those of other widths of indices make the same requests.
    for (const std::size_t k : {std::size_t(0), step.variants.size() - 1}) {
      const std::string text = difference(step.variants[k], values, figures);
      if (!text.empty()) return text;
    }
  }
  return {};
}

TEST(Requests, OfRandomSchedulesAreThoseOfTheEmulator) {
  Figures figures;
  const int n = count(60, 2'000);
  for (int i = 1; i <= n && !testing::Test::HasFailure(); ++i) {
    const test::WholeCase random({.seed = std::uint64_t(i)});
    if (random.program) {
      EXPECT_EQ(difference(*random.program, random.random.sizes, figures), "") << "seed " << i;
    }
    const Schedule automatic =
        filled_in(Schedule(*random.random.fusion), random.random.sizes).schedule;
    try {
      EXPECT_EQ(difference(lower(automatic), random.random.sizes, figures), "") << "seed " << i;
    } catch (const Illegal& e) {
      ADD_FAILURE() << "seed " << i << ": " << e.what() << "\n"
                    << to_schedule_file(*random.random.fusion, Schedule(*random.random.fusion))
                    << to_schedule_file(*random.random.fusion, automatic);
    }
  }
  std::printf("%d kernels: %d exact, %d not counted; %d accesses, %d with conflicts\n",
              figures.kernels, figures.exact, figures.uncounted, figures.accesses,
              figures.conflicts);
  EXPECT_GT(figures.exact, more_than(60));
  EXPECT_EQ(figures.uncounted, 0);
}

// y[n, m] = x[m, n] by tiles of shared memory of any shape, stored by rows and read by columns,
// with or without a swizzle.
Schedule random_tiles(Fusion& f, std::mt19937_64& rng) {
  constexpr DataType kTypes[] = {DataType::Int8, DataType::Half, DataType::Float, DataType::Double};
  const Tensor x = f.input("x", {f.constant(draw(rng, 1, 90)), f.constant(draw(rng, 1, 90))},
                           kTypes[draw(rng, 0, 3)]);
  const Tensor y = f.output("y", transpose(x, {1, 0}));
  Schedule s(f);
  const TensorId tile = s.cache(x, "tile", Memory::Shared);
  const bool has_swizzle = chance(rng, 3);
  const std::int64_t rows = has_swizzle ? 32 : draw(rng, 1, 40);
  const std::int64_t columns = has_swizzle ? 32 : draw(rng, 1, 40);
  const std::int64_t warps = draw(rng, 1, 8);
  const auto bind = [&](const std::vector<ScheduledLoop>& tiles, ScheduledLoop row,
                        ScheduledLoop lane) {
    const auto [step, warp] = s.split(row, warps);
    s.reorder({tiles[0], tiles[1], step, warp, lane});
    s.bind(tiles[0], ParallelType::BIDx).bind(tiles[1], ParallelType::BIDy);
    s.bind(warp, ParallelType::TIDy).bind(lane, ParallelType::TIDx);
  };
  const auto [n, m] = s.loops<2>(y);
  const auto [n_tile, n_in] = s.split(n, columns);
  const auto [m_tile, m_in] = s.split(m, rows);
  bind({m_tile, n_tile}, n_in, m_in);
  const auto loops = s.loops(tile);
  const auto [r_tile, r] = s.split(loops[0], rows);
  const auto [c_tile, c] = s.split(loops[1], columns);
  if (has_swizzle) {
    const auto [row, place] = s.swizzle(SwizzleKind::Xor, r, c);
    bind({r_tile, c_tile}, row, place);
  } else {
    bind({r_tile, c_tile}, r, c);
  }
  s.compute_at(tile, n_tile);
  return s;
}

TEST(Requests, OfRandomTilesInSharedMemoryAreThoseOfTheEmulator) {
  std::mt19937_64 rng(11);
  Figures figures;
  const int n = count(60, 500);
  for (int i = 0; i < n && !testing::Test::HasFailure(); ++i) {
    Fusion f;
    const Schedule s = random_tiles(f, rng);
    try {
      EXPECT_EQ(difference(lower(s), {}, figures), "") << "case " << i;
    } catch (const Illegal&) {  // a block of too many threads
    }
  }
  std::printf("%d kernels: %d exact; %d of %d accesses have conflicts\n", figures.kernels,
              figures.exact, figures.conflicts, figures.accesses);
  EXPECT_GT(figures.conflicts, more_than(10));
}

struct Counts {
  std::int64_t requests, sectors, half_lines, conflicts;
};

// Of all accesses of a kind to a buffer.
Counts of(const Program& program, const std::string& buffer, AccessKind kind,
          const SizeValues& sizes = {}) {
  const Kernel& kernel = program.steps[0].variants[0];
  const KernelRequests requests = requests_of(kernel, sizes).value();
  Counts all{};
  for (const AccessRequests& a : requests.accesses) {
    if (kernel.buffers[a.buffer].name != buffer || a.kind != kind) continue;
    all.requests += a.requests;
    all.sectors += a.sectors;
    all.conflicts += a.conflicts;
    all.half_lines = requests.half_lines[a.buffer];
  }
  return all;
}

// Rows of 1,000 floats by warps: 15 steps of two and a last one of a whole warp and 8 threads. The
// first 40 threads need no check and have a loop of their own, so that the second warp asks twice.
TEST(Requests, OfRowsAreCountedByHand) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(64), f.constant(1000)}, DataType::Float);
  const Tensor y = f.output("y", x + 1);
  Schedule s(f);
  const auto [row, item] = s.loops<2>(y);
  s.bind(row, ParallelType::BIDx);
  const auto [step, thread] = s.split(item, 64);
  s.bind(thread, ParallelType::TIDx);
  const Counts n = of(lower(s), "x", AccessKind::Read);
  EXPECT_EQ(n.requests, 64 * (16 + 16 + 15));
  EXPECT_EQ(n.sectors, 64 * 125);  // 4,000 bytes a row
  EXPECT_EQ(n.half_lines, 64 * 1000 * 4 / 64);
}

// Each thread walks along its own row, so that a request of a warp touches 32 sectors, and each
// sector is touched eight times.
TEST(Requests, OfThreadsApartTouchASectorEach) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(64), f.constant(800)}, DataType::Float);
  const Tensor y = f.output("y", x + 1);
  Schedule s(f);
  s.bind(s.loops<2>(y)[0], ParallelType::TIDx);
  const Counts n = of(lower(s), "x", AccessKind::Read);
  EXPECT_EQ(n.requests, 2 * 800);
  EXPECT_EQ(n.sectors, 32 * 2 * 800);
  EXPECT_EQ(n.half_lines, 64 * 800 * 4 / 64);
}

// A square tile of floats without a swizzle: 32 rows of a column lie in one bank.
TEST(Requests, OfAColumnOfATileConflict32Times) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(32), f.constant(32)}, DataType::Float);
  const Tensor y = f.output("y", transpose(x, {1, 0}));
  Schedule s(f);
  const TensorId tile = s.cache(x, "tile", Memory::Shared);
  for (const TensorId t : {tile, y.id()}) {
    const auto loops = s.loops(t);
    s.bind(loops[0], ParallelType::TIDy).bind(loops[1], ParallelType::TIDx);
  }
  s.compute_in(tile, y.id());
  const Program p = lower(s);
  EXPECT_EQ(of(p, "tile", AccessKind::Write).conflicts, 0);
  EXPECT_EQ(of(p, "tile", AccessKind::Read).conflicts, 32 * 31);
}

// Many boxes of one form: the count takes no longer for more rows.
TEST(Requests, OfManyRowsAreOneBox) {
  Fusion f;
  const auto [m, n] = f.extents("M", "N");
  const Tensor x = f.input("x", {m, n}, DataType::Float);
  f.output("y", x / sum(x, {1}, keepdim));
  const Program p = lower(auto_schedule(f, {{"N", 4096}}));
  SizeValues sizes;
  sizes.add(m, 1'000'000);
  sizes.add(n, 4096);
  const Kernel& kernel = p.steps[0].variants[0];
  const AccessMap map(kernel);
  RequestBoxes boxes(map, sizes);
  for (const KernelAccess& a : map.accesses()) {
    if (kernel.buffers[a.buffer].memory == Memory::Local) continue;
    const std::int64_t element = size_of(kernel.buffers[a.buffer].type);
    int seen = 0;
    EXPECT_TRUE(boxes.visit({a.scope, a.address, element, element * a.width, kSectorBytes},
                            boxes.all_blocks(), [&](const BoxedRequest&) { ++seen; }));
    EXPECT_LE(seen, 64) << kernel.buffers[a.buffer].name;
  }
}

}  // namespace
}  // namespace selvage
