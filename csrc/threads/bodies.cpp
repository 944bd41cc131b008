#include <selvage/threads/bodies.h>

#include <algorithm>

namespace selvage {

const ThreadBody* body_of(const ThreadItem& item) {
  return std::visit(
      [](const auto& node) -> const ThreadBody* {
        if constexpr (requires { node.body; }) return &node.body;
        return nullptr;
      },
      item.node);
}

const InnerParallel* first_inner(const ThreadBody& body) {
  for (const ThreadItem& item : body) {
    if (const auto* inner = std::get_if<InnerParallel>(&item.node)) return inner;
    const ThreadBody* inside = body_of(item);
    const InnerParallel* found = inside == nullptr ? nullptr : first_inner(*inside);
    if (found != nullptr) return found;
  }
  return nullptr;
}

bool has_leave(const ThreadBody& body) {
  return std::any_of(body.begin(), body.end(), [](const ThreadItem& item) {
    if (std::holds_alternative<LeaveFor>(item.node)) return true;
    const ThreadBody* inside = body_of(item);
    return inside != nullptr && has_leave(*inside);
  });
}

}  // namespace selvage
