#pragma once

#include <selvage/base/data_type.h>
#include <selvage/kernel/kernel.h>

#include <string>
#include <string_view>

namespace selvage {

// What stands in a text for both widths of indices where those for 32 and for 64 bits differ.
std::string either(std::string narrow, const std::string& wide);
// The text for one of them; one that differs nowhere is as it was.
std::string of_width(std::string_view text, IndexType type);

// The widths of indices that a text is written for: one, or both at once.
struct Widths {
  bool narrow = false, wide = false;

  bool are_both() const { return narrow && wide; }
  // f of the type of an index.
  template <class F>
  std::string each(const F& f) const {
    if (!wide) return f(DataType::Int32);
    return narrow ? either(f(DataType::Int32), f(DataType::Int64)) : f(DataType::Int64);
  }
};

}  // namespace selvage
