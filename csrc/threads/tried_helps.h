#pragma once

#include <selvage/threads/levels.h>
#include <selvage/threads/race_helps.h>

#include <functional>
#include <string>
#include <vector>

namespace selvage {

// A change of a program, and the words that say it.
struct Mend {
  std::string help;
  std::function<void(ThreadProgram&)> act;
  bool is_last_resort = false;  // named only where nothing before it mends
  // What another program becomes that runs behind it; none: it stays one.
  std::function<void(ThreadProgram&)> second = {};
};

// What may mend a diagnostic, the best first.
using MendsOf =
    std::function<std::vector<Mend>(const ThreadProgram&, const LevelTree&, const Diagnostic&)>;

// Rewrites helps: those mends are named that have been done to the program, together with what is
// named first for the other diagnostics, after which the diagnostic is gone and no other has come.
// Where there is none: the first after which it is gone; and else the help stays as it is.
void check_tried_helps(const ThreadProgram& program, const LevelTree& tree,
                       const ThreadCheck& check, const MendsOf& mends_of,
                       std::vector<Diagnostic>& diagnostics);

}  // namespace selvage
