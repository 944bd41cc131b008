// A described fusion as the engine is given it: by calls, and as the text of a file.
#pragma once

#include <selvage/ir/fusion.h>

#include <memory>
#include <string>

#include "tests/values/page_program.h"

namespace selvage::values {

std::shared_ptr<Fusion> built(const PageProgram& program);
// Of section 2; `schedule` is what stands behind that key.
std::string file_text(const PageProgram& program, const std::string& schedule);
// The inputs, for whoever reads of a failure.
std::string inputs_text(const PageProgram& program);

}  // namespace selvage::values
