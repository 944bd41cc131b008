#include <selvage/pictures/drawn_graph.h>
#include <selvage/pictures/graph_layout.h>
#include <selvage/pictures/parts.h>

#include <fmt/format.h>

#include <algorithm>

namespace selvage {

namespace {

using Role = DrawnGraph::Role;

constexpr int kLongestLabel = 24, kLongestLabelExtent = 20, kLongestJoint = 28;  // columns
constexpr int kLine = 13;                                                        // of roles
constexpr int kNameLine = 18;
constexpr int kStrokeMargin = 3;  // for strokes

// A box or a rounded label, before it has a place.
struct Shape {
  bool is_joint = false;
  std::size_t index = 0;  // of the domain or joint
  // An iterdomain that is a first node and a loop has two boxes: one per cut.
  bool is_loop_twin = false;
  std::vector<std::string> lines = {};  // below the name
  int width = 0, height = 0;
};

struct Picture {
  std::vector<Shape> shapes;
  LayeredGraph graph;
  std::vector<std::size_t> ends;  // of each edge: which of joint.ends it is; kNone
  static constexpr std::size_t kNone = std::size_t(-1);
};

std::string headline(const DrawnGraph::Domain& d) {
  return shortened(d.name, kLongestLabel) + " {" + shortened(d.extent, kLongestLabelExtent) + "}";
}

class GraphPicture {
 public:
  explicit GraphPicture(const TensorReport& tensor)
      : drawn_(drawn_graph(tensor, kMostDrawnTransforms)) {}

  Drawing run() {
    make_shapes();
    // Down the page if that is narrow enough, else across it; what is too wide in both ways is
    // drawn smaller.
    Drawing down = draw(true);
    if (down.width() > kPictureWidth) {
      Drawing across = draw(false);
      if (across.width() < down.width()) down = std::move(across);
    }
    Drawing picture;
    const int scale = std::min({1000, kPictureWidth * 1000 / std::max(1, down.width()),
                                kMostGraphHeight * 1000 / std::max(1, down.height())});
    picture.place(down, 0, 0, scale);
    if (drawn_.left_out > 0) {
      picture.note(0, picture.height() + 18,
                   fmt::format("The first {} transforms; {} more are left out.",
                               drawn_.joints.size(), drawn_.left_out));
    }
    return picture;
  }

 private:
  void make_shapes() {
    std::vector<char> is_made(drawn_.domains.size(), 0);
    std::vector<char> is_fed(drawn_.domains.size(), 0);
    for (const DrawnGraph::Joint& j : drawn_.joints) {
      for (std::size_t d : j.out) is_made[d] = 1;
      for (std::size_t d : j.in) is_fed[d] = 1;
    }
    // Nodes in an order in which edges go up: first the domains that no transform makes.
    nodes_of_domains_.assign(drawn_.domains.size(), Picture::kNone);
    const bool has_joints = !drawn_.joints.empty();
    std::vector<std::size_t> twins;
    for (std::size_t d = 0; d < drawn_.domains.size(); ++d) {
      if (is_made[d]) continue;
      const DrawnGraph::Domain& domain = drawn_.domains[d];
      const bool is_iterated = domain.has(Role::Loop) || domain.has(Role::Read);
      if (has_joints && is_iterated && !is_fed[d]) twins.push_back(d);
      add_domain(d, has_joints && is_iterated && !is_fed[d] ? Part::Tensor : Part::All);
    }
    for (std::size_t k = 0; k < drawn_.joints.size(); ++k) add_joint(k);
    std::vector<std::size_t> loop_nodes = nodes_of_domains_;
    for (std::size_t d : twins) {
      const std::size_t node = nodes_of_domains_[d];
      add_domain(d, Part::Loops);
      loop_nodes[d] = nodes_of_domains_[d];
      picture_.graph.edges.push_back({node, loop_nodes[d]});
      picture_.ends.push_back(Picture::kNone);
    }
    // The loops as the last layer, if nothing is made of them.
    for (const auto* loops : {&drawn_.loops, &drawn_.reads}) {
      for (std::size_t d : *loops) {
        const std::size_t node = loop_nodes[d];
        auto& last = picture_.graph.last;
        const bool is_there = std::find(last.begin(), last.end(), node) != last.end();
        if (has_joints && !is_fed[d] && !is_there && is_made_or_twin(node)) last.push_back(node);
      }
    }
  }
  bool is_made_or_twin(std::size_t node) const {
    const Shape& shape = picture_.shapes[node];
    if (shape.is_loop_twin) return true;
    return std::any_of(picture_.graph.edges.begin(), picture_.graph.edges.end(),
                       [&](const auto& e) { return e.to == node; });
  }

