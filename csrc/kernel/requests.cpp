#include <selvage/base/integer.h>
#include <selvage/kernel/request_boxes.h>
#include <selvage/kernel/requests.h>
#include <selvage/kernel/touched_bytes.h>
#include <selvage/legality/bank_phase.h>

#include <algorithm>
#include <bit>

namespace selvage {

namespace {

constexpr std::int64_t kMostBytes = std::int64_t(1) << 38;  // of a buffer

class Count {
 public:
  Count(const Kernel& kernel, const SizeValues& sizes)
      : kernel_(kernel), sizes_(sizes), map_(kernel), boxes_(map_, sizes) {}

  std::optional<KernelRequests> run() {
    if (!boxes_.is_known()) return std::nullopt;
    const auto [x, y, z] = boxes_.grid();
    result_.blocks = x * y * z;
    result_.threads = boxes_.block()[0] * boxes_.block()[1] * boxes_.block()[2];
    for (const Buffer& b : kernel_.buffers) {
      const std::optional<std::int64_t> elements = sizes_(b.elements);
      const bool is_global = b.memory == Memory::Global;
      const auto bytes = elements ? checked_mul(*elements, size_of(b.type)) : std::nullopt;
      if (is_global && (!bytes || *bytes > kMostBytes)) return std::nullopt;
      touched_.emplace_back(is_global ? *bytes : 0);
    }
    result_.runs.resize(map_.places().size());
    if (!count_runs()) return std::nullopt;
    for (const KernelAccess& a : map_.accesses()) {
      if (kernel_.buffers[a.buffer].memory != Memory::Local && !count(a)) return std::nullopt;
    }
    for (const TouchedBytes& t : touched_) result_.half_lines.push_back(t.half_lines());
    for (const AccessRequests& a : result_.accesses) {
      if (a.is_exact || kernel_.buffers[a.buffer].memory != Memory::Global) continue;
      std::int64_t& n = result_.half_lines[a.buffer];
      const std::int64_t all = touched_[a.buffer].all_half_lines();
      n = std::max(n, std::min(all, a.threads * a.bytes / kHalfLineBytes));
    }
    count_half_lines_of_block();
    return std::move(result_);
  }

 private:
  static std::int64_t times(const BoxedRequest& r) { return r.box->points(); }

  // Statements of one scope run equally often.
  bool count_runs() {
    std::vector<std::optional<std::int64_t>> by_scope;
    for (std::size_t id = 0; id < map_.places().size(); ++id) {
      const std::size_t scope = map_.places()[id].scope;
      if (by_scope.size() <= scope) by_scope.resize(scope + 1);
      if (!by_scope[scope]) {
        by_scope[scope] = 0;
        const auto add = [&](const BoxedRequest& r) { *by_scope[scope] += times(r); };
        if (!boxes_.visit({.scope = scope}, boxes_.all_blocks(), add)) return false;
      }
      result_.runs[id] = *by_scope[scope];
    }
    return true;
  }

  bool count(const KernelAccess& a) {
    const bool is_shared = kernel_.buffers[a.buffer].memory == Memory::Shared;
    const std::int64_t element = size_of(kernel_.buffers[a.buffer].type);
    AccessRequests& n = result_.accesses.emplace_back();
    n = {.place = a.place, .buffer = a.buffer, .kind = a.kind, .bytes = element * a.width};
    n.is_exact = a.is_done();
    const auto add = [&](const BoxedRequest& r) {
      n.requests += times(r);
      if (!n.stride && r.request.has(0) && r.request.has(1)) {
        n.stride = r.request.address[1] - r.request.address[0];
      }
      n.threads += times(r) * std::popcount(r.request.active);
      if (is_shared) {
        const Wavefronts w = wavefronts_of(r.request);
        n.wavefronts += times(r) * w.all;
        n.conflicts += times(r) * w.conflicts;
      } else {
        const std::vector<ByteRun> runs = byte_runs(r.request);
        n.sectors += times(r) * sectors_of(runs);
        n.runs += times(r) * std::int64_t(runs.size());
        touched_[a.buffer].add(runs, r);
      }
    };
    return boxes_.visit(access_of(a), boxes_.all_blocks(), add);
  }

  RequestBoxes::Access access_of(const KernelAccess& a) const {
    const Buffer& buffer = kernel_.buffers[a.buffer];
    const std::int64_t element = size_of(buffer.type), bytes = element * a.width;
    return {.scope = a.scope,
            .address = a.address,
            .element_bytes = element,
            .bytes = bytes,
            .granule = buffer.memory == Memory::Shared ? unit_bytes(bytes) : kSectorBytes};
  }

  void count_half_lines_of_block() {
    result_.half_lines_of_block = result_.half_lines;
    for (BufferId b = 0; b < kernel_.buffers.size(); ++b) {
      std::int64_t asked = 0;
      for (const AccessRequests& a : result_.accesses) {
        if (a.buffer == b) asked += a.sectors * kSectorBytes;
      }
      const bool is_global = kernel_.buffers[b].memory == Memory::Global;
      if (!is_global || asked * 4 <= result_.half_lines[b] * kHalfLineBytes * 5) continue;
      TouchedBytes touched(*sizes_(kernel_.buffers[b].elements) * size_of(kernel_.buffers[b].type));
      const auto add = [&](const BoxedRequest& r) { touched.add(byte_runs(r.request), r); };
      bool is_known = true;
      for (const KernelAccess& a : map_.accesses()) {
        if (a.buffer != b) continue;
        is_known = is_known && boxes_.visit(access_of(a), boxes_.middle_block(), add);
      }
      if (is_known) result_.half_lines_of_block[b] = touched.half_lines();
    }
  }

  const Kernel& kernel_;
  const SizeValues& sizes_;
  const AccessMap map_;
  RequestBoxes boxes_;
  std::vector<TouchedBytes> touched_;  // by buffer
  KernelRequests result_;
};

}  // namespace

std::optional<KernelRequests> requests_of(const Kernel& kernel, const SizeValues& sizes) {
  return Count(kernel, sizes).run();
}

}  // namespace selvage
