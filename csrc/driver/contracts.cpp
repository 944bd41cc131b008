#include <selvage/base/refuse.h>
#include <selvage/driver/contracts.h>

namespace selvage {

namespace {

void check_offsets(const std::string& name, const Array& offsets, std::int64_t items) {
  const std::string help =
      "give where each row begins, and the number of items at the end: " + name +
      "[0] = 0, each at least the one before it, the last " + std::to_string(items);
  const std::int64_t last = offsets.size() - 1;
  if (last < 0) return;
  const auto at = [&](std::int64_t k) {
    return name + "[" + std::to_string(k) + "] is " + std::to_string(offsets.get_int(k));
  };
  if (offsets.get_int(0) != 0) refuse<BadInput>("E634", at(0) + ", and rows begin at 0", help);
  for (std::int64_t k = 1; k <= last; ++k) {
    if (offsets.get_int(k) >= offsets.get_int(k - 1)) continue;
    refuse<BadInput>("E634",
                     at(k) + ", and " + at(k - 1) + ": row " + std::to_string(k - 1) +
                         " would end before it begins",
                     help);
  }
  if (offsets.get_int(last) == items) return;
  refuse<BadInput>("E634", at(last) + ", and there are " + std::to_string(items) + " items", help);
}

// The row of an item, by offsets that keep their promise.
std::int64_t row_of(const Array& offsets, std::int64_t item) {
  std::int64_t first = 0, end = offsets.size() - 1;
  while (first + 1 < end) {
    const std::int64_t middle = first + (end - first) / 2;
    (offsets.get_int(middle) <= item ? first : end) = middle;
  }
  return first;
}

// `offsets`: of the rows whose items they are; null: of none. `extent`: that below which they are.
void check_indices(const std::string& name, const Array& indices, const IndexPromise& promise,
                   std::int64_t extent, const Array* offsets) {
  const std::int64_t least = promise.may_be_none ? -1 : 0;
  const std::int64_t each =
      indices.shape.empty() || indices.shape[0] == 0 ? 1 : indices.size() / indices.shape[0];
  std::int64_t before = least;
  for (std::int64_t k = 0; k < indices.size(); ++k) {
    const std::int64_t index = indices.get_int(k);
    const bool is_inside = index >= least && index < extent;
    const bool rises = !promise.rise || index >= before;
    if (is_inside && rises) {
      before = index;
      continue;
    }
    const std::string what = name + "[" + std::to_string(k) + "] is " + std::to_string(index);
    if (!is_inside) {
      refuse<BadInput>(
          "E634",
          what +
              (offsets == nullptr ? "" : ", in row " + std::to_string(row_of(*offsets, k / each))) +
              ", and is to be less than " + std::to_string(extent),
          "give indices from " + std::to_string(least) + " to " + std::to_string(extent - 1));
    }
    refuse<BadInput>("E634", what + ", and the one before it " + std::to_string(before),
                     "sort the items, so that " + name + " rises");
  }
}

}  // namespace

void check_contracts(const Fusion& fusion, const std::map<std::string, Array>& inputs,
                     const SizeValues& sizes) {
  for (std::size_t k = 0; k < fusion.domains().rows(); ++k) {
    const RaggedRows& rows = fusion.domains()[RowsId(k)];
    const std::string& name = fusion[TensorId(rows.offsets)].name;
    const auto offsets = inputs.find(name);
    const auto items = sizes(rows.items);
    const bool has_shape =
        offsets != inputs.end() && offsets->second.size() - 1 == sizes(rows.count);
    if (has_shape && items) check_offsets(name, offsets->second, *items);
  }
  for (std::size_t t = 0; t < fusion.size(); ++t) {
    const TensorInfo& tensor = fusion[TensorId(t)];
    const auto given = inputs.find(tensor.name);
    if (!tensor.is_input || !tensor.indexes || given == inputs.end()) continue;
    const auto extent = sizes(tensor.indexes->below);
    const Array* offsets = nullptr;
    if (tensor.items_of) {
      const auto own = fusion.domains()[*tensor.items_of].offsets;
      const auto it = inputs.find(fusion[TensorId(own)].name);
      if (it != inputs.end() && it->second.size() > 1) offsets = &it->second;
    }
    if (extent && is_integer(given->second.type)) {
      check_indices(tensor.name, given->second, *tensor.indexes, *extent, offsets);
    }
  }
}

}  // namespace selvage
