#include <selvage/base/check.h>
#include <selvage/pictures/graph_layout.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace selvage {

namespace {

constexpr int kOrderSweeps = 8, kOrderSweepsOfSmall = 32;
constexpr int kPlaceSweeps = 16, kPlaceSweepsOfSmall = 48;  // up to kSmall nodes and bends
constexpr std::size_t kSmall = 400;
constexpr int kBendGap = 10;

// Nodes and bends alike: whatever takes a place in a layer.
struct Item {
  double half = 0;  // of its breadth
  std::size_t layer = 0;
  std::size_t position = 0;  // in its layer
  double x = 0;              // its center, along the layer
  bool is_bend = false;
  std::vector<std::size_t> before = {}, after = {};  // what it is tied to, a layer up and down
};

class Layouter {
 public:
  explicit Layouter(const LayeredGraph& graph) : graph_(graph) {}

  GraphLayout run() {
    if (graph_.nodes.empty()) return {};
    assign_layers();
    is_aligned_ = !graph_.last.empty() && align_last();
    is_led_around_ = bends(layers_) <= kMostBends;
    make_items();
    order_layers();
    place_along();
    return result();
  }

 private:
  // The longest way from a first node.
  void assign_layers() {
    layers_.assign(graph_.nodes.size(), 0);
    for (const auto& e : in_order()) layers_[e.to] = std::max(layers_[e.to], layers_[e.from] + 1);
    count_ = 0;
    for (std::size_t layer : layers_) count_ = std::max(count_, layer + 1);
  }
  // Edges into a node come before those out of it.
  std::vector<LayeredGraph::Edge> in_order() const {
    std::vector<LayeredGraph::Edge> edges = graph_.edges;
    for (const auto& e : edges) SELVAGE_CHECK(e.from < e.to && e.to < graph_.nodes.size());
    std::stable_sort(edges.begin(), edges.end(),
                     [](const auto& a, const auto& b) { return a.from < b.from; });
    return edges;
  }
  std::size_t bends(const std::vector<std::size_t>& layers) const {
    std::size_t sum = 0;
    for (const auto& e : graph_.edges) sum += layers[e.to] - layers[e.from] - 1;
    return sum;
  }
  // Moves `last` to the end, unless that makes too many long edges.
  bool align_last() {
    std::vector<std::size_t> moved = layers_;
    for (std::size_t n : graph_.last) moved[n] = count_ - 1;
    // The last layer is for them alone.
    const bool is_shared =
        std::ranges::count(moved, count_ - 1) > std::ptrdiff_t(graph_.last.size());
    if (is_shared) {
      for (std::size_t n : graph_.last) moved[n] = count_;
    }
    if (bends(moved) > kMostBends) return false;
    if (is_shared) ++count_;
    layers_ = std::move(moved);
    return true;
  }

  void make_items() {
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      items_.push_back({.half = graph_.nodes[n].breadth / 2.0, .layer = layers_[n]});
    }
    bends_.resize(graph_.edges.size());
    for (std::size_t k = 0; k < graph_.edges.size(); ++k) {
      const auto& e = graph_.edges[k];
      std::size_t above = e.from;
      for (std::size_t layer = layers_[e.from] + 1; is_led_around_ && layer < layers_[e.to];
           ++layer) {
        bends_[k].push_back(items_.size());
        items_.push_back({.half = 1, .layer = layer, .is_bend = true});
        tie(above, items_.size() - 1);
        above = items_.size() - 1;
      }
      tie(above, e.to);
    }
  }
  void tie(std::size_t above, std::size_t below) {
    items_[above].after.push_back(below);
    items_[below].before.push_back(above);
  }

