// Random fusions under random schedules: what emission is measured on, and tested with.
#pragma once

#include <selvage/ir/schedule.h>
#include <selvage/lower/program.h>

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace selvage::test {

// One output over two to four axes, the sum of reads that mirror, permute, shift or repeat axes and
// of an index; its loops merged, split, reordered and bound at random. Extents are numbers, or
// sizes for which `sizes` has small values.
struct RandomFusion {
  RandomFusion(std::mt19937_64& rng, bool symbolic);
  Program lowered(const LowerOptions& options = {}) const {
    return lower(*fusion, *schedule, options);
  }

  std::unique_ptr<Fusion> fusion = std::make_unique<Fusion>();
  Tensor y;
  std::unique_ptr<Schedule> schedule;
  std::map<std::string, std::int64_t> sizes;

 private:
  void draw_shape(std::mt19937_64& rng, bool symbolic);
  ValueId draw_read(std::mt19937_64& rng, const std::string& name);
  Expr draw_subscript(std::mt19937_64& rng, std::size_t axis, Expr& extent);
  void draw_loops(std::mt19937_64& rng);
  void bind_loops(std::mt19937_64& rng);
  void vectorise(std::mt19937_64& rng);

  std::vector<Expr> shape_, indices_;
};

}  // namespace selvage::test
