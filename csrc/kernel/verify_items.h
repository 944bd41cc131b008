#pragma once

#include <selvage/kernel/verify_access.h>

#include <functional>
#include <optional>
#include <vector>

namespace selvage {

// Proofs by the items that lowering gives with accesses (Items, kernel.h). No claim of an item is
// used before it is proved here, for each access by itself:
//
//   address = sum of index * stride over the axes, and 0 <= index < extent for each
//     So the access is inside its buffer. And if the axes are nested (each stride is the next one
//     times its extent), equal addresses have equal indices.
//   position = begin of its row + item, before the row's end, where begin and end are the offsets
//   of the row and of the next one; or what the thread knows = what the row and its offsets tell
//     So, by the contract of offsets, equal positions are of one row, and at one place in it; and
//     equal rows are known alike.
//   the block and the thread are those that the item's owner gives for the indices
//     So two accesses with the same owner expressions and equal indices are of one thread.
//
// This takes a few proofs for each access. Without items, accesses must be compared pair by pair,
// and their addresses no longer show what their divisions and remainders come from.
class ItemProofs {
 public:
  explicit ItemProofs(const AccessMap& map);

  bool is_inside(std::size_t access);
  // Whether both are of items, and accesses of one address are of one item.
  bool are_items_apart(std::size_t a, std::size_t b);
  // Whether every element that both access is accessed by a single thread of the launch.
  bool are_of_one_thread(std::size_t a, std::size_t b);

 private:
  bool is_item(std::size_t access);
  bool tells_thread(std::size_t access);
  bool prove_item(std::size_t access);
  bool prove_row(const KernelAccess& access);
  // Which offset of rows: by its number.
  using IsOffset = std::function<Expr(Expr number)>;
  bool is_offset_of(const KernelAccess& access, Expr number, const IsOffset& is_it);
  bool is_within(const KernelAccess& access, Expr index, Expr extent);
  bool prove_owner(std::size_t access);
  bool prove_axes_end_inside(BufferId buffer);
  bool prove_axes_apart(BufferId buffer);
  bool have_one_axes(BufferId x, BufferId y) const;
  bool lie_apart(BufferId x, BufferId y);
  Simplifier& at(const KernelAccess& access);
  static bool have_one_owner(const Item& a, const Item& b);

  // Remembered answers; absent: not asked yet.
  using Memo = std::vector<std::optional<bool>>;
  template <class Prove>
  static bool asked(Memo& memo, std::size_t k, Prove prove) {
    if (!memo[k]) memo[k] = prove();
    return *memo[k];
  }

  const AccessMap& map_;
  Simplifier sizes_;
  Memo is_item_, tells_thread_;  // by access
  Memo end_inside_, lie_apart_;  // by buffer
  // For accesses of several neighbours: the facts of the scope, and the range of the lane.
  std::vector<Simplifier*> wide_;
};

}  // namespace selvage
