#pragma once

#include <selvage/threads/array_helps.h>
#include <selvage/threads/level_helps.h>
#include <selvage/threads/memory_helps.h>
#include <selvage/threads/region_helps.h>

namespace selvage {

// Mends for a diagnostic of any kind; empty for codes with helps of their own.
inline std::vector<Mend> refusal_mends(const ThreadProgram& program, const LevelTree& tree,
                                       const Diagnostic& d) {
  if (d.code == "E815" || d.code == "E824") return memory_mends(program, tree, d);
  if (d.code >= "E820" && d.code <= "E823") {
    std::vector<Mend> mends = level_mends(program, tree, d);
    if (mends.empty()) mends = array_mends(program, d);
    return mends;
  }
  return region_mends(program, tree, d);
}

}  // namespace selvage
