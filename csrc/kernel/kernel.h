#pragma once

#include <selvage/base/data_type.h>
#include <selvage/expr/expr.h>
#include <selvage/ir/fusion.h>
#include <selvage/ir/parallel.h>
#include <selvage/ir/value.h>
#include <selvage/simplifier/facts.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

namespace selvage {

// What is stored of each element of a tensor, or one of several parts of that.
struct TensorPart {
  TensorId tensor{};
  std::size_t number = 0;
  bool operator==(const TensorPart&) const = default;
};

// Memory that a kernel reads or writes: its parameters, in order.
struct Buffer {
  std::string name;
  DataType type = DataType::Float;
  Memory memory = Memory::Global;
  Expr elements;  // how many it has, over the sizes; a number where it is Shared or Local
  bool is_written = false;
  bool is_read_once = false;  // no element is read again: caches need not keep it
  // Of Global memory that is written: its elements hold values before, and may be stored again.
  bool is_updated = false;
  // Of Shared memory: where it begins in the block's, in bytes. Buffers may overlap, and then what
  // is stored in one is lost to the other. Invalid: bytes of its own.
  std::optional<std::int64_t> offset = {};
  // Of Global memory that holds a tensor: how its items lie, along each axis from the outer one to
  // the inner. Empty: not known.
  struct Axis {
    Expr stride, extent;
  };
  std::vector<Axis> axes = {};
  // Of Shared memory: its elements, of type Int64, are barrier objects, and this many arrivals end
  // a phase of one. They are ready when a block begins, and only Arrive, Wait and AsyncCopy use
  // them.
  std::optional<std::int64_t> arrivals = {};
  bool is_kept_apart = false;  // the host has made sure that no two items have one address
  std::optional<TensorPart> holds = {};  // nothing: it is no tensor's
};
using BufferId = std::uint32_t;  // index into Kernel::buffers

// Which item of its tensor lies at an address: what lowering knows, and the address no longer
// tells. Nothing is computed from it; a proof that goes by it proves first that it is so.
struct Item {
  // Along the buffer's axes, over the variables of the loops around; of an access of several
  // neighbours over its `lane` too.
  std::vector<Expr> indices;
  // Of an item that is stored: the block (x, y, z) and the thread (x, y, z) that stores it, over
  // the indices, whose names here are item.0, item.1, ... Invalid: not known.
  std::array<Expr, 6> owner = {};
};
// By the addresses that statements and values have.
class Items {
 public:
  void add(BufferId buffer, Expr address, Item item) {
    items_[key(buffer, address)] = std::move(item);
  }
  const Item* find(BufferId buffer, Expr address) const {
    const auto it = items_.find(key(buffer, address));
    return it == items_.end() ? nullptr : &it->second;
  }
  // What has that address has this one, too: another way to write it.
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

// for (variable = begin; variable < extent; ++variable) body; or, bound to a block or thread index,
// the body with variable = that index. A parallel loop is no test: where the launch is wider than
// the extent, its body is under a Guard.
struct Loop {
  Expr variable;
  Expr extent;
  ParallelType parallel = ParallelType::Serial;
  Body body;
  Expr begin = {};  // invalid: 0; begin <= extent
};
// variable = value, named once and used below.
// `read`, where `value` is invalid: an integer value, from memory say, which promises that it lies
// in least .. most. So extents of loops, conditions and addresses are read from memory:
//   n = lengths[row], 0 to N
//   for k in n: ...
// The begin of a loop is not.
struct Define {
  Expr variable;
  Expr value = {};
  std::optional<ValueId> read = {};
  Expr least = {}, most = {};  // both valid where `read` is
};
// if (condition) body, else otherwise
struct Guard {
  Expr condition;
  Body body;
  Body otherwise = {};
  std::string remark = {};  // stands beside it in the text
};
// buffer[address] = value, converted to the buffer's type.
// `valid`: what must hold wherever the store is executed, the naive conjunction of all bounds; it
// is never emitted, only checked by emulation.
struct Store {
  BufferId buffer = 0;
  Expr address;
  ValueId value{};
  std::vector<Expr> valid;
  bool duplicates_allowed = false;
  // buffer[address] = atomic(buffer[address], value), at once for all other threads: Add, Min, Max.
  std::optional<Function> atomic = {};
};
// `width` neighbouring elements from one buffer to another of its type, as one access of memory:
// both addresses are multiples of width.
// `valid`: as of a Store, for every element: `lane` is its number, 0 to width - 1.
struct Transfer {
  BufferId to = 0, from = 0;
  Expr to_address, from_address;  // of the first element
  std::int64_t width = 1;
  Expr lane;
  std::vector<Expr> valid;
  bool duplicates_allowed = false;
};
// Threads of a block wait for one another, and from here on see what the others have written
// before.
//   Block    all threads of the block get here, or none
//   Warp     of each warp of which a thread gets here, those threads get here whose lane is in
//            `lanes`, and which the block has; nobody else
//   Threads  those of `members` get here, or none; nobody else. Other threads go on meanwhile
struct Barrier {
  enum class Scope : std::uint8_t { Block, Warp, Threads };
  static constexpr std::uint32_t kAllLanes = 0xffffffff;
  Scope scope = Scope::Block;
  std::uint32_t lanes = kAllLanes;          // of Warp: bit k is lane k
  int id = 0;                               // of Threads: 1 to 15, the hardware's barrier
  std::vector<std::uint32_t> members = {};  // of Threads: for each warp of the block, its lanes

