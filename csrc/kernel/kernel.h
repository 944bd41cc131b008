#pragma once

#include <selvage/base/data_type.h>
#include <selvage/expr/expr.h>
#include <selvage/ir/fusion.h>
#include <selvage/ir/parallel.h>
#include <selvage/ir/value.h>
#include <selvage/ir/value_check.h>
#include <selvage/legality/tma_swizzle.h>
#include <selvage/simplifier/facts.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

namespace selvage {

// One of the parts that memory keeps of each element of a tensor: part 0 is the only one, unless
// lower/stored_parts.h says otherwise (the components of a state, say).
struct TensorPart {
  TensorId tensor{};
  std::size_t number = 0;
  // Whether it has an element for each element of the tensor, as the parts with names below do not.
  bool is_of_items() const { return number < SIZE_MAX / 2; }
  bool operator==(const TensorPart&) const = default;
};

// The number of the part that counts blocks (Buffer::counts_blocks).
inline constexpr std::size_t kBlockCounter = SIZE_MAX;
// The same of the part, of no tensor in particular, in which a program records failed checks.
inline constexpr std::size_t kFailures = SIZE_MAX - 1;
// The same of the part that blocks have what they keep in (Launch::Workspace).
inline constexpr std::size_t kWorkspace = SIZE_MAX - 2;
// The same of the first of the parts that tiles of positions leave of rows (lower/row_tiles.h).
inline constexpr std::size_t kRowCarries = SIZE_MAX / 2;

using BufferId = std::uint32_t;  // index into Kernel::buffers

// Memory that a kernel reads or writes. Those in Global memory are its parameters, in order.
struct Buffer {
  std::string name;
  DataType type = DataType::Float;
  Memory memory = Memory::Global;
  Expr elements;  // their number, over the sizes; a constant if the memory is Shared or Local
  bool is_written = false;
  bool is_read_once = false;  // no element is read twice: caches need not keep it
  // Global memory that is written: its elements hold values before the launch, and the kernel may
  // store them again.
  bool is_updated = false;
  // Global memory that is written: it is the same memory as that of a buffer which is only read, of
  // the same type, elements and axes. What is read there is what the memory held before the launch,
  // so no element may be read behind its store.
  std::optional<BufferId> replaces = {};
  // Shared memory: its first byte within the block's shared memory. Buffers may overlap; a store to
  // one then destroys elements of the other. Absent: no other buffer has its bytes. In a cluster:
  // the same, times the number of ranks, as if their pieces lay side by side; none overlap.
  std::optional<std::int64_t> offset = {};
  // Shared memory that is too large for where it should be: its first byte within the block's piece
  // of the launch's workspace. For all but the text of the kernel it is shared memory.
  std::optional<std::int64_t> in_workspace = {};
  // Global memory that holds a tensor: strides and extents of its items, outer axis to inner one.
  // Empty: not known.
  struct Axis {
    Expr stride, extent;
  };
  std::vector<Axis> axes = {};
  // Shared memory whose elements, of type Int64, are barrier objects: the number of arrivals that
  // ends a phase. The objects are initialized when a block begins; only Arrive, Wait and AsyncCopy
  // use them.
  std::optional<std::int64_t> arrivals = {};
  bool is_kept_apart = false;  // the host has checked that no two items have the same address
  // Global memory, one element of type Int32: how many blocks have come to a LastBlock, and nothing
  // else. It is 0 before a launch and after it.
  bool counts_blocks = false;
  // Global memory that is only read: the offsets of rows. The first is 0, none is less than the one
  // before it, and the last is this: a promise of the data (ir/domain_graph.h, RaggedRows).
  // Invalid: it is none.
  Expr rises_to = {};
  std::optional<TensorPart> holds = {};  // absent: the buffer holds no tensor

  // Of a launch with so many ranks: the elements of memory that each rank has a piece of.
  std::int64_t piece(std::int64_t ranks) const { return elements.value() / ranks; }

