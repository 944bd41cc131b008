#pragma once

#include <selvage/driver/run_arguments.h>
#include <selvage/ir/schedule.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace selvage {

// How a nest shares the items of rows of different lengths among its threads, counted before
// anything runs. A thread's step is one point of its loops, but for a vector, that has an item or,
// on a merge path, the end of a row.
struct RowLoad {
  // How a row's result comes to be stored.
  enum class Outcome : std::uint8_t {
    Store,   // one thread has all of it
    Fold,    // threads of one block fold it together, and one stores it
    Carry,   // tiles cut it, and a second kernel folds what they have left
    Atomic,  // blocks meet in memory
  };
  struct Thread {
    std::int64_t items = 0, ends = 0;  // of rows
    std::vector<std::int64_t> rows;  // rising, those without items included, as far as it has them
    std::int64_t work() const { return items + ends; }
  };

  std::string tensor;
  std::string offsets;  // the input that tells the rows
  std::int64_t rows = 0, items = 0, longest = 0;
  // By number: x fastest, then y and z of the thread, then those of the block, by the extents of
  // the loops that are bound.
  std::vector<Thread> threads;
  std::vector<Outcome> outcomes;  // by row
  // Of the first kShownRows rows, who takes each of the first kShownItems items and then, on a
  // merge path, the end; a dense axis beside is at its first index.
  static constexpr std::int64_t kShownRows = 32, kShownItems = 48;
  std::vector<std::vector<std::int64_t>> takers;
  // Steps, if all threads wait for one another after each point of the loops that are not bound;
  // the same of each warp by itself, summed over warps; and of the thread that has most.
  std::int64_t steps = 0, warp_steps = 0, slowest = 0;
  std::int64_t busy = 0;  // those of all threads
  std::int64_t times =
      1;  // each item so many times, for the dense axes beside, which are not counted

  bool has_ends() const;            // whether it is a merge path
  double utilisation() const;       // of all threads over `steps`: 1 where each is busy at each
  double warp_utilisation() const;  // of the lanes of warps over their own steps
};

// Past so many points or threads, nothing is counted.
inline constexpr std::int64_t kMostLoadPoints = std::int64_t{1} << 26;

// Of a tensor whose nest is over items of rows. Nothing: it is over none, or some loop is no
// function of them, or it is too large. The offsets must keep what they promise (check_contracts).
std::optional<RowLoad> row_load(const Schedule& schedule, TensorId t,
                                const RunArguments& arguments);
// Of all such tensors of the schedule that are computed.
std::vector<RowLoad> row_loads(const Schedule& schedule, const RunArguments& arguments);

}  // namespace selvage
