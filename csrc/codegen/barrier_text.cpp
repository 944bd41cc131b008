#include <selvage/base/check.h>
#include <selvage/codegen/barrier_text.h>
#include <selvage/kernel/barrier_members.h>

#include <fmt/format.h>

namespace selvage {

std::string flat_thread(const Kernel& kernel) {
  const auto& block = kernel.launch.block;
  if (!block[2].is_const(1) && !kernel.launch.is_cluster) {
    return fmt::format("(threadIdx.z * {} + threadIdx.y) * {} + threadIdx.x", block[1].value(),
                       block[0].value());
  }
  if (block[1].is_const(1)) return "threadIdx.x";
  return fmt::format("threadIdx.y * {} + threadIdx.x", block[0].value());
}

namespace {

// C text for the member mask of the warp that runs it, chosen by the thread's number.
std::string own_lanes(const Kernel& kernel, const Barrier& barrier) {
  std::string text;
  std::uint32_t last = 0;
  for (std::size_t w = barrier.members.size(); w-- > 0;) {
    const std::uint32_t word = barrier.members[w];
    if (word == 0 || (!text.empty() && word == last)) continue;
    const std::string own = fmt::format("{:#010x}u", word);
    text = text.empty()
               ? own
               : fmt::format("{} < {} ? {} : {}", flat_thread(kernel), (w + 1) * kWarp, own, text);
    last = word;
  }
  return text;
}

// The threads of a block, at most; a barrier has no members beyond these.
std::int64_t block_threads(const Kernel& kernel) {
  std::int64_t n = 1;
  for (Expr e : kernel.launch.hardware_block()) n *= e.is(Op::Const) ? e.value() : 1024;
  return n;
}

}  // namespace

std::string member_text(const Kernel& kernel, const Region& region) {
  const Barrier members{.scope = Barrier::Scope::Threads, .members = region.members};
  const std::int64_t end = block_threads(kernel);
  const std::string thread = flat_thread(kernel);
  std::vector<std::string> runs;
  for (const auto& [from, to] : runs_of(members, end)) {
    std::string run = from > 0 ? fmt::format("{} <= {}", from, thread) : "";
    if (to < end) run += (run.empty() ? "" : " && ") + fmt::format("{} < {}", thread, to);
    runs.push_back(run.empty() ? "true" : run);
  }
  if (runs.size() == 1) return runs[0];
  for (std::string& run : runs) run = "(" + run + ")";
  return runs.empty() ? "false" : fmt::format("{}", fmt::join(runs, " || "));
}

BarrierText barrier_text(const Kernel& kernel, const Barrier& barrier) {
  switch (barrier.scope) {
    case Barrier::Scope::Block:
      return {kernel.launch.is_cluster ? "sync_cluster();" : "__syncthreads();"};
    case Barrier::Scope::Rank: return {"__syncthreads();"};
    case Barrier::Scope::Warpgroup: break;
    case Barrier::Scope::Warp:
      return {barrier.is_partial() ? fmt::format("__syncwarp({:#010x}u);", barrier.lanes)
                                   : "__syncwarp();"};
    case Barrier::Scope::Threads: break;
  }
  SELVAGE_CHECK(barrier.id >= 1 && barrier.id <= 15 && barrier.warps() > 0);
  const std::int64_t threads = barrier.warps() * kWarp,
                     members = count_of(barrier, block_threads(kernel));
  if (members == threads) {
    return {fmt::format("sync_threads({}, {});", barrier.id, threads),
            BarrierText::Macro::SyncThreads};
  }
  return {fmt::format("sync_members({}, {}, {}, {});", barrier.id, threads, members,
                      own_lanes(kernel, barrier)),
          BarrierText::Macro::SyncMembers};
}

}  // namespace selvage