  enum class Part : std::uint8_t { All, Tensor, Loops };
  void add_domain(std::size_t d, Part part) {
    const DrawnGraph::Domain& domain = drawn_.domains[d];
    Shape shape{.index = d, .is_loop_twin = part == Part::Loops};
    int width = text_width(headline(domain), TextStyle::Label);
    for (std::size_t k = 0; k < domain.roles.size(); ++k) {
      const bool is_loop = domain.roles[k] == Role::Loop || domain.roles[k] == Role::Read;
      if (part != Part::All && is_loop != (part == Part::Loops)) continue;
      shape.lines.push_back(domain.role_texts[k]);
    }
    if (domain.is_checked && part != Part::Loops) shape.lines.push_back("checked");
    for (const std::string& line : shape.lines) {
      width = std::max(width, text_width(line, TextStyle::Small));
    }
    shape.width = width + 18;
    shape.height = kNameLine + 6 + kLine * int(shape.lines.size());
    nodes_of_domains_[d] = picture_.shapes.size();
    picture_.shapes.push_back(std::move(shape));
  }
  void add_joint(std::size_t k) {
    const DrawnGraph::Joint& joint = drawn_.joints[k];
    const std::size_t node = picture_.shapes.size();
    Shape shape{.is_joint = true, .index = k};
    const std::string text = shortened(joint.text, kLongestJoint);
    shape.width = text_width(text, TextStyle::Small) + 18;
    shape.height = 18;
    if (joint.holes > 0) {
      shape.lines.push_back(fmt::format("{} hole{}", joint.holes, joint.holes == 1 ? "" : "s"));
      shape.width = std::max(shape.width, text_width(shape.lines[0], TextStyle::Small) + 18);
      shape.height += kLine;
    }
    picture_.shapes.push_back(std::move(shape));
    const auto tie = [&](std::size_t from, std::size_t to, std::size_t end) {
      picture_.graph.edges.push_back({from, to});
      picture_.ends.push_back(end);
    };
    const bool names_in = joint.in.size() > 1, names_out = joint.out.size() > 1;
    for (std::size_t i = 0; i < joint.in.size(); ++i) {
      tie(nodes_of_domains_[joint.in[i]], node, names_in ? i : Picture::kNone);
    }
    for (std::size_t i = 0; i < joint.out.size(); ++i) {
      // Where one follows in several ways, the first transform in the order of making makes it.
      if (nodes_of_domains_[joint.out[i]] != Picture::kNone) continue;
      add_domain(joint.out[i], Part::All);
      tie(node, nodes_of_domains_[joint.out[i]], names_out ? i : Picture::kNone);
    }
  }

  // The whole, layers down or across the page.
  Drawing draw(bool down) {
    picture_.graph.nodes.clear();
    for (const Shape& s : picture_.shapes) {
      picture_.graph.nodes.push_back(down ? LayeredGraph::Node{s.width, s.height}
                                          : LayeredGraph::Node{s.height, s.width});
    }
    picture_.graph.gap = down ? 16 : 10;
    picture_.graph.layer_gap = down ? 20 : 26;
    const GraphLayout layout = lay_out(picture_.graph);
    Drawing drawing;
    drawing.cover((down ? layout.breadth : layout.depth) + 2 * kStrokeMargin,
                  (down ? layout.depth : layout.breadth) + 2 * kStrokeMargin);
    for (std::size_t e = 0; e < picture_.graph.edges.size(); ++e) {
      draw_edge(layout, e, down, drawing);
    }
    for (std::size_t n = 0; n < picture_.shapes.size(); ++n) {
      const auto [x, y] = place(layout.centers[n], down);
      draw_shape(picture_.shapes[n], x, y, drawing);
    }
    return drawing;
  }
  static std::pair<int, int> place(LayeredPlace p, bool down) {
    return {kStrokeMargin + (down ? p.breadth : p.depth),
            kStrokeMargin + (down ? p.depth : p.breadth)};
  }