  // Whether only values of the kind Check store there (kernel/failures.h).
  bool is_for_failures() const { return holds && holds->number == kFailures; }
  bool is_workspace() const { return holds && holds->number == kWorkspace; }
};

// The item of a tensor that lies at an address. Lowering knows the item; the simplified address no
// longer shows it. No code is generated from an Item, and a proof that uses one proves first that
// the item has that address.
struct Item {
  // The item's index along each axis of the buffer, over the variables of the loops around and, for
  // a Transfer, its `lane`.
  std::vector<Expr> indices;
  // Of a row: which one, and the numbers from memory that are its offset and that of the next one
  // (Buffer::rises_to), as far as they are needed.
  //   An item in a row, where the first axis has positions: `item`, its number in the row. Or in a
  //   group of rows, of which each has `height`, the last one as many as are left.
  //   A row, where the first axis has rows: `at`, what the thread knows by itself, and `told`, the
  //   same over the row and its offsets.
  struct Row {
    Expr row, begin = {}, end = {}, item = {}, at = {}, told = {}, height = {};
  };
  std::optional<Row> of_row = {};
  // For an item that is stored: block (x, y, z) and thread (x, y, z) of the thread that stores it,
  // over the symbols item.0, item.1, ..., which stand for `indices`, and item.row, item.in_row and
  // item.at, for those of `of_row`. Invalid: not known.
  std::array<Expr, 6> owner = {};
};
// Items by buffer and by the address expression of the statement or value that accesses them.
class Items {
 public:
  void add(BufferId buffer, Expr address, Item item) {
    items_[key(buffer, address)] = std::move(item);
  }
  const Item* find(BufferId buffer, Expr address) const {
    const auto it = items_.find(key(buffer, address));
    return it == items_.end() ? nullptr : &it->second;
  }
  // Gives the item at `from` to `to`, too: `to` is the same address, written otherwise.
  void also_at(BufferId buffer, Expr from, Expr to) {
    const Item* item = same(from, to) ? nullptr : find(buffer, from);
    if (item != nullptr) add(buffer, to, Item(*item));
  }

 private:
  static std::uint64_t key(BufferId buffer, Expr address) {
    return std::uint64_t(buffer) << 32 | address.id();
  }
  std::unordered_map<std::uint64_t, Item> items_;
};

class Forms;
struct Statement;
using Body = std::vector<Statement>;

// for (variable = begin; variable < extent; ++variable) body. If bound to Bulk: the copies of all
// iterations, of neighbouring elements for one barrier object, are one copy; the body is nothing
// else. If bound to a block or thread index:
// the body once, with variable = that index. A parallel loop tests nothing: where the launch is
// wider than the extent, a Guard inside must keep the surplus threads out.
struct Loop {
  Expr variable;
  Expr extent;
  ParallelType parallel = ParallelType::Serial;
  Body body;
  Expr begin = {};  // invalid: 0; begin <= extent
};
// variable = value; statements below use the variable.
// If `value` is invalid, the variable is `read`, an integer from memory, say, that lies in least ..
// most. Thereby extents of loops, conditions and addresses may come from memory:
//   n = lengths[row], 0 to N
//   for k in n: ...
// Loop::begin may not. The range is the user's word (`is_promised`) or, for one from 0 on, follows
// from how the value is made, min(max(idx[i], 0), N - 1), which the verifier proves.
struct Define {
  Expr variable;
  Expr value = {};
  std::optional<ValueId> read = {};
  Expr least = {}, most = {};  // both valid where `read` is
  bool is_promised = true;
  // Of a row that memory holds: a position of it, where each row has `added` positions more than
  // items.
  // Nothing is proved or computed by it; costs are counted (kernel/typical_numbers.h).
  Expr position = {};
  std::int64_t added = 0;
};
// if (condition) body, else otherwise
struct Guard {
  Expr condition;
  Body body;
  Body otherwise = {};
  std::string remark = {};  // printed as a comment beside it
  // `condition` lets the first thread of a warp through, and all threads of that warp get here
  // together. Any one of the warp may stand for it: the hardware elects one, so that it is known to
  // be one where the kernel is compiled.
  bool elects = false;
  std::int64_t warp = 0;  // which one
};
// buffer[address] = value, converted to the buffer's type.
// `valid`: conditions that must hold wherever the store is executed: the bounds of all iterdomains,
// unsimplified. They are never emitted; emulation checks them.
struct Store {
  BufferId buffer = 0;
  Expr address;
  ValueId value{};
  std::vector<Expr> valid;
  bool duplicates_allowed = false;
  // If present (Add, Min or Max): buffer[address] = atomic(buffer[address], value), atomically.
  std::optional<Function> atomic = {};
};
// Copies `width` neighbouring elements from one buffer to another of the same type, as one access
// of memory. Both addresses are multiples of width.
// `valid`: as for a Store, for every element; `lane` is the element's number, 0 to width - 1.
struct Transfer {
  BufferId to = 0, from = 0;
  Expr to_address, from_address;  // of the first element
  std::int64_t width = 1;
  Expr lane;
  std::vector<Expr> valid;
  bool duplicates_allowed = false;
};
// Threads of a block wait for one another; afterwards each sees what the others wrote before it.
// Which threads must reach the barrier:
//   Block      all threads of the block, or none
//   Warp       for each warp, all threads of the block with a lane in `lanes`, or none; no others
//   Threads    all `members`, or none; no others. The other threads of the block do not wait
//   Rank       where a block is a cluster (Launch::is_cluster): for each z, all threads, or none
//   Warpgroup  for each warpgroup of the block, all threads, or none
struct Barrier {
  enum class Scope : std::uint8_t { Block, Warp, Threads, Rank, Warpgroup };
  static constexpr std::uint32_t kAllLanes = 0xffffffff;
  Scope scope = Scope::Block;
  std::uint32_t lanes = kAllLanes;          // of Warp: bit k is lane k
  int id = 0;                               // of Threads: 1 to 15, the hardware's barrier
  std::vector<std::uint32_t> members = {};  // of Threads: for each warp of the block, its lanes