  // Order within layers: what hangs from the left is on the left.
  void order_layers() {
    lanes_.assign(count_, {});
    // From the first nodes down, depth first, so that what belongs together stands together.
    std::vector<char> seen(items_.size(), 0);
    std::vector<std::size_t> open;
    for (std::size_t n = 0; n < items_.size(); ++n) {
      if (!items_[n].before.empty() || seen[n]) continue;
      open.push_back(n);
      while (!open.empty()) {
        const std::size_t at = open.back();
        open.pop_back();
        if (seen[at]) continue;
        seen[at] = 1;
        lanes_[items_[at].layer].push_back(at);
        open.insert(open.end(), items_[at].after.rbegin(), items_[at].after.rend());
      }
    }
    std::sort(lanes_[0].begin(), lanes_[0].end());
    if (is_aligned_) lanes_.back() = graph_.last;
    for (std::size_t layer = 0; layer < count_; ++layer) number(layer);
    std::vector<std::vector<std::size_t>> best = lanes_;
    std::size_t fewest = crossings();
    const int sweeps = items_.size() <= kSmall ? kOrderSweepsOfSmall : kOrderSweeps;
    for (int sweep = 0; sweep < sweeps && fewest > 0; ++sweep) {
      const bool down = sweep % 2 == 0;
      for (std::size_t k = 0; k < count_; ++k) sort_layer(down ? k : count_ - 1 - k, down);
      const std::size_t now = crossings();
      if (now < fewest) {
        fewest = now;
        best = lanes_;
      }
    }
    lanes_ = std::move(best);
    for (std::size_t layer = 0; layer < count_; ++layer) number(layer);
  }
  void number(std::size_t layer) {
    for (std::size_t k = 0; k < lanes_[layer].size(); ++k) items_[lanes_[layer][k]].position = k;
  }
  // By the mean position of what it is tied to, above or below.
  void sort_layer(std::size_t layer, bool by_above) {
    if (layer == 0 || (is_aligned_ && layer + 1 == count_)) return;
    std::vector<std::pair<double, std::size_t>> keys;
    for (std::size_t n : lanes_[layer]) {
      const auto& tied = by_above ? items_[n].before : items_[n].after;
      double sum = 0;
      for (std::size_t other : tied) sum += double(items_[other].position);
      keys.emplace_back(tied.empty() ? double(items_[n].position) : sum / double(tied.size()), n);
    }
    std::stable_sort(keys.begin(), keys.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t k = 0; k < keys.size(); ++k) lanes_[layer][k] = keys[k].second;
    number(layer);
  }
  // The number of crossings of edges between neighbouring layers.
  std::size_t crossings() const {
    std::size_t sum = 0;
    for (std::size_t layer = 0; layer + 1 < count_; ++layer) {
      std::vector<std::size_t> before;  // where edges of nodes further left end, in order
      for (std::size_t n : lanes_[layer]) {
        std::vector<std::size_t> ends;
        for (std::size_t other : items_[n].after) {
          if (items_[other].layer == layer + 1) ends.push_back(items_[other].position);
        }
        for (std::size_t end : ends) {  // they cross those that end further right
          sum += std::size_t(before.end() - std::ranges::upper_bound(before, end));
        }
        for (std::size_t end : ends) before.insert(std::ranges::upper_bound(before, end), end);
      }
    }
    return sum;
  }

