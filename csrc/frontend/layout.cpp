#include <selvage/base/integer.h>
#include <selvage/expr/text.h>
#include <selvage/frontend/layout.h>
#include <selvage/frontend/readers.h>

#include <bit>

namespace selvage {

FileLayout read_layout(const Node& tensor, std::size_t axes, SizeScope& sizes,
                       Diagnostics& errors) {
  FileLayout layout;
  layout.place = tensor.place;
  const auto check_number = [&](const Node& list, const char* what) {
    if (expect_sequence(list, what).size() == axes) return;
    refuse("E308", list.place,
           std::string(what) + " has " + std::to_string(list.items.size()) +
               (list.items.size() == 1 ? " entry for " : " entries for ") + std::to_string(axes) +
               " allocation iterdomains",
           "give one for each");
  };
  read_key(tensor, "contiguity", errors, [&](const Node& list) {
    check_number(list, "contiguity");
    std::vector<bool> contiguity;
    for (const Node& item : list.items) contiguity.push_back(as_bool(item, "contiguity"));
    layout.contiguity = std::move(contiguity);
  });
  read_key(tensor, "strides", errors, [&](const Node& list) {
    check_number(list, "strides");
    std::vector<Expr> strides;
    for (const Node& item : list.items) {
      strides.push_back(sizes.read(item, "strides"));
      layout.stride_places.push_back(item.place);
    }
    layout.strides = std::move(strides);
  });
  read_key(tensor, "align", errors, [&](const Node& align) {
    layout.align = as_integer_of(align, "align", 1, 1 << 20);
    if (std::has_single_bit(std::uint64_t(layout.align))) return;
    refuse("E305", align.place,
           "align is " + std::to_string(layout.align) + ", which is no power of two",
           "give the bytes to which the base address is aligned, such as 16");
  });
  return layout;
}

namespace {

// The largest address counts, in bytes, as far as it is a number.
void check_size(const FileLayout& layout, const std::string& tensor, DataType type,
                std::span<const Expr> extents, const std::vector<Expr>& strides) {
  std::optional<std::int64_t> elements = 1;
  for (std::size_t k = 0; k < extents.size() && elements; ++k) {
    if (!extents[k].is(Op::Const)) continue;
    if (strides.empty()) {
      elements = checked_mul(*elements, extents[k].value());
    } else if (strides[k].is(Op::Const)) {
      const auto reach = checked_mul(extents[k].value() - 1, strides[k].value());
      elements = reach ? checked_add(*elements, *reach) : std::nullopt;
    }
  }
  if (elements && checked_mul(*elements, size_of(type))) return;
  refuse("E402", layout.place, "the tensor " + tensor + " has more than 2^63 bytes",
         "make its extents or strides smaller");
}

}  // namespace

void FileLayout::add_parts(ExprPool& pool) {
  if (contiguity) contiguity->push_back(true);
  if (!strides) return;
  for (Expr& stride : *strides) stride = stride * 2;
  strides->push_back(pool.constant(1));
  stride_places.push_back(stride_places.empty() ? place : stride_places.back());
}

std::vector<Expr> strides_of(const FileLayout& layout, const std::string& tensor, DataType type,
                             std::span<const std::string> axes, std::span<const Expr> extents,
                             Fusion& fusion, FileSymbols& symbols, SizeScope& sizes) {
  const std::size_t n = extents.size();
  const bool dense =
      !layout.strides &&
      (!layout.contiguity || std::find(layout.contiguity->begin(), layout.contiguity->end(),
                                       false) == layout.contiguity->end());
  if (dense || n == 0) {
    check_size(layout, tensor, type, extents, {});
    return {};
  }
  std::vector<Expr> strides(n);
  Expr expected = fusion.constant(1);
  for (std::size_t k = n; k-- > 0;) {
    const bool contiguous = layout.contiguity ? (*layout.contiguity)[k] : !layout.strides;
    if (layout.strides) {
      const Place& place = layout.stride_places[k];
      const std::string what = "the stride of " + axes[k] + " of " + tensor;
      strides[k] = sizes.extent((*layout.strides)[k], place, what);
      const bool agrees = !contiguous || extents[k].is_const(1) ||
                          sizes.simplifier().proves(eq(strides[k], expected));
      if (!agrees) {
        refuse("E308", place,
               what + " is " + to_string(strides[k]) + ", but contiguity says true, which is " +
                   to_string(expected),
               "write false under contiguity, or leave contiguity out");
      }
    } else if (contiguous) {
      strides[k] = expected;
    } else {
      const std::string name = tensor + "_stride_" + axes[k];
      const auto value = symbols.stride_value(name);
      strides[k] = value ? fusion.constant(*value) : fusion.extent(name);
    }
    if (!extents[k].is_const(1)) expected = sizes.simplifier().simplify(strides[k] * extents[k]);
  }
  check_size(layout, tensor, type, extents, strides);
  return strides;
}

}  // namespace selvage
