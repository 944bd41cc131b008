#pragma once

#include <selvage/expr/substitute.h>
#include <selvage/kernel/statement_tree.h>
#include <selvage/kernel/statements.h>
#include <selvage/simplifier/simplifier.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace selvage {

// A statement of a kernel and its position. Expressions are over sizes, threads(), blocks() and the
// variables of serial loops; variables of Defines are replaced by their values.
struct StatementPlace {
  const Statement* statement = nullptr;
  PlaceId parent = kTop;
  bool is_otherwise = false;     // in the `otherwise` of its parent, a Guard
  std::size_t index = 0;         // in the body in which it stands
  std::size_t scope = 0;         // its AccessMap::scope()
  Expr variable, begin, extent;  // of a serial loop; no other loop has the same variable
  Expr condition;                // of a Guard; of a Region: that the thread is a member
  PlaceId leaves = kTop;         // of a Leave: the loop
  bool is_left = false;          // of a loop: some Leave names it
  // Of a serial loop: `extent` is only the most that it may run, as its end depends on memory: on a
  // number read by a Define (`counted_by`, index into AccessMap::numbers()), or on anything, for a
  // While.
  bool may_run_less = false;
  std::optional<std::size_t> counted_by = {};
  Expr counted = {};  // of a Loop whose end depends on memory: the extent as it is written
  Expr amount = {};  // the bytes of an Arrive, the phase of a Wait, the rank that makes a multicast
  std::vector<Expr> corner = {};  // of an AsyncCopy of a box

  bool is_serial_loop() const { return variable.valid(); }
};

// The serial loops around a statement, outer ones first, and the conditions under which it runs.
struct AccessScope {
  std::vector<PlaceId> loops;
  std::vector<Expr> conditions;
  std::vector<std::size_t> numbers;        // read before it; indices into AccessMap::numbers()
  std::optional<PlaceId> last_block = {};  // the LastBlock that it stands in
};

// The number that a Define reads from memory, one for each thread and iteration: a symbol that no
// other Define has, with least <= symbol <= most.
struct MemoryNumber {
  Expr symbol, least, most;
  PlaceId place = 0;
  ValueId value{};
  bool is_promised = true;  // that it lies so; else it is to be proved
  // Some contents of memory that the kernel does not write give any such number, or `most`
  // everywhere.
  bool is_free = false;
  Environment names = {};  // what the names in `value` stand for
};

// A read or a write of `width` neighbouring elements. An atomic store is Atomic.
struct KernelAccess {
  using Kind = AccessKind;
  PlaceId place = 0;
  BufferId buffer = 0;
  Kind kind = Kind::Read;
  Expr address;  // of the first element
  std::int64_t width = 1;
  std::size_t scope = 0;
  Function function = Function::Add;  // of an Atomic
  bool duplicates_allowed = false;
  bool depends_on_data = false;  // data decide whether it happens: a read in a branch of a select
  bool may_be_left_out = false;  // some thread may leave a loop around it early
  std::int64_t alignment = 1;    // the address is a multiple of it, in elements
  bool is_async = false;         // it ends later
  bool mentions_memory = false;  // its address or a condition of its scope is over MemoryNumbers
  bool is_hidden = false;        // possibly no contents of memory make it happen
  // The item that lowering claims it to be (not proved here): indices along the buffer's axes, over
  // `lane`, 0 to width - 1, too, and the owner. Null: no claim.
  const Item* item = nullptr;
  std::vector<Expr> indices = {};
  std::vector<Expr> named_indices = {};  // the same, with the names that coordinates have in them
  std::optional<Item::Row> of_row = {};
  Expr lane = {};

  // Whether in some run it happens wherever its scope says.
  bool is_certain() const { return !depends_on_data && !may_be_left_out && !is_hidden; }
  // Whether it happens in every run, if the loops around it run as often as they may.
  bool is_made() const { return !depends_on_data && !may_be_left_out && !mentions_memory; }
};

