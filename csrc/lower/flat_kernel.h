#pragma once

#include <selvage/lower/index_type.h>
#include <selvage/lower/launch.h>

#include <array>
#include <span>
#include <string>
#include <vector>

namespace selvage {

// A kernel of one thread for each item of a shape, outer extent first; neighbouring threads have
// neighbouring items.
class FlatKernel {
 public:
  FlatKernel(const Fusion& fusion, const std::string& name, std::vector<Expr> shape,
             KnownSizes& sizes);

  Kernel& kernel() { return kernel_; }
  const std::vector<LaunchCheck>& checks() const { return plan_.of_grid; }
  // The row-major number of the thread's item, whether there is one, and its indices.
  Expr number() const { return number_; }
  Expr is_item() const { return is_item_; }
  std::vector<Expr> indices() const;
  // The block and the thread of the item with these indices.
  std::array<Expr, 6> owner(std::span<const Expr> indices) const;

  BufferId add(Buffer buffer);
  // The kernel with this body where a thread has an item; one, or one for each width of indices.
  std::vector<Kernel> made(Body body);

 private:
  Expr product() const;

  ExprPool& pool_;
  KnownSizes& sizes_;
  std::vector<Expr> shape_;
  Expr items_;
  LaunchPlan plan_;
  Kernel kernel_;
  Expr block_, thread_, number_, is_item_;
};

}  // namespace selvage
