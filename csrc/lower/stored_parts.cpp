#include <selvage/ir/fold.h>
#include <selvage/lower/stored_parts.h>

namespace selvage {

namespace {

bool is_partial(const TensorInfo& tensor) { return tensor.fold && tensor.fold->is_partial; }

}  // namespace

std::vector<StoredPart> parts_of(const Fusion& fusion, const Nests& nests, TensorId t) {
  const TensorInfo& tensor = fusion[t];
  if (!is_partial(tensor)) {
    std::vector<StoredPart> parts = {{tensor.name, stored_type(tensor)}};
    if (nests.is_read_unrounded[index_of(t)]) {
      parts.push_back({tensor.name + ".unrounded", compute_type(tensor.type)});
    }
    return parts;
  }
  std::vector<StoredPart> parts;
  const std::vector<FoldComponent> all = components(*tensor.fold);
  for (const FoldComponent& c : all) {
    parts.push_back({all.size() == 1 ? tensor.name : tensor.name + "." + c.name, c.type});
  }
  return parts;
}

std::size_t part_read(const Fusion& fusion, const Nests& nests, TensorId t, std::size_t component) {
  if (is_partial(fusion[t])) return component;
  return nests.is_read_unrounded[index_of(t)] ? 1 : 0;
}

std::string counter_name(const Fusion& fusion, TensorId t) { return fusion[t].name + ".blocks"; }

}  // namespace selvage
