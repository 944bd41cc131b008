#include <selvage/runtime/compile_error.h>
#include <selvage/runtime/ptxas_log.h>

#include <charconv>

namespace selvage {

namespace {

// The number that stands right before `unit` in a list like "0 bytes stack frame, 8 bytes smem".
// 0 when the unit is not there.
std::int64_t amount(std::string_view line, std::string_view unit) {
  const auto end = line.find(unit);
  if (end == std::string_view::npos) return 0;
  auto begin = end;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  std::int64_t n = 0;
  std::from_chars(line.data() + begin, line.data() + end, n);
  return n;
}

}  // namespace

// ptxas info    : Compiling entry function 'name' for 'sm_90a'
// ptxas info    : Function properties for name
//     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// ptxas info    : Used 30 registers, used 1 barriers, 1024 bytes smem
//
// Properties of a function that is no kernel stand between; they are the sum's own business.
std::vector<KernelResources> parse_ptxas_log(std::string_view log) {
  constexpr std::string_view kEntry = "Compiling entry function '";
  constexpr std::string_view kProperties = "Function properties for ";
  std::vector<KernelResources> kernels;
  bool of_the_kernel = false;
  for (std::string_view line : lines_of(log)) {
    if (const auto at = line.find(kEntry); at != std::string_view::npos) {
      const std::string_view name = line.substr(at + kEntry.size());
      kernels.push_back({.name = std::string(name.substr(0, name.find('\'')))});
    }
    if (kernels.empty()) continue;
    KernelResources& kernel = kernels.back();
    if (const auto at = line.find(kProperties); at != std::string_view::npos) {
      of_the_kernel = line.substr(at + kProperties.size()) == kernel.name;
    }
    if (of_the_kernel && line.find(" bytes stack frame") != std::string_view::npos) {
      kernel.stack_bytes = amount(line, " bytes stack frame");
      kernel.spill_store_bytes = amount(line, " bytes spill stores");
      kernel.spill_load_bytes = amount(line, " bytes spill loads");
    }
    if (line.find(": Used ") != std::string_view::npos) {
      kernel.registers = static_cast<int>(amount(line, " registers"));
      kernel.barriers = static_cast<int>(amount(line, " barriers"));
      kernel.shared_bytes = amount(line, " bytes smem");
    }
  }
  return kernels;
}

}  // namespace selvage
