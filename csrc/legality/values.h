#pragma once

#include <selvage/legality/reads.h>

#include <functional>
#include <map>
#include <set>
#include <vector>

namespace selvage {

// Turns the definition of a stored tensor into values at the points of its nest: index symbols
// become coordinates, reads of stored tensors what `load` makes of them, reads of inlined tensors
// their definitions.
class ValueLowering {
 public:
  // The value of an element of a stored tensor.
  using Load = std::function<ValueId(const Access&)>;

  ValueLowering(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis,
                ValueGraph& out, Load load,
                DefinitionReads::Rules rules = DefinitionReads::Rules::Unnamed);

  // The value of the tensor's element at its logical coordinates; of one that folds, of what is
  // folded. Throws Illegal E440 for a read that is not proved in bounds, with a point at which it
  // is made and out of bounds where one is found.
  ValueId lower(TensorId tensor);

  // The reads that lower() would meet, each once: nothing is refused.
  std::vector<Access> reads(TensorId tensor);

 private:
  ValueId lower(ValueId v, const Environment& environment, TensorId reader);
  ValueId lower_read(ValueId v, const ValueNode& node, const Environment& environment,
                     TensorId reader);
  ValueId element(const Access& read);
  template <class Make>
  ValueId make(std::vector<std::uint64_t> key, Make&& value);
  [[noreturn]] void refuse_read(const ValueNode& read, const Access& access) const;

  const Fusion& fusion_;
  const Schedule& schedule_;
  const TensorAnalysis& analysis_;
  ValueGraph& out_;
  Load load_;
  DefinitionReads reads_;
  std::size_t used_ = 0;  // how many of its conditions the value being made rests on
  // An inlined tensor read twice at the same subscripts is one value, wherever the conditions that
  // its proofs rest on hold.
  struct Made {
    ValueId value;
    std::vector<Expr> under;
  };
  std::map<std::vector<std::uint64_t>, Made> made_;
  // Of reads(): the list, and the keys of the reads in it (value and indices).
  std::vector<Access>* list_ = nullptr;
  std::set<std::vector<std::uint64_t>> listed_;
};

}  // namespace selvage
