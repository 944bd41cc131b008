// Matrix multiplications by warps, which end later.
#include <selvage/base/data_type.h>
#include <selvage/kernel/mma_layout.h>
#include <selvage/runtime/virtual_block.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

namespace selvage {

namespace {

constexpr std::int64_t kLanes = 32, kGroup = 128, kRows = 64, kDepth = 16;

}  // namespace

// The rows of one warp: all of its threads, by lane. Its results and what it reads are touched
// once, where the first of its threads waits for it, or before.
struct VirtualBlock::WarpProduct {
  std::array<Product, kLanes> lanes{};
  std::int64_t warp = 0;  // of the warpgroup
  bool is_made = false;

  float number(std::uint16_t bits) const {
    return lanes[0].is_bfloat16 ? bfloat16_to_float(bits) : half_to_float(bits);
  }
  void make() {
    if (is_made) return;
    is_made = true;
    std::array<std::array<float, kDepth>, kRows> a{};
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      const std::int64_t t = warp * kLanes + lane;
      const Product& own = lanes[std::size_t(lane)];
      for (std::int64_t v = 0; v < kRows * kDepth / kGroup; ++v) {
        const std::int64_t row = mma_row(t, v), k = mma_depth(t, v);
        const std::int64_t at = own.is_a_shared ? mma_place(kRows, row, k) : v;
        a[std::size_t(row)][std::size_t(k)] = number(own.a[at]);
      }
    }
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      const std::int64_t t = warp * kLanes + lane;
      const Product& own = lanes[std::size_t(lane)];
      for (std::int64_t v = 0; v < kRows * own.columns / kGroup; ++v) {
        const auto& row = a[std::size_t(mma_row(t, v))];
        float sum = own.sums[v];
        for (std::int64_t k = 0; k < kDepth; ++k) {
          sum += row[std::size_t(k)] * number(own.b[mma_place(own.columns, mma_column(t, v), k)]);
        }
        own.sums[v] = sum;
      }
    }
  }
};

void VirtualBlock::begin_mma(float* sums, const void* a, const void* b, int columns,
                             const char* type, int is_a_shared, int line) {
  VirtualBlock& block = *running_;
  if (block.check_ != nullptr) {
    constexpr auto kBytes = static_cast<unsigned long>(sizeof(std::uint16_t) * kDepth);
    const auto n = static_cast<unsigned long>(columns);
    access(a, is_a_shared != 0 ? kBytes * kRows : kBytes * kRows / kGroup, 0);
    access(b, kBytes * n, 0);
    access(sums, sizeof(float) * kRows / kGroup * n, 1);
  }
  Stop& stop = block.stop();
  stop.kind = Stop::Kind::Product;
  stop.line = line;
  stop.product = {
      sums,    static_cast<const std::uint16_t*>(a), static_cast<const std::uint16_t*>(b),
      columns, std::string_view(type) == "bf16",     is_a_shared != 0};
  leave();
}

// All of a warp have stopped at it. Those of one warp are made in the order in which they begin.
void VirtualBlock::multiply(const Threads& warp) {
  if (warp.size() < kLanes || threads_.size() % kGroup != 0) refuse_narrow(warp);
  const auto made = std::make_shared<WarpProduct>();
  for (std::size_t t : warp) made->lanes[t % kLanes] = stops_[t].product;
  made->warp = std::int64_t(warp.front() / kLanes) % (kGroup / kLanes);
  const bool is_now = is_made_at_once();
  for (std::size_t t : warp) {
    Queue& own = queue(Way::Product, t);
    own.copies.push_back({[made] { made->make(); }, own.closed});
    if (is_now) own.make_below(own.closed + 1);
  }
}

void VirtualBlock::end_mma_group() { ++running_->own_queue(Way::Product).closed; }
void VirtualBlock::wait_for_mma_groups(int pending) {
  Queue& queue = running_->own_queue(Way::Product);
  queue.make_below(queue.closed - pending);
}

}  // namespace selvage