  // Whether only a part of the block, or a part of each warp, waits.
  bool is_partial() const {
    return scope == Scope::Threads || (scope == Scope::Warp && lanes != kAllLanes);
  }
  // Whether a thread is a member (for Warp: provided that its warp reaches the barrier). `thread`
  // is its number in the block, x fastest, then y, z.
  bool has(std::int64_t thread) const;
  // Of Threads: the number of warps with at least one member.
  int warps() const;
};
// The thread that gets here leaves the enclosing serial loop with the variable `loop`: it continues
// after the loop or, if `is_next`, with the loop's next iteration.
struct Leave {
  Expr loop;
  bool is_next = false;
};
// to[to_address] = from[from_address], where `from` is that of the thread whose lane is the own
// lane xor `mask`. Both buffers are Local and of one type. All 32 threads of the warp get here
// together; so a block that shuffles has a multiple of 32 threads (x fastest, then y, z).
struct Shuffle {
  BufferId to = 0, from = 0;
  Expr to_address, from_address;
  std::int64_t mask = 1;  // 1 to 31
};

// Events: an event begins at one statement and ends later, while the thread that began it goes on.
// It belongs to a queue of that thread, or to a barrier object.
//   A queue of a thread holds what it has begun in groups: Arrive closes the group of all that was
//   begun since the last Arrive, and Wait waits until at most `pending` groups have not ended. At
//   those of multiplications all threads of a warp are together, and what has ended for one of them
//   has ended for all.
//   A barrier object goes through phases 0, 1, 2, ... A phase ends when Buffer::arrivals arrivals
//   have come and as many bytes are copied as have been announced. Wait waits for the end of a
//   phase, which must be the current phase or the last one that ended; phase -1 ended before any.
// A thread that has waited sees what was done before the arrivals that it waited for, and what was
// copied.
enum class ThreadQueue : std::uint8_t {
  Copies,    // cp.async, to shared memory
  Stores,    // cp.async.bulk, from there
  Products,  // wgmma: Mma
};
inline constexpr std::size_t kThreadQueues = 3;
struct BarrierObject {
  BufferId buffer = 0;
  Expr address;
  // In the text for one rank of a cluster (codegen/rank_form.h), of an Arrive: the rank in whose
  // piece the object is; invalid: the own one.
  Expr rank = {};
};
// A tensor map: how the copy engine finds items of a tensor in global memory, given an index along
// each dimension, outer to inner. The host encodes it at a launch and passes it to the kernel.
struct BoxMap {
  BufferId buffer = 0;
  struct Dim {
    Expr size, stride;                // items; elements from one to the next
    std::int64_t box = 1;             // items that a box spans
    std::int64_t element_stride = 1;  // of which one in so many is copied
    std::int64_t count() const { return (box + element_stride - 1) / element_stride; }
  };
  std::vector<Dim> dims;  // 1 to 5; of the last one the stride is 1
  TmaSwizzle swizzle = TmaSwizzle::None;

