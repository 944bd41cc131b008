#include <selvage/base/check.h>
#include <selvage/base/integer.h>
#include <selvage/base/refuse.h>
#include <selvage/codegen/cuda.h>
#include <selvage/expr/text.h>
#include <selvage/kernel/statements.h>
#include <selvage/legality/tma_map.h>
#include <selvage/runtime/bound_kernel.h>
#include <selvage/runtime/virtual_map.h>

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

namespace {

// `values`: of the sizes, and of the symbols of addresses.
const Kernel& variant_for(const ProgramStep& step, const SizeValues& sizes,
                          const SizeValues& values) {
  SELVAGE_CHECK(!step.variants.empty());
  for (const Kernel& kernel : step.variants) {
    if (values(kernel.condition).value_or(0) != 0) return kernel;
  }
  const Kernel& last = step.variants.back();
  const std::string at = sizes_in(last.condition, sizes);
  refuse<BadInput>("E622",
                   "these sizes are too large for " + last.name + ": " + to_string(last.condition) +
                       " does not hold" + (at.empty() ? "" : " at " + at),
                   "choose smaller sizes");
}

}  // namespace

BoundKernel::BoundKernel(const Kernel& kernel, const SizeValues& sizes,
                         std::vector<std::size_t> memory)
    : kernel_(&kernel), memory_(std::move(memory)) {
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
  if (const auto& workspace = kernel.launch.workspace) {
    std::int64_t blocks = 1;
    for (std::int64_t n : shape_.grid) {
      blocks = std::min(checked_mul(blocks, n).value_or(INT64_MAX), workspace->blocks);
    }
    shape_.grid = {blocks, 1, 1};
  }
  shape_.shared_bytes = value(kernel.launch.shared_bytes);
  shape_.ranks = kernel.launch.ranks();
  for (Expr n : kernel.sizes) sizes_.push_back(value(n));
  if (kernel.maps.empty()) return;
  maps_ = std::make_shared<KeptMaps>();
  for (const BoxMap& map : kernel.maps) {
    maps_->parameters.push_back(tensor_map_parameters(kernel, map, sizes));
    maps_->encoded.emplace_back();
    alignment_[map.buffer] = std::max(alignment_[map.buffer], TmaLimits::kAlign);
  }
}

std::optional<std::size_t> BoundKernel::memory_of(BufferId b) const {
  if (kernel_->buffers[b].memory != Memory::Global) return std::nullopt;
  return memory_[b];
}

void BoundKernel::write(std::span<const std::uint64_t> addresses, const Driver* driver,
                        Arguments& out) const {
  out.pointers.clear();
  out.maps.clear();
  out.values.clear();
  for (BufferId b = 0; b < memory_.size(); ++b) {
    if (const auto memory = memory_of(b)) out.pointers.push_back(addresses[*memory]);
  }
  for (std::uint64_t& p : out.pointers) out.values.push_back(&p);
  for (const std::int64_t& n : sizes_) out.values.push_back(const_cast<std::int64_t*>(&n));
  if (maps_ == nullptr) return;
  const std::scoped_lock guard(maps_->lock);
  for (std::size_t k = 0; k < maps_->encoded.size(); ++k) {
    const std::uint64_t address = addresses[*memory_of(kernel_->maps[k].buffer)];
    if (maps_->parameters[k].address != address) {
      TensorMapParameters map = maps_->parameters[k];
      map.address = address;
      maps_->encoded[k] = driver == nullptr ? virtual_map(map) : encode(*driver, map);
      maps_->parameters[k].address = address;
    }
    out.maps.push_back(maps_->encoded[k]);
  }
  for (TensorMap& map : out.maps) out.values.push_back(&map);
}

std::vector<std::optional<VirtualBound>> BoundKernel::take_bounds(
    std::span<const std::size_t> bytes, std::vector<bool>& is_filled) const {
  std::vector<std::optional<VirtualBound>> bounds;
  std::vector<bool> after = is_filled;
  for (BufferId b = 0; b < memory_.size(); ++b) {
    const auto memory = memory_of(b);
    if (!memory) continue;
    bounds.push_back(VirtualBound{bytes[*memory], is_filled[*memory]});
    if (kernel_->buffers[b].is_written) after[*memory] = true;
  }
  is_filled = std::move(after);
  bounds.resize(bounds.size() + sizes_.size() + kernel_->maps.size());
  return bounds;
}

std::vector<BoundKernel> launches_of(const std::vector<ProgramStep>& steps,
                                     const std::vector<ProgramBuffer>& buffers,
                                     const SizeValues& sizes,
                                     std::span<const std::int64_t> addresses) {
  SizeValues values = sizes;
  for (std::size_t b = 0; b < buffers.size(); ++b) values.add(buffers[b].address, addresses[b]);
  std::vector<BoundKernel> launches;
  for (const ProgramStep& step : steps) {
    const Kernel& kernel = variant_for(step, sizes, values);
    std::vector<std::size_t> memory;
    for (const Buffer& b : kernel.buffers) {
      const auto at = std::ranges::find(buffers, b.holds, &ProgramBuffer::holds);
      SELVAGE_CHECK(b.memory != Memory::Global || at != buffers.end());
      const auto own = std::size_t(at - buffers.begin());
      memory.push_back(at != buffers.end() ? at->in_place_of.value_or(own) : own);
    }
    launches.emplace_back(kernel, sizes, std::move(memory));
  }
  return launches;
}

}  // namespace selvage
