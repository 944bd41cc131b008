#include <selvage/base/check.h>
#include <selvage/ir/composites.h>
#include <selvage/lower/program.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "tests/support/published_cost.h"

namespace selvage::test {

namespace {

using enum RowWork;

struct RowFusion {
  Fusion f;
  TensorId x{}, y{};
};

RowFusion fusion_of(RowWork work, std::int64_t rows, std::int64_t length, bool is_online) {
  RowFusion r;
  Fusion& f = r.f;
  const Expr m = f.constant(rows), n = f.constant(length);
  const Tensor x = f.input("x", {m, n}, DataType::BFloat16);
  r.x = x.id();
  // What is added up so far and the next element, each scaled to the larger maximum.
  const auto two_exponentials = [&] {
    const Tensor top = max(x, 0.5), is_empty = top == -INFINITY;
    const Tensor before = select(is_empty, 1, exp(0.5 - top));
    return sum(before + select(is_empty, 1, exp(x - top)), {1}, keepdim);
  };
  switch (work) {
    case RmsNorm:
      r.y = f.output("y", rms_norm(x, {1}, f.input("w", {n}, x.type()), 1e-6), x.type()).id();
      break;
    case Softmax:
      r.y = f.output("y", is_online ? exp(x) / two_exponentials() : softmax(x, 1), x.type()).id();
      break;
    case CrossEntropy: {
      const Tensor label = unsqueeze(f.input("label", {m}, DataType::Int64), 1);
      const Tensor wanted = squeeze(take_along(x, label, 1, Outside::unchecked()), {1});
      const auto in_two_passes = [&] {
        const Tensor most = max(x, {1}, keepdim);
        return squeeze(log(sum(exp(x - most), {1}, keepdim)) + most, {1});
      };
      const Tensor all = is_online ? log(squeeze(two_exponentials(), {1})) : in_two_passes();
      r.y = f.output("loss", all - wanted).id();
      break;
    }
  }
  return r;
}

// Cuts what is within a row into steps, threads and vectors; the loops are those of one tensor.
void cut_row(Schedule& s, TensorId t, const RowConfiguration& c) {
  std::vector<ScheduledLoop> order = s.loops(t);
  const ScheduledLoop item = order.back();
  order.pop_back();
  const auto [group, lane] = s.split(item, c.vector, {.outer = "group", .inner = "lane"});
  s.bind(lane, ParallelType::Vectorize);
  if (s.graph()[group.domain].extent.is_const(c.threads)) {
    s.bind(group, ParallelType::TIDx);
    order.push_back(group);
  } else {
    const auto [step, thread] = s.split(group, c.threads, {.outer = "step", .inner = "thread"});
    s.bind(thread, ParallelType::TIDx);
    if (c.is_unrolled) s.bind(step, ParallelType::Unroll);
    order.insert(order.end(), {step, thread});
  }
  order.push_back(lane);
  s.reorder(order);
}

Schedule schedule_of(const RowFusion& r, const RowConfiguration& c) {
  Schedule s(r.f);
  std::vector<TensorId> folds;
  for (std::size_t t = 0; t < r.f.size(); ++t) {
    if (r.f[TensorId(t)].fold) folds.push_back(TensorId(t));
  }
  ScheduledLoop row = s.loops(r.y)[0];
  if (c.rows == 1) {
    s.bind(row, ParallelType::BIDx);
  } else {
    ScheduledLoop block;
    std::tie(block, row) = s.split(row, c.rows, {.outer = "block", .inner = "row"});
    s.bind(row, ParallelType::TIDy);
    if (c.turns > 1) {
      const auto [outer, turn] = s.split(block, c.turns, {.outer = "blocks", .inner = "turn"});
      s.bind(turn, ParallelType::Unroll);
      block = outer;
    }
    s.bind(block, ParallelType::BIDx);
  }
  // The tensor that has all loops of a row; the others are cut up alike.
  const bool has_items = r.f[r.y].logical.size() == 2;
  const TensorId widest = has_items ? r.y : folds.front();
  if (!has_items) s.like(widest, r.y);
  cut_row(s, widest, c);
  for (TensorId t : folds) {
    if (t != widest) s.like(t, widest);
    s.compute_at(t, row);
  }
  TensorId read = r.x;
  for (const Memory memory : c.kept) {
    read = s.cache(read, memory == Memory::Shared ? "x_shared" : "x_row", memory);
    s.like(read, widest);
    s.compute_at(read, row);
  }
  return s;
}

}  // namespace

KernelCost published_cost(const PublishedCell& cell, const Device& device) {
  const RowConfiguration c = configuration(cell);
  const RowFusion r =
      fusion_of(cell.work, cell.rows() * c.cluster, cell.length / c.cluster, c.is_online);
  const Program program = lower(schedule_of(r, c));
  const ProgramCost cost = cost_of(program, {}, device).value();
  SELVAGE_CHECK(cost.kernels.size() == 1);
  KernelCost kernel = cost.kernels.front();
  // A store to the memory of another block and the wait for it, for each fold.
  constexpr double kBarriersOfMeeting = 4;
  const double folds = cell.work == RmsNorm ? 1 : 2;
  if (c.cluster > 1) kernel.work.barriers += kBarriersOfMeeting * folds;
  // QuACK reads the logit of the class from memory once more, after the row.
  if (cell.work == CrossEntropy && cell.system == RowSystem::Quack) ++kernel.work.cached_in_turn;
  kernel.time = time_of(kernel.work, device);
  return kernel;
}

Fusion published_fusion(const PublishedCell& cell) {
  return fusion_of(cell.work, cell.rows(), cell.length, false).f;
}

double gb_per_second(const PublishedCell& cell, double seconds) {
  const double passes = cell.work == CrossEntropy ? 1 : 2;  // read, and stored
  return passes * double(size_of(DataType::BFloat16)) * double(cell.rows() * cell.length) /
         seconds / 1e9;
}

std::vector<PublishedResult> published_results(const Device& device) {
  std::vector<PublishedResult> results;
  for (const PublishedCell& cell : published_cells()) {
    KernelCost cost = published_cost(cell, device);
    const double predicted = gb_per_second(cell, cost.time.seconds);
    results.push_back({cell, std::move(cost), predicted, predicted / cell.gb_per_second - 1});
  }
  return results;
}

Hits within(const std::vector<PublishedResult>& results, RowSystem system, double error) {
  Hits hits;
  for (const PublishedResult& r : results) {
    if (r.cell.system != system || !r.cell.reason.empty()) continue;
    ++hits.all;
    hits.right += std::abs(r.error) <= error;
  }
  return hits;
}

Hits orders(const std::vector<PublishedResult>& results) {
  constexpr double kTie = 1.03;
  std::map<std::pair<RowWork, std::int64_t>, std::vector<const PublishedResult*>> groups;
  for (const PublishedResult& r : results) {
    if (r.cell.reason.empty()) groups[{r.cell.work, r.cell.length}].push_back(&r);
  }
  Hits hits;
  for (const auto& [where, group] : groups) {
    if (group.size() < 2) continue;
    bool is_right = true;
    for (const PublishedResult* a : group) {
      for (const PublishedResult* b : group) {
        const bool is_faster = a->cell.gb_per_second > kTie * b->cell.gb_per_second;
        is_right = is_right && (!is_faster || a->predicted > b->predicted);
      }
    }
    ++hits.all;
    hits.right += is_right;
  }
  return hits;
}

}  // namespace selvage::test
