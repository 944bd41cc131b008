// Turns the requests of a kernel into the work of a launch.
#include <selvage/base/integer.h>
#include <selvage/expr/symbols.h>
#include <selvage/kernel/launch_limits.h>
#include <selvage/kernel/statement_tree.h>
#include <selvage/kernel/warp_request.h>
#include <selvage/lower/cost.h>
#include <selvage/lower/instruction_count.h>
#include <selvage/lower/load_rounds.h>
#include <selvage/lower/shared_memory.h>
#include <selvage/scheduler/typical_sizes.h>

#include <algorithm>
#include <map>

namespace selvage {

namespace {

constexpr double kBytesOfRegister = 4;
constexpr double kShareOfL1 = 64 << 10;  // bytes that a multiprocessor keeps of what is read again
constexpr std::int64_t kLineBytes = 2 * kHalfLineBytes;
constexpr double kBesideShared = 32 << 10;  // bytes of L1 that are never shared memory
constexpr PlaceId kNowhere = kTop - 1;      // of a buffer that is not accessed

class KernelModel {
 public:
  // `held`: by buffer, the share of it that L2 still has from the kernel before.
  KernelModel(const Kernel& kernel, const KernelRequests& requests, const Device& device,
              std::vector<double> held)
      : kernel_(kernel),
        tree_(kernel),
        requests_(requests),
        device_(device),
        held_(std::move(held)) {}

  KernelCost run() {
    KernelCost cost{.name = kernel_.name, .work = {}, .time = {}, .accesses = {}};
    for (const AccessRequests& a : requests_.accesses) {
      const Buffer& buffer = kernel_.buffers[a.buffer];
      cost.accesses.push_back({.buffer = buffer.name,
                               .memory = buffer.memory,
                               .requests = a,
                               .thread_loop = thread_loop(a.place)});
      cost.is_exact = cost.is_exact && a.is_exact;
    }
    LaunchWork& work = cost.work;
    const std::int64_t ranks = kernel_.launch.ranks();
    work.blocks = requests_.blocks * ranks;
    work.threads = requests_.threads / ranks;
    if (work.blocks == 0 || work.threads == 0) return cost;  // it is not launched
    work.shared_bytes = bytes_in(kernel_, Memory::Shared).value_or(0);
    work.registers = registers();
    add_statements(work);
    add_memory(work);
    cost.time = time_of(work, device_);
    return cost;
  }

 private:
  double warps() const {
    return double(requests_.blocks) * double(ceil_div(requests_.threads, kWarp));
  }

  std::string thread_loop(PlaceId place) const {
    for (PlaceId p = tree_[place].parent; p != kTop; p = tree_[p].parent) {
      const auto* loop = std::get_if<Loop>(&tree_[p].statement->node);
      if (loop != nullptr && loop->parallel == ParallelType::TIDx) {
        return std::string(loop->variable.name());
      }
    }
    return {};
  }

  // What local buffers take, beside those of the code. Of buffers that live in one loop body alone
  // only the largest counts, as others may have its registers after it.
  std::int64_t registers() const {
    std::vector<PlaceId> homes(kernel_.buffers.size(), kNowhere);
    for (PlaceId id = 0; id < tree_.size(); ++id) {
      for_each_access(*tree_[id].statement, kernel_.values, [&](const StatementAccess& a) {
        PlaceId& home = homes[a.buffer];
        const PlaceId own = loop_around(id);
        home = home == kNowhere || home == own ? own : kTop;
      });
    }
    double kept = 0, passing = 0;
    for (std::size_t b = 0; b < kernel_.buffers.size(); ++b) {
      const Buffer& buffer = kernel_.buffers[b];
      if (buffer.memory != Memory::Local || !buffer.elements.is(Op::Const)) continue;
      // Those of a vector that is copied past them.
      if (homes[b] == kNowhere) continue;
      const double own = double(buffer.elements.value() * size_of(buffer.type)) / kBytesOfRegister;
      if (homes[b] == kTop) kept += own;
      if (homes[b] != kTop) passing = std::max(passing, own);
    }
    // The compiler is told the threads of a block, and spills what they have no registers for.
    const std::int64_t warps = ceil_div(requests_.threads / kernel_.launch.ranks(), kWarp);
    const std::int64_t most = device_.registers / (warps * 32) / 8 * 8;
    return std::min(std::int64_t(kRegistersOfCode + kept + passing),
                    std::min(most, kMaxThreadRegisters));
  }

