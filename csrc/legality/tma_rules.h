#pragma once

#include <selvage/legality/tma_map.h>

#include <string_view>
#include <vector>

namespace selvage {

// The element type of a tensor map, CU_TENSOR_MAP_DATA_TYPE_...: a copy only moves bytes, so types
// without one of their own go as unsigned integers of their size.
std::string_view tensor_map_type(DataType type);

// Checks every rule of a tensor map and of its tile. A broken rule refuses the copy with E461 and
// the rule's name; one that may hold at launch becomes a condition. An outer dimension of one item
// gets a stride that fits, since its own does not matter.
void check_rules(TmaQuestions& questions, const TmaRoles& roles, std::vector<TmaDim>& dims);

}  // namespace selvage
