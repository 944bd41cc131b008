#include <selvage/codegen/signature.h>
#include <selvage/kernel/launch_limits.h>

#include <fmt/format.h>

namespace selvage {

namespace {

constexpr std::size_t kLineLength = 100;

// Of a block with so many threads that the compiler must not take as many registers for each as a
// thread may have.
std::string launch_bounds(const Launch& launch) {
  std::int64_t threads = 1;
  for (Expr extent : launch.block) {
    if (!extent.is(Op::Const)) return {};
    threads *= extent.value();
  }
  if (threads * kMaxThreadRegisters <= kRegisters) return {};
  return fmt::format("__launch_bounds__({}) ", threads);
}

}  // namespace

std::string signature(const Kernel& kernel, const std::string& name,
                      const std::vector<std::string>& parameters) {
  const std::int64_t cluster = kernel.launch.cluster;
  const std::string head = "KERNEL(" + (cluster > 1 ? fmt::format("CLUSTER({}) ", cluster) : "") +
                           launch_bounds(kernel.launch) + name + ")(";
  const std::string line = head + fmt::format("{}", fmt::join(parameters, ", ")) + ") {\n";
  if (line.size() <= kLineLength) return line;
  return head + fmt::format("\n    {}", fmt::join(parameters, ",\n    ")) + ") {\n";
}

}  // namespace selvage