  // What the accesses of one buffer ask for together.
  struct Asked {
    double read = 0, l2 = 0;  // bytes: that are read; of all sectors that L1 does not serve
    double revisited = 0;     // bytes of sectors, of these, that iterations read a part at a time
    double share = 1;         // of the bandwidth of memory, that requests like these reach
    bool is_read = false, is_written = false;
  };

  // So many bytes of a workspace, which is in L2 if the pieces of all blocks fit there.
  void add_workspace(double bytes, LaunchWork& work) const {
    const Launch::Workspace& workspace = *kernel_.launch.workspace;
    work.l2_bytes += bytes;
    const double pieces = double(std::min(work.blocks, workspace.blocks) * workspace.bytes);
    if (pieces > kShareOfL2 * double(device_.l2_bytes)) work.dram_bytes += bytes;
  }

  void add_memory(LaunchWork& work) const {
    std::vector<Asked> asked(kernel_.buffers.size());
    for (const AccessRequests& a : requests_.accesses) {
      const Buffer& buffer = kernel_.buffers[a.buffer];
      if (buffer.memory == Memory::Global && a.requests > 0) add(a, asked[a.buffer]);
      if (buffer.in_workspace)
        add_workspace(double(a.requests * kWarp * size_of(buffer.type)), work);
    }
    const double lost = lost_in_l1(work);
    for (Asked& a : asked) {
      a.l2 += lost * a.revisited;
      a.read += lost * a.revisited;
    }
    double of_block = 0;  // bytes of what is read again
    for (std::size_t b = 0; b < asked.size(); ++b) {
      if (asked[b].l2 > touched(b)) of_block += touched_by_block(b);
    }
    const auto resident = double(resident_blocks(work, device_));
    const bool blocks_fit =
        resident * (of_block + double(work.shared_bytes)) <= double(device_.shared_bytes) / 2;
    double slowed = 0;  // bytes that would take as long if all requests were coalesced
    for (std::size_t b = 0; b < asked.size(); ++b) {
      const double own = touched(b), stored = asked[b].is_written ? own : 0;
      const double moved = stored + (asked[b].is_read ? own * (1 - held_[b]) : 0);
      work.dram_bytes += moved;
      work.stored_bytes += stored;
      slowed += moved / asked[b].share;
      // What all multiprocessors can keep in L1 is read from L2 once by each.
      const bool is_in_l1 = own <= kShareOfL1;
      double from_l2 = asked[b].l2;
      if (is_in_l1) from_l2 = std::min(from_l2, double(device_.multiprocessors) * own);
      // So is what a block reads again, by each block.
      if (blocks_fit) from_l2 = std::min(from_l2, double(work.blocks) * touched_by_block(b));
      work.l2_bytes += from_l2;
    }
    if (slowed > 0) work.coalesced = work.dram_bytes / slowed;
    // What is read again is found in L2 where that holds all of it, or what the running blocks use.
    const double running = double(device_.multiprocessors) * resident;
    const double share = std::min(1.0, running / double(std::max<std::int64_t>(work.blocks, 1)));
    const double kept = kShareOfL2 * double(device_.l2_bytes);
    double again = 0, in_progress = 0;
    std::vector<bool> fetched_again(asked.size());
    for (std::size_t b = 0; b < asked.size(); ++b) {
      if (asked[b].read <= touched(b) || touched(b) <= kept) continue;
      fetched_again[b] = true;
      again += asked[b].read - touched(b);
      in_progress += share * touched(b);
    }
    in_progress += share * work.stored_bytes;
    if (again > 0 && in_progress > kShareOfL2InProgress * double(device_.l2_bytes)) {
      work.dram_bytes += again;
    } else {
      fetched_again.assign(asked.size(), false);
    }
    add_loads(fetched_again, work);
  }
  double touched_by_block(std::size_t b) const {
    return double(requests_.half_lines_of_block[b] * kHalfLineBytes);
  }
  double touched(std::size_t b) const { return double(requests_.half_lines[b] * kHalfLineBytes); }

