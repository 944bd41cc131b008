#pragma once

#include <selvage/kernel/verify_access.h>

#include <optional>
#include <vector>

namespace selvage {

// What follows from the items that a kernel's accesses are said to be of. Nothing is taken for true
// that is not proved here, at each access for itself:
//
//   address = sum of index * stride over the axes, and 0 <= index < extent for each
//     so the access lies inside its buffer; and where the axes lie within one another (a stride is
//     the next one times its extent), equal addresses have equal indices
//   the block and the thread are what the item's owner says of the indices
//     so two accesses with one owner that have equal indices are of one thread
//
// These are a few proofs an access, where accesses by themselves are compared pair by pair and have
// lost what their divisions and remainders were made from.
class ItemProofs {
 public:
  explicit ItemProofs(const AccessMap& map);

  bool is_inside(std::size_t access);
  // Is every element that both access one that a single thread of the launch accesses?
  bool are_of_one_thread(std::size_t a, std::size_t b);

 private:
  bool is_item(std::size_t access);
  bool tells_thread(std::size_t access);
  bool prove_item(std::size_t access);
  bool is_within(const KernelAccess& access, Expr index, Expr extent);
  bool prove_owner(std::size_t access);
  bool prove_axes_end_inside(BufferId buffer);
  bool prove_axes_apart(BufferId buffer);
  Simplifier& at(const KernelAccess& access);
  static bool have_one_owner(const Item& a, const Item& b);

  // The answer to one question, once it has been asked.
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
  // Of what accesses several neighbours: what is known there, and of its lane.
  std::vector<std::unique_ptr<Simplifier>> wide_;
};

}  // namespace selvage
