#pragma once

#include <selvage/report/lines.h>
#include <selvage/report/report.h>

#include <string>

namespace selvage {

// The holes of a tensor's buffer, who reads them and what they must hold; nothing for a tensor to
// which the question does not apply.
void print_fill(const TensorReport& tensor, Lines& out);
// The same as the block "fill" of the JSON:
//   holes       how many, a number or a text over sizes; null: it is not known
//   first       the element of the first one, where known
//   read        whether the reader reads one; null: unknown
//   needs       "weak" or "strong"
//   value       that holes must hold: a number, or "inf", "-inf"; absent: none is known
//   initialise  whether that has to be stored before; verdict, witness and reason are of "it need
//   not" unguarded   the reader without its guard: read, inside (the buffer), witness and element
//   of a
//               hole that it reads
std::string fill_json(const TensorReport& tensor, const Fills& fills);

}  // namespace selvage
