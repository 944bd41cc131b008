#pragma once

#include <iosfwd>
#include <string>

namespace selvage {

// Simplifies expressions, one a line. The fields of a line, separated by tabs: id; kind (ignored);
// loop variables `name:extent;...`, 0 <= name < extent; parameters `name:min:max;...`, which
// extents may use; the expression; optionally a condition that may be assumed.
//
// For each it writes `id <tab> nanoseconds <tab> simplified expression`, the time of this one
// simplification with fresh facts, or `id <tab> error <tab> why`. Returns whether all lines could
// be read.
bool simplify_lines(std::istream& in, std::ostream& out);
// The same for a file, or for standard input if `path` is "-". Throws BadInput (E101).
bool simplify_file(const std::string& path, std::ostream& out);

}  // namespace selvage
