#pragma once

#include <selvage/debugger/kernel_names.h>
#include <selvage/report/lines.h>
#include <selvage/scheduler/device.h>

#include <string>

namespace selvage {

// What a debugger shows of a run that stands still.

// "1.5"; of a NaN of either sign "nan".
std::string value_text(Scalar value);
// "block (0, 0, 0), thread (5, 0, 0), b = 0, t = 5"
std::string position(const RunView& view);
// "(5, 0, 0)"
std::string index_text(const Index3& at);

// The lines of the loops, all or those around the statement at which the thread is, marked by >.
void show_lines(const RunView& view, const KernelNames& names, bool all, Lines& out);
// What each thread of the block does: it runs, waits at a line, is ready to go on, or at its end.
void show_threads(const RunView& view, const KernelNames& names, Lines& out);
// The same for the warp of the thread that runs, a letter for each lane, lane 0 rightmost.
void show_lanes(const RunView& view, Lines& out);
// The elements of a memory, of global memory at most the first 256.
void show_memory(const RunView& view, const KernelNames& names, BufferId b, Lines& out);
// All memory that is shared (or local, or global).
void show_memory(const RunView& view, const KernelNames& names, Memory memory, Lines& out);
// How many blocks run at once on a multiprocessor, and what keeps more from it. Registers are not
// known to an emulator.
void show_occupancy(const RunView& view, const Device& device, Lines& out);
// The mask that keeps a thread of the block from a statement: the outermost condition that is false
// for it, with loops around where the thread that runs has them. Conditions on memory are taken as
// this one finds them.
void show_why_not(const RunView& view, const KernelNames& names, RunView::Thread thread, PlaceId at,
                  Lines& out);

}  // namespace selvage
