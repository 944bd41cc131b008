#pragma once

#include <selvage/expr/tape.h>
#include <selvage/legality/analysis.h>

#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace selvage {

inline constexpr std::int64_t kMostThreads = 1024;  // of a block

// Threads along x, y and z; nothing where an extent is no number.
using BlockShape = std::array<std::optional<std::int64_t>, 3>;
BlockShape block_shape(const Schedule& schedule, const TensorAnalysis& analysis);
// The block of a kernel that holds both; threads past an extent of one of them stand idle there.
BlockShape common_block(const BlockShape& a, const BlockShape& b);

// One side of a tensor's traffic as the memory sees it: at each value of the other loops every
// thread of the block whose point is valid reads or writes `bytes` bytes from `address` on. Threads
// are numbered x fastest, 32 consecutive numbers are a warp.
struct WarpAccess {
  struct Loop {
    Expr variable;
    Expr extent;
    std::optional<std::int64_t> known;  // the extent
  };
  struct ThreadLoop {
    Expr variable;
    int axis = 0;  // x, y, z as 0, 1, 2
    std::int64_t extent = 1;
  };
  std::array<std::int64_t, 3> block = {1, 1, 1};
  std::vector<ThreadLoop> threads;
  std::vector<Loop> others;  // serial and block loops, outer to inner
  std::vector<Expr> loops;   // variables of all loops in order, Vectorize's left out
  int element_bytes = 1;
  std::int64_t bytes = 1;                         // 1, 2, 4, 8 or 16
  Expr address;                                   // in elements, of a vector's first
  std::vector<Expr> guards;                       // all hold where the point is no hole
  std::vector<std::pair<Expr, Expr>> first_lane;  // Vectorize's variable and 0; else empty

  std::int64_t block_threads() const { return block[0] * block[1] * block[2]; }
  bool is_thread(Expr symbol) const;
};
// Why no access can be counted, as the end of a sentence: "its block's size is not known".
struct NoWarpAccess {
  std::string why;
};
// The warp access of a placed access of the nest, to its own tensor or to one that it reads;
// `block` is the kernel's. A vector is counted as the access of full groups; groups of which only
// some elements are valid are stored one by one, which is not looked at. A vector's reads of other
// tensors are not counted.
std::variant<WarpAccess, NoWarpAccess> warp_access(const Schedule& schedule,
                                                   const TensorAnalysis& nest, const Access& access,
                                                   const BlockShape& block);

// Goes through the values `ranges` of some of the other loops, the rest staying 0, and at each
// value through the threads of the block.
class BlockWalk {
 public:
  struct Range {
    Expr variable;
    std::int64_t extent = 1;
  };
  // `roots` are over the loops' variables alone, and so are the guards if they are tested.
  BlockWalk(const WarpAccess& access, std::span<const Expr> roots, std::vector<Range> ranges,
            bool guarded);

  bool advance();  // to the next values, the last range fastest; false: that was the last
  enum class Thread : std::uint8_t { Active, Idle, Undefined };
  Thread at(std::int64_t number);  // Idle: a hole, or past an extent
  std::int64_t root(std::size_t i) const { return values_.root(i); }
  // The values of all loops at the thread last asked for.
  Point point() const;

 private:
  const WarpAccess& access_;
  std::vector<Range> ranges_;
  std::vector<Expr> inputs_;            // threads, then others
  std::vector<std::int64_t> at_;        // their values
  std::vector<std::size_t> positions_;  // of the ranges among the inputs
  std::size_t guards_ = 0;
  Tape tests_, values_;
};

}  // namespace selvage
