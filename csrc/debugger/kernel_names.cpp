#include <selvage/base/words.h>
#include <selvage/debugger/kernel_names.h>
#include <selvage/expr/tape.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <numeric>

namespace selvage {

namespace {

// "17, 3" as numbers; nothing if it is something else.
std::optional<std::vector<std::int64_t>> indices(std::string_view list) {
  std::vector<std::int64_t> all;
  while (true) {
    list.remove_prefix(std::min(list.find_first_not_of(' '), list.size()));
    std::int64_t index = 0;
    const auto [end, error] = std::from_chars(list.data(), list.data() + list.size(), index);
    if (error != std::errc{}) return std::nullopt;
    all.push_back(index);
    list.remove_prefix(std::size_t(end - list.data()));
    list.remove_prefix(std::min(list.find_first_not_of(' '), list.size()));
    if (list.empty()) return all;
    if (list.front() != ',') return std::nullopt;
    list.remove_prefix(1);
  }
}

}  // namespace

std::optional<std::int64_t> value_of(const RunView& view, Expr e) {
  const std::vector<Expr> symbols = symbols_of(e);
  std::vector<std::int64_t> values;
  for (Expr s : symbols) {
    const auto value = view.variable(s);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return evaluate(e, symbols, values);
}

KernelNames::KernelNames(const RunView& view, const Shapes& shapes)
    : nest_(nest_lines(view.kernel())) {
  for (BufferId b = 0; b < view.kernel().buffers.size(); ++b) {
    const Buffer& buffer = view.kernel().buffers[b];
    Named& memory = memory_.emplace_back();
    memory.name = buffer.name;
    memory.elements = view.elements(b);
    memory.axes = axes_of(view, buffer, shapes);
    memory.by_stride.resize(memory.axes.size());
    std::iota(memory.by_stride.begin(), memory.by_stride.end(), std::size_t(0));
    std::ranges::stable_sort(memory.by_stride, std::greater(),
                             [&](std::size_t k) { return memory.axes[k].stride; });
  }
}

std::vector<KernelNames::Axis> KernelNames::axes_of(const RunView& view, const Buffer& buffer,
                                                    const Shapes& shapes) {
  std::vector<Axis> axes;
  for (const Buffer::Axis& axis : buffer.axes) {
    const auto stride = value_of(view, axis.stride), extent = value_of(view, axis.extent);
    if (!stride || !extent) return {};
    axes.push_back({*stride, *extent});
  }
  const auto shape = shapes.find(buffer.name);
  if (!axes.empty() || shape == shapes.end()) return axes;
  std::int64_t stride = 1;
  for (std::size_t k = shape->second.size(); k-- > 0;) {
    const auto extent = value_of(view, shape->second[k]);
    if (!extent) return {};
    axes.insert(axes.begin(), {stride, *extent});
    stride *= *extent;
  }
  return axes;
}

std::int64_t KernelNames::address_of(const Named& memory,
                                     const std::vector<std::int64_t>& at) const {
  std::int64_t address = 0;
  for (std::size_t k = 0; k < at.size(); ++k) address += at[k] * memory.axes[k].stride;
  return address;
}

std::optional<std::vector<std::int64_t>> KernelNames::item(BufferId b, std::int64_t address) const {
  const Named& memory = memory_[b];
  if (memory.axes.empty()) return std::nullopt;
  std::vector<std::int64_t> at(memory.axes.size());
  std::int64_t rest = address;
  for (std::size_t k : memory.by_stride) {
    const Axis& axis = memory.axes[k];
    if (axis.stride <= 0) continue;
    // Of the axes with one stride all but the last have one item.
    at[k] = axis.extent == 1 ? 0 : rest / axis.stride;
    rest -= at[k] * axis.stride;
    if (at[k] < 0 || at[k] >= axis.extent) return std::nullopt;
  }
  return rest == 0 ? std::optional(at) : std::nullopt;
}

std::string KernelNames::element(BufferId b, std::int64_t address) const {
  const auto at = item(b, address);
  return memory_[b].name + bracketed(at ? *at : std::vector{address});
}

std::optional<std::int64_t> KernelNames::row_length(BufferId b) const {
  const std::vector<Axis>& axes = memory_[b].axes;
  if (axes.empty() || axes.back().stride != 1) return std::nullopt;
  return axes.size() > 1 ? axes[axes.size() - 2].stride : axes[0].extent;
}

bool KernelNames::has(std::string_view memory) const {
  return std::ranges::find(memory_, memory, &Named::name) != memory_.end();
}

KernelNames::Element KernelNames::find(std::string_view text) const {
  const std::size_t open = std::min(text.find('['), text.size());
  const std::string name(text.substr(0, open));
  const auto it = std::ranges::find(memory_, name, &Named::name);
  if (it == memory_.end()) {
    std::vector<std::string> names;
    for (const Named& m : memory_) names.push_back(m.name);
    throw BadCommand("the kernel has no memory called '" + name + "'; it has " + listed(names));
  }
  Element found{BufferId(it - memory_.begin())};
  if (open == text.size()) return found;
  const auto at =
      text.back() == ']' ? indices(text.substr(open + 1, text.size() - open - 2)) : std::nullopt;
  const std::size_t rank = std::max<std::size_t>(it->axes.size(), 1);
  if (!at || at->size() != rank) {
    throw BadCommand("'" + std::string(text) + "' is no element of " + name + "; write " + name +
                     "[" + joined(std::vector<std::string>(rank, "0")) + "]");
  }
  for (std::size_t k = 0; k < rank; ++k) {
    const std::int64_t extent = it->axes.empty() ? it->elements : it->axes[k].extent;
    if ((*at)[k] >= 0 && (*at)[k] < extent) continue;
    throw BadCommand("there is no " + std::string(text) + ": axis " + std::to_string(k) + " has " +
                     counted(extent, "item"));
  }
  found.address = it->axes.empty() ? at->front() : address_of(*it, *at);
  return found;
}

PlaceId KernelNames::at_line(std::int64_t line) const {
  // Parts of a value stand in lines of their own, before the statement.
  const auto it = std::ranges::find_if(
      nest_.line_of, [&](std::size_t at) { return std::int64_t(at) + 1 >= line; });
  if (line >= 1 && it != nest_.line_of.end()) return PlaceId(it - nest_.line_of.begin());
  throw BadCommand("there is no line " + std::to_string(line) + "; list all shows the lines");
}

std::string KernelNames::text_of(PlaceId id) const {
  const std::string& line = nest_.lines[nest_.line_of[id]];
  return line.substr(std::min(line.find_first_not_of(' '), line.size()));
}

}  // namespace selvage
