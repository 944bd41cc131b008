#include <selvage/base/integer.h>
#include <selvage/base/refuse.h>
#include <selvage/base/words.h>
#include <selvage/expr/symbols.h>
#include <selvage/expr/text.h>
#include <selvage/index/allocation.h>
#include <selvage/ir/op_shapes.h>
#include <selvage/runtime/argument.h>

#include <algorithm>
#include <set>

namespace selvage {

namespace {

constexpr std::int64_t kMostTried = 1 << 20;  // items whose addresses are listed

// The stride of an axis. An argument without strides is dense, row-major; 1 if that overflows.
std::int64_t stride_of(const Argument& argument, std::size_t axis) {
  if (!argument.strides.empty()) return argument.strides[axis];
  std::int64_t stride = 1;
  for (std::int64_t n : argument.shape.subspan(axis + 1)) {
    stride = checked_mul(stride, std::max<std::int64_t>(n, 1)).value_or(1);
  }
  return stride;
}

// Whether each axis, by ascending stride, steps over all elements that the axes before it reach;
// then no two items have one address.
bool are_nested(std::vector<std::pair<std::int64_t, std::int64_t>> axes) {  // stride, extent
  std::sort(axes.begin(), axes.end());
  std::int64_t reach = 0;
  for (const auto& [stride, extent] : axes) {
    if (stride <= reach) return false;
    const auto own = checked_mul(stride, extent - 1);
    const auto sum = own ? checked_add(reach, *own) : std::nullopt;
    if (!sum) return false;
    reach = *sum;
  }
  return true;
}

bool meet_nowhere(const std::vector<std::pair<std::int64_t, std::int64_t>>& axes) {
  if (are_nested(axes)) return true;
  std::vector<std::int64_t> addresses = {0};
  for (const auto& [stride, extent] : axes) {
    if (extent > kMostTried / std::int64_t(addresses.size())) return false;
    const std::size_t before = addresses.size();
    for (std::int64_t i = 1; i < extent; ++i) {
      for (std::size_t k = 0; k < before; ++k) addresses.push_back(addresses[k] + i * stride);
    }
  }
  std::sort(addresses.begin(), addresses.end());
  return std::adjacent_find(addresses.begin(), addresses.end()) == addresses.end();
}

}  // namespace

Signature::Signature(const Fusion& fusion, const DomainGraph& graph,
                     const std::vector<ProgramBuffer>& buffers)
    : fusion_(fusion) {
  Simplifier simplifier(*fusion.facts());
  for (const ProgramBuffer& b : buffers) {
    if (b.role == ProgramBuffer::Role::Scratch) continue;
    const TensorId t = b.holds.tensor;
    const TensorInfo& info = fusion[t];
    Parameter& p = parameters_.emplace_back(
        Parameter{b.name, b.type, b.role == ProgramBuffer::Role::Output, b.elements, {}, {}});
    for (DomainId d : info.logical) p.shape.push_back(graph[d].extent);
    const std::vector<DomainId>& allocation = allocation_of(fusion, t);
    const std::vector<Expr> strides = strides_of(fusion, graph, t, simplifier);
    for (DomainId d : info.logical) {
      const auto at = std::find(allocation.begin(), allocation.end(), d);
      if (at == allocation.end()) break;
      p.strides.push_back(strides[std::size_t(at - allocation.begin())]);
    }
    if (p.strides.size() != allocation.size()) p.strides.clear();
  }
}

ArgumentBytes Signature::bytes(std::size_t k, const SizeValues& sizes) const {
  const Parameter& p = parameters_[k];
  const std::int64_t item = size_of(p.type);
  ArgumentBytes result{.bytes = sizes(p.elements).value_or(0) * item};
  std::int64_t rows = 1;
  for (std::size_t axis = 0; axis < p.strides.size(); ++axis) {
    const std::int64_t extent = sizes(p.shape[axis]).value_or(1);
    const std::int64_t stride = sizes(p.strides[axis]).value_or(0) * item;
    if (extent <= 1 || stride <= result.row) continue;
    result.row = stride;
    rows = extent;
  }
  result.inner = result.bytes - (rows - 1) * result.row;
  return result;
}

bool may_overlap(std::uintptr_t a, const ArgumentBytes& of_a, std::uintptr_t b,
                 const ArgumentBytes& of_b) {
  if (a > b) return may_overlap(b, of_b, a, of_a);
  const std::uintptr_t apart = b - a;
  if (apart >= std::uintptr_t(of_a.bytes) || of_b.bytes == 0) return false;
  if (of_a.row != of_b.row || of_a.row == 0) return true;
  const auto column = std::int64_t(apart % std::uintptr_t(of_a.row));
  return column < of_a.inner || column + of_b.inner > of_a.row;
}

// The value of a size, from a shape or stride that is just that size, or from an extent in which
// all other sizes are known. Shapes come before strides, since an axis of one item may have any
// stride.
std::optional<std::int64_t> Signature::told(Expr size, std::span<const Argument> arguments,
                                            const SizeValues& known) const {
  for (const bool is_stride : {false, true}) {
    for (std::size_t k = 0; k < parameters_.size(); ++k) {
      const auto& list = is_stride ? parameters_[k].strides : parameters_[k].shape;
      for (std::size_t axis = 0; axis < list.size(); ++axis) {
        if (!same(list[axis], size)) continue;
        return is_stride ? stride_of(arguments[k], axis) : arguments[k].shape[axis];
      }
    }
  }
  for (std::size_t k = 0; k < parameters_.size(); ++k) {
    for (std::size_t axis = 0; axis < parameters_[k].shape.size(); ++axis) {
      const Expr extent = parameters_[k].shape[axis];
      if (!mentions(extent, size)) continue;
      const auto value =
          solved_for(size, extent, arguments[k].shape[axis], known, *fusion_.facts());
      if (value) return value;
    }
  }
  return std::nullopt;
}

SizeValues Signature::bind(std::span<const Argument> arguments, const NamedSizes& named) const {
  check_number(arguments);
  for (std::size_t k = 0; k < arguments.size(); ++k) check_form(parameters_[k], arguments[k]);
  SizeValues sizes;
  for (const auto& [name, value] : named) sizes.add(size_called(fusion_, name), value);
  // Repeated, since a size found in one round may be what another one needs.
  for (std::size_t before = SIZE_MAX; before != sizes.symbols.size();) {
    before = sizes.symbols.size();
    for (Expr n : fusion_.sizes()) {
      if (contains(sizes.symbols, n)) continue;
      if (const auto value = told(n, arguments, sizes)) sizes.add(n, *value);
    }
  }
  for (Expr n : fusion_.sizes()) {
    const Facts::Symbol* facts = fusion_.facts()->find(n);
    if (contains(sizes.symbols, n)) continue;
    if (facts != nullptr && facts->range.is_point()) {
      sizes.add(n, facts->range.lo);
      continue;
    }
    refuse<BadInput>(
        "E614",
        "the size " + to_string(n) + " has no value: it does not follow from a shape or a stride",
        "name it in the call, {\"" + to_string(n) + "\", ...}");
  }
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    check_shape(parameters_[k], arguments[k], sizes);
    check_strides(parameters_[k], arguments[k], sizes);
  }
  check_sizes(fusion_, sizes);
  return sizes;
}

