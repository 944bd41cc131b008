// Cases as schedule files: what access_case.h says of to_yaml.
#include <algorithm>

#include "tests/oracle/access_case.h"
#include "tests/oracle/random_graph.h"

namespace selvage::oracle {

namespace {

const char* dtype(std::int64_t bytes) {
  switch (bytes) {
    case 1: return "uint8";
    case 2: return "half";
    case 8: return "double";
    default: return "float";
  }
}

const char* word(Role role) {
  switch (role) {
    case Role::Serial: return "Serial";
    case Role::BlockX: return "BIDx";
    case Role::BlockY: return "BIDy";
    case Role::BlockZ: return "BIDz";
    case Role::ThreadX: return "TIDx";
    case Role::ThreadY: return "TIDy";
    case Role::ThreadZ: return "TIDz";
    case Role::Vector: return "Vectorize";
    case Role::Unroll: return "Unroll";
    case Role::Unswitch: return "Unswitch";
    case Role::Bulk: return "Bulk";
  }
  return "";
}

template <class Values, class Text>
std::string joined(const Values& values, Text text) {
  std::string r;
  for (const auto& v : values) r += (r.empty() ? "" : ", ") + text(v);
  return r;
}

std::string bind_entry(const Graph& g, const Binding& binding) {
  return "bind: {" +
         joined(
             binding,
             [&g](const auto& bound) { return g.names[bound.first] + ": " + word(bound.second); }) +
         "}\n";
}

// The reader with its own iterdomains under names that the writer does not have.
Graph renamed_reader(const AccessCase& access) {
  Graph g = access.reader->graph;
  std::size_t base = g.extents.size();
  for (std::size_t k = static_cast<std::size_t>(g.view_steps); k < g.steps.size(); ++k)
    for (int x : g.steps[k].out) base = std::min(base, static_cast<std::size_t>(x));
  for (std::size_t x = 0; x < g.names.size(); ++x)
    g.names[x] = x < base ? access.graph.names[x] : "R" + std::to_string(x);
  return g;
}

}  // namespace

std::string name_in_reader(const AccessCase& access, int iterdomain) {
  return renamed_reader(access).names[iterdomain];
}

std::string to_yaml(const AccessCase& access) {
  const Graph& g = access.graph;
  const Layout& layout = access.layout;
  const auto name = [&g](int x) { return g.names[x]; };

  std::string r = to_yaml(g);
  const std::string plain = "dtype: float";
  r.replace(r.find(plain), plain.size(), std::string("dtype: ") + dtype(layout.element_bytes));

  const std::string indent = "    ";
  if (layout.allocation != g.logical)
    r += indent + "allocation: [" + joined(layout.allocation, name) + "]\n";
  std::vector<std::string> strides, symbols;
  for (std::size_t k = 0; k < layout.strides.size(); ++k) {
    const bool is_open = (access.open_strides >> k & 1) != 0;
    strides.push_back(is_open ? "S" + std::to_string(k) : std::to_string(layout.strides[k]));
    if (is_open) symbols.push_back(strides.back() + ": {}");
  }
  const auto itself = [](const std::string& text) { return text; };
  if (!symbols.empty()) r = "symbols: {" + joined(symbols, itself) + "}\n" + r;
  const bool is_dense = layout.strides == dense_layout(g, layout.allocation).strides;
  if (!is_dense || !symbols.empty()) r += indent + "strides: [" + joined(strides, itself) + "]\n";
  if (layout.align != 16) r += indent + "align: " + std::to_string(layout.align) + "\n";
  if (!access.binding.empty()) r += indent + bind_entry(g, access.binding);
  if (access.is_shared) r += indent + "memory: shared\n";
  if (access.asks_fill) r += indent + "fill: 0\n";
  if (!access.reader) return r;

  const Graph reader = renamed_reader(access);
  r += indent + (access.reader->guarded ? "read:\n" : "read:  # without its guard\n");
  const std::size_t base = static_cast<std::size_t>(reader.view_steps);
  if (base < reader.steps.size()) r += indent + "  transforms:\n";
  for (std::size_t k = base; k < reader.steps.size(); ++k)
    r += indent + "    - " + to_yaml(reader, reader.steps[k]) + "\n";
  r += indent + "  loop: [" + joined(reader.loop, [&](int x) { return reader.names[x]; }) + "]\n";
  if (!access.reader->binding.empty())
    r += indent + "  " + bind_entry(reader, access.reader->binding);
  return r;
}

}  // namespace selvage::oracle
