#include <selvage/threads/bodies.h>

#include <algorithm>
#include <string_view>
#include <vector>

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

bool holds_inner(const ThreadItem& item) {
  if (std::holds_alternative<InnerParallel>(item.node)) return true;
  const ThreadBody* body = body_of(item);
  return body != nullptr && first_inner(*body) != nullptr;
}

bool has_leave(const ThreadBody& body) {
  return std::any_of(body.begin(), body.end(), [](const ThreadItem& item) {
    if (std::holds_alternative<LeaveFor>(item.node)) return true;
    const ThreadBody* inside = body_of(item);
    return inside != nullptr && has_leave(*inside);
  });
}

static bool leaves_outside(const ThreadBody& body, std::vector<std::string_view>& inside) {
  return std::any_of(body.begin(), body.end(), [&](const ThreadItem& item) {
    if (const auto* leave = std::get_if<LeaveFor>(&item.node)) {
      return std::find(inside.begin(), inside.end(), leave->label) == inside.end();
    }
    const ThreadBody* within = body_of(item);
    if (within == nullptr) return false;
    const auto* loop = std::get_if<SerialFor>(&item.node);
    if (loop != nullptr) inside.push_back(loop->label);
    const bool leaves = leaves_outside(*within, inside);
    if (loop != nullptr) inside.pop_back();
    return leaves;
  });
}

bool leaves_outside(const ThreadBody& body, std::string_view own) {
  std::vector<std::string_view> inside = {own};
  return leaves_outside(body, inside);
}

}  // namespace selvage