void Signature::check_number(std::span<const Argument> arguments) const {
  if (arguments.size() == parameters_.size()) return;
  std::string inputs, outputs;
  for (const Parameter& p : parameters_) {
    std::string& list = p.is_output ? outputs : inputs;
    list += (list.empty() ? "" : ", ") + p.name;
  }
  refuse<BadInput>("E630",
                   "there are " + std::to_string(arguments.size()) + " arguments, not " +
                       std::to_string(parameters_.size()),
                   "pass the inputs (" + inputs + "), then the outputs (" + outputs + ")");
}

// What is wrong whatever the sizes are.
void Signature::check_form(const Parameter& p, const Argument& a) const {
  if (p.is_output && a.is_const) {
    refuse<BadInput>("E632", "the argument " + p.name + " is an output, and is only to be read",
                     "pass memory that is not const");
  }
  if (a.type != p.type) {
    refuse<BadInput>("E613",
                     "the argument " + p.name + " is of type " + std::string(to_string(a.type)) +
                         ", not " + std::string(to_string(p.type)),
                     "convert it");
  }
  if (a.shape.size() != p.shape.size()) {
    refuse<BadInput>("E612",
                     "the argument " + p.name + " has shape " + bracketed(a.shape) + ", of " +
                         std::to_string(a.shape.size()) + " axes, not " + to_text(p.shape),
                     "give it " + std::to_string(p.shape.size()) + " axes");
  }
  if (!a.strides.empty() && a.strides.size() != a.shape.size()) {
    refuse<BadInput>("E628",
                     "the argument " + p.name + " has " + std::to_string(a.strides.size()) +
                         " strides and " + std::to_string(a.shape.size()) + " axes",
                     "give one stride for each axis, in elements, or none");
  }
  const bool has_items = std::find(a.shape.begin(), a.shape.end(), 0) == a.shape.end();
  const auto address = reinterpret_cast<std::uintptr_t>(a.data);
  if (has_items && a.data == nullptr) {
    refuse<BadInput>("E629", "the argument " + p.name + " has items and no memory",
                     "pass the address of its first item");
  }
  const auto bytes = std::uintptr_t(size_of(p.type));
  if (address % bytes != 0) {
    refuse<BadInput>("E629",
                     "the address of the argument " + p.name + " is " +
                         std::to_string(address % bytes) + " bytes past a multiple of " +
                         std::to_string(bytes) + ", the size of a " +
                         std::string(to_string(p.type)),
                     "align it to its elements");
  }
}

