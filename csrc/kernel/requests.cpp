#include <selvage/base/integer.h>
#include <selvage/expr/substitute.h>
#include <selvage/kernel/request_boxes.h>
#include <selvage/kernel/requests.h>
#include <selvage/kernel/touched_bytes.h>
#include <selvage/legality/bank_phase.h>
#include <selvage/simplifier/simplifier.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace selvage {

namespace {

constexpr std::int64_t kMostBytes = std::int64_t(1) << 38;  // of a buffer
constexpr std::int64_t kSampled = 8;                        // blocks
constexpr std::int64_t kChunkBytes = 16;                    // of the row of a box
constexpr std::int64_t kMostMarks = 1 << 22;  // of bytes that memory tells; then none is marked

// Blocks that are counted for all, and how many each of them stands for.
struct Sample {
  RequestBoxes::Blocks blocks;
  double each = 1;

  std::int64_t scaled(std::int64_t n) const {
    return each == 1 ? n : std::llround(double(n) * each);
  }
};

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
    sampled_.resize(touched_.size());
    result_.runs.resize(map_.places().size());
    if (!count_runs()) return std::nullopt;
    count_probes();
    for (const KernelAccess& a : map_.accesses()) {
      // The tensor cores read shared memory by a way of their own.
      if (std::holds_alternative<Mma>(map_.places()[a.place].statement->node)) continue;
      if (has_box(a) && !count_box(a)) return std::nullopt;
      if (kernel_.buffers[a.buffer].memory != Memory::Local && !count(a)) return std::nullopt;
    }
    for (std::size_t b = 0; b < touched_.size(); ++b) {
      result_.half_lines.push_back(std::max(touched_[b].half_lines(), sampled_[b]));
    }
    for (const AccessRequests& a : result_.accesses) {
      std::int64_t& n = result_.half_lines[a.buffer];
      n = std::max(n, half_lines_told(a, 1));
    }
    count_half_lines_of_block();
    return std::move(result_);
  }

 private:
  // The half lines that an access touches where memory tells how often it happens, or where: no two
  // of the accesses are the same; or each run of bytes lies anywhere, in some half lines again. 0
  // of those of which all is known. In the `parts`-th part of the launch.
  std::int64_t half_lines_told(const AccessRequests& a, std::int64_t parts) const {
    if (a.is_exact || kernel_.buffers[a.buffer].memory != Memory::Global) return 0;
    const auto all = double(touched_[a.buffer].all_half_lines());
    double asked = double(a.threads * a.bytes) / double(kHalfLineBytes * parts);
    if (!a.is_anywhere || all == 0) return std::int64_t(std::min(all, asked));
    asked = std::max(asked, double(a.runs) / double(parts));
    return std::llround(-all * std::expm1(-asked / all));
  }

  // Whether bytes are marked as touched: where memory tells them only so many, as half_lines_told()
  // says the rest.
  static bool may_mark(const BoxedRequest& r, const std::vector<ByteRun>& runs, bool is_told,
                       std::int64_t& marks) {
    marks += saturating_mul(times(r), std::int64_t(runs.size()));
    return !is_told || marks <= kMostMarks;
  }

  static std::int64_t times(const BoxedRequest& r) { return r.box->points(); }

  // Statements of one scope run equally often.
  bool count_runs() {
    std::vector<std::optional<std::int64_t>> by_scope;
    for (std::size_t id = 0; id < map_.places().size(); ++id) {
      const std::size_t scope = map_.places()[id].scope;
      if (by_scope.size() <= scope) by_scope.resize(scope + 1);
      if (!by_scope[scope]) {
        by_scope[scope] = 0;
        const Sample sample = sample_of(scope);
        const auto add = [&](const BoxedRequest& r) { *by_scope[scope] += times(r); };
        if (!boxes_.visit({.scope = scope}, sample.blocks, add)) return false;
        by_scope[scope] = sample.scaled(*by_scope[scope]);
      }
      result_.runs[id] = *by_scope[scope];
    }
    return true;
  }

  void count_probes() {
    result_.probes.resize(map_.places().size());
    std::optional<Simplifier> known;
    for (PlaceId id = 0; id < result_.probes.size(); ++id) {
      const StatementParts parts = parts_of(*map_.places()[id].statement);
      if (!parts.value) continue;
      for (ValueId v : values_under(kernel_.values, *parts.value)) {
        const ValueNode& node = kernel_.values[v];
        if (node.kind != ValueNode::Kind::Search) continue;
        if (!known) known.emplace(with_values(kernel_.facts, sizes_));
        const Interval between = known->interval(node.subscripts[1] - node.subscripts[0]);
        if (between.hi > 0) result_.probes[id] += std::bit_width(std::uint64_t(between.hi));
      }
    }
  }

  bool count(const KernelAccess& a) {
    const bool is_shared = kernel_.buffers[a.buffer].memory == Memory::Shared;
    const std::int64_t element = size_of(kernel_.buffers[a.buffer].type);
    AccessRequests& n = result_.accesses.emplace_back();
    n = {.place = a.place, .buffer = a.buffer, .kind = a.kind, .bytes = element * a.width};
    n.is_exact = a.is_made();
    n.is_anywhere = boxes_.numbers().is_anywhere(a.address);
    const Sample sample = sample_of(a.scope, a.address);
    TouchedBytes of_sample(sample.each == 1 ? 0 : all_bytes(a.buffer));
    TouchedBytes& touched = sample.each == 1 ? touched_[a.buffer] : of_sample;
    std::int64_t marks = 0;
    const bool is_told = by_memory(a);
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
        if (!n.is_anywhere && may_mark(r, runs, is_told, marks)) touched.add(runs, r);
      }
    };
    if (!boxes_.visit(access_of(a), sample.blocks, add)) return false;
    // Nobody asks where threads leave nothing of a sector to another iteration.
    const bool leaves_bytes = n.sectors * kSectorBytes > n.bytes * n.threads;
    if (!is_shared && !writes(a.kind) && leaves_bytes) n.step = step_of(a, n);
    for (std::int64_t* all :
         {&n.requests, &n.threads, &n.sectors, &n.runs, &n.wavefronts, &n.conflicts}) {
      *all = sample.scaled(*all);
    }
    sampled_[a.buffer] =
        std::max(sampled_[a.buffer],
                 std::min(sample.scaled(of_sample.half_lines()), of_sample.all_half_lines()));
    return true;
  }

  // Whether it is the one to the tile of a box.
  bool has_box(const KernelAccess& a) const {
    return !map_.places()[a.place].corner.empty() && a.kind != AccessKind::Signal;
  }
  const AsyncCopy& copy_of(const KernelAccess& a) const {
    return std::get<AsyncCopy>(map_.places()[a.place].statement->node);
  }
  const BoxMap& map_of(const KernelAccess& a) const { return kernel_.maps[copy_of(a).box->map]; }
  // Visits what a box accesses of global memory: each row of which all is there at once, else the
  // chunks of 16 bytes that are.
  bool visit_box(const KernelAccess& a, const RequestBoxes::Blocks& blocks,
                 const RequestBoxes::Visit& visit) {
    const StatementPlace& place = map_.places()[a.place];
    const BoxMap& map = map_of(a);
    const std::int64_t element = size_of(kernel_.buffers[map.buffer].type);
    const BoxMap::Dim& inner = map.dims.back();
    const Expr c = place.corner.back(), is_whole = 0 <= c && c + inner.box <= inner.size;
    const std::int64_t rows = map.elements() / inner.box, chunk = kChunkBytes / element;
    for (std::int64_t row = 0; row < rows; ++row) {
      RequestBoxes::Access access{.scope = a.scope,
                                  .address = c,
                                  .element_bytes = element,
                                  .bytes = inner.box * element,
                                  .granule = kSectorBytes,
                                  .conditions = {is_whole}};
      // Of a multicast, by the rank that makes it.
      if (place.amount.valid()) access.conditions.push_back(eq(map_.threads()[2], place.amount));
      std::int64_t rest = row;
      for (std::size_t d = map.dims.size() - 1; d-- > 0;) {
        const BoxMap::Dim& dim = map.dims[d];
        const Expr i = place.corner[d] + rest % dim.count() * dim.element_stride;
        rest /= dim.count();
        access.address = access.address + i * dim.stride;
        access.conditions.push_back(0 <= i && i < dim.size);
      }
      if (!boxes_.visit(access, blocks, visit)) return false;
      const Expr first = access.address;
      access.bytes = kChunkBytes;
      for (std::int64_t at = 0; at < inner.box; at += chunk) {
        access.address = first + at;
        access.conditions[0] = !is_whole && 0 <= c + at && c + at < inner.size;
        if (!boxes_.visit(access, blocks, visit)) return false;
      }
    }
    return true;
  }
  bool count_box(const KernelAccess& a) {
    const BoxMap& map = map_of(a);
    AccessRequests& n = result_.accesses.emplace_back();
    const AsyncCopy& copy = copy_of(a);
    n = {.place = a.place,
         .buffer = map.buffer,
         .kind = !copy.is_store ? AccessKind::Read
                 : copy.atomic  ? AccessKind::Atomic
                                : AccessKind::Write};
    n.bytes = map.dims.back().box * size_of(kernel_.buffers[map.buffer].type);
    return visit_box(a, boxes_.all_blocks(), [&](const BoxedRequest& r) {
      const std::vector<ByteRun> runs = byte_runs(r.request);
      n.requests += times(r);
      n.threads += times(r) * std::popcount(r.request.active);
      n.sectors += times(r) * sectors_of(runs);
      n.runs += times(r) * std::int64_t(runs.size());
      touched_[map.buffer].add(runs, r);
    });
  }

  std::optional<std::int64_t> step_of(const KernelAccess& a, const AccessRequests& n) const {
    const std::vector<PlaceId>& loops = map_.scope(a.scope).loops;
    if (loops.empty() || n.is_anywhere) return std::nullopt;
    const Expr variable = map_.places()[loops.back()].variable;
    for (const MemoryNumber& number : map_.numbers()) {
      const bool is_read_anew = map_.tree().is_inside(number.place, loops.back());
      if (is_read_anew && mentions(a.address, number.symbol)) return std::nullopt;
    }
    const Expr next = substitute(a.address, {{variable, variable + 1}});
    const std::optional<std::int64_t> step = sizes_(map_.at(a.scope).simplify(next - a.address));
    return step ? checked_mul(*step, size_of(kernel_.buffers[a.buffer].type)) : std::nullopt;
  }

  // Whether memory tells what a scope does, or where an address lies.
  bool by_memory(std::size_t scope, Expr address) const {
    const AccessScope& s = map_.scope(scope);
    const auto is_told = [&](Expr e) { return e.valid() && map_.mentions_number(e); };
    const auto is_counted = [&](PlaceId loop) { return is_told(map_.places()[loop].counted); };
    return is_told(address) || std::ranges::any_of(s.conditions, is_told) ||
           std::ranges::any_of(s.loops, is_counted);
  }
  bool by_memory(const KernelAccess& a) const { return by_memory(a.scope, a.address); }

  // Where memory tells what a scope does, or where an address lies, blocks in the middle of a large
  // launch are counted for all: there is no count that is right for all data, and rows that no
  // power of two divides make no large boxes.
  Sample sample_of(std::size_t scope, Expr address = {}) const {
    Sample sample{.blocks = boxes_.all_blocks()};
    const AccessScope& s = map_.scope(scope);
    if (s.last_block || !by_memory(scope, address)) return sample;
    const auto most = std::ranges::max_element(boxes_.grid());
    if (*most <= 2 * kSampled) return sample;
    sample.blocks[std::size_t(most - boxes_.grid().begin())] = {(*most - kSampled) / 2, 1,
                                                                kSampled};
    sample.each = double(*most) / double(kSampled);
    return sample;
  }

  std::int64_t all_bytes(BufferId b) const {
    return *sizes_(kernel_.buffers[b].elements) * size_of(kernel_.buffers[b].type);
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
    const std::int64_t blocks = std::max<std::int64_t>(result_.blocks, 1);
    for (BufferId b = 0; b < kernel_.buffers.size(); ++b) {
      std::int64_t asked = 0;
      for (const AccessRequests& a : result_.accesses) {
        if (a.buffer == b) asked += a.sectors * kSectorBytes;
      }
      const bool is_global = kernel_.buffers[b].memory == Memory::Global;
      if (!is_global || asked * 4 <= result_.half_lines[b] * kHalfLineBytes * 5) continue;
      TouchedBytes touched(all_bytes(b));
      bool is_known = true;
      for (const KernelAccess& a : map_.accesses()) {
        if (a.buffer != b || boxes_.numbers().is_anywhere(a.address)) continue;
        std::int64_t marks = 0;
        const bool is_told = by_memory(a);
        const auto add = [&](const BoxedRequest& r) {
          const std::vector<ByteRun> runs = byte_runs(r.request);
          if (may_mark(r, runs, is_told, marks)) touched.add(runs, r);
        };
        is_known = is_known && boxes_.visit(access_of(a), boxes_.middle_block(), add);
      }
      for (const KernelAccess& a : map_.accesses()) {
        if (!has_box(a) || map_of(a).buffer != b) continue;
        const auto add = [&](const BoxedRequest& r) { touched.add(byte_runs(r.request), r); };
        is_known = is_known && visit_box(a, boxes_.middle_block(), add);
      }
      if (!is_known) continue;
      std::int64_t& n = result_.half_lines_of_block[b];
      n = touched.half_lines();
      for (const AccessRequests& a : result_.accesses) {
        if (a.buffer == b) n = std::max(n, half_lines_told(a, blocks));
      }
    }
  }

  const Kernel& kernel_;
  const SizeValues& sizes_;
  const AccessMap map_;
  RequestBoxes boxes_;
  std::vector<TouchedBytes> touched_;  // by buffer, but for what is sampled
  std::vector<std::int64_t> sampled_;  // half lines, by buffer
  KernelRequests result_;
};

}  // namespace

std::optional<KernelRequests> requests_of(const Kernel& kernel, const SizeValues& sizes) {
  return Count(kernel, sizes).run();
}

}  // namespace selvage
