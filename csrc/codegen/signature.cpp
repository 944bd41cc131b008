#include <selvage/codegen/signature.h>
#include <selvage/kernel/launch_limits.h>
#include <selvage/kernel/statements.h>

#include <fmt/format.h>

namespace selvage {

namespace {

constexpr std::size_t kLineLength = 100;

// Of a block with so many threads that the compiler must not take as many registers for each as a
// thread may have.
// Where threads give and take registers, of which the compiler is to know how many all begin with,
// as one block on a multiprocessor.
std::string launch_bounds(const Kernel& kernel) {
  std::int64_t threads = 1;
  for (Expr extent : kernel.launch.block) {
    if (!extent.is(Op::Const)) return {};
    threads *= extent.value();
  }
  threads /= kernel.launch.ranks();
  bool sets_registers = false;
  for_each_statement(kernel.body, [&](const Statement& s) {
    const auto* region = std::get_if<Region>(&s.node);
    sets_registers = sets_registers || (region != nullptr && region->registers > 0);
  });
  if (sets_registers) return fmt::format("__launch_bounds__({}, 1) ", threads);
  if (threads * kMaxThreadRegisters <= kRegisters) return {};
  return fmt::format("__launch_bounds__({}) ", threads);
}

}  // namespace

KernelParameters parameters_of(const Kernel& kernel, const BufferText& buffers, Names& names,
                               IndexText& index) {
  KernelParameters all;
  const auto add = [&](std::string type, std::string text) {
    all.types.push_back(std::move(type));
    all.texts.push_back(std::move(text));
  };
  for (const BufferText::Parameter& p : buffers.parameters()) add(p.type, p.text);
  const std::string type(c_type(index.type()));
  for (Expr size : kernel.sizes) {
    const std::string name = names.declare(size.name());
    index.name(size, name);
    add(type, type + " " + name);
  }
  for (const BoxMap& map : kernel.maps) {
    all.maps.push_back(names.declare(kernel.buffers[map.buffer].name + "_map"));
    add("tensor_map", "const __grid_constant__ tensor_map " + all.maps.back());
  }
  return all;
}

std::string signature(const Kernel& kernel, const std::string& name,
                      const std::vector<std::string>& parameters) {
  const std::int64_t cluster = kernel.launch.cluster_blocks();
  const std::string head = "KERNEL(" + (cluster > 1 ? fmt::format("CLUSTER({}) ", cluster) : "") +
                           launch_bounds(kernel) + name + ")(";
  const std::string line = head + fmt::format("{}", fmt::join(parameters, ", ")) + ") {\n";
  if (line.size() <= kLineLength) return line;
  return head + fmt::format("\n    {}", fmt::join(parameters, ",\n    ")) + ") {\n";
}

}  // namespace selvage
