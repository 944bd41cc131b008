#pragma once

#include <selvage/threads/region.h>

namespace selvage {

struct ThreadLowerOptions {
  // A last buffer, "executed", int32: how often each thread has run each region, one region after
  // the other, threads as masks number them.
  bool counts = false;
  bool verifies = true;      // the kernel; else what only that finds is not found
  bool checks_helps = true;  // csrc/threads/race_helps.h
};

// The masks of a program, and its kernel with exactly the barriers that the program asks for:
//   after an inthreads that is not asynchronous: the threads around it
//   sync: those that it names
//   between accesses that meet in memory and have the beginning or the end of an inner level, or of
//     what holds one, between them (csrc/threads/joins.h)
// What races is judged by that order alone: no barrier that is there for others hides it.
// Global arrays hold values before and after.
//
// What is wrong becomes a diagnostic: all that is wrong with levels and arrays (E820 to E823); else
// all that is wrong with masks and barriers (E342, E810 to E816, E819, E826); else what the
// kernel's verifier finds (csrc/threads/verify_threads.h).
LoweredThreads lower_threads(const ThreadProgram& program, const ThreadLowerOptions& options = {});

}  // namespace selvage
