#pragma once

#include <selvage/lower/draft.h>
#include <selvage/lower/kernels.h>
#include <selvage/lower/steps.h>

namespace selvage {

// Outputs that take the place of inputs (Fusion::output_in_place): every read of such an input
// comes before the store of the same element.
//
//   kernels before the one that stores the output    may read the input
//   that kernel                                      reads an element before it stores it
//   kernels behind it                                may not read the input

// After the buffers of a kernel are listed: those of outputs replace those of inputs (Buffer).
void note_replaced(const KernelRequest& request, KernelDraft& draft);
// After its body is made: throws Illegal E447 unless every element of an input is proved to be read
// before the output that replaces it is stored there.
void check_replaced_in_kernel(const KernelRequest& request, KernelDraft& draft);
// Throws Illegal E447 where a kernel reads an input behind the kernel that replaces it.
void check_replaced(ProgramDraft& draft);

}  // namespace selvage
