#include "this_build.h"

#include <filesystem>

// AddressSanitizer's first function. Where the program is linked without it, its address is null.
extern "C" [[gnu::weak]] void __asan_init();

namespace selvage::test {

std::string inspect_path() {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "schedule_inspect")
      .string();
}

bool is_address_sanitized() { return &__asan_init != nullptr; }

}  // namespace selvage::test