  std::int64_t elements() const;  // of a box in shared memory
  // Where element k of the box, in the order of the dimensions, lies behind the box's first byte.
  std::int64_t place(std::int64_t k, std::int64_t element_bytes) const;
};
// A Transfer between global and shared memory that ends later. Until a thread has waited for it, no
// thread may read the elements that it writes, nor write those that it reads.
// A copy of an object, or a store, is made by another unit than the thread, by a way to shared
// memory of its own (the async proxy): what threads did there before has its place before
// the copy only if each of them has passed a ProxyFence since.
struct AsyncCopy {
  Transfer copy;
  std::int64_t alignment = 1;                // both addresses are multiples of it, in elements
  std::optional<BarrierObject> object = {};  // none: the thread's queue
  // If present, a box of global memory is copied to all `copy.width` elements from
  // `copy.to_address` on: element t, with the index t[k] along each dimension of the box, is item
  //   corner[k] + t[k] * element_stride[k]
  // or 0 where that is outside of a dimension. There is no copy.from_address.
  // Of a store it is the other way round: each item of the box that exists is stored, from the
  // elements at `copy.from_address` on, and there is no copy.to_address.
  struct Box {
    std::size_t map = 0;             // of Kernel::maps
    std::vector<Expr> corner;        // by dimension of the map
    std::array<Expr, 6> owner = {};  // of a store: Item::owner of what it stores
  };
  std::optional<Box> box = {};
  // From shared to global memory. It belongs to the thread's queue of stores.
  bool is_store = false;
  // Of a store: each item is combined with the element of the tile, atomically, as by
  // Store::atomic; at any time until the store has ended, and in no order.
  std::optional<Function> atomic = {};
  // Of an object: it announces its own bytes when it begins. The thread arrives at the object after
  // that, so that the phase cannot have ended before.
  bool announces = false;
  // If valid, a multicast among the ranks of a cluster (Launch::is_cluster): the rank of this
  // number alone makes the copy, once for each rank, to the same place in its piece, and for the
  // object at the same place. All ranks get here, and each announces the bytes of the copy that
  // comes to it.
  Expr by_rank = {};