  void draw_shape(const Shape& shape, int x, int y, Drawing& drawing) const {
    const int left = x - shape.width / 2, top = y - shape.height / 2;
    if (shape.is_joint) {
      const DrawnGraph::Joint& joint = drawn_.joints[shape.index];
      drawing.rect(left, top, shape.width, shape.height, "joint", joint.text, 9);
      drawing.text(x, top + 13, shortened(joint.text, kLongestJoint), TextStyle::Small,
                   Anchor::Middle);
      if (!shape.lines.empty()) {
        drawing.text(x, top + 13 + kLine, shape.lines[0], TextStyle::Small, Anchor::Middle,
                     "warning");
      }
      return;
    }
    const DrawnGraph::Domain& d = drawn_.domains[shape.index];
    drawing.rect(left, top, shape.width, shape.height, box_classes(shape, d),
                 d.name + " {" + d.extent + "}", 4);
    if (d.is_checked && !shape.is_loop_twin) {
      drawing.rect(left - 3, top - 3, shape.width + 6, shape.height + 6, "checked", {}, 6);
    }
    drawing.text(x, top + 16, headline(d), TextStyle::Label, Anchor::Middle, "strong");
    for (std::size_t k = 0; k < shape.lines.size(); ++k) {
      drawing.text(x, top + 16 + kLine * int(k + 1), shape.lines[k], TextStyle::Small,
                   Anchor::Middle, shape.lines[k] == "checked" ? "warning" : "muted");
    }
  }
  static std::string box_classes(const Shape& shape, const DrawnGraph::Domain& d) {
    const bool is_top = shape.is_loop_twin ? false : d.has(Role::Logical);
    if (!is_top && d.has(Role::Loop)) return "box loop";
    if (is_top) return "box logical";
    if (d.has(Role::Allocation)) return "box allocation";
    if (d.has(Role::Read)) return "box read";
    return "box";
  }

  // From the rim of one shape through the bends to the rim of the next, level at each.
  void draw_edge(const GraphLayout& layout, std::size_t e, bool down, Drawing& drawing) const {
    const auto [from, to] = picture_.graph.edges[e];
    std::vector<LayeredPlace> places = {layout.centers[from]};
    places.insert(places.end(), layout.bends[e].begin(), layout.bends[e].end());
    places.push_back(layout.centers[to]);
    const auto half = [&](std::size_t n) { return picture_.graph.nodes[n].thickness / 2; };
    places.front().depth += half(from);
    places.back().depth -= half(to);
    std::string data;
    const auto put = [&](const char* letter, LayeredPlace p) {
      const auto [x, y] = place(p, down);
      data += fmt::format("{}{} {}", letter, x, y);
    };
    put("M", places.front());
    for (std::size_t k = 1; k < places.size(); ++k) {
      const LayeredPlace a = places[k - 1], b = places[k];
      if (a.breadth == b.breadth) {
        put("L", b);
        continue;
      }
      const int middle = (a.depth + b.depth) / 2;
      put("C", {a.breadth, middle});
      put(" ", {b.breadth, middle});
      put(" ", b);
    }
    drawing.path(data, "wire");
    label_end(layout, e, down, drawing);
  }
  // Which end is which, where the picture has them the other way round.
  void label_end(const GraphLayout& layout, std::size_t e, bool down, Drawing& drawing) const {
    if (picture_.ends[e] == Picture::kNone) return;
    const auto [from, to] = picture_.graph.edges[e];
    const bool is_out = picture_.shapes[from].is_joint;
    const DrawnGraph::Joint& joint = drawn_.joints[picture_.shapes[is_out ? from : to].index];
    const std::vector<std::size_t>& domains = is_out ? joint.out : joint.in;
    const auto breadth = [&](std::size_t k) {
      return layout.centers[nodes_of_domains_[domains[k]]].breadth;
    };
    if (domains.size() != 2 || breadth(0) <= breadth(1)) return;
    const LayeredPlace end = layout.centers[is_out ? to : from];
    const Shape& box = picture_.shapes[is_out ? to : from];
    const auto [x, y] = place(end, down);
    const std::string& text = joint.ends[picture_.ends[e]];
    if (down) {
      const int base = is_out ? y - box.height / 2 - 4 : y + box.height / 2 + 11;
      drawing.text(x + 4, base, text, TextStyle::Tiny, Anchor::Start, "muted");
    } else if (is_out) {
      drawing.text(x - box.width / 2 - 4, y - 4, text, TextStyle::Tiny, Anchor::End, "muted");
    } else {
      drawing.text(x + box.width / 2 + 4, y - 4, text, TextStyle::Tiny, Anchor::Start, "muted");
    }
  }
  DrawnGraph drawn_;
  Picture picture_;
  std::vector<std::size_t> nodes_of_domains_;
};

}  // namespace

Drawing graph_picture(const TensorReport& tensor) { return GraphPicture(tensor).run(); }

}  // namespace selvage
