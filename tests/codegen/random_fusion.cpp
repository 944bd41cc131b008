#include <selvage/legality/analysis.h>

#include "tests/codegen/random_fusion.h"

#include "tests/oracle/draws.h"

namespace selvage::test {

using oracle::chance;
using oracle::draw;

namespace {

constexpr std::int64_t kMostThreads = 1'024;

template <class T>
void shuffle(std::mt19937_64& rng, std::vector<T>& v) {
  for (std::size_t k = v.size(); k > 1; --k) {
    std::swap(v[k - 1], v[std::size_t(draw(rng, 0, std::int64_t(k) - 1))]);
  }
}

std::string numbered(const char* name, std::size_t k) { return name + std::to_string(k); }

}  // namespace

RandomFusion::RandomFusion(std::mt19937_64& rng, bool symbolic) {
  draw_shape(rng, symbolic);
  ValueGraph& values = fusion->values();
  ValueId sum = values.cast(values.index(indices_.back()), DataType::Float);
  const std::int64_t reads = draw(rng, 1, 4);
  for (std::int64_t k = 0; k < reads; ++k) {
    sum = values.apply(Function::Add, {sum, draw_read(rng, numbered("a", std::size_t(k)))});
  }
  y = fusion->output("y", fusion->compute("sum", indices_, shape_, sum), DataType::Float);
  schedule = std::make_unique<Schedule>(*fusion);
  draw_loops(rng);
  bind_loops(rng);
  vectorise(rng);
}

void RandomFusion::draw_shape(std::mt19937_64& rng, bool symbolic) {
  const std::int64_t rank = draw(rng, 2, 4);
  for (std::int64_t k = 0; k < rank; ++k) {
    const std::int64_t n = draw(rng, 1, rank > 2 ? 7 : 12);
    indices_.push_back(fusion->fresh_index(numbered("i", std::size_t(k))));
    if (symbolic && !chance(rng, 4)) {
      const std::string name = numbered("N", std::size_t(k));
      shape_.push_back(fusion->extent(name));
      sizes[name] = n;
    } else {
      shape_.push_back(fusion->constant(n));
    }
  }
}

ValueId RandomFusion::draw_read(std::mt19937_64& rng, const std::string& name) {
  std::vector<std::size_t> axes;
  for (std::size_t k = 0; k < shape_.size(); ++k) {
    if (!chance(rng, 4)) axes.push_back(k);
  }
  if (chance(rng, 2)) shuffle(rng, axes);
  std::vector<Expr> subscripts, shape;
  for (std::size_t k : axes) {
    shape.push_back(shape_[k]);
    subscripts.push_back(draw_subscript(rng, k, shape.back()));
  }
  const Tensor a = fusion->input(name, shape, DataType::Float);
  return fusion->values().read(DataType::Float, std::uint32_t(a.id()), subscripts);
}

// The index itself, mirrored, shifted into a longer axis, or every 13th element of one.
Expr RandomFusion::draw_subscript(std::mt19937_64& rng, std::size_t axis, Expr& extent) {
  const Expr i = indices_[axis];
  if (!chance(rng, 3)) return i;
  switch (draw(rng, 1, 3)) {
    case 1: return extent - 1 - i;
    case 2: extent = extent + 3; return i + 2;
    default: extent = extent * 13; return i * 13 + 1;
  }
}

void RandomFusion::draw_loops(std::mt19937_64& rng) {
  const std::int64_t steps = draw(rng, 1, 6);
  for (std::int64_t step = 0; step < steps; ++step) {
    std::vector<ScheduledLoop> loops = schedule->loops(y.id());
    const auto k = std::size_t(draw(rng, 0, std::int64_t(loops.size()) - 1));
    switch (draw(rng, 1, 5)) {
      case 1:
      case 2: schedule->split(loops[k], draw(rng, 2, 12)); break;
      case 3:
      case 4:
        if (k + 1 < loops.size()) schedule->merge(loops[k], loops[k + 1]);
        break;
      case 5:
        shuffle(rng, loops);
        schedule->reorder(loops);
        break;
    }
  }
}

void RandomFusion::bind_loops(std::mt19937_64& rng) {
  std::vector<ParallelType> types = {ParallelType::BIDx, ParallelType::BIDy, ParallelType::TIDx,
                                     ParallelType::TIDy};
  std::int64_t threads = 1;
  for (ScheduledLoop l : schedule->loops(y.id())) {
    if (types.empty() || chance(rng, 3)) continue;
    const auto pick = std::size_t(draw(rng, 0, std::int64_t(types.size()) - 1));
    const Expr extent = schedule->graph()[l.domain].extent;
    if (is_thread(types[pick])) {
      if (!extent.is(Op::Const) || threads * extent.value() > kMostThreads) continue;
      threads *= extent.value();
    }
    schedule->bind(l, types[pick]);
    types.erase(types.begin() + std::ptrdiff_t(pick));
  }
}

// The innermost loop in vectors, where that is legal for all sizes or behind a test.
void RandomFusion::vectorise(std::mt19937_64& rng) {
  const ScheduledLoop last = schedule->loops(y.id()).back();
  if (!chance(rng, 2) || schedule->parallel(y.id(), last.domain) != ParallelType::Serial) return;
  Schedule with_vector = *schedule;
  const auto [outer, vector] = with_vector.split(last, draw(rng, 1, 2) * 2);
  with_vector.bind(vector, ParallelType::Vectorize);
  if (chance(rng, 3)) with_vector.bind(outer, ParallelType::Unswitch);
  if (!analyze(*fusion, with_vector, y.id()).vector->finding.is_legal()) return;
  *schedule = std::move(with_vector);
}

}  // namespace selvage::test
