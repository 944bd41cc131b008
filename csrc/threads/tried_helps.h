#pragma once

#include <selvage/threads/levels.h>
#include <selvage/threads/race_helps.h>

#include <functional>
#include <string>
#include <vector>

namespace selvage {

// A change of a program, and the help that tells the user to make it.
struct Mend {
  std::string help;
  std::function<void(ThreadProgram&)> act;
  bool is_last_resort = false;  // named only if no mend before it works
  // If present, the mend cuts the program in two: makes a copy of the program the second one, which
  // runs after it.
  std::function<void(ThreadProgram&)> second = {};
};

// The mends to try for a diagnostic, the best first.
using MendsOf =
    std::function<std::vector<Mend>(const ThreadProgram&, const LevelTree&, const Diagnostic&)>;

// Rewrites helps so that they name mends that were tried: after the mend, together with the first
// mend named for each other diagnostic, the diagnostic is gone and no new one has come. If there is
// no such mend, names the first after which the diagnostic is gone; if there is none, the help
// stays.
void check_tried_helps(const ThreadProgram& program, const LevelTree& tree,
                       const ThreadCheck& check, const MendsOf& mends_of,
                       std::vector<Diagnostic>& diagnostics);

}  // namespace selvage
