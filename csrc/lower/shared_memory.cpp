#include <selvage/base/integer.h>
#include <selvage/kernel/launch_limits.h>
#include <selvage/kernel/statements.h>
#include <selvage/lower/shared_memory.h>

#include <algorithm>
#include <map>
#include <set>

namespace selvage {

namespace {

constexpr std::int64_t kWorthwhile = 1'024;  // bytes of a buffer, smaller ones have their own

std::int64_t aligned(std::int64_t bytes, std::int64_t alignment) {
  return ceil_div(bytes, alignment) * alignment;
}

using Pair = std::pair<BufferId, BufferId>;

bool is_shared(const Buffer& b) { return b.memory == Memory::Shared && !b.in_workspace; }

// Which of a kernel's buffers are alive at the same time.
class Lifetimes {
 public:
  explicit Lifetimes(const Kernel& kernel) : kernel_(kernel) { visit(kernel.body); }

  bool meet(BufferId a, BufferId b) const {
    return always_.contains(a) || always_.contains(b) ||
           meetings_.contains({std::min(a, b), std::max(a, b)});
  }

 private:
  struct Span {
    std::size_t first = 0, last = 0;  // statements of a body
  };

  // Notes which buffers are alive together in the body; returns all buffers that the body accesses.
  std::set<BufferId> visit(const Body& body) {
    std::map<BufferId, Span> spans;
    for (std::size_t i = 0; i < body.size(); ++i) {
      for (BufferId b : touched(body[i])) {
        const auto [it, is_new] = spans.try_emplace(b, Span{i, i});
        if (!is_new) it->second.last = i;
      }
    }
    std::set<BufferId> all;
    for (auto a = spans.begin(); a != spans.end(); ++a) {
      all.insert(a->first);
      for (auto b = std::next(a); b != spans.end(); ++b) {
        const Span &x = a->second, &y = b->second;
        // Each is accessed by one statement only; if by the same, touched() noted if they meet.
        const bool is_one = x.first == x.last && y.first == y.last;
        if (is_one || x.last < y.first || y.last < x.first) continue;
        meetings_.insert({a->first, b->first});
      }
    }
    return all;
  }

  std::set<BufferId> touched(const Statement& s) {
    std::set<BufferId> all;
    for_each_access(s, kernel_.values, [&](const StatementAccess& a) {
      if (!is_shared(kernel_.buffers[a.buffer])) return;
      all.insert(a.buffer);
      // Buffers of asynchronous copies and barrier objects are in use beyond the statement.
      if (a.is_async || a.kind == AccessKind::Signal) always_.insert(a.buffer);
    });
    // All buffers that one statement itself reads and writes are alive together.
    for (BufferId a : all) {
      for (BufferId b : all) meetings_.insert({a, b});
    }
    for (const Body* inner : bodies(s)) all.merge(visit(*inner));
    return all;
  }

