// Random fusions with reductions under random schedules of all primitives: what files are to say.
#pragma once

#include <selvage/ir/schedule.h>

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace selvage {

// Up to six statements over up to three axes, of all types; then transforms, bindings, caches,
// rfactors, places and memories, each where it is taken.
struct RandomFile {
  explicit RandomFile(std::mt19937_64& rng);

  std::unique_ptr<Fusion> fusion = std::make_unique<Fusion>();
  std::optional<Schedule> schedule;
  int caches = 0, parts = 0, two_passes = 0, sites = 0, layouts = 0;

 private:
  std::int64_t draw(std::int64_t lo, std::int64_t hi);
  bool one_in(int n) { return draw(1, n) == 1; }
  template <class T>
  const T& pick(const std::vector<T>& list) {
    return list[std::size_t(draw(0, std::int64_t(list.size()) - 1))];
  }
  void add_statement(int number);
  ValueId element(const std::vector<std::size_t>& axes);
  ValueId value(const std::vector<std::size_t>& axes, int depth);
  void add_step();
  ScheduledLoop loop(TensorId t);

  std::mt19937_64& rng_;
  std::vector<Expr> indices_, shape_;
  struct Source {
    Tensor tensor;
    std::vector<std::size_t> axes;
  };
  std::vector<Source> sources_;
};

}  // namespace selvage
