#include <selvage/pictures/dot.h>
#include <selvage/pictures/drawn_graph.h>
#include <selvage/pictures/svg.h>

#include <fmt/format.h>

#include <iterator>
#include <limits>

namespace selvage {

namespace {

// Between double quotes. Graphviz reads XML's entities there, and a backslash as an escape.
std::string quoted(std::string_view text) {
  std::string out;
  for (char c : xml_escaped(text)) {
    if (c == '\\') out += '\\';
    out += c;
  }
  return out;
}

// Loops, the logical domain and checks can be told apart without colour: by what the label says, by
// a bold frame, and by a dashed one.
std::string attributes(const DrawnGraph::Domain& d) {
  using Role = DrawnGraph::Role;
  const char* color = d.has(Role::Loop)         ? "#009e73"
                      : d.has(Role::Logical)    ? "#0072b2"
                      : d.has(Role::Allocation) ? "#a6608a"
                                                : "#8c959f";
  std::string style = d.has(Role::Loop) ? "bold" : "solid";
  if (d.is_checked) style += ",dashed";
  return fmt::format(R"(color="{}" style="{}")", color, style);
}

void print(const DrawnGraph& graph, std::size_t number, const std::string& name, std::string& out) {
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "  subgraph cluster_{} {{\n    label=\"{}\"\n", number, quoted(name));
  for (std::size_t k = 0; k < graph.domains.size(); ++k) {
    const DrawnGraph::Domain& d = graph.domains[k];
    std::string label = quoted(d.name + " {" + d.extent + "}");
    for (const std::string& role : d.role_texts) label += "\\n" + quoted(role);
    if (d.is_checked) label += "\\nchecked";
    fmt::format_to(to, "    t{}_d{} [label=\"{}\" {}]\n", number, k, label, attributes(d));
  }
  for (std::size_t k = 0; k < graph.joints.size(); ++k) {
    const DrawnGraph::Joint& joint = graph.joints[k];
    std::string label = quoted(joint.text);
    if (joint.holes > 0) label += fmt::format("\\nholes: {}", joint.holes);
    fmt::format_to(to, "    t{}_x{} [label=\"{}\" shape=ellipse]\n", number, k, label);
    const bool names_inputs = joint.ends.size() == joint.in.size() && joint.in.size() > 1;
    for (std::size_t i = 0; i < joint.in.size(); ++i) {
      fmt::format_to(to, "    t{0}_d{1} -> t{0}_x{2}{3}\n", number, joint.in[i], k,
                     names_inputs ? " [label=\"" + joint.ends[i] + "\"]" : "");
    }
    const bool names_outputs = joint.ends.size() == joint.out.size() && joint.out.size() > 1;
    for (std::size_t i = 0; i < joint.out.size(); ++i) {
      fmt::format_to(to, "    t{0}_x{1} -> t{0}_d{2}{3}\n", number, k, joint.out[i],
                     names_outputs ? " [label=\"" + joint.ends[i] + "\"]" : "");
    }
  }
  out += "  }\n";
}

}  // namespace

std::string to_dot(const Report& report) {
  std::string out =
      "digraph schedule {\n"
      "  rankdir=LR\n"
      "  node [shape=box fontname=\"monospace\" fontsize=11]\n"
      "  edge [fontname=\"monospace\" fontsize=9 color=\"#8c959f\"]\n"
      "  graph [fontname=\"sans-serif\" color=\"#d0d7de\"]\n";
  std::size_t number = 0;
  for (const TensorReport& tensor : report.tensors) {
    print(drawn_graph(tensor, std::numeric_limits<std::size_t>::max()), number++, tensor.name(),
          out);
  }
  return out + "}\n";
}

}  // namespace selvage
