#include <selvage/kernel/statements.h>
#include <selvage/lower/body.h>
#include <selvage/lower/flat_kernel.h>
#include <selvage/lower/kernels.h>

namespace selvage {

static constexpr std::int64_t kThreads = 256;

FlatKernel::FlatKernel(const Fusion& fusion, const std::string& name, std::vector<Expr> shape,
                       KnownSizes& sizes)
    : pool_(fusion.pool()),
      sizes_(sizes),
      shape_(std::move(shape)),
      items_(product()),
      plan_(plan_flat_launch(fusion, items_, kThreads, name)),
      kernel_{.name = name,
              .pool = fusion.shared_pool(),
              .buffers = {},
              .sizes = fusion.sizes(),
              .launch = plan_.launch,
              .index_type = IndexType::Int32,
              .condition = pool_.truth(true),
              .values = {},
              .body = {},
              .facts = *fusion.facts()},
      block_(pool_.symbol("every.BIDx")),
      thread_(pool_.symbol("every.TIDx")),
      number_(block_ * kThreads + thread_),
      is_item_(number_ < items_) {
  kernel_.facts.loop(block_, plan_.launch.grid[0]);
  kernel_.facts.loop(thread_, plan_.launch.block[0]);
}

Expr FlatKernel::product() const {
  Expr items = pool_.constant(1);
  for (Expr n : shape_) items = items * n;
  return sizes_.ranges().simplify(items);
}

// The outermost index is not reduced modulo its extent.
std::vector<Expr> FlatKernel::indices() const {
  std::vector<Expr> at(shape_.size());
  Expr rest = number_;
  for (std::size_t k = shape_.size(); k-- > 0;) {
    at[k] = k == 0 ? rest : rest % shape_[k];
    rest = rest / shape_[k];
  }
  return at;
}

std::array<Expr, 6> FlatKernel::owner(std::span<const Expr> indices) const {
  Expr number = indices[0];
  for (std::size_t k = 1; k < shape_.size(); ++k) number = number * shape_[k] + indices[k];
  const Expr zero = pool_.constant(0);
  return {number / kThreads, zero, zero, number % kThreads, zero, zero};
}

BufferId FlatKernel::add(Buffer buffer) {
  kernel_.buffers.push_back(std::move(buffer));
  return BufferId(kernel_.buffers.size() - 1);
}

std::vector<Kernel> FlatKernel::made(Body body) {
  body = guarded({is_item_}, std::move(body));
  body = body_of(Loop{thread_, plan_.launch.block[0], ParallelType::TIDx, std::move(body)});
  kernel_.body = body_of(Loop{block_, plan_.launch.grid[0], ParallelType::BIDx, std::move(body)});
  std::vector<Expr> computed = {plan_.launch.grid[0], plan_.launch.block[0]};
  for_each_statement(kernel_.body, [&](const Statement& s) {
    for_each_expression(s, kernel_.values, [&](Expr e) { computed.push_back(e); });
  });
  return for_both_widths(sizes_, std::move(kernel_), std::move(computed), {});
}

}  // namespace selvage
