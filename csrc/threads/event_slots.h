#pragma once

#include <selvage/kernel/kernel.h>
#include <selvage/simplifier/simplifier.h>
#include <selvage/threads/program.h>
#include <selvage/threads/region_book.h>

#include <string>
#include <vector>

namespace selvage {

// Events of thread programs: barrier objects of the kernel, whose buffers follow those of the
// arrays.

// Of an event: its number among the kernel's buffers.
BufferId buffer_of(const ThreadProgram& program, std::uint32_t event);
// "full[k % 2]", as the user wrote it; of an event with one slot its name.
std::string to_string(const ThreadProgram& program, const EventSlot& at);
// The slot that an item names; null: it is of no event.
const EventSlot* slot_of(const ThreadItem& item);
EventSlot* slot_of(ThreadItem& item);
// The barrier object. `known`: the facts where it is named. Throws Illegal: E342 a slot that is not
// defined, E819 one that is, or may be, none of the event's.
BarrierObject object_at(const ThreadProgram& program, const EventSlot& at, Simplifier& known);
// The same of a wait, whose phase hardware knows by its parity.
Wait wait_at(const ThreadProgram& program, const WaitFor& wait, Simplifier& known);

// Appends warnings about events that nobody waits for, or that are not used at all (E828).
void check_events(const ThreadProgram& program, std::vector<Diagnostic>& diagnostics);

// What a role becomes if it has registers of its own, without the body; a guard for its threads is
// around it. Throws Illegal E830 at `place` if these are not whole warps, the same ones in each
// block and iteration; or if there are levels in a role with registers.
Region region_of_role(const InThreads& in, const Place& place, const ThreadRegion& region);

}  // namespace selvage
