// Random fusions of all kinds of operations, for whole fusions under random schedules.
#pragma once

#include <selvage/base/array.h>
#include <selvage/ir/ops.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace selvage::test {

// What is drawn, all of it from the seed. Each operation and each step of the schedule is drawn by
// itself, so that some may be left out and the others stay much as they are: that shrinks a
// failure.
struct WholeRecipe {
  std::uint64_t seed = 1;
  int operations = 12;
  int steps = 14;
  std::set<int> left_out = {};        // operations
  std::set<int> steps_left_out = {};  // of the schedule
};

// Leaves out of a failing recipe what is not needed for it to fail in the same way. `outcome` says
// what is wrong, "" if nothing is; the first word is the kind of the failure.
WholeRecipe shrunk(WholeRecipe recipe,
                   const std::function<std::string(const WholeRecipe&)>& outcome);

// Operations on tensors of small odd shapes, some of their extents symbolic. Inputs are small
// integers, and what is made of them stays so small that sums of floats are exact in any order.
// What a mean, a variance or a sum of fractions goes into is inexact: such outputs are equal but
// for rounding, and no truth value, integer or position is made of them.
class WholeFusion {
 public:
  explicit WholeFusion(const WholeRecipe& recipe);

  // Do all inputs have extents of at least 0?
  bool has_shapes(const std::map<std::string, std::int64_t>& sizes) const;
  // Arrays for them, at any such sizes.
  std::map<std::string, Array> inputs_at(const std::map<std::string, std::int64_t>& sizes) const;

  std::shared_ptr<Fusion> fusion = std::make_shared<Fusion>();
  std::map<std::string, std::int64_t> sizes;
  std::map<std::string, Array> inputs;
  std::set<std::string> inexact;  // outputs
  int refused = 0;                // operations that were no BadInput's fault

 private:
  enum class Kind : std::uint8_t { Whole, Fractions, Inexact };
  struct Known {
    Tensor tensor;
    std::vector<std::int64_t> shape;
    Kind kind = Kind::Whole;
    double bound = 4;  // of absolute values
    bool is_read = false;
  };
  DataType type_of(const Known& k) const { return (*fusion)[k.tensor.id()].type; }
  std::int64_t value(Expr e) const { return value(e, sizes); }
  std::int64_t value(Expr e, const std::map<std::string, std::int64_t>& sizes) const;
  void add_sizes(std::mt19937_64& rng);
  Known& add_input(std::vector<Expr> shape, std::mt19937_64& rng);
  std::size_t pick(std::mt19937_64& rng);
  std::size_t partner(std::size_t of, std::mt19937_64& rng);
  void keep(Tensor t, Kind kind, double bound);
  void operate(std::mt19937_64& rng);
  void binary(std::size_t a, std::mt19937_64& rng);
  void unary(std::size_t a, std::mt19937_64& rng);
  void fold(std::size_t a, std::mt19937_64& rng);
  void scan(const Known& x, int axis, std::mt19937_64& rng);
  void repeat(std::size_t a, std::mt19937_64& rng);
  void reorder(std::size_t a, std::mt19937_64& rng);
  void regroup(std::size_t a, std::mt19937_64& rng);
  void cut(std::size_t a, std::mt19937_64& rng);
  void join(std::size_t a, std::mt19937_64& rng);
  void choose_outputs(std::mt19937_64& rng);

  std::vector<Expr> extents_;
  std::vector<Known> known_;
};

}  // namespace selvage::test
