#pragma once

#include <selvage/threads/region.h>

namespace selvage {

struct ThreadLowerOptions {
  // Adds a last buffer, "executed", int32: the number of times that each thread has run each
  // region; one region after the other, threads as masks number them.
  bool counts = false;
  bool verifies = true;      // runs the kernel's verifier (threads/verify_threads.h)
  bool checks_helps = true;  // threads/race_helps.h, tried_helps.h
};

// The masks of a program, and its kernel with exactly the barriers that the program asks for:
//   after an inthreads that is not asynchronous: of the threads around it
//   sync: of the threads that it names
//   between accesses that meet in memory, where a join stands between them (threads/joins.h)
// Races are judged by joins and written barriers alone, so no barrier that other accesses need
// hides a race. Global arrays hold values before and after.
//
// Faults become diagnostics: all faults of levels and arrays (E820 to E823); if there are none, all
// faults of masks and barriers (E342, E810 to E816, E819, E826); if there are none, the findings of
// the kernel's verifier (threads/verify_threads.h).
LoweredThreads lower_threads(const ThreadProgram& program, const ThreadLowerOptions& options = {});

}  // namespace selvage
