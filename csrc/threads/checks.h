#pragma once

#include <selvage/simplifier/simplifier.h>
#include <selvage/threads/program.h>
#include <selvage/threads/region_book.h>

#include <string_view>

namespace selvage {

// Checks of one item of a thread program by itself. They throw Illegal.

// At `place`:
//   E810  an inthreads with no level around
//   E811  an asynchronous inthreads inside another inthreads
//   E812  a predicate that is not strictly divergent (threads/divergence.h)
void check_inthreads(const InThreads& in, const Place& place, const ThreadPlace& at);

// The loop that break or continue names. E826 if there is none, or a parallel level is in between.
const SerialFor& loop_to_leave(const LeaveFor& leave, const Place& place, const ThreadPlace& at);

// E342 if e divides by 0, or may do so. `what` names e: "the subscript".
void check_defined(Expr e, std::string_view what, Simplifier& known);

// Checks all elements that an assignment at a place names. `known`: the facts there, the place's
// condition included.
//   E342  a subscript that is not defined
//   E819  a subscript that is, or may be, outside of its axis for some thread, even if the address
//         is in the array. Where break or continue leaves a loop around, and in the operands that a
//         select chooses from, the kernel's verifier decides instead; it checks the whole array
//         only.
// The assignment that an item of a CopyLater is. Throws Illegal E827 unless it copies an element of
// 4 or 8 bytes from global to shared memory, as it is.
const Assign& check_copy(const ThreadItem& item, const ThreadProgram& program);

// The same of the subscripts of a tile.
void check_tile(const TileRef& tile, const ThreadProgram& program, const RegionBook& book,
                const ThreadPlace& at, Simplifier& known);
void check_elements(const Assign& assign, const ThreadProgram& program, const RegionBook& book,
                    const ThreadPlace& at, Simplifier& known);

}  // namespace selvage
