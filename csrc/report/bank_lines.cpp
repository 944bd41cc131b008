#include <selvage/expr/text.h>
#include <selvage/report/point.h>
#include <selvage/report/tensor_lines.h>

namespace selvage {

namespace {

constexpr std::size_t kMostThreads = 4;

std::string degree(const BankAccess& access) {
  if (!access.degree) return "not known";
  return *access.degree == 1 ? "conflict-free" : std::to_string(*access.degree) + "-way";
}

void print_side(const char* side, const BankAccess& access, Lines& out) {
  if (!access.degree) {
    out.line(2, std::string(side) + ": not known, for " + access.why_unknown);
    return;
  }
  out.line(2, std::string(side) + ": " + degree(access) + " (" + access.by + ")");
  if (!access.collision) return;
  const BankCollision& c = *access.collision;
  const std::string where = "warp " + std::to_string(c.warp) +
                            (c.phase > 0 ? ", phase " + std::to_string(c.phase) : std::string());
  out.line(6, where + ": " + std::to_string(c.threads.size()) + " threads ask bank " +
                  std::to_string(c.bank) + " for different words");
  for (std::size_t i = 0; i < c.threads.size(); ++i) {
    if (i == kMostThreads) {
      out.rest(8, c.threads.size() - i);
      break;
    }
    out.line(8, "thread " + std::to_string(c.threads[i].number) + " for word " +
                    std::to_string(c.threads[i].word) + ": " + to_text(c.threads[i].point));
  }
}

void print_advice(const BankAdvice& advice, Lines& out) {
  if (advice.swizzle && advice.swizzle->lines && !advice.swizzle->lines->view.empty()) {
    out.line(2, "xor makes both conflict-free: " + advice.swizzle->text);
    out.line(6, advice.swizzle->lines->root);
    out.line(6, "view:");
    for (const std::string& line : advice.swizzle->lines->view) out.line(8, "- " + line);
    out.line(6, advice.swizzle->lines->logical);
  } else if (advice.swizzle && advice.swizzle->found.fields.empty()) {
    out.line(2, "row by row, without allocation, view or strides, both are conflict-free");
  } else if (!advice.no_swizzle.empty()) {
    out.line(2, "no xor: " + advice.no_swizzle);
  }
  if (!advice.padding) {
    out.line(2, "no padding makes both conflict-free (all that differ in banks were tried)");
  } else if (advice.padding->elements > 0) {
    out.line(2, "pad rows to " +
                    std::to_string(advice.axes.extents.back() + advice.padding->elements) + ": " +
                    padding_line(advice.axes, *advice.padding) + ", " +
                    std::to_string(advice.padding->bytes) + " bytes more");
  }
}

}  // namespace

void print_banks(const BankConflicts& banks, Lines& out) {
  std::string title = "Bank conflicts of shared memory";
  if (banks.ways == 1) title += ": none";
  if (banks.ways && *banks.ways > 1) title += ": " + std::to_string(*banks.ways) + "-way";
  if (!banks.ways) title += ": not known";
  for (std::size_t i = 0; i < banks.finding.conditions.size(); ++i) {
    title += (i == 0 ? ", if " : " and ") + to_string(banks.finding.conditions[i]);
  }
  out.heading(title);
  if (banks.same_loops) {
    print_side("store and load", banks.store, out);
  } else {
    print_side("store", banks.store, out);
    print_side("load", banks.load, out);
  }
  if (banks.advice) print_advice(*banks.advice, out);
}

}  // namespace selvage
