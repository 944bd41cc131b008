#pragma once

#include <selvage/base/diagnostic.h>
#include <selvage/runtime/kernel_source.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace selvage {

std::vector<std::string_view> lines_of(std::string_view text);
// Line n of a text, counted from 1, without the blanks around it; empty past the end.
std::string line_of(std::string_view text, int n);

// A refusal of emitted text as a diagnostic: the compiler's first error, the emitted line it names,
// and what that line computes. The text of each kernel must have been compiled as the file `name`
// (#line 1 "name").
//   tcc    name:7: error: ';' expected
//   gcc    name:7:12: error: expected ';' before '}' token
//   NVRTC  name(7): error: expected a ";"
Diagnostic compile_error(std::string code, std::string_view compiler,
                         std::span<const KernelSource> sources, std::string_view log);

}  // namespace selvage
