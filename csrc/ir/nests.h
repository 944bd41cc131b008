#pragma once

#include <selvage/ir/schedule.h>

#include <set>
#include <vector>

namespace selvage {

// A nest of loops that computes one tensor, and those that stand inside it.
struct NestTree {
  TensorId tensor{};
  std::size_t level = 0;              // how many loops of its host it stands inside
  std::size_t shared = 0;             // how many of its own, the outermost, are open there already
  std::vector<NestTree> inside = {};  // none reads what one after it at the same level computes
};

// What a program computes, and in which nests.
struct Nests {
  std::vector<NestTree> roots;  // none reads what one after it computes
  // By tensor: inputs and computed tensors that its nest reads, through inlined ones; of tensors
  // that have no nest, nothing.
  std::vector<std::set<TensorId>> reads;
  std::vector<bool> has_nest;  // by tensor: outputs, and what nests read and is not inlined
  // By tensor: outputs that nests read and that storing may change.
  std::vector<bool> is_read_unrounded;
};

// Throws Illegal:
//   E418 a reader that stands outside the loops at which what it reads is computed; loops of a
//        tensor that it shares with its host and that are not its outermost
Nests nests_of(const Fusion& fusion, const Schedule& schedule);

// All tensors of a tree, a host before those inside it.
std::vector<TensorId> tensors_of(const NestTree& tree);

}  // namespace selvage
