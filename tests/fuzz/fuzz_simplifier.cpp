// libFuzzer's entry: any bytes are facts and an expression, which is simplified and checked.
//   cmake --preset fuzz && cmake --build --preset fuzz --target fuzz_simplifier
//   build/fuzz/bin/fuzz_simplifier -max_len=200 -timeout=20 FOLDER
//   TELL=1 build/fuzz/bin/fuzz_simplifier crash-...     shows the line before a sanitizer ends it
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>

#include "tests/fuzz/faults.h"
#include "tests/fuzz/line_from_bytes.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* bytes, std::size_t size) {
  static const bool tell = std::getenv("TELL") != nullptr;
  if (tell) {
    const std::string text = to_text(selvage::fuzz::line_from_bytes(std::span(bytes, size)));
    std::fprintf(stderr, "%s\n", text.c_str());
  }
  const std::string fault = selvage::fuzz::fault_of_bytes(bytes, size);
  if (fault.empty()) return 0;
  std::fprintf(stderr, "%s\n", fault.c_str());
  std::abort();
}
