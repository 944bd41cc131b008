#include <selvage/legality/reads.h>
#include <selvage/report/tensor_lines.h>

#include <set>
#include <tuple>

namespace selvage {

namespace {

std::string explained(RemapForm form) {
  switch (form) {
    case RemapForm::None: return "none: it is proved to be inside";
    case RemapForm::Near: return "near: it is proved to be one fold away at most, and no remainder";
    case RemapForm::General: return "general: a remainder, for any distance";
  }
  return "";
}

// Whether any read has a mode or a fill: most fusions have none, and their reads are not asked.
bool has_modes(const ValueGraph& values) {
  for (std::size_t v = 0; v < values.size(); ++v) {
    const ValueNode& node = values[ValueId(v)];
    if (node.kind == ValueNode::Kind::Read && (!node.modes.empty() || node.otherwise()))
      return true;
  }
  return false;
}

}  // namespace

std::vector<ModeLine> modes_of(const TensorReport& tensor) {
  std::vector<ModeLine> list;
  if (!has_modes(tensor.fusion().values())) return list;
  std::set<std::tuple<TensorId, TensorId, std::uint32_t, int, std::uint32_t>> said;
  for (const Access& read : reads_of(tensor.fusion(), *tensor.schedule, tensor.analysis)) {
    const auto say = [&](std::uint32_t axis, int mode, Expr at) {
      return said.emplace(read.tensor, read.user, axis, mode, at.id()).second;
    };
    for (const Access::Mode& m : read.modes) {
      if (say(m.axis.axis, int(m.axis.mode), m.axis.of)) {
        list.push_back({read.tensor, read.user, m, m.axis.of});
      }
    }
    if (!read.is_filled) continue;
    const Expr holds = read.condition.valid() ? read.condition : tensor.graph().pool().truth(true);
    if (say(0, -1, holds)) list.push_back({read.tensor, read.user, {}, holds});
  }
  return list;
}

void print_modes(const TensorReport& tensor, const Texts& texts, Lines& out) {
  const std::vector<ModeLine> list = modes_of(tensor);
  if (list.empty()) return;
  out.heading("Access modes: how an axis goes on, and in which form that is computed");
  print_some(list, 2, out, [&](const ModeLine& line) {
    const Fusion& fusion = tensor.fusion();
    std::string text = fusion[line.reader].name + " reads " + fusion[line.memory].name;
    if (!line.mode) {
      text += line.at.is_true() ? ", which has a fill, inside it: no test"
                                : ", and the fill unless " + texts(line.at);
      return out.line(2, text);
    }
    const AccessMode mode = line.mode->axis.mode;
    text += ", axis " + std::to_string(line.mode->axis.axis) + ", at " + texts(line.at) + ": " +
            std::string(to_string(mode)) + " (" + sequence_of(mode) + ")";
    out.line(2, text);
    out.line(6, explained(line.mode->form));
  });
}

}  // namespace selvage
