#pragma once

#include <selvage/legality/inside_reads.h>
#include <selvage/report/lines.h>
#include <selvage/report/report.h>
#include <selvage/report/texts.h>

#include <string>
#include <vector>

namespace selvage {

// One tensor's part of the page: its transforms, the holes, the indices, the checks with their
// reasons, coverage, and each of the paragraphs below that applies to it.
void print_tensor(const TensorReport& tensor, Lines& out);
// The loops alone, for a tensor that has no kernel.
void print_loops(const TensorReport& tensor, Lines& out);
// The checks that stay and those that are not needed; `why`: each with its reason.
void print_checks(const TensorReport& tensor, bool why, Lines& out);
// Whether every item is visited.
void print_coverage(const TensorReport& tensor, Lines& out);

// A paragraph each, if the tensor has it: its vector; the conditions hoisted out of an Unswitch
// loop; the blocks that run without a check.
void print_vector(const TensorReport& tensor, const Texts& texts, Lines& out);
void print_unswitched(const TensorReport& tensor, const Texts& texts, Lines& out);
void print_interior(const TensorReport& tensor, const Texts& texts, Lines& out);
// The bank conflicts of stores and loads of a shared tensor, the threads that collide, and layouts
// without conflicts.
void print_banks(const BankConflicts& banks, Lines& out);
// A TMA copy: its tensor map, the values in the holes of the tile, the tests at launch; or the
// reason why there is no such copy.
void print_tma(const TensorReport& tensor, const TmaCopy& copy, Lines& out);
// The holes of a tensor's buffer, their readers and the value that they must hold; nothing for a
// tensor to which the question does not apply.
void print_fill(const TensorReport& tensor, Lines& out);
// A number of elements as text; "a number of sizes" if it would be too long.
std::string count_text(Expr number);

// The finding about the bounds of one access.
struct BoundLine {
  bool is_store = false;
  TensorId memory{};  // whose
  TensorId reader{};  // of a read: in whose definition
  Finding inside;
};
// The store of a tensor, then its reads in the order of the definition. Several reads of one tensor
// that are proved by the same rules are listed once.
std::vector<BoundLine> bounds_of(const TensorReport& tensor);
// Prints for every store and every read whether it is inside its tensor, and the rules that prove
// it.
void print_bounds(const TensorReport& tensor, Lines& out);

// One axis that a read goes past, under an access mode; or a read that is filled out of bounds.
struct ModeLine {
  TensorId memory{};  // whose
  TensorId reader{};  // in whose definition
  // Of an axis; nothing: the read is filled, `at` is the condition under which it is made.
  std::optional<Access::Mode> mode;
  Expr at;  // the subscript that is written
};
struct ModeReport {
  std::vector<ModeLine> lines;        // each once, in the order of the definition
  std::optional<InsideReads> inside;  // where some blocks need none of them
};
ModeReport modes_of(const TensorReport& tensor);
// Prints each: how the axis goes on, in which form, and what is left to test; and which blocks need
// nothing of that.
void print_modes(const TensorReport& tensor, const Texts& texts, Lines& out);

// Every expression that a report of the tensor prints, so that all texts can share their lets.
std::vector<Expr> shown_expressions(const TensorReport& tensor);

}  // namespace selvage
