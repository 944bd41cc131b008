#include <selvage/base/check.h>
#include <selvage/base/integer.h>
#include <selvage/base/refuse.h>
#include <selvage/driver/layout.h>
#include <selvage/expr/tape.h>

#include <algorithm>
#include <cstring>
#include <numeric>

namespace selvage {

namespace {

[[noreturn]] void too_large(const std::string& tensor) {
  refuse<BadInput>("E601", tensor + " is too large for this machine at these sizes",
                   "choose smaller sizes");
}

void copy_element(const Array& from, std::int64_t i, Array& to, std::int64_t j) {
  const std::size_t bytes = std::size_t(size_of(from.type));
  std::memcpy(to.bytes.data() + std::size_t(j) * bytes, from.bytes.data() + std::size_t(i) * bytes,
              bytes);
}

}  // namespace

Layout::Layout(const Fusion& fusion, const DomainGraph& graph, TensorId t,
               const SizeValues& sizes) {
  const TensorInfo& tensor = fusion[t];
  const auto extents = [&](const std::vector<DomainId>& domains) {
    std::vector<std::int64_t> list;
    for (DomainId d : domains) {
      const auto n = sizes(graph[d].extent);
      if (!n) too_large(tensor.name);
      list.push_back(*n);
    }
    return list;
  };
  shape_ = extents(tensor.logical);
  for (std::int64_t n : shape_) {
    const auto product = checked_mul(points_, n);
    if (!product) too_large(tensor.name);
    points_ = *product;
  }
  SELVAGE_CHECK(points_ > 0);
  const bool is_permuted = !tensor.allocation.empty() && tensor.allocation != tensor.logical;
  memory_ = is_permuted ? extents(tensor.allocation) : shape_;
  const auto elements = sizes(elements_of(fusion, graph, t));
  if (!elements) too_large(tensor.name);
  elements_ = std::max<std::int64_t>(*elements, 0);
  if (!tensor.strides.empty()) {
    const std::vector<std::int64_t> axes = memory_;
    for (std::size_t k = 0; k < axes.size(); ++k) {
      strides_.emplace_back(sizes(tensor.strides[k]).value_or(0), axes[k]);
    }
    memory_ = {elements_};
  }
  if (!is_permuted && tensor.strides.empty()) return;

  std::vector<Expr> indices;
  for (std::size_t i = 0; i < shape_.size(); ++i) {
    indices.push_back(fusion.pool().symbol("$" + std::to_string(i)));
  }
  const Expr address = address_of(fusion, graph, t, indices);
  std::vector<Expr> inputs = sizes.symbols;
  inputs.insert(inputs.end(), indices.begin(), indices.end());
  Tape tape(std::span(&address, 1), inputs);
  std::vector<std::int64_t> values = sizes.values;
  values.resize(inputs.size(), 0);
  const std::span<std::int64_t> point(values.data() + sizes.values.size(), shape_.size());
  addresses_.reserve(std::size_t(points_));
  for (std::int64_t k = 0; k < points_; ++k) {
    std::int64_t rest = k;
    for (std::size_t i = point.size(); i-- > 0; rest /= shape_[i]) point[i] = rest % shape_[i];
    const bool is_defined = tape.evaluate(values);
    if (!is_defined || tape.root(0) < 0 || tape.root(0) >= elements_) {
      refuse<BadInput>("E624",
                       "item " + std::to_string(k) + " of " + tensor.name + " would lie at " +
                           (is_defined ? std::to_string(tape.root(0)) : "no address") +
                           " of a memory of " + std::to_string(elements_) + " elements",
                       "allocate over iterdomains that hold every item");
    }
    addresses_.push_back(tape.root(0));
  }
}

std::optional<std::pair<std::int64_t, std::int64_t>> Layout::overlap() const {
  std::vector<std::int64_t> holder(addresses_.empty() ? 0 : std::size_t(elements_), -1);
  for (std::int64_t k = 0; k < std::int64_t(addresses_.size()); ++k) {
    std::int64_t& first = holder[std::size_t(address(k))];
    if (first >= 0) return std::pair(first, k);
    first = k;
  }
  return std::nullopt;
}

// From the axis whose items lie nearest on: a step past all that lies inside of it.
std::vector<std::int64_t> Layout::strides_apart() const {
  std::vector<std::size_t> order(strides_.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::reverse(order.begin(), order.end());  // of equal strides the last is the inner one
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return strides_[a].first < strides_[b].first;
  });
  std::vector<std::int64_t> apart(strides_.size());
  std::int64_t inside = 1;
  for (std::size_t k : order) {
    const auto [stride, extent] = strides_[k];
    apart[k] = std::max(stride, inside);
    inside = saturating_add(inside, saturating_mul(apart[k], extent - 1));
  }
  return apart;
}

Array Layout::to_memory(const Array& by_point) const {
  if (addresses_.empty()) return by_point;
  Array memory(by_point.type, memory_);
  for (std::int64_t k = 0; k < points_; ++k) copy_element(by_point, k, memory, address(k));
  return memory;
}

Array Layout::from_memory(const Array& memory) const {
  Array by_point(memory.type, shape_);
  if (addresses_.empty()) {
    by_point.bytes = memory.bytes;
    return by_point;
  }
  for (std::int64_t k = 0; k < points_; ++k) copy_element(memory, address(k), by_point, k);
  return by_point;
}

}  // namespace selvage
