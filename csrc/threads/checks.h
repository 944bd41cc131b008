#pragma once

#include <selvage/simplifier/simplifier.h>
#include <selvage/threads/program.h>
#include <selvage/threads/region_book.h>

#include <string_view>

namespace selvage {

// What is wrong with one item of a thread program by itself. Each throws Illegal.

// At `place`:
//   E810  no level is around
//   E811  it is asynchronous inside another
//   E812  its predicate is not strictly divergent (csrc/threads/divergence.h)
void check_inthreads(const InThreads& in, const Place& place, const ThreadPlace& at);

// The loop that break or continue names. E826: there is none, or a parallel level is in between.
const SerialFor& loop_to_leave(const LeaveFor& leave, const Place& place, const ThreadPlace& at);

// E342: it divides by what is 0, or may be; `what`: "the subscript".
void check_defined(Expr e, std::string_view what, Simplifier& known);

// Of all elements that an assignment at a place names; `known`: the facts there, with its
// condition:
//   E342  a subscript that is not defined
//   E819  a subscript that leaves its axis for some thread, or may, though the address may still be
//         in the array. Where break or continue leaves a loop around, and of what a select chooses,
//         it is the kernel's verifier that has the last word, and it knows the whole array only.
void check_elements(const Assign& assign, const ThreadProgram& program, const RegionBook& book,
                    const ThreadPlace& at, Simplifier& known);

}  // namespace selvage
