#include <selvage/ir/fold.h>
#include <selvage/lower/stored_parts.h>

namespace selvage {

std::vector<StoredPart> parts_of(const Fusion& fusion, TensorId t) {
  const TensorInfo& tensor = fusion[t];
  if (!tensor.fold || !tensor.fold->is_partial) return {{tensor.name, stored_type(tensor)}};
  std::vector<StoredPart> parts;
  const std::vector<FoldComponent> all = components(*tensor.fold);
  for (const FoldComponent& c : all) {
    parts.push_back({all.size() == 1 ? tensor.name : tensor.name + "." + c.name, c.type});
  }
  return parts;
}

}  // namespace selvage
