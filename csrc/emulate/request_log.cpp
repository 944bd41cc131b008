#include <selvage/emulate/request_log.h>

#include <bit>

namespace selvage {

RequestLog::RequestLog(const Kernel& kernel, std::size_t statements,
                       const std::vector<std::int64_t>& elements)
    : kernel_(kernel) {
  result_.runs.resize(statements);
  for (std::size_t b = 0; b < kernel.buffers.size(); ++b) {
    const bool is_global = kernel.buffers[b].memory == Memory::Global;
    touched_.emplace_back(is_global ? elements[b] * size_of(kernel.buffers[b].type) : 0);
  }
}

void RequestLog::begin(PlaceId place, std::uint32_t thread, std::vector<std::int64_t> iterations) {
  lane_ = int(thread % kWarp);
  present_ = &of_block_[{place, std::uint32_t(thread / kWarp), std::move(iterations)}];
}

void RequestLog::access(std::uint32_t number, AccessKind kind, BufferId buffer,
                        std::int64_t address, std::int64_t width) {
  if (kernel_.buffers[buffer].memory == Memory::Local) return;
  const std::int64_t element = size_of(kernel_.buffers[buffer].type);
  WarpRequest& request = (*present_)[{buffer, kind, number}];
  request.bytes = element * width;
  request.add(lane_, address * element);
}

void RequestLog::end_block() {
  for (const auto& [run, accesses] : of_block_) {
    ++result_.runs[run.place];
    for (const auto& [access, request] : accesses) {
      Access all = access;
      all.number = 0;
      AccessRequests& n = counts_[{run.place, all}];
      n.place = run.place;
      n.buffer = access.buffer;
      n.kind = access.kind;
      n.bytes = request.bytes;
      ++n.requests;
      n.threads += std::popcount(request.active);
      if (kernel_.buffers[access.buffer].memory == Memory::Shared) {
        const Wavefronts w = wavefronts_of(request);
        n.wavefronts += w.all;
        n.conflicts += w.conflicts;
      } else {
        const std::vector<ByteRun> runs = byte_runs(request);
        n.sectors += sectors_of(runs);
        n.runs += std::int64_t(runs.size());
        touched_[access.buffer].add(runs);
      }
    }
  }
  of_block_.clear();
  present_ = nullptr;
}

KernelRequests RequestLog::take() {
  for (const auto& [key, n] : counts_) result_.accesses.push_back(n);
  for (const TouchedBytes& t : touched_) result_.half_lines.push_back(t.half_lines());
  return std::move(result_);
}

}  // namespace selvage
