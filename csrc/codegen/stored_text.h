#pragma once

#include <selvage/codegen/value_text.h>

#include <array>

namespace selvage {

// Writes what is stored. In a text for both widths of indices a value stands once, unless it goes
// by an index: then it is written for each width by itself, and the two are put together line by
// line.
class StoredText {
 public:
  // `shared`: the helpers that a text of either width uses; `own`: those of 32 and of 64 bits.
  StoredText(const Kernel& kernel, const BufferText& buffers, IndexText& index, Helpers& shared,
             std::array<Helpers, 2>& own, Names& names)
      : kernel_(kernel),
        buffers_(buffers),
        index_(index),
        own_(own),
        names_(names),
        values_(kernel, buffers, index, shared, names, named_) {}

  ValueText::Written write(ValueId v, DataType type);
  // False: the texts for the two widths have not the same lines, and what was written is neither.
  bool is_one_text() const { return is_one_text_ && values_.is_one_text(); }

 private:
  const Kernel& kernel_;
  const BufferText& buffers_;
  IndexText& index_;
  std::array<Helpers, 2>& own_;
  Names& names_;
  int named_ = 0;
  bool is_one_text_ = true;
  ValueText values_;
};

}  // namespace selvage
