#pragma once

#include <selvage/report/lines.h>
#include <selvage/report/report.h>

#include <string>

namespace selvage {

// How the items of rows are shared among threads: of each nest the threads with most and least, the
// steps, what is busy, and how rows come to be stored.
void print_loads(const FusionReport& fusion, Lines& out);

// The same as the text of a JSON array; empty: there is none.
std::string loads_json(const FusionReport& fusion);
// `spec` of the format's section 3: of a TeAAL specification the loops of each mapping and, where
// the offsets of its rows are known, the rows and items of each thread, the steps, and how each row
// is stored. One object, or an array of those of several tensors; empty: there is none.
std::string spec_json(const Report& report);

}  // namespace selvage