  // Whether the async proxy makes it.
  bool is_by_proxy() const { return object || is_store; }
};
// What the thread has read and written in shared memory until now comes before the copies by the
// async proxy that are begun by those who learn of the fence, at a barrier or at an object.
struct ProxyFence {};
struct Arrive {
  std::optional<BarrierObject> object = {};
  Expr bytes = {};  // announces that copies bring so many to the object in this phase; invalid: 0
  ThreadQueue queue = ThreadQueue::Copies;  // if of no object
  // Of an object: the arrival comes when all copies that the thread has begun in its queue have
  // ended. It tells of these copies alone, and of no store of the thread itself.
  bool of_copies = false;
};
struct Wait {
  std::optional<BarrierObject> object = {};
  Expr phase = {};           // of the object: the number of the phase
  std::int64_t pending = 0;  // of the queue: the number of groups that need not have ended
  ThreadQueue queue = ThreadQueue::Copies;
  // Of an object: `phase` says no more than whether the number is even or odd, as hardware does. Of
  // the last phase that the thread knows to have ended, and the one after it, that one is meant.
  bool by_parity = false;
};
// A matrix multiplication on the tensor cores, which ends later (wgmma). The threads of a
// warpgroup, whose first one's number in the block is a multiple of kWarpgroup, begin it together:
//   sums[r, c] += sum over k of a[r, k] * b[c, k],     r < kRows, c < columns, k < depth
// Each thread has some of the sums and, where `a` is Local, of its elements (kernel/mma_layout.h).
// A tile in shared memory has depth / 8 parts of so many rows of 8 elements, one after the other.
// Until a thread has waited for it, it may access the sums by further multiplications only, and no
// thread may write what is read. It reads shared memory as a copy by the async proxy does.
struct Mma {
  static constexpr std::int64_t kRows = 64, kStep = 16, kColumnStep = 8, kMostColumns = 256;
  BufferId sums = 0;                        // Local, Float
  BufferId a = 0;                           // Local or Shared; of one type with b, Half or BFloat16
  BufferId b = 0;                           // Shared
  Expr sums_address, a_address, b_address;  // of the first element
  std::int64_t columns = kColumnStep, depth = kStep;  // multiples of these
  bool is_a_shared = true;                            // else Local
  // How many elements a thread has of the sums, and of `a` where it is Local.
  std::int64_t sums_of_a_thread() const { return kRows * columns / kWarpgroup; }
  std::int64_t a_of_a_thread() const { return kRows * depth / kWarpgroup; }
};
// A body for some threads of a block, `members` as in Barrier, and the name of their role, such as
// "producer". All other threads skip the body and do not wait for it.
struct Region {
  std::string role;
  std::vector<std::uint32_t> members;
  Body body;
  // Of each thread while it is there, and before and behind; 0: nothing is said.
  std::int64_t registers = 0, usual_registers = 0;
};
// A body for one block of the launch: the one that gets here when all others have been here. It is
// the last statement of a kernel, outside of all loops and guards, so that each block gets here
// once, all of its threads together, as at a barrier; no loop in it is bound to a block index. The
// threads of the last block then see what all blocks wrote before they got here; the other blocks
// skip the body. `counter`: a buffer that counts_blocks of this statement alone.
struct LastBlock {
  BufferId counter = 0;
  Body body;
};
// for (variable = 0; condition; ++variable) body. A Leave may name `variable`.
struct While {
  Expr variable;
  ValueId condition{};
  Body body;
};
struct Statement {
  std::variant<Loop, Define, Guard, Store, Transfer, Barrier, Shuffle, Leave, AsyncCopy, Arrive,
               Wait, ProxyFence, Mma, Region, LastBlock, While>
      node;
  std::uint32_t origin = 0;  // its source, in a numbering of the pass that made it; 0: none
};

// Launch extents over the sizes, x y z. On a GPU with clusters, `cluster` neighbouring blocks along
// x form one; it divides grid[0]. The results of a kernel do not depend on it.
struct Launch {
  std::array<Expr, 3> grid, block;
  Expr shared_bytes;
  std::int64_t cluster = 1;
  // Whether what this kernel calls a block is a cluster, whose blocks wait for one another and
  // access each other's shared memory. The hardware's block number k of it, its rank, has the
  // threads of z = k, whole warps, and a piece of each buffer in shared memory: of p elements that
  // the hardware's block has, piece k are the elements from k * p on. So all that is said and
  // proved of threads, barriers and shared memory of a block holds for those of a cluster.
  // `shared_bytes` is that of each of its blocks.
  bool is_cluster = false;
  // The number of the hardware's blocks in a block.
  std::int64_t ranks() const { return is_cluster ? block[2].value() : 1; }
  // What the hardware is asked for: blocks of the grid, and threads of each.
  std::array<Expr, 3> hardware_grid() const {
    if (!is_cluster) return grid;
    ExprPool& pool = grid[0].pool();
    const Expr x = grid[0].is(Op::Const) ? pool.constant(grid[0].value() * block[2].value())
                                         : grid[0] * block[2];
    return {x, grid[1], grid[2]};
  }
  std::array<Expr, 3> hardware_block() const {
    return is_cluster ? std::array{block[0], block[1], block[2].pool().constant(1)} : block;
  }
  // Of how many blocks its clusters are.
  std::int64_t cluster_blocks() const { return is_cluster ? ranks() : cluster; }
  // The threads that the smallest barriers join: those of a rank, or of a warp.
  std::int64_t part_threads() const {
    return is_cluster ? block[0].value() * block[1].value() : kWarp;
  }
  // Global memory with a piece of so many bytes for each of so many blocks, which are as many as a
  // device may run at once. No more are launched: each runs a block of the grid, waits for all its
  // threads, and runs another one. A buffer that is_workspace() has the memory.
  struct Workspace {
    std::int64_t bytes = 0, blocks = 0;
    bool operator==(const Workspace&) const = default;
  };
  std::optional<Workspace> workspace = {};
};

enum class IndexType : std::uint8_t { Int32, Int64 };

// One kernel: what every thread of a launch does. Index arithmetic is over unbounded integers;
// where `condition` holds (true: always), every intermediate result fits `index_type`.
struct Kernel {
  std::string name;
  std::shared_ptr<ExprPool> pool;
  std::vector<Buffer> buffers;
  std::vector<Expr> sizes;  // symbols passed by value, after the buffers
  Launch launch;
  IndexType index_type = IndexType::Int32;
  Expr condition;
  // The part of `condition` that does not serve index_type. Proofs over integers use only this
  // part, so kernels that differ in index_type alone share one proof. Invalid: all of `condition`.
  Expr premise = {};
  ValueGraph values;              // the source of a Read node is a BufferId
  std::vector<BoxMap> maps = {};  // parameters, after the sizes
  // What values of the kind Check test; null: there are none.
  std::shared_ptr<const std::vector<ValueCheck>> checks = {};
  Items items = {};
  Body body;
  Facts facts;  // ranges of sizes, loop variables and Defines
  // How its expressions are written (kernel/forms.h), where that has been worked out.
  std::shared_ptr<const Forms> forms = {};
};

}  // namespace selvage
