#include <selvage/base/points.h>
#include <selvage/base/refuse.h>
#include <selvage/driver/contracts.h>

#include <cmath>

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

// Where the rows are told whose items a tensor has.
class RowsOfItems {
 public:
  RowsOfItems(const Fusion& fusion, const TensorInfo& tensor,
              const std::map<std::string, Array>& inputs) {
    if (!tensor.items_of) return;
    name_ = fusion[TensorId(fusion.domains()[*tensor.items_of].offsets)].name;
    const auto it = inputs.find(name_);
    if (it != inputs.end() && it->second.size() > 1) offsets_ = &it->second;
    // Offsets that are computed follow from the row of each item.
    for (std::size_t t = 0; t < fusion.size() && offsets_ == nullptr; ++t) {
      const TensorInfo& other = fusion[TensorId(t)];
      const auto given = inputs.find(other.name);
      const bool tells_rows = other.indexes && other.indexes->rise && given != inputs.end();
      const Expr items = fusion.domains()[*tensor.items_of].items;
      if (tells_rows && same(fusion.shape(TensorId(t))[0], items)) rows_ = &given->second;
    }
  }

  const Array* offsets() const { return offsets_; }
  // ", in row 3" of an element of the array, or nothing. Where items have axes of their own, what
  // offsets tell may be slices or rows of blocks.
  std::string text(const Array& array, std::int64_t k) const {
    const std::int64_t item = array.shape.empty() ? 0 : k / (array.size() / array.shape[0]);
    if (offsets_ != nullptr) {
      return ", in row " + std::to_string(row_of(*offsets_, item)) +
             (array.shape.size() > 1 ? " of " + name_ : "");
    }
    if (rows_ == nullptr || item >= rows_->size()) return {};
    return ", in row " + std::to_string(rows_->get_int(item));
  }

 private:
  std::string name_;
  const Array* offsets_ = nullptr;
  const Array* rows_ = nullptr;
};

// `extent`: that below which they are.
void check_indices(const std::string& name, const Array& indices, const IndexPromise& promise,
                   std::int64_t extent, const RowsOfItems& rows) {
  const std::int64_t least = promise.may_be_none ? -1 : 0;
  const std::int64_t each =
      indices.shape.empty() || indices.shape[0] == 0 ? 1 : indices.size() / indices.shape[0];
  std::int64_t before = least, next_row = 0;
  const Array* offsets = rows.offsets();
  for (std::int64_t k = 0; k < indices.size(); ++k) {
    // They rise in each row by itself.
    for (;
         offsets != nullptr && next_row < offsets->size() && offsets->get_int(next_row) * each <= k;
         ++next_row) {
      before = least;
    }
    const std::int64_t index = indices.get_int(k);
    const bool is_inside = index >= least && index < extent;
    const bool rises = !promise.rise || index >= before;
    if (is_inside && rises) {
      before = index;
      continue;
    }
    const std::string what =
        name + "[" + std::to_string(k) + "] is " + std::to_string(index) + rows.text(indices, k);
    if (!is_inside) {
      refuse<BadInput>(
          "E634", what + ", and is to be less than " + std::to_string(extent),
          "give indices from " + std::to_string(least) + " to " + std::to_string(extent - 1));
    }
    refuse<BadInput>(
        "E634", what + ", and the one before it " + std::to_string(before),
        "sort the items, so that " + name + " rises" + (offsets == nullptr ? "" : " in each row"));
  }
}

void check_numbers(const std::string& name, const Array& values, const RowsOfItems& rows) {
  for (std::int64_t k = 0; k < values.size(); ++k) {
    if (!std::isnan(values.get(k))) continue;
    refuse<BadInput>("E634", name + point_text(k, values.shape) + " is NaN" + rows.text(values, k),
                     "give a number; if NaN is meant there, say so under inputs: nan: true (in "
                     "C++ TensorInfo::has_no_nan = false)");
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
    if (!tensor.is_input || given == inputs.end()) continue;
    const Array& array = given->second;
    const RowsOfItems rows(fusion, tensor, inputs);
    if (tensor.has_no_nan && is_floating(array.type)) check_numbers(tensor.name, array, rows);
    const auto extent = tensor.indexes ? sizes(tensor.indexes->below) : std::nullopt;
    if (extent && is_integer(array.type)) {
      check_indices(tensor.name, array, *tensor.indexes, *extent, rows);
    }
  }
}

}  // namespace selvage
