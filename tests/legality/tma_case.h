// A TMA copy of a tensor T0, told as in a schedule file.
#pragma once

#include <selvage/expr/text.h>
#include <selvage/legality/tma.h>
#include "tests/legality/tma_tile.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "tests/frontend/schedule_files.h"

namespace selvage {

struct TmaCase {
  // The keys of T0, in one line; dtype float unless they say another one. `head`: symbols, facts.
  explicit TmaCase(const std::string& keys, const std::string& head = "")
      : TmaCase(schedule_files::read(
            "{" + head + "tensors: {T0: {" +
            (keys.find("dtype") == std::string::npos ? "dtype: float, " : "") + keys + "}}}")) {}
  explicit TmaCase(ScheduleFile f) : file(std::move(f)) {
    EXPECT_TRUE(file.illegal.empty()) << to_text(file.illegal);
    analysis = analyze(fusion(), schedule(), file.tensors.at(0).tensor);
    copy = *tma_copy(fusion(), schedule(), analysis);
  }
  const Fusion& fusion() const { return *file.tensors[0].fusion; }
  const Schedule& schedule() const { return *file.tensors[0].schedule; }
  bool is_legal() const { return copy.finding.is_legal(); }

  // "I0 100 by 800: 16", outer to inner, then the swizzle; "I0 40 by 16: 10/4" has a stride.
  std::string map() const {
    std::string text;
    for (const TmaDim& d : copy.dims) {
      text += text.empty() ? "" : "; ";
      for (DomainId id : d.domains) text += schedule().name(analysis.tensor, id) + " ";
      text += to_string(d.size) + " by " + to_string(d.stride) + ": " + std::to_string(d.box);
      if (d.element_stride != 1) text += "/" + std::to_string(d.element_stride);
    }
    if (copy.swizzle != TmaSwizzle::None)
      text += "; swizzle " + std::string(to_string(copy.swizzle));
    return is_legal() ? text : refusal();
  }
  std::string strong() const {
    return copy.strong ? std::string(to_string(*copy.strong)) : "unknown";
  }
  // All that is said against it.
  std::string refusal() const {
    const Finding& f = copy.finding;
    if (f.is_legal()) return "legal";
    const auto* refuted = std::get_if<Refuted>(&f.verdict);
    return f.code + ": " + f.reason +
           (refuted == nullptr ? "; unknown" : "; at " + to_text(refuted->point)) +
           "; help: " + f.help;
  }
  std::string conditions() const {
    std::string text;
    for (Expr e : copy.finding.conditions) text += (text.empty() ? "" : "; ") + to_string(e);
    return text;
  }
  std::vector<TmaElement> tile(bool with_fallback) const {
    return modelled_tile(fusion(), schedule(), analysis, copy, with_fallback).value();
  }

  ScheduleFile file;
  TensorAnalysis analysis;
  TmaCopy copy;
};

// Every valid element holds its item; `strong`: every hole 0, too.
inline bool is_right(const std::vector<TmaElement>& tile, bool strong) {
  for (const TmaElement& e : tile) {
    if ((strong || e.wants) && !e.is_right()) return false;
  }
  return true;
}

}  // namespace selvage
