#pragma once

#include <selvage/kernel/statement_tree.h>
#include <selvage/kernel/statements.h>
#include <selvage/simplifier/simplifier.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace selvage {

// A statement of a kernel and where it stands. Expressions are over sizes, threads(), blocks() and
// the variables of serial loops; what a Define names is written out.
struct StatementPlace {
  const Statement* statement = nullptr;
  PlaceId parent = kTop;
  bool is_otherwise = false;     // in the `otherwise` of its parent, a Guard
  std::size_t index = 0;         // in the body in which it stands
  std::size_t scope = 0;         // what holds there
  Expr variable, begin, extent;  // of a serial loop: a symbol that no other loop has
  Expr condition;                // of a Guard, of a Region: who is a member
  PlaceId leaves = kTop;         // of a Leave: the loop
  bool is_left = false;          // of a loop: by a Leave
  // Of a serial loop: `extent` is how often it runs at most. How often it does depends on memory:
  // on the number that a Define has read there, or on nothing that is known, as of a While.
  bool may_run_less = false;
  std::optional<std::size_t> counted_by = {};  // of AccessMap::numbers()
  Expr amount = {};                            // of an Arrive its bytes, of a Wait its phase

  bool is_serial_loop() const { return variable.valid(); }
};

// Where a statement is run: inside which serial loops, outer ones first, and under which
// conditions.
struct AccessScope {
  std::vector<PlaceId> loops;
  std::vector<Expr> conditions;
  std::vector<std::size_t> numbers;  // that are read before, of AccessMap::numbers()
};

// What a Define reads from memory, as each thread has it in each iteration: a symbol that no other
// Define has, between `least` and `most`.
struct MemoryNumber {
  Expr symbol, least, most;
  PlaceId place = 0;
  ValueId value{};
  // Memory that the kernel does not write may hold any such number, or `most` everywhere.
  bool is_free = false;
};

// A read or a write of `width` neighbouring elements. An atomic store is Atomic.
struct KernelAccess {
  using Kind = AccessKind;
  PlaceId place = 0;
  BufferId buffer = 0;
  Kind kind = Kind::Read;
  Expr address;  // of the first
  std::int64_t width = 1;
  std::size_t scope = 0;
  Function function = Function::Add;  // of an Atomic
  bool duplicates_allowed = false;
  bool depends_on_data = false;  // whether it happens: a read in one branch of a select
  bool may_be_left_out = false;  // a loop around it is left early by some thread
  std::int64_t alignment = 1;    // elements of which the address is a multiple
  bool is_async = false;         // it ends later
  bool mentions_memory = false;  // its address or a condition of its scope is over MemoryNumbers
  bool is_hidden = false;        // it may be that nothing that memory holds makes it happen
  // Which item it is said to be: indices along the buffer's axes (of several neighbours, over
  // `lane`, 0 to width - 1, too), and who stores it. Null: nothing is said.
  const Item* item = nullptr;
  std::vector<Expr> indices = {};
  Expr lane = {};

  // Is there a run in which it happens wherever its scope says?
  bool is_certain() const { return !depends_on_data && !may_be_left_out && !is_hidden; }
  // Does it happen in every run, where the loops around it run as often as they may, and is it done
  // then?
  bool is_done() const {
    return !depends_on_data && !may_be_left_out && !mentions_memory && !is_async;
  }
};

// The statements and the accesses of a kernel, with what is known at each. The kernel must outlive
// it. Of the kernel's facts only those of sizes are taken, and `condition`; ranges of variables
// follow from launch and loops.
class AccessMap {
 public:
  // Of all memory, or of none that is a thread's own: nobody else sees that.
  enum class Of : std::uint8_t { All, SeenByOthers };
  explicit AccessMap(const Kernel& kernel, Of of = Of::All);

  const Kernel& kernel() const { return kernel_; }
  ExprPool& pool() const { return *kernel_.pool; }
  const std::vector<StatementPlace>& places() const { return places_; }
  const StatementTree& tree() const { return tree_; }
  const std::vector<KernelAccess>& accesses() const { return accesses_; }
  const AccessScope& scope(std::size_t s) const { return scopes_[s]; }
  const std::vector<PlaceId>& leaves() const { return leaves_; }  // every Leave
  const std::vector<MemoryNumber>& numbers() const { return numbers_; }
  bool mentions_number(Expr e) const;
  bool mentions_thread(Expr e) const;
  bool mentions_size(Expr e) const;
  // Has it a barrier of a part of the block, or of a warp?
  bool has_partial_barrier() const { return has_partial_barrier_; }
  // Do its threads go on at their own pace (csrc/kernel/statements.h)? Do barrier objects order
  // them?
  bool has_own_pace() const { return has_own_pace_; }
  bool has_barrier_objects() const;

  // The indices of thread and block, x y z: 0 where the extent is 1.
  const std::array<Expr, 3>& threads() const { return threads_; }
  const std::array<Expr, 3>& blocks() const { return blocks_; }
  bool is_thread(Expr symbol) const;
  bool is_block(Expr symbol) const;
  // Threads of a block along x, y, z, where these are numbers.
  std::optional<std::array<std::int64_t, 3>> block_extents() const;
  // Symbols that the kernel does not define: sizes.
  const std::vector<Expr>& sizes() const { return sizes_; }
  bool is_size(Expr symbol) const;

  // Of sizes alone; of sizes, blocks and threads; of everything in a scope.
  const Facts& size_facts() const { return size_facts_; }
  Facts facts(std::size_t scope) const;
  Simplifier& at(std::size_t scope) const;
  // The canonical form of an access's address, under what holds there.
  Expr address(std::size_t access) const;

  // Do two buffers share bytes? One does with itself.
  bool overlap(BufferId a, BufferId b) const;
  bool is_written(BufferId b) const { return written_[b]; }
  // Bytes of a buffer; nothing where they are no number.
  std::optional<std::int64_t> bytes(BufferId b) const;

 private:
  friend class AccessCollector;
  void find_sizes();

  const Kernel& kernel_;
  Of of_;
  StatementTree tree_;
  std::vector<StatementPlace> places_;
  std::vector<PlaceId> leaves_;
  std::vector<MemoryNumber> numbers_;
  bool has_partial_barrier_ = false, has_own_pace_ = false;
  std::vector<AccessScope> scopes_;
  std::vector<KernelAccess> accesses_;
  std::array<Expr, 3> threads_, blocks_;
  std::vector<Expr> sizes_;
  Facts size_facts_;
  std::vector<bool> written_;
  mutable std::vector<std::unique_ptr<Simplifier>> at_;
  mutable std::vector<Expr> addresses_;
};

}  // namespace selvage
