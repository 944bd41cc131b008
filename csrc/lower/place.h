#pragma once

#include <selvage/ir/nests.h>
#include <selvage/legality/analysis.h>

#include <map>

namespace selvage {

// What the loops and the memory of a tensor in a tree of nests mean.
struct PlacedTensor {
  TensorAnalysis analysis;
  std::optional<TensorAnalysis> result;  // of one that folds: the nest that stores what came out
  bool is_hosted = false;
};

// Every tensor of a tree by itself, variables of shared loops being those of the host, and no
// others those of loops that are `known` in its kernel with another extent; and for each that is
// computed inside another's nest, where it keeps its elements (Schedule::keep_in).
//
// An element is read where it was computed: in the same iteration of the loops that it shares, by
// the same block, and from registers by the same thread. That is a claim about the coordinates that
// the element read has in the loops of its own nest, and is proved.
//
// Throws Illegal, besides what analyze_loops and ValueLowering refuse:
//   E432 an element that another iteration, block or thread computes
//   E435 elements in global memory that are computed, and so stored, more than once
//   E433 elements kept in registers or shared memory whose number is not known
//   E437 a layout that does not give each element that is kept a place of its own
class PlacedTensors {
 public:
  // `known`: loops of the kernel that were placed before, to which these are added.
  PlacedTensors(const Fusion& fusion, const Schedule& schedule, const NestTree& tree,
                KnownLoops& known);

  const PlacedTensor& operator[](TensorId t) const { return placed_.at(t); }
  bool contains(TensorId t) const { return placed_.contains(t); }

 private:
  struct Reading {
    TensorId reader;
    std::vector<Expr> subscripts;
  };
  void analyze_tree(const NestTree& tree, const OpenLoops& around, KnownLoops& known);
  void find_readings(const NestTree& tree);
  void settle(const NestTree& tree);
  void settle_memory(const NestTree& tree);
  Storage choose(const NestTree& tree) const;
  bool is_kept(const NestTree& tree, const Storage& storage, std::size_t loop) const;
  void check_layout(const NestTree& tree, const Storage& storage) const;
  Expr loop_of_axis(TensorId t, ParallelType axis) const;
  std::vector<std::pair<DomainId, Expr>> coordinates_at(const Reading& reading, TensorId t) const;
  Verdict at_readings(const TensorAnalysis& reader, const Reading& reading, TensorId t,
                      Expr claim) const;
  Verdict is_own_thread(TensorId t, const Reading& reading) const;
  void check_stored_once(const NestTree& tree) const;
  // `coordinates`: as coordinates_at() has them.
  void check_iteration(const NestTree& tree, const Reading& reading,
                       const std::vector<std::pair<DomainId, Expr>>& coordinates) const;
  void check_every_block(const Reading& reading, TensorId t, DomainId loop, Expr coordinate) const;
  bool is_kept_by_blocks(TensorId t) const;
  std::string further_out(TensorId t, DomainId loop) const;
  std::string unbound(TensorId t, DomainId loop) const;

  const Fusion& fusion_;
  const Schedule& schedule_;
  std::map<TensorId, PlacedTensor> placed_;
  std::map<TensorId, OpenLoops> open_;                 // all loops open around each
  std::map<TensorId, std::vector<Reading>> readings_;  // of hosted tensors
};

}  // namespace selvage