// The statements and the accesses of a kernel, with the facts at each. The kernel must outlive it.
// It takes the kernel's facts about sizes, and Kernel::condition, and no other facts: ranges of
// variables it derives from launch and loops.
class AccessMap {
 public:
  // Of all memory, or of none that is a thread's own: nobody else sees that.
  enum class Of : std::uint8_t { All, SeenByOthers };
  // `simplifiers`: those of other maps of kernels with one pool; null: of this one alone.
  explicit AccessMap(const Kernel& kernel, Of of = Of::All,
                     std::shared_ptr<SimplifiersByFacts> simplifiers = nullptr);

  // Drops accesses that happen at no sizes that the kernel is for.
  void drop_unreached();

  const Kernel& kernel() const { return kernel_; }
  ExprPool& pool() const { return *kernel_.pool; }
  const std::vector<StatementPlace>& places() const { return places_; }
  const StatementTree& tree() const { return tree_; }
  const std::vector<KernelAccess>& accesses() const { return accesses_; }
  const AccessScope& scope(std::size_t s) const { return scopes_[s]; }
  // The LastBlock in which an access is made; nothing if every block makes it.
  std::optional<PlaceId> last_block(std::size_t access) const {
    return scopes_[accesses_[access].scope].last_block;
  }
  const std::vector<PlaceId>& leaves() const { return leaves_; }  // every Leave
  const std::vector<MemoryNumber>& numbers() const { return numbers_; }
  bool mentions_number(Expr e) const;
  bool mentions_thread(Expr e) const;
  bool mentions_size(Expr e) const;
  // Whether the kernel has a partial barrier.
  bool has_partial_barrier() const { return has_partial_barrier_; }
  // Whether its threads run at their own pace (kernel/statements.h); whether it has barrier
  // objects.
  bool has_own_pace() const { return has_own_pace_; }
  bool has_barrier_objects() const;

  // The indices of thread and block, x y z: 0 where the extent is 1.
  const std::array<Expr, 3>& threads() const { return threads_; }
  const std::array<Expr, 3>& blocks() const { return blocks_; }
  bool is_thread(Expr symbol) const;
  bool is_block(Expr symbol) const;
  // Threads of a block along x, y, z; nullopt if these are no numbers.
  std::optional<std::array<std::int64_t, 3>> block_extents() const;
  // Symbols that the kernel does not define: sizes.
  const std::vector<Expr>& sizes() const { return sizes_; }
  bool is_size(Expr symbol) const;

  // The facts about sizes; all facts that hold in a scope; a Simplifier with the latter.
  const Facts& size_facts() const { return size_facts_; }
  Facts facts(std::size_t scope) const;
  Simplifier& at(std::size_t scope) const;
  // One for facts of a scope, and more. It lives as long as this.
  Simplifier& with(Facts facts) const { return simplifiers_->of(std::move(facts)); }
  // One that is asked once, and not kept.
  Simplifier briefly_with(Facts facts) const { return simplifiers_->made(std::move(facts)); }
  const std::shared_ptr<SimplifiersByFacts>& simplifiers() const { return simplifiers_; }
  // The canonical form of an access's address under the facts of its scope.
  Expr address(std::size_t access) const;

  // Whether two buffers share bytes; true if a == b, or if one replaces the other.
  bool overlap(BufferId a, BufferId b) const;
  bool lies_alone(BufferId b) const;  // it shares bytes with no other buffer
  // Whether all accesses of it are in the own piece; true where a block is no cluster.
  bool is_of_own_rank(BufferId b) const;
  // Whether the kernel writes its memory, be it through a buffer that replaces it.
  bool is_written(BufferId b) const { return written_[b]; }
  // The buffer that replaces b, if there is one.
  std::optional<BufferId> replacement(BufferId b) const { return replacement_[b]; }
  // Bytes of a buffer; nullopt if their number depends on sizes.
  std::optional<std::int64_t> bytes(BufferId b) const;

 private:
  friend class AccessCollector;
  void find_sizes();
  void note_replacements();

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
  std::vector<std::optional<BufferId>> replacement_;
  std::shared_ptr<SimplifiersByFacts> simplifiers_;
  mutable std::vector<Simplifier*> at_;
  mutable std::vector<Expr> addresses_;
  mutable std::map<BufferId, bool> of_own_rank_;
};

}  // namespace selvage
