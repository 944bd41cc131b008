#pragma once

#include <selvage/kernel/verify_access.h>

#include <optional>
#include <span>

namespace selvage {

// The shared memory of a cluster (Launch::is_cluster): of each buffer every rank has a piece of `p`
// elements, those from rank * p on.

// The number of an element in the piece of the rank that accesses it, where the address is written
// as rank * p and a rest: the rest. Nothing if it is not. `ranks`: variables that are the rank.
std::optional<Expr> in_own_piece(Expr address, std::int64_t p, std::span<const Expr> ranks);

// The same of an access of a verified kernel. Where a block is no cluster, its address.
std::optional<Expr> in_own_piece(const AccessMap& map, std::size_t access);
// Whether all accesses of a buffer are in the own piece; true where a block is no cluster.
bool is_of_own_rank(const AccessMap& map, BufferId b);

}  // namespace selvage
