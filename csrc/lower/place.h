#pragma once

#include <selvage/ir/nests.h>
#include <selvage/legality/analysis.h>

#include <map>

namespace selvage {

// The meaning of the loops and the memory of one tensor in a tree of nests.
struct PlacedTensor {
  TensorAnalysis analysis;
  std::optional<TensorAnalysis> result;  // of a tensor that folds: the nest that stores the result
  bool is_hosted = false;
};

// Analyzes every tensor of a tree. A shared loop has the variable of the host's loop; no other loop
// has the variable of a loop of the kernel with a different extent (`known`). For each tensor that
// is computed inside another's nest, it settles the storage of its elements (Schedule::keep_in).
//
// Proves that every element is read where it was computed: in the same iteration of the shared
// loops, by the same block and, from registers, by the same thread. The claim is one about the
// coordinates that the element read has in the loops of its own nest.
//
// Throws Illegal, besides what analyze_loops and ValueLowering refuse:
//   E432 a read of an element that another iteration, block or thread computes
//   E435 elements in global memory that are computed, and so stored, more than once
//   E433 an unknown number of elements in registers or shared memory
//   E437 a layout that does not give each stored element a place of its own
class PlacedTensors {
 public:
  // `known`: the loops of the kernel that are placed already; adds those of this tree.
  PlacedTensors(const Fusion& fusion, const Schedule& schedule, const NestTree& tree,
                KnownLoops& known);

  // Takes over the tensors of another tree of the same kernel.
  void add(const PlacedTensors& other);
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
  Expr runs_before(TensorId t, DomainId loop) const;
  bool is_kept(const NestTree& tree, const Storage& storage, std::size_t loop) const;
  void check_layout(const NestTree& tree, const Storage& storage) const;
  Expr loop_of_axis(TensorId t, ParallelType axis) const;
  std::vector<std::pair<DomainId, Expr>> coordinates_at(const Reading& reading, TensorId t) const;
  Verdict at_readings(const TensorAnalysis& reader, const Reading& reading, TensorId t,
                      Expr claim) const;
  Verdict is_own_thread(TensorId t, const Reading& reading) const;
  void check_stored_once(const NestTree& tree) const;
  // `coordinates`: from coordinates_at().
  void check_iteration(const NestTree& tree, const Reading& reading,
                       const std::vector<std::pair<DomainId, Expr>>& coordinates) const;
  void check_every_block(const Reading& reading, TensorId t, DomainId loop, Expr coordinate) const;
  bool is_kept_by_blocks(TensorId t) const;
  std::string further_out(TensorId t, DomainId loop) const;
  DomainId outermost_giving(TensorId t) const;
  std::string unbound(TensorId t, DomainId loop) const;

  const Fusion& fusion_;
  const Schedule& schedule_;
  std::map<TensorId, PlacedTensor> placed_;
  std::map<TensorId, OpenLoops> open_;                 // all loops around each tensor's own
  std::map<TensorId, std::vector<Reading>> readings_;  // of hosted tensors
};

}  // namespace selvage