  // Centers along the layers: again and again each layer goes to where the one before would have
  // it, as near as order and gaps allow.
  void place_along() {
    for (std::size_t layer = 0; layer < count_; ++layer) {
      double x = 0;
      for (std::size_t k = 0; k < lanes_[layer].size(); ++k) {
        if (k > 0) x += distance(lanes_[layer][k - 1], lanes_[layer][k]);
        items_[lanes_[layer][k]].x = x;
      }
    }
    const int sweeps = items_.size() <= kSmall ? kPlaceSweepsOfSmall : kPlaceSweeps;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      const bool down =
          sweep % 2 == 0;  // the last one goes up: inputs lie over what is made of them
      for (std::size_t k = 0; k < count_; ++k) settle(down ? k : count_ - 1 - k, down);
    }
  }
  double distance(std::size_t left, std::size_t right) const {
    const bool narrow = items_[left].is_bend || items_[right].is_bend;
    return items_[left].half + items_[right].half + (narrow ? kBendGap : graph_.gap);
  }
  // Least squares under x[k+1] - x[k] >= distance: with the distances taken off, the best
  // non-decreasing sequence, found by pooling neighbours that are out of order.
  void settle(std::size_t layer, bool by_above) {
    struct Pool {
      double sum, weight;
      std::size_t size;
      double mean() const { return sum / weight; }
    };
    const std::vector<std::size_t>& lane = lanes_[layer];
    std::vector<Pool> pools;
    double offset = 0;
    for (std::size_t k = 0; k < lane.size(); ++k) {
      if (k > 0) offset += distance(lane[k - 1], lane[k]);
      const Item& item = items_[lane[k]];
      const double weight = weight_of(item);
      Pool pool{(wanted(item, by_above) - offset) * weight, weight, 1};
      while (!pools.empty() && pools.back().mean() >= pool.mean()) {
        pool.sum += pools.back().sum;
        pool.weight += pools.back().weight;
        pool.size += pools.back().size;
        pools.pop_back();
      }
      pools.push_back(pool);
    }
    std::size_t k = 0;
    offset = 0;
    for (const Pool& pool : pools) {
      for (std::size_t i = 0; i < pool.size; ++i, ++k) {
        if (k > 0) offset += distance(lane[k - 1], lane[k]);
        items_[lane[k]].x = pool.mean() + offset;
      }
    }
  }
  // A node that nothing hangs from gives way to its neighbours, or a chain of them would run
  // aslant; in a last layer of their own they all count alike.
  double weight_of(const Item& item) const {
    if (item.is_bend) return 4;
    return item.after.empty() && !is_aligned_ ? 1e-6 : 1;
  }
  double wanted(const Item& item, bool by_above) const {
    double sum = 0, weight = 0;
    for (std::size_t other : by_above ? item.before : item.after) {
      const double w = items_[other].is_bend && !item.is_bend ? 1 : weight_of(items_[other]);
      sum += w * items_[other].x;
      weight += w;
    }
    return weight == 0 ? item.x : sum / weight;
  }

  GraphLayout result() const {
    GraphLayout layout;
    layout.is_aligned = is_aligned_;
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (const Item& item : items_) {
      least = std::min(least, item.x - item.half);
      most = std::max(most, item.x + item.half);
    }
    std::vector<int> thickness(count_, 0), depth(count_, 0);
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      thickness[layers_[n]] = std::max(thickness[layers_[n]], graph_.nodes[n].thickness);
    }
    for (std::size_t layer = 0; layer < count_; ++layer) {
      if (layer > 0) layout.depth += graph_.layer_gap;
      depth[layer] = layout.depth + thickness[layer] / 2;
      layout.depth += thickness[layer];
    }
    // Halves go up, whatever the last bit of a mean is.
    const auto whole = [&](double x) { return int(std::floor(x - least + 0.5 + 1e-6)); };
    const auto place = [&](const Item& i) { return LayeredPlace{whole(i.x), depth[i.layer]}; };
    layout.breadth = int(std::ceil(most - least - 1e-6));
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n)
      layout.centers.push_back(place(items_[n]));
    for (const auto& bends : bends_) {
      auto& places = layout.bends.emplace_back();
      for (std::size_t b : bends) places.push_back(place(items_[b]));
    }
    return layout;
  }

  const LayeredGraph& graph_;
  std::vector<std::size_t> layers_;  // by node
  std::size_t count_ = 0;            // of layers
  bool is_aligned_ = false, is_led_around_ = true;
  std::vector<Item> items_;                      // the nodes, then the bends
  std::vector<std::vector<std::size_t>> bends_;  // by edge: items
  std::vector<std::vector<std::size_t>> lanes_;  // by layer: items in order
};

}  // namespace

GraphLayout lay_out(const LayeredGraph& graph) { return Layouter(graph).run(); }

}  // namespace selvage
