#pragma once

#include <selvage/ir/schedule.h>

#include <optional>
#include <set>
#include <vector>

namespace selvage {

// The nest of loops that computes one tensor, and the nests inside it.
struct NestTree {
  TensorId tensor{};
  std::size_t level = 0;   // how many loops of its host it stands inside
  std::size_t shared = 0;  // how many of its own outermost loops are open there
  // Of a fold that accumulates (Schedule::accumulate_at): the outermost of its host's loops that it
  // folds over. Its state is set before that loop and stored behind it.
  std::optional<std::size_t> accumulated_over = {};
  std::vector<NestTree> inside = {};  // none reads what one after it at the same level computes
};

// The nests that compute a program.
struct Nests {
  std::vector<NestTree> roots;  // none reads what one after it computes
  // By tensor: the inputs and computed tensors that its nest reads, also through inlined ones;
  // empty for tensors without a nest.
  std::vector<std::set<TensorId>> reads;
  std::vector<bool> has_nest;  // by tensor: outputs, and tensors that nests read, if not inlined
  // By tensor: outputs that nests read and that storing may change.
  std::vector<bool> is_read_unrounded;
};

// The nests of a schedule. Throws Illegal E418 where a tensor is read outside the loops at which it
// is computed, where its site is no loop of a tensor that is computed, or where loops that it
// shares with its host are not its outermost ones.
Nests nests_of(const Fusion& fusion, const Schedule& schedule);

// All tensors of a tree, a host before those inside it.
std::vector<TensorId> tensors_of(const NestTree& tree);

}  // namespace selvage
