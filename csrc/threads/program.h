#pragma once

#include <selvage/base/data_type.h>
#include <selvage/base/diagnostic.h>
#include <selvage/index/thread_mask.h>
#include <selvage/ir/fusion.h>
#include <selvage/ir/value.h>
#include <selvage/simplifier/facts.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace selvage {

// A thread program: what every thread of a launch does, written down by the levels of parallel
// threads, the sets of threads that run each part, and the points at which they wait for one
// another. The sources are Choreo's and Croktile's parallel-by, inthreads and sync.

// The unit of hardware that runs one instance of a level, outermost first. The index of a Cluster
// level is the number of a block within its cluster; that of the Block level around it is then the
// number of the cluster.
enum class LevelKind : std::uint8_t { Device, Block, Cluster, Warpgroup, Warp, Thread };
// In the order of LevelKind.
inline constexpr std::array<std::string_view, 6> kLevelKinds = {"device",    "block", "cluster",
                                                                "warpgroup", "warp",  "thread"};
std::string_view to_string(LevelKind kind);
std::optional<LevelKind> parse_level_kind(std::string_view name);

// extent * extent * ... instances of what stands inside, the first index the most significant.
struct ParallelLevel {
  static constexpr std::size_t kMostIndices = 3;
  std::optional<LevelKind> kind;  // none: inferred, see csrc/threads/levels.h
  std::vector<MaskIndex> indices;
  Place place = {};

  std::int64_t extent() const;
};

struct ThreadArray {
  std::string name;
  DataType type = DataType::Float;
  Memory memory = Memory::Global;
  std::vector<Expr> shape;  // over the symbols; numbers where it is Shared or Local
  Place place = {};
};

// Barrier objects in the shared memory of each block, a ring of `slots`. Each goes through phases
// 0, 1, 2, ...; a phase ends when `arrivals` arrivals have come.
struct ThreadEvent {
  static constexpr std::int64_t kMostSlots = 1'024, kMostArrivals = (1 << 20) - 1;
  std::string name;
  std::int64_t slots = 1, arrivals = 1;
  Place place = {};
};
// event[slot]
struct EventSlot {
  std::uint32_t event = 0;  // index into ThreadProgram::events
  Expr slot;
  std::string text = {};  // of the whole, as the user wrote it
};

struct ThreadItem;
using ThreadBody = std::vector<ThreadItem>;

// array[subscripts] = value
struct Assign {
  std::uint32_t array = 0;  // index into ThreadProgram::arrays
  std::vector<Expr> subscripts;
  ValueId value{};
};
// Statements that share one mask where they stand beside an inner level.
struct DoTogether {
  ThreadBody body;
};
// Threads for which `when` holds run the body. Then all threads that run the code around it wait
// for one another, unless it is asynchronous. One with a role is: whole warps that run beside those
// of other roles.
struct InThreads {
  Expr when;
  std::string text;  // as the user wrote it
  bool is_async = false;
  ThreadBody body;
  std::string role = {};
  std::int64_t registers = 0;  // of each thread of the role meanwhile; 0: as before
};
// for (index = 0; index < extent; ++index) if (condition) body, by each thread for itself. A
// condition that does not depend on the index is tested once, before the loop.
struct SerialFor {
  Expr index, extent;
  std::string label;  // its name in LeaveFor; empty: none
  Expr condition = {};
  std::string text = {};  // the condition as the user wrote it
  ThreadBody body;
};
// break or continue
struct LeaveFor {
  std::string label;
  bool is_next = false;  // continue
};
struct Synchronize {
  enum class Among : std::uint8_t {
    Shared,  // all threads of the block
    Warp,    // all threads of each warp
    Region,  // all threads that run the code around it
  };
  Among among = Among::Shared;
};
// Elements of global memory, array[subscripts] = array[subscripts], that the thread begins to copy
// into shared memory where `condition` holds (invalid: always). The copies end later, as one group
// of the thread's, which is closed wherever the item is reached. Or the thread arrives at an event
// when all copies that it has begun have ended.
struct CopyLater {
  Expr condition = {};
  std::string text = {};  // as the user wrote it
  ThreadBody body;        // of Assigns
  std::optional<EventSlot> at = {};
};
// A tile: the last axes of an array, at subscripts of those before. Of a local array, what the
// thread has of it.
struct TileRef {
  std::uint32_t array = 0;  // index into ThreadProgram::arrays
  std::vector<Expr> subscripts;
};
// The threads of each warpgroup that get here begin sums += a * b, which ends later, as one group
// of theirs (Mma, kernel/kernel.h).
struct MultiplyTiles {
  TileRef sums, a, b;
};
// The thread waits until at most `pending` groups of its copies, or of its matrix multiplications,
// the last ones, have not ended.
struct AwaitGroups {
  std::int64_t pending = 0;
  bool of_mma = false;
};
// What the thread has done to shared memory until now comes before the matrix multiplications that
// are begun by those who learn of it (ProxyFence, kernel/kernel.h).
struct FenceShared {};
// The thread arrives at an event, and goes on.
struct ArriveAt {
  EventSlot at;
};
// The thread waits until a phase of an event has ended. Hardware tells phases by their parity.
struct WaitFor {
  EventSlot at;
  Expr phase;
};
// Inner levels: all their instances run the body. Code beside an InnerParallel runs once for each
// instance of the levels around, by the thread whose inner indices are all 0.
struct InnerParallel {
  std::vector<ParallelLevel> levels;
  ThreadBody body;
};

struct ThreadItem {
  std::variant<Assign, DoTogether, InThreads, SerialFor, LeaveFor, Synchronize, InnerParallel,
               CopyLater, AwaitGroups, MultiplyTiles, FenceShared, ArriveAt, WaitFor>
      node;
  Place place = {};
};

struct ThreadProgram {
  // The most nodes of one expression, named values expanded (E104), since passes and printers visit
  // it as a tree.
  static constexpr std::uint32_t kMostParts = 2'000;

  explicit ThreadProgram(std::string name)
      : name(std::move(name)), pool(std::make_shared<ExprPool>()), facts(*pool) {}

  std::string name;
  std::shared_ptr<ExprPool> pool;
  std::vector<Expr> symbols;  // values known at launch
  Facts facts;                // about the symbols
  std::vector<ThreadArray> arrays;
  std::vector<ThreadEvent> events;
  ValueGraph values;               // the source of a Read node is an index into `arrays`
  std::vector<std::string> names;  // further names that are taken, such as those of definitions
  InnerParallel outermost;
};

}  // namespace selvage
