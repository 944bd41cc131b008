#pragma once

#include <iosfwd>
#include <string>

namespace selvage {

// Expressions, one a line, fields separated by tabs: id; kind (passed over); loop variables
// `name:extent;...`, 0 <= name < extent; parameters `name:min:max;...`, which extents may use; the
// expression; if there is a sixth field, a condition that may be assumed.
//
// Writes `id <tab> nanoseconds <tab> simplified expression` for each, the time being that of this
// one simplification in a fresh set of facts, or `id <tab> error <tab> why`. Whether all could be
// read.
bool simplify_lines(std::istream& in, std::ostream& out);
// The same for a file, or for standard input if `path` is "-". Throws BadInput (E101).
bool simplify_file(const std::string& path, std::ostream& out);

}  // namespace selvage
