#pragma once

#include <selvage/codegen/index_text.h>
#include <selvage/codegen/names.h>
#include <selvage/codegen/storage.h>
#include <selvage/kernel/kernel.h>

#include <map>
#include <string>
#include <vector>

namespace selvage {

// Writes element values in C, with the bits that selvage::apply and selvage::convert give.
// A node that is used more than once, or is long, gets a line of its own; one that stands under a
// select and reads memory is computed only where the select asks for it, since its address may be
// out of bounds elsewhere.
class ValueText {
 public:
  ValueText(const Kernel& kernel, const Storage& storage, IndexText& index, Helpers& helpers,
            Names& names);

  // Lines to stand before, and then the value as what is stored in an array of `type`.
  struct Written {
    std::vector<std::string> lines;
    CText value;
  };
  Written write(ValueId v, DataType type);

 private:
  using Known = std::map<ValueId, CText>;
  struct Region;

  Written block(ValueId root, const Known& outer);
  Region region(ValueId root, const Known& outer) const;
  CText node_text(ValueId v, Known& known, std::vector<std::string>& lines);
  CText select(const ValueNode& node, Known& known, std::vector<std::string>& lines);
  CText apply(const ValueNode& node, const Known& known);
  CText convert(CText from, DataType from_compute, DataType to);
  CText store(CText from, DataType to);
  CText load(CText from, DataType type);
  CText round(CText from, DataType to);
  DataType compute(ValueId v) const { return compute_type(kernel_.values[v].type); }
  bool is_copy(const ValueNode& node, DataType type) const;
  bool is_lazy(const ValueNode& select) const;
  std::string declare(ValueId v, CText& text, const std::string& value);

  const Kernel& kernel_;
  const Storage& storage_;
  IndexText& index_;
  Helpers& helpers_;
  Names& names_;
  int named_ = 0;
  std::vector<bool> reads_;  // does the node read memory, itself or in an operand?
};

// A literal of a compute type, to the last bit.
CText literal(const Scalar& v);

}  // namespace selvage
