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
  // is out of bounds where one is found.
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
  void check_in_bounds(TensorId tensor, std::size_t axis, Expr subscript, const TensorInfo& reader);

  const Fusion& fusion_;
  const Schedule& schedule_;
  const TensorAnalysis& analysis_;
  ValueGraph& out_;
  Load load_;
  std::map<const TensorInfo*, std::unique_ptr<Simplifier>> ranges_;  // of a reader's indices
  // An inlined tensor read twice at the same subscripts is one value.
  std::map<std::vector<std::uint64_t>, ValueId> made_;
};

}  // namespace selvage