  const Kernel& kernel_;
  std::set<Pair> meetings_;  // the smaller id first
  std::set<BufferId> always_;
};

}  // namespace

std::optional<std::int64_t> bytes_in(const Kernel& kernel, Memory memory) {
  std::optional<std::int64_t> own = 0, common = 0;
  for (const Buffer& b : kernel.buffers) {
    if (b.memory != memory || b.in_workspace) continue;
    const auto bytes = checked_mul(b.elements.value(), size_of(b.type));
    if (!bytes || !own || !common) return std::nullopt;
    if (b.offset) {
      const auto end = checked_add(*b.offset, *bytes);
      common = end ? std::optional(std::max(*common, *end)) : std::nullopt;
    } else {
      own = checked_add(*own, *bytes);
    }
  }
  const auto all = own && common ? checked_add(*own, *common) : std::nullopt;
  return all && memory == Memory::Shared ? std::optional(*all / kernel.launch.ranks()) : all;
}

namespace {

// Offsets of the large buffers, in bytes; empty if sharing saves less than kWorthwhile.
std::map<BufferId, std::int64_t> shared_offsets(const Kernel& kernel) {
  const auto bytes = [&](BufferId b) {
    return kernel.buffers[b].elements.value() * size_of(kernel.buffers[b].type);
  };
  if (!bytes_in(kernel, Memory::Shared)) return {};
  std::vector<BufferId> open;
  for (BufferId b = 0; b < kernel.buffers.size(); ++b) {
    if (!is_shared(kernel.buffers[b]) || bytes(b) < kWorthwhile) continue;
    open.push_back(b);
  }
  if (open.size() < 2) return {};
  const Lifetimes lifetimes(kernel);
  const std::vector<std::int64_t> alignments = shared_alignments(kernel);
  std::stable_sort(open.begin(), open.end(),
                   [&](BufferId a, BufferId b) { return bytes(a) > bytes(b); });
  // The largest buffer first, each at the lowest offset free of all buffers that it meets.
  std::map<BufferId, std::int64_t> offsets;
  std::int64_t all = 0, most = 0;
  for (BufferId b : open) {
    std::vector<std::pair<std::int64_t, std::int64_t>> taken;  // begin and end
    for (const auto& [other, offset] : offsets) {
      if (lifetimes.meet(b, other)) taken.emplace_back(offset, offset + bytes(other));
    }
    std::sort(taken.begin(), taken.end());
    std::int64_t offset = 0;
    for (const auto& [begin, end] : taken) {
      if (offset + bytes(b) <= begin) break;
      offset = std::max(offset, aligned(end, alignments[b]));
    }
    offsets[b] = offset;
    most = std::max(most, offset + bytes(b));
    all += bytes(b);
  }
  if (all - most < kWorthwhile) return {};
  return offsets;
}

}  // namespace

// Of the pieces of a rank, side by side. All is asked for at the launch; that of one rank behind
// another, as the virtual device has it, lies as the first one.
static void place_pieces(Kernel& kernel) {
  const std::vector<std::int64_t> alignments = shared_alignments(kernel);
  const std::int64_t ranks = kernel.launch.ranks();
  std::int64_t end = 0, most = kSharedAlignment;
  for (BufferId b = 0; b < kernel.buffers.size(); ++b) {
    Buffer& buffer = kernel.buffers[b];
    if (!is_shared(buffer)) continue;
    end = aligned(end, alignments[b]);
    most = std::max(most, alignments[b]);
    buffer.offset = ranks * end;
    end += buffer.piece(ranks) * size_of(buffer.type);
  }
  kernel.launch.shared_bytes = kernel.pool->constant(aligned(end, most));
}

void ask_at_launch(Kernel& kernel) {
  if (!bytes_in(kernel, Memory::Shared)) return;
  const auto bytes = [](const Buffer& b) { return b.elements.value() * size_of(b.type); };
  std::int64_t end = 0;
  for (const Buffer& b : kernel.buffers) {
    if (is_shared(b) && b.offset) end = std::max(end, *b.offset + bytes(b));
  }
  std::vector<std::pair<BufferId, std::int64_t>> offsets;  // of those that have none yet
  const std::vector<std::int64_t> alignments = shared_alignments(kernel);
  for (BufferId b = 0; b < kernel.buffers.size(); ++b) {
    if (!is_shared(kernel.buffers[b]) || kernel.buffers[b].offset) continue;
    const std::int64_t offset = aligned(end, alignments[b]);
    offsets.emplace_back(b, offset);
    end = offset + bytes(kernel.buffers[b]);
  }
  if (end <= kMaxStaticSharedBytes) return;
  for (const auto& [b, offset] : offsets) kernel.buffers[b].offset = offset;
  kernel.launch.shared_bytes = kernel.pool->constant(end);
}

void place_shared_memory(Kernel& kernel, const Within& within, KnownMeetings* known) {
  if (kernel.launch.is_cluster) {
    add_barriers(kernel, {}, within, known);
    return place_pieces(kernel);
  }
  const std::map<BufferId, std::int64_t> offsets = shared_offsets(kernel);
  if (offsets.empty()) {
    add_barriers(kernel, {}, within, known);
    return ask_at_launch(kernel);
  }
  Kernel sharing = kernel;
  for (const auto& [b, offset] : offsets) sharing.buffers[b].offset = offset;
  add_barriers(kernel, {}, within, known);
  add_barriers(sharing, {}, within, known);
  const bool has_room = *bytes_in(kernel, Memory::Shared) <= kMaxStaticSharedBytes;
  if (!has_room || barriers_in(sharing.body) <= barriers_in(kernel.body)) {
    kernel = std::move(sharing);
  }
  ask_at_launch(kernel);
}

namespace {

// As many blocks as any device runs at once.
std::int64_t resident_blocks(const Launch& launch) {
  std::int64_t threads = 1;
  for (Expr extent : launch.block) threads *= extent.is(Op::Const) ? extent.value() : 1;
  const std::int64_t of_one = std::min(kResidentBlocks, kResidentThreads / threads);
  return kMostMultiprocessors * std::max<std::int64_t>(1, of_one);
}

bool fits(const Kernel& kernel) {
  const auto bytes = bytes_in(kernel, Memory::Shared);
  return bytes && *bytes <= kMaxSharedBytes;
}

bool may_have_workspace(const Kernel& kernel) {
  const bool counts = std::ranges::any_of(kernel.buffers, &Buffer::counts_blocks);
  return !counts && kernel.checks == nullptr && kernel.launch.cluster == 1 &&
         !kernel.launch.is_cluster;
}

// The largest buffer of a tensor in shared memory: nothing, if there is none.
std::optional<BufferId> largest_shared(const Kernel& kernel) {
  std::optional<BufferId> largest;
  std::int64_t most = 0;
  for (BufferId b = 0; b < kernel.buffers.size(); ++b) {
    const Buffer& buffer = kernel.buffers[b];
    if (!is_shared(buffer) || !buffer.holds || buffer.arrivals) continue;
    if (is_copied_into(kernel, b)) continue;  // copies that end later go to shared memory alone
    const auto bytes = checked_mul(buffer.elements.value(), size_of(buffer.type));
    if (bytes.value_or(INT64_MAX) <= most) continue;
    most = bytes.value_or(INT64_MAX);
    largest = b;
  }
  return largest;
}

}  // namespace

void place_with_workspace(Kernel& kernel, TensorId root, const Within& within,
                          KnownMeetings* known) {
  constexpr std::int64_t kPieceAlignment = 256;
  // What fits apart fits, and most does: no copy is made for it.
  const bool may_need = !fits(kernel) && may_have_workspace(kernel);
  if (!may_need) return place_shared_memory(kernel, within, known);
  Kernel moved = kernel;
  place_shared_memory(kernel, within, known);
  Launch::Workspace workspace{.blocks = resident_blocks(kernel.launch)};
  Kernel placed = kernel;
  while (!fits(placed)) {
    const auto b = largest_shared(moved);
    if (!b) return;
    Buffer& buffer = moved.buffers[*b];
    const auto bytes = checked_mul(buffer.elements.value(), size_of(buffer.type));
    if (!bytes || *bytes > kMaxWorkspaceBytes - workspace.bytes) return;
    buffer.in_workspace = workspace.bytes;
    workspace.bytes += aligned(*bytes, kSharedAlignment);
    placed = moved;
    place_shared_memory(placed, within, known);
  }
  if (workspace.bytes == 0) return;
  kernel = std::move(placed);
  workspace.bytes = ceil_div(workspace.bytes, kPieceAlignment) * kPieceAlignment;
  kernel.launch.workspace = workspace;
  const std::array<Expr, 3>& grid = kernel.launch.grid;
  const Expr pieces = min(grid[0] * grid[1] * grid[2], kernel.pool->constant(workspace.blocks));
  kernel.buffers.push_back({.name = "workspace",
                            .type = DataType::UInt8,
                            .elements = pieces * workspace.bytes,
                            .is_written = true,
                            .holds = TensorPart{root, kWorkspace}});
}

}  // namespace selvage
