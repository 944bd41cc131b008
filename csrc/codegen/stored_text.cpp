#include <selvage/codegen/stored_text.h>

#include <utility>

namespace selvage {

ValueText::Written StoredText::write(ValueId v, DataType type) {
  if (!index_.widths().are_both() || !values_.goes_by_index(v)) return values_.write(v, type);
  const Names names = names_;
  const int named = named_;
  const auto of = [&](IndexType width) {
    names_ = names;
    named_ = named;
    IndexText index = index_.of_width(width);
    Helpers& helpers = own_[width == IndexType::Int64];
    return ValueText(kernel_, buffers_, index, helpers, names_, named_).write(v, type);
  };
  ValueText::Written narrow = of(IndexType::Int32);
  const int named_by_narrow = named_;
  const ValueText::Written wide = of(IndexType::Int64);
  if (named_ != named_by_narrow || narrow.lines.size() != wide.lines.size()) {
    is_one_text_ = false;
    return narrow;
  }
  for (std::size_t k = 0; k < narrow.lines.size(); ++k) {
    narrow.lines[k] = either(std::move(narrow.lines[k]), wide.lines[k]);
  }
  narrow.value.text = either(std::move(narrow.value.text), wide.value.text);
  return narrow;
}

}  // namespace selvage