void Signature::check_shape(const Parameter& p, const Argument& a, const SizeValues& sizes) const {
  std::vector<std::int64_t> expected;
  std::string why;
  for (std::size_t axis = 0; axis < p.shape.size(); ++axis) {
    expected.push_back(sizes(p.shape[axis]).value_or(-1));
    if (expected.back() == a.shape[axis]) continue;
    const std::string at = sizes_in(p.shape[axis], sizes);
    if (!at.empty()) why += (why.empty() ? ": " : ", ") + at;
  }
  if (std::equal(expected.begin(), expected.end(), a.shape.begin())) return;
  refuse<BadInput>("E612",
                   "the argument " + p.name + " has shape " + bracketed(a.shape) + ", not " +
                       bracketed(expected) + why,
                   "make the shapes agree: " + p.name + to_text(p.shape));
}

void Signature::check_strides(const Parameter& p, const Argument& a,
                              const SizeValues& sizes) const {
  if (p.strides.empty() && !a.strides.empty()) {
    refuse<BadInput>("E628",
                     "the argument " + p.name +
                         " comes with strides, but no strides say how its "
                         "items lie: it is allocated in tiles",
                     "pass none");
  }
  std::vector<std::pair<std::int64_t, std::int64_t>> axes;
  for (std::size_t axis = 0; axis < p.strides.size(); ++axis) {
    const std::int64_t stride = sizes(p.strides[axis]).value_or(-1);
    if (a.shape[axis] > 1) axes.emplace_back(stride, a.shape[axis]);
    if (a.strides.empty() || a.shape[axis] <= 1 || a.strides[axis] == stride) continue;
    refuse<BadInput>("E628",
                     "the argument " + p.name + " has stride " + std::to_string(a.strides[axis]) +
                         " on axis " + std::to_string(axis) + ", not " + std::to_string(stride),
                     "lay it out so, or leave its strides to the call: with_strides(" + p.name +
                         ") where the fusion is built");
  }
  if (!p.is_output || p.strides.empty()) return;
  if (std::find(a.shape.begin(), a.shape.end(), 0) != a.shape.end() || meet_nowhere(axes)) return;
  refuse<BadInput>("E626", "two items of " + p.name + " lie at one address, or may",
                   "choose strides that keep the items of " + p.name + " apart");
}

}  // namespace selvage
