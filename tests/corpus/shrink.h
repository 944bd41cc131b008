#pragma once

#include <functional>

#include "tests/corpus/line.h"

namespace selvage::corpus {

// A smaller line that still fails. No single step makes it smaller yet: a part replaced by one of
// its operands or by a number, the guard or a declaration left out, an extent or a number nearer to
// 0; or `fails` has been asked 5,000 times. It is asked only about lines that can be read.
Line shrink(Line line, const std::function<bool(const Line&)>& fails);

}  // namespace selvage::corpus
