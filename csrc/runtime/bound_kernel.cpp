#include <selvage/base/check.h>
#include <selvage/base/refuse.h>
#include <selvage/codegen/cuda.h>
#include <selvage/expr/text.h>
#include <selvage/kernel/statements.h>
#include <selvage/runtime/bound_kernel.h>

#include <algorithm>
#include <bit>

namespace selvage {

static_assert(std::endian::native == std::endian::little);  // for the low halves of sizes

KernelSource source_of(const Kernel& kernel) {
  CudaText text = cuda(kernel);
  return {std::move(text.text), std::move(text.name), std::move(text.parameter_types),
          std::move(text.origins)};
}

void check_launch_conditions(const Fusion& fusion, const std::vector<LaunchCheck>& checks,
                             const SizeValues& sizes) {
  for (const LaunchCheck& check : checks) {
    if (sizes(check.condition).value_or(0) != 0) continue;
    std::vector<Expr> all;
    for (const LaunchCheck& c : checks) all.push_back(c.condition);
    std::string other = nearby_size(fusion, all, sizes);
    if (other.empty()) other = nearby_size(fusion, {&check.condition, 1}, sizes);
    refuse<BadInput>(
        "E621",
        to_string(check.condition) + " does not hold at " + sizes_in(check.condition, sizes) +
            (check.why.empty() ? "" : ": " + check.why),
        "choose sizes for which it holds" + (other.empty() ? "" : ", such as " + other));
  }
}

const Kernel& variant_for(const ProgramStep& step, const SizeValues& sizes,
                          const BufferAddresses& addresses) {
  SELVAGE_CHECK(!step.variants.empty());
  SizeValues values = sizes;
  for (std::size_t b = 0; b < addresses.buffers.size(); ++b) {
    values.symbols.push_back(step.variants[0].pool->symbol(addresses.buffers[b].name));
    values.values.push_back(addresses.bytes[b]);
  }
  for (const Kernel& kernel : step.variants) {
    if (values(kernel.condition).value_or(0) != 0) return kernel;
  }
  const Expr last = step.variants.back().condition;
  const std::string at = sizes_in(last, sizes);
  refuse<BadInput>("E622",
                   "these sizes are too large for " + step.variants.back().name + ": " +
                       to_string(last) + " does not hold" + (at.empty() ? "" : " at " + at),
                   "choose smaller sizes");
}

BoundKernel::BoundKernel(const Kernel& kernel, const SizeValues& sizes) : kernel_(&kernel) {
  for (const Buffer& b : kernel.buffers) alignment_.push_back(size_of(b.type));
  for_each_statement(kernel.body, [&](const Statement& s) {
    for (const StatementAccess& a : parts_of(s).accesses) {
      const std::int64_t bytes = a.alignment * size_of(kernel.buffers[a.buffer].type);
      alignment_[a.buffer] = std::max(alignment_[a.buffer], bytes);
    }
  });
  const auto value = [&](Expr e) {
    const auto v = sizes(e);
    SELVAGE_CHECK(v.has_value());
    return *v;
  };
  for (std::size_t i = 0; i < 3; ++i) {
    shape_.grid[i] = value(kernel.launch.grid[i]);
    shape_.block[i] = value(kernel.launch.block[i]);
  }
  shape_.shared_bytes = value(kernel.launch.shared_bytes);
  for (Expr n : kernel.sizes) sizes_.push_back(value(n));
}

void BoundKernel::arguments(std::span<const std::uint64_t> pointers,
                            std::vector<void*>& out) const {
  out.clear();
  for (const std::uint64_t& p : pointers) out.push_back(const_cast<std::uint64_t*>(&p));
  for (const std::int64_t& n : sizes_) out.push_back(const_cast<std::int64_t*>(&n));
}

}  // namespace selvage
