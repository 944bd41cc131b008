#include <selvage/base/names.h>
#include <selvage/frontend/listed_loops.h>
#include <selvage/frontend/readers.h>

namespace selvage {

namespace {

bool is_loop(const ScheduleDraft::Tensor& tensor, const ListProgress& progress, std::size_t d) {
  if (progress.is_known) return progress.loops.has(d);
  return !tensor.names.all()[d].feeds[std::size_t(Feeds::Transforms)];
}

}  // namespace

std::vector<std::string> loops_of(const ScheduleDraft::Tensor& tensor,
                                  const ListProgress& progress) {
  std::vector<std::string> names;
  if (!progress.is_known) return names;
  for (std::size_t d : progress.loops.loops()) names.push_back(tensor.names.all()[d].name);
  return names;
}

void check_loop(const ScheduleDraft::Tensor& tensor, const ListProgress& progress, std::size_t d,
                const char* code, const Place& place, const std::string& what,
                const std::string& otherwise) {
  if (is_loop(tensor, progress, d)) return;
  const auto moved = progress.moved.find(d);
  const bool is_moved = moved != progress.moved.end();
  refuse(code, place,
         what + ": " + tensor.names.all()[d].name + " is no loop of " + tensor.name + " any more",
         is_moved ? "it is a loop of " + moved->second + " now: schedule that"
                  : few_names("its loops are ", loops_of(tensor, progress), otherwise));
}

void check_bindings(const ScheduleDraft::Tensor& tensor, const ListProgress& progress,
                    std::size_t from) {
  for (std::size_t k = from; k < tensor.items.size(); ++k) {
    const auto* b = std::get_if<FileBinding>(&tensor.items[k].action);
    if (b == nullptr || is_loop(tensor, progress, b->domain)) continue;
    refuse("E313", b->place,
           "bind: " + tensor.names.all()[b->domain].name + " is no loop of " + tensor.name +
               " in the end",
           few_names("its loops are ", loops_of(tensor, progress),
                     "bind what comes out of the transform that takes it"));
  }
}

void find_late(const std::string& name, const Place& place, ScheduleDraft::Tensor& tensor) {
  if (!is_identifier(name) || tensor.names.has(name)) return;
  for (std::size_t k = tensor.items.size(); k-- > 0;) {
    auto* like = std::get_if<ScheduleDraft::Like>(&tensor.items[k].action);
    if (like == nullptr) continue;
    like->late.push_back(tensor.names.define(name, place));
    return;
  }
}

void find_late(const Node* node, ScheduleDraft::Tensor& tensor, const ListProgress& progress) {
  if (progress.is_known || node == nullptr) return;
  if (node->kind == Node::Kind::Sequence) {
    for (const Node& each : node->items) find_late(&each, tensor, progress);
  } else if (node->kind == Node::Kind::Scalar) {
    find_late(node->text, node->place, tensor);
  }
}

}  // namespace selvage
