#include <selvage/base/words.h>
#include <selvage/expr/text.h>
#include <selvage/report/point.h>
#include <selvage/report/tensor_lines.h>

#include <algorithm>
#include <array>

namespace selvage {

namespace {

constexpr std::size_t kLongest = 60;  // of an expression in the table; longer ones are for --json

std::string shown(Expr e) { return text_length(e, kLongest) > kLongest ? "..." : to_string(e); }

using Row = std::array<std::string, 6>;

Row row_of(const TensorReport& tensor, const TmaDim& d) {
  std::vector<std::string> names;
  for (DomainId id : d.domains) names.push_back(tensor.name_of(id));
  return {joined(names),
          shown(d.size),
          shown(d.stride),
          std::to_string(d.box),
          std::to_string(d.element_stride),
          shown(d.coordinate)};
}

void print_table(const std::vector<Row>& rows, Lines& out) {
  std::array<std::size_t, 6> widths{};
  for (const Row& row : rows) {
    for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], row[k].size());
  }
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t k = 0; k < row.size(); ++k) {
      const bool is_last = k + 1 == row.size();
      line += row[k] + (is_last ? "" : std::string(widths[k] + 2 - row[k].size(), ' '));
    }
    out.line(2, line);
  }
}

}  // namespace

void print_tma(const TensorReport& tensor, const TmaCopy& copy, Lines& out) {
  const Finding& finding = copy.finding;
  if (!finding.is_legal()) {
    const std::string word = is_refuted(finding.verdict) ? "illegal" : "not decided";
    out.heading("TMA: " + word + ": " + finding.reason);
    const Point at = witness_of(tensor, finding.verdict);
    if (!at.empty()) out.line(2, "at " + to_text(at));
    out.line(2, "help: " + finding.help);
  } else {
    out.heading("TMA: legal: " + finding.reason);
  }
  if (!copy.weak) return;
  std::vector<Row> rows = {{"dimension", "items", "bytes apart", "box", "stride", "coordinate"}};
  for (const TmaDim& d : copy.dims) rows.push_back(row_of(tensor, d));
  print_table(rows, out);
  const std::string swizzle =
      copy.swizzle == TmaSwizzle::None ? "" : ", swizzle " + std::string(to_string(copy.swizzle));
  out.line(2, "of " + std::string(copy.type) + swizzle + "; the tile has " +
                  std::to_string(copy.tile_bytes) + " bytes, aligned to " +
                  std::to_string(tile_alignment(copy.swizzle)));
  out.line(2, "holes are 0: " + (copy.strong ? std::string(to_string(*copy.strong)) : "unknown") +
                  ": " + copy.strong_reason);
  if (!copy.hole.empty()) {
    out.line(4, "a hole that the copy alone fills with an item: " +
                    to_text(completed(tensor, copy.hole)));
  }
  for (Expr condition : finding.conditions) {
    out.line(2, "if " + condition_text(condition));
  }
}

}  // namespace selvage
