#include <selvage/simplifier/width.h>

namespace selvage {

Width width_of(const Interval& values) {
  if (values.within(INT32_MIN, INT32_MAX)) return Width::Int32;
  return values.has_lo() && values.has_hi() ? Width::Int64 : Width::Beyond;
}

}  // namespace selvage
