#include <algorithm>
#include <array>

#include "tests/support/published_rows.h"

namespace selvage::test {

namespace {

using enum RowWork;
using enum RowSystem;

constexpr std::array<std::int64_t, 7> kLengths{256, 1024, 4096, 8192, 32'768, 65'536, 262'144};
// 119 and 121 us, for four times the bytes: no kernel takes equally long.
constexpr std::string_view kHost = "the host takes longer than the kernel";
constexpr std::string_view kSpills = "its registers spill";

struct Line {
  RowWork work;
  RowSystem system;
  std::array<double, kLengths.size()> gb_per_second;  // 0: not published
  std::array<std::string_view, kLengths.size()> reasons = {};
};

// As QuACK's repository has them in its chart of single-row kernels in bfloat16 (H100 SXM); 32,768
// rows, 8,192 of the longest. Left out are cuDNN, whose configurations are not known, and Liger's
// cross entropy, which stores gradients and asks the host between its kernels.
constexpr std::array<Line, 8> kLines{{
    {RmsNorm, Quack, {1913, 2581, 2900, 2987, 2987, 3020, 2811}},
    {RmsNorm, Inductor, {1278, 1948, 2303, 1947, 1776, 1534, 1498}},
    {RmsNorm, Liger, {1945, 2587, 2904, 2836, 2860, 653, 0}, {"", "", "", "", "", kSpills}},
    {Softmax, Quack, {1900, 2630, 2889, 2938, 2985, 3004, 3012}},
    {Softmax, Inductor, {281, 1107, 1623, 1759, 1684, 2032, 1409}, {kHost, kHost}},
    {Softmax, Liger, {1228, 2660, 2870, 2928, 2823, 1963, 0}, {"", "", "", "", "", kSpills}},
    {CrossEntropy, Quack, {1113, 1902, 2692, 2942, 3021, 3182, 3034}},
    {CrossEntropy, Inductor, {340, 875, 1396, 1553, 1700, 1479, 1226}},
}};

std::vector<PublishedCell> all_cells() {
  std::vector<PublishedCell> cells;
  for (const Line& line : kLines) {
    for (std::size_t k = 0; k < kLengths.size(); ++k) {
      if (line.gb_per_second[k] == 0) continue;
      cells.push_back(
          {line.work, line.system, kLengths[k], line.gb_per_second[k], line.reasons[k]});
    }
  }
  return cells;
}

// Threads of a row and blocks of a cluster by the length of a row, of 128 threads up to 16 Ki and
// of 256 from there on. A row is copied into shared memory, all of it at once; up to 8 Ki it is
// then kept in registers.
RowConfiguration quack(std::int64_t length, RowWork work) {
  struct Step {
    std::int64_t most, number;
  };
  const auto of = [&](std::initializer_list<Step> steps, std::int64_t otherwise) {
    const auto* step = std::ranges::find_if(steps, [&](Step s) { return length <= s.most; });
    return step == steps.end() ? otherwise : step->number;
  };
  constexpr std::int64_t k = 1024;
  RowConfiguration c;
  c.threads = of({{64, 8}, {128, 16}, {3 * k, 32}, {6 * k, 64}, {16 * k, 128}}, 256);
  c.rows = (length <= 16 * k ? 128 : 256) / c.threads;
  c.cluster = of({{16 * k, 1}, {32 * k, 2}, {64 * k, 4}, {128 * k, 8}}, 16);
  c.is_unrolled = true;
  c.kept = {Memory::Shared};
  // The class of a row is picked out of shared memory, so the other reads take it from there too.
  if (length <= 8 * k && work != CrossEntropy) c.kept.push_back(Memory::Local);
  return c;
}

// A program of Triton, which has a row in registers up to 1,024 elements and walks it in steps of
// 2,048 beyond; a warp for each 128 elements of a step.
RowConfiguration inductor(std::int64_t length, RowWork work) {
  constexpr std::int64_t kStep = 2048, kMostKept = 1024;
  RowConfiguration c;
  c.threads = std::min(length, kStep) / 128 * 32;
  c.vector = 4;
  if (length <= kMostKept) c.kept = {work == CrossEntropy ? Memory::Shared : Memory::Local};
  c.is_online = length > kMostKept && work != RmsNorm;
  return c;
}

// A program of Triton for each row, which it has in registers; RMS norm takes sixteen short rows.
RowConfiguration liger(std::int64_t length, RowWork work) {
  RowConfiguration c;
  if (work == RmsNorm && length <= 256) return {.rows = 4, .turns = 4, .kept = {Memory::Local}};
  c.threads = 32 * (length >= 32'768 ? 32 : length >= 8'192 ? 16 : length >= 2'048 ? 8 : 4);
  c.vector = std::min<std::int64_t>(8, length / c.threads);
  c.kept = {Memory::Local};
  return c;
}

}  // namespace

std::string_view to_string(RowWork work) {
  switch (work) {
    case RmsNorm: return "RMS norm";
    case Softmax: return "softmax";
    case CrossEntropy: return "cross entropy";
  }
  return "";
}

std::string_view to_string(RowSystem system) {
  switch (system) {
    case Quack: return "QuACK";
    case Inductor: return "Inductor";
    case Liger: return "Liger";
  }
  return "";
}

std::span<const PublishedCell> published_cells() {
  static const std::vector<PublishedCell> cells = all_cells();
  return cells;
}

RowConfiguration configuration(const PublishedCell& cell) {
  switch (cell.system) {
    case Quack: return quack(cell.length, cell.work);
    case Inductor: return inductor(cell.length, cell.work);
    case Liger: return liger(cell.length, cell.work);
  }
  return {};
}

}  // namespace selvage::test
