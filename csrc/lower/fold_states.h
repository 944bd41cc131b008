#pragma once

#include <selvage/ir/fold.h>
#include <selvage/lower/body.h>
#include <selvage/lower/draft.h>

#include <string>
#include <vector>

namespace selvage {

// Of a block: its threads are at most 1,024.
inline constexpr std::int64_t kMostWarps = 32;

// Writes, reads and goes through arrays of states of a fold: for each component of a state
// (ir/fold.h) one buffer of the kernel.
class FoldStates {
 public:
  FoldStates(KernelDraft& draft, const Fold& fold);

  const std::vector<FoldComponent>& components() const { return components_; }
  // Buffers called `name`.sum`what`, `name`.mean`what` and so on, of `items` states each.
  std::vector<BufferId> add_local(const std::string& name, std::int64_t items,
                                  const std::string& what = "") const;
  std::vector<BufferId> add_shared(const std::string& name, std::int64_t items,
                                   const std::string& what) const;
  FoldState read(const std::vector<BufferId>& buffers, Expr address) const;
  std::vector<Store> stores(const std::vector<BufferId>& buffers, Expr address,
                            const FoldState& state, std::vector<Expr> valid = {}) const;
  FoldState empty() const;
  FoldState merged(const FoldState& a, const FoldState& b) const;
  // f(address) gives the statements for the item at that address of `items` states.
  template <class F>
  Body for_each_item(std::int64_t items, F f) const {
    if (items == 1) return f(draft_.kernel.pool->constant(0));
    const Expr item = item_of(items);
    return body_of(Loop{item, draft_.kernel.pool->constant(items), ParallelType::Unroll, f(item)});
  }

 private:
  Expr item_of(std::int64_t items) const;  // the variable of such a loop

  KernelDraft& draft_;
  const Fold& fold_;
  std::vector<FoldComponent> components_;
};

// The number of threads in a block; in each block of a cluster.
Expr threads_of_block(const Kernel& kernel);
// The number of a thread in its block, x fastest, then y, z; in its own block of a cluster.
Expr linear_thread(Kernel& kernel);
// The body inside loops over all thread indices of the block, so that it may mention them.
Body with_threads(Body body, Kernel& kernel);

}  // namespace selvage
