#include <selvage/index/mask_diagram.h>

#include <algorithm>
#include <unordered_map>

namespace selvage {

namespace {

using NodeId = MaskDiagram::NodeId;
using Run = MaskDiagram::Run;

std::uint64_t hash_of(std::uint32_t axis, std::span<const Run> runs) {
  std::uint64_t h = axis + 1;
  for (const Run& run : runs) {
    h = h * 0x9E3779B97F4A7C15 + (std::uint64_t(run.end) ^ std::uint64_t(run.to) << 40);
  }
  h = (h ^ h >> 32) * 0xD6E8FEB86659FD93;
  return h ^ h >> 32;
}

}  // namespace

void append(std::vector<Run>& runs, std::int64_t end, NodeId to) {
  if (!runs.empty() && runs.back().to == to) {
    runs.back().end = end;
  } else {
    runs.push_back({end, to});
  }
}

NodeId MaskDiagram::follow(NodeId node, std::uint32_t k, std::int64_t x) const {
  if (node <= kAll || axis(node) > k) return node;
  const std::span<const Run> list = runs(node);
  return std::upper_bound(list.begin(), list.end(), x,
                          [](std::int64_t at, const Run& run) { return at < run.end; })
      ->to;
}

NodeId DiagramBuilder::make(std::uint32_t axis, std::span<const Run> runs) {
  if (runs.size() == 1) return runs[0].to;
  auto& nodes = made_.nodes_;
  if (is_full_ || made_.runs_.size() + runs.size() > MaskDiagram::kMostRuns) {
    is_full_ = true;
    return MaskDiagram::kNone;
  }
  const auto place = [&](std::uint64_t hash) {
    std::size_t at = hash & (table_.size() - 1);
    while (table_[at] != 0) {
      const NodeId there = table_[at];
      if (made_.axis(there) == axis && std::ranges::equal(made_.runs(there), runs)) break;
      at = (at + 1) & (table_.size() - 1);
    }
    return at;
  };
  if (2 * nodes.size() >= table_.size()) {
    table_.assign(std::max<std::size_t>(16, 2 * table_.size()), 0);
    for (NodeId node = 2; node < nodes.size() + 2; ++node) {
      std::size_t at = hash_of(made_.axis(node), made_.runs(node)) & (table_.size() - 1);
      while (table_[at] != 0) at = (at + 1) & (table_.size() - 1);
      table_[at] = node;
    }
  }
  const std::size_t at = place(hash_of(axis, runs));
  if (table_[at] != 0) return table_[at];
  const auto begin = std::uint32_t(made_.runs_.size());
  made_.runs_.insert(made_.runs_.end(), runs.begin(), runs.end());
  nodes.push_back({axis, begin, std::uint32_t(made_.runs_.size())});
  return table_[at] = NodeId(nodes.size() + 1);
}

MaskDiagram DiagramBuilder::diagram(NodeId root) const {
  std::vector<NodeId> number(made_.nodes(), MaskDiagram::kNone), met;
  number[MaskDiagram::kAll] = MaskDiagram::kAll;
  const auto number_of = [&](NodeId node) {
    if (node <= MaskDiagram::kAll) return node;
    if (number[node] == 0) {
      met.push_back(node);
      number[node] = NodeId(met.size() + 1);
    }
    return number[node];
  };
  MaskDiagram out(number_of(root));
  for (std::size_t i = 0; i < met.size(); ++i) {
    const auto begin = std::uint32_t(out.runs_.size());
    for (const Run& run : made_.runs(met[i])) out.runs_.push_back({run.end, number_of(run.to)});
    out.nodes_.push_back({made_.axis(met[i]), begin, std::uint32_t(out.runs_.size())});
  }
  return out;
}

namespace {

class Combination {
 public:
  Combination(const MaskDiagram& a, const MaskDiagram& b, bool (*keep)(bool, bool))
      : a_(a), b_(b), keep_(keep) {}

  std::optional<MaskDiagram> run() {
    const NodeId root = combine(a_.root(), b_.root());
    if (is_full()) return std::nullopt;
    return builder_.diagram(root);
  }

 private:
  bool is_full() const { return builder_.is_full() || steps_ > MaskDiagram::kMostRuns; }

  // As deep as there are axes of two or more coordinates: at most 63.
  NodeId combine(NodeId x, NodeId y) {
    const bool is_x_open = x > MaskDiagram::kAll, is_y_open = y > MaskDiagram::kAll;
    const auto fixed = [&](bool in_a, bool in_b) {
      return keep_(in_a, in_b) ? MaskDiagram::kAll : MaskDiagram::kNone;
    };
    if (!is_x_open && !is_y_open) return fixed(x != 0, y != 0);
    // One side is known: the other may not matter.
    if (!is_x_open && fixed(x != 0, false) == fixed(x != 0, true)) return fixed(x != 0, false);
    if (!is_y_open && fixed(false, y != 0) == fixed(true, y != 0)) return fixed(false, y != 0);
    if (is_full()) return MaskDiagram::kNone;
    const std::uint64_t pair = std::uint64_t(x) << 32 | y;
    if (const auto it = known_.find(pair); it != known_.end()) return it->second;
    const std::uint32_t axis = is_x_open && is_y_open ? std::min(a_.axis(x), b_.axis(y))
                               : is_x_open            ? a_.axis(x)
                                                      : b_.axis(y);
    // A side that does not ask for this axis has one run, as long as any.
    const Run whole_x[] = {{INT64_MAX, x}}, whole_y[] = {{INT64_MAX, y}};
    std::span<const Run> runs_x = whole_x, runs_y = whole_y;
    if (is_x_open && a_.axis(x) == axis) runs_x = a_.runs(x);
    if (is_y_open && b_.axis(y) == axis) runs_y = b_.runs(y);
    std::vector<Run> runs;
    for (std::size_t i = 0, k = 0; i < runs_x.size() && k < runs_y.size() && !is_full();) {
      ++steps_;
      const std::int64_t end = std::min(runs_x[i].end, runs_y[k].end);
      append(runs, end, combine(runs_x[i].to, runs_y[k].to));
      if (runs_x[i].end == end) ++i;
      if (runs_y[k].end == end) ++k;
    }
    if (is_full()) return MaskDiagram::kNone;
    return known_[pair] = builder_.make(axis, runs);
  }

  const MaskDiagram &a_, &b_;
  bool (*keep_)(bool, bool);
  DiagramBuilder builder_;
  std::unordered_map<std::uint64_t, NodeId> known_;
  std::size_t steps_ = 0;
};

}  // namespace

std::optional<MaskDiagram> combine(const MaskDiagram& a, const MaskDiagram& b,
                                   bool (*keep)(bool, bool)) {
  return Combination(a, b, keep).run();
}

MaskDiagram complement(const MaskDiagram& a) {
  MaskDiagram out = a;
  const auto turn = [](NodeId& node) {
    if (node <= MaskDiagram::kAll) node = MaskDiagram::kAll - node;
  };
  turn(out.root_);
  for (Run& run : out.runs_) turn(run.to);
  return out;
}

}  // namespace selvage
