// Random schedules of whole fusions.
#pragma once

#include <selvage/ir/schedule.h>
#include <selvage/lower/program.h>

#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>

#include "tests/lower/random_whole_fusion.h"

namespace selvage::test {

// A random fusion, and random primitives on its tensors; one that is refused, or after which the
// fusion is not lowered any more, is counted and left out. Where `looks_ahead` is not drawn, steps
// that only make sense together stay together: the fusion is lowered at the end, and steps are
// taken back from there until it can be.
struct WholeCase {
  explicit WholeCase(const WholeRecipe& recipe);

  WholeRecipe recipe;
  WholeFusion random;
  std::unique_ptr<Schedule> schedule;
  std::optional<Program> program;
  std::map<std::string, int> refused_steps;     // by primitive and code
  std::map<std::string, int> refused_lowering;  // by code
  std::map<std::string, std::string> examples;  // a message for each code of those
  int steps_taken = 0;

 private:
  std::optional<Program> try_lower(const Schedule& s);
};

// One random primitive on a random tensor of a schedule; `name` says which, before it is refused
// (Illegal). False: there was nothing to do.
bool take_step(Schedule& s, std::mt19937_64& rng, std::string& name);

}  // namespace selvage::test