  // Whether each thread goes through sectors of its own, a part of one in each iteration.
  static bool is_revisited(const AccessRequests& a) {
    if (!a.step || *a.step == 0 || std::abs(*a.step) >= kSectorBytes || writes(a.kind))
      return false;
    return a.sectors * kSectorBytes > a.bytes * a.threads;
  }
  // Of the sectors to which iterations come back, the share that L1 has lost by then, as threads
  // keep more lines there than it holds.
  double lost_in_l1(const LaunchWork& work) const {
    double of_thread = 0;
    for (const AccessRequests& a : requests_.accesses) {
      const bool is_global = kernel_.buffers[a.buffer].memory == Memory::Global;
      if (!is_global || a.requests == 0 || !is_revisited(a)) continue;
      const std::int64_t apart = a.stride ? std::abs(*a.stride) : kLineBytes;
      of_thread += double(std::min(apart, kLineBytes));
    }
    const double average = double(work.blocks) / double(device_.multiprocessors);
    const double blocks = std::min(double(resident_blocks(work, device_)), std::ceil(average));
    const double used = blocks * double(work.threads) * of_thread;
    const double held =
        double(device_.shared_bytes) + kBesideShared - blocks * double(work.shared_bytes);
    return used > held ? 1 - std::max(held, 0.0) / used : 0;
  }

  // The bytes of the sectors that an access asks for. Neighbours a few elements apart leave out
  // bytes of a sector that other accesses of the same iteration take from L1.
  static double bytes_asked(const AccessRequests& a) {
    if (is_revisited(a)) {
      return std::max(double(a.sectors * std::abs(*a.step)), double(a.bytes * a.threads));
    }
    const auto stride = double(std::abs(a.stride.value_or(0)));
    const double part = is_near(a) ? double(a.bytes) / std::min(stride, double(kSectorBytes)) : 1;
    return double(a.sectors * kSectorBytes) * std::min(part, 1.0);
  }
  static bool is_near(const AccessRequests& a) {
    return a.stride && *a.stride != 0 && std::abs(*a.stride) <= kHalfLineBytes;
  }

  static void add(const AccessRequests& a, Asked& to) {
    const double piece = double(a.bytes) * double(a.threads) / double(a.runs);
    to.l2 += bytes_asked(a);
    if (is_revisited(a)) to.revisited += double(a.sectors * kSectorBytes) - bytes_asked(a);
    (writes(a.kind) ? to.is_written : to.is_read) = true;
    // Of sectors that two requests share the second one finds in a cache.
    if (!writes(a.kind)) to.read += std::min(bytes_asked(a), double(a.bytes * a.threads));
    if (a.stride && *a.stride != 0 && !is_near(a) && !is_revisited(a)) {
      to.share = std::min(to.share, coalesced_share(std::max(piece, double(kSectorBytes))));
    }
  }

  void add_statements(LaunchWork& work) const {
    work.instructions = instructions_of(kernel_, tree_, requests_);
    for (PlaceId id = 0; id < tree_.size(); ++id) {
      const Statement& s = *tree_[id].statement;
      const bool is_last_block = std::holds_alternative<LastBlock>(s.node);
      if (is_last_block) add_last_block(id, work);
      if (!is_last_block && !std::holds_alternative<Barrier>(s.node)) continue;
      work.barriers += double(requests_.runs[id]) / warps() * (is_last_block ? 2 : 1);
    }
  }

