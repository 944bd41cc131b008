#pragma once

#include <selvage/report/lines.h>
#include <selvage/report/report.h>
#include <selvage/report/texts.h>

#include <string>
#include <vector>

namespace selvage {

// One tensor's part of the page: how its index is cut up, where the holes are, the indices, the
// checks with their reasons, coverage, and each of the paragraphs below that applies to it.
void print_tensor(const TensorReport& tensor, Lines& out);
// The loops alone, for a tensor that has no kernel.
void print_loops(const TensorReport& tensor, Lines& out);
// The checks that stay and those that are not needed; `why`: each with its reason.
void print_checks(const TensorReport& tensor, bool why, Lines& out);
// Whether every item is visited.
void print_coverage(const TensorReport& tensor, Lines& out);

// A paragraph each, of a tensor that has it: its vector; what is drawn out of an Unswitch loop; and
// which blocks run without a check.
void print_vector(const TensorReport& tensor, const Texts& texts, Lines& out);
void print_unswitched(const TensorReport& tensor, const Texts& texts, Lines& out);
void print_interior(const TensorReport& tensor, const Texts& texts, Lines& out);
// How stores and loads of a shared tensor meet the banks, which threads collide, and the layouts
// that would free it of conflicts.
void print_banks(const BankConflicts& banks, Lines& out);
// A TMA copy: its tensor map, what the holes of the tile hold, what is tested at launch; or why it
// is none.
void print_tma(const TensorReport& tensor, const TmaCopy& copy, Lines& out);
// The holes of a tensor's buffer, who reads them and what they must hold; nothing for a tensor to
// which the question does not apply.
void print_fill(const TensorReport& tensor, Lines& out);
// A number of elements for the reader of a report: "a number of sizes", where it would be too long.
std::string count_text(Expr number);

// What is asked of the bounds of one access.
struct BoundLine {
  bool is_store = false;
  TensorId memory{};  // whose
  TensorId reader{};  // of a read: in whose definition
  Finding inside;
};
// The store of a tensor, then its reads in the order of the definition: what is read several times,
// by the same rules, is told of once.
std::vector<BoundLine> bounds_of(const TensorReport& tensor);
// That every store and every read is inside its tensor, each with its verdict and what proves it.
void print_bounds(const TensorReport& tensor, Lines& out);

// Every expression that a report of the tensor writes out, so that all texts share their lets.
std::vector<Expr> shown_expressions(const TensorReport& tensor);

}  // namespace selvage
