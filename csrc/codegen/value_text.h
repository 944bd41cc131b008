#pragma once

#include <selvage/codegen/buffer_text.h>
#include <selvage/codegen/index_text.h>
#include <selvage/codegen/names.h>
#include <selvage/kernel/kernel.h>

#include <string>
#include <vector>

namespace selvage {

// Writes element values in C, with the bits that selvage::apply and selvage::convert give.
// A node that is used more than once, or is long, gets a line of its own; one that stands under a
// select and reads memory is computed only where the select asks for it, since its address may be
// out of bounds elsewhere.
class ValueText {
 public:
  ValueText(const Kernel& kernel, const BufferText& buffers, IndexText& index, Helpers& helpers,
            Names& names);

  // Lines to stand before, and then the value as what is stored in an array of `type`.
  struct Written {
    std::vector<std::string> lines;
    CText value;
    DataType type = DataType::Bool;  // of what the text is
  };
  Written write(ValueId v, DataType type);

 private:
  struct Region;
  static constexpr int kAllBits = 64;

  bool is_known(ValueId v) const { return !text_of(v).text.empty(); }
  const CText& text_of(ValueId v) const { return texts_[std::size_t(v)]; }
  Written block(ValueId root, int bits = kAllBits);
  Region region(ValueId root) const;
  void narrow(const Region& region, ValueId root, int bits);
  CText node_text(ValueId v, std::vector<std::string>& lines);
  CText select(const ValueNode& node, std::vector<std::string>& lines);
  CText apply(ValueId v);
  CText convert(CText from, DataType from_compute, DataType to);
  CText convert_to_round(CText from, DataType from_compute, DataType compute, DataType to);
  CText store(CText from, DataType to);
  CText load(CText from, DataType type);
  CText round(CText from, DataType to);
  // What its text is of.
  DataType compute(ValueId v) const {
    return is_in(narrow_, v) ? DataType::Int32 : compute_type(kernel_.values[v].type);
  }
  static void set(std::vector<ValueId>& all, ValueId v);
  static bool is_in(const std::vector<ValueId>& all, ValueId v);
  bool is_small(ValueId v) const;
  std::optional<CText> real_number(ValueId v, DataType to) const;
  bool is_copy(const ValueNode& node, DataType type) const;
  bool is_lazy(const ValueNode& select) const;
  std::string declare(ValueId v, CText& text, const std::string& value);

  const Kernel& kernel_;
  const BufferText& buffers_;
  IndexText& index_;
  Helpers& helpers_;
  Names& names_;
  int named_ = 0;
  // Values of 64 bits of which every use asks the low 32, or that 32 bits hold: sums and products
  // of the former, comparisons and conversions of the latter are done in int. Both lists ascend.
  std::vector<ValueId> narrow_;
  std::vector<ValueId>
      unwrapped_;             // casts to narrow integers whose uses ask no bit that they change
  std::vector<CText> texts_;  // of values that are written already where the walk is
  std::vector<bool> reads_;   // does the node read memory, itself or in an operand?
};

// A literal of a compute type, to the last bit.
CText literal(const Scalar& v);

}  // namespace selvage
