#include <selvage/base/check.h>
#include <selvage/base/integer.h>
#include <selvage/base/points.h>
#include <selvage/index/mask_axes.h>
#include <selvage/index/thread_mask.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace selvage {

namespace {

using NodeId = MaskDiagram::NodeId;

constexpr std::size_t kLongestText = std::size_t{1} << 20, kLongestRow = 4096;
constexpr std::int64_t kShortestRun = 64;

// Writes the bits of axes [.., end) from the highest down.
class BitWriter {
 public:
  BitWriter(const MaskDiagram& diagram, const MaskAxes& axes, bool is_plain, std::size_t longest)
      : diagram_(diagram), axes_(axes), is_plain_(is_plain), longest_(longest) {}

  void separate() {
    flush();
    text_ += "-";
  }

  // A bit is set where the node leads on beyond `end`. As deep as a level has indices.
  void write(NodeId node, std::size_t axis, std::size_t end) {
    if (text_.size() > longest_) return;
    const std::int64_t points = axes_.points(axis, end);
    if (node <= MaskDiagram::kAll || diagram_.axis(node) >= end) {
      add(node == MaskDiagram::kNone ? '0' : '1', points);
      return;
    }
    const std::size_t own = diagram_.axis(node);
    if (own > axis) {
      repeat(axes_.points(axis, own), node, own, end);
      return;
    }
    const auto runs = diagram_.runs(node);
    for (std::size_t i = runs.size(); i-- > 0;) {
      repeat(runs[i].end - (i == 0 ? 0 : runs[i - 1].end), runs[i].to, axis + 1, end);
    }
  }

  std::string text() {
    flush();
    if (text_.size() <= longest_) return std::move(text_);
    return text_.substr(0, longest_) + "...";
  }

 private:
  void repeat(std::int64_t times, NodeId node, std::size_t axis, std::size_t end) {
    if (text_.size() > longest_) return;
    if (node <= MaskDiagram::kAll || diagram_.axis(node) >= end) {
      add(node == MaskDiagram::kNone ? '0' : '1', times * axes_.points(axis, end));
    } else if (is_plain_ || times == 1) {
      for (; times > 0; --times) write(node, axis, end);
    } else {
      flush();
      text_ += "(";
      write(node, axis, end);
      flush();
      text_ += "){" + std::to_string(times) + "}";
    }
  }

  void add(char bit, std::int64_t times) {
    if (bit != bit_) flush();
    bit_ = bit;
    times_ += times;
  }
  void flush() {
    if (is_plain_ || times_ < kShortestRun) {
      text_.append(std::size_t(times_), bit_);
    } else {
      text_ += bit_ + ("{" + std::to_string(times_) + "}");
    }
    times_ = 0;
  }

  const MaskDiagram& diagram_;
  const MaskAxes& axes_;
  bool is_plain_;
  std::size_t longest_;
  std::string text_;
  char bit_ = '0';
  std::int64_t times_ = 0;  // of the bit, not written yet
};

// What comes after the axes before `end`, where that is one thing wherever the mask has threads.
std::optional<NodeId> only_way_out(const MaskDiagram& diagram, NodeId from, std::size_t end) {
  std::optional<NodeId> out;
  std::vector<NodeId> open = {from};
  std::vector<bool> is_met(diagram.nodes(), false);
  while (!open.empty()) {
    const NodeId node = open.back();
    open.pop_back();
    if (node == MaskDiagram::kNone || is_met[node]) continue;
    is_met[node] = true;
    if (node == MaskDiagram::kAll || diagram.axis(node) >= end) {
      if (out) return std::nullopt;
      out = node;
      continue;
    }
    for (const MaskDiagram::Run& run : diagram.runs(node)) open.push_back(run.to);
  }
  return out;
}

// The node that stands for each level; nothing where the mask is no product.
std::optional<std::vector<NodeId>> level_nodes(const MaskDiagram& diagram, const MaskAxes& axes) {
  std::vector<NodeId> nodes = {diagram.root()};
  for (std::size_t level = 0; level + 2 < axes.begins.size(); ++level) {
    if (diagram.is_none()) {
      nodes.push_back(MaskDiagram::kNone);
      continue;
    }
    const auto next = only_way_out(diagram, nodes.back(), axes.begins[level + 1]);
    if (!next) return std::nullopt;
    nodes.push_back(*next);
  }
  return nodes;
}

}  // namespace

bool ThreadMask::is_product() const {
  return level_nodes(diagram_, MaskAxes(*levels_)).has_value();
}

std::string ThreadMask::text(std::int64_t longest) const {
  const MaskAxes axes(*levels_);
  const auto nodes = level_nodes(diagram_, axes);
  SELVAGE_CHECK(nodes);
  std::int64_t length = std::int64_t(levels_->size()) - 1;
  for (const MaskLevel& level : *levels_) {
    length = checked_add(length, level.extent()).value_or(INT64_MAX);
  }
  BitWriter writer(diagram_, axes, length <= longest, kLongestText);
  for (std::size_t level = 0; level < nodes->size(); ++level) {
    if (level > 0) writer.separate();
    writer.write((*nodes)[level], axes.begins[level], axes.begins[level + 1]);
  }
  return writer.text();
}

std::int64_t ThreadMask::row_count() const {
  const MaskAxes axes(*levels_);
  return axes.points(0, axes.begins[levels_->size() - 1]);
}

std::vector<std::string> ThreadMask::rows(std::int64_t limit) const {
  const MaskAxes axes(*levels_);
  const std::size_t begin = axes.begins[levels_->size() - 1], end = axes.size();
  const std::int64_t wanted = std::min(row_count(), limit);
  std::vector<std::string> rows;
  std::unordered_map<NodeId, std::string> written;
  for (std::int64_t row = 0; row < wanted; ++row) {
    NodeId node = diagram_.root();
    for (std::size_t k = 0; k < begin; ++k) {
      const std::int64_t x = row / axes.points(k + 1, begin) % axes.extents[k];
      node = diagram_.follow(node, std::uint32_t(k), x);
    }
    auto [it, is_new] = written.try_emplace(node);
    if (is_new) {
      BitWriter writer(diagram_, axes, axes.points(begin, end) <= std::int64_t(kLongestRow),
                       kLongestRow);
      writer.write(node, begin, end);
      it->second = writer.text();
    }
    rows.push_back(it->second);
  }
  return rows;
}

}  // namespace selvage
