#pragma once

#include <selvage/legality/reads.h>

#include <functional>
#include <map>
#include <set>
#include <vector>

namespace selvage {

// A number that is read from memory, 0 to `most`: `variable` stands for it in the subscripts of
// reads and in conditions.
struct ReadNumber {
  Expr variable;
  ValueId value{};
  Expr most;
  bool is_promised = false;  // by the user; else by how the value is made
};

// Turns the definition of a stored tensor into values at the points of its nest: index symbols
// become coordinates, reads of stored tensors what `load` makes of them, reads of inlined tensors
// their definitions. A subscript that is a value becomes a variable; what has to be read for it
// before is appended to `numbers`, in the order in which they depend on each other.
class ValueLowering {
 public:
  // The value of an element of a stored tensor.
  using Load = std::function<ValueId(const Access&)>;

  ValueLowering(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis,
                ValueGraph& out, Load load, std::vector<ReadNumber>& numbers,
                DefinitionReads::Rules rules = DefinitionReads::Rules::Unnamed);

  // The value of the tensor's element at its logical coordinates; of one that folds, of what is
  // folded. Throws Illegal E440 for a read that is not proved in bounds, with a point at which it
  // is made and out of bounds where one is found.
  ValueId lower(TensorId tensor);

  // The reads that lower() has met, inlined ones included, that have an access mode or a fill that
  // is not out of question.
  const std::vector<Access>& leaving() const { return leaving_; }

  // The reads that lower() would meet, each once: nothing is refused.
  std::vector<Access> reads(TensorId tensor);

 private:
  ValueId lower(ValueId v, const Environment& environment, TensorId reader);
  ValueId lower_read(ValueId v, const ValueNode& node, const Environment& environment,
                     TensorId reader);
  Environment with_numbers(const ValueNode& read, const Environment& environment, TensorId reader);
  bool keeps_within(const ValueNode& read, const LoadedIndex& loaded) const;
  bool is_begin_of_row(const LoadedIndex& loaded, ValueId index,
                       const Environment& environment) const;
  Environment at_rows(Environment environment) const;
  Expr number(const LoadedIndex& loaded, ValueId value, const std::string& text);
  ValueId element(const Access& read);
  void check_knows_row(TensorId inlined, ValueId value) const;
  template <class Make>
  ValueId make(std::vector<std::uint64_t> key, Make&& value);
  [[noreturn]] void refuse_read(const ValueNode& read, const Access& access) const;

  const Fusion& fusion_;
  const Schedule& schedule_;
  const TensorAnalysis& analysis_;
  ValueGraph& out_;
  Load load_;
  std::vector<ReadNumber>& numbers_;
  DefinitionReads reads_;
  std::size_t used_ = 0;  // how many of its conditions the value being made rests on
  // An inlined tensor read twice at the same subscripts is one value, wherever the conditions that
  // its proofs rest on hold.
  struct Made {
    ValueId value;
    std::vector<Expr> under;
  };
  std::map<std::vector<std::uint64_t>, Made> made_;
  std::map<std::vector<std::uint64_t>, Expr> number_of_;  // by value, most and conditions
  std::vector<Access> leaving_;
  // Of reads(): the list, and the keys of the reads in it (value and indices).
  std::vector<Access>* list_ = nullptr;
  std::set<std::vector<std::uint64_t>> listed_;
};

}  // namespace selvage
