#include <selvage/base/words.h>
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

void print_inside(const InsideReads& inside, const Texts& texts, Lines& out) {
  std::string text = "inside at " + std::string(inside.hoisted.exact ? "" : "at least ");
  text += inside.blocks
              ? std::to_string(inside.blocks->taken) + " of " + counted(inside.blocks->of, "block")
              : "the blocks";
  out.line(2, text + " where " + texts(inside.hoisted.condition));
  if (inside.points) {
    const std::int64_t others = inside.points->of - inside.points->taken;
    out.line(6, std::to_string(others) + " of " + counted(inside.points->of, "item") +
                    " are of a read that leaves its tensor");
  }
  out.line(6, inside.pays ? "these blocks have a body of their own, without modes and fills"
                          : "no body of their own: they are too few, or would save too little");
}

}  // namespace

ModeReport modes_of(const TensorReport& tensor) {
  ModeReport report;
  std::vector<ModeLine>& list = report.lines;
  if (!may_leave(tensor.fusion(), *tensor.schedule, tensor.analysis.tensor)) return report;
  std::set<std::tuple<TensorId, TensorId, std::uint32_t, int, std::uint32_t>> said;
  const std::vector<Access> reads = reads_of(tensor.fusion(), *tensor.schedule, tensor.analysis);
  for (const Access& read : reads) {
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
  report.inside = inside_reads(tensor.fusion(), *tensor.schedule, tensor.analysis, reads);
  if (report.inside) {
    count_points(tensor.fusion(), *tensor.schedule, tensor.analysis, *report.inside);
  }
  return report;
}

void print_modes(const TensorReport& tensor, const Texts& texts, Lines& out) {
  const ModeReport report = modes_of(tensor);
  if (report.lines.empty()) return;
  out.heading("Access modes: how an axis goes on, and in which form that is computed");
  print_some(report.lines, 2, out, [&](const ModeLine& line) {
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
  if (report.inside) print_inside(*report.inside, texts, out);
}

}  // namespace selvage
