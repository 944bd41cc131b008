#pragma once

#include <selvage/report/lines.h>
#include <selvage/report/report.h>
#include <selvage/report/texts.h>

namespace selvage {

// A paragraph each, of a tensor that has it: its vector; what is drawn out of an Unswitch loop; and
// which blocks run without a check.
void print_vector(const TensorReport& tensor, const Texts& texts, Lines& out);
void print_unswitched(const TensorReport& tensor, const Texts& texts, Lines& out);
void print_interior(const TensorReport& tensor, const Texts& texts, Lines& out);

}  // namespace selvage