  void add_last_block(PlaceId last, LaunchWork& work) const {
    LastBlockWork own;
    const auto warps_of_block = double(ceil_div(requests_.threads, kWarp));
    own.instructions =
        instructions_of(kernel_, tree_, requests_, last) / (warps_of_block * double(kWarp));
    for (PlaceId id = last; id < tree_.size(); ++id) {
      if (!std::holds_alternative<Barrier>(tree_[id].statement->node)) continue;
      if (tree_.is_inside(id, last)) own.barriers += double(requests_.runs[id]) / warps_of_block;
    }
    work.instructions -= own.instructions * warps_of_block * double(kWarp);
    work.last_block = own;
  }

  // `fetched_again`: by buffer, whether DRAM gives each load of it.
  void add_loads(const std::vector<bool>& fetched_again, LaunchWork& work) const {
    std::vector<double> left, all(requests_.accesses.size()), from_dram = all;
    for (std::size_t b = 0; b < kernel_.buffers.size(); ++b) {
      left.push_back(touched(b) * (1 - held_[b]));
    }
    for (std::size_t k = 0; k < all.size(); ++k) {
      const AccessRequests& a = requests_.accesses[k];
      all[k] = bytes_asked(a);
      from_dram[k] = fetched_again[a.buffer] ? all[k] : std::min(all[k], left[a.buffer]);
      left[a.buffer] -= std::min(from_dram[k], left[a.buffer]);
    }
    const LoadTurns turns = load_turns(kernel_, tree_, requests_, all, from_dram);
    work.loads_in_turn = turns.from_dram;
    work.cached_in_turn = turns.from_l2;
    work.bytes_in_flight = turns.bytes_in_flight;
    if (work.last_block) work.last_block->loads_in_turn = turns.of_last_block;
    // Stores wait for nothing.
    if (turns.from_dram == 0) {
      work.bytes_in_flight = work.dram_bytes / double(work.blocks * work.threads);
    }
  }

  // The innermost loop around a statement that is bound to nothing; kTop: none.
  PlaceId loop_around(PlaceId id) const {
    for (PlaceId p = tree_[id].parent; p != kTop; p = tree_[p].parent) {
      const auto* loop = std::get_if<Loop>(&tree_[p].statement->node);
      if (loop != nullptr && loop->parallel == ParallelType::Serial) return p;
    }
    return kTop;
  }

  const Kernel& kernel_;
  const StatementTree tree_;
  const KernelRequests& requests_;
  const Device& device_;
  const std::vector<double> held_;
};

// What L2 has of scratch that the kernel before has stored: all of it where its blocks run at once
// and store as they end, else what was stored among the last bytes that L2 holds.
class HeldInL2 {
 public:
  HeldInL2(const Program& program, const Device& device) : program_(program), device_(device) {}

  std::vector<double> of(const Kernel& kernel) const {
    std::vector<double> shares;
    for (const Buffer& b : kernel.buffers) {
      const bool is_held = b.holds && std::ranges::find(stored_, *b.holds) != stored_.end();
      shares.push_back(is_held ? share_ : 0);
    }
    return shares;
  }

  void has_run(const Kernel& kernel, const KernelRequests& requests, const KernelCost& cost) {
    const double held = kShareOfL2 * double(device_.l2_bytes);
    share_ = cost.time.waves <= 1 ? 1 : std::min(1.0, held / cost.work.dram_bytes);
    stored_.clear();
    for (const AccessRequests& a : requests.accesses) {
      const Buffer& buffer = kernel.buffers[a.buffer];
      if (!buffer.holds || !writes(a.kind) || !is_scratch(*buffer.holds)) continue;
      const auto bytes = double(requests.half_lines[a.buffer] * kHalfLineBytes);
      if (bytes * share_ <= held) stored_.push_back(*buffer.holds);
    }
  }

