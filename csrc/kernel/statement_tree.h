#pragma once

#include <selvage/kernel/kernel.h>

#include <cstdint>
#include <vector>

namespace selvage {

// A statement's number in pre-order: a statement comes before those inside it.
using PlaceId = std::uint32_t;
inline constexpr PlaceId kTop = UINT32_MAX;

// The statements of a kernel by their numbers. The kernel must outlive it.
class StatementTree {
 public:
  struct Node {
    const Statement* statement = nullptr;
    PlaceId parent = kTop;
    Expr variable = {};                              // StatementParts::variable
    std::vector<PlaceId> body = {}, otherwise = {};  // of a Guard both
  };
  explicit StatementTree(const Kernel& kernel);

  const Kernel& kernel() const { return *kernel_; }
  std::size_t size() const { return nodes_.size(); }
  const Node& operator[](PlaceId id) const { return nodes_[id]; }
  bool is_inside(PlaceId id, PlaceId outer) const {
    while (id != kTop && id != outer) id = nodes_[id].parent;
    return id == outer;
  }
  const std::vector<PlaceId>& body() const { return body_; }  // outermost statements

 private:
  std::vector<PlaceId> number(const Body& body, PlaceId parent);

  const Kernel* kernel_;
  std::vector<Node> nodes_;
  std::vector<PlaceId> body_;
};

}  // namespace selvage
