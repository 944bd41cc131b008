#pragma once

#include <selvage/frontend/sections.h>

namespace selvage {

// A TeAAL specification (`einsum`, `mapping`, `format`) as the file of a fusion, which it stands
// for: each expression is a statement, and its mapping a schedule. What is made has the places of
// what it was made of. Symbols must have been read. Notes in `file` that text and the mappings.
// Throws BadInput as parse_einsum() and read_einsum_mapping() do, and E205, E333, E390.
Node fusion_of_einsum(const Node& root, FileContext& context, ScheduleFile& file);

}  // namespace selvage