 private:
  bool is_scratch(const TensorPart& part) const {
    return std::ranges::any_of(program_.buffers, [&](const ProgramBuffer& b) {
      return b.role == ProgramBuffer::Role::Scratch && b.holds == part;
    });
  }

  const Program& program_;
  const Device& device_;
  std::vector<TensorPart> stored_;
  double share_ = 1;
};

// The variant that runs at these sizes, its buffers being aligned.
const Kernel* variant_at(const ProgramStep& step, const SizeValues& sizes) {
  for (const Kernel& kernel : step.variants) {
    if (!kernel.condition.valid() || sizes(kernel.condition).value_or(0) != 0) return &kernel;
  }
  return nullptr;
}

}  // namespace

static void add_rows(const Fusion& fusion, const SizeValues& sizes, ProgramCost& cost) {
  for (std::size_t k = 0; k < fusion.domains().rows(); ++k) {
    const RaggedRows& rows = fusion.domains()[RowsId(k)];
    const auto items = sizes(rows.items), count = sizes(rows.count);
    if (!items || count.value_or(0) <= 0) continue;
    cost.rows[fusion[TensorId(rows.offsets)].name] = double(*items) / double(*count);
  }
}

// The positions of groups of rows, where each row has as many items as is likely.
static void add_groups(const DomainGraph& graph, SizeValues& sizes) {
  for (std::size_t k = 0; k < graph.rows(); ++k) {
    const RaggedRows& rows = graph[RowsId(k)];
    if (!rows.groups || contains(sizes.symbols, rows.end)) continue;
    const RaggedRows& own = graph[rows.groups->rows];
    const auto height = sizes(rows.groups->height), items = sizes(own.end - own.begin);
    if (!height || !items) continue;
    sizes.add(rows.begin, 0);
    sizes.add(rows.end, *height * (*items + rows.groups->added));
  }
}

bool AccessCost::is_scattered() const {
  if (memory != Memory::Global || requests.requests == 0) return false;
  const double filled = double(bytes()) / double(kSectorBytes);
  return double(requests.sectors) >= 2 * std::max(filled, double(requests.requests));
}

std::optional<ProgramCost> cost_of(const Program& program,
                                   const std::map<std::string, std::int64_t>& named,
                                   const Device& device) {
  constexpr std::int64_t kAligned = 1 << 20;
  const TypicalSizes typical(program.schedule->fusion(), named);
  SizeValues sizes = typical.all();
  ProgramCost cost{.device = device, .sizes = {}, .rows = {}, .kernels = {}};
  for (Expr size : program.schedule->fusion().sizes()) {
    if (const auto value = sizes(size)) cost.sizes[std::string(size.name())] = *value;
  }
  add_rows(program.schedule->fusion(), sizes, cost);
  add_groups(program.schedule->graph(), sizes);
  std::int64_t address = 0;
  for (const ProgramBuffer& b : program.buffers) {
    sizes.add(b.address, address += kAligned);
    const std::optional<std::int64_t> elements = sizes(b.elements);
    if (!elements) return std::nullopt;
    if (b.role != ProgramBuffer::Role::Scratch) cost.floor_bytes += *elements * size_of(b.type);
  }
  // At sizes at which it may not be launched nothing is counted.
  for (const LaunchCheck& check : program.checks) {
    if (sizes(check.condition) == 0) return std::nullopt;
  }
  HeldInL2 held(program, device);
  for (const ProgramStep& step : program.steps) {
    const Kernel* kernel = variant_at(step, sizes);
    if (kernel == nullptr) return std::nullopt;
    const std::optional<KernelRequests> requests = requests_of(*kernel, sizes);
    if (!requests) return std::nullopt;
    cost.kernels.push_back(KernelModel(*kernel, *requests, device, held.of(*kernel)).run());
    held.has_run(*kernel, *requests, cost.kernels.back());
    cost.seconds += cost.kernels.back().time.seconds;
    cost.dram_bytes += cost.kernels.back().work.dram_bytes;
  }
  return cost;
}

}  // namespace selvage
