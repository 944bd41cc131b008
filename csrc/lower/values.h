#pragma once

#include <selvage/expr/substitute.h>
#include <selvage/kernel/kernel.h>
#include <selvage/legality/analysis.h>

#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace selvage {

// Turns the definition of a stored tensor into values of a kernel: index symbols become
// coordinates, reads of stored tensors become loads of buffers, reads of inlined tensors their
// definitions.
class ValueLowering {
 public:
  // What an element of a stored tensor is in the kernel, given its subscripts.
  using Load = std::function<ValueId(TensorId, const std::vector<Expr>&)>;

  ValueLowering(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis,
                ValueGraph& out, Load load);

  // The value of the tensor's element at its logical coordinates; of one that folds, of what is
  // folded. Throws Illegal E440 for a read that is not proved in bounds, with a point at which it
  // is made and out of bounds where one is found.
  ValueId lower(TensorId tensor);

 private:
  ValueId lower(ValueId v, const Environment& environment, const TensorInfo& reader);
  ValueId lower_read(const ValueNode& node, const Environment& environment,
                     const TensorInfo& reader);
  ValueId element(TensorId source, const std::vector<Expr>& subscripts);
  bool is_within(Expr subscript, const TensorInfo& reader, TensorId source, std::size_t axis);
  bool is_within_view(Expr subscript, const TensorInfo& reader, TensorId source, std::size_t axis);
  bool is_in_bounds(TensorId source, std::size_t axis, Expr subscript);
  Expr extent_of(const TensorInfo& tensor, std::size_t axis) const;
  Simplifier& ranges_of(const TensorInfo& reader);
  template <class Make>
  ValueId make(std::vector<std::uint64_t> key, Make&& value);
  Facts facts_here(bool with_all) const;
  void check_in_bounds(const ValueNode& read, std::size_t axis, Expr subscript,
                       const TensorInfo& reader);

  const Fusion& fusion_;
  const Schedule& schedule_;
  const TensorAnalysis& analysis_;
  ValueGraph& out_;
  Load load_;
  std::map<const TensorInfo*, std::unique_ptr<Simplifier>> ranges_;  // of a reader's indices
  // What holds where the value at hand is needed: a read under a condition is made only where its
  // subscripts are in bounds, and what fills it where they are not.
  struct Condition {
    Expr holds;
    bool is_read = false;  // of a read that is made: no vector is loaded past it
  };
  std::vector<Condition> conditions_;
  std::size_t used_ = 0;  // how many of them the proofs of the value at hand rest on
  // An inlined tensor read twice at the same subscripts is one value, wherever the conditions that
  // its proofs rest on hold.
  struct Made {
    ValueId value;
    std::vector<Expr> under;
  };
  std::map<std::vector<std::uint64_t>, Made> made_;
};

}  // namespace selvage