  // Does it join a part of the block, or of each warp, alone?
  bool is_partial() const {
    return scope == Scope::Threads || (scope == Scope::Warp && lanes != kAllLanes);
  }
  // Does a thread of the block, by its number, x fastest, then y, z, take part (if its warp does)?
  bool has(std::int64_t thread) const;
  // Of Threads: how many warps have a lane that takes part.
  int warps() const;
};
// Leaves the serial loop around it that has this variable, for the thread that gets here: it goes
// on behind the loop or, `is_next`, with the loop's next iteration.
struct Leave {
  Expr loop;
  bool is_next = false;
};
// to[to_address] = from[from_address] as the thread has it whose lane is the own one xor `mask`.
// Both buffers are Local and of one type. All 32 threads of the warp get here together: a block
// that shuffles has a multiple of 32 threads, x running fastest, then y, z.
struct Shuffle {
  BufferId to = 0, from = 0;
  Expr to_address, from_address;
  std::int64_t mask = 1;  // 1 to 31
};

// Events: what begins at one statement and ends later, beside the thread that began it. An event
// belongs to the queue of the thread that makes it, or to a barrier object.
//   The queue of a thread holds copies in groups: Arrive closes the group of all that it has begun
//   since the last one, and Wait waits until at most so many groups are still to end.
//   A barrier object goes through phases 0, 1, 2, ... A phase ends when it has had as many arrivals
//   as the object takes, and as many bytes have been copied as the arrivals said would be. Wait
//   waits for the end of one, which must be the phase at hand or the last that ended.
// Whoever waits sees what was done before the arrivals that it waits for, and what was copied.
struct BarrierObject {
  BufferId buffer = 0;
  Expr address;
};
// A Transfer between global and shared memory that ends later. Until somebody has waited for it,
// nobody may read what it writes, nor write what it reads.
struct AsyncCopy {
  Transfer copy;
  std::int64_t alignment = 1;                // elements: both addresses are multiples of it
  std::optional<BarrierObject> object = {};  // none: the thread's queue
};
struct Arrive {
  std::optional<BarrierObject> object = {};
  Expr bytes = {};  // that copies bring to the object in this phase besides; invalid: none
};
struct Wait {
  std::optional<BarrierObject> object = {};
  Expr phase = {};           // of the object: its number
  std::int64_t pending = 0;  // of the queue: groups that may still be copied
};
// The body, run by the threads of a block that are members, by warp and lane as in Barrier, which
// have a role of their own: "producer". All others go on behind it meanwhile.
struct Region {
  std::string role;
  std::vector<std::uint32_t> members;
  Body body;
};
// for (variable = 0; condition; ++variable) body. A Leave may name it.
struct While {
  Expr variable;
  ValueId condition{};
  Body body;
};
struct Statement {
  std::variant<Loop, Define, Guard, Store, Transfer, Barrier, Shuffle, Leave, AsyncCopy, Arrive,
               Wait, Region, While>
      node;
  std::uint32_t origin = 0;  // what it was made from, as its maker numbers it; 0: nothing
};

// Launch extents over the sizes, x y z. Blocks that are neighbours along x form clusters of so
// many, which divides the grid's extent, where the GPU has clusters; what a kernel computes does
// not depend on it.
struct Launch {
  std::array<Expr, 3> grid, block;
  Expr shared_bytes;
  std::int64_t cluster = 1;
};

enum class IndexType : std::uint8_t { Int32, Int64 };

// One kernel: what every thread of a launch does. Index arithmetic is over integers; that every
// intermediate fits `index_type` holds where `condition` does (true: always).
struct Kernel {
  std::string name;
  std::shared_ptr<ExprPool> pool;
  std::vector<Buffer> buffers;
  std::vector<Expr> sizes;  // symbols passed by value, after the buffers
  Launch launch;
  IndexType index_type = IndexType::Int32;
  Expr condition;
  // Of `condition` what is not said for the sake of index_type: all that a proof over integers goes
  // by, so that kernels that differ in index_type alone have one proof. Invalid: all of it.
  Expr premise = {};
  ValueGraph values;  // Read nodes name buffers of this kernel
  Items items = {};
  Body body;
  Facts facts;  // ranges of sizes, loop variables and Defines
  // How its expressions are written (kernel/forms.h), where that has been worked out.
  std::shared_ptr<const Forms> forms = {};
};

}  // namespace selvage
