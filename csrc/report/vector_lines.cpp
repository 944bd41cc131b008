#include <selvage/base/words.h>
#include <selvage/report/tensor_lines.h>

namespace selvage {

namespace {

std::string share_text(const std::optional<Share>& share, const std::string& what) {
  if (!share) return "those " + what + "s";
  return std::to_string(share->taken) + " of " + counted(share->of, what);
}

void print_condition(Expr condition, const Texts& texts, Lines& out) {
  if (!condition.is_true() && !condition.is_false()) {
    out.line(2, "where " + texts(condition));
  }
}

}  // namespace

void print_vector(const TensorReport& tensor, const Texts& texts, Lines& out) {
  if (!tensor.analysis.vector) return;
  const VectorAccess& v = *tensor.analysis.vector;
  const std::string name = tensor.name_of(v.domain);
  out.heading("Vector " + name +
              (v.finding.is_legal()
                   ? ": legal (proved)"
                   : ": refused (" + std::string(to_string(v.finding.verdict)) + ")"));
  out.line(2, v.finding.reason);
  for (Expr c : v.finding.conditions) out.line(2, "if " + texts(c) + ", tested at launch");
  if (!v.finding.help.empty()) out.line(2, "help: " + v.finding.help);
}

void print_unswitched(const TensorReport& tensor, const Texts& texts, Lines& out) {
  if (!tensor.analysis.unswitched) return;
  const Unswitched& u = *tensor.analysis.unswitched;
  const std::string exact = u.hoisted.exact ? "" : " at least";
  if (u.hoisted.condition.is_false() && !u.hoisted.exact) {
    out.heading("Unswitch " + tensor.name_of(u.domain) + ": no condition without it is known");
    return;
  }
  out.heading("Unswitch " + tensor.name_of(u.domain) + ": all points inside are valid for" + exact +
              " " + share_text(u.share, "iteration"));
  print_condition(u.hoisted.condition, texts, out);
}

void print_interior(const TensorReport& tensor, const Texts& texts, Lines& out) {
  if (!tensor.analysis.interior) return;
  const Interior& i = *tensor.analysis.interior;
  const std::string exact = i.hoisted.exact ? "" : " at least";
  if (i.hoisted.condition.is_false() && !i.hoisted.exact) return;
  out.heading("Blocks without a check:" + exact + " " + share_text(i.share, "block"));
  print_condition(i.hoisted.condition, texts, out);
}

}  // namespace selvage
