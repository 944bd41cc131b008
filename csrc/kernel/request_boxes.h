#pragma once

#include <selvage/ir/sizes.h>
#include <selvage/kernel/box_form.h>
#include <selvage/kernel/typical_numbers.h>
#include <selvage/kernel/verify_access.h>
#include <selvage/kernel/warp_request.h>

#include <array>
#include <functional>

namespace selvage {

// A request that stands for all points of a box: each p of parameter k moves all of its addresses
// by `moves[k]` bytes.
struct BoxedRequest {
  const ParameterBox* box = nullptr;
  WarpRequest request;
  std::array<std::int64_t, ParameterBox::kMost> moves{};
};

// Cuts the runs of a statement into boxes of like requests (kernel/requests.h says how).
class RequestBoxes {
 public:
  // Both must outlive it.
  RequestBoxes(const AccessMap& map, const SizeValues& sizes);

  // Whether the launch's extents are known at these sizes.
  bool is_known() const { return is_known_; }
  const TypicalNumbers& numbers() const { return numbers_; }
  const std::array<std::int64_t, 3>& grid() const { return grid_; }
  const std::array<std::int64_t, 3>& block() const { return block_; }

  // What the threads do in a scope: access `bytes` bytes at an address, in elements, or nothing if
  // there is no address. A request moved by a multiple of `granule` bytes costs the same.
  struct Access {
    std::size_t scope = 0;
    Expr address = {};
    std::int64_t element_bytes = 1, bytes = 1, granule = 1;
    std::vector<Expr> conditions = {};  // further ones than those of the scope
  };
  using Visit = std::function<void(const BoxedRequest&)>;
  // Which blocks, along each axis: from `start` on, `count` of them.
  using Blocks = std::array<ParameterBox::Range, 3>;
  Blocks all_blocks() const;
  Blocks middle_block() const;
  // Visits each request of these blocks once, the boxes in any order. What the last block does is
  // counted with all blocks, once, and with no others. False where the requests cannot be counted.
  bool visit(const Access& access, const Blocks& blocks, const Visit& visit);

 private:
  class Walk;

  // Warps of a block whose threads have indices of one form: along axis k a lane has the index
  // lanes[k][lane] + steps[k] * p, 0 <= p < counts[k].
  struct Warps {
    std::array<std::array<std::int64_t, 32>, 3> lanes{};
    std::array<std::int64_t, 3> steps{}, counts = {1, 1, 1};
    int active = 32;  // lanes
  };
  std::vector<Warps> warps() const;

  const AccessMap& map_;
  const SizeValues& sizes_;
  std::array<std::int64_t, 3> grid_{}, block_{};
  const TypicalNumbers numbers_;
  bool is_known_ = true;
};

}  // namespace selvage
