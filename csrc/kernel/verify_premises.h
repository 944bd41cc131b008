#pragma once

#include <selvage/kernel/verify_access.h>

namespace selvage {

// Further attempts at a claim that a proof with all facts of a scope has not reached: conditions
// that say nothing of it make a proof long.
//
// Whether each part of the claim follows from one condition by itself, and the bounds of symbols;
// or nothing fulfils one of the conditions.
bool follows_from_one(const Facts& facts, Expr claim);
// Where conditions leave the variables of some loops of the scope one value, that of the rest of a
// group, for one: whether the claim follows with it in their place, from one of the conditions that
// have said so.
bool follows_where_fixed(const AccessMap& map, std::size_t scope, Expr claim);

}  // namespace selvage
